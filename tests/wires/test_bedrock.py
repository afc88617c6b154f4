"""The Converse wire: what the provider ran itself, what it cites, and pictures that it holds."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.http import Request, StreamEvent
from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    ResultsTurn,
    TextPart,
    Tool,
    ToolResult,
    UserTurn,
    compact_json,
    decoded_json,
)
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.wires.bedrock.wire import WIRE
from conformance.wires.grammar import follow_events

TOOLS = (Tool("read", "Read a file", {"type": "object", "properties": {"path": {"type": "string"}}}),)
START = Conversation((UserTurn("go"),), TOOLS)
VOICE = Voice("test-model", {"read": "read"}, "seed")
HOSTED = ScriptTurn("Let me see.", (ScriptCall("read", {"path": "/a"}),), quirks=frozenset({"hosted_items"}))
CITATION = {
    "title": "Tides", "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 9}},
    "sourceContent": [{"text": "High tide"}],
}  # fmt: skip
CITED: list[Json] = [
    {"text": "It is "},
    {"citationsContent": {"content": [{"text": "high tide"}], "citations": [CITATION]}},
    {"text": "."},
]


def body(content: list[Json]) -> dict[str, Json]:
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "end_turn"}


def delta(index: int, said: Json) -> Json:
    return {"contentBlockDelta": {"delta": said, "contentBlockIndex": index}}


def stop(index: int) -> Json:
    return {"contentBlockStop": {"contentBlockIndex": index}}


CITING: list[Json] = [
    {"messageStart": {"role": "assistant"}},
    delta(0, {"text": "It is "}), stop(0),
    delta(1, {"citation": CITATION}), delta(1, {"text": "high "}), delta(1, {"text": "tide"}), stop(1),
    delta(2, {"text": "."}), stop(2),
    {"messageStop": {"stopReason": "end_turn"}},
]  # fmt: skip


def events(documents: list[Json]) -> list[StreamEvent]:
    return [StreamEvent(compact_json(document)) for document in documents]


def content_of(request: Request, message: int) -> Any:
    return decoded_json(request.body)["messages"][message]["content"]


def going_on(turn: AssistantTurn) -> Request:
    """The request with the turn in it, and a result for each of its calls."""
    done = tuple(ToolResult(call.id, call.name, (TextPart("ok"),)) for call in turn.calls)
    after = ResultsTurn(done) if done else UserTurn("and?")
    return WIRE.build(Conversation((UserTurn("go"), turn, after), TOOLS), stream=False)


def test_what_the_provider_ran_is_no_call_of_the_clients() -> None:
    turn = WIRE.read(WIRE.render(HOSTED, VOICE), START)
    assert [call.name for call in turn.calls] == ["read"]
    assert turn.text == "Let me see."
    assert len(WIRE.answered_ids(WIRE.render(HOSTED, VOICE))) == 1


def test_what_the_provider_ran_is_the_same_in_a_stream() -> None:
    streamed = WIRE.assemble(WIRE.render_stream(HOSTED, VOICE))
    assert streamed.body["output"] == WIRE.render(HOSTED, VOICE)["output"]
    assert not streamed.open_calls and streamed.complete


def test_what_the_provider_ran_goes_back_as_it_came_beside_the_call() -> None:
    came = WIRE.render(HOSTED, VOICE)
    request = going_on(WIRE.read(came, START))
    assert content_of(request, 1) == came["output"]["message"]["content"]
    facts = WIRE.facts(request)
    assert [len(message.calls) for message in facts.messages] == [0, 1, 0]
    assert [len(message.results) for message in facts.messages] == [0, 0, 1]


def test_a_stream_that_breaks_off_does_so_in_the_clients_call() -> None:
    broken = WIRE.render_stream(ScriptTurn(calls=HOSTED.calls, quirks=HOSTED.quirks, cut="arguments"), VOICE)
    assembly = WIRE.assemble(broken)
    assert not assembly.complete
    assert assembly.open_calls == {0}
    turn = ScriptTurn("ab", quirks=HOSTED.quirks, cut="text")
    assert "toolResult" in compact_json([event.document for event in WIRE.render_stream(turn, VOICE)])


def test_answers_say_the_type_of_a_call_and_requests_do_not() -> None:
    call = {"toolUseId": "tooluse_1", "name": "read", "input": {}}
    turn = WIRE.read({**body([{"toolUse": {**call, "type": "tool_use"}}]), "stopReason": "tool_use"}, START)
    assert content_of(going_on(turn), 1) == [{"toolUse": call}]


def test_words_that_have_a_source_are_said_as_well() -> None:
    assert WIRE.read(body(CITED)).text == "It is high tide."
    assert WIRE.read(body([{"citationsContent": {"content": [{}, "x", {"text": 1}]}}, {"text": None}])).text == ""


def test_words_that_have_a_source_are_the_same_in_a_stream() -> None:
    assembly = WIRE.assemble(events(CITING))
    assert assembly.body == body(CITED)
    assert WIRE.grammar is not None
    assert follow_events(WIRE.grammar, events([*CITING, {"metadata": {}}])).violation is None


def test_words_that_have_a_source_go_back_with_it() -> None:
    request = going_on(WIRE.read(body(CITED)))
    assert content_of(request, 1) == CITED
    said = WIRE.facts(request).messages[1].texts
    assert said == [
        ("/messages/1/content/0/text", "It is "),
        ("/messages/1/content/1/citationsContent/content/0/text", "high tide"),
        ("/messages/1/content/2/text", "."),
    ]


@pytest.mark.parametrize(
    ("source", "known"), [({"bytes": "aGk="}, ["aGk="]), ({"s3Location": {"uri": "s3://a/b.png"}}, []), ({}, [None])]
)
def test_what_is_in_a_picture_that_the_provider_holds_is_not_known(source: Json, known: list[Json]) -> None:
    turn = WIRE.read(WIRE.render(ScriptTurn(calls=HOSTED.calls), VOICE), START)
    request = going_on(turn)
    document = decoded_json(request.body)
    document["messages"][2]["content"][0]["toolResult"]["content"] = [{"image": {"format": "png", "source": source}}]
    sent = WIRE.facts(Request.post_json(request.url, document, request.headers)).messages[2].results[0]
    assert [data for _, _, data in sent.images] == known
