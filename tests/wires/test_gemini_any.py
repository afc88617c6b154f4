"""The Gemini wire: any text, any arguments, and documents with anything wrong in them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from gemini_turns import (
    ASKED,
    IMAGE,
    TOOLS,
    TURNS,
    VOICE,
    body_of,
    finished,
    opening,
    piece,
    pieces,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.http import Request, Response, StreamEvent, frame
from conformance.model import (
    AssistantTurn,
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
from conformance.wires.gemini.numbers import struct_value
from conformance.wires.gemini.wire import WIRE


def damaged(document):
    """``document`` with each of its values replaced, in turn, by values of every other type."""
    yield from (None, True, 3, "x", [], {}, [None], {"x": 3})
    if isinstance(document, dict | list):
        for key in document if isinstance(document, dict) else range(len(document)):
            for other in damaged(document[key]):
                copy = document.copy()
                copy[key] = other
                yield copy


def test_whatever_is_wrong_in_a_document_no_reader_raises():
    turn = WIRE.read_response(WIRE.respond(TURNS["thinking-calls"], VOICE), ASKED)
    results = finished(IMAGE, (TextPart("b"),))(turn)
    choice, search = ToolChoice("tool", "now"), Tool("web", builtin="web_search")
    built = replace(ASKED.then(turn, results), choice=choice, profile="native", system="s", tools=(*TOOLS, search))
    for document in damaged(body_of(WIRE.build(built, stream=True))):
        facts = WIRE.facts(Request.post_json("https://x/m:generateContent", document))
        assert isinstance(facts.calls, list) and isinstance(facts.results, list)
    partial = json.loads(pieces(opening(thoughtSignature="c2ln", **piece("$.a", stringValue="x")))[0].data)
    error = json.loads(WIRE.render_error(ScriptError("rate_limit", "m", 7)).body)
    for answer in (WIRE.render(TURNS["thinking-calls"], VOICE), WIRE.render(TURNS["blocked"], VOICE), partial, error):
        for document in damaged(answer):
            data = json.dumps(document)
            for status in (200, 400):
                WIRE.read_response(Response(status, {}, data.encode()), ASKED)
            turn = WIRE.finish(WIRE.assemble([StreamEvent(data), StreamEvent(data), StreamEvent(data[:-1])]), ASKED)
            if turn.opaque is not None:
                WIRE.build(ASKED.then(turn), stream=False)


# --- any text, any arguments -----------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=6), JSON, max_size=4)
QUIRK_SETS = st.sets(st.sampled_from(sorted(WIRE.card.quirks)))


@settings(max_examples=120, deadline=None)
@given(st.text(max_size=30), st.lists(OBJECTS, max_size=3), QUIRK_SETS, st.none() | st.text(max_size=5))
def test_any_turn_reads_as_it_was_rendered(text, objects, quirks, reasoning):
    calls = tuple(ScriptCall("tool", arguments) for arguments in objects)
    says = ScriptTurn(text, calls, reasoning=reasoning, quirks=frozenset(quirks))
    voice = Voice("m", {}, "s")
    for turn in (WIRE.read_response(WIRE.respond(says, voice)), read_stream(WIRE.render_stream(says, voice))):
        assert turn.text == text and turn.stop == says.stops_with
        assert [call.arguments for call in turn.calls] == [struct_value(arguments) for arguments in objects]


def read_stream(events):
    data = b"".join(frame(events, "sse"))
    return WIRE.read_stream([data[at : at + 5] for at in range(0, len(data), 5)])


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.text(max_size=20), st.lists(st.tuples(OBJECTS, JSON | st.text()), min_size=1, max_size=3), st.randoms())
def test_any_history_is_read_back_by_facts(text, made, random):
    calls = tuple(ToolCall(f"id{place}", "now", arguments) for place, (arguments, _) in enumerate(made))
    results = [ToolResult(call.id, "now", (JsonPart(value),)) for call, (_, value) in zip(calls, made, strict=True)]
    random.shuffle(results)
    conversation = ASKED.then(AssistantTurn(text, calls), ResultsTurn(tuple(results)), UserTurn(text))
    facts = WIRE.facts(WIRE.build(conversation, stream=False))
    [one] = facts.rounds
    assert [call.arguments for call in one.calls] == [arguments for arguments, _ in made]
    for result, (_, value) in zip(one.results, made, strict=True):
        assert (isinstance(value, str) and result.text == value) or json.loads(result.text) == value
    assert facts.messages[-1].texts[0][1] == text
