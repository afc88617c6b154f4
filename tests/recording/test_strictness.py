"""Replay is strict: what was not recorded, what nobody asks for and what holds nothing is told, with its place."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Document, cell, outcomes, replayed, run
from editing import answer_edited, edited

SCENARIO = "multi_turn.sequential_chain"
RULE = "common.http.as-recorded"
BLOCKING = f"openai-chat/{SCENARIO}.blocking.json"
STREAM = f"openai-chat/{SCENARIO}.stream.json"


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario on one provider, recorded."""
    folder = tmp_path_factory.mktemp("recorded")
    assert run("record", "--serve", "--provider", "openai-chat", "--scenario", SCENARIO, "--to", folder) == 0
    return folder


@pytest.fixture
def cassettes(recorded: Path, tmp_path: Path) -> Path:
    """A copy to change."""
    return Path(shutil.copytree(recorded, tmp_path / "cassettes"))


def broken(folder: Path, *words: object) -> tuple[Document, Document]:
    """The finding of the rule, and its evidence."""
    code, document = replayed(folder, "--provider", "openai-chat", "--delivery", "blocking", *words)
    assert code == 1
    found = cell(document, RULE)
    assert found["outcome"] == "fail"
    [failure] = found["failures"]
    return failure, document["evidence"][failure["evidence"]]


def in_request(number: int, edit: Callable[[Document], None]) -> Callable[[Document], None]:
    """A change of a recorded request."""

    def change(document: Document) -> None:
        request = document["interactions"][number]["request"]
        body = json.loads(request["body"])
        edit(body)
        request["body"] = json.dumps(body)

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "at", "expected", "found"),
    [
        (lambda body: body["messages"][0].update(content="Another"), "/messages/0/content", "Another", ...),
        (lambda body: body.update(temperature=0.5), "/temperature", 0.5, "nothing there"),
        (lambda body: body.pop("max_completion_tokens"), "/max_completion_tokens", "nothing there", 1024),
        (lambda body: body.update(max_completion_tokens="1024"), "/max_completion_tokens", "1024", 1024),
    ],
    ids=["changed", "missing", "added", "retyped"],
)  # fmt: skip
def test_an_unmatched_request_names_the_nearest_and_the_place(
    cassettes: Path, edit: Callable[[Document], None], at: str, expected: object, found: object
) -> None:
    edited(cassettes / BLOCKING, in_request(0, edit))
    failure, evidence = broken(cassettes)
    assert failure["at"] == at
    assert failure["expected"] == expected
    assert found is ... or failure["found"] == found
    assert evidence["nearest_recording"] == f"{BLOCKING}, interaction 1"
    assert f"--cassettes {cassettes}" in evidence["reproduce"]


@pytest.mark.slow
def test_another_path_is_named_as_such(cassettes: Path) -> None:
    def move(document: Document) -> None:
        for interaction in document["interactions"]:
            interaction["request"]["uri"] = "https://api.openai.com/v2/chat/completions"

    edited(cassettes / BLOCKING, move)
    failure, _ = broken(cassettes)
    assert failure["expected"] == "path /v2/chat/completions"
    assert failure["found"] == "path /v1/chat/completions"


@pytest.mark.slow
def test_a_recording_that_nobody_asks_for_is_told(cassettes: Path) -> None:
    edited(cassettes / BLOCKING, lambda document: document["interactions"].append(document["interactions"][0]))
    failure, _ = broken(cassettes)
    assert failure["found"] == [f"{BLOCKING}, interaction 5"]


@pytest.mark.slow
@pytest.mark.parametrize("delivery", ["blocking", "stream:as-sent"])
def test_a_recording_that_holds_nothing_is_told(cassettes: Path, delivery: str) -> None:
    path = BLOCKING if delivery == "blocking" else STREAM
    answer_edited(cassettes / path, 1, lambda body: "" if delivery == "blocking" else ": nothing\n\n")
    code, document = replayed(cassettes, "--provider", "openai-chat", "--delivery", delivery)
    assert code == 1
    [failure] = cell(document, RULE)["failures"]
    assert failure["expected"] == "a recorded answer"
    assert failure["found"].startswith(f"{path}, interaction 2: its ")
    assert "record it again" in failure["found"]


