"""What plays inputs sees what is wrong, and what makes them makes the same ones again."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from random import Random

import fuzz_playing
import pytest
from fuzz_playing import FaultError, Target, smallest
from mutate import Mutator, documents_in


class RefusedError(ValueError):
    """What these readers document."""


def _raises(data: bytes, folder: Path) -> None:
    json.loads(data)["a"]


def _tells_two_lines(data: bytes, folder: Path) -> None:
    raise RefusedError("one\ntwo")


def _refuses(data: bytes, folder: Path) -> None:
    raise RefusedError("no")


def _writes(data: bytes, folder: Path) -> None:
    (folder / "inside").write_bytes(data)
    (folder.parent / "fuzz-outside").write_bytes(data)


def _works(data: bytes, folder: Path) -> None:
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass


def _eats(data: bytes, folder: Path) -> None:
    bytes(3_000_000_000)


def target(read: object) -> Target:
    """A target of one reader."""
    return Target("x", lambda: [b'{"a": 1}'], read, (RefusedError,))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("read", "why"),
    [(_raises, "KeyError"), (_tells_two_lines, "line"), (_writes, "touch"), (_works, "slow"), (_eats, "MemoryError")],
)
def test_a_fault_is_seen(read: object, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_playing, "SECONDS", 0.05)
    with pytest.raises(FaultError, match=why):
        target(read).play(b"{}")
    (Path(tempfile.gettempdir()) / "fuzz-outside").unlink(missing_ok=True)


def test_what_is_documented_is_survived() -> None:
    assert target(_refuses).play(b"") == "refused"
    assert target(_raises).play(b'{"a": 1}') == "read"


def test_the_smallest_input_has_the_same_fault() -> None:
    found = b'{"b": [1, 2, 3], "c": "' + b"x" * 500 + b'"}'
    with pytest.raises(FaultError) as told:
        target(_raises).play(found)
    small = smallest(target(_raises), found, told.value)
    assert len(small) < 20
    with pytest.raises(FaultError, match="KeyError"):
        target(_raises).play(small)


def test_a_seed_says_all_that_is_made() -> None:
    seeds = [b'event: x\ndata: {"a": [1, {"b": null}]}\n\n', b"plain: text\n"]
    one, two = ([Mutator(seeds).made(chance) for _ in range(200)] for chance in (Random(5), Random(5)))
    assert one == two
    assert len(set(one)) > 150


def test_documents_are_found_in_lines() -> None:
    data = b'event: x\ndata: {"a": 1}\r\n\r\n[2]\nnone\n'
    assert [document for _, document, _ in documents_in(data)] == [{"a": 1}, [2]]
    assert all(before + json.dumps(found).encode() + after == data for before, found, after in documents_in(data))
