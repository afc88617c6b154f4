"""litellm's ``anthropic.messages``: Anthropic's Messages format for every provider, by way of their own formats.

The application on this side of litellm is the reference wire: it writes the arguments as it would write a request to
Anthropic, and reads what litellm returns, a body or the bytes of a stream, as it would read Anthropic's answer.
(1.106.2 imports its own proxy when it streams from Anthropic, so the proxy is asked for.) DeepSeek is left out: there
litellm calls DeepSeek's own endpoint in Anthropic's format.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import litellm_setup
from conformance.adapters.libraries.litellm_setup import litellm
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.shim import LoopShim
from conformance.http import Response
from conformance.model import AssistantTurn, Conversation, Json, News, ProviderError
from conformance.wires import wire
from conformance.wires.anthropic.client import OPAQUE

FORMAT = "anthropic"
UNSIGNED = "unsigned"

T = TypeVar("T")


class LiteLLMMessages(LoopShim):
    """``litellm.anthropic.messages.acreate``."""

    name = "litellm-messages"
    distribution = "litellm"
    homepage = "https://github.com/BerriAI/litellm"
    issues = "https://github.com/BerriAI/litellm/issues"
    in_threads = False
    providers = litellm_setup.abilities("anthropic", "gemini", "ollama", "azure", "xai", "mistral")

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``acreate``."""
        asked = _asked(provider, conversation, endpoint, stream=stream)
        if stream:
            return _streamed(all_chunks(**asked), conversation)
        return wire(FORMAT).read_response(Response.of_json(200, _plain(create(**asked))), conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, on the one event loop of the library's clients."""
        asked = _asked(provider, conversation, endpoint, stream=True)
        return _streamed(await all_chunks_on_a_loop(**asked), conversation)

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        """Make the model call, and tell what its chunks say, as they come."""
        asked = _asked(provider, conversation, endpoint, stream=True)
        try:
            yield from wire(FORMAT).news(_each_bytes(**asked), conversation)
        except Exception as problem:
            yield News("end", self.failed(problem, endpoint, stream=True).stop)

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Do ``work`` on the one event loop of the library's clients."""
        return run_to_end(work)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The failures of the provider."""
        return litellm_setup.provider_failure(problem)


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def create(**asked: Any) -> Any:
    """A message in Anthropic's format, as a document."""
    return run_to_end(litellm.anthropic.messages.acreate(**asked))


@door
def all_chunks(**asked: Any) -> Any:
    """The chunks of a stream in Anthropic's format, as bytes."""
    return run_to_end(collected(litellm.anthropic.messages.acreate(**asked)))


@door
async def all_chunks_on_a_loop(**asked: Any) -> Any:
    """The same on the loop that runs."""
    return await collected(litellm.anthropic.messages.acreate(**asked))


@door
def each_chunk(**asked: Any) -> Any:
    """The chunks of a stream in Anthropic's format, as they come."""
    chunks = run_to_end(litellm.anthropic.messages.acreate(**asked))
    try:
        while (chunk := run_to_end(anext(chunks, None))) is not None:
            yield chunk
    finally:
        run_to_end(chunks.aclose())


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> dict[str, Any]:
    """The arguments of ``acreate``."""
    if provider == "gemini":
        conversation = replace(conversation, profile="native")  # the portable one wants images as they are there
    asked = litellm_setup.body(wire(FORMAT).build(_marked(conversation), stream=stream))
    _unmark(asked["messages"])
    return asked | litellm_setup.where(provider, conversation, endpoint)


def _marked(conversation: Conversation) -> Conversation:
    """The conversation, with a mark for a signature in litellm's own thinking that has none.

    The wire leaves such blocks out, because Anthropic refuses them. litellm gets back what it gave.
    """
    turns = (
        replace(turn, opaque={**turn.opaque, OPAQUE: list(map(_signed, turn.opaque[OPAQUE]))})
        if isinstance(turn, AssistantTurn) and isinstance(turn.opaque, dict) and OPAQUE in turn.opaque
        else turn
        for turn in conversation.turns
    )
    return replace(conversation, turns=tuple(turns))


def _signed(block: dict[str, Json]) -> dict[str, Json]:
    return {**block, "signature": UNSIGNED} if block.get("type") == "thinking" and not block.get("signature") else block


def _unmark(messages: list[dict[str, Json]]) -> None:
    for message in messages:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block.get("signature") == UNSIGNED:
                block["signature"] = ""


# --- hearing ---------------------------------------------------------------------------------------------------------


def _streamed(chunks: Iterable[bytes | str], conversation: Conversation) -> AssistantTurn:
    return wire(FORMAT).read_stream(map(_bytes, chunks), conversation)


def _each_bytes(**asked: Any) -> Iterator[bytes]:
    for chunk in each_chunk(**asked):
        yield _bytes(chunk)


def _bytes(chunk: bytes | str) -> bytes:
    return chunk if isinstance(chunk, bytes) else chunk.encode()


def _plain(answer: Json) -> Json:
    return answer if isinstance(answer, dict) else answer.model_dump(mode="json", exclude_none=True)
