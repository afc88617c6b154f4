"""Keys come from the environment, go to the provider, and nowhere else."""

from __future__ import annotations

import argparse
import base64
import re
from importlib import import_module
from pathlib import Path

import pytest
from commands import run
from fake_provider import faking

from conformance.cli import COMMANDS
from conformance.http import Request
from conformance.recordings.store import read_cassette
from conformance.scenarios import load_scenarios
from conformance.script import ScriptError, ScriptTurn
from conformance.wires import cards

CANARY = "sk-canary-7Qm4xT9vL2pR8wK3nB6"
ANOTHER = "Wd83hTq01LxZ67sPmVb5"
"""A key of somebody else's, in the environment too. Nothing but its value tells it."""
SCENARIO = "shell.success"
VARIABLES = {
    "openai-chat": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY",
    "azure": "AZURE_OPENAI_API_KEY",
}  # fmt: skip
"""One provider for each way to send a key."""


def found_in(folder: Path) -> list[Path]:
    """The files that hold a key, plainly or in base64."""
    forms = [form for key in (CANARY, ANOTHER) for form in (key.encode(), base64.b64encode(key.encode())[:-4])]
    return [path for path in folder.rglob("*") if path.is_file() and any(form in path.read_bytes() for form in forms)]


@pytest.mark.slow
@pytest.mark.parametrize("provider", VARIABLES)
def test_a_key_goes_to_the_provider_and_into_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], provider: str
) -> None:
    """The provider repeats it in what it says, and in what it complains about."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setenv(VARIABLES[provider], CANARY)
    monkeypatch.setenv("SOMEONES_TOKEN", ANOTHER)
    answers = load_scenarios()[SCENARIO].answers

    def says(place: int, request: Request) -> ScriptTurn | ScriptError:
        if place == 1:
            return ScriptTurn(f"Your key is {CANARY}, and theirs {ANOTHER}.")
        first = answers[0]
        assert isinstance(first, ScriptTurn)
        return first

    with faking(provider, says) as fake:
        where = ["--provider", provider, "--base-url", fake.url, "--scenario", SCENARIO]
        assert run("record", *where, "--to", tmp_path / "cassettes") == 0
        run("run", "--responder", "live", *where, "--out", tmp_path / "live.json")
        headers = [value for request in fake.requests for value in request.headers.values()]
        assert sum(CANARY in value for value in headers) == len(fake.requests) > 0
        assert all("test-key" not in value for value in headers)
    with faking(provider, lambda place, request: ScriptError("invalid_request", f"{CANARY} is bad")) as fake:
        where[3] = fake.url
        run("run", "--responder", "live", *where, "--out", tmp_path / "refused.json")
        run("record", *where, "--again", "--to", tmp_path / "refused")
    played = ["--responder", "cassette", "--cassettes", tmp_path / "cassettes", "--provider", provider]
    run("run", *played, "--scenario", SCENARIO, "--out", tmp_path / "replay.json")
    printed = capsys.readouterr()
    assert not any(key in printed.out + printed.err for key in (CANARY, ANOTHER))
    written = [path for path in tmp_path.rglob("*.json") if path.is_file()]
    assert len(written) >= 5
    assert found_in(tmp_path) == []
    for path in (tmp_path / "cassettes").rglob("*.json"):
        assert all(b"SCRUBBED" in item.body for item in read_cassette(path).interactions[1:])


def test_no_command_takes_a_key() -> None:
    """A key on a command line is in the shell's history, and in every list of processes."""
    for command in COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"conformance.cli.{command}_command").arguments(parser)
        for action in parser._actions:
            words = " ".join([*action.option_strings, action.dest, str(action.metavar)])
            assert not re.search(r"(?i)key|token|password|credential", words), f"{command} {words}"


def test_every_provider_says_where_its_key_comes_from() -> None:
    for card in cards():
        assert card.key.variables or card.url_variable
        assert not card.origin.endswith("/")
