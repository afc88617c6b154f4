"""``record --check``: what is different between the recordings that there are and the provider as it is now."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import run
from editing import answer_edited, edited, in_json

from conformance.recordings.interaction import Interaction
from conformance.recordings.store import read_cassette
from conformance.recordings.structure import structure, structure_changes

SCENARIO = "shell.success"
WORDS = ["record", "--serve", "--provider", "anthropic", "--scenario", SCENARIO]
FILES = {"blocking": f"anthropic/{SCENARIO}.blocking.json", "stream": f"anthropic/{SCENARIO}.stream.json"}


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recordings of the server as it is."""
    folder = tmp_path_factory.mktemp("known")
    assert run(*WORDS, "--to", folder) == 0
    return folder


@pytest.mark.slow
def test_the_same_server_says_the_same(known: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in known.rglob("*.json")}
    assert run(*WORDS, "--to", known, "--check") == 0
    assert capsys.readouterr().out.endswith("2 recorded anew, 0 different\n")
    assert {path: path.read_bytes() for path in known.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_only_what_is_recorded_is_checked(known: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(known, tmp_path / "c"))
    (folder / FILES["stream"]).unlink()
    words = ["record", "--serve", "--provider", "anthropic", "--scenario", "shell.*", "--to", folder, "--check"]
    assert run(*words) == 0
    assert capsys.readouterr().out.endswith("1 recorded anew, 0 different\n")
    assert run("record", "--serve", "--provider", "anthropic", "--to", tmp_path / "none", "--check") == 0
    assert "nothing to check" in capsys.readouterr().out


def rename_event(body: str) -> str:
    """A stream in which an event has another name."""
    return body.replace("event: message_stop", "event: message_ended").replace('"message_stop"', '"message_ended"')


CHANGES: dict[str, tuple[str, Callable[[str], str], list[str]]] = {
    "a field is new": (
        "blocking", in_json(lambda body: body.pop("stop_sequence")),
        ["answer 1/body/stop_sequence: new, null"],
    ),
    "a field is gone": (
        "blocking", in_json(lambda body: body.update(cost={"cents": 3})),
        ["answer 1/body/cost: gone, was object"],
    ),
    "a field has another type": (
        "blocking", in_json(lambda body: body["usage"].update(input_tokens="11")),
        ["answer 1/body/usage/input_tokens: text became integer"],
    ),
    "a word of the format is another": (
        "blocking", in_json(lambda body: body.update(stop_reason="tool_calls")),
        ["answer 1/body/stop_reason: 'tool_calls' became 'tool_use'"],
    ),
    "an event is another": (
        "stream", rename_event,
        ["answer 1/event message_ended: gone, was object", "answer 1/event message_stop: new, object"],
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "edit", "told"), CHANGES.values(), ids=CHANGES)
def test_what_changed_is_named(
    known: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    kind: str, edit: Callable[[str], str], told: list[str],
) -> None:  # fmt: skip
    """The cassette is what the provider once said; the server is how it is now."""
    folder = Path(shutil.copytree(known, tmp_path / "c"))
    answer_edited(folder / FILES[kind], 0, edit)
    assert run(*WORDS, "--to", folder, "--check") == 1
    printed = capsys.readouterr().out
    delivery = "blocking" if kind == "blocking" else "stream:as-sent"
    assert f"anthropic {SCENARIO}/{delivery}\n" in printed
    assert all(line in printed for line in told)
    assert printed.endswith("2 recorded anew, 1 different\n")


@pytest.mark.slow
def test_a_verdict_that_would_be_another_is_named(
    known: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(known, tmp_path / "c"))

    def refuse(document: dict[str, Any]) -> None:
        document["interactions"][0]["response"]["status"]["code"] = 400

    edited(folder / FILES["blocking"], refuse)
    assert run(*WORDS, "--to", folder, "--check") == 1
    printed = capsys.readouterr().out
    assert "answer 1/status: 400 became 200" in printed
    assert "verdict of common.http.accepted: fail became pass" in printed
    beside = folder / f"{FILES['blocking']}.new"
    assert f"as it is now: {beside}" in printed
    assert list(folder.rglob("*.new")) == [beside]
    assert json.loads(beside.read_bytes())["interactions"][0]["response"]["status"]["code"] == 200


def test_structures_know_no_values(known: Path) -> None:
    """Other words, ids and numbers are no change; the order of fields is none either."""
    [first, *_] = read_cassette(known / FILES["blocking"]).interactions
    other = first.body.replace(b"toolu_", b"toolu_x").replace(b":11", b":12345")
    again = Interaction(first.request, first.status, (("x", "y"),), (other[:9], other[9:]))
    assert other != first.body
    assert structure_changes(structure("anthropic", [first]), structure("anthropic", [again])) == []
