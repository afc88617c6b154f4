"""The Responses wire against the official SDK: it reads in our bodies and streams what they were meant to say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import httpx2
import openai
import pytest
from openai.types.responses import Response as SdkResponse
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter
from responses_turns import FAILURES, TURNS, VOICE, WIRE, documents, read, streamed, variants

from conformance.http import Response
from conformance.script import ScriptError, ScriptTurn
from conformance.wires.base import stream_headers

Heard = tuple[str, str | None, list[tuple[str, str, str]]]
"""Text, refusal, and (call id, name, arguments) of each call."""

turns = pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS.keys())


class Sdk:
    """The official client, on a transport that answers with what it is given."""

    def __init__(self) -> None:
        self.answer = httpx2.Response(500)
        transport = httpx2.MockTransport(lambda request: self.answer)
        http_client = openai.DefaultHttpxClient(transport=transport)
        self.client = openai.OpenAI(api_key="test-key", http_client=http_client, max_retries=0)

    def blocking(self, response: Response) -> SdkResponse:
        """What the SDK makes of a response."""
        self.answer = httpx2.Response(response.status, headers=dict(response.headers), content=response.body)
        return self.client.responses.create(model="gpt-test", input="Go on.")

    def events(self, chunks: list[bytes]) -> list[Any]:
        """The events that the SDK finds in a stream."""
        self._serve(chunks)
        return list(self.client.responses.create(model="gpt-test", input="Go on.", stream=True))

    def final(self, chunks: list[bytes]) -> SdkResponse:
        """The response that the SDK's accumulating helper makes of a stream."""
        self._serve(chunks)
        with self.client.responses.stream(model="gpt-test", input="Go on.") as stream:
            return stream.get_final_response()

    def _serve(self, chunks: list[bytes]) -> None:
        self.answer = httpx2.Response(200, headers=stream_headers("sse"), content=iter(chunks))


@pytest.fixture(scope="module")
def sdk() -> Iterator[Sdk]:
    made = Sdk()
    yield made
    made.client.close()


def heard(output: list[Any]) -> Heard:
    """What the SDK's items say."""
    parts = [part for item in output if item.type == "message" for part in item.content]
    return (
        "".join(part.text for part in parts if part.type == "output_text"),
        "".join(part.refusal for part in parts if part.type == "refusal") or None,
        [(item.call_id, item.name, item.arguments) for item in output if item.type == "function_call"],
    )


def meant(turn: ScriptTurn) -> Heard:
    """What the items of ``turn`` are to say."""
    calls = [item for item in WIRE.render(turn, VOICE)["output"] if item["type"] == "function_call"]
    return (turn.text, turn.refusal, [(call["call_id"], call["name"], call["arguments"]) for call in calls])


@turns
def test_bodies(sdk: Sdk, turn: ScriptTurn) -> None:
    for odd in variants(turn):
        response = sdk.blocking(WIRE.respond(odd, VOICE))
        assert heard(response.output) == meant(odd)
        assert response.output_text == odd.text
        assert response.usage is not None
        assert response.usage.output_tokens == odd.usage.output_tokens


@turns
def test_bodies_say_to_the_sdk_what_they_say_to_us(sdk: Sdk, turn: ScriptTurn) -> None:
    ours, (text, refusal, calls) = read(turn), heard(sdk.blocking(WIRE.respond(turn, VOICE)).output)
    assert (ours.text, ours.refusal) == (text, refusal)
    for call, (call_id, name, arguments) in zip(ours.calls, calls, strict=True):
        assert (call.id, VOICE.name(call.name)) == (call_id, name)
        assert call.raw == arguments if call.invalid else call.arguments == json.loads(arguments)


@pytest.mark.parametrize("name", TURNS)
def test_streams(sdk: Sdk, name: str) -> None:
    plain, *single, all_together = variants(TURNS[name])
    for odd in (plain, *(single if name == "search_and_call" else ()), all_together):
        found = sdk.events(streamed(odd))
        done = {event.output_index: event.item for event in found if event.type == "response.output_item.done"}
        assert heard([done[index] for index in sorted(done)]) == meant(odd)
        assert "".join(event.delta for event in found if event.type == "response.output_text.delta") == odd.text
        pieces = [event for event in found if event.type == "response.function_call_arguments.delta"]
        for index, item in done.items():
            if item.type == "function_call" and "no_deltas" not in odd.quirks:
                assert "".join(event.delta for event in pieces if event.output_index == index) == item.arguments


NOT_FOR_THE_HELPER = {"output_empty_at_end", "repeated_id", "changing_ids"}
"""The helper believes the last event whatever it says, and takes call ids for the identity of items."""


COMPLETED = [name for name, turn in TURNS.items() if WIRE.render(turn, VOICE)["status"] != "incomplete"]
"""It also gives up unless the last event is ``response.completed``."""


@pytest.mark.parametrize("name", COMPLETED)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_streams_accumulated_by_the_sdk(sdk: Sdk, name: str) -> None:
    for quirks in (frozenset[str](), WIRE.card.quirks - NOT_FOR_THE_HELPER):
        turn = replace(TURNS[name], quirks=quirks)
        assert heard(list(sdk.final(streamed(turn)).output)) == meant(turn)


@cache
def valid_event() -> Callable[[Any], Any]:
    return TypeAdapter(ResponseStreamEvent).validate_python


@pytest.mark.parametrize("name", [name for name, turn in TURNS.items() if turn.finish is None])
def test_the_types_hold_strictly(name: str) -> None:
    for quirks in (set[str](), {"interleaved"}, {"output_empty_at_end", "empty_deltas", "arguments_empty"}):
        turn = replace(TURNS[name], quirks=frozenset(quirks))
        SdkResponse.model_validate(WIRE.render(turn, VOICE), strict=True)
        for document in documents(turn):
            assert valid_event()(document).type == document["type"]


@pytest.mark.parametrize("kind", ["server", "overloaded", "rate_limit", "invalid_request"])
def test_the_types_hold_for_failures(sdk: Sdk, kind: Any) -> None:
    turn = replace(TURNS["one_call"], fails_with=ScriptError(kind, "No more."))
    for document in documents(turn):
        assert valid_event()(document).type == document["type"]
    last = sdk.events(streamed(turn))[-1]
    assert last.type == FAILURES[kind][2]
    assert (last.message if last.type == "error" else last.response.error.message) == "No more."


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("invalid_request", openai.BadRequestError),
        ("authentication", openai.AuthenticationError),
        ("rate_limit", openai.RateLimitError),
        ("server", openai.InternalServerError),
        ("overloaded", openai.InternalServerError),
    ],
)
def test_errors(sdk: Sdk, kind: Any, error: type[openai.APIStatusError]) -> None:
    with pytest.raises(error, match="Too bad"):
        sdk.blocking(WIRE.render_error(ScriptError(kind, "Too bad.")))
