"""The Responses wire: what its client half asks is what its provider half sees."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter
from responses_turns import ASK, SCHEMA, TOOLS, TURNS, VOICE, WIRE, read, results, variants

from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    JsonPart,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    UserTurn,
    compact_json,
)
from conformance.script import ScriptCall, ScriptTurn
from conformance.wires.facts import Facts


@cache
def schema() -> jsonschema_rs.Validator:
    """The official SDK's own idea of a request."""
    return jsonschema_rs.validator_for(TypeAdapter(ResponseCreateParamsNonStreaming).json_schema())


def body(conversation: Conversation, *, stream: bool = False) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(WIRE.build(conversation, stream=stream).body)
    return document


def facts(conversation: Conversation) -> Facts:
    return WIRE.facts(WIRE.build(conversation, stream=False))


def facts_of(document: Any) -> Facts:
    return WIRE.facts(Request.post_json("https://api.openai.com/v1/responses", document))


# --- building --------------------------------------------------------------------------------------------------------


def test_the_request_goes_to_the_api() -> None:
    request = WIRE.build(ASK, stream=False)
    assert (request.method, request.url) == ("POST", "https://api.openai.com/v1/responses")
    assert request.header("authorization") == "Bearer test-key"
    assert body(ASK)["max_output_tokens"] == ASK.max_tokens
    assert [document.get("stream") for document in (body(ASK), body(ASK, stream=True))] == [None, True]


CHOICES: list[tuple[ToolChoice, dict[str, Any], str | None]] = [
    (ToolChoice(), {}, None),
    (ToolChoice("none"), {"tool_choice": "none"}, "none"),
    (ToolChoice("required", parallel=False), {"tool_choice": "required", "parallel_tool_calls": False}, "required"),
    (ToolChoice("tool", "read file"), {"tool_choice": {"type": "function", "name": "read_file"}}, "tool"),
    (ToolChoice("tool", "web", True), {"tool_choice": {"type": "web_search"}, "parallel_tool_calls": True}, "required"),
]


@pytest.mark.parametrize(("choice", "expected", "mode"), CHOICES)
def test_tools_and_choice(choice: ToolChoice, expected: dict[str, Any], mode: str | None) -> None:
    tools = (*TOOLS, Tool("strict", "", SCHEMA, strict=True), Tool("web", builtin="web_search"))
    conversation = replace(ASK, tools=tools, choice=choice, system="Be brief.")
    document = body(conversation)
    first = {"type": "function", "name": "read_file", "description": "Reads a file."}
    assert document["instructions"] == "Be brief."
    assert document["tools"][0] == {**first, "parameters": SCHEMA, "strict": False}
    assert document["tools"][3] == {"type": "web_search"}
    assert [tool.get("strict") for tool in document["tools"]] == [False, False, True, None]
    assert {key: document[key] for key in ("tool_choice", "parallel_tool_calls") if key in document} == expected
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & body(replace(conversation, tools=())).keys()
    said = facts(conversation)
    assert (said.choice.mode if said.choice else None, said.parallel) == (mode, choice.parallel)
    assert [(tool.kind, tool.name) for tool in said.tools[2:]] == [("function", "strict"), ("web_search", None)]
    assert said.system == [("/instructions", "Be brief.")]


def test_a_schema_without_a_type_at_its_root_is_sent_as_an_object() -> None:
    untyped = {"properties": {"path": {"type": "string"}}}
    document = body(replace(ASK, tools=(Tool("read", "", untyped), Tool("list", "", SCHEMA))))
    assert [tool["parameters"] for tool in document["tools"]] == [{"type": "object", **untyped}, SCHEMA]


def test_reasoning_travels_with_the_client() -> None:
    document = body(replace(ASK, reasoning=True))
    assert document["include"] == ["reasoning.encrypted_content"]
    assert document["store"] is False
    assert "reasoning" in document
    assert schema().is_valid(document)
    assert not {"include", "store", "reasoning"} & body(ASK).keys()


@pytest.mark.parametrize("name", TURNS)
def test_own_turns_are_replayed_verbatim(name: str) -> None:
    for turn in variants(TURNS[name]):
        rendered, said = WIRE.render(turn, VOICE)["output"], read(turn)
        conversation = ASK.then(said, results(said, TextPart("ok")), UserTurn("Thanks."))
        document = body(conversation)
        assert schema().is_valid(document) or "unknown_fields" in turn.quirks
        calls = iter(said.calls)
        for item, original in zip(document["input"][1 : 1 + len(rendered)], rendered, strict=True):
            if original["type"] == "function_call":
                original = {**original, "call_id": next(calls).id}
            assert item == original
        seen = facts(conversation)
        assert [call.id for call in seen.calls] == [call.id for call in said.calls]
        assert [result.ref for result in seen.results] == [call.id for call in said.calls]
        assert [len(found.calls) for found in seen.rounds] == ([len(said.calls)] if said.calls else [])
        assert not [found for found in seen.rounds if found.between or found.late]


