"""What an audit finds, and what it does not."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from talk import PROVIDERS, audited, conversation, interaction, record, records, write_lines

from conformance.rules import catalogue
from conformance.schemas import schema
from conformance.traffic.audit import Audit, needs_no_adapter

Json = Any


def found(audit: Audit) -> list[tuple[str, str, str, int]]:
    """Side, rule, pointer and line of each finding."""
    return [(item.side, item.rule.id, item.at, item.record.line) for item in audit.findings]


def of_lines(tmp_path: Path, lines: list[Json], **options: Json) -> Audit:
    return audited(write_lines(tmp_path / "a.jsonl", lines), **options)


# --- nothing wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_our_own_traffic_is_right(tmp_path: Path, provider: str, stream: bool) -> None:
    audit = of_lines(tmp_path, records(provider, stream=stream))
    assert found(audit) == []
    assert audit.unreadable == []
    assert (audit.exchanges, audit.judged) == (2, 2)
    checked = {rule for rule, tally in audit.tallies.items() if tally.checked}
    assert {"common.result.no-orphan", "common.result.exactly-one-per-call"} <= checked
    assert any(".stream." in rule if stream else ".parse." in rule for rule in checked)


def test_rules_that_need_an_adapter_are_not_run() -> None:
    run = set(Audit().tallies)
    assert "common.stream.utf8-split-across-reads" not in run
    assert "common.parse.args-decoded-object" not in run
    assert {"anthropic.stream.event-grammar", "chat.parse.tool-calls-from-message"} <= run
    assert all(needs_no_adapter(catalogue()[rule]) for rule in run)
    assert not any(catalogue()[rule].profile == "portable" for rule in run)
    assert any(catalogue()[rule].profile == "portable" for rule in Audit("portable").tallies)


# --- requests --------------------------------------------------------------------------------------------------------


def test_an_orphaned_result(tmp_path: Path) -> None:
    lines = records("openai-chat")
    lines[1]["request"]["messages"][2]["tool_call_id"] = "call_nobody"
    audit = of_lines(tmp_path, lines, globs=("common.result.*",))
    assert ("request", "common.result.no-orphan", "/messages/2/tool_call_id", 2) in found(audit)
    finding = next(item for item in audit.findings if item.rule.id == "common.result.no-orphan").document()
    assert finding["found"] == "call_nobody"
    assert finding["exchange"] == "openai-chat-1"
    assert finding["consequence"] == "rejected"


@pytest.mark.parametrize(("error", "predicted"), [
    ("'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", True),
    ("The server had an error", False),
])  # fmt: skip
def test_a_refusal_is_predicted_when_its_error_gives_the_reason(tmp_path: Path, error: str, predicted: bool) -> None:
    lines = records("openai-chat")
    del lines[1]["request"]["messages"][2]
    lines[1] |= {"status": 400, "response": {"error": {"message": error, "type": "invalid_request_error"}}}
    audit = of_lines(tmp_path, lines, globs=("common.result.exactly-one-per-call",))
    assert [item.document().get("predicted", False) for item in audit.findings] == [predicted]


def test_a_hosts_leniency_has_a_name(tmp_path: Path) -> None:
    line = records("openai-chat")[0]
    line["request"] |= {"tools": [{"type": "browser_search"}], "model": "openai/gpt-oss-20b"}
    assert [rule for _, rule, _, _ in found(of_lines(tmp_path, [line]))] == ["chat.declare.function-tools-only"]
    line["host"] = "api.groq.com"
    assert found(of_lines(tmp_path, [line])) == []
    line["request"]["model"] = "groq/compound"
    told = [rule for _, rule, _, _ in found(of_lines(tmp_path, [line]))]
    assert told == ["chat.declare.function-tools-only", "compat.shape.taken-by-its-host"]


# --- relations -------------------------------------------------------------------------------------------------------


XAI_TOOLS = [{"type": "x_search"}, {"type": "x_search", "allowed_x_handles": ["xai"]}, {"type": "code_interpreter"}]


@pytest.mark.parametrize("tool", XAI_TOOLS)
def test_xai_has_tools_of_its_own(tmp_path: Path, tool: dict[str, Json]) -> None:
    body = {"model": "grok-4", "input": [{"role": "user", "content": "x"}], "tools": [tool], "tool_choice": "auto"}
    said = conversation("openai-responses")[0]
    lines = [
        {**record(said, "openai-responses", number=number), "host": host, "request": body}
        for number, host in enumerate(["api.x.ai", "api.openai.com"])
    ]
    found = audited(write_lines(tmp_path / "a.jsonl", lines)).findings
    assert [finding.record.host for finding in found if finding.side == "request"] == ["api.openai.com"]
    assert {finding.rule.id for finding in found} == {"responses.shape.request-types"}


def test_ids_that_were_replaced(tmp_path: Path) -> None:
    first, second = records("openai-chat")
    for call, result in zip(
        second["request"]["messages"][1]["tool_calls"], second["request"]["messages"][2:4], strict=True
    ):
        call["id"] = result["tool_call_id"] = f"{call['id']}x"
    second["prev"] = first["id"]
    sides = {(side, rule) for side, rule, _, _ in found(of_lines(tmp_path, [first, second]))}
    assert sides == {("relation", "common.ids.verbatim-round-trip")}


def test_a_fault_of_the_request_alone_is_no_relation(tmp_path: Path) -> None:
    first, second = records("anthropic")
    second["request"]["messages"][1]["content"][1]["id"] = "toolu_another"
    audit = of_lines(tmp_path, [first, second])
    sides = {rule: side for side, rule, _, _ in found(audit)}
    assert sides["common.result.no-orphan"] == "request"
    assert sides["common.ids.verbatim-round-trip"] == "relation"


# --- answers ---------------------------------------------------------------------------------------------------------


def test_a_stream_that_is_cut(tmp_path: Path) -> None:
    line = records("anthropic", stream=True)[0]
    line["response_raw"] = line["response_raw"].rpartition("event: message_stop")[0]
    (finding,) = of_lines(tmp_path, [line]).findings
    assert (finding.side, finding.rule.id) == ("response", "anthropic.stream.event-grammar")
    assert finding.expected == ["another", "error", "message_delta", "message_stop", "ping"]
    assert finding.found == "the end of the stream, stream is open"


def test_a_call_in_a_body_without_what_it_needs(tmp_path: Path) -> None:
    line = records("openai-chat")[0]
    call = line["response"]["choices"][0]["message"]["tool_calls"][0]
    call["function"] = {"name": "", "arguments": {"path": "/a"}}
    assert found(of_lines(tmp_path, [line])) == [
        ("response", "chat.parse.tool-calls-from-message", "/choices/0/message/tool_calls/0/function/name", 1),
        ("response", "chat.parse.tool-calls-from-message", "/choices/0/message/tool_calls/0/function/arguments", 1),
    ]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_body_of_something_else(tmp_path: Path, provider: str) -> None:
    line = {**records(provider)[0], "response": {"hello": "world"}}
    assert [side for side, _, _, _ in found(of_lines(tmp_path, [line]))] == ["response"]
    failed = {**line, "status": 500}
    assert found(of_lines(tmp_path, [failed])) == []


def test_bytes_that_are_no_stream_are_named(tmp_path: Path) -> None:
    line = {**records("anthropic", stream=True)[0], "response_raw": "\u0000\u0000\u0001"}
    audit = of_lines(tmp_path, [line])
    why = "the answer cannot be read: it is an AWS event stream without a whole message"
    assert [item.why for item in audit.unreadable] == [why]


def test_what_an_sdk_wrote_down_needs_no_framing(tmp_path: Path) -> None:
    line = records("openai-chat", stream=True)[0]
    line["response_raw"] = line["response_raw"].replace("data: [DONE]\n\n", "")
    assert len(of_lines(tmp_path, [line]).findings) == 1
    assert of_lines(tmp_path, [{**line, "fidelity": "sdk-dump"}]).findings == []


# --- the score -------------------------------------------------------------------------------------------------------


def test_nothing_is_dropped_silently(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [*records("gemini"), {"id": "x"}])
    unknown = record(conversation("openai-chat")[0], "openai-chat", host="ai.example.com", path="/v2/ask", response={})
    path.write_text(path.read_text() + "{\n" + json.dumps(unknown) + "\n")
    audit = audited(path)
    assert audit.exchanges == 3
    assert [(item.line, item.why.split(":")[0]) for item in audit.unreadable] == [
        (3, "neither request nor response"), (4, "not JSON"), (5, "not a provider we know"),
    ]  # fmt: skip


def test_the_document_fits_its_schema_and_counts_add_up(tmp_path: Path) -> None:
    lines = records("openai-chat") + records("anthropic", stream=True) + [{}]
    broken = copy.deepcopy(lines)
    broken[1]["request"]["messages"][2]["tool_call_id"] = 5
    broken[2]["response_raw"] = broken[2]["response_raw"][:400]
    document = of_lines(tmp_path, broken).document()
    jsonschema.Draft202012Validator(schema("audit")).validate(document)
    assert document["findings"]
    for rule, tally in document["rules"].items():
        assert tally["failed"] == sum(finding["rule"] == rule for finding in document["findings"])
        assert tally["checked"] >= tally["failed"]


def test_secrets_are_hidden_and_values_bounded(tmp_path: Path) -> None:
    line = records("openai-chat")[0]
    key = "sk-proj-0123456789abcdefghijklmnop"
    line["request"]["tool_choice"] = {"url": f"https://x.example/?key={key}", "auth": f"Bearer {key}", "of": [key]}
    line["request"]["messages"][0]["role"] = "x" * 100_000
    text = json.dumps(of_lines(tmp_path, [line]).document())
    assert '"findings": []' not in text
    assert key not in text
    assert len(text) < 60_000


def test_headers_are_never_shown(tmp_path: Path) -> None:
    said = conversation("openai-chat")[0]
    kept = interaction(said, "openai-chat")
    body = json.loads(kept["request"]["body"])
    body["messages"] = [{"role": "tool", "content": "x", "tool_call_id": "nobody"}]
    kept["request"]["body"] = json.dumps(body)
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({"interactions": [kept]}))
    audit = audited(tmp_path / "a.yaml")
    assert audit.findings
    assert "sk-secret" not in json.dumps(audit.document())


def test_hostile_documents_stop_nothing(tmp_path: Path) -> None:
    deep: Json = "x"
    for _ in range(400):
        deep = [deep]
    good = records("openai-chat")
    lines = []
    for provider in PROVIDERS:
        for bad in (None, [], "x", 5, {"messages": deep, "contents": deep, "input": deep, "tools": deep}, deep):
            lines.append({**records(provider)[0], "request": bad})
            lines.append({**records(provider)[0], "response": bad})
            lines.append({**records(provider)[0], "response": None, "response_raw": json.dumps(bad), "stream": True})
    audit = of_lines(tmp_path, [*lines, *good])
    assert audit.exchanges == len(lines) + 2
    left_out = [record for record in audit.unreadable if not record.why.startswith("the answer cannot be read")]
    assert audit.judged + len(left_out) == audit.exchanges


JUNK = [None, True, 0, -1, 1.5, 2**70, "", "x", "null", "{}", [], {}, [None], {"a": None}, [[]], {"type": "x"}, ["x"]]


def _places(value: Json) -> list[tuple[Json, Json]]:
    """Every place in a document: what holds it, and its key or index there."""
    found: list[tuple[Json, Json]] = []
    pending = [value]
    while pending:
        holder = pending.pop()
        inside = list(holder) if isinstance(holder, dict) else range(len(holder))
        found += [(holder, key) for key in inside]
        pending += [holder[key] for key in inside if isinstance(holder[key], dict | list)]
    return found


@pytest.mark.parametrize("provider", PROVIDERS)
def test_junk_anywhere_stops_nothing(tmp_path: Path, provider: str) -> None:
    """Each place of a request and of an answer holds junk once, and once nothing."""
    lines, number = [], 0
    for side in ("request", "response"):
        for place in range(len(_places(records(provider)[1][side]))):
            for junk in (JUNK[number % len(JUNK)], None):
                line = copy.deepcopy(records(provider)[1])
                holder, key = _places(line[side])[place]
                if junk is None and isinstance(holder, dict):
                    del holder[key]
                else:
                    holder[key] = junk
                lines.append(line)
            number += 1
    audit = of_lines(tmp_path, [records(provider)[0], *lines])
    assert audit.exchanges == len(lines) + 1 > 60
    assert audit.findings
    json.dumps(audit.document())


# --- answers that cannot be read -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    ["000001be0000004be08722a10b3a6576656e742d74797065", "<html>502</html>", '{"choices": [{"message"'],
    ids=["binary-as-hex", "a-proxy's-page", "cut-off"],
)
def test_an_answer_that_cannot_be_read_accuses_nobody(tmp_path: Path, answer: str) -> None:
    """What was sent is judged all the same: the second result here answers no call."""
    exchange = {**records("openai-chat")[0], "response": None, "response_raw": answer, "stream": False}
    exchange["request"]["messages"].append({"role": "tool", "content": "x", "tool_call_id": "nobody"})
    audit = of_lines(tmp_path, [exchange])
    assert [record.why for record in audit.unreadable] == [
        "the answer cannot be read: it is neither JSON nor a stream that is known"
    ]
    assert {finding.side for finding in audit.findings} == {"request"}


def test_an_empty_answer_was_lost_by_the_recorder(tmp_path: Path) -> None:
    exchange = {**records("openai-chat")[0], "response": None, "response_raw": "", "stream": False}
    audit = of_lines(tmp_path, [exchange])
    assert (audit.findings, audit.unreadable, audit.judged) == ([], [], 1)


def test_the_model_in_the_path_tells_what_it_takes(tmp_path: Path) -> None:
    """Gemini before 3.6 takes results under the role "function": conformance/wires/hosts/gemini.toml."""
    exchange = records("gemini")[1]
    for content in exchange["request"]["contents"]:
        if any("functionResponse" in part for part in content["parts"]):
            content["role"] = "function"
    found_on = {
        model: {finding.rule.id for finding in of_lines(tmp_path, [{**exchange, "path": path(model)}]).findings}
        for model in ("gemini-3.1-flash-lite", "gemini-3.7-pro")
    }
    assert "gemini.result.role-user" not in found_on["gemini-3.1-flash-lite"]
    assert "gemini.result.role-user" in found_on["gemini-3.7-pro"]


def path(model: str) -> str:
    return f"/v1beta/models/{model}:generateContent"
