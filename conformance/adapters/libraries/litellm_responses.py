"""litellm's ``responses``: OpenAI's Responses format for every provider, by way of their own formats.

The application on this side of litellm is the reference wire: it writes the arguments as it would write a request to
OpenAI, and reads what litellm returns as it would read OpenAI's answer. The tool loop is stateless.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import litellm_setup
from conformance.adapters.libraries.litellm_setup import litellm
from conformance.adapters.libraries.shim import Shim
from conformance.http import Response, StreamEvent, frame
from conformance.model import AssistantTurn, Conversation, Json, ProviderError, compact_json
from conformance.wires import wire

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
        asked = litellm_setup.body(speaker.build(conversation, stream=stream))
        asked |= litellm_setup.where(provider, conversation, endpoint)
        asked["model"] = asked["model"].replace("/responses/", "/")
        answer = litellm.responses(**asked)
        if stream:
            return speaker.read_stream(frame(_events(answer), "sse"), conversation)
        return speaker.read_response(Response.of_json(200, _plain(answer)), conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The failures of the provider."""
        return litellm_setup.provider_failure(problem)


def _events(answer: Iterable[Any]) -> Iterator[StreamEvent]:
    for event in answer:
        document = _plain(event)
        yield StreamEvent(compact_json(document), str(document["type"]))


def _plain(answer: Any) -> Json:
    return answer.model_dump(mode="json", exclude_none=True, warnings=False)