def test_reasoning_that_nothing_follows_is_not_replayed() -> None:
    said = read(ScriptTurn(reasoning="Hm.", stop="length"))
    assert [item["type"] for item in said.opaque["output"]] == ["reasoning"]
    sent = body(ASK.then(said, UserTurn("Well?")))["input"]
    assert sent == [{"role": "user", "content": "Go on."}, {"role": "user", "content": "Well?"}]


def test_ids_used_before_are_replaced_in_call_and_result() -> None:
    turn = ScriptTurn(calls=(ScriptCall("now", id="call_1"),))
    first = read(turn)
    conversation = ASK.then(first, results(first, TextPart("1")))
    second = read(turn, conversation)
    seen = facts(conversation.then(second, results(second, TextPart("2"))))
    ids = [call.id for call in seen.calls]
    assert ids == [result.ref for result in seen.results] == ["call_1", second.calls[0].id]
    assert second.calls[0].id != "call_1"


def test_foreign_turns_are_rebuilt() -> None:
    calls = (ToolCall("toolu_01", "read file", {"path": "/a"}), ToolCall("x" * 65, "now", None, "{", True))
    turn = AssistantTurn("Well.", calls, opaque={"provider": "anthropic", "output": [{"type": "message"}]})
    document = body(ASK.then(turn, results(turn, TextPart("ok"))))
    assert schema().is_valid(document)
    said, first, second, *answers = document["input"][1:]
    assert said == {"role": "assistant", "content": "Well."}
    named = {"type": "function_call", "call_id": "toolu_01", "name": "read_file"}
    assert first == {**named, "arguments": '{"path":"/a"}'}
    assert (len(second["call_id"]), second["arguments"]) == (29, '{"invalid_arguments":"{"}')
    assert [item["call_id"] for item in answers] == ["toolu_01", second["call_id"]]


@pytest.mark.parametrize(
    ("turn", "sent"),
    [(AssistantTurn(refusal="No."), [{"role": "assistant", "content": "No."}]), (AssistantTurn(), [])],
)
def test_foreign_turns_without_calls(turn: AssistantTurn, sent: list[Any]) -> None:
    assert body(ASK.then(turn))["input"][1:] == sent


IMAGE = ImagePart("image/png", b"\x89PNG")


@pytest.mark.parametrize(
    ("content", "profile", "output"),
    [
        ((), "portable", ""),
        ((TextPart("a"), JsonPart({"b": [1]})), "portable", 'a\n{"b":[1]}'),
        ((TextPart("a"), IMAGE), "portable", "a\nBinary content of type image/png was processed."),
        ((TextPart("a"), JsonPart({"b": 1})), "native", 'a\n{"b":1}'),
    ],
)
def test_results_are_text(content: Any, profile: Any, output: str) -> None:
    said = read(TURNS["one_call"])
    conversation = replace(ASK.then(said, results(said, *content)), profile=profile)
    assert body(conversation)["input"][-1]["output"] == output
    assert [result.text for result in facts(conversation).results] == [output]


def test_native_results_hold_images() -> None:
    said = read(TURNS["one_call"])
    conversation = replace(ASK.then(said, results(said, TextPart("shot"), IMAGE)), profile="native")
    assert body(conversation)["input"][-1]["output"] == [
        {"type": "input_text", "text": "shot"},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw=="},
    ]
    assert schema().is_valid(body(conversation))
    (result,) = facts(conversation).results
    assert (result.text, result.images) == ("shot", [("/input/2/output/1", "image/png", "iVBORw==")])
    assert base64.b64decode(result.images[0][2]) == IMAGE.data


def test_errors_and_rejections_are_text() -> None:
    said = read(TURNS["reasoning"])
    first, second = said.calls
    failed = ToolResult(second.id, second.name, (TextPart("no such file"),), is_error=True)
    decisions = (Decision(first.id, first.name, False), Decision(second.id, second.name, True))
    seen = facts(ASK.then(said, DecisionsTurn(decisions), ResultsTurn((failed,))))
    assert [result.ref for result in seen.results] == [first.id, second.id]
    assert [json.loads(result.text or "") for result in seen.results] == [
        {"error": "The user rejected this tool call."},
        {"error": "no such file"},
    ]


