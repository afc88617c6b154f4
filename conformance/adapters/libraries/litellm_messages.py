"""litellm's ``anthropic.messages``: Anthropic's Messages format for every provider, by way of their own formats.

The application on this side of litellm is the reference wire: it writes the arguments as it would write a request to
Anthropic, and reads what litellm returns, a body or the bytes of a stream, as it would read Anthropic's answer.
(1.106.2 imports its own proxy when it streams from Anthropic, so the proxy is asked for.) DeepSeek is left out: there
litellm calls DeepSeek's own endpoint in Anthropic's format.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import litellm_setup
from conformance.adapters.libraries.litellm_setup import litellm
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.messages_format import FORMAT, asked_messages, heard_bytes, heard_message
from conformance.adapters.libraries.shim import LoopShim, WayDoors
from conformance.model import AssistantTurn, Conversation, Json, News, ProviderError
from conformance.wires import wire

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
            return _streamed(provider, DOORS[self.way].streamed(**asked), conversation)
        return heard_message(provider, _plain(DOORS[self.way].blocking(**asked)), conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, on the one event loop of the library's clients."""
        asked = _asked(provider, conversation, endpoint, stream=True)
        return _streamed(provider, await all_chunks_on_a_loop(**asked), conversation)

    def stream_news(self, provider: str, conversation: Conversation, *, endpoint: Endpoint) -> Iterator[News]:
        """Make the model call, and tell what its chunks say, as they come. How another provider sent the text of
        arguments they do not say."""
        asked = _asked(provider, conversation, endpoint, stream=True)
        try:
            told = wire(FORMAT).news(_each_bytes(**asked), conversation)
            yield from (news for news in told if news.kind != "arguments" or provider == FORMAT)
        except Exception as problem:
            yield News("end", self.failed(problem, endpoint, stream=True).stop)

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Do ``work`` on the one event loop of the library's clients."""
        return run_to_end(work)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The failures of the provider."""
        return litellm_setup.provider_failure(problem)

    def broken_off(self, problem: Exception) -> bool:
        """What litellm raises about a stream without an end."""
        return litellm_setup.broken_off(problem)


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
def create_sync(**asked: Any) -> Any:
    """A message in Anthropic's format, as a document, without an event loop."""
    return litellm.anthropic.messages.create(**asked)


@door
def all_chunks_sync(**asked: Any) -> Any:
    """The chunks of a stream in Anthropic's format, as bytes, without an event loop."""
    return list(litellm.anthropic.messages.create(**asked))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(create, all_chunks, on_a_loop=True),
    "sync": WayDoors(create_sync, all_chunks_sync),
}
"""The doors of each way."""


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
    asked = asked_messages(provider, conversation, stream=stream)
    return asked | litellm_setup.where(provider, conversation, endpoint)


# --- hearing ---------------------------------------------------------------------------------------------------------


def _streamed(provider: str, chunks: Iterable[bytes | str], conversation: Conversation) -> AssistantTurn:
    return heard_bytes(provider, _until_broken_off(map(_bytes, chunks)), conversation)


def _until_broken_off(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks without the event by which litellm says that the provider's stream ended early."""
    for chunk in chunks:
        if chunk.startswith(b"event: error") and litellm_setup.ended_early(chunk.decode()):
            return
        yield chunk


def _each_bytes(**asked: Any) -> Iterator[bytes]:
    yield from _until_broken_off(map(_bytes, each_chunk(**asked)))


def _bytes(chunk: bytes | str) -> bytes:
    return chunk if isinstance(chunk, bytes) else chunk.encode()


def _plain(answer: Json) -> Json:
    return answer if isinstance(answer, dict) else answer.model_dump(mode="json", exclude_none=True)
