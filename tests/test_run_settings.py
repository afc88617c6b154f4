"""Settings of a run that do not fit: one line that says what, where and what to do, before anything starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance import UsageError
from conformance.cli.spelling import option_spelling
from conformance.runner.errors import Option

ENTRY = {"rule": "*", "reason": "known", "link": "https://example.org", "expires": "soon"}


class Adapter:
    """An adapter that somebody gives instead of its address."""


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"providers": ["gemin"]}, "unknown provider 'gemin'; did you mean 'gemini'?"),
        ({"scenarios": "nothing.*"}, "no scenario matches 'nothing.*'"),
        ({"rules": ["common.nothing"]}, "no rule matches 'common.nothing'"),
        ({"deliveries": ["pigeon"]}, "no delivery matches 'pigeon'"),
        ({"profile": "natif"}, "profile: unknown profile 'natif'; did you mean 'native'?"),
        ({"scenario_folder": "/there/is/none"}, "/there/is/none"),
        ({"responder": "tape"}, "responder: unknown responder 'tape'"),
        ({"responder": "cassette", "cassettes": "/there/is/none"}, "cassettes /there/is/none: no such folder"),
        ({"models": "gpt-5"}, "models needs responder='live'"),
        ({"base_urls": "http://localhost"}, "base_urls needs responder='live'"),
        ({"responder": "live", "base_urls": {"opnai": "http://x"}}, "unknown provider 'opnai'"),
        ({"responder": "live", "base_urls": "http://me:secret@x"}, "base_urls: no user and password there"),
        ({"repeat": 2}, "repeat needs responder='live': the others always answer the same"),
        ({"repeat": 0}, "repeat must be 1 to 1000"),
        ({"repeat": "2"}, "repeat must be a whole number, found '2'"),
        ({"max_calls": 3}, "max_calls needs responder='record'"),
        ({"again": True}, "again needs responder='record'"),
        ({"jobs": 0}, "jobs: at least one worker is needed"),
        ({"timeout": 0}, "timeout must be more than 0 and less than a day"),
        ({"baseline": "/there/is/none.yaml"}, "/there/is/none.yaml"),
        ({"baseline": [ENTRY]}, "expires"),
        ({"baseline": [{"rule": "*"}]}, "baseline: at "),
        ({"responder": "record"}, "providers is needed: recording costs money"),
        ({"responder": "record", "providers": "ollama", "rules": "common.*"}, "rules does not fit here"),
        ({"responder": "record", "providers": "ollama", "jobs": 2}, "jobs does not fit here"),
        ({"responder": "record", "providers": "ollama", "origin": "home"}, "origin: unknown origin 'home'"),
    ],
)
def test_wrong_settings_are_one_line(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        conformance.run(**settings)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("adapter", [Adapter, Adapter()], ids=["class", "object"])
def test_an_object_is_told_its_address(adapter: Any) -> None:
    with pytest.raises(UsageError, match=f"write 'python:{__name__}:Adapter'"):
        conformance.run(adapter)


@pytest.mark.slow
def test_an_adapter_that_is_nowhere_is_told_at_the_first_event() -> None:
    run = conformance.run("nonsense")
    with pytest.raises(UsageError, match="unknown adapter 'nonsense'"):
        next(run)
    assert not run.ended


def test_folders_may_be_paths_or_text(tmp_path: Path) -> None:
    for folder in (tmp_path, str(tmp_path)):
        run = conformance.run(responder="cassette", cassettes=folder)
        assert run.settings.selection.answering.cassettes == tmp_path.resolve()


def test_settings_are_spelled_as_options_by_the_command_line() -> None:
    problem = UsageError(Option("base_urls"), " needs ", Option("responder", "live"))
    assert str(problem) == "base_urls needs responder='live'"
    assert problem.words(option_spelling("run")) == "--base-url needs --responder live"
    assert UsageError(Option("cassettes")).words(option_spelling("record")) == "--to"
    assert UsageError(Option("origin", "conformance serve")).words(option_spelling("record")) == "--serve"
    assert UsageError(Option("providers", metavar="P")).words(option_spelling("record")) == "--provider P"
