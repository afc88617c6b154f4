"""``explain SCENARIO`` and ``/conformance/scenarios``: a scenario as it is on the wire."""

from __future__ import annotations

import json

import httpx
import pytest

from conformance.cli import main
from conformance.report.scenario_on_wire import NotPlayedError, on_wire, on_wire_data, on_wire_text, players
from conformance.scenarios import load_scenarios
from conformance.server import serving
from conformance.wires import PROVIDERS, wire

NAME = "parallel_calls.two_reads"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_provider_shows_its_own_json(provider: str) -> None:
    """What is shown says what the script says, read by the provider's own wire."""
    shown = on_wire_data(on_wire(load_scenarios()[NAME], provider))
    user, first, results, last = shown["steps"]
    assert user == {"user": "Compare /srv/a.txt with /srv/b.txt."}
    read = wire(provider).read(first["answer"]["body"])
    assert [call.arguments for call in read.calls] == [
        {"absolute_path": "/srv/a.txt"}, {"absolute_path": "/srv/b.txt"},
    ]  # fmt: skip
    assert [one["call"] for one in results["results"]] == ["b", "a"]
    assert "contents of a" in json.dumps(last["request"]["body"])
    assert first["stream"]


@pytest.mark.parametrize("name", ["errors.rate_limit", "quirks.empty_ids", "unified.mixed", "reasoning.one_call"])
def test_every_kind_of_step_is_told(name: str) -> None:
    scenario = load_scenarios()[name]
    one = on_wire(scenario)
    assert len(on_wire_data(one)["steps"]) == len(scenario.steps)
    told = on_wire_text(one)
    assert scenario.title in told
    assert all(rule in told for rule in scenario.rules)


def test_only_streams_have_no_blocking_answer() -> None:
    name = next(one.id for one in load_scenarios().values() if one.streams_only and one.family == "errors")
    calls = [step for step in on_wire_data(on_wire(load_scenarios()[name]))["steps"] if "request" in step]
    assert all("answer" not in step and step["stream"] for step in calls)


def test_a_provider_that_does_not_play_it_is_told() -> None:
    scenario = load_scenarios()["reasoning.redacted"]
    assert players(scenario) == ["anthropic", "bedrock"]
    with pytest.raises(NotPlayedError, match=r"is not played on gemini, but on anthropic(, | and )bedrock"):
        on_wire(scenario, "gemini")


def test_the_command_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", NAME, "--provider", "gemini", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["provider"] == "gemini"


@pytest.mark.parametrize(("words", "said"), [
    (["parallel_calls.tow_reads"], "did you mean 'parallel_calls.two_reads'?"),
    ([NAME, "--provider", "gemni"], "gemni"),
    (["common.result.no-orphan", "--provider", "gemini"], "--provider is for scenarios"),
])  # fmt: skip
def test_a_wrong_name_is_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *words]) == 2
    assert said in capsys.readouterr().err


def test_the_server_shows_it() -> None:
    with serving() as server, httpx.Client(base_url=f"{server.origin}/conformance/") as client:
        rows = client.get("scenarios").json()
        assert {row["id"] for row in rows} >= {NAME}
        assert client.get(f"scenarios/{NAME}", params={"provider": "ollama"}).json()["provider"] == "ollama"
        assert client.get("scenarios/no.such").status_code == 404
        assert client.get("scenarios/reasoning.redacted", params={"provider": "gemini"}).status_code == 404
