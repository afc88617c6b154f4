"""The Gemini wire: what its provider half renders, its client half reads, however it is delivered."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from every import each
from gemini_turns import (
    ASKED,
    CALLS,
    QUIRKS,
    TURNS,
    VOICE,
    signatures,
)

from conformance.http import FrameStyle, Response, StreamEvent, frame
from conformance.model import (
    AssistantTurn,
    ProviderError,
    ResultsTurn,
    TextPart,
    ToolResult,
    Usage,
)
from conformance.script import ScriptError, ScriptTurn
from conformance.wires.gemini.provider import prompt_is_blocked
from conformance.wires.gemini.wire import WIRE

CASES = [
    pytest.param(replace(turn, quirks=quirks), id=f"{name}-{'+'.join(sorted(quirks)) or 'plain'}"[:60])
    for name, turn in TURNS.items()
    for quirks in QUIRKS
]
STREAMS = [
    ("sse", FrameStyle(), (1, 10**6)),
    ("sse", FrameStyle(line_end="\r\n", comments=True, bom=True), (2, 7)),
    ("sse", FrameStyle(line_end="\r", space=False, split_data=True), (3, 10**6)),
    ("json-array", FrameStyle(), (1, 10**6)),
    ("json-array", FrameStyle(line_end="\r\n", comments=True), (5,)),
]
"""Framing, style, and the sizes of the chunks into which the bytes are cut."""


def stop_of(turn: ScriptTurn) -> str:
    return "error" if turn.finish == "MALFORMED_FUNCTION_CALL" else turn.stops_with


@each("says", CASES)
def test_a_rendered_turn_reads_as_it_was_scripted(says):
    turn = WIRE.read_response(WIRE.respond(says, VOICE), ASKED)
    assert turn.text == says.text
    assert [(call.name, call.arguments, call.invalid) for call in turn.calls] == [
        (call.tool, call.arguments or {}, False) for call in says.calls
    ]
    assert repr([call.arguments.get("limit") for call in turn.calls]) == repr(
        [(call.arguments or {}).get("limit") for call in says.calls]
    )
    ids = WIRE.ids(says, VOICE)
    assert WIRE.answered_ids(WIRE.render(says, VOICE)) == ids
    assert all(wire_id in (None, call.id) for wire_id, call in zip(ids, turn.calls, strict=True))
    assert all(call.id for call in turn.calls) and len({call.id for call in turn.calls}) == len(turn.calls)
    assert turn.stop == stop_of(says)
    assert turn.usage == (Usage(says.usage.input_tokens, 0) if prompt_is_blocked(says) else says.usage)
    assert bool(turn.refusal) == (stop_of(says) == "refusal")
    assert (turn.error.type if turn.error else None) == (says.finish if stop_of(says) == "error" else None)
    assert len(signatures(turn)) == (says.reasoning is not None)


@each("says", CASES)
def test_a_stream_means_the_same_however_it_is_framed_and_cut(says):
    blocking = WIRE.read_response(WIRE.respond(says, VOICE), ASKED)
    events = WIRE.render_stream(says, VOICE)
    for framing, style, sizes in STREAMS:
        data = b"".join(frame(events, framing, style))
        for size in sizes:
            streamed = WIRE.read_stream([data[at : at + size] for at in range(0, len(data), size)], ASKED)
            assert replace(streamed, opaque=None) == replace(blocking, opaque=None), (framing, style, size)
            assert signatures(streamed) == signatures(blocking)


@pytest.mark.parametrize("before", [b"", b" \n"])
def test_framing_is_told_by_the_first_byte_that_is_not_blank(before):
    says = TURNS["text"]
    whole = before + b"".join(frame(WIRE.render_stream(says, VOICE), "json-array"))
    for size in (1, 10**6):
        chunks = [b"", *(whole[at : at + size] for at in range(0, len(whole), size))]
        assert WIRE.read_stream(chunks).text == says.text
    events = b"".join(frame(WIRE.render_stream(says, VOICE), "sse"))
    assert WIRE.framed([before, events])[1] == "sse"
    assert WIRE.read_stream([b"\xef\xbb\xbf", events]).text == says.text


def test_signatures_stand_on_the_first_call_or_on_the_text():
    calls = WIRE.render(TURNS["thinking-calls"], VOICE)["candidates"][0]["content"]["parts"]
    assert ["thoughtSignature" in part for part in calls] == [False, False, True, False, False]
    text = WIRE.render(TURNS["thinking-text"], VOICE)["candidates"][0]["content"]["parts"]
    assert ["thoughtSignature" in part for part in text] == [False, True]
    last = json.loads(WIRE.render_stream(TURNS["thinking-text"], VOICE)[-1].data)["candidates"][0]
    assert last["content"]["parts"][0]["text"] == "" and last["content"]["parts"][0]["thoughtSignature"]


def test_a_search_leaves_grounding_and_no_call():
    candidate = WIRE.render(TURNS["search"], VOICE)["candidates"][0]
    assert candidate["groundingMetadata"]["webSearchQueries"] == ["who"]
    streamed = WIRE.assemble(WIRE.render_stream(TURNS["search"], VOICE)).body["candidates"][0]
    assert streamed["groundingMetadata"] == candidate["groundingMetadata"]


# --- faults ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("framing", ["sse", "json-array"])
@pytest.mark.parametrize(
    "quirks", [frozenset(), frozenset({"calls_in_many_chunks"}), WIRE.card.quirks - {"arguments_in_pieces"}]
)
def test_cut_streams_are_incomplete(framing, quirks):
    for cut, kept in (("terminal", 3), ("arguments", 2 if "calls_in_many_chunks" in quirks else 0)):
        says = replace(TURNS["text-and-calls"], quirks=quirks, cut=cut)
        turn = WIRE.read_stream(frame(WIRE.render_stream(says, VOICE), framing), ASKED)
        assert (turn.stop, len(turn.calls)) == ("incomplete", kept)
        assert [call.arguments for call in turn.calls] == [call.arguments or {} for call in CALLS[:kept]]
    assert "ranges" in WIRE.render_stream(replace(TURNS["one-call"], cut="arguments"), VOICE)[-1].data


ERRORS = {
    "invalid_request": (400, "INVALID_ARGUMENT", False),
    "authentication": (401, "UNAUTHENTICATED", False),
    "rate_limit": (429, "RESOURCE_EXHAUSTED", True),
    "server": (500, "INTERNAL", True),
    "overloaded": (503, "UNAVAILABLE", True),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_errors(kind):
    status, word, retryable = ERRORS[kind]
    error = ScriptError(kind, "because", 7)
    expected = ProviderError("because", status, word, retryable, 7.0)
    response = WIRE.render_error(error)
    assert WIRE.read_response(response) == AssistantTurn(stop="error", error=expected)
    wrapped = Response(status, {}, b"[" + response.body + b"]")
    assert WIRE.read_response(wrapped).error == expected, "the time to wait is in RetryInfo too"
    says = replace(TURNS["text-and-calls"], fails_with=error)
    for framing in WIRE.card.framings:
        turn = WIRE.read_stream(frame(WIRE.render_stream(says, VOICE), framing), ASKED)
        assert (turn.stop, turn.error) == ("error", replace(expected, status=None))
        assert all(call.invalid for call in turn.calls) and len(turn.calls) == 3
    inside = WIRE.read(json.loads(response.body))
    assert inside.stop == "error" and inside.error == replace(expected, status=None)
    data = b"data: [" + response.body + b"]\n\n"
    assert WIRE.read_stream([data]).error == replace(expected, status=None)


READINGS = [
    ({"candidates": [{"finishReason": "SAFETY"}]}, ("refusal", "SAFETY", None)),
    ({"candidates": [{"finishReason": "IMAGE_SAFETY", "finishMessage": "m"}]}, ("refusal", "m", None)),
    ({"candidates": [{"content": {}, "finishReason": "UNEXPECTED_TOOL_CALL", "finishMessage": "m"}]},
     ("error", None, ProviderError("m", type="UNEXPECTED_TOOL_CALL"))),
    ({"candidates": [{"content": {"parts": None}, "finishReason": "TOO_MANY_TOOL_CALLS"}]},
     ("error", None, ProviderError("the model's turn ended with TOO_MANY_TOOL_CALLS", type="TOO_MANY_TOOL_CALLS"))),
    ({"promptFeedback": {"blockReason": "JAILBREAK"}}, ("refusal", "JAILBREAK", None)),
    ({"promptFeedback": {"blockReason": "OTHER", "blockReasonMessage": "m"}, "candidates": []},
     ("refusal", "m", None)),
    ({"promptFeedback": {"safetyRatings": []}, "candidates": [{"finishReason": "STOP"}]}, ("end", None, None)),
    ({"candidates": [{"finishReason": "CONTINUATION"}]}, ("length", None, None)),
    ({"candidates": [{"finishReason": "SOMETHING_NEW"}]}, ("end", None, None)),
    ({"candidates": [{"content": {"parts": [{"functionCall": {"name": "now"}}]}, "finishReason": "NEW"}]},
     ("tool_calls", None, None)),
    ({"candidates": [{"content": {"parts": [{"function_call": {"name": "now"}}]}, "finish_reason": "STOP"}]},
     ("tool_calls", None, None)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), READINGS)
def test_endings(body, expected):
    turn = WIRE.read(body, ASKED)
    assert (turn.stop, turn.refusal, turn.error) == expected
    streamed = WIRE.finish(WIRE.assemble([StreamEvent(json.dumps(body))]), ASKED)
    if "finish_reason" not in json.dumps(body):
        assert (streamed.stop, streamed.refusal, streamed.error) == expected


def test_an_id_that_was_used_before_is_replaced_but_goes_back_as_it_came():
    body = {"candidates": [{"content": {"parts": [{"functionCall": {"name": "now", "id": "a", "args": {}}}] * 2}}]}
    turn = WIRE.read(body, ASKED)
    assert turn.calls[0].id == "a" and turn.calls[1].id != "a"
    results = ResultsTurn(tuple(ToolResult(call.id, "now", (TextPart("1"),)) for call in turn.calls))
    facts = WIRE.facts(WIRE.build(ASKED.then(turn, results), stream=False))
    assert [call.id for call in facts.calls] == [result.ref for result in facts.results] == ["a", "a"]


ODD = [
    b"", b"[]", b"[1]", b"null", b"3", b'"x"', b'{"candidates": 3}', b'{"candidates": [null, 3]}', b"data: x\n\n",
    b'{"candidates": [{"content": {"parts": [null, 3, {"functionCall": 3}, {"functionCall": {"args": "{"}}]}}]}',
    b'{"error": "x"}', b'{"usageMetadata": [], "promptFeedback": "x"}', b"[[[[", b"\xff\xfe", b"\xef\xbb\xbf", b" \n ",
    b'data: {"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [3, {"jsonPath": 4}]}}]}}]}\n\n',
]  # fmt: skip


@each("data", ODD)
def test_odd_answers_are_read_without_a_crash(data):
    for turn in (WIRE.read_response(Response(200, {}, data)), WIRE.read_stream([data])):
        assert all(call.id for call in turn.calls)
    assert isinstance(WIRE.read_error(500, {}, data).message, str)


def test_usage():
    body = {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}}
    assert WIRE.read(body).usage == Usage(3, 0)
    assert WIRE.read({"candidates": []}).usage is None
