"""Which options a run has: few, and those of one kind of run only with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.cli import COMMANDS, main

KINDS = [
    (["--responder", "live"], {"--model", "--base-url", "--allow-shell", "--repeat"}),
    (["--responder=cassette"], {"--cassettes"}),
    (["--generated", "all"], {"--found"}),
    (["--seed", "3"], {"--found"}),
    (["openai"], {"--way"}),
    (["env:openai@3.54.0"], {"--way"}),
]
ALL = set().union(*(options for _, options in KINDS))


def shown(words: list[str], capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The options that the help of a run shows."""
    with pytest.raises(SystemExit) as ended:
        main(["run", *words, "--help"])
    assert ended.value.code == 0
    return set(re.findall(r"^  (?:-\w(?: \w+)?, )?(--[\w-]+)", capsys.readouterr().out, re.MULTILINE))


def test_a_run_has_few_options(capsys: pytest.CaptureFixture[str]) -> None:
    options = shown(["./mine.py"], capsys)
    assert {"--provider", "--failed-from", "--write-baseline", "--out"} <= options
    assert len(options) <= 24
    assert not options & ALL


@pytest.mark.parametrize(("words", "options"), KINDS, ids=lambda value: " ".join(sorted(value)))
def test_a_kind_of_run_shows_its_options(
    words: list[str], options: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(words, capsys) & ALL == options


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--model", "x"], "--model needs --responder live: see 'conformance run --responder live --help'"),
        (["--repeat=2"], "--repeat needs --responder live"),
        (["--responder", "live", "--cassettes", "x"], "--cassettes needs --responder cassette"),
        (["--found", "x"], "--found needs --generated all"),
        (["./mine.py", "--way", "parse"], "--way needs LIBRARY"),
    ],
)
def test_options_of_another_kind_are_not_taken(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *words]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_pages_that_help_names_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    """They come with the package."""
    pages = set()
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            main([command, "--help"])
        text = capsys.readouterr().out
        pages |= (named := set(re.findall(r"docs/[a-z-]+\.md", text)))
        assert bool(named) is ("prints a page that is named here" in text)
    assert len(pages) > 5
    for page in pages:
        assert main(["explain", page]) == 0
        assert capsys.readouterr().out.startswith("# ")
    assert main(["explain", "docs/runing.md"]) == 2
    assert "did you mean 'docs/running.md'?" in capsys.readouterr().err


MISSPELLED = [
    (["rnu"], "run"),
    (["run", "--scenaro", "x"], "--scenario"),
    (["run", "--profile", "natve"], "native"),
    (["run", "--format", "tabel"], "table"),
    (["run", "--responder", "scrpted"], "scripted"),
    (["run", "--provider", "antropic"], "anthropic"),
    (["run", "--scenario", "parallel_call.two_reads"], "parallel_calls.two_reads"),
    (["run", "--rule", "common.result.no-orphans"], "common.result.no-orphan"),
    (["run", "--delivery", "stream:hole"], "stream:whole"),
    (["run", "openai", "--way", "pase"], "parse"),
    (["run", "--out", "x.jsn"], ".json"),
    (["watch", "litelm"], "litellm"),
    (["list", "scenario"], "scenarios"),
    (["explain", "shell.sucess"], "shell.success"),
    (["explain", "common.result.no-orphans"], "common.result.no-orphan"),
    (["explain", "shell.success", "--provider", "antropic"], "anthropic"),
    (["env", "litelm"], "litellm"),
    (["doors", "litelm"], "litellm"),
    (["serve", "--scenario", "shell.sucess"], "shell.success"),
    (["serve", "--fault", "statsu=429"], "status"),
    (["record", "--provider", "antropic"], "anthropic"),
    (["export", "--out", "there-is-none", "--provider", "antropic"], "anthropic"),
    (["selftest", "--provider", "antropic"], "anthropic"),
    (["new", "adaptr"], "adapter"),
    (["new", "adapter", "--nam", "x"], "--name"),
    (["new", "adapter", "--language", "pyhton"], "python"),
    (["new", "rule", "common.histroy.x", "--dir", str(Path(__file__).parent.parent)], "history"),
]


@pytest.mark.parametrize(("words", "meant"), MISSPELLED, ids=lambda value: " ".join(value)[:60])
def test_of_a_misspelled_name_the_nearest_is_told(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(words)
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    error = capsys.readouterr().err
    assert code == 2
    assert f"did you mean {meant!r}?" in error
    assert error.count("\n") == 1
