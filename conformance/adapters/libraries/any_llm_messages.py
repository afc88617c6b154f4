"""any-llm's ``messages`` and ``amessages``: Anthropic's Messages format for every provider."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import any_llm

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.any_llm import GEMINI, NAMES, NO_MODEL, AnyLLM, kept_client, options_at
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.messages_format import asked_messages, heard_events, heard_message
from conformance.adapters.libraries.shim import WayDoors
from conformance.model import AssistantTurn, Conversation, Json


class AnyLLMMessages(AnyLLM):
    """``any_llm.messages``, ``any_llm.amessages`` and the client's ``amessages``."""

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``messages``, or of what the way has instead."""
        doors, asked = DOORS[self.way], asked_messages(provider, conversation, stream=stream)
        if provider == "gemini" and conversation.model == NO_MODEL:
            asked["model"] = GEMINI
        if self.way in BY_CLIENT:
            go = partial(
                doors.streamed if stream else doors.blocking, kept_client(provider, endpoint.url, endpoint.api_key)
            )
        else:
            url, options = options_at(provider, endpoint.url)
            asked |= {"provider": NAMES[provider], "api_key": endpoint.api_key, "api_base": url, "client_args": options}
            go = partial(doors.streamed if stream else doors.blocking)
        if stream:
            return heard_events(provider, map(plain_event, go(**asked)), conversation)
        return heard_message(provider, plain_event(go(**asked)), conversation)


def plain_event(answer: Any) -> dict[str, Json]:
    """An answer, or an event of one, as JSON data."""
    document: dict[str, Json] = answer.model_dump(mode="json", exclude_none=True, warnings=False)
    return document


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def create(**asked: Any) -> Any:
    """A message in Anthropic's format."""
    return any_llm.messages(**asked)


@door
def all_events(**asked: Any) -> Any:
    """The events of a stream in Anthropic's format."""
    return list(any_llm.messages(**asked))


@door
def create_async(**asked: Any) -> Any:
    """A message in Anthropic's format, on an event loop."""
    return run_to_end(any_llm.amessages(**asked))


@door
def all_events_async(**asked: Any) -> Any:
    """The events of a stream in Anthropic's format, on an event loop."""
    return run_to_end(collected(any_llm.amessages(**asked)))


@door
def create_by_client(client: Any, **asked: Any) -> Any:
    """A message in Anthropic's format, by a client."""
    return run_to_end(client.amessages(**asked))


@door
def all_events_by_client(client: Any, **asked: Any) -> Any:
    """The events of a stream in Anthropic's format, by a client."""
    return run_to_end(collected(client.amessages(**asked)))


BY_CLIENT = ("client-messages",)
"""The ways that keep a client."""
DOORS: Mapping[str, WayDoors] = {
    "messages": WayDoors(create, all_events),
    "async-messages": WayDoors(create_async, all_events_async, on_a_loop=True),
    "client-messages": WayDoors(create_by_client, all_events_by_client, on_a_loop=True),
}
"""The doors of each way."""
