"""The gateway's own API: answers read the same in every delivery, requests say what was asked, results find calls."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import pytest
from every import each
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.deliveries import DELIVERIES, Delivery
from conformance.http import Request, Response, StreamEvent, frame
from conformance.model import (
    REJECTED,
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
)
from conformance.script import ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires.unified.correlate import CorrelationError, answered_call_ids
from conformance.wires.unified.wire import WIRE

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (Tool("read", "Read a file", SCHEMA), Tool("files.list/all", "List", None))
START = Conversation((UserTurn("go"),), TOOLS, profile="portable")
VOICE = Voice("test-model", {"read": "read", "files.list/all": "files_list_all"}, "seed")
ODD = {"path": "/a <b> & \"é😀\u2028\u0085\n\\", "n": 9007199254740993, "deep": {"l": [None, True, 1.5, ""]}}
PNG = b"\x89PNG\r\n\x1a\n"

TURNS = {
    "text": ScriptTurn("Hello, <wörld> 😀\u2028"),
    "empty": ScriptTurn(),
    "call": ScriptTurn(calls=(ScriptCall("read", {"path": "/a"}),)),
    "text-and-call": ScriptTurn("Let me see.", (ScriptCall("read", ODD),)),
    "parallel": ScriptTurn(calls=(ScriptCall("read", ODD), ScriptCall("files.list/all"), ScriptCall("read", {}))),
    "reasoning": ScriptTurn("So:", (ScriptCall("read", {"path": "/b"}, id="call_1"),), reasoning="hm, let me …"),
    "refusal": ScriptTurn(refusal="I will not."),
    "length": ScriptTurn("cut of", stop="length"),
    "pause": ScriptTurn("wait", stop="pause"),
    "unknown-finish": ScriptTurn("ok", finish="because"),
}
STREAMS = [delivery for delivery in DELIVERIES.values() if delivery.streaming and "sse" in delivery.framings]


def expected(turn: ScriptTurn) -> AssistantTurn:
    """What reading ``turn`` must give, with the ids as they are on the wire."""
    ids = WIRE.ids(turn, VOICE)
    calls = tuple(
        ToolCall(wire_id or "", call.tool, call.arguments or {}) for wire_id, call in zip(ids, turn.calls, strict=True)
    )
    return AssistantTurn(turn.text, calls, turn.stops_with, turn.refusal, turn.usage)


def bare(turn: AssistantTurn, *, ids: bool = True) -> AssistantTurn:
    """``turn`` without what only the gateway understands, and, if asked, without ids."""
    calls = turn.calls if ids else tuple(replace(call, id="") for call in turn.calls)
    return replace(turn, calls=calls, opaque=None)


def stream_of(turn: ScriptTurn, delivery: Delivery) -> list[bytes]:
    assert delivery.cut is not None
    return delivery.cut(frame(WIRE.render_stream(turn, VOICE), "sse", delivery.style))


def facts_of(conversation: Conversation) -> Any:
    return WIRE.facts(WIRE.build(conversation, stream=False))


def request_of(*entries: Any, **fields: Any) -> Request:
    return Request.post_json("https://gateway.example/v1/conversations", {"input": list(entries), **fields})


# --- reading ---------------------------------------------------------------------------------------------------------


@each("quirk", ["", *sorted(WIRE.card.quirks)])
@pytest.mark.parametrize("name", TURNS)
def test_a_turn_reads_the_same_in_every_delivery(name: str, quirk: str) -> None:
    turn = replace(TURNS[name], quirks=frozenset({quirk} - {""}))
    blocking = WIRE.read_response(WIRE.respond(turn, VOICE), START)
    if "missing_ids" not in turn.quirks:
        assert bare(blocking) == expected(turn)
    assert bare(blocking, ids=False) == bare(expected(turn), ids=False)
    assert all(call.id for call in blocking.calls)
    assert len({call.id for call in blocking.calls}) == len(turn.calls)
    for delivery in STREAMS:
        assert bare(WIRE.read_stream(stream_of(turn, delivery), START)) == bare(blocking), delivery.name


def test_all_quirks_together() -> None:
    for turn in TURNS.values():
        odd = replace(turn, quirks=WIRE.card.quirks)
        blocking = WIRE.read_response(WIRE.respond(odd, VOICE), START)
        assert bare(blocking, ids=False) == bare(expected(turn), ids=False)
        assert all(bare(WIRE.read_stream(stream_of(odd, way), START)) == bare(blocking) for way in STREAMS)


@pytest.mark.parametrize("name", TURNS)
def test_assembled_body_is_the_blocking_body(name: str) -> None:
    assert WIRE.assemble(WIRE.render_stream(TURNS[name], VOICE)).body == WIRE.render(TURNS[name], VOICE)


@pytest.mark.parametrize("named", [True, False])
def test_the_type_in_the_data_stands_for_the_name_of_the_event(named: bool) -> None:
    events = WIRE.render_stream(TURNS["reasoning"], VOICE)
    assert all(json.loads(event.data)["type"] == event.event for event in events)
    other = [
        StreamEvent(json.dumps({**json.loads(event.data), **({"type": None} if named else {})}),
                    event.event if named else None)
        for event in events
    ]  # fmt: skip
    assert WIRE.assemble(other) == WIRE.assemble(events)


def test_a_stream_in_full() -> None:
    turn = ScriptTurn("hi", (ScriptCall("read", {}, id="call_1"),), reasoning="r", refusal="no")
    kinds = [event.event for event in WIRE.render_stream(turn, VOICE)]
    assert kinds == [
        "message.start", "reasoning.delta", "reasoning.end", "text.delta", "text.delta", "refusal.delta",
        "refusal.delta", "tool_call.start", "tool_call.delta", "tool_call.delta", "tool_call.end", "message.end",
    ]  # fmt: skip


def test_interleaved_calls_alternate() -> None:
    turn = replace(TURNS["parallel"], quirks=frozenset({"interleaved"}))
    indexes = [json.loads(event.data).get("index") for event in WIRE.render_stream(turn, VOICE)]
    assert indexes[1:7] == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("quirk", "sign"),
    [
        ("missing_ids", lambda message: "id" not in message["tool_calls"][0]),
        ("arguments_object", lambda message: message["tool_calls"][0]["args"] == '{"path":"/a"}'),
        ("content_empty", lambda message: message["content"] == ""),
        ("unknown_fields", lambda message: "x_unknown" in message["tool_calls"][0]),
    ],
)
def test_quirks_show_on_the_wire(quirk: str, sign: Any) -> None:
    def message_of(turn: ScriptTurn) -> Any:
        return next(item for item in WIRE.render(turn, VOICE)["output"] if item["type"] == "message")

    assert sign(message_of(replace(TURNS["call"], quirks=frozenset({quirk}))))
    assert not sign(message_of(TURNS["call"]))


def test_unknown_fields_leave_arguments_alone() -> None:
    body = WIRE.render(replace(TURNS["call"], quirks=frozenset({"unknown_fields"})), VOICE)
    assert body["output"][1]["tool_calls"][0]["args"] == {"path": "/a"}


@each("body", [
    None, [], "x", 5, {}, {"output": None}, {"output": [None, 5, {"type": "search"}, {"content": None}]},
    {"output": [{"type": "message", "content": [None, {"type": []}], "tool_calls": [None, 5, {}, {"type": "x"}]}]},
    {"output": [{"tool_calls": {}}], "stop_reason": [], "usage": {"input_tokens": "7"}},
])  # fmt: skip
def test_odd_bodies_are_read_without_calls(body: Any) -> None:
    turn = WIRE.read(body)
    assert (turn.text, turn.calls, turn.stop, turn.usage) == ("", (), "end", None)
    assert WIRE.answered_ids(body) == []


@pytest.mark.parametrize("args, want", [
    ({"path": "/a"}, ({"path": "/a"}, None, False)),
    ('{"path": "/a"}', ({"path": "/a"}, None, False)),
    ("", ({}, None, False)),
    (None, ({}, None, False)),
    ('{"path": ', (None, '{"path": ', True)),
    ([1], (None, "[1]", True)),
])  # fmt: skip
def test_arguments_in_any_form(args: Any, want: Any) -> None:
    (call,) = WIRE.read({"output": [{"tool_calls": [{"id": "call_1", "name": "read", "args": args}]}]}, START).calls
    assert (call.arguments, call.raw, call.invalid) == want


def test_scripted_text_that_is_no_object_arrives_as_it_is() -> None:
    turn = ScriptTurn(calls=(ScriptCall("read", raw='{"path": '),))
    blocking = WIRE.read_response(WIRE.respond(turn, VOICE), START)
    assert (blocking.calls[0].raw, blocking.calls[0].invalid) == ('{"path": ', True)
    assert WIRE.read_stream(stream_of(turn, STREAMS[0]), START) == blocking


# --- streams that end too soon, and errors ---------------------------------------------------------------------------


@pytest.mark.parametrize("quirk", ["", "interleaved", "split_escapes", "empty_deltas"])
@each("delivery", STREAMS, ids=lambda delivery: delivery.name)
def test_a_cut_call_cannot_be_run(delivery: Delivery, quirk: str) -> None:
    turn = replace(TURNS["parallel"], cut="arguments", quirks=frozenset({quirk} - {""}))
    read = WIRE.read_stream(stream_of(turn, delivery), START)
    assert read.stop == "incomplete"
    assert read.calls[:2] == expected(turn).calls[:2]
    assert read.calls[2].invalid and read.calls[2].arguments is None and read.calls[2].name == "read"


@pytest.mark.parametrize("name", TURNS)
def test_without_its_last_event_a_stream_is_incomplete(name: str) -> None:
    turn = WIRE.read_stream(stream_of(replace(TURNS[name], cut="terminal"), STREAMS[0]), START)
    whole = expected(TURNS[name])
    assert (turn.stop, turn.text, turn.calls) == ("incomplete", whole.text, whole.calls)


def test_reasoning_without_its_signature_is_not_kept() -> None:
    events = WIRE.render_stream(TURNS["reasoning"], VOICE)[:3]
    assert WIRE.finish(WIRE.assemble(events)).opaque is None


@pytest.mark.parametrize("name", ["text", "text-and-call", "parallel"])
def test_an_error_in_a_stream(name: str) -> None:
    failing = replace(TURNS[name], fails_with=ScriptError("overloaded", "try later"))
    turn = WIRE.read_stream(stream_of(failing, STREAMS[0]), START)
    assert turn.stop == "error" and turn.error is not None
    assert (turn.error.message, turn.error.type, turn.error.retryable) == ("try later", "overloaded_error", True)
    assert turn.text == TURNS[name].text and all(call.invalid for call in turn.calls)


@pytest.mark.parametrize("kind, status, word, retryable", [
    ("invalid_request", 400, "invalid_request_error", False), ("authentication", 401, "authentication_error", False),
    ("rate_limit", 429, "rate_limit_error", True), ("server", 500, "server_error", True),
    ("overloaded", 503, "overloaded_error", True),
])  # fmt: skip
def test_http_errors(kind: Any, status: int, word: str, retryable: bool) -> None:
    response = WIRE.render_error(ScriptError(kind, "no", retry_after=2))
    assert json.loads(response.body) == {"error": {"type": word, "message": "no", "status": status}}
    error = WIRE.read_response(response).error
    assert error is not None
    assert (error.message, error.status, error.type, error.retryable, error.retry_after) == (
        "no", status, word, retryable, 2.0,
    )  # fmt: skip


def test_an_error_body_with_status_200() -> None:
    turn = WIRE.read_response(Response.of_json(200, {"error": {"type": "server_error", "message": "oh"}}))
    assert turn.stop == "error" and turn.error is not None
    assert (turn.error.message, turn.error.retryable) == ("oh", True)


# --- building --------------------------------------------------------------------------------------------------------

TWO = (ToolCall("call_a", "read", {"path": "/a"}), ToolCall("call_b", "files.list/all", {}))
CALLED = AssistantTurn("", TWO, "tool_calls")


def test_the_request_line() -> None:
    request = WIRE.build(START, stream=False)
    assert (request.method, request.url) == ("POST", "https://gateway.example/v1/conversations")
    assert request.header("Authorization") == "Bearer test-key"
    body = json.loads(request.body)
    assert set(body) == {"model", "input", "max_tokens", "tools"} and body["max_tokens"] == 1024
    facts = WIRE.facts(WIRE.build(replace(START, reasoning=True), stream=True))
    assert facts.stream and facts.document["reasoning"] is True and facts.previous is None


def test_tools_are_declared_whole() -> None:
    assert [(tool.kind, tool.name, tool.description, tool.schema) for tool in facts_of(START).tools] == [
        ("function", "read", "Read a file", SCHEMA),
        ("function", "files_list_all", "List", {"type": "object", "properties": {}}),
    ]


@pytest.mark.parametrize("choice, mode, name, parallel", [
    (ToolChoice(), None, None, None),
    (ToolChoice("none"), "none", None, None),
    (ToolChoice("required", parallel=False), "required", None, False),
    (ToolChoice("tool", "files.list/all", parallel=True), "tool", "files_list_all", True),
])  # fmt: skip
def test_choices(choice: ToolChoice, mode: str | None, name: str | None, parallel: bool | None) -> None:
    facts = facts_of(replace(START, choice=choice))
    assert (facts.choice and facts.choice.mode, facts.choice and facts.choice.name) == (mode, name)
    assert facts.parallel is parallel
    without = facts_of(replace(START, tools=(), choice=choice))
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(without.document)


def test_history_round_trip() -> None:
    results = ResultsTurn((
        ToolResult("call_b", "files.list/all", (JsonPart(["é"]), TextPart("end"))),
        ToolResult("call_a", "read", (TextPart("gone"),), is_error=True),
    ))  # fmt: skip
    conversation = replace(START.then(replace(CALLED, text="Let me."), results, UserTurn("so?")), system="Be brief.")
    facts = facts_of(conversation)
    assert [message.wire_role for message in facts.messages] == [
        "system", "user", "assistant", "tool", "tool", "user",
    ]  # fmt: skip
    assert facts.system == [("/input/0/content/0/text", "Be brief.")]
    assert facts.messages[2].texts == [("/input/2/content/0/text", "Let me.")]
    assert [(call.id, call.name, call.raw) for call in facts.calls] == [
        ("call_a", "read", {"path": "/a"}), ("call_b", "files_list_all", {}),
    ]  # fmt: skip
    assert [(result.ref, result.text, result.error) for result in facts.results] == [
        ("call_a", "gone", True), ("call_b", '["é"]\nend', False),
    ]  # fmt: skip
    (only,) = facts.rounds
    assert (len(only.calls), len(only.results), only.between, only.late) == (2, 2, [], [])


def test_items_are_written_in_full() -> None:
    turn = START.then(CALLED, ResultsTurn((ToolResult("call_a", "read"),)))
    _, assistant, tool = facts_of(turn).document["input"]
    assert assistant["tool_calls"][0] == {"id": "call_a", "name": "read", "args": {"path": "/a"}, "type": "tool_call"}
    empty = [{"type": "text", "text": ""}]
    assert tool == {"type": "message", "role": "tool", "content": empty, "tool_call_id": "call_a"}


def test_made_up_ids_are_written_on_both_sides() -> None:
    turn = WIRE.read(WIRE.render(replace(TURNS["parallel"], quirks=frozenset({"missing_ids"})), VOICE), START)
    results = ResultsTurn(tuple(ToolResult(call.id, call.name) for call in reversed(turn.calls)))
    facts = facts_of(START.then(turn, results))
    assert [call.id for call in facts.calls] == [result.ref for result in facts.results]
    assert all(call.id for call in facts.calls)


@pytest.mark.parametrize("delivery", STREAMS[:2], ids=lambda delivery: delivery.name)
def test_reasoning_comes_back_first_and_unchanged(delivery: Delivery) -> None:
    block = WIRE.render(TURNS["reasoning"], VOICE)["output"][0]["content"][0]
    turn = WIRE.read_stream(stream_of(TURNS["reasoning"], delivery), START)
    assistant = facts_of(START.then(turn)).document["input"][1]
    assert assistant["content"] == [block, {"type": "text", "text": "So:"}]
    assert facts_of(START.then(turn)).messages[1].texts == [("/input/1/content/1/text", "So:")]


@pytest.mark.parametrize("opaque", [None, "x", ["x"], {"reasoning": "hm"}, {"reasoning": [5, {"type": "thinking"}]}])
def test_what_another_provider_left_behind_is_not_sent(opaque: Any) -> None:
    assert facts_of(START.then(replace(CALLED, opaque=opaque))).document["input"][1]["content"] == []


def test_refusals_are_replayed() -> None:
    content = facts_of(START.then(AssistantTurn(refusal="no"))).document["input"][1]["content"]
    assert content == [{"type": "refusal", "text": "no"}]


def test_images() -> None:
    results = ResultsTurn((ToolResult("call_a", "read", (TextPart("here:"), ImagePart("image/png", PNG))),))
    portable = facts_of(START.then(CALLED, results)).results[0]
    assert (portable.text, portable.images) == ("here:\nBinary content of type image/png was processed.", [])
    native = facts_of(replace(START.then(CALLED, results), profile="native")).results[0]
    assert native.text == "here:"
    assert native.images == [("/input/2/content/1", "image/png", base64.b64encode(PNG).decode())]


def test_arguments_that_were_no_object_are_replayed_in_one() -> None:
    call = ToolCall("call_a", "read", None, '{"pa', invalid=True)
    assert facts_of(START.then(AssistantTurn(calls=(call,)))).calls[0].raw == {"invalid_arguments": '{"pa'}


# --- decisions -------------------------------------------------------------------------------------------------------


def test_decisions() -> None:
    decisions = DecisionsTurn((Decision("call_a", "read", False), Decision("call_b", "files.list/all", True)))
    results = ResultsTurn((ToolResult("call_b", "files.list/all", (TextPart("ok"),)),))
    facts = facts_of(START.then(CALLED, decisions, results))
    assert facts.document["input"][2] == {"type": "tool_decision", "tool_call_id": "call_a", "decision": "reject"}
    assert [(item.at, item.ref, item.accept) for item in facts.decisions] == [
        ("/input/2", "call_a", False), ("/input/3", "call_b", True),
    ]  # fmt: skip
    assert [message.wire_role for message in facts.messages[2:]] == ["tool_decision", "tool_decision", "tool"]
    assert [(result.ref, result.text, result.error) for result in facts.results] == [
        ("call_a", REJECTED, True), ("call_b", "ok", False),
    ]  # fmt: skip
    (only,) = facts.rounds
    assert ([result.ref for result in only.results], only.late, only.between) == (["call_a", "call_b"], [], [])
    assert answered_call_ids(facts.document) == [("/input/4", "call_b")]


def test_a_decision_in_other_words_is_none() -> None:
    facts = WIRE.facts(request_of({"type": "tool_decision", "tool_call_id": "call_a", "decision": "maybe"}))
    assert (facts.decisions[0].accept, facts.decisions[0].raw, facts.results) == (None, "maybe", [])


# --- requests of others ----------------------------------------------------------------------------------------------


def test_a_string_and_a_block_mean_the_same() -> None:
    entries = [{"role": "tool", "tool_call_id": "c", "content": content} for content in ("A", [{"text": "A"}])]
    entries.append({"type": "message", "role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "A"}]})
    assert {result.text for result in WIRE.facts(request_of(*entries)).results} == {"A"}


def test_type_may_be_left_out_and_args_may_be_text() -> None:
    entry = {"role": "assistant", "tool_calls": [{"id": "call_1", "name": "f", "args": '{"a":1}'}]}
    facts = WIRE.facts(request_of(entry, conversation_id="conv_123"))
    assert (facts.calls[0].raw, facts.calls[0].arguments) == ('{"a":1}', {"a": 1})
    assert facts.calls[0].arguments_at == "/input/0/tool_calls/0/args"
    assert facts.previous == "conv_123"


@each("body", [
    b"", b"\xff", b"[" * 100_000, b"null", b"[1]", b'{"input": "hi", "tools": {}, "tool_choice": []}',
    b'{"input": [null, 5, {"role": []}, {"type": [], "role": "tool", "content": [null, {"type": "image"}]}, '
    b'{"type": "tool_decision", "decision": []}, {"role": "assistant", "content": 5, "tool_calls": [null, 5]}], '
    b'"tools": [null], "conversation_id": []}',
    b'{"input": [{"role": "assistant", "tool_calls": [{"id": {}}]}, {"role": "tool", "tool_call_id": []}]}',
])  # fmt: skip
def test_facts_never_raise(body: bytes) -> None:
    facts = WIRE.facts(Request("POST", "https://gateway.example/v1/conversations", {}, body))
    assert facts.rounds is not None


def asks(*ids: str | None) -> Any:
    return {"role": "assistant", "tool_calls": [{"id": call_id, "name": "w", "args": {}} for call_id in ids]}


def tells(ref: str | None = None) -> Any:
    return {"role": "tool", "content": "x", **({} if ref is None else {"tool_call_id": ref})}


def decides(word: str, ref: str) -> Any:
    return {"type": "tool_decision", "tool_call_id": ref, "decision": word}


USER = {"role": "user", "content": "hi"}


@pytest.mark.parametrize("entries, refs", [
    ([], []),
    ([asks("a", "b"), tells(), tells()], ["a", "b"]),
    ([asks("a", "b"), tells("b"), tells("a")], ["b", "a"]),
    ([asks("a", "b", "c"), tells(), tells("a"), tells()], ["b", "a", "c"]),
    ([asks("a"), tells(), USER, asks("b"), tells()], ["a", "b"]),
    ([asks("a", "b"), decides("reject", "a"), decides("accept", "b"), tells()], ["b"]),
    ([asks("a", "b"), tells("b")], ["b"]),
    ([asks("a"), USER, tells("a")], ["a"]),
    ([asks("a"), tells("stranger")], ["stranger"]),
    ([asks("a", None), tells("a")], ["a"]),
])  # fmt: skip
def test_correlation(entries: list[Any], refs: list[str]) -> None:
    places = [f"/input/{place}" for place, entry in enumerate(entries) if entry.get("role") == "tool"]
    assert answered_call_ids({"input": entries}) == list(zip(places, refs, strict=True))


@pytest.mark.parametrize("entries", [
    [tells()],
    [asks("a", "b"), tells()],
    [asks("a"), tells(), tells()],
    [asks("a", "b"), tells("a"), tells("b"), tells()],
    [asks("a"), USER, tells()],
    [asks("a", "b"), tells(), USER, tells()],
    [asks("a", "b"), decides("reject", "a"), tells(), tells()],
    [asks(None), tells()],
])  # fmt: skip
def test_ambiguous_results_are_an_error(entries: list[Any]) -> None:
    with pytest.raises(CorrelationError):
        answered_call_ids({"input": entries})


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
def test_any_turn(text: str, args: list[Any], thought: str | None, odd: frozenset[str], delivery: Delivery) -> None:
    turn = ScriptTurn(text, tuple(ScriptCall("read", item) for item in args), thought, quirks=odd)
    blocking = WIRE.read_response(WIRE.respond(turn, VOICE), START)
    assert (blocking.text, [call.arguments for call in blocking.calls]) == (text, args)
    assert bare(WIRE.read_stream(stream_of(turn, delivery), START)) == bare(blocking)


@settings(max_examples=60, deadline=None)
@given(texts, st.lists(arguments, min_size=1, max_size=3), st.lists(texts, min_size=3, max_size=3), st.randoms())
def test_any_history(text: str, args: list[Any], outputs: list[str], random: Any) -> None:
    calls = tuple(ToolCall(f"call_{place}", "read", item) for place, item in enumerate(args))
    results = [ToolResult(call.id, "read", (TextPart(out),)) for call, out in zip(calls, outputs, strict=False)]
    shuffled = random.sample(results, len(results))
    facts = facts_of(START.then(AssistantTurn(text, calls), ResultsTurn(tuple(shuffled))))
    assert [call.raw for call in facts.calls] == args
    assert [result.text for result in facts.results] == outputs[: len(args)]
    by_id = answered_call_ids(facts.document)
    for entry in facts.document["input"]:
        entry.pop("tool_call_id", None)
    assert answered_call_ids(facts.document) == by_id
