"""What the Responses API accepts is no finding."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.answers import answer_of_response
from conformance.http import Request, Response
from conformance.model import Conversation, UserTurn
from conformance.rules import find_rule
from conformance.rules.check import Finding
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires import wire

USER = {"role": "user", "content": "x"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}
ENCRYPTED = {**REASONING, "encrypted_content": "gAAAA"}
WITHOUT_ID = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
SCHEMA = {"type": "object", "properties": {}}
MESSAGE = {"role": "assistant", "content": "It is 42."}


def requesting(body: dict[str, Any]) -> Exchange:
    usual = wire("openai-responses").build(Conversation((UserTurn("x"),)), stream=False)
    return Exchange("openai-responses", request=Request.post_json(usual.url, body, usual.headers))


@pytest.mark.parametrize(
    ("store", "items", "count"),
    [
        (False, [ENCRYPTED, MESSAGE], 0),
        (None, [ENCRYPTED, MESSAGE], 1),
        (True, [ENCRYPTED, {**MESSAGE, "id": "msg_1"}], 0),
        (False, [REASONING, MESSAGE], 1),
        (None, [MESSAGE, ENCRYPTED], 1),
        (False, [ENCRYPTED, {"type": "function_call_output", "call_id": "c", "output": ""}], 1),
    ],
)
def test_a_message_after_reasoning_keeps_its_id_where_it_is_stored(
    store: bool | None, items: list[Any], count: int
) -> None:
    rule = find_rule("responses.history.reasoning-item-followed")
    assert rule is not None
    found = judge(rule, requesting({"input": [USER, *items, USER], **({} if store is None else {"store": store})}))
    assert found
    assert len([verdict for verdict in found if verdict is not None]) == count


def test_the_user_may_speak_after_reasoning_that_is_not_stored() -> None:
    request = requesting({"input": [USER, MESSAGE, ENCRYPTED, USER], "store": False})
    assert verdicts("responses.history.reasoning-item-followed", request) == []


def verdicts(rule_id: str, exchange: Exchange) -> list[Finding | None]:
    rule = find_rule(rule_id)
    assert rule is not None
    return judge(rule, exchange)


def after(stored: bool | None, *output: Any, **body: Any) -> Exchange:
    """A request that follows an answer, which was stored or not."""
    before = requesting({"input": [USER], **({} if stored is None else {"store": stored})})
    response = Response.of_json(200, {"id": "resp_1", "object": "response", "status": "completed", "output": [*output]})
    exchange = requesting(body)
    exchange.previous = before.receive(answer_of_response(wire("openai-responses"), response))
    return exchange


# --- tools -----------------------------------------------------------------------------------------------------------

TOOLS: list[tuple[dict[str, Any], str | None]] = [
    ({"type": "function", "name": "f", "parameters": SCHEMA}, None),
    ({"type": "function", "name": "f", "parameters": {}}, None),
    ({"type": "function", "name": "f"}, None),
    ({"type": "function", "name": "f", "parameters": {"properties": {}}}, "responses.declare.flat-function"),
    ({"type": "function", "function": {"name": "f", "parameters": SCHEMA}}, "responses.declare.flat-function"),
    ({"type": "function", "name": "f", "function": {"name": "f", "parameters": SCHEMA}},
     "responses.declare.schema-at-top"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "broken"), TOOLS)
def test_where_the_schema_of_a_function_stands(tool: dict[str, Any], broken: str | None) -> None:
    exchange = requesting({"input": [USER], "tools": [tool]})
    rules = ("responses.declare.flat-function", "responses.declare.schema-at-top", "responses.shape.request-types")
    assert [rule for rule in rules if any(verdicts(rule, exchange))] == ([broken] if broken else [])


def test_a_nested_schema_is_lost_and_not_refused() -> None:
    rule = find_rule("responses.declare.schema-at-top")
    assert rule is not None
    assert rule.consequence == "lost"


@pytest.mark.parametrize(
    ("choice", "right"),
    [
        ({"type": "web_search_preview"}, True),
        ({"type": "web_search"}, True),
        ({"type": "web_browse"}, False),
        (None, True),
    ],
)
def test_which_tools_can_be_forced(choice: Any, right: bool) -> None:
    exchange = requesting({"input": [USER], "tools": [{"type": "web_search"}], "tool_choice": choice})
    assert (not any(verdicts("responses.shape.request-types", exchange))) == right


def test_an_unknown_word_for_a_choice_is_told_by_the_rule_on_choices() -> None:
    exchange = requesting({"input": [USER], "tools": [{"type": "web_search"}], "tool_choice": "sometimes"})
    assert any(verdicts("responses.choose.mode-mapping", exchange))


# --- items by their ids ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "right"),
    [
        (WITHOUT_ID, True),
        ({**WITHOUT_ID, "encrypted_content": None}, False),
        ({"type": "reasoning", "summary": []}, False),
        ({"type": "reasoning", "encrypted_content": "gAAAA"}, False),
    ],
)
def test_encrypted_reasoning_needs_no_id(item: dict[str, Any], right: bool) -> None:
    exchange = requesting({"store": False, "input": [USER, item, CALL, OUTPUT]})
    assert (not any(verdicts("responses.shape.request-types", exchange))) == right


@pytest.mark.parametrize(
    ("store", "item", "right"),
    [
        (False, ENCRYPTED, True),
        (False, WITHOUT_ID, None),
        (False, REASONING, False),
        (False, {**REASONING, "content": [{"type": "reasoning_text", "text": "hm"}]}, True),
        (None, REASONING, True),
        (False, {"type": "item_reference", "id": "rs_1"}, True),
    ],
)
def test_what_is_not_stored_is_sent_whole(store: bool | None, item: dict[str, Any], right: bool | None) -> None:
    exchange = requesting({"input": [USER, item, CALL, OUTPUT], **({} if store is None else {"store": store})})
    found = verdicts("responses.history.item-still-known", exchange)
    assert found == [] if right is None else (not any(found)) == right


@pytest.mark.parametrize("item", [REASONING, {"type": "item_reference", "id": "rs_1"}])
@pytest.mark.parametrize(("stored", "right"), [(None, True), (True, True), (False, False)])
def test_what_an_earlier_answer_stored_is_known(item: dict[str, Any], stored: bool | None, right: bool) -> None:
    exchange = after(stored, ENCRYPTED, CALL, input=[USER, item, CALL, OUTPUT], store=not right)
    found = verdicts("responses.history.item-still-known", exchange)
    assert found
    assert (not any(found)) == right


@pytest.mark.parametrize(
    "rule",
    [
        "responses.shape.request-types", "common.result.no-orphan", "common.result.exactly-one-per-call",
        "common.history.call-replayed-before-result", "responses.history.reasoning-items-passed-back",
        "responses.history.reasoning-item-followed", "responses.history.encrypted-content-verbatim",
        "responses.history.item-still-known", "common.history.calls-kept", "common.ids.verbatim-round-trip",
    ],
)  # fmt: skip
@pytest.mark.parametrize("linked", [True, False])
def test_a_reference_stands_in_place_of_its_item(rule: str, linked: bool) -> None:
    references = [{"type": "item_reference", "id": item["id"]} for item in (ENCRYPTED, CALL)]
    exchange = after(None, ENCRYPTED, CALL, input=[USER, *references, OUTPUT])
    exchange.previous = exchange.previous if linked else None
    assert not any(verdicts(rule, exchange))


def test_a_result_of_no_call_that_a_reference_names_is_an_orphan() -> None:
    reference = {"type": "item_reference", "id": "fc_1"}
    exchange = after(None, CALL, input=[USER, reference, {**OUTPUT, "call_id": "call_2"}])
    assert any(verdicts("common.result.no-orphan", exchange))
