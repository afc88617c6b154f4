"""The Responses wire: what its provider half says is what its client half hears, in every delivery."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from every import each
from hypothesis import given, settings
from hypothesis import strategies as st
from responses_turns import (
    ASK,
    FAILURES,
    NOW,
    READ_A,
    READ_B,
    TURNS,
    VOICE,
    WIRE,
    documents,
    events,
    read,
    streamed,
    variants,
)

from conformance.capabilities import ACCUMULATED, ANTHROPIC_ONLY, CAPABILITIES, SWITCHED_ON
from conformance.deliveries import DELIVERIES, randomly
from conformance.http import Response, StreamEvent
from conformance.model import AssistantTurn, compact_json
from conformance.script import ScriptCall, ScriptError, ScriptTurn
from conformance.wires.base import signature

STREAMS = [delivery for delivery in DELIVERIES.values() if delivery.cut is not None and "sse" in delivery.framings]
turns = pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS.keys())


def heard(turn: ScriptTurn) -> AssistantTurn:
    return WIRE.read_stream(streamed(turn), ASK)


def test_declares_itself() -> None:
    assert WIRE.card.id == "openai-responses"
    assert WIRE.card.capabilities == CAPABILITIES.keys() - SWITCHED_ON - ANTHROPIC_ONLY - ACCUMULATED
    assert WIRE.card.framings == ("sse",)


# --- blocking --------------------------------------------------------------------------------------------------------


@turns
def test_a_blocking_turn_reads_as_scripted(turn: ScriptTurn) -> None:
    said = read(turn)
    assert (said.text, said.refusal, said.usage, said.error) == (turn.text, turn.refusal, turn.usage, None)
    assert said.stop == turn.stops_with
    assert [call.id for call in said.calls] == WIRE.ids(turn, VOICE) == WIRE.answered_ids(WIRE.render(turn, VOICE))
    for call, meant in zip(said.calls, turn.calls, strict=True):
        assert call.name == meant.tool
        if meant.raw is None:
            assert (call.arguments, call.raw, call.invalid) == (meant.arguments or {}, None, False)
        elif call.invalid:
            assert (call.arguments, call.raw) == (None, meant.raw)
        else:
            assert call.arguments == json.loads(meant.raw)


@pytest.mark.parametrize(
    ("name", "invalid"),
    [("nasty_arguments", [0, 0]), ("broken_arguments", [1, 0]), ("length_in_call", [0, 1]), ("length_after_call", [0])],
)
def test_only_broken_arguments_are_invalid(name: str, invalid: list[int]) -> None:
    assert [call.invalid for call in read(TURNS[name]).calls] == invalid


def test_a_repeated_id_is_replaced() -> None:
    turn = ScriptTurn(calls=(READ_A, READ_B), quirks=frozenset({"repeated_id"}))
    first, second = read(turn).calls
    assert WIRE.ids(turn, VOICE) == [first.id, first.id] != [first.id, second.id]


def test_server_tools_are_no_calls() -> None:
    said = read(TURNS["search"])
    assert said.calls == ()
    assert [item["type"] for item in said.opaque["output"]] == ["web_search_call", "message"]


@pytest.mark.parametrize(
    ("status", "reason", "stop"),
    [
        ("completed", None, "end"),
        ("incomplete", "max_output_tokens", "length"),
        ("incomplete", "content_filter", "refusal"),
        ("incomplete", "something_new", "incomplete"),
        ("something_new", None, "end"),
        ("queued", None, "incomplete"),
        ("cancelled", None, "incomplete"),
        ("failed", None, "error"),
    ],
)
def test_stops(status: str, reason: str | None, stop: str) -> None:
    document = {"status": status, "incomplete_details": reason and {"reason": reason}, "output": []}
    assert WIRE.read(document).stop == stop


def test_a_call_that_was_cut_off_is_invalid_even_when_its_text_is_an_object() -> None:
    item = {"type": "function_call", "call_id": "call_1", "name": "a", "arguments": "", "status": "incomplete"}
    (call,) = WIRE.read({"status": "incomplete", "output": [item]}).calls
    assert (call.arguments, call.raw, call.invalid) == (None, "", True)


@each("document", [None, [], {}, {"output": None}, {"output": [1, None, {}]}, {"output": {"a": 1}}])
def test_strange_bodies_read_as_empty_turns(document: Any) -> None:
    assert WIRE.read(document).calls == ()


@pytest.mark.parametrize("kind", FAILURES)
def test_http_errors(kind: Any) -> None:
    error = ScriptError(kind, "No.", retry_after=7)
    response = WIRE.render_error(error)
    said = WIRE.read_response(response).error
    assert said is not None
    assert (said.message, said.status, said.retryable) == ("No.", response.status, error.retryable)
    assert said.retry_after == 7


def test_an_error_that_is_no_json() -> None:
    assert WIRE.read_response(Response(502, {}, b"<html>")).error is not None


# --- streams ---------------------------------------------------------------------------------------------------------


@turns
def test_a_stream_amounts_to_its_blocking_twin(turn: ScriptTurn) -> None:
    for odd in variants(turn):
        assembly = WIRE.assemble(WIRE.render_stream(odd, VOICE))
        assert (assembly.body, assembly.complete, assembly.error) == (WIRE.render(odd, VOICE), True, None)
        assert heard(odd) == read(odd)


@turns
@each("delivery", STREAMS, ids=lambda delivery: delivery.name)
def test_no_delivery_changes_anything(turn: ScriptTurn, delivery: Any) -> None:
    assert WIRE.read_stream(delivery.cut(streamed(turn, delivery.style)), ASK) == read(turn)


@turns
def test_events_are_named_and_numbered(turn: ScriptTurn) -> None:
    for odd in variants(turn):
        said = documents(odd)
        kinds = [document["type"] for document in said]
        assert [event.event for event in WIRE.render_stream(odd, VOICE)] == kinds
        numbers: list[int | None] = list(range(len(said)))
        if "no_sequence_numbers" in odd.quirks:
            numbers = [None] * len(said)
        assert [document.get("sequence_number") for document in said] == numbers
        assert kinds[:2] == ["response.created", "response.in_progress"]
        cut = said[-1]["response"]["incomplete_details"] is not None
        assert kinds[-1] == ("response.incomplete" if cut else "response.completed")


def test_reasoning_is_whole_only_at_the_end() -> None:
    said = documents(TURNS["reasoning"])
    blobs = {d["type"]: d["item"]["encrypted_content"] for d in said if d.get("item", {}).get("type") == "reasoning"}
    whole = signature(VOICE.seed)
    assert blobs["response.output_item.added"] != whole == blobs["response.output_item.done"]
    assert read(TURNS["reasoning"]).opaque["output"][0]["encrypted_content"] == whole


def test_interleaved_deltas_alternate() -> None:
    said = documents(ScriptTurn(calls=(READ_A, READ_B), quirks=frozenset({"interleaved"})))
    assert [d["output_index"] for d in said if d["type"].endswith("arguments.delta")] == [0, 1] * 4


def test_quirks_show() -> None:
    def said(quirk: str) -> list[dict[str, Any]]:
        return documents(ScriptTurn(calls=(READ_A, NOW), quirks=frozenset({quirk})))

    def deltas(quirk: str) -> list[str]:
        return [document["delta"] for document in said(quirk) if document["type"].endswith("arguments.delta")]

    assert deltas("no_deltas") == []
    assert "" in deltas("empty_deltas")
    assert max(map(len, deltas("split_escapes"))) == 3
    assert "".join(deltas("arguments_empty")) == compact_json(READ_A.arguments)
    assert "keepalive" in [document["type"] for document in said("unknown_fields")]
    assert said("output_empty_at_end")[-1]["response"]["output"] == []


@pytest.mark.parametrize("name", ["text_and_calls", "one_call", "reasoning"])
def test_a_stream_cut_in_arguments_leaves_one_call_unusable(name: str) -> None:
    for turn in variants(replace(TURNS[name], cut="arguments")):
        whole, said = read(replace(turn, cut=None)), heard(turn)
        assert said.stop == "incomplete"
        assert said.calls[:-1] == whole.calls[:-1]
        assert [call.id for call in said.calls] == [call.id for call in whole.calls]
        assert (said.calls[-1].arguments, said.calls[-1].invalid) == (None, True)


@turns
def test_a_stream_without_its_terminal_event_is_incomplete(turn: ScriptTurn) -> None:
    for odd in variants(replace(turn, cut="terminal")):
        assert heard(odd) == replace(read(replace(odd, cut=None)), stop="incomplete", usage=None)


def test_a_state_in_between_does_not_count_as_the_end() -> None:
    said = [{"type": "response.in_progress", "response": {"output": [item(1)]}}, added(0), arguments_done("{}")]
    assembly = WIRE.assemble(events(*said))
    assert (assembly.body["output"], assembly.open_calls, assembly.complete) == ([item(0)], {0}, False)


def test_a_stream_cut_inside_reasoning_holds_nothing_to_replay() -> None:
    said = WIRE.finish(WIRE.assemble(WIRE.render_stream(TURNS["reasoning"], VOICE)[:4]), ASK)
    assert (said.stop, said.opaque) == ("incomplete", None)


@pytest.mark.parametrize("kind", FAILURES)
def test_failures_inside_a_stream(kind: Any) -> None:
    code, retryable, last = FAILURES[kind]
    for turn in variants(replace(TURNS["text_and_calls"], fails_with=ScriptError(kind, "No more."))):
        said = heard(turn)
        assert WIRE.render_stream(turn, VOICE)[-1].event == last
        assert (said.stop, said.text, len(said.calls)) == ("error", "Let me look.", 3)
        assert said.error is not None
        assert (said.error.message, said.error.type, said.error.retryable) == ("No more.", code, retryable)
        assert all(call.invalid and call.arguments is None for call in said.calls)


# --- streams of other hosts ------------------------------------------------------------------------------------------


def added(place: int, index: int | None = None) -> dict[str, Any]:
    index = place if index is None else index
    return {"type": "response.output_item.added", "output_index": index, "item": item(place)}


def done(place: int, arguments: str, **more: Any) -> dict[str, Any]:
    whole = {**item(place), "arguments": arguments, **more}
    return {"type": "response.output_item.done", "output_index": place, "item": whole}


def item(place: int) -> dict[str, Any]:
    return {"type": "function_call", "id": f"fc_{place}", "call_id": f"call_{place}", "name": "f", "arguments": ""}


def delta(text: str, **where: Any) -> dict[str, Any]:
    return {"type": "response.function_call_arguments.delta", "delta": text, **where}


def arguments_done(text: str, **where: Any) -> dict[str, Any]:
    return {"type": "response.function_call_arguments.done", "arguments": text, **where}


def completed(*output: Any) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"status": "completed", "output": list(output)}}


ONE, BOTH = [("call_0", {"x": 1})], [("call_0", {"x": 1}), ("call_1", {"y": 2})]
ODD_STREAMS: dict[str, tuple[list[dict[str, Any]], list[tuple[str, Any]]]] = {
    "deltas_only": ([added(0), delta('{"x":', output_index=0), delta("1}", output_index=0), completed()], ONE),
    "ids_that_change": (
        [added(0), delta('{"x":1}', item_id="fc_x", output_index=0), done(0, '{"x":1}', id="fc_y"), completed()],
        ONE,
    ),
    "one_index_for_all": (
        [
            added(0),
            delta('{"x":1}', output_index=0),
            added(1, 0),
            delta('{"y":2}', output_index=0),
            completed(),
        ],
        BOTH,
    ),
    "done_only": ([done(0, '{"x":1}'), done(1, '{"y":2}'), completed()], BOTH),
    "seen_at_the_end_only": ([completed({**item(0), "arguments": '{"x":1}'})], ONE),
    "empty_item_ids": (
        [
            {**added(0), "item": {**item(0), "id": ""}},
            {**added(1), "item": {**item(1), "id": ""}},
            delta('{"x":1}', item_id="", output_index=0),
            done(1, '{"y":2}', id=""),
            completed(),
        ],
        BOTH,
    ),
}


@pytest.mark.parametrize(("said", "calls"), ODD_STREAMS.values(), ids=ODD_STREAMS.keys())
def test_odd_streams(said: list[dict[str, Any]], calls: list[tuple[str, Any]]) -> None:
    turn = WIRE.finish(WIRE.assemble(events(*said)))
    assert [(call.id, call.arguments) for call in turn.calls] == calls
    assert turn.stop == "tool_calls"


@pytest.mark.parametrize(
    "said",
    [
        {"type": "error", "code": "server_error", "message": "Oh.", "param": None},
        {"type": "error", "error": {"type": "server_error", "code": None, "message": "Oh."}},
        {"error": {"type": "server_error", "message": "Oh."}},
        {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "Oh."}}},
    ],
)
def test_every_form_of_error(said: dict[str, Any]) -> None:
    turn = WIRE.finish(WIRE.assemble(events(said)))
    assert turn.error is not None
    assert (turn.stop, turn.error.message, turn.error.type) == ("error", "Oh.", "server_error")
    assert turn.error.retryable


@each("data", ["", "[DONE]", "{", "[]", "null", "1", '{"type": 3}', '{"type": ["a"]}'])
def test_junk_in_a_stream_changes_nothing(data: str) -> None:
    sent = WIRE.render_stream(TURNS["text_and_calls"], VOICE)
    junk = [event for told in sent for event in (StreamEvent(data), told)]
    assert WIRE.finish(WIRE.assemble(junk), ASK) == read(TURNS["text_and_calls"])


@each("wrong", [None, [], [[]], {"id": []}, {"type": "message", "content": 1}, -1, "x", 1.5])
def test_fields_of_the_wrong_type_do_not_raise(wrong: Any) -> None:
    for key in ("item", "item_id", "output_index", "content_index", "delta", "arguments", "part", "response", "text"):
        said = documents(TURNS["text_and_calls"])
        twisted = events(*({**document, key: wrong} if key in document else document for document in said))
        assert WIRE.finish(WIRE.assemble(twisted), ASK).error is None


# --- any text, any arguments -----------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
calls = st.builds(ScriptCall, st.sampled_from(["read file", "now"]), st.dictionaries(texts, values, max_size=4))
scripts = st.builds(
    ScriptTurn,
    text=texts,
    calls=st.lists(calls, max_size=3).map(tuple),
    reasoning=st.none() | texts,
    refusal=st.none() | texts.filter(bool),
    quirks=st.frozensets(st.sampled_from(sorted(WIRE.card.quirks))),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(scripts, st.integers(0, 9))
def test_whatever_is_said_is_heard(turn: ScriptTurn, seed: int) -> None:
    said = read(turn)
    assert WIRE.read_stream(randomly(seed)(streamed(turn)), ASK) == said
    assert (said.text, said.refusal) == (turn.text, turn.refusal)
    assert [call.arguments for call in said.calls] == [call.arguments for call in turn.calls]


def test_items_that_hold_other_calls_than_the_stream_told_go_back_as_they_came() -> None:
    said = read(ScriptTurn(calls=(READ_A, READ_B)))
    (first, second), opaque = said.calls, said.opaque
    lost = replace(said, opaque={**opaque, "output": opaque["output"][1:]})
    asked = json.loads(WIRE.build(replace(ASK, turns=(*ASK.turns, lost)), stream=False).body)["input"]
    assert [item["call_id"] for item in asked if item.get("type") == "function_call"] == [second.id] != [first.id]
