"""What the Messages API accepts is no finding, and what only looks like a fault of a rule is left to the rule it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from conformance.answers import answer_of_events, answer_of_response
from conformance.http import Request, Response, StreamEvent
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    ResultsTurn,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    UserTurn,
    compact_json,
)
from conformance.rules import find_rule
from conformance.rules.check import Finding
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires import wire

ANTHROPIC = wire("anthropic")
SCHEMA = {"type": "object", "properties": {}}
TOOL = {"name": "f", "input_schema": SCHEMA}
ASK = {"role": "user", "content": "x"}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "EqQB"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}
OTHER = {**USE, "id": "toolu_2"}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
    {"type": "web_search_result", "title": "T", "url": "https://e.org/", "encrypted_content": "Eq"},
]}  # fmt: skip


def says(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def sends(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def answers(result: Json) -> Json:
    return {**result, "tool_use_id": "toolu_2"}


def verdicts(rule_id: str, exchange: Exchange) -> list[Finding | None]:
    rule = find_rule(rule_id)
    assert rule is not None
    return judge(rule, exchange)


def places(rule_id: str, exchange: Exchange) -> list[str]:
    """Where the findings are. The rule must have examined something."""
    found = verdicts(rule_id, exchange)
    assert found
    return [finding.at for finding in found if finding is not None]


def requesting(
    body: Mapping[str, Json], intent: Conversation | None = None, headers: Mapping[str, str] | None = None
) -> Exchange:
    usual = ANTHROPIC.build(Conversation((UserTurn("x"),)), stream=False)
    request = Request.post_json(usual.url, {"messages": [ASK], **body}, {**usual.headers, **(headers or {})})
    return Exchange("anthropic", intent=intent, request=request)


def following(answer: list[Json], *messages: Json, **fields: Json) -> Exchange:
    """The request that goes on from an answer with these blocks."""
    exchange = requesting({"messages": [ASK, *messages], **fields})
    body = {"type": "message", "role": "assistant", "content": answer, "stop_reason": "tool_use"}
    exchange.previous = Exchange("anthropic").receive(answer_of_response(ANTHROPIC, Response.of_json(200, body)))
    return exchange


# --- requests --------------------------------------------------------------------------------------------------------

ACCEPTED: list[tuple[str, dict[str, Any]]] = [
    ("declare.input-schema", {"tools": [{**TOOL, "type": "custom", "cache_control": {"type": "ephemeral"}}]}),
    ("choose.thinking-forbids-forcing", {"tools": [TOOL], "thinking": {"type": "enabled", "budget_tokens": 1024}}),
    ("history.user-assistant-roles", {"messages": [ASK, says(text("y")), ASK, {"role": "system", "content": "z"}]}),
    ("shape.request-types", {"messages": [ASK, says({**USE, "caller": None}), sends(RESULT)]}),
    ("history.no-empty-text-blocks", {"messages": [ASK, says(text(" "), USE), sends(RESULT)]}),
    ("result.no-empty-text-blocks", {"messages": [ASK, says(USE), sends({**RESULT, "content": [text("\n")]})]}),
    ("ids.pattern-and-uniqueness", {"messages": [ASK, says(USE), sends(RESULT), says(USE), sends(RESULT)]}),
    ("result.references-tool-use-id",
     {"messages": [ASK, says(USE), says(OTHER), sends(RESULT, answers(RESULT))]}),
    ("result.all-in-next-user-message",
     {"messages": [ASK, says(USE), says(OTHER), sends(RESULT, answers(RESULT)), sends(text("y"))]}),
    ("result.content-string-or-blocks",
     {"messages": [ASK, says(USE), sends({"type": "tool_result", "tool_use_id": "toolu_1"})]}),
    ("result.content-string-or-blocks",
     {"messages": [ASK, says(USE), sends({**RESULT, "content": [{"type": "tool_reference", "tool_name": "f"}]})]}),
    ("naming.pattern-128", {"messages": [ASK, says({**USE, "name": "functions.f"}), sends(RESULT)]}),
    ("http.headers", {"max_tokens": 0}),
    ("history.no-prefill", {"model": "claude-opus-4-6", "messages": [ASK, says(text("y")), ASK]}),
    ("history.no-prefill", {"model": "claude-sonnet-5", "messages": [ASK, says(SEARCH)]}),
    ("history.no-prefill", {"model": "claude-sonnet-5", "messages": [ASK, says(text("y"), SEARCH, FOUND)]}),
    ("history.no-prefill", {"model": "claude-opus-4-8", "messages": [ASK, says(USE)]}),
    ("history.no-prefill",
     {"model": "claude-opus-4-8", "messages": [ASK, says(text("y")), {"role": "system", "content": "z"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "body"), ACCEPTED)
def test_what_the_api_accepts_is_no_finding(rule: str, body: dict[str, Any]) -> None:
    assert places(f"anthropic.{rule}", requesting(body)) == []


REJECTED: list[tuple[str, dict[str, Any], str]] = [
    ("declare.input-schema", {"tools": [{"type": "function", "function": {"name": "f"}}]}, "/tools/0"),
    ("declare.input-schema", {"tools": [{"name": "f"}]}, "/tools/0/input_schema"),
    ("declare.schema-type-object", {"tools": [{"name": "f", "input_schema": {}}]}, "/tools/0/input_schema/type"),
    ("declare.server-tools-versioned", {"tools": [{"type": "web_search", "name": "web_search"}]}, "/tools/0/type"),
    ("choose.object-mapping", {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "g"}}, "/tool_choice/name"),
    ("history.user-assistant-roles", {"messages": [ASK, says(RESULT)]}, "/messages/1/content/0"),
    ("shape.request-types", {"messages": [ASK, says({**USE, "caller": 5}), sends(RESULT)]},
     "/messages/1/content/0/caller"),
    ("history.system-top-level", {"system": [{"type": "image"}]}, "/system"),
    ("result.no-empty-text-blocks", {"system": [text("")]}, "/system/0/text"),
    ("history.no-empty-text-blocks", {"messages": [sends(text(" "))]}, "/messages/0/content/0/text"),
    ("result.no-empty-text-blocks", {"messages": [ASK, says(USE), sends({**RESULT, "content": [text("")]})]},
     "/messages/2/content/0/content/0/text"),
    ("ids.pattern-and-uniqueness", {"messages": [ASK, says(USE), says(USE), sends(RESULT)]},
     "/messages/2/content/0/id"),
    ("result.references-tool-use-id", {"messages": [ASK, sends(RESULT)]}, "/messages/1/content/0/tool_use_id"),
    ("result.references-tool-use-id",
     {"messages": [ASK, says(USE), sends(RESULT), says(text("y")), sends(RESULT)]},
     "/messages/4/content/0/tool_use_id"),
    ("result.all-in-next-user-message", {"messages": [ASK, says(USE), sends(text("y")), sends(RESULT)]},
     "/messages/3/content/0"),
    ("result.first-in-content", {"messages": [ASK, says(USE, OTHER), sends(RESULT, text("y"), answers(RESULT))]},
     "/messages/2/content/1"),
    ("result.content-string-or-blocks", {"messages": [ASK, says(USE), sends({**RESULT, "content": 25})]},
     "/messages/2/content/0/content"),
    ("result.content-string-or-blocks",
     {"messages": [ASK, says(USE), sends({**RESULT, "content": "", "is_error": True})]},
     "/messages/2/content/0/content"),
    ("result.content-string-or-blocks",
     {"messages": [ASK, says(USE), sends({**RESULT, "content": [{"type": "image"}], "is_error": True})]},
     "/messages/2/content/0/content/0"),
    ("history.no-prefill", {"model": "claude-opus-4-6", "messages": [ASK, {"role": "assistant", "content": "{"}]},
     "/messages/1"),
    ("history.no-prefill", {"model": "claude-haiku-5", "messages": [ASK, says(THINKING, text("y"))]}, "/messages/1"),
    ("binary.native-image-block",
     {"messages": [ASK, says(USE), sends({**RESULT, "content": [{"type": "image", "source": {
         "type": "base64", "media_type": "image/png", "data": "data:image/png;base64,AA=="}}]})]},
     "/messages/2/content/0/content/0/source/data"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "body", "place"), REJECTED)
def test_what_the_api_rejects_is_found_where_it_is(rule: str, body: dict[str, Any], place: str) -> None:
    assert places(f"anthropic.{rule}", requesting(body)) == [place]


@pytest.mark.parametrize(("model", "takes"), [
    ("claude-3-5-sonnet-latest", True),
    ("claude-sonnet-4-20250514", True),
    ("claude-opus-4@20250514", True),
    ("claude-haiku-4-5-20251001", True),
    ("test-model", True),
    ("", True),
    ("claude-opus-4-6", False),
    ("claude-sonnet-4-6@default", False),
    ("us.anthropic.claude-opus-4-6-v1:0", False),
    ("anthropic/claude-opus-4.6", False),
    ("claude-opus-4-10", False),
    ("claude-sonnet-5-20260901", False),
    ("claude-mythos-preview", False),
])  # fmt: skip
def test_the_name_of_a_model_tells_whether_it_goes_on_from_its_own_words(model: str, takes: bool) -> None:
    exchange = requesting({"model": model, "messages": [ASK, says(text("{"))]})
    found = verdicts("anthropic.history.no-prefill", exchange)
    assert (found == []) is takes


# --- thinking --------------------------------------------------------------------------------------------------------

THINKS = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
VERBATIM = "anthropic.history.thinking-blocks-verbatim"


def switching(then: str, now: str, *messages: Json) -> Exchange:
    """The request to ``now`` that goes on from thinking and a call of ``then``."""
    exchange = following([THINKING, USE], *messages, model=now, **THINKS)
    assert exchange.previous is not None
    exchange.previous.request = requesting({"model": then}).request
    return exchange


DROPPED = [says(USE), sends(RESULT)]
UNSIGNED = [says({**THINKING, "signature": ""}, USE), sends(RESULT)]


@pytest.mark.parametrize("messages", [DROPPED, UNSIGNED])
@pytest.mark.parametrize("rule", [VERBATIM, "anthropic.stream.signature-delta-kept"])
def test_after_a_change_of_the_model_nobody_asks_for_the_others_thinking(rule: str, messages: list[Json]) -> None:
    assert verdicts(rule, switching("claude-opus-4-5", "claude-sonnet-4-5", *messages)) == []


@pytest.mark.parametrize("messages", [DROPPED, UNSIGNED])
def test_the_same_model_gets_its_thinking_back(messages: list[Json]) -> None:
    assert places(VERBATIM, switching("claude-opus-4-5", "claude-opus-4-5", *messages))


def test_where_only_the_answer_is_known_it_says_which_model_it_was() -> None:
    for answered, asked in (("claude-opus-4-5-20251101", 1), ("claude-sonnet-4-5-20250929", 0)):
        exchange = following([THINKING, USE], *DROPPED, model="claude-opus-4-5", **THINKS)
        assert exchange.previous is not None
        exchange.previous.answer = {**exchange.previous.answer, "model": answered}  # type: ignore[dict-item]
        assert len(verdicts(VERBATIM, exchange)) == asked


def test_thinking_of_a_model_that_took_over_is_not_asked_for() -> None:
    took_over = {"type": "fallback", "from": {"model": "claude-fable-5"}, "to": {"model": "claude-opus-4-8"}}
    assert verdicts(VERBATIM, following([took_over, THINKING, USE], *DROPPED, **THINKS)) == []


@pytest.mark.parametrize(("messages", "place"), [
    ([says(THINKING, USE), sends(RESULT), says(OTHER), sends(answers(RESULT))], None),
    ([says(THINKING, USE), sends(RESULT), says(text("y"), OTHER), sends(answers(RESULT))], None),
    ([says(USE), sends(RESULT), says(OTHER), sends(answers(RESULT))], "/messages/3"),
    ([says(text("y"), THINKING, USE, OTHER), sends(RESULT, answers(RESULT))], "/messages/1/content/1"),
])  # fmt: skip
def test_thinking_where_the_tool_loop_begins_is_enough(messages: list[Json], place: str | None) -> None:
    exchange = following([THINKING, USE, OTHER], *messages, **THINKS)
    assert places(VERBATIM, exchange) == ([place] if place else [])


def test_later_messages_of_a_loop_need_not_begin_with_thinking() -> None:
    later = {**THINKING, "signature": "second"}
    exchange = following([THINKING, USE], says(THINKING, USE), sends(RESULT), says(text("y"), later, OTHER),
                         sends(answers(RESULT)), **THINKS)  # fmt: skip
    assert exchange.previous is not None
    second = following([later, OTHER]).previous
    assert second is not None
    exchange.previous, second.previous = second, exchange.previous
    assert places(VERBATIM, exchange) == []


def test_adaptive_thinking_may_be_forced() -> None:
    body = {"tools": [TOOL], "tool_choice": {"type": "any"}, "thinking": {"type": "adaptive"}}
    assert verdicts("anthropic.choose.thinking-forbids-forcing", requesting(body)) == []


@pytest.mark.parametrize(("choice", "place"), [
    (ToolChoice("none"), "choose.object-mapping"),
    (ToolChoice("required"), "choose.object-mapping"),
    (ToolChoice("tool", "f"), "choose.object-mapping"),
    (ToolChoice(parallel=False), "choose.parallel-disabled"),
])  # fmt: skip
def test_a_choice_that_was_not_sent_is_found(choice: ToolChoice, place: str) -> None:
    intent = Conversation((UserTurn("x"),), (Tool("f", parameters=SCHEMA),), choice)
    assert places(f"anthropic.{place}", requesting({"tools": [TOOL]}, intent))


def test_a_search_of_the_provider_that_became_a_function_is_found() -> None:
    intent = Conversation((UserTurn("x"),), (Tool("web", builtin="web_search"),))
    body = {"tools": [{"name": "web_search", "input_schema": SCHEMA}]}
    assert places("anthropic.declare.server-tools-versioned", requesting(body, intent)) == ["/tools/0"]


def test_other_versions_have_no_limits_of_version_2026_10_21() -> None:
    rule, body = "anthropic.http.version-gated-parameters", {"temperature": 0}
    assert verdicts(rule, requesting(body)) == []
    assert places(rule, requesting(body, headers={"anthropic-version": "2026-10-21"})) == ["/temperature"]


@pytest.mark.parametrize("path", ["/model/claude/invoke", "/v1/messages/count_tokens"])
def test_recorded_requests_to_other_endpoints_are_not_examined(path: str) -> None:
    exchange = Exchange("anthropic", request=Request.post_json(f"https://host{path}", {"messages": [ASK]}))
    assert verdicts("anthropic.http.headers", exchange) == []


def test_an_image_that_was_changed_is_found() -> None:
    picture = ToolResult("toolu_1", "f", (ImagePart("image/png", b"one"),))
    turns = (UserTurn("x"), AssistantTurn(calls=(ToolCall("toolu_1", "f", {"a": 1}),)), ResultsTurn((picture,)))
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "dHdv"}}
    exchange = requesting({"messages": [ASK, says(USE), sends({**RESULT, "content": [block]})]}, Conversation(turns))
    assert places("anthropic.binary.native-image-block", exchange) == ["/messages/2/content/0/content"]


# --- what comes back -------------------------------------------------------------------------------------------------

REPLAYED = "anthropic.history.assistant-content-replayed"
VERBATIM = "anthropic.history.thinking-blocks-verbatim"


@pytest.mark.parametrize("blocks", [
    [text("a"), SEARCH, FOUND, text("b"), USE],
    [text("a "), SEARCH, FOUND, text("b"), {**USE, "cache_control": {"type": "ephemeral"}}],
    [THINKING, text("a"), SEARCH, {**FOUND, "x": None}, text("b"), USE],
])  # fmt: skip
def test_blocks_that_say_the_same_are_no_finding(blocks: list[Json]) -> None:
    answer = [text("a"), {"type": "x_unknown"}, SEARCH, FOUND, text("b"), text(" "), USE]
    assert places(REPLAYED, following(answer, says(*blocks), sends(RESULT))) == []


@pytest.mark.parametrize(("blocks", "place"), [
    ([text("a"), SEARCH, FOUND, USE], "/messages/1"),
    ([text("a"), text("b"), USE], "/messages/1"),
    ([SEARCH, FOUND, text("ab"), USE], "/messages/1/content/0"),
    ([text("a"), SEARCH, {**FOUND, "content": []}, text("b"), USE], "/messages/1/content/2/content"),
    ([text("a"), SEARCH, FOUND, text("b"), {**USE, "input": {}}], "/messages/1/content/4/input"),
])  # fmt: skip
def test_what_the_model_said_comes_back_in_its_order(blocks: list[Json], place: str) -> None:
    answer = [text("a"), SEARCH, FOUND, text("b"), USE]
    assert places(REPLAYED, following(answer, says(*blocks), sends(RESULT))) == [place]


@pytest.mark.parametrize(("blocks", "found"), [
    ([text("a"), USE, text("b"), SEARCH, FOUND, OTHER], []),
    ([text("a"), text("b"), SEARCH, FOUND, USE, OTHER], []),
    ([text("a"), text("b"), SEARCH, FOUND, OTHER, USE], ["/messages/1/content/4"]),
    ([USE, text("a"), text("b"), SEARCH, FOUND, OTHER], ["/messages/1/content/0"]),
    ([text("a"), SEARCH, FOUND, text("b"), USE, OTHER], ["/messages/1/content/1"]),
])  # fmt: skip
def test_calls_may_move_to_the_end(blocks: list[Json], found: list[str]) -> None:
    answer = [text("a"), USE, text("b"), SEARCH, FOUND, OTHER]
    results = sends(RESULT, {**RESULT, "tool_use_id": "toolu_2"})
    assert places(REPLAYED, following(answer, says(*blocks), results)) == found


@pytest.mark.parametrize(("blocks", "found"), [
    ([THINKING, text("y"), USE], []),
    ([text("y"), USE], ["/messages/1"]),
    ([text("y"), THINKING, USE], ["/messages/1/content/1"]),
    ([{**THINKING, "signature": "x"}, text("y"), USE], ["/messages/1/content/0/signature"]),
    ([{**THINKING, "thinking": "h"}, text("y"), USE], ["/messages/1/content/0/thinking"]),
    ([THINKING, THINKING, text("y"), USE], ["/messages/1/content/1"]),
])  # fmt: skip
def test_thinking_comes_back_as_it_came(blocks: list[Json], found: list[str]) -> None:
    assert places(VERBATIM, following([THINKING, text("y"), USE], says(*blocks), sends(RESULT))) == found


def test_thinking_of_a_turn_that_is_over_may_be_left_out() -> None:
    over = [says(USE), sends(RESULT), says(text("y")), ASK]
    assert verdicts(VERBATIM, following([THINKING, USE], *over)) == []
    assert verdicts(VERBATIM, following([THINKING, USE], says(USE), sends(RESULT), thinking={"type": "disabled"})) == []


# --- streams ---------------------------------------------------------------------------------------------------------


def streaming(*blocks: tuple[Json, list[str]], understood: list[Json]) -> Exchange:
    """A stream of calls, each with its fragments, and what was understood as their arguments."""
    events: list[Json] = [{"type": "message_start", "message": {"id": "msg_1", "content": []}}]
    for index, (block, fragments) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index,
                    "delta": {"type": "input_json_delta", "partial_json": piece}} for piece in fragments]  # fmt: skip
        events.append({"type": "content_block_stop", "index": index})
    events += [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
    listed = [StreamEvent(compact_json(event), event["type"]) for event in events]
    exchange = Exchange("anthropic", chunks=[]).receive(answer_of_events(ANTHROPIC, listed))
    ids = [block["id"] for block, _ in blocks]
    calls = [ToolCall(call_id, "f", arguments) for call_id, arguments in zip(ids, understood, strict=True)]
    exchange.understood = AssistantTurn(calls=tuple(calls), stop="tool_calls")
    return exchange


def test_arguments_without_fragments_are_those_that_the_block_began_with() -> None:
    rule = "anthropic.stream.partial-json-concatenated"
    assert places(rule, streaming((USE, []), understood=[{"a": 1}])) == []
    assert places(rule, streaming((USE, []), understood=[{}])) == ["/calls/0/arguments"]


def test_each_call_without_arguments_is_looked_at_for_itself() -> None:
    rule, empty = "anthropic.stream.no-args-tool", {**USE, "input": {}}
    fragments = ['{"a"', ": 1}"]
    exchange = streaming((empty, [""]), ({**empty, "id": "toolu_2"}, fragments), understood=[{}, {}])
    assert verdicts(rule, exchange) == [None]
    assert places("anthropic.stream.partial-json-concatenated", exchange) == ["/calls/1/arguments"]


@pytest.mark.parametrize(("raw", "count"), [("[1", 0), ('"[1"', 0), ("[", 1), ('"["', 1), (None, 1)])
def test_what_is_no_object_may_be_kept_as_the_json_string_that_came(raw: str | None, count: int) -> None:
    body = {"type": "message", "content": [{**USE, "input": "[1"}], "stop_reason": "tool_use"}
    exchange = Exchange("anthropic").receive(answer_of_response(ANTHROPIC, Response.of_json(200, body)))
    exchange.understood = AssistantTurn(calls=(ToolCall("toolu_1", "f", None, raw, invalid=True),), stop="tool_calls")
    assert len(places("common.parse.invalid-json-arguments", exchange)) == count