@pytest.mark.slow
def test_a_damaged_cassette_is_an_error_of_the_harness(cassettes: Path) -> None:
    path = cassettes / BLOCKING
    path.write_bytes(path.read_bytes()[:500])
    code, document = replayed(cassettes, "--provider", "openai-chat", "--delivery", "blocking")
    assert code == 3
    failure = cell(document, "common.adapter.completes")["failures"][0]
    assert "not JSON" in failure["found"]
    assert BLOCKING in failure["found"]


@pytest.mark.slow
def test_an_older_scenario_is_no_riddle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a request was recorded of another version of the scenario, that is the reason that is told."""
    text = "title: Hello\nrules: [common.parse.text-kept]\nsteps:\n  - user: Hello.\n  - model: {text: Hello you.}\n"

    def options(name: str, said: str) -> list[str | Path]:
        scenario = tmp_path / name / "own" / "hello.yaml"
        scenario.parent.mkdir(parents=True)
        scenario.write_text(said, "utf-8")
        return ["--provider", "openai-chat", "--scenarios", tmp_path / name, "--scenario", "own.hello"]

    folder, recorded = tmp_path / "c", options("recorded", text)
    assert run("record", "--serve", *recorded, "--to", folder) == 0
    assert replayed(folder, *recorded)[0] == 0
    capsys.readouterr()
    assert replayed(folder, *options("retitled", text.replace("title: Hello", "title: A greeting")))[0] == 0
    assert "stale" not in capsys.readouterr().out  # titles say nothing to a provider
    code, document = replayed(folder, *options("changed", text.replace("user: Hello.", "user: Good morning.")))
    assert code == 1
    assert "stale, because the scenario has changed since: openai-chat/own.hello" in capsys.readouterr().out
    failure = cell(document, RULE)["failures"][0]
    assert failure["found"] == "one of the scenario as it was: record it again"


@pytest.mark.slow
def test_a_stale_cassette_says_so(cassettes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def age(document: Document) -> None:
        made = document["conformance"]["provenance"]
        made |= {"scenario_revision": "0123456789ab", "recorded": "2020-02-02T00:00:00Z"}

    edited(cassettes / BLOCKING, age)
    code, document = replayed(cassettes, "--provider", "openai-chat", "--delivery", "blocking")
    assert code == 0, outcomes(document)  # what it says is the same
    [item] = document["run"]["recordings"]
    assert item["stale"] is True
    assert item["age_days"] > 2000
    assert f"stale, because the scenario has changed since: {BLOCKING}" in capsys.readouterr().out
    edited(cassettes / BLOCKING, in_request(1, lambda body: body["messages"].pop()))
    failure, evidence = broken(cassettes)
    assert failure["expected"] == "a recording of the scenario as it is"
    assert failure["found"] == "one of the scenario as it was: record it again"
    assert evidence["nearest_recording"] == f"{BLOCKING}, interaction 2"


@pytest.mark.slow
def test_cassettes_of_others_play_too(cassettes: Path) -> None:
    """Without provenance, as plain vcrpy writes them: then a real model may have answered, and tools really run."""

    def foreign(document: Document) -> None:
        del document["conformance"]
        for interaction in document["interactions"]:
            del interaction["conformance"]

    edited(cassettes / BLOCKING, foreign)
    code, document = replayed(cassettes, "--provider", "openai-chat", "--delivery", "blocking")
    assert document["run"]["recordings"] == [{"file": BLOCKING}]
    assert code == 1
    assert cell(document, RULE)["failures"][0]["at"] == "/messages/0/content"  # a model is told what to do
