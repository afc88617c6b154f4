"""Model calls that others tell of: the traces and logs in ``told``, which real instrumentations wrote of calls to
``conformance serve --provoke`` (tools/told_traffic.py), and what is wrong with such files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.schemas import schema
from conformance.traffic import telling
from conformance.traffic.audit import Audit
from conformance.traffic.files import read_file
from conformance.traffic.model_faults import INVALID_JSON, SCHEMA_MISMATCH, UNKNOWN_NAME
from conformance.traffic.rates import RateCounter
from conformance.traffic.records import RecordedExchange, UnreadableRecord

TOLD = Path(__file__).parent / "told"

FAULTS = {
    "litellm.logs": {UNKNOWN_NAME: (2, 6), SCHEMA_MISMATCH: (3, 3), INVALID_JSON: (1, 6)},
    "openai-v2.logs": {INVALID_JSON: (1, 3)},
    "openai-v2-latest.spans": {INVALID_JSON: (1, 3)},
    "openllmetry-openai.spans": {UNKNOWN_NAME: (1, 3), SCHEMA_MISMATCH: (1, 1), INVALID_JSON: (1, 3)},
    "openllmetry-anthropic.spans": {UNKNOWN_NAME: (1, 3), SCHEMA_MISMATCH: (2, 2), INVALID_JSON: (0, 3)},
    "openllmetry-0.40-openai.spans": {UNKNOWN_NAME: (1, 4), SCHEMA_MISMATCH: (1, 2), INVALID_JSON: (1, 4)},
    "openllmetry-0.40-anthropic.spans": {UNKNOWN_NAME: (1, 3), SCHEMA_MISMATCH: (2, 2), INVALID_JSON: (0, 3)},
    "openinference-openai.spans": {UNKNOWN_NAME: (1, 3), SCHEMA_MISMATCH: (1, 1), INVALID_JSON: (1, 3)},
    "openinference-anthropic.spans": {UNKNOWN_NAME: (1, 4), SCHEMA_MISMATCH: (2, 3), INVALID_JSON: (0, 4)},
}
"""What the models' calls were wrong in, as each teller shows it: how often, of how many. Two of them tell no tools, and
Anthropic's arguments cannot be broken JSON."""


def audited(path: Path) -> Audit:
    audit = Audit(rates=RateCounter())
    for _ in audit.read(path):
        pass
    return audit


def faults(audit: Audit) -> dict[str, tuple[int, int]]:
    assert audit.rates is not None
    checked, failed = Counter[str](), Counter[str]()
    for *_, rule, count, wrong in audit.rates.rows():
        checked[rule] += count
        failed[rule] += wrong
    return {rule: (failed[rule], checked[rule]) for rule in checked if rule.startswith("model.")}


@pytest.mark.parametrize("name", FAULTS)
def test_what_the_model_did_wrong_is_counted_and_nobody_else_is_accused(name: str) -> None:
    audit = audited(TOLD / f"{name}.jsonl")
    assert faults(audit) == FAULTS[name]
    assert audit.findings == []
    assert audit.judged == audit.exchanges > 0
    examined = {rule for rule, tally in audit.tallies.items() if tally.checked}
    assert examined <= telling.RULES
    assert "common.result.exactly-one-per-call" in examined


def test_calls_without_their_messages_are_named() -> None:
    """The client's library tells of its calls itself, without what was said."""
    audit = audited(TOLD / "openai-v2.spans.jsonl")
    assert audit.judged == 0
    assert {record.why for record in audit.unreadable} == {
        "a model call without its messages: whoever tells of it was not asked to"
    }


def test_what_is_known_of_a_call() -> None:
    record = told_by("openai-v2-latest.spans")[0]
    assert (record.told_by, record.provider, record.status, record.framed) == ("opentelemetry", "openai", 200, False)
    assert record.host.startswith("127.0.0.1:")
    assert record.moment is not None
    assert record.request is not None
    assert record.request.document["model"] == "gpt-4o"


def told_by(name: str) -> list[RecordedExchange]:
    return [record for record in read_file(TOLD / f"{name}.jsonl") if isinstance(record, RecordedExchange)]


# --- faults of applications -------------------------------------------------------------------------------------------


def spans(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TOLD / f"{name}.jsonl").read_text("utf-8").splitlines()]


def attribute(document: dict[str, Any], name: str) -> dict[str, Any]:
    [scope] = document["resourceSpans"][0]["scopeSpans"]
    found: dict[str, Any] = next(one for one in scope["spans"][0]["attributes"] if one["key"] == name)
    return found


