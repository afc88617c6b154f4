"""any-llm's ``responses`` and ``aresponses``: OpenAI's Responses format, which any-llm hands on to OpenAI.

The application on this side of any-llm is the reference wire: it writes the arguments as it would write a request to
OpenAI, and reads what any-llm returns as it would read OpenAI's answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import any_llm

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.any_llm import AnyLLM, kept_client, options_at
from conformance.adapters.libraries.any_llm_messages import plain_event
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.shim import WayDoors, everything
from conformance.http import Response, StreamEvent, frame
from conformance.model import AssistantTurn, Conversation, compact_json
from conformance.wires import wire

FORMAT = "openai-responses"
OPENAI = "openai-chat"
"""Where this project knows any-llm's OpenAI: it speaks both formats."""


class AnyLLMResponses(AnyLLM):
    """``any_llm.responses``, ``any_llm.aresponses`` and the client's methods of these names."""

    providers = everything(FORMAT)

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``responses``, or of what the way has instead."""
        doors, speaker = DOORS[self.way], wire(FORMAT)
        asked: dict[str, Any] = json.loads(speaker.build(conversation, stream=stream).body)
        asked["input_data"] = asked.pop("input")
        door_of = doors.streamed if stream else doors.blocking
        if self.way in BY_CLIENT:
            go = partial(door_of, kept_client(OPENAI, endpoint.url, endpoint.api_key))
        else:
            _, options = options_at(OPENAI, endpoint.url)
            asked |= {"provider": "openai", "api_key": endpoint.api_key, "api_base": endpoint.url}
            go = partial(door_of, client_args=options)
        if stream:
            return speaker.read_stream(frame(_events(go(**asked)), "sse"), conversation)
        return speaker.read_response(Response.of_json(200, plain_event(go(**asked))), conversation)


def _events(answer: Iterable[Any]) -> Iterator[StreamEvent]:
    for event in answer:
        document = plain_event(event)
        yield StreamEvent(compact_json(document), str(document["type"]))


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def respond(**asked: Any) -> Any:
    """A ``Response``."""
    return any_llm.responses(**asked)


@door
def all_events(**asked: Any) -> Any:
    """The events of a stream."""
    return list(any_llm.responses(**asked))


@door
def respond_async(**asked: Any) -> Any:
    """A ``Response``, on an event loop."""
    return run_to_end(any_llm.aresponses(**asked))


@door
def all_events_async(**asked: Any) -> Any:
    """The events of a stream, on an event loop."""
    return run_to_end(collected(any_llm.aresponses(**asked)))


@door
def respond_by_client(client: Any, **asked: Any) -> Any:
    """A ``Response``, by a client."""
    return client.responses(**asked)


@door
def all_events_by_client(client: Any, **asked: Any) -> Any:
    """The events of a stream, by a client."""
    return list(client.responses(**asked))


@door
def respond_by_client_async(client: Any, **asked: Any) -> Any:
    """A ``Response``, by a client on an event loop."""
    return run_to_end(client.aresponses(**asked))


@door
def all_events_by_client_async(client: Any, **asked: Any) -> Any:
    """The events of a stream, by a client on an event loop."""
    return run_to_end(collected(client.aresponses(**asked)))


BY_CLIENT = ("client-responses", "async-client-responses")
"""The ways that keep a client."""
DOORS: Mapping[str, WayDoors] = {
    "responses": WayDoors(respond, all_events),
    "async-responses": WayDoors(respond_async, all_events_async, on_a_loop=True),
    "client-responses": WayDoors(respond_by_client, all_events_by_client),
    "async-client-responses": WayDoors(respond_by_client_async, all_events_by_client_async, on_a_loop=True),
}
"""The doors of each way."""