# --- facts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        None, [], 1, {}, {"input": None}, {"input": 3}, {"input": {"a": 1}}, {"input": [None, 1, "x", [], {}]},
        {"tools": {"a": 1}, "tool_choice": 3}, {"tools": [None, {"type": []}], "tool_choice": {"type": []}},
        {"input": [{"role": []}, {"role": "user", "content": 3}, {"type": "function_call"}, {"type": {}}]},
        {"input": [{"type": "function_call_output", "call_id": [], "output": {"a": 1}}]},
        {"input": [{"type": "function_call", "call_id": [], "arguments": 3}]},
    ],
)  # fmt: skip
def test_facts_never_raise(document: Any) -> None:
    assert facts_of(document).document == document


def test_facts_of_a_body_that_is_no_json() -> None:
    assert WIRE.facts(Request("POST", "https://api.openai.com/v1/responses", {}, b"\xff{")).document is None


def test_facts_of_messages() -> None:
    sent = [
        {"role": "developer", "content": "No jokes."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "out"},
        {"type": "item_reference", "id": "rs_1"},
    ]
    said = facts_of({"instructions": "Be brief.", "previous_response_id": "resp_1", "input": sent})
    assert said.previous == "resp_1"
    assert said.system == [("/instructions", "Be brief."), ("/input/0/content", "No jokes.")]
    assert [(message.role, message.wire_role) for message in said.messages] == [
        ("system", "developer"), ("user", "user"), ("tool", "tool"), ("assistant", None)
    ]  # fmt: skip
    assert said.messages[1].texts == [("/input/1/content/0/text", "Hi")]
    assert facts_of({"input": "Hi"}).messages[0].texts == [("/input", "Hi")]


ITEMS: dict[str, dict[str, Any]] = {
    "u": {"role": "user", "content": "x"},
    "a": {"role": "assistant", "content": "y"},
    "r": {"type": "reasoning", "id": "rs_1", "summary": []},
    "s": {"type": "web_search_call", "id": "ws_1"},
    "c": {"type": "function_call", "name": "f", "arguments": "{}"},
    "o": {"type": "function_call_output", "output": "z"},
}


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("u c1 o1", [(1, 1, 0)]),
        ("u r c1 r c2 o2 o1 r a", [(2, 2, 0)]),
        ("u c1 a c2 o1 o2", [(2, 2, 0)]),
        ("u c1 s o1 s", [(1, 1, 0)]),
        ("u c1 o1 r c2 o2", [(1, 1, 0), (1, 1, 0)]),
        ("u c1 u o1", [(1, 0, 1)]),
        ("u c1 c2 o1 u o2", [(2, 1, 1)]),
    ],
)
def test_rounds(sent: str, expected: list[tuple[int, int, int]]) -> None:
    """A letter for the item, a number for its call: (calls, results, messages between) of each round."""
    items = [{**ITEMS[word[0]], **({"call_id": f"call_{word[1:]}"} if word[1:] else {})} for word in sent.split()]
    found = facts_of({"input": items}).rounds
    assert [(len(each.calls), len(each.results), len(each.between)) for each in found] == expected


@pytest.mark.parametrize(
    ("choice", "mode", "name"),
    [
        ("auto", "auto", None),
        ("any", None, None),
        ({"type": "function", "name": "f"}, "tool", "f"),
        ({"type": "function", "function": {"name": "f"}}, None, None),
        ({"type": "allowed_tools", "mode": "required", "tools": []}, "required", None),
        ({"type": "file_search"}, "required", None),
    ],
)
def test_facts_of_the_choice(choice: Any, mode: str | None, name: str | None) -> None:
    found = facts_of({"tool_choice": choice}).choice
    assert found is not None
    assert (found.mode, found.name, found.raw) == (mode, name, choice)


# --- any text, any arguments -----------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.dictionaries(texts, values, max_size=4), min_size=1, max_size=3),
    texts,
    values,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80),
)
def test_whatever_is_replayed_is_seen(arguments: list[Any], said: str, value: Any, call_id: str) -> None:
    calls = tuple(ToolCall(f"{call_id}{place}", "now", each) for place, each in enumerate(arguments))
    turn = AssistantTurn(said, calls)
    seen = facts(ASK.then(turn, results(turn, TextPart(said), JsonPart(value))))
    assert [call.arguments for call in seen.calls] == arguments
    assert [result.ref for result in seen.results] == [call.id for call in seen.calls]
    assert all(1 <= len(call.id) <= 64 for call in seen.calls)
    assert {result.text for result in seen.results} == {f"{said}\n{compact_json(value)}"}