def written(tmp_path: Path, *documents: Any, name: str = "a.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), "utf-8")
    return path


def with_parts(document: dict[str, Any], change: Any) -> dict[str, Any]:
    held = attribute(document, "gen_ai.input.messages")
    messages = json.loads(held["value"]["stringValue"])
    change(messages)
    held["value"]["stringValue"] = json.dumps(messages)
    return document


BROKEN = {
    "a result is missing": (lambda messages: messages.pop(), "common.result.exactly-one-per-call"),
    "a result of no call": (
        lambda messages: messages[-1]["parts"][0].update(id="call_of_nobody_else_at_all"),
        "common.result.no-orphan",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_an_application_that_is_wrong_is_told_so(tmp_path: Path, fault: str) -> None:
    change, rule = BROKEN[fault]
    document = with_parts(spans("openllmetry-openai.spans")[1], change)
    audit = audited(written(tmp_path, document))
    assert rule in {finding.rule.id for finding in audit.findings}
    jsonschema.Draft202012Validator(schema("audit")).validate(audit.document())
    assert {finding["told_by"] for finding in audit.document()["findings"]} == {"opentelemetry"}  # type: ignore[index, union-attr]


# --- files ------------------------------------------------------------------------------------------------------------


def test_the_collector_writes_lines_into_a_file_of_any_suffix(tmp_path: Path) -> None:
    documents = spans("openllmetry-openai.spans")
    lines = written(tmp_path, *documents, name="traces.json")
    assert audited(lines).judged == len(documents)
    whole = tmp_path / "whole.json"
    whole.write_text(json.dumps(documents[0], indent=1), "utf-8")
    assert audited(whole).judged == 1


def test_a_batch_tells_of_many_calls(tmp_path: Path) -> None:
    documents = spans("openllmetry-openai.spans")
    batch = {"resourceSpans": [resource for document in documents for resource in document["resourceSpans"]]}
    assert audited(written(tmp_path, batch)).judged == len(documents)


def test_a_log_that_ends_before_the_answer(tmp_path: Path) -> None:
    begun = spans("openai-v2.logs")[0]
    path = written(tmp_path, begun)
    why = "messages of a model call without its gen_ai.choice"
    assert list(read_file(path)) == [UnreadableRecord(str(path), 1, why)]


def span(*attributes: tuple[str, Any], **more: Any) -> dict[str, Any]:
    values = {name: value if isinstance(value, dict) else {"stringValue": value} for name, value in attributes}
    told = [{"key": name, "value": value} for name, value in values.items()]
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": told, **more}]}]}]}


CHAT = ("gen_ai.operation.name", "chat")
DEEP: Any = {"stringValue": "x"}
for _ in range(300):
    DEEP = {"arrayValue": {"values": [DEEP]}}

BAD = {
    "an attribute that was cut off": (span(CHAT, ("gen_ai.input.messages", '[{"role": "us')), "may have been cut off"),
    "a gap in numbered attributes": (
        span(("gen_ai.prompt.0.role", "user"), ("gen_ai.prompt.2.role", "user")), "has gaps",
    ),
    "a number of messages that cannot be": (span(CHAT, ("gen_ai.prompt.999999999.role", "user")), "has gaps"),
    "attributes that were dropped": (
        span(("gen_ai.prompt.0.role", "user"), ("gen_ai.prompt.0.content", "x"), droppedAttributesCount=3),
        "lost attributes",
    ),
    "a call of which nothing is told": (span(CHAT), "without its messages"),
    "a message that is no object": (span(CHAT, ("gen_ai.input.messages", "[1, null]")), ""),
    "a call of litellm's that is none of chat": (
        {"call_type": "aembedding", "custom_llm_provider": "x", "messages": [], "response": {}}, "are not read",
    ),
    "an observation that is no generation": ({"type": "SPAN", "input": 1, "output": 2, "startTime": ""}, "type 'SPAN'"),
    "an export without bodies": (
        {"request_body": {}, "response_body": {}, "request_created_at": "2026-01-01"}, "export with --include-body",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_one_line(tmp_path: Path, name: str) -> None:
    document, why = BAD[name]
    audit = audited(written(tmp_path, document))
    assert audit.broken == []
    assert [why in record.why for record in audit.unreadable] == ([True] if why else [])


PASSED_OVER = {
    "a span of an agent": span(("gen_ai.operation.name", "invoke_agent"), ("gen_ai.input.messages", "[]")),
    "a span of something else": span(("http.request.method", "GET")),
    "metrics": {"resourceMetrics": [{"scopeMetrics": []}]},
    "nothing": {"resourceSpans": None},
    "a chain of OpenInference": span(("openinference.span.kind", "CHAIN")),
}


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_is_no_model_call_is_passed_over(tmp_path: Path, name: str) -> None:
    audit = audited(written(tmp_path, PASSED_OVER[name]))
    assert (audit.exchanges, audit.unreadable, audit.judged) == (0, [], 0)


def test_values_that_are_nested_too_deep(tmp_path: Path) -> None:
    audit = audited(written(tmp_path, span(CHAT, ("gen_ai.input.messages", DEEP))))
    assert audit.judged + len(audit.unreadable) == 1


# --- gateways ---------------------------------------------------------------------------------------------------------

SENT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "tools": [
    {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]}  # fmt: skip
ANSWERED = {"id": "chatcmpl-1", "model": "gpt-4o", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
    "role": "assistant", "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "g", "arguments": "{}"}}]}}]}  # fmt: skip

LOGS = {
    "litellm's spend logs": {
        "request_id": "1", "call_type": "acompletion", "custom_llm_provider": "openai", "messages": "{}",
        "model": "gpt-4o", "response": json.dumps(ANSWERED), "proxy_server_request": SENT,
        "startTime": "2026-11-28 03:00:00",
    },
    "Helicone": {
        "request_id": "1", "request_body": SENT, "response_body": ANSWERED, "response_status": 200,
        "request_path": "/v1/chat/completions", "request_created_at": "2026-11-28T03:00:00Z", "provider": "OPENAI",
    },
    "Langfuse": {
        "id": "1", "type": "GENERATION", "model": "gpt-4o", "start_time": "2026-11-28 03:00:00.000000",
        "input": {key: SENT[key] for key in ("messages", "tools")}, "output": ANSWERED["choices"][0]["message"],  # type: ignore[index]
    },
}  # fmt: skip


@pytest.mark.parametrize("log", LOGS)
def test_logs_of_gateways(tmp_path: Path, log: str) -> None:
    audit = audited(written(tmp_path, LOGS[log]))
    assert audit.unreadable == []
    assert faults(audit) == {UNKNOWN_NAME: (1, 1), INVALID_JSON: (0, 1)}
    assert audit.rates is not None
    assert {row[:2] for row in audit.rates.rows()} == {("2026-11-28T03", "gpt-4o")}
