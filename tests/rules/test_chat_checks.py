"""What chat providers accept is no finding, and what only looks like a fault of a rule is left to the rule it is."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonpatch
import pytest

from conformance.answers import answer_of_events
from conformance.deliveries import DELIVERIES
from conformance.http import Request, StreamEvent
from conformance.model import AssistantTurn, Conversation, Json, Tool, ToolCall, ToolChoice, UserTurn
from conformance.rules import find_rule
from conformance.rules.check import Finding
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires import wire

USER = {"role": "user", "content": "x"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
NO_SCHEMA = {"type": "function", "function": {"name": "f", "parameters": {}}}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}


def calling(*calls: Json, content: Json = None) -> Json:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def verdicts(rule_id: str, exchange: Exchange) -> list[Finding | None]:
    rule = find_rule(rule_id)
    assert rule is not None
    return judge(rule, exchange)


def requesting(provider: str, body: Mapping[str, Json], intent: Conversation | None = None) -> Exchange:
    usual = wire(provider).build(Conversation((UserTurn("x"),)), stream=False)
    return Exchange(provider, intent=intent, request=Request.post_json(usual.url, body, usual.headers))


ACCEPTED: list[tuple[str, str, dict[str, Any]]] = [
    ("chat.declare.function-wrapper", "mistral", {"tools": [{"function": TOOL["function"]}]}),
    ("chat.declare.function-tools-only", "openai-chat", {"tools": [{"type": "custom", "custom": {"name": "c"}}]}),
    ("chat.declare.function-tools-only", "xai", {"tools": [{"type": "live_search"}]}),
    ("chat.declare.schema-under-parameters", "openai-chat",
     {"tools": [{"type": "function", "function": {"name": "f"}}]}),
    ("chat.choose.mode-mapping", "mistral", {"tools": [TOOL], "tool_choice": "any"}),
    ("deepseek.choose.thinking-forbids-forcing", "deepseek",
     {"tools": [TOOL], "tool_choice": "required", "model": "deepseek-chat"}),
    ("deepseek.choose.thinking-forbids-forcing", "deepseek",
     {"tools": [TOOL], "tool_choice": "auto", "thinking": {"type": "enabled"}}),
    ("chat.history.arguments-json-string", "mistral",
     {"messages": [USER, calling({**CALL, "function": {"name": "f", "arguments": {}}}), RESULT]}),
    ("chat.history.arguments-json-string", "openai-chat",
     {"messages": [USER, calling({**CALL, "function": {"name": "f", "arguments": '{"cut'}}), RESULT]}),
    ("chat.history.assistant-call-fields", "openai-chat",
     {"messages": [USER, calling(CALL, content=[{"type": "text", "text": "x"}]), RESULT]}),
    ("chat.declare.parameters-is-object-schema", "openai-chat", {"tools": [NO_SCHEMA]}),
    ("chat.choose.forced-function-nested", "xai", {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "f"}}),
    ("chat.shape.request-types", "xai", {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "f"}}),
    ("common.declare.empty-tools-omitted", "mistral", {"tool_choice": "auto"}),
    ("mistral.history.assistant-before-user", "mistral",
     {"messages": [USER, calling(CALL), RESULT, RESULT, {"role": "assistant", "content": "OK"}, USER]}),
    ("mistral.history.no-reasoning-content", "mistral",
     {"messages": [USER, {"role": "assistant", "content": [{"type": "thinking", "thinking": []}]}, USER]}),
    ("chat.result.content-string-or-text-parts", "openai-chat",
     {"messages": [USER, calling(CALL), {**RESULT, "content": [{"type": "text", "text": "ok"}]}]}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "provider", "body"), ACCEPTED)
def test_what_a_provider_accepts_is_no_finding(rule: str, provider: str, body: dict[str, Any]) -> None:
    found = verdicts(rule, requesting(provider, {"messages": [USER], **body}))
    assert found
    assert not any(found)


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("chat.declare.parameters-is-object-schema", "openai-chat",
     {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": {}}}}]},
     "/tools/0/function/parameters/type"),
    ("chat.declare.parameters-is-object-schema", "deepseek", {"tools": [NO_SCHEMA]},
     "/tools/0/function/parameters/type"),
    ("chat.choose.forced-function-nested", "openai-chat",
     {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "f"}}, "/tool_choice"),
    ("chat.choose.forced-function-nested", "xai",
     {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "g"}}, "/tool_choice/name"),
    ("common.declare.empty-tools-omitted", "mistral", {"tool_choice": "any"}, "/tool_choice"),
    ("common.declare.empty-tools-omitted", "openai-chat", {"tool_choice": "auto"}, "/tool_choice"),
    ("mistral.history.assistant-before-user", "mistral",
     {"messages": [USER, calling(CALL), RESULT, USER]}, "/messages/3/role"),
    ("mistral.history.no-reasoning-content", "mistral",
     {"messages": [USER, {**calling(CALL), "reasoning_content": ""}, RESULT]}, "/messages/1/reasoning_content"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "provider", "body", "at"), REFUSED)
def test_what_a_provider_refuses_is_found(rule: str, provider: str, body: dict[str, Any], at: str) -> None:
    found = verdicts(rule, requesting(provider, {"messages": [USER], **body}))
    assert [finding.at for finding in found if finding is not None] == [at]


def test_no_strict_schema_is_too_open_for_xai() -> None:
    rule = find_rule("chat.declare.strict-schema-closed")
    assert rule is not None
    assert rule.applies_to("openai-chat", "portable")
    assert not rule.applies_to("xai", "native")


MODELS = "https://example.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview"
DEPLOYMENT = "https://example.openai.azure.com/openai/deployments/d/chat/completions"


@pytest.mark.parametrize(
    ("url", "own", "right"),
    [
        (MODELS, True, True),
        (MODELS, False, True),
        (MODELS.replace("/models/", "/deployments/"), False, False),
        (DEPLOYMENT, False, True),  # a recorder that drops queries
        (DEPLOYMENT, True, False),
        (f"{DEPLOYMENT}?api-version=2024-10-21", True, True),
    ],
)
def test_where_azure_answers(url: str, own: bool, right: bool) -> None:
    intent = Conversation((UserTurn("x"),)) if own else None
    request = Request.post_json(url, {"messages": [USER]}, {"api-key": "k", "content-type": "application/json"})
    found = verdicts("azure.http.endpoint-and-auth", Exchange("azure", intent=intent, request=request))
    assert found
    assert (not any(found)) == right


def test_requests_that_are_legacy_throughout_are_not_examined() -> None:
    call = {"role": "assistant", "content": None, "function_call": CALL["function"]}
    messages = [USER, call, {"role": "function", "name": "f", "content": "ok"}]
    body = {"messages": messages, "functions": [TOOL["function"]], "function_call": "auto"}
    assert verdicts("chat.history.no-legacy-function-role", requesting("openai-chat", body)) == []


def test_a_choice_that_was_not_sent_is_found() -> None:
    tool = Tool("f", parameters={"type": "object", "properties": {}})
    for choice, rule in (
        (ToolChoice("required"), "chat.choose.mode-mapping"),
        (ToolChoice("tool", "f"), "chat.choose.forced-function-nested"),
        (ToolChoice(parallel=False), "chat.choose.parallel-disabled"),
    ):
        intent = Conversation((UserTurn("x"),), (tool,), choice)
        found = verdicts(rule, requesting("openai-chat", {"messages": [USER], "tools": [TOOL]}, intent))
        assert any(found), rule


@pytest.mark.parametrize(("choice", "count"), [(ToolChoice("none"), 0), (ToolChoice("auto"), 1)])
def test_where_calls_are_forbidden_no_tool_has_to_be_declared(choice: ToolChoice, count: int) -> None:
    tool = Tool("f", parameters={"type": "object", "properties": {}})
    intent = Conversation((UserTurn("x"),), (tool,), choice)
    found = verdicts("common.naming.no-collision", requesting("mistral", {"messages": [USER]}, intent))
    assert len([verdict for verdict in found if verdict is not None]) == count


@pytest.mark.parametrize(("then", "count"), [("gemini-3-pro", 1), ("gemini-2.5-flash", 0)])
def test_a_thought_signature_of_another_model_is_not_asked_for(then: str, count: int) -> None:
    rule = find_rule("compat.history.gemini-openai-thought-signature")
    assert rule is not None
    exchange = example_exchange(rule, jsonpatch.apply_patch(copy.deepcopy(dict(rule.example)), list(rule.violation)))
    assert isinstance(exchange.request, Request)
    assert exchange.previous is not None
    asked = json.loads(exchange.request.body) | {"model": "gemini-3-pro"}
    earlier = replace(exchange.previous, request=Request.post_json(exchange.request.url, {"model": then}))
    later = replace(exchange, request=Request.post_json(exchange.request.url, asked), previous=earlier)
    assert len([found for found in judge(rule, later) if found is not None]) == count


def test_a_wrong_id_is_not_also_a_missing_result() -> None:
    body = {"messages": [USER, calling(CALL), {**RESULT, "tool_call_id": "call_9"}]}
    for rule in ("chat.result.tool-role-with-id", "chat.result.adjacent-and-complete"):
        assert not any(verdicts(rule, requesting("openai-chat", body)))


def test_two_messages_with_calls_in_a_row_are_found() -> None:
    other = {**CALL, "id": "call_2"}
    body = {"messages": [USER, calling(CALL), calling(other), RESULT, {**RESULT, "tool_call_id": "call_2"}]}
    (finding,) = verdicts("chat.result.adjacent-and-complete", requesting("openai-chat", body))
    assert finding is not None
    assert finding.at == "/messages/2"


# --- streams ---------------------------------------------------------------------------------------------------------


def streaming(*fragments: Json, turn: AssistantTurn | None = None, delivery: str = "stream:per-event") -> Exchange:
    """A stream with these fragments of calls, understood rightly or as ``turn``."""
    chunks: list[Json] = [{"choices": [{"index": 0, "delta": {"tool_calls": [item]}}]} for item in fragments]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    events = [*(StreamEvent(json.dumps(chunk)) for chunk in chunks), StreamEvent("[DONE]")]
    exchange = Exchange("openai-chat", delivery=DELIVERIES[delivery])
    exchange.receive(answer_of_events(wire("openai-chat"), events))
    exchange.understood = exchange.offered if turn is None else turn
    return exchange


def fragment(index: int | None, arguments: str, **head: Json) -> Json:
    name = {"name": head.pop("name")} if "name" in head else {}
    place = {} if index is None else {"index": index}
    return {**place, **head, "function": {**name, "arguments": arguments}}


PARALLEL = (
    fragment(0, '{"a":', id="call_1", name="f"),
    fragment(1, '{"a":', id="call_2", name="f"),
    fragment(0, "1}"),
    fragment(1, "2}"),
)
MERGED = AssistantTurn(calls=(ToolCall("call_1", "f", None, "{", invalid=True),), stop="tool_calls")


def test_merged_calls_are_the_finding_of_one_rule() -> None:
    exchange = streaming(*PARALLEL, turn=MERGED)
    assert any(verdicts("chat.stream.accumulate-by-index", exchange))
    for rule in ("chat.stream.id-only-on-first-chunk", "chat.stream.done-sentinel"):
        assert not any(verdicts(rule, exchange)), rule
    assert verdicts("chat.stream.missing-index-tolerated", exchange) == []


def test_what_is_read_as_wrongly_without_a_stream_is_not_the_streams_fault() -> None:
    exchange = streaming(*PARALLEL, turn=MERGED)
    exchange.twin = MERGED
    assert not any(verdicts("chat.stream.accumulate-by-index", exchange))


def test_a_stream_that_is_right_but_for_its_end_is_not_held_against_what_its_twin_made_of_calls() -> None:
    call = {"id": "call_1", "name": "f"}
    right = AssistantTurn(calls=(ToolCall("call_1", "f", None, '{"a"', invalid=True),), stop="length")
    quoted = AssistantTurn(calls=(ToolCall("call_1", "f", None, '"{\\"a\\""', invalid=True),), stop="length")
    exchange = streaming(fragment(0, '{"a"', **call), turn=right)
    for stop, count in (("length", 0), ("end", 1)):
        exchange.twin = replace(quoted, stop=stop)
        found = verdicts("common.stream.equivalent-to-non-stream", exchange)
        assert len([verdict for verdict in found if verdict is not None]) == count


def test_other_cuts_are_left_to_the_rules_about_framing() -> None:
    exchange = streaming(*PARALLEL, turn=MERGED, delivery="stream:per-byte")
    assert verdicts("chat.stream.accumulate-by-index", exchange) == []


def test_calls_without_index_are_told_apart_by_id() -> None:
    fragments = fragment(None, "{}", id="call_1", name="f"), fragment(None, "{}", id="call_2", name="g")
    right, wrong = streaming(*fragments), streaming(*fragments, turn=MERGED)
    assert not any(verdicts("chat.stream.missing-index-tolerated", right))
    assert any(verdicts("chat.stream.missing-index-tolerated", wrong))
    assert verdicts("chat.stream.accumulate-by-index", wrong) == []


def test_names_that_grow_with_repeated_fragments_are_found() -> None:
    fragments = fragment(0, "", id="call_1", name="f"), fragment(0, "{}", id="call_1", name="f")
    grown = AssistantTurn(calls=(ToolCall("call_1", "ff", {}),), stop="tool_calls")
    (finding,) = filter(None, verdicts("chat.stream.id-only-on-first-chunk", streaming(*fragments, turn=grown)))
    assert finding.at == "/calls/0/name"


@pytest.mark.parametrize(
    ("path", "right"),
    [
        ("/v1/chat/completions", True), ("/api/v1/chat/completions", True), ("/v1/chats/chat/completions", True),
        ("/v1/v1/chat/completions", False), ("/v1//chat/completions", False), ("/v1/responses", False),
        ("/v1/chat/completions/chat/completions", False),
    ],
)  # fmt: skip
def test_no_host_has_its_endpoint_at_a_doubled_path(path: str, right: bool) -> None:
    intent = Conversation((UserTurn("x"),))
    usual = wire("openai-chat").build(intent, stream=False)
    exchange = Exchange("openai-chat", intent=intent, request=replace(usual, url=f"https://host.test{path}"))
    found = [finding for finding in verdicts("chat.http.endpoint-and-auth", exchange) if finding is not None]
    assert (not found) is right
    recorded = verdicts("chat.http.endpoint-and-auth", replace(exchange, intent=None))
    assert all(finding is None for finding in recorded) is path.endswith("/chat/completions")


@pytest.mark.parametrize(
    ("changed", "count"),
    [
        ({"text": "I had better "}, 1),
        ({"signature": "other"}, 1),
        ({"signature": None}, 1),
        ({"format": "unknown"}, 0),
    ],
    ids=str,
)
def test_signed_thinking_goes_back_as_it_is(changed: dict[str, Json], count: int) -> None:
    rule = find_rule("compat.history.reasoning-details")
    assert rule is not None
    document = copy.deepcopy(dict(rule.example))
    document["request"]["messages"][1]["reasoning_details"][0] |= changed
    assert len([found for found in judge(rule, example_exchange(rule, document)) if found is not None]) == count


def test_thinking_may_go_back_in_the_pieces_in_which_it_came() -> None:
    rule = find_rule("compat.history.reasoning-details")
    assert rule is not None
    document = copy.deepcopy(dict(rule.example))
    message = document["request"]["messages"][1]
    signed, *others = message["reasoning_details"]
    pieces = [{**signed, "text": "I had ", "signature": ""}, {**signed, "text": "better look."}]
    message["reasoning_details"] = [*pieces, *others]
    assert [found for found in judge(rule, example_exchange(rule, document)) if found is not None] == []
