"""litellm's ``completion``: OpenAI's chat format for every provider.

A stream is read chunk by chunk, as litellm documents it. The message that goes back into the history is the one that
litellm's own ``stream_chunk_builder`` makes of the chunks, because it holds what the format has no place for. A refusal
is among a message's ``provider_specific_fields``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import litellm_setup
from conformance.adapters.libraries.chat_format import (
    heard,
    message_of,
    messages,
    put_together,
    result_writer,
    thinks,
    tool_arguments,
    with_ids,
)
from conformance.adapters.libraries.litellm_models import MODELS
from conformance.adapters.libraries.litellm_setup import litellm
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.news import TellingShim, chat_news
from conformance.adapters.libraries.shim import WayDoors
from conformance.model import AssistantTurn, Conversation, News, ProviderError

UNPLAYED = frozenset({"server_tools"})
"""``web_search_options``. litellm tells Anthropic's searches among the calls, by ids that begin with "srvtoolu_", and
builds them anew from there (BerriAI/litellm#17746): an application has to know that, and this one does not yet."""


class LiteLLM(TellingShim):
    """``litellm.completion``."""

    name = "litellm"
    distribution = "litellm"
    homepage = "https://github.com/BerriAI/litellm"
    issues = "https://github.com/BerriAI/litellm/issues"
    providers = litellm_setup.abilities(*MODELS, without=dict.fromkeys(MODELS, frozenset({"server_tools"})))

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``completion``."""
        asked = litellm_setup.where(provider, conversation, endpoint) | _asked(provider, conversation)
        doors = DOORS[self.way]
        if not stream:
            answer = doors.blocking(**asked)
            message = message_of(answer)
            said = heard(answer)
            said.refusal = said.refusal or (getattr(message, "provider_specific_fields", None) or {}).get("refusal")
            return said.turn(provider, message, conversation)
        chunks = doors.streamed(**asked, stream_options={"include_usage": True})
        if self.way == BUILT and (answer := whole_answer(chunks)):
            return heard(answer).turn(provider, message_of(answer), conversation)
        return put_together(chunks).turn(provider, whole_message(chunks), conversation)

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the chunks of a stream say."""
        asked = litellm_setup.where(provider, conversation, endpoint) | _asked(provider, conversation)
        return chat_news(each_chunk(**asked, stream_options={"include_usage": True}), conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The failures of the provider."""
        return litellm_setup.provider_failure(problem)

    def broken_off(self, problem: Exception) -> bool:
        """What litellm raises about a stream without an end."""
        return litellm_setup.broken_off(problem)


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def complete(**asked: Any) -> Any:
    """A ``ModelResponse``."""
    return litellm.completion(**asked)


@door
def all_chunks(**asked: Any) -> Any:
    """The chunks of a stream."""
    return list(litellm.completion(**asked, stream=True))


@door
def each_chunk(**asked: Any) -> Any:
    """The chunks of a stream, as they come."""
    yield from litellm.completion(**asked, stream=True)


@door
def complete_async(**asked: Any) -> Any:
    """A ``ModelResponse``, on an event loop."""
    return run_to_end(litellm.acompletion(**asked))


@door
def all_chunks_async(**asked: Any) -> Any:
    """The chunks of a stream, on an event loop."""
    return run_to_end(collected(litellm.acompletion(**asked, stream=True)))


BUILT = "chunk-builder"
"""The way on which litellm's own builder says what a stream amounts to."""
DOORS: Mapping[str, WayDoors] = {
    "chunk-builder": WayDoors(complete, all_chunks),
    "": WayDoors(complete, all_chunks),
    "async": WayDoors(complete_async, all_chunks_async, on_a_loop=True),
}
"""The doors of each way."""


@door
def whole_answer(chunks: Any) -> Any:
    """The ``ModelResponse`` that litellm makes of a stream."""
    return litellm.stream_chunk_builder(chunks)


@door
def whole_message(chunks: Any) -> Any:
    """The message that litellm makes of a stream."""
    answer = litellm.stream_chunk_builder(chunks)
    return answer and answer.choices and answer.choices[0].message


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(provider: str, conversation: Conversation) -> dict[str, Any]:
    """The arguments of ``completion``."""
    asked: dict[str, Any] = {
        "messages": list(messages(conversation, with_ids, result_writer(provider, conversation))),
        "max_tokens": conversation.max_tokens,
        **tool_arguments(provider, conversation),
    }
    if thinks(provider, conversation):
        asked["reasoning_effort"] = "medium"
    elif provider == "deepseek":
        asked["reasoning_effort"] = "none"  # else it thinks
    return asked
