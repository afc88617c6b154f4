"""Which earlier exchange a request continues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from talk import PROVIDERS, audited, records, write_lines

from conformance.traffic import audit as audit_module
from conformance.traffic import linking
from conformance.traffic.audit import AuditedExchange


def links(path: Path) -> dict[str, str | None]:
    """The id of the record that each record continues, as the audit sees it: told by the answers."""
    seen: list[AuditedExchange] = []
    audited(path, watch=seen.append)
    answers = {json.dumps(one.exchange.answer): one.record.id for one in seen}
    before = {one.record.id: one.exchange.previous for one in seen}
    return {str(name): answers[json.dumps(earlier.answer)] if earlier else None for name, earlier in before.items()}


@pytest.mark.parametrize("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_request_tells_what_it_continues(tmp_path: Path, provider: str, stream: bool) -> None:
    path = write_lines(tmp_path / "a.jsonl", records(provider, stream=stream))
    assert links(path) == {f"{provider}-0": None, f"{provider}-1": f"{provider}-0"}


def test_conversations_are_not_mixed(tmp_path: Path) -> None:
    lines = [line for provider in PROVIDERS for line in records(provider)]
    found = links(write_lines(tmp_path / "a.jsonl", lines))
    assert {later: earlier for later, earlier in found.items() if earlier} == {
        f"{provider}-1": f"{provider}-0" for provider in PROVIDERS
    }


def test_the_recorders_word_counts_also_when_the_record_comes_later(tmp_path: Path) -> None:
    first, second = records("gemini")
    second |= {"prev": first["id"]}
    third = {**second, "id": "third", "prev": second["id"]}
    found = links(write_lines(tmp_path / "a.jsonl", [third, second, first]))
    assert found["gemini-1"] == "gemini-0"
    assert found["third"] is not None


def test_turns_of_one_conversation(tmp_path: Path) -> None:
    first, second = records("openai-chat")
    del second["request"]["messages"][1:]  # nothing in it tells
    lines = [{**first, "conversation": "c", "turn": 0}, {**second, "conversation": "c", "turn": 1}]
    assert links(write_lines(tmp_path / "a.jsonl", lines))["openai-chat-1"] == "openai-chat-0"


def test_a_record_that_is_not_there_is_not_waited_for_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{**line, "prev": "nowhere", "id": str(number)} for number, line in enumerate(records("openai-chat") * 3)]
    path = write_lines(tmp_path / "a.jsonl", lines)
    assert len(links(path)) == 6
    monkeypatch.setattr(audit_module, "MAX_WAITING", 0)
    assert links(path)["1"] in ("0", "2", "4")


def test_responses_by_their_id(tmp_path: Path) -> None:
    first, second = records("openai-responses")
    second["request"] |= {"previous_response_id": first["response"]["id"], "input": [{"role": "user", "content": "?"}]}
    assert links(write_lines(tmp_path / "a.jsonl", [first, second]))["openai-responses-1"] == "openai-responses-0"


def test_failed_exchanges_are_not_continued(tmp_path: Path) -> None:
    first, second = records("openai-chat")
    assert links(write_lines(tmp_path / "a.jsonl", [{**first, "status": 500}, second]))["openai-chat-1"] is None


def test_recordings_of_the_same_test_are_not_linked(tmp_path: Path) -> None:
    """The ids look like the provider's own, and are others: another run's answer."""
    first, second = records("openai-chat")
    messages: Any = second["request"]["messages"]
    for call, result in zip(messages[1]["tool_calls"], messages[2:4], strict=True):
        call["id"] = result["tool_call_id"] = call["id"][:-4] + "ZZZZ"
    assert links(write_lines(tmp_path / "a.jsonl", [first, second]))["openai-chat-1"] is None
    for call, result in zip(messages[1]["tool_calls"], messages[2:4], strict=True):
        call["id"] = result["tool_call_id"] = "mine"
    assert links(write_lines(tmp_path / "a.jsonl", [first, second]))["openai-chat-1"] == "openai-chat-0"


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = records("openai-chat")
    others = [{**line, "id": f"other-{number}"} for number, line in enumerate(records("mistral") * 20)]
    path = write_lines(tmp_path / "a.jsonl", [first, *others, second])
    assert links(path)["openai-chat-1"] == "openai-chat-0"
    monkeypatch.setattr(linking, "WINDOW", 5_000)
    assert links(path)["openai-chat-1"] is None


def test_long_conversations_are_remembered_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linking, "MAX_DEPTH", 3)
    first, second = records("openai-chat")
    lines = [first] + [{**second, "id": str(n), "prev": str(n - 1) if n else first["id"]} for n in range(10)]
    depths: list[int] = []
    audited(
        write_lines(tmp_path / "a.jsonl", lines), watch=lambda one: depths.append(len(one.exchange.earlier))
    )
    assert max(depths) <= 5
