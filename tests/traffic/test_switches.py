"""Links when the model or the host is another one: by ids that were issued they hold, by likeness they do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from talk import audited, conversation, record, records, write_lines

from conformance.traffic import issued
from conformance.traffic.audit import AuditedExchange
from conformance.traffic.issued import IssuedIds, counts, tells
from conformance.transcript import Exchange

Json = Any
NOTHING: dict[str, Json] = {}
MODEL, FAMILY = {"model": "test-other"}, {"model": "else-1"}
SNAPSHOT = {"model": "test-model-2026-01-31"}
HOST = {"host": "gateway.example.com"}
CHANGES = [
    (NOTHING, NOTHING, None),
    (SNAPSHOT, NOTHING, None),
    (MODEL, NOTHING, "model"),
    (FAMILY, NOTHING, "family"),
    (NOTHING, HOST, "host"),
    (FAMILY, HOST, "host"),
]
NAMES = ["same", "snapshot", "model", "family", "host", "host and family"]


def last(path: Path) -> Exchange:
    """The last exchange of a file, as the audit links it."""
    seen: list[AuditedExchange] = []
    audited(path, watch=seen.append)
    return seen[-1].exchange


def moved(lines: list[dict[str, Json]], asked: dict[str, Json], more: dict[str, Json]) -> list[dict[str, Json]]:
    """The lines, the second one asked elsewhere, and answered under the name that was asked for."""
    first, second = lines
    request = second["request"] | asked
    return [first, {**second, **more, "request": request, "response": second["response"] | asked}]


def with_other_ids(line: dict[str, Json], change: dict[str, str]) -> dict[str, Json]:
    """The line with ids replaced by others."""
    text = json.dumps(line)
    for old, new in change.items():
        text = text.replace(json.dumps(old), json.dumps(new))
    document: dict[str, Json] = json.loads(text)
    return document


def issued_by(line: dict[str, Json]) -> list[str]:
    """The ids of the calls in an answer of the chat format."""
    return [call["id"] for call in line["response"]["choices"][0]["message"]["tool_calls"]]


@pytest.mark.parametrize("asked, more, switch", CHANGES, ids=NAMES)
@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses", "anthropic"])
def test_ids_of_calls_hold(
    tmp_path: Path, provider: str, asked: dict[str, Json], more: dict[str, Json], switch: str | None
) -> None:
    found = last(write_lines(tmp_path / "a.jsonl", moved(records(provider), asked, more)))
    assert found.previous is not None
    assert found.switched == switch


@pytest.mark.parametrize("asked, more, switch", CHANGES, ids=NAMES)
def test_ids_of_responses_hold(
    tmp_path: Path, asked: dict[str, Json], more: dict[str, Json], switch: str | None
) -> None:
    first, second = records("openai-responses")
    second["request"] |= {"previous_response_id": first["response"]["id"], "input": [{"role": "user", "content": "?"}]}
    found = last(write_lines(tmp_path / "a.jsonl", moved([first, second], asked, more)))
    assert found.previous is not None
    assert found.switched == switch


@pytest.mark.parametrize("asked, more, switch", CHANGES, ids=NAMES)
def test_likeness_asks_for_the_same_model_and_host(
    tmp_path: Path, asked: dict[str, Json], more: dict[str, Json], switch: str | None
) -> None:
    first, second = records("openai-chat")
    second = with_other_ids(second, dict(zip(issued_by(first), ["mine-a", "mine-b"], strict=True)))
    found = last(write_lines(tmp_path / "a.jsonl", moved([first, second], asked, more)))
    assert (found.previous is not None) == (switch is None)


def test_the_recorders_word_holds_and_the_switch_is_told(tmp_path: Path) -> None:
    lines = moved(records("openai-chat"), FAMILY, NOTHING)
    lines[1] |= {"prev": lines[0]["id"]}
    assert last(write_lines(tmp_path / "a.jsonl", lines)).switched == "family"


@pytest.mark.parametrize("asked, switch", [(NOTHING, None), (MODEL, "model")], ids=["same", "model"])
def test_a_finding_on_the_relation_names_the_switch(tmp_path: Path, asked: dict[str, Json], switch: str | None) -> None:
    first, second = moved(records("openai-chat"), asked, NOTHING)
    second["request"]["messages"][1]["tool_calls"][0]["function"]["arguments"] = "{}"
    audit = audited(write_lines(tmp_path / "a.jsonl", [first, second]), globs=("chat.continuation.full-history",))
    (found,) = [finding.document() for finding in audit.findings]
    assert (found["side"], found.get("switched")) == ("relation", switch)


def test_a_call_goes_on_at_another_provider(tmp_path: Path) -> None:
    """Only its id leads there: an id of a response means nothing in another format."""
    first = records("openai-chat")[0]
    own = [call["id"] for call in records("anthropic")[0]["response"]["content"] if call["type"] == "tool_use"]
    second = with_other_ids(records("anthropic")[1], dict(zip(own, issued_by(first), strict=True)))
    found = last(write_lines(tmp_path / "a.jsonl", [first, second]))
    assert found.previous is not None and found.previous.provider == "openai-chat"
    assert found.switched == "host"


def test_the_same_conversation_at_two_providers_is_not_one(tmp_path: Path) -> None:
    assert last(write_lines(tmp_path / "a.jsonl", [records("openai-chat")[0], records("mistral")[1]])).previous is None


# --- ids that many have ----------------------------------------------------------------------------------------------


def other_answer(line: dict[str, Json]) -> dict[str, Json]:
    """Another conversation's answer, with the same ids."""
    text = json.dumps(line).replace("/a", "/c").replace("Read both.", "Read one.").replace(line["id"], "other")
    document: dict[str, Json] = json.loads(text)
    return document


