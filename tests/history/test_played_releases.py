"""Which releases are looked at, and whose failure is whose."""

from __future__ import annotations

import pytest

from conformance.adapters.contract import AdapterError
from conformance.engine.shims import raised_in_shim
from conformance.history.releases import FINISHED, Release, ReleaseStep, between, stepped

ALL = [Release(version, "2026-01-01T00:00:00Z") for version in ("1.0.0", "1.1.0", "1.1.1", "1.10.0", "2.0.0")]


def names(releases: list[Release]) -> list[str]:
    return [one.version for one in releases]


@pytest.mark.parametrize(
    ("version", "is_finished"),
    [("1.0", True), ("1.0.post1", True), ("1.0rc1", False), ("1.0.0-beta.2", False), ("1.0.dev3", False)],
)
def test_previews_are_left_out(version: str, is_finished: bool) -> None:
    assert bool(FINISHED.fullmatch(version)) is is_finished


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        (None, None, ["1.0.0", "1.1.0", "1.1.1", "1.10.0", "2.0.0"]),
        ("1.1.1", None, ["1.1.1", "1.10.0", "2.0.0"]),
        (None, "1.1.0", ["1.0.0", "1.1.0"]),
        ("1.1.0", "1.1.0", ["1.1.0"]),
    ],
)
def test_from_and_to(first: str | None, last: str | None, found: list[str]) -> None:
    assert names(between(ALL, first, last)) == found


@pytest.mark.parametrize(("first", "last", "why"), [("1.0", None, "did you mean"), ("2.0.0", "1.0.0", "comes after")])
def test_what_there_is_not(first: str, last: str | None, why: str) -> None:
    with pytest.raises(AdapterError, match=why):
        between(ALL, first, last)


@pytest.mark.parametrize(
    ("step", "found"),
    [("minor", ["1.0.0", "1.1.1", "1.10.0", "2.0.0"]), ("major", ["1.10.0", "2.0.0"]), ("release", names(ALL))],
)
def test_steps(step: ReleaseStep, found: list[str]) -> None:
    assert names(stepped(ALL, step)) == found


DATED = [
    Release("1.0", "2025-11-30T00:00:00Z"), Release("1.1", "2025-12-31T00:00:00Z"),
    Release("1.0.1", "2026-01-02T00:00:00Z"),  # of the older line
    Release("1.2", "2026-03-31T00:00:00Z"), Release("2.0", "2026-04-01T00:00:00Z"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "found"),
    [
        ("month", ["1.0", "1.1", "1.2", "2.0"]),
        ("quarter", ["1.1", "1.2", "2.0"]),
        ("year", ["1.1", "2.0"]),
    ],
)
def test_steps_in_time_go_up(step: ReleaseStep, found: list[str]) -> None:
    assert names(stepped(DATED, step)) == found


SHIM, LIBRARY = "conformance/adapters/libraries/ollama.py", "lib/python3.11/site-packages/ollama/_client.py"


@pytest.mark.parametrize(
    ("traceback", "is_shim"),
    [
        (f'Traceback\n  File "{SHIM}", line 126, in complete\n    x\nAttributeError: no', True),
        (f'Traceback\n  File "{SHIM}", line 126, in complete\n  File "{LIBRARY}", line 1, in chat\nKeyError: 1', False),
        ("Error: no\n    at turn (file:///home/x/ai_openai-1/library.mjs:3:4)\n    at async main (x.mjs:1:2)", True),
        ("Error: no\n    at f (file:///n/node_modules/ai/index.js:3:4)\n    at g (file:///x/library.mjs:1:2)", False),
        ("", False),
        ("nothing that is a traceback", False),
    ],
)
def test_what_is_raised_in_our_shim_is_held_against_nobody(traceback: str, is_shim: bool) -> None:
    assert raised_in_shim(traceback) is is_shim
