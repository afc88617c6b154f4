"""The Ollama wire: what it says it reads back, whole or in pieces, and what it builds means what was asked for."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import httpx
import ollama
import pytest
from every import each
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.deliveries import DELIVERIES, Delivery
from conformance.http import Request, Response, frame
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
    Usage,
    UserTurn,
)
from conformance.script import ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires.base import stream_headers
from conformance.wires.ollama.wire import WIRE

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (Tool("read", "Read a file", SCHEMA), Tool("files.list/all", "List", None))
START = Conversation((UserTurn("go"),), TOOLS, profile="portable")
VOICE = Voice("test-model", {"read": "read", "files.list/all": "files_list_all"}, "seed")
ODD = {"path": "/a <b> & \"é😀\u2028\n\\", "n": 9007199254740993, "deep": {"l": [None, True, 1.5, ""]}}
PNG = b"\x89PNG\r\n\x1a\n"

TURNS = {
    "text": ScriptTurn("Hello, <wörld> 😀\u2028"),
    "empty": ScriptTurn(),
    "call": ScriptTurn(calls=(ScriptCall("read", {"path": "/a"}),)),
    "text-and-call": ScriptTurn("Let me see.", (ScriptCall("read", ODD),)),
    "parallel": ScriptTurn(calls=(ScriptCall("read", ODD), ScriptCall("files.list/all"), ScriptCall("read", {}))),
    "thinking": ScriptTurn("So:", (ScriptCall("read", {"path": "/b"}, id="call_abcd1234"),), reasoning="hm, let me …"),
    "length": ScriptTurn("cut of", stop="length"),
    "unknown-finish": ScriptTurn("ok", finish="because"),
}
STREAMS = [delivery for delivery in DELIVERIES.values() if delivery.streaming and "ndjson" in delivery.framings]


def expected(turn: ScriptTurn) -> AssistantTurn:
    """What reading ``turn`` must give, with the ids as they are on the wire."""
    ids = WIRE.ids(turn, VOICE)
    calls = tuple(
        ToolCall(wire_id or "", call.tool, call.arguments or {}) for wire_id, call in zip(ids, turn.calls, strict=True)
    )
    return AssistantTurn(turn.text, calls, turn.stops_with, usage=turn.usage)


def without_ids(turn: AssistantTurn) -> AssistantTurn:
    return replace(turn, calls=tuple(replace(call, id="") for call in turn.calls), opaque=None)


def stream_of(turn: ScriptTurn, delivery: Delivery) -> list[bytes]:
    assert delivery.cut is not None
    return delivery.cut(frame(WIRE.render_stream(turn, VOICE), "ndjson", delivery.style))


def facts_of(conversation: Conversation) -> Any:
    return WIRE.facts(WIRE.build(conversation, stream=False))


def body_of(request: Request) -> Any:
    return json.loads(request.body)


# --- reading ---------------------------------------------------------------------------------------------------------


@each("quirk", ["", *sorted(WIRE.card.quirks)])
@pytest.mark.parametrize("name", TURNS)
def test_a_turn_reads_the_same_in_every_delivery(name: str, quirk: str) -> None:
    turn = replace(TURNS[name], quirks=frozenset({quirk} - {""}))
    blocking = WIRE.read_response(WIRE.respond(turn, VOICE), START)
    if "missing_ids" not in turn.quirks:
        assert replace(blocking, opaque=None) == expected(turn)
    assert without_ids(blocking) == without_ids(expected(turn))
    assert all(call.id for call in blocking.calls)
    assert len({call.id for call in blocking.calls}) == len(turn.calls)
    for delivery in STREAMS:
        assert WIRE.read_stream(stream_of(turn, delivery), START) == blocking, delivery.name


def test_all_quirks_together() -> None:
    for turn in TURNS.values():
        odd = replace(turn, quirks=WIRE.card.quirks)
        blocking = WIRE.read_response(WIRE.respond(odd, VOICE), START)
        assert without_ids(blocking) == without_ids(expected(turn))
        assert {WIRE.read_stream(stream_of(odd, delivery), START) == blocking for delivery in STREAMS} == {True}


@pytest.mark.parametrize(
    ("quirk", "sign"),
    [
        ("missing_ids", lambda call: "id" not in call),
        ("arguments_object", lambda call: isinstance(call["function"]["arguments"], str)),
        ("arguments_missing", lambda call: "arguments" not in call["function"]),
        ("unknown_fields", lambda call: "x_unknown" in call and "x_unknown" not in call["function"]["arguments"]),
    ],
)
def test_quirks_show_on_the_wire(quirk: str, sign: Any) -> None:
    turn = ScriptTurn(calls=(ScriptCall("files.list/all"),), quirks=frozenset({quirk}))
    assert sign(WIRE.render(turn, VOICE)["message"]["tool_calls"][0])
    assert not sign(WIRE.render(replace(turn, quirks=frozenset()), VOICE)["message"]["tool_calls"][0])
    lines = [json.loads(event.data) for event in WIRE.render_stream(turn, VOICE)]
    assert sign(lines[0]["message"]["tool_calls"][0])


def test_calls_share_a_line_or_come_one_by_one() -> None:
    def calls_per_line(*quirks: str) -> list[int]:
        turn = replace(TURNS["parallel"], quirks=frozenset(quirks))
        lines = [json.loads(event.data)["message"] for event in WIRE.render_stream(turn, VOICE)]
        return [len(message.get("tool_calls", [])) for message in lines]

    assert calls_per_line() == [3, 0]
    assert calls_per_line("calls_in_many_chunks") == [1, 1, 1, 0]


def test_lines_never_hold_what_go_escapes() -> None:
    text = "".join(event.data for event in WIRE.render_stream(TURNS["parallel"], VOICE))
    assert not set("<>&\u2028\u2029") & set(text)
    odd = ScriptTurn("a\u0085b")  # Go does not escape it, so only a line feed ends a line
    assert WIRE.read_stream(stream_of(odd, STREAMS[0])).text == odd.text


def test_assembled_body_is_the_blocking_body() -> None:
    for turn in TURNS.values():
        assert WIRE.assemble(WIRE.render_stream(turn, VOICE)).body == WIRE.render(turn, VOICE)


def test_wire_ids_are_kept_and_missing_ones_made() -> None:
    body = WIRE.render(TURNS["parallel"], VOICE)
    del body["message"]["tool_calls"][1]["id"]
    turn = WIRE.read(body, START)
    assert WIRE.answered_ids(body)[1] is None
    assert [call.id for call in turn.calls][::2] == WIRE.answered_ids(body)[::2]
    assert turn.calls[1].id not in ("", *WIRE.answered_ids(body))


@pytest.mark.parametrize("counts, usage", [
    ({"prompt_eval_count": 3, "eval_count": 4}, Usage(3, 4)),
    ({"eval_count": 4}, Usage(0, 4)),
    ({}, None),
])  # fmt: skip
def test_usage(counts: dict[str, int], usage: Usage | None) -> None:
    assert WIRE.read({"message": {"content": ""}, "done": True, **counts}).usage == usage


@each("body", [
    None, [], "x", 5, {}, {"message": None}, {"message": []}, {"message": {"content": None, "tool_calls": None}},
    {"message": {"content": 5, "thinking": [], "tool_calls": [None, 5, {}, {"function": "f"}]}},
    {"message": {"content": ["a"]}, "done_reason": ["stop"], "eval_count": "7"},
])  # fmt: skip
def test_odd_bodies_are_read_without_calls(body: Any) -> None:
    turn = WIRE.read(body)
    assert (turn.text, turn.calls, turn.stop) == ("", (), "end")
    assert WIRE.answered_ids(body) == []


@pytest.mark.parametrize("arguments, want", [
    ('{"path": "/a"}', ({"path": "/a"}, None, False)),
    ("", ({}, None, False)),
    (None, ({}, None, False)),
    ('{"path": ', (None, '{"path": ', True)),
    ([1], (None, "[1]", True)),
])  # fmt: skip
def test_arguments_in_any_form(arguments: Any, want: Any) -> None:
    call = {"id": "call_1", "function": {"name": "read", "arguments": arguments}}
    (read,) = WIRE.read({"message": {"tool_calls": [call]}}, START).calls
    assert (read.arguments, read.raw, read.invalid) == want


# --- streams that end too soon, and errors ---------------------------------------------------------------------------


@pytest.mark.parametrize("delivery", STREAMS, ids=lambda delivery: delivery.name)
def test_a_cut_call_is_not_there(delivery: Delivery) -> None:
    whole = expected(TURNS["parallel"])
    turn = WIRE.read_stream(stream_of(replace(TURNS["parallel"], cut="arguments"), delivery), START)
    assert (turn.stop, turn.calls) == ("incomplete", whole.calls[:2])


def test_the_cut_is_inside_the_last_arguments() -> None:
    turn = ScriptTurn("x", (ScriptCall("read", {"path": "/a"}),), cut="arguments")
    last = WIRE.render_stream(turn, VOICE)[-1].data
    assert last.endswith('"arguments":{"path')


@pytest.mark.parametrize("name", TURNS)
def test_without_its_last_line_a_stream_is_incomplete(name: str) -> None:
    turn = WIRE.read_stream(stream_of(replace(TURNS[name], cut="terminal"), STREAMS[0]), START)
    assert (turn.stop, turn.text) == ("incomplete", TURNS[name].text)


def test_a_line_that_cannot_be_read_leaves_the_turn_incomplete() -> None:
    lines = stream_of(TURNS["text-and-call"], DELIVERIES["stream:per-event"])
    lines.insert(1, b'{"message": \n')
    assert WIRE.read_stream(lines, START).stop == "incomplete"


def test_what_follows_the_last_line_is_not_read() -> None:
    lines = stream_of(TURNS["text"], DELIVERIES["stream:per-event"])
    more = b'{"message":{"content":"more"},"done":false}\n'
    assert WIRE.read_stream([*lines, more], START) == WIRE.read_stream(lines, START)


def test_an_error_in_a_stream() -> None:
    failing = replace(TURNS["text-and-call"], fails_with=ScriptError("server", "out of memory"))
    turn = WIRE.read_stream(stream_of(failing, STREAMS[0]), START)
    assert turn.stop == "error" and turn.error is not None and turn.error.message == "out of memory"
    assert turn.text == "Let me see." and all(call.invalid for call in turn.calls)


@pytest.mark.parametrize("kind, status, retryable", [
    ("invalid_request", 400, False), ("authentication", 401, False), ("rate_limit", 429, True), ("server", 500, True),
    ("overloaded", 503, True),
])  # fmt: skip
def test_http_errors(kind: Any, status: int, retryable: bool) -> None:
    response = WIRE.render_error(ScriptError(kind, "no", retry_after=2))
    assert (response.status, json.loads(response.body)) == (status, {"error": "no"})
    error = WIRE.read_response(response).error
    assert error is not None
    assert (error.message, error.status, error.retryable, error.retry_after) == ("no", status, retryable, 2.0)


def test_an_error_body_with_status_200() -> None:
    turn = WIRE.read_response(Response.of_json(200, {"error": "model not loaded"}))
    assert turn.stop == "error" and turn.error is not None and turn.error.message == "model not loaded"


# --- building --------------------------------------------------------------------------------------------------------

TWO = (ToolCall("call_a", "read", {"path": "/a"}), ToolCall("call_b", "files.list/all", {}))


def answered(*turns: Any, assistant: AssistantTurn | None = None, **options: Any) -> Conversation:
    return replace(START.then(assistant or AssistantTurn("", TWO, "tool_calls"), *turns), **options)


def test_the_request_line() -> None:
    request = WIRE.build(START, stream=False)
    assert (request.method, request.url) == ("POST", "http://localhost:11434/api/chat")
    assert request.header("authorization") is None
    body = body_of(request)
    assert body["stream"] is False and body_of(WIRE.build(START, stream=True))["stream"] is True
    assert body["options"] == {"num_predict": 1024} and "think" not in body
    assert body_of(WIRE.build(replace(START, reasoning=True), stream=True))["think"] is True


def test_tools_are_declared_whole() -> None:
    facts = facts_of(START)
    assert [(tool.kind, tool.name, tool.schema) for tool in facts.tools] == [
        ("function", "read", SCHEMA),
        ("function", "files_list_all", {"type": "object", "properties": {}}),
    ]
    for tool in facts.document["tools"]:
        ollama.Tool(**tool)


@pytest.mark.parametrize("choice, tools", [
    (ToolChoice(), 2), (ToolChoice("required"), 2), (ToolChoice("tool", "read", parallel=False), 2),
    (ToolChoice("none"), 0),
])  # fmt: skip
def test_choices_have_no_place(choice: ToolChoice, tools: int) -> None:
    facts = facts_of(replace(START, choice=choice))
    assert (len(facts.tools), facts.choice, facts.parallel) == (tools, None, None)
    assert ("tools" in facts.document) is bool(tools)


def test_history_keeps_the_order_of_the_calls() -> None:
    results = ResultsTurn((
        ToolResult("call_b", "files.list/all", (JsonPart(["é"]),)),
        ToolResult("call_a", "read", (TextPart("gone"),), is_error=True),
    ))  # fmt: skip
    facts = facts_of(answered(results, system="Be brief."))
    assert [message.wire_role for message in facts.messages] == ["system", "user", "assistant", "tool", "tool"]
    assert facts.system == [("/messages/0/content", "Be brief.")]
    assert [(call.id, call.name, call.raw) for call in facts.calls] == [
        ("call_a", "read", {"path": "/a"}), ("call_b", "files_list_all", {}),
    ]  # fmt: skip
    assert [(result.ref, result.name, result.text) for result in facts.results] == [
        ("call_a", "read", '{"error":"gone"}'), ("call_b", "files_list_all", '["é"]'),
    ]  # fmt: skip
    assert all(isinstance(message["content"], str) for message in facts.document["messages"])


@pytest.mark.parametrize("decided_first", [True, False])
def test_a_rejection_answers_its_call_in_its_place(decided_first: bool) -> None:
    decisions = DecisionsTurn((Decision("call_a", "read", False), Decision("call_b", "files.list/all", True)))
    results = ResultsTurn((ToolResult("call_b", "files.list/all", (TextPart("ok"),)),))
    turns = (decisions, results) if decided_first else (results, decisions)
    facts = facts_of(answered(*turns, UserTurn("and now?")))
    assert [(result.ref, result.text) for result in facts.results] == [
        ("call_a", '{"error":"The user rejected this tool call."}'), ("call_b", "ok"),
    ]  # fmt: skip
    assert [message.role for message in facts.messages] == ["user", "assistant", "tool", "tool", "user"]


def test_calls_without_ids_are_told_apart_by_ids_of_our_own() -> None:
    turn = WIRE.read(WIRE.render(replace(TURNS["parallel"], quirks=frozenset({"missing_ids"})), VOICE), START)
    results = ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart(call.id),)) for call in reversed(turn.calls)))
    facts = facts_of(START.then(turn, results))
    ids = [call.id for call in turn.calls]
    assert [call.id for call in facts.calls] == ids == [result.ref for result in facts.results]
    assert [result.text for result in facts.results] == ids


def test_ids_of_the_provider_and_thinking_are_sent_back() -> None:
    turn = WIRE.read(WIRE.render(TURNS["thinking"], VOICE), START)
    facts = facts_of(START.then(turn, ResultsTurn((ToolResult(turn.calls[0].id, "read", (TextPart("x"),)),))))
    assistant = facts.document["messages"][1]
    assert assistant["thinking"] == "hm, let me …"
    assert (facts.calls[0].id, facts.results[0].ref) == ("call_abcd1234", "call_abcd1234")


@pytest.mark.parametrize("opaque", [None, "x", ["x"], {"thinking": "Hm."}, {"reasoning": [{}]}])
def test_what_another_provider_left_behind_is_not_sent(opaque: Any) -> None:
    facts = facts_of(answered(assistant=AssistantTurn("", TWO, "tool_calls", opaque=opaque)))
    assert set(facts.document["messages"][1]) == {"role", "content", "tool_calls"}
    assert [call.id for call in facts.calls] == ["call_a", "call_b"]


def test_images() -> None:
    result = ToolResult("call_a", "read", (TextPart("here:"), ImagePart("image/png", PNG)))
    portable = facts_of(answered(ResultsTurn((result,)))).results[0]
    assert (portable.text, portable.images) == ("here:\nBinary content of type image/png was processed.", [])
    native = facts_of(answered(ResultsTurn((result,)), profile="native")).results[0]
    assert native.text == "here:"
    assert native.images == [("/messages/2/images/0", None, base64.b64encode(PNG).decode())]


def test_arguments_that_were_no_object_are_replayed_in_one() -> None:
    call = ToolCall("call_a", "read", None, '{"pa', invalid=True)
    assert facts_of(START.then(AssistantTurn(calls=(call,)))).calls[0].raw == {"invalid_arguments": '{"pa'}


def test_an_empty_result_is_sent() -> None:
    assert facts_of(answered(ResultsTurn((ToolResult("call_a", "read"),)))).results[0].content == ""


@each("body", [
    b"", b"\xff", b"[" * 100_000, b"null", b"[1]", b'{"messages": 5, "tools": {}, "tool_choice": []}',
    b'{"messages": [null, 5, {"role": []}, {"role": "tool", "content": [], "images": 5}, '
    b'{"role": "assistant", "tool_calls": [null, {"function": []}]}], "tools": [null, {"function": 5}]}',
    b'{"messages": [{"role": "assistant", "tool_calls": [{"id": {}}]}, {"role": "tool", "tool_call_id": []}]}',
])  # fmt: skip
def test_facts_never_raise(body: bytes) -> None:
    facts = WIRE.facts(Request("POST", "http://localhost:11434/api/chat", {}, body))
    assert facts.rounds is not None


def test_facts_show_what_does_not_belong() -> None:
    body = {
        "tool_choice": "required",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "tool_calls": [{"function": {"name": "read", "arguments": '{"path":"/a"}'}}]},
            {"role": "tool", "name": "read", "content": "x"},
        ],
    }
    facts = WIRE.facts(Request.post_json("http://localhost:11434/api/chat", body))
    assert facts.stream and facts.choice is not None and facts.choice.mode is None
    assert facts.messages[0].texts == [("/messages/0/content/0/text", "hi")]
    assert (facts.calls[0].raw, facts.calls[0].arguments) == ('{"path":"/a"}', {"path": "/a"})
    assert (facts.results[0].name, facts.results[0].ref) == ("read", None)


# --- anything --------------------------------------------------------------------------------------------------------

texts = st.text(max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(texts, values, max_size=3)
quirks = st.frozensets(st.sampled_from(sorted(WIRE.card.quirks)))


@settings(max_examples=60, deadline=None)
@given(texts, st.lists(arguments, max_size=3), st.none() | texts, quirks, st.sampled_from(STREAMS))
def test_any_turn(text: str, args: list[Any], thinking: str | None, odd: frozenset[str], delivery: Delivery) -> None:
    turn = ScriptTurn(text, tuple(ScriptCall("read", item) for item in args), thinking, quirks=odd)
    blocking = WIRE.read_response(WIRE.respond(turn, VOICE), START)
    assert (blocking.text, [call.arguments for call in blocking.calls]) == (text, args)
    assert WIRE.read_stream(stream_of(turn, delivery), START) == blocking


@settings(max_examples=60, deadline=None)
@given(texts, st.lists(arguments, min_size=1, max_size=3), st.lists(texts, min_size=3, max_size=3), st.randoms())
def test_any_history(text: str, args: list[Any], outputs: list[str], random: Any) -> None:
    calls = tuple(ToolCall(f"call_{place}", "read", item) for place, item in enumerate(args))
    results = [ToolResult(call.id, "read", (TextPart(out),)) for call, out in zip(calls, outputs, strict=False)]
    shuffled = random.sample(results, len(results))
    facts = facts_of(START.then(AssistantTurn(text, calls), ResultsTurn(tuple(shuffled))))
    assert [call.raw for call in facts.calls] == args
    assert [result.text for result in facts.results] == outputs[: len(args)]
    assert facts.messages[1].texts == [("/messages/1/content", text)]


# --- the official SDK ------------------------------------------------------------------------------------------------


def sdk(turn: ScriptTurn) -> ollama.Client:
    """The official client, answered by our provider half: keyword arguments reach ``httpx.Client``."""

    def answer(request: httpx.Request) -> httpx.Response:
        if json.loads(request.content)["stream"]:
            chunks = frame(WIRE.render_stream(turn, VOICE), "ndjson")
            return httpx.Response(200, headers=stream_headers("ndjson"), content=iter(chunks))
        return httpx.Response(200, content=WIRE.respond(turn, VOICE).body)

    return ollama.Client(transport=httpx.MockTransport(answer))


def understood(parts: Iterable[Any]) -> Any:
    """Text, thinking, calls and the done reason in what the SDK hands out."""
    answers = list(parts)
    messages = [answer.message for answer in answers]
    calls = [call.function for message in messages for call in message.tool_calls or []]
    return (
        "".join(message.content or "" for message in messages),
        "".join(message.thinking or "" for message in messages),
        [(call.name, call.arguments) for call in calls],
        answers[-1].done_reason,
    )


@each("odd", [frozenset(), WIRE.card.quirks - {"arguments_missing", "arguments_object"}],
                         ids=["plain", "quirks"])  # fmt: skip
@pytest.mark.parametrize("name", TURNS)
def test_the_official_sdk_reads_the_same(name: str, odd: frozenset[str]) -> None:
    """Its types insist on an arguments object, so the two quirks about that are left out."""
    turn = replace(TURNS[name], quirks=odd)
    client = sdk(turn)
    blocking = understood([client.chat("test-model", [{"role": "user", "content": "go"}])])
    streamed = understood(client.chat("test-model", [{"role": "user", "content": "go"}], stream=True))
    read = WIRE.read_response(WIRE.respond(turn, VOICE))
    calls = [(call.name, call.arguments) for call in read.calls]
    assert blocking == streamed == (read.text, turn.reasoning or "", calls, turn.finish or blocking[3])


def test_the_official_sdk_reports_the_same_errors() -> None:
    failing = replace(TURNS["text-and-call"], fails_with=ScriptError("server", "out of memory"))
    with pytest.raises(ollama.ResponseError, match="out of memory"):
        list(sdk(failing).chat("test-model", stream=True))


def test_the_official_types_take_our_messages() -> None:
    results = ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart("ok"),)) for call in TWO))
    thinking = AssistantTurn("", TWO, "tool_calls", opaque={"thinking": "hm"})
    for message in facts_of(answered(results, assistant=thinking)).document["messages"]:
        sent = ollama.Message(**message).model_dump(exclude_none=True)
        for call in message.get("tool_calls", []):
            del call["id"]
        assert sent == {key: value for key, value in message.items() if key != "tool_call_id"}
