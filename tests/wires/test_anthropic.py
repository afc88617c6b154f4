"""The Messages wire: both halves against each other, and against the official SDK."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic.types import Message, RawMessageStreamEvent
from every import each, every, of_every
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from conformance.http import FrameStyle, Request, Response, StreamEvent, frame
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    JsonPart,
    Part,
    Profile,
    ResultsTurn,
    Stop,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Usage,
    UserTurn,
)
from conformance.script import ErrorKind, ScriptCall, ScriptError, ScriptTurn, ServerSearch, Voice
from conformance.wires import wire
from conformance.wires.anthropic.wire import WIRE
from conformance.wires.base import signature, stream_headers

READ = Tool("read_file", "Read a file", {"type": "object", "properties": {"path": {"type": "string"}}})
LIST = Tool("list files!", "List them")
SEARCH = Tool("web", builtin="web_search")
VOICE = Voice("test-model", {LIST.name: "list_files_"}, "seed")
ASK = Conversation((UserTurn("Hello"),), (READ, LIST))

TWO = (ScriptCall("read_file", {"path": "/é😀\n\"\\", "n": 12345678901234567890, "deep": [None, {"a": []}]}),
       ScriptCall("read_file", {"path": "b"}))  # fmt: skip
TURNS = {
    "text": ScriptTurn("Grüße 😀"),
    "nothing": ScriptTurn(),
    "one call": ScriptTurn(calls=TWO[:1]),
    "text and two calls": ScriptTurn("Reading", TWO),
    "without arguments": ScriptTurn("Listing", (ScriptCall(LIST.name), *TWO)),
    "reasoning": ScriptTurn("So", TWO, reasoning="Let me think 🤔"),
    "reasoning that is not shown": ScriptTurn(calls=TWO, reasoning=""),
    "search": ScriptTurn("Found", search=ServerSearch("q", "Title", "https://e.org/"), usage=Usage(3, 99)),
    "search, then a call": ScriptTurn("Found", TWO, search=ServerSearch("q", "Title", "https://e.org/")),
    "refusal": ScriptTurn("I was ab", refusal="This is not allowed."),
    "refusal without words": ScriptTurn(refusal=""),
    "cut by length": ScriptTurn("Reading", TWO, stop="length"),
    "paused": ScriptTurn(search=ServerSearch("q", "Title", "https://e.org/"), stop="pause"),
    "invalid arguments": ScriptTurn(calls=(ScriptCall("read_file", raw='{"path": "a'), *TWO)),
    "arguments that are a list": ScriptTurn(calls=(ScriptCall("read_file", raw="[1]"),)),
    "fixed ids": ScriptTurn(calls=(ScriptCall("read_file", {"path": "a"}, id="toolu_x"),)),
    "an unknown stop reason": ScriptTurn("Done", TWO, finish="brand_new"),
}
ODDITIES = ("", *sorted(WIRE.card.quirks))
ODD_TURNS = {f"{name}, {quirk}": (name, quirk) for name in TURNS for quirk in ODDITIES}


def chunkings(events: list[StreamEvent]) -> Iterator[list[bytes]]:
    """The same stream, in every way in which it may arrive."""
    plain = b"".join(frame(events, "sse"))
    yield [plain]
    yield [plain[place : place + 1] for place in range(len(plain))]
    for style in (FrameStyle("\r\n"), FrameStyle(comments=True), FrameStyle(space=False, bom=True, split_data=True)):
        yield frame(events, "sse", style)


def streamed(turn: ScriptTurn, conversation: Conversation = ASK) -> AssistantTurn:
    return WIRE.read_stream(frame(WIRE.render_stream(turn, VOICE), "sse"), conversation)


def blocking(turn: ScriptTurn, conversation: Conversation = ASK) -> AssistantTurn:
    return WIRE.read_response(WIRE.respond(turn, VOICE), conversation)


def body_of(conversation: Conversation) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(WIRE.build(conversation, stream=False).body)
    return body


# --- one meaning, blocking or streamed -------------------------------------------------------------------------------


def test_is_registered() -> None:
    assert wire("anthropic") is WIRE


@pytest.mark.parametrize("name", TURNS)
def test_a_stream_means_what_the_body_means(name: str) -> None:
    every({quirk: (name, quirk) for quirk in ODDITIES}, a_stream_means_what_the_body_means)


def a_stream_means_what_the_body_means(name: str, quirk: str) -> None:
    turn = replace(TURNS[name], quirks=frozenset({quirk} - {""}))
    expected = blocking(turn)
    for chunks in chunkings(WIRE.render_stream(turn, VOICE)):
        assert WIRE.read_stream(chunks, ASK) == expected
    assert WIRE.assemble(WIRE.render_stream(turn, VOICE)).body == WIRE.render(turn, VOICE)


@of_every(ODD_TURNS)
def test_reads_what_the_script_says(name: str, quirk: str) -> None:
    turn = replace(TURNS[name], quirks=frozenset({quirk} - {""}))
    read = blocking(turn)
    assert read.text == turn.text
    assert read.usage == turn.usage
    assert [call.name for call in read.calls] == [call.tool for call in turn.calls]
    assert [call.arguments for call in read.calls if not call.invalid] == [
        call.arguments or {} for call in turn.calls if call.raw is None
    ]
    assert [call.raw for call in read.calls if call.invalid] == [call.raw for call in turn.calls if call.raw]
    assert WIRE.answered_ids(WIRE.render(turn, VOICE)) == WIRE.ids(turn, VOICE)
    assert len({call.id for call in read.calls}) == len(read.calls)
    if quirk != "repeated_id":
        assert [call.id for call in read.calls] == WIRE.ids(turn, VOICE)
    if quirk != "finish_stop":
        assert read.stop == turn.stops_with
        explained = turn.refusal and quirk != "sparse_answers"  # what explains came after 2024
        assert read.refusal == (turn.refusal if explained else turn.text if turn.stops_with == "refusal" else None)


@pytest.mark.parametrize(
    ("reason", "calls", "stop"),
    [
        ("tool_use", True, "tool_calls"), ("end_turn", True, "tool_calls"), ("end_turn", False, "end"),
        ("stop_sequence", False, "end"), ("tool_use", False, "end"), ("max_tokens", True, "length"),
        ("model_context_window_exceeded", False, "length"), ("pause_turn", False, "pause"),
        ("pause_turn", True, "tool_calls"), ("refusal", True, "refusal"), ("brand_new", True, "tool_calls"),
        ("brand_new", False, "end"), (None, True, "tool_calls"), ({"odd": 1}, False, "end"),
    ],
)  # fmt: skip
def test_stop_reasons(reason: object, calls: bool, stop: Stop) -> None:
    blocks = [{"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}] if calls else []
    assert WIRE.read({"type": "message", "content": blocks, "stop_reason": reason}).stop == stop


def test_server_tools_are_kept_but_are_no_calls() -> None:
    read = streamed(TURNS["search"])
    assert read.calls == ()
    kinds = [block["type"] for block in read.opaque["anthropic"]]
    assert kinds == ["server_tool_use", "web_search_tool_result", "text"]


@each(
    "body", [None, [], "text", {}, {"content": None}, {"content": "text"}, {"content": [None, 1, {"type": "tool_use"}]}]
)
def test_odd_bodies_do_not_raise(body: object) -> None:
    assert isinstance(WIRE.read(body, ASK), AssistantTurn)


def test_a_stream_has_the_documented_shape() -> None:
    """The order, and the empty first fragment, of recorded streams."""
    script = ScriptTurn("Ok", (ScriptCall("read_file", {"p": 1}), ScriptCall(LIST.name)), reasoning="Hm")
    documents = [json.loads(event.data) for event in WIRE.render_stream(script, VOICE)]
    opening, *_, ending, last = documents
    assert opening["message"]["content"] == []
    assert opening["message"]["stop_reason"] is None
    assert opening["message"]["usage"]["output_tokens"] == 1
    assert ending["usage"]["output_tokens"] == script.usage.output_tokens
    assert last == {"type": "message_stop"}
    shape = [(document["type"], document.get("delta", {}).get("type")) for document in documents]
    assert [delta or kind for kind, delta in shape] == [
        "message_start",
        "content_block_start", "ping", "thinking_delta", "thinking_delta", "signature_delta", "content_block_stop",
        "content_block_start", "text_delta", "text_delta", "content_block_stop",
        "content_block_start", *["input_json_delta"] * 5, "content_block_stop",
        "content_block_start", "input_json_delta", "content_block_stop",
        "message_delta", "message_stop",
    ]  # fmt: skip
    pieces = [document["delta"]["partial_json"] for document in documents if "partial_json" in str(document)]
    assert pieces == ["", '{"', 'p"', ":1", "}", ""]


@pytest.mark.parametrize("quirk", ["arguments_empty", "no_deltas"])
def test_calls_may_come_without_deltas(quirk: str) -> None:
    script = ScriptTurn(calls=(ScriptCall(LIST.name),), quirks=frozenset({quirk}))
    assert not [event for event in WIRE.render_stream(script, VOICE) if event.event == "content_block_delta"]


def test_split_escapes_are_cut_inside_escapes() -> None:
    script = replace(TURNS["one call"], quirks=frozenset({"split_escapes"}))
    pieces = [json.loads(event.data)["delta"]["partial_json"] for event in WIRE.render_stream(script, VOICE)
              if "partial_json" in event.data]  # fmt: skip
    assert "\\ud83d\\ude00" in "".join(pieces)
    assert all(len(piece) <= 3 for piece in pieces)


# --- streams that break ----------------------------------------------------------------------------------------------


@each("quirk", ["", *sorted(WIRE.card.quirks)])
def test_a_stream_cut_in_arguments_yields_no_runnable_half_call(quirk: str) -> None:
    turn = replace(TURNS["text and two calls"], cut="arguments", quirks=frozenset({quirk} - {""}))
    for chunks in chunkings(WIRE.render_stream(turn, VOICE)):
        read = WIRE.read_stream(chunks, ASK)
        assert read.stop == "incomplete"
        assert [call.invalid for call in read.calls] == [False, True]
        assert read.calls[1].arguments is None
        if quirk != "no_deltas":
            raw, whole = str(read.calls[1].raw).replace(" ", ""), '{"path":"b"}'
            assert whole.startswith(raw)
            assert raw != whole


def test_a_cut_call_without_arguments_is_not_runnable() -> None:
    read = streamed(ScriptTurn(calls=(ScriptCall(LIST.name),), cut="arguments"))
    assert (read.stop, read.calls[0].invalid) == ("incomplete", True)


def test_a_stream_cut_before_its_end_is_incomplete() -> None:
    read = streamed(replace(TURNS["text and two calls"], cut="terminal"))
    assert read.stop == "incomplete"
    assert [call.invalid for call in read.calls] == [False, False]


@pytest.mark.parametrize("name", TURNS)
def test_an_error_in_the_stream_ends_it(name: str) -> None:
    error = ScriptError("overloaded", "Overloaded")
    read = streamed(replace(TURNS[name], fails_with=error))
    assert read.stop == "error"
    assert read.error is not None
    assert (read.error.type, read.error.message, read.error.retryable) == ("overloaded_error", "Overloaded", True)
    assert all(call.invalid for call in read.calls)


def events(*documents: dict[str, Any]) -> list[StreamEvent]:
    return [StreamEvent(json.dumps(document), document.get("type")) for document in documents]


def start(message_id: str = "msg_1") -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": message_id, "content": [], "stop_reason": None}}


def tool_use(index: int, call_id: str, *pieces: str, closed: bool = True) -> list[dict[str, Any]]:
    block = {"type": "tool_use", "id": call_id, "name": "read_file", "input": {}}
    deltas = [{"type": "content_block_delta", "index": index,
               "delta": {"type": "input_json_delta", "partial_json": piece}} for piece in pieces]  # fmt: skip
    stop = [{"type": "content_block_stop", "index": index}] if closed else []
    return [{"type": "content_block_start", "index": index, "content_block": block}, *deltas, *stop]


DONE = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}
STOP = {"type": "message_stop"}


def finished(*documents: dict[str, Any]) -> AssistantTurn:
    return WIRE.finish(WIRE.assemble(events(*documents)))


def test_a_stop_reason_completes_a_stream_without_message_stop() -> None:
    read = finished(start(), *tool_use(0, "a", '{"x":', "1}"), DONE)
    assert (read.stop, read.calls) == ("tool_calls", (ToolCall("a", "read_file", {"x": 1}),))


def test_a_later_message_delta_does_not_take_the_stop_reason_back() -> None:
    later = {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 9, "input_tokens": 4}}
    last = {"type": "message_delta", "delta": {}, "usage": {"input_tokens": None}}
    read = finished(start(), {**DONE, "delta": {"stop_reason": "max_tokens"}}, later, last, STOP)
    assert (read.stop, read.usage) == ("length", Usage(4, 9))


def test_an_answer_spliced_onto_a_broken_one_is_read_alone() -> None:
    read = finished(start("a"), *tool_use(0, "lost", '{"x', closed=False), start("b"),
                    *tool_use(0, "kept", "{}"), DONE, STOP)  # fmt: skip
    assert [call.id for call in read.calls] == ["kept"]


def test_a_message_started_twice_goes_on() -> None:
    read = finished(start(), *tool_use(0, "a", "{}"), start(), *tool_use(1, "b", "{}"), DONE, STOP)
    assert [call.id for call in read.calls] == ["a", "b"]


def test_what_follows_the_message_is_not_read() -> None:
    assert finished(start(), DONE, STOP, start("b"), *tool_use(0, "late", "{}")).calls == ()


def test_interleaved_blocks_stay_apart() -> None:
    first, second = tool_use(0, "a", '{"x":', "1}"), tool_use(1, "b", '{"y":', "2}")
    woven = [event for pair in zip(first, second, strict=True) for event in pair]
    assert [call.arguments for call in finished(start(), *woven, DONE, STOP).calls] == [{"x": 1}, {"y": 2}]


def test_a_block_may_begin_with_content() -> None:
    said = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hel"}}
    more = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}}
    whole = start()
    whole["message"]["content"] = [{"type": "tool_use", "id": "a", "name": "read_file", "input": {"x": 1}}]
    assert finished(start(), said, more, DONE, STOP).text == "Hello"
    assert finished(whole, STOP).calls == (ToolCall("a", "read_file", {"x": 1}),)


def test_blocks_without_index_follow_each_other() -> None:
    bare = [{key: value for key, value in event.items() if key != "index"} for event in tool_use(0, "a", '{"x":1}')]
    assert finished(start(), *bare, DONE, STOP).calls[0].arguments == {"x": 1}


def test_arguments_cut_by_the_token_limit_stay_readable() -> None:
    ending = {**DONE, "delta": {"stop_reason": "max_tokens"}}
    read = finished(start(), *tool_use(0, "a", '{"x": "half', closed=False), ending, STOP)
    assert read.stop == "length"
    assert read.calls == (ToolCall("a", "read_file", None, '{"x": "half', invalid=True),)


def test_unknown_events_deltas_and_broken_json_are_ignored() -> None:
    odd: list[dict[str, Any]] = [
        {"type": "brand_new"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "brand_new_delta"}},
        {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "lost"}},
        {"type": "content_block_stop", "index": [1]},
        {"type": ["odd"]},
    ]
    opening, *rest = tool_use(0, "a", '{"x":1}')
    broken = [StreamEvent('{"type": "message_st'), StreamEvent("[DONE]"), StreamEvent("[1]")]
    assembly = WIRE.assemble([*events(start(), opening, *odd, *rest), *broken, *events(DONE, STOP)])
    assert WIRE.finish(assembly).calls == (ToolCall("a", "read_file", {"x": 1}),)


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "status", "name", "retryable"),
    [
        ("invalid_request", 400, "invalid_request_error", False),
        ("authentication", 401, "authentication_error", False),
        ("rate_limit", 429, "rate_limit_error", True),
        ("server", 500, "api_error", True),
        ("overloaded", 529, "overloaded_error", True),
    ],
)
def test_http_errors(kind: ErrorKind, status: int, name: str, retryable: bool) -> None:
    response = WIRE.render_error(ScriptError(kind, "Sorry", 7 if kind == "rate_limit" else None))
    document = json.loads(response.body)
    assert response.status == status
    assert document["type"] == "error"
    assert document["request_id"] == response.header("request-id")
    error = WIRE.read_response(response).error
    assert error is not None
    assert (error.status, error.type, error.message, error.retryable) == (status, name, "Sorry", retryable)
    assert error.retry_after == (7 if kind == "rate_limit" else None)


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"", b"[]", b'{"message": "no type"}', b'"text"'])
def test_errors_of_other_shapes(body: bytes) -> None:
    turn = WIRE.read_response(Response(502, {}, body))
    assert (turn.stop, turn.error is not None and turn.error.retryable) == ("error", True)


# --- building --------------------------------------------------------------------------------------------------------


def test_the_request() -> None:
    request = WIRE.build(replace(ASK, system="Be brief", max_tokens=99), stream=True)
    assert (request.method, request.url) == ("POST", "https://api.anthropic.com/v1/messages")
    assert (request.header("x-api-key"), request.header("anthropic-version")) == ("test-key", "2023-06-01")
    assert json.loads(request.body) == {
        "model": "test-model",
        "max_tokens": 99,
        "system": "Be brief",
        "messages": [{"role": "user", "content": "Hello"}],
        "tools": [
            {"name": "read_file", "description": "Read a file", "input_schema": READ.parameters},
            {"name": "list_files_", "description": "List them", "input_schema": {"type": "object", "properties": {}}},
        ],
        "stream": True,
    }


def test_without_tools_there_is_no_choice() -> None:
    body = body_of(replace(ASK, tools=(), choice=ToolChoice("required", parallel=False)))
    assert not {"tools", "tool_choice", "stream", "thinking", "system"} & body.keys()


def test_strict_is_sent_only_when_set() -> None:
    tools = body_of(replace(ASK, tools=(replace(READ, strict=True), replace(LIST, strict=False), SEARCH)))["tools"]
    assert [tool.get("strict") for tool in tools] == [True, False, None]
    assert tools[2] == {"type": "web_search_20250305", "name": "web_search"}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (ToolChoice(), None),
        (ToolChoice(parallel=True), None),
        (ToolChoice(parallel=False), {"type": "auto", "disable_parallel_tool_use": True}),
        (ToolChoice("none", parallel=False), {"type": "none"}),
        (ToolChoice("required"), {"type": "any"}),
        (ToolChoice("required", parallel=False), {"type": "any", "disable_parallel_tool_use": True}),
        (ToolChoice("tool", LIST.name), {"type": "tool", "name": "list_files_"}),
    ],
)
def test_tool_choice(choice: ToolChoice, expected: object) -> None:
    assert body_of(replace(ASK, choice=choice)).get("tool_choice") == expected


@pytest.mark.parametrize(("asked", "sent"), [(10, 1034), (1024, 2048), (5000, 6024)])
def test_thinking_comes_on_top_of_max_tokens_and_forbids_forcing(asked: int, sent: int) -> None:
    body = body_of(replace(ASK, reasoning=True, max_tokens=asked, choice=ToolChoice("required", parallel=False)))
    assert body["max_tokens"] == sent > body["thinking"]["budget_tokens"]
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert body["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}


def test_a_loop_that_began_without_thinking_goes_on_with_it() -> None:
    foreign = AssistantTurn(calls=(ToolCall("a", "read_file"),))
    conversation = replace(ASK, reasoning=True).then(foreign, ResultsTurn((ToolResult("a", "read_file"),)))
    assert "thinking" in body_of(conversation)  # the API leaves it off by itself ("Graceful thinking degradation")
    assert "thinking" in body_of(conversation.then(AssistantTurn("Done"), UserTurn("Again")))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (None, {"type": "object", "properties": {}}),
        ({}, {"type": "object"}),
        ({"properties": {"a": {}}}, {"type": "object", "properties": {"a": {}}}),
        (
            {"type": "object", "properties": {"a": {}}, "required": ["a"],
             "anyOf": [{"properties": {"b": {}}, "required": ["b"]}, {"required": ["c"]}],
             "allOf": [{"properties": {"d": {}}, "required": ["d", "a"]}]},
            {"type": "object", "properties": {"a": {}, "b": {}, "d": {}}, "required": ["a", "d"]},
        ),
    ],
)  # fmt: skip
def test_input_schemas_are_plain_objects(parameters: dict[str, Any] | None, expected: dict[str, Any]) -> None:
    tool = body_of(replace(ASK, tools=(replace(READ, parameters=parameters),)))["tools"][0]
    assert tool["input_schema"] == expected


def test_names_come_back_as_the_applications_names() -> None:
    assert blocking(ScriptTurn(calls=(ScriptCall(LIST.name),))).calls[0].name == LIST.name


# --- replay and results ----------------------------------------------------------------------------------------------


def results(turn: AssistantTurn, *, reverse: bool = False) -> ResultsTurn:
    done = [ToolResult(call.id, call.name, (TextPart(f"result {place}"),)) for place, call in enumerate(turn.calls)]
    return ResultsTurn(tuple(reversed(done) if reverse else done))


@pytest.mark.parametrize("name", [name for name, turn in TURNS.items() if turn.calls])
def test_results_answer_their_calls_in_call_order(name: str) -> None:
    turn = streamed(TURNS[name])
    conversation = ASK.then(turn, results(turn, reverse=True), UserTurn("And now?"))
    facts = WIRE.facts(WIRE.build(conversation, stream=False))
    (round_,) = facts.rounds
    ids = WIRE.ids(TURNS[name], VOICE)
    assert [call.id for call in round_.calls] == [result.ref for result in round_.results] == ids
    assert [result.text for result in round_.results] == [f"result {place}" for place in range(len(ids))]
    assert (round_.late, round_.between) == ([], [])
    assert all(isinstance(call.raw, dict) for call in round_.calls)
    content = facts.document["messages"][2]["content"]
    assert [block["type"] for block in content] == ["tool_result"] * len(ids) + ["text"]
    assert facts.messages[2].texts == [(f"/messages/2/content/{len(ids)}/text", "And now?")]


@pytest.mark.parametrize("name", ["text", "one call", "reasoning", "reasoning that is not shown", "search", "paused"])
def test_blocks_are_replayed_verbatim(name: str) -> None:
    turn = streamed(TURNS[name])
    assert body_of(ASK.then(turn))["messages"][1]["content"] == WIRE.render(TURNS[name], VOICE)["content"]


def test_thinking_stays_first_with_its_signature() -> None:
    turn = streamed(TURNS["reasoning"])
    body = body_of(replace(ASK, reasoning=True).then(turn, results(turn)))
    assert body["messages"][1]["content"][0] == {
        "type": "thinking", "thinking": "Let me think 🤔", "signature": signature("seed")
    }  # fmt: skip
    assert "thinking" in body


def test_what_the_api_would_refuse_is_not_replayed() -> None:
    blocks = [
        {"type": "text", "text": " \n"}, {"type": "thinking", "thinking": "cut", "signature": ""},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": '{"q'},
        {"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "ok"},
    ]  # fmt: skip
    turn = WIRE.read({"content": blocks, "stop_reason": "end_turn"})
    assert body_of(ASK.then(turn))["messages"][1]["content"] == blocks[3:]


def test_repeated_ids_are_made_anew_on_both_sides() -> None:
    script = replace(TURNS["text and two calls"], quirks=frozenset({"repeated_id"}))
    turn = streamed(script)
    facts = WIRE.facts(WIRE.build(ASK.then(turn, results(turn)), stream=False))
    sent = [call.id for call in facts.calls]
    assert len(set(sent)) == 2
    assert sent == [result.ref for result in facts.results]
    again = streamed(script, ASK.then(turn, results(turn)))
    assert not {call.id for call in again.calls} & set(sent)


def test_foreign_ids_are_mapped_alike_on_both_sides() -> None:
    turn = AssistantTurn("", (ToolCall("functions.Bash:0", "read_file", {"path": "a"}), ToolCall("ok-1", LIST.name)),
                         opaque={"reasoning_content": "hm"})  # fmt: skip
    facts = WIRE.facts(WIRE.build(ASK.then(turn, results(turn, reverse=True)), stream=False))
    first, second = facts.calls
    assert (first.name, second.name, second.id, second.raw) == ("read_file", "list_files_", "ok-1", {})
    assert str(first.id).startswith("toolu_")
    assert [result.ref for result in facts.results] == [first.id, second.id]


def test_invalid_arguments_are_replayed_inside_an_object() -> None:
    for turn in (streamed(TURNS["invalid arguments"]), replace(streamed(TURNS["invalid arguments"]), opaque=None)):
        blocks = body_of(ASK.then(turn, results(turn)))["messages"][1]["content"]
        assert blocks[0]["input"] == {"invalid_arguments": '{"path": "a'}
        assert blocks[1]["input"] == TWO[0].arguments


def test_blank_text_is_never_sent() -> None:
    turns = (UserTurn(" "), AssistantTurn("\n"), UserTurn("Hello"), AssistantTurn(), UserTurn("You there?"))
    assert [message["content"] for message in body_of(replace(ASK, turns=turns, system=""))["messages"]] == [
        "Hello", "You there?"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "parts", "is_error", "content"),
    [
        ("portable", (), False, ""),
        ("portable", (TextPart("a"), JsonPart({"b": [1]})), False, 'a\n{"b":[1]}'),
        ("portable", (ImagePart("image/png", b"\0"),), False, "Binary content of type image/png was processed."),
        ("native", (TextPart("a"), TextPart("b")), False, "a\nb"),
        ("native", (TextPart("a"), TextPart(" "), ImagePart("image/png", b"\0")), False, [
            {"type": "text", "text": "a"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
        ]),
        ("native", (ImagePart("image/tiff", b"\0"),), False, "Binary content of type image/tiff was processed."),
        ("native", (ImagePart("image/png", b"\0"),), True, "Binary content of type image/png was processed."),
        ("portable", (TextPart("boom"),), True, "boom"),
        ("portable", (), True, "The tool failed and gave no message."),
    ],
)  # fmt: skip
def test_result_content(profile: Profile, parts: tuple[Any, ...], is_error: bool, content: object) -> None:
    turn = blocking(TURNS["one call"])
    done = ResultsTurn((ToolResult(turn.calls[0].id, "read_file", parts, is_error),))
    (block,) = body_of(replace(ASK, profile=profile).then(turn, done))["messages"][2]["content"]
    assert block.get("is_error", False) is is_error
    assert ("is_error" in block) is is_error
    assert block["content"] == content


def test_a_rejected_call_is_answered_beside_the_accepted_ones() -> None:
    turn = blocking(TURNS["text and two calls"])
    first, second = turn.calls
    decided = DecisionsTurn((Decision(first.id, first.name, False), Decision(second.id, second.name, True)))
    done = ResultsTurn((ToolResult(second.id, second.name, (TextPart("fine"),)),))
    facts = WIRE.facts(WIRE.build(ASK.then(turn, decided, done), stream=False))
    assert len(facts.messages) == 3
    assert [(result.ref, result.error, result.text) for result in facts.results] == [
        (first.id, True, "The user rejected this tool call."), (second.id, False, "fine")
    ]  # fmt: skip


def test_a_paused_turn_is_sent_back_as_it_is() -> None:
    paused, done = streamed(TURNS["paused"]), streamed(TURNS["text and two calls"])
    messages = body_of(ASK.then(paused, done, results(done)))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "assistant", "user"]


# --- facts -----------------------------------------------------------------------------------------------------------


def facts_of(document: object) -> Any:
    return WIRE.facts(Request.post_json("https://api.anthropic.com/v1/messages", document))


def test_facts_of_a_full_request() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    facts = facts_of({
        "system": [{"type": "text", "text": "Be brief"}, {"type": "text"}],
        "tools": [{"type": "custom", "name": "a", "input_schema": {}, "strict": True}, {"type": "web_search_20250305"},
                  {"type": "function", "function": {"name": "b"}}, "odd"],
        "tool_choice": {"type": "tool", "name": "a", "disable_parallel_tool_use": True},
        "stream": True,
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "a", "input": {"p": 1}},
                                              {"type": "server_tool_use", "id": "s"}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "x", "is_error": True,
                 "content": [{"type": "text", "text": "1"}, image, {"type": "text", "text": "2"}]},
                {"type": "tool_result", "tool_use_id": "y", "is_error": "true"},
                {"type": "text", "text": "go on"}]},
            {"role": "system", "content": "later"},
            {"role": "tool", "tool_call_id": "x", "content": "odd"},
            {"role": ["user"], "content": [None, {"type": ["text"]}]},
        ],
    })  # fmt: skip
    assert facts.system == [("/system/0/text", "Be brief"), ("/messages/3/content", "later")]
    assert [(tool.kind, tool.name) for tool in facts.tools] == [
        ("function", "a"), ("web_search_20250305", None), ("function", None), ("function", None)
    ]  # fmt: skip
    assert (facts.tools[0].schema_at, facts.tools[0].strict) == ("/tools/0/input_schema", True)
    assert (facts.choice.mode, facts.choice.name, facts.parallel) == ("tool", "a", False)
    assert facts.parallel_at == "/tool_choice/disable_parallel_tool_use"
    assert facts.stream
    (call,) = facts.calls
    assert (call.id, call.name, call.arguments) == ("x", "a", {"p": 1})
    assert call.arguments_at == "/messages/1/content/0/input"
    first, second = facts.results
    assert (first.ref, first.text, first.error) == ("x", "1\n2", True)
    assert first.images == [("/messages/2/content/0/content/1", "image/png", "AA==")]
    assert (second.ref, second.text, second.error) == ("y", "", False)
    assert second.ref_at == "/messages/2/content/1/tool_use_id"
    roles = [(message.role, message.wire_role) for message in facts.messages[3:]]
    assert roles == [("system", "system"), (None, "tool"), (None, ["user"])]


@pytest.mark.parametrize(
    ("choice", "mode", "parallel"),
    [
        ({"type": "auto"}, "auto", None), ({"type": "any", "disable_parallel_tool_use": False}, "required", True),
        ({"type": "none"}, "none", None), ("required", None, None), ({"type": "function"}, None, None),
        ({"type": ["auto"], "disable_parallel_tool_use": "yes"}, None, None), (None, None, None),
    ],
)  # fmt: skip
def test_choices_that_are_sent(choice: object, mode: str | None, parallel: bool | None) -> None:
    facts = facts_of({"tool_choice": choice})
    assert (facts.choice.mode, facts.choice.raw, facts.parallel) == (mode, choice, parallel)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5)
    | st.sampled_from(["", "x", "user", "tool_use", "tool_result", "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "role", "content", "messages", "tools", "tool_choice", "system", "id", "input", "name",
                         "tool_use_id", "text", "source", "is_error", "disable_parallel_tool_use", "index", "delta"]),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(deadline=None)
@given(st.fixed_dictionaries({"messages": JSON, "tools": JSON, "tool_choice": JSON, "system": JSON}) | JSON)
def test_facts_never_raise(document: object) -> None:
    facts = facts_of(document)
    assert len(facts.rounds) <= len(facts.calls)


EVENTS = ["content_block_start", "content_block_delta", "content_block_stop", "message_start", "message_delta", "error"]


@pytest.mark.slow
@settings(deadline=None)
@given(JSON, st.lists(JSON, max_size=4), st.sampled_from(EVENTS))
def test_reading_never_raises(body: object, documents: list[Any], kind: str) -> None:
    WIRE.read(body, ASK)
    odd = [StreamEvent(json.dumps({"type": kind, **item} if isinstance(item, dict) else item)) for item in documents]
    WIRE.finish(WIRE.assemble([*events(start()), *odd]), ASK)


# --- random content --------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
SCRIPT = st.builds(
    ScriptTurn,
    text=TEXT,
    calls=st.lists(st.builds(ScriptCall, st.just("read_file"), st.dictionaries(TEXT, VALUE, max_size=3)), max_size=3)
    .map(tuple),
    reasoning=st.none() | TEXT,
    quirks=st.sets(st.sampled_from(sorted(WIRE.card.quirks)), max_size=3).map(frozenset),
)  # fmt: skip


@pytest.mark.slow
@settings(deadline=None)
@given(SCRIPT, st.integers(1, 50))
def test_any_turn_survives(script: ScriptTurn, size: int) -> None:
    expected = blocking(script)
    data = b"".join(frame(WIRE.render_stream(script, VOICE), "sse"))
    turn = WIRE.read_stream([data[place : place + size] for place in range(0, len(data), size)], ASK)
    assert turn == expected
    assert turn.text == script.text
    assert [call.arguments for call in turn.calls] == [call.arguments or {} for call in script.calls]
    facts = WIRE.facts(WIRE.build(ASK.then(turn, results(turn, reverse=True)), stream=True))
    assert [(call.id, call.raw) for call in facts.calls] == [(call.id, call.arguments) for call in turn.calls]
    assert [result.ref for result in facts.results] == [call.id for call in turn.calls]
    sent = [text for message in facts.messages if message.role == "assistant" for _, text in message.texts]
    assert sent == ([script.text] if script.text.strip() else [])


@given(TEXT, TEXT, st.lists(VALUE, max_size=2))
def test_any_result_arrives(text: str, call_id: str, values: list[Any]) -> None:
    turn = AssistantTurn(calls=(ToolCall(call_id or "x", "read_file"),))
    parts: tuple[Part, ...] = (TextPart(text), *map(JsonPart, values))
    done = ResultsTurn((ToolResult(turn.calls[0].id, "read_file", parts),))
    facts = WIRE.facts(WIRE.build(ASK.then(turn, done), stream=False))
    assert facts.results[0].ref == facts.calls[0].id
    said = facts.results[0].text or ""
    first, *rest = said.rsplit("\n", len(values)) if values else [said]
    assert first == text
    assert [json.loads(item) for item in rest] == values


# --- the official SDK ------------------------------------------------------------------------------------------------

QUESTION: Any = {"model": "test-model", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello"}]}
SPOKEN = [name for name, turn in TURNS.items() if not any(call.raw for call in turn.calls)]


class Provider:
    """An SDK client whose transport is this wire."""

    def __init__(self) -> None:
        self.script: ScriptTurn | ScriptError = ScriptTurn()
        self.asked: httpx2.Request | None = None
        transport = httpx2.MockTransport(self._answer)
        self.client = anthropic.Anthropic(
            api_key="test-key", max_retries=0, http_client=httpx2.Client(transport=transport)
        )

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked = request
        if isinstance(self.script, ScriptError):
            error = WIRE.render_error(self.script)
            return httpx2.Response(error.status, headers=dict(error.headers), content=error.body)
        if json.loads(request.content).get("stream"):
            chunks = frame(WIRE.render_stream(self.script, VOICE), "sse")
            return httpx2.Response(200, headers=stream_headers("sse"), content=iter(chunks))
        body = WIRE.respond(self.script, VOICE)
        return httpx2.Response(200, headers=dict(body.headers), content=body.body)


@pytest.fixture(scope="module")
def sdk() -> Iterator[Provider]:
    provider = Provider()
    with provider.client:
        yield provider


def understood(message: Any) -> list[tuple[Any, ...]]:
    """What the SDK made of a message, block by block."""
    blocks: list[tuple[Any, ...]] = []
    for block in message.content:
        match block.type:
            case "text":
                blocks.append(("text", block.text))
            case "thinking":
                blocks.append(("thinking", block.thinking, block.signature))
            case "tool_use" | "server_tool_use":
                blocks.append((block.type, block.id, block.name, block.input))
            case _:
                blocks.append((block.type,))
    return blocks


def said(script: ScriptTurn) -> list[tuple[Any, ...]]:
    fields = {"text": ("text",), "thinking": ("thinking", "signature"), "tool_use": ("id", "name", "input"),
              "server_tool_use": ("id", "name", "input")}  # fmt: skip
    blocks = WIRE.render(script, VOICE)["content"]
    return [(block["type"], *(block[name] for name in fields.get(block["type"], ()))) for block in blocks]


@each("quirk", ["", *sorted(WIRE.card.quirks)])
@pytest.mark.parametrize("name", SPOKEN)
def test_the_sdk_reads_bodies_and_streams(sdk: Provider, name: str, quirk: str) -> None:
    script = sdk.script = replace(TURNS[name], quirks=frozenset({quirk} - {""}))
    message = sdk.client.messages.create(**QUESTION)
    with sdk.client.messages.stream(**QUESTION) as stream:
        final = stream.get_final_message()
    for got in (message, final):
        assert understood(got) == said(script)
        assert got.stop_reason == WIRE.render(script, VOICE)["stop_reason"]
        assert (got.usage.input_tokens, got.usage.output_tokens) == (
            script.usage.input_tokens, script.usage.output_tokens
        )  # fmt: skip
        explained = None if quirk == "sparse_answers" else script.refusal
        assert (got.stop_details.explanation if got.stop_details else None) == (explained or None)
    kinds = [event.type for event in sdk.client.messages.create(**QUESTION, stream=True)]
    assert kinds == [event.event for event in WIRE.render_stream(script, VOICE) if event.event != "ping"]


@pytest.mark.parametrize("name", SPOKEN)
def test_bodies_and_events_fit_the_sdks_types(name: str) -> None:
    Message.model_validate(WIRE.render(TURNS[name] if not TURNS[name].finish else TURNS["text"], VOICE), strict=True)
    known: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
    for event in WIRE.render_stream(TURNS[name], VOICE):
        data = json.loads(event.data)
        assert data["type"] == event.event
        if event.event != "ping" and not (TURNS[name].finish and event.event == "message_delta"):
            known.validate_python(data, strict=True)


def test_the_sdk_replays_and_the_facts_see_it(sdk: Provider) -> None:
    sdk.script = TURNS["reasoning"]
    message = sdk.client.messages.create(**QUESTION)
    answers = [{"type": "tool_result", "tool_use_id": block.id, "content": "ok"} for block in message.content
               if block.type == "tool_use"]  # fmt: skip
    history: Any = [*QUESTION["messages"], message.to_param(), {"role": "user", "content": answers}]
    sdk.client.messages.create(**{**QUESTION, "messages": history}, system="Be brief",
                               tools=[{"name": "read_file", "input_schema": {"type": "object"}}],
                               tool_choice={"type": "any", "disable_parallel_tool_use": True})  # fmt: skip
    assert sdk.asked is not None
    facts = WIRE.facts(Request("POST", str(sdk.asked.url), dict(sdk.asked.headers), sdk.asked.content))
    assert facts.document["messages"][1]["content"][0]["signature"] == signature("seed")
    assert [call.id for call in facts.calls] == [result.ref for result in facts.results]
    assert (facts.choice and facts.choice.mode, facts.parallel) == ("required", False)
    assert [text for _, text in facts.system] == ["Be brief"]


@pytest.mark.parametrize(
    ("kind", "raised"),
    [
        ("invalid_request", anthropic.BadRequestError), ("authentication", anthropic.AuthenticationError),
        ("rate_limit", anthropic.RateLimitError), ("server", anthropic.InternalServerError),
        ("overloaded", anthropic.InternalServerError),
    ],
)  # fmt: skip
def test_the_sdk_raises_our_errors(sdk: Provider, kind: ErrorKind, raised: type[anthropic.APIStatusError]) -> None:
    sdk.script = ScriptError(kind, "Sorry", retry_after=3)
    with pytest.raises(raised) as caught:
        sdk.client.messages.create(**QUESTION)
    assert caught.value.request_id is not None
    sdk.script = ScriptTurn("Hm", fails_with=ScriptError(kind, "Sorry"))
    with pytest.raises(anthropic.APIStatusError), sdk.client.messages.stream(**QUESTION) as stream:
        stream.get_final_message()
