"""A library over time, whole: releases that are made here, installed by uv from an index on loopback, and played."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from made_releases import OLDER, TURNED, index, make_wheel

from conformance.cli import main
from conformance.schemas import problems

RELEASES = {"1.0.0": OLDER, "1.1.0": "", "1.2.0": TURNED, "1.3.0": ""}
DAYS = {version: f"2026-0{number}-10" for number, version in enumerate(RELEASES, 1)}
RULE = "common.parse.call-order-preserved"
PLAYED = ("--scenario", "parallel_calls.different_tools", "--scenario", "shell.success", "-j", "1")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ollama") is None, reason="the releases are made of the ollama SDK"),
    pytest.mark.skipif(
        not (shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))),
        reason="pip would fetch a newer pip: without uv there is no environment from loopback alone",
    ),
]


@pytest.fixture(scope="module")
def offered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The index."""
    folder = tmp_path_factory.mktemp("wheels")
    wheels = {make_wheel(folder, version, more): DAYS[version] for version, more in RELEASES.items()}
    with index(wheels) as address:
        yield address


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache, which the tests share: that is what it is for."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def here(offered: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is asked and kept is here."""
    monkeypatch.setenv("UV_DEFAULT_INDEX", offered)
    monkeypatch.setenv("UV_CACHE_DIR", str(cache / "uv"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.delenv("CONFORMANCE_ENVS", raising=False)


def test_a_history_tells_since_when_and_goes_on_where_it_was(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["history", "ollama", *PLAYED, "--out", str(tmp_path / "h.json"), "--out", str(tmp_path / "h.md")]) == 0
    first = capsys.readouterr()
    document = json.loads((tmp_path / "h.json").read_text())
    assert list(problems("history", document)) == []
    standings = {one["version"]: one["standing"] for one in document["releases"]}
    assert standings == {"1.0.0": "lacking", **dict.fromkeys(list(RELEASES)[1:], "played")}
    assert [one["uploaded"][:10] for one in document["releases"]] == list(DAYS.values())
    [row] = [one for one in document["rules"] if one["rule"] == RULE]
    assert row["outcomes"] == [None, "pass", "fail", "pass"]
    assert row["since"] == {"outcome": "pass", "version": "1.3.0", "was": "fail", "first": False}
    turns = [(one["kind"], one["rule"], one["before"], one["after"]) for one in document["turns"]]
    assert ("mended", RULE, "1.2.0", "1.3.0") in turns
    assert ("broke", RULE, "1.1.0", "1.2.0") in turns
    assert f"?✓✗✓  {RULE}  passes since 1.3.0 (before: fail)" in first.out
    assert "this release lacks ollama:ChatResponse" in first.out
    assert "## Turning points" in (tmp_path / "h.md").read_text()

    assert main(["history", "ollama", *PLAYED]) == 0
    again = capsys.readouterr()
    assert again.out == first.out
    assert again.err == ""  # nothing was played


def test_bisect_finds_the_release_and_shows_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    asked = ["bisect", "ollama", "--rule", RULE, "--provider", "ollama", "--delivery", "blocking", "-j", "1"]
    assert main([*asked, "--from", "1.1.0", "--to", "1.2.0", "--checks", "0", "--script", str(program)]) == 0
    out = capsys.readouterr().out
    assert f"ollama 1.2.0 (2026-03-10) broke {RULE} on ollama" in out
    assert "the release before that was judged: 1.1.0 (2026-02-10)" in out
    assert program.read_text().startswith("# pip install ollama==1.2.0\n")

    assert main([*asked, "--format", "json", "--checks", "0"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(problems("bisect", document)) == []
    told = (document["kind"], document["before"]["version"], document["after"]["version"], len(document["turned"]))
    assert told == ("mended", "1.2.0", "1.3.0", 1)

    assert main([*asked, "--rule", "common.result.no-orphan"]) == 4
    assert "no turning point" in capsys.readouterr().out


def test_time_that_is_over_and_releases_that_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "ollama", *PLAYED, "--again", "--seconds", "0.001"]) == 4
    said = capsys.readouterr()
    assert said.out.count("not looked at: the time was over") == len(RELEASES)
    assert "the same command goes on from there" in said.err
    assert main(["history", "ollama", "--from", "1.2"]) == 2
    assert "there is no release 1.2; did you mean '1.2.0'?" in capsys.readouterr().err
    assert main(["history", "olama"]) == 2
    assert "did you mean 'ollama'?" in capsys.readouterr().err
