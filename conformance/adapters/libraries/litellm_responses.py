"""litellm's ``responses``: OpenAI's Responses format for every provider, by way of their own formats.

The application on this side of litellm is the reference wire: it writes the arguments as it would write a request to
OpenAI, and reads what litellm returns as it would read OpenAI's answer. The tool loop is stateless. Two things an
application does that knows whom it calls: litellm's own ids go back as they came, also where OpenAI would take no ids
that long, and no model is asked to think and to call at once that cannot do both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import litellm_setup
from conformance.adapters.libraries.application import translated
from conformance.adapters.libraries.chat_format import NO_FORCING, thinks
from conformance.adapters.libraries.litellm_setup import litellm
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.shim import Shim, WayDoors
from conformance.http import Response, StreamEvent, frame
from conformance.model import AssistantTurn, Conversation, Json, ProviderError, ToolChoice, compact_json
from conformance.wires import wire
from conformance.wires.ids import fitting_id
from conformance.wires.openai_responses.client import CALL_ID

FORMAT = "openai-responses"


class LiteLLMResponses(Shim):
    """``litellm.responses``."""

    name = "litellm-responses"
    distribution = "litellm"
    homepage = "https://github.com/BerriAI/litellm"
    issues = "https://github.com/BerriAI/litellm/issues"
    providers = litellm_setup.abilities("openai-responses", "anthropic", "gemini", "ollama", "deepseek", "mistral")

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``responses``."""
        speaker = wire(FORMAT)
        asked = litellm_setup.body(speaker.build(_possible(provider, conversation), stream=stream))
        asked["input"] = list(_own_ids(asked["input"], conversation))
        asked |= litellm_setup.where(provider, conversation, endpoint)
        asked["model"] = asked["model"].replace("/responses/", "/")
        if provider == "deepseek" and not thinks(provider, conversation):
            asked["reasoning"] = {"effort": "none"}  # else it thinks
        doors = DOORS[self.way]
        if stream:
            turn = speaker.read_stream(frame(_events(doors.streamed(**asked)), "sse"), conversation)
        else:
            turn = speaker.read_response(Response.of_json(200, _plain(doors.blocking(**asked))), conversation)
        return turn if provider == FORMAT else translated(turn)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The failures of the provider."""
        return litellm_setup.provider_failure(problem)

    def broken_off(self, problem: Exception) -> bool:
        """What litellm raises about a stream without an end."""
        return litellm_setup.broken_off(problem)


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def respond(**asked: Any) -> Any:
    """A ``ResponsesAPIResponse``."""
    return litellm.responses(**asked)


@door
def all_events(**asked: Any) -> Any:
    """The events of a stream."""
    return list(litellm.responses(**asked))


@door
def respond_async(**asked: Any) -> Any:
    """A ``ResponsesAPIResponse``, on an event loop."""
    return run_to_end(litellm.aresponses(**asked))


@door
def all_events_async(**asked: Any) -> Any:
    """The events of a stream, on an event loop."""
    return run_to_end(collected(litellm.aresponses(**asked)))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(respond, all_events),
    "async": WayDoors(respond_async, all_events_async, on_a_loop=True),
}
"""The doors of each way."""


# --- asking ----------------------------------------------------------------------------------------------------------


def _possible(provider: str, conversation: Conversation) -> Conversation:
    """What can be asked of the provider's models. The portable profile wants words for images, but not on Gemini."""
    thinking = thinks(provider, conversation)
    profile = "native" if provider == "gemini" else conversation.profile
    free = thinking and provider in NO_FORCING and conversation.choice.mode in ("required", "tool")
    choice = ToolChoice(parallel=conversation.choice.parallel) if free else conversation.choice
    return replace(conversation, choice=choice, reasoning=thinking, profile=profile)


def _own_ids(items: Iterable[dict[str, Json]], conversation: Conversation) -> Iterator[dict[str, Json]]:
    """The items, with the ids that litellm gave where the wire made shorter ones of them."""
    own = [turn for turn in conversation.turns if isinstance(turn, AssistantTurn) and turn.opaque is not None]
    given = {fitting_id(call.id, CALL_ID, 24, "call_"): call.id for turn in own for call in turn.calls}
    for item in items:
        call_id = item.get("call_id")
        yield {**item, "call_id": given[call_id]} if isinstance(call_id, str) and call_id in given else item


# --- hearing ---------------------------------------------------------------------------------------------------------


def _events(answer: Iterable[Any]) -> Iterator[StreamEvent]:
    for event in answer:
        document = _plain(event)
        yield StreamEvent(compact_json(document), str(document["type"]))


def _plain(answer: Any) -> Json:
    return answer.model_dump(mode="json", exclude_none=True, warnings=False)