@pytest.mark.parametrize("again, linked", [("other", False), ("same", True)])
def test_an_id_that_answers_share_links_nothing(tmp_path: Path, again: str, linked: bool) -> None:
    """The same answer, recorded twice, is one."""
    first, second = records("openai-chat")
    between = other_answer(first) if again == "other" else {**first, "id": "again"}
    second["request"]["messages"][0]["content"] = "Begun otherwise."  # so that only the ids tell
    assert (last(write_lines(tmp_path / "a.jsonl", [first, between, second])).previous is not None) == linked


def test_a_response_id_that_answers_share_links_nothing(tmp_path: Path) -> None:
    first, second = records("openai-responses")
    second["request"] |= {"previous_response_id": first["response"]["id"], "input": [{"role": "user", "content": "?"}]}
    path = write_lines(tmp_path / "a.jsonl", [first, other_answer(first), second])
    assert last(path).previous is None


@pytest.mark.parametrize("ids", [["call_1", "call_2"], ["REDACTED-1", "REDACTED-2"]], ids=["counted", "redacted"])
def test_ids_that_tell_nothing_leave_it_to_likeness(tmp_path: Path, ids: list[str]) -> None:
    lines = records("openai-chat")
    change = dict(zip(issued_by(lines[0]), ids, strict=True))
    first, second = (with_other_ids(line, change) for line in lines)
    assert last(write_lines(tmp_path / "a.jsonl", [first, second])).previous is not None
    assert last(write_lines(tmp_path / "a.jsonl", [first, {**second, **HOST}])).previous is None


def test_likeness_does_not_hold_against_the_id_of_another_answer(tmp_path: Path) -> None:
    """Two answers to one question, each with an id of its own: the request has the first one's."""
    lines = records("openai-chat")
    own = issued_by(lines[0])
    first, second = (with_other_ids(line, {own[0]: "call_1", own[1]: "call_2"}) for line in lines)
    between = with_other_ids(lines[0], {lines[0]["id"]: "between"})
    assert last(write_lines(tmp_path / "a.jsonl", [first, between, second])).previous is None


def test_calls_of_rounds_before_the_last_do_not_lead_past_it(tmp_path: Path) -> None:
    """The answer between is not in the file: what follows it does not continue the one before it."""
    first, second = records("openai-chat")
    messages = second["request"]["messages"]
    again = json.loads(json.dumps(messages[1:4]).replace("call_", "call_x"))
    second["request"]["messages"] = [{"role": "user", "content": "Begun otherwise."}, *messages[1:], *again]
    assert last(write_lines(tmp_path / "a.jsonl", [first, second])).previous is None


@pytest.mark.parametrize(
    "call_id, tool, counted",
    [
        ("call_1", "", True),
        ("toolu_01", "", True),
        ("0", "", True),
        ("call_read_file_0", "read_file", True),
        ("functions.read_file:0", "read_file", True),
        ("call_abc123", "", True),
        ("toolu_weather", "get_weather", True),
        ("call_zzqy4Ff0GQ7", "", False),
        ("vplqmufs", "read_file", False),
        ("fwzli938", "read_file", False),
        ("D681PevKs", "read_file", False),
        ("toolu_016feRCAQERKZe9apWg1fnsJ", "", False),
        ("function-call-14152838349281635107", "", False),
        ("resp_0e34708269cff649016a3d4873e7e88191", "", False),
    ],
)
def test_counted_ids(call_id: str, tool: str, counted: bool) -> None:
    assert counts(call_id, tool) == counted
    assert tells(call_id, tool) != counted


@pytest.mark.parametrize("value", [None, "", 7, "<id>", "toolu_sanitized"])
def test_what_is_no_id_tells_nothing(value: Json) -> None:
    assert not tells(value)


def test_ids_are_remembered_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issued, "MAX_IDS", 3)
    ids = IssuedIds()
    for _ in range(3):
        for said in ("one", "two", "three", "four"):
            answer = {"id": f"chatcmpl-9f8e7d6c{said}z", "choices": []}
            ids.add(Exchange("openai-chat", answer=answer))
    assert len(ids._said) == 3


def test_a_talk_is_as_the_tables_take_it() -> None:
    """The model that the tables move away from, and an id that is nobody else's."""
    said = conversation("openai-chat")
    assert said[0].sent["model"] == "test-model"
    assert not any(map(counts, issued_by(record(said[0], "openai-chat"))))
