"""any-llm's ``completion`` and ``acompletion``: OpenAI's chat format for every provider.

The chunks of a stream are put together by any-llm's own accumulator. Releases without it leave that to the application,
and so does a stream that broke off. A message goes back dumped, as the accumulator's documentation says:
``acompletion`` takes the object as well, but sends it without its reasoning.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from functools import cache, partial
from typing import Any, TypeVar

import any_llm
from any_llm.types.completion import CompletionParams

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import reported
from conformance.adapters.libraries.chat_failures import cut_short, provider_failure
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
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.shim import LoopShim, WayDoors, everything
from conformance.model import AssistantTurn, Conversation, ProviderError
from conformance.wires import PROVIDERS

try:
    from any_llm.utils.streaming import accumulate_chunks
except ImportError:  # older releases leave that to the application
    accumulate_chunks = None

T = TypeVar("T")

OTHER_NAMES = {"openai-chat": "openai", "azure": "azureopenai"}
"""What any-llm calls providers otherwise than we do."""
OTHER_WIRES = ("xai",)
"""What any-llm speaks to otherwise than by HTTP: xAI by gRPC."""
UNPLAYED = ("bedrock",)
"""What nobody wrote the calls for: Bedrock wants the extra of its name, AWS' keys instead of one, and a region."""


def _names() -> Mapping[str, str]:
    """any-llm's names of the providers, as far as the installed release knows them."""
    known = {provider.value for provider in any_llm.LLMProvider}
    spoken = [provider for provider in PROVIDERS if provider not in (*OTHER_WIRES, *UNPLAYED)]
    named = {provider: OTHER_NAMES.get(provider, provider) for provider in spoken}
    return {provider: name for provider, name in named.items() if name in known}


NAMES = _names()
ONCE = ("openai-chat", "anthropic", "deepseek", "azure")
"""The providers whose SDK tries again unless it is told not to."""
GEMINI = "gemini-3.1-pro-preview"
"""any-llm knows from the name what results a model of Gemini takes."""
UNTHINKING = {"gemini": "auto"}
"""What asks for no thinking where "none" is not taken: Gemini 3 cannot do without."""
WITH_ADDRESS = ("openai-chat", "anthropic", "gemini", "ollama", "deepseek", "mistral", "azure")
"""The providers whose SDK any-llm tells the address that it is given."""
WITH_PICTURES = ("anthropic", "gemini", "ollama")
"""Where any-llm translates pictures in results. Elsewhere it hands OpenAI's tool message on, which holds text only."""
NO_MODEL = Conversation(()).model
"""What a conversation names when nobody chose a model."""


def _providers() -> Mapping[str, frozenset[str]]:
    """Its tools are functions, and on Gemini Google's own objects too (`any_llm.tools.prepare_tools`)."""
    without = {name: {"server_tools"} for name in NAMES if name != "gemini"}
    for name in NAMES.keys() - {*WITH_PICTURES}:
        without[name].add("image_results")
    return {name: names - without.get(name, set()) for name, names in everything(*NAMES).items()}


class AnyLLM(LoopShim):
    """``any_llm.completion``, ``any_llm.acompletion`` and the client's methods of these names."""

    name = "any-llm"
    distribution = "any-llm-sdk"
    homepage = "https://github.com/mozilla-ai/any-llm"
    issues = "https://github.com/mozilla-ai/any-llm/issues"
    in_threads = False
    providers = _providers()

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``completion``, or of what the way has instead."""
        doors, asked = DOORS[self.way], _asked(provider, conversation)
        if self.way in BY_CLIENT:
            called = partial(doors.blocking, kept_client(provider, endpoint.url, endpoint.api_key))
            streams = partial(doors.streamed, kept_client(provider, endpoint.url, endpoint.api_key))
        else:
            url, options = options_at(provider, endpoint.url)
            asked |= {"provider": NAMES[provider], "api_key": endpoint.api_key, "api_base": url, "client_args": options}
            called, streams = partial(doors.blocking), partial(doors.streamed)
        if stream:
            return _streamed(streams(**asked), provider, conversation)
        answer = called(**asked)
        return heard(answer).turn(provider, _back(answer), conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, on the one event loop of the library's clients."""
        client = kept_client(provider, endpoint.url, endpoint.api_key)
        chunks = await all_chunks_on_a_loop(client, **_asked(provider, conversation))
        return _streamed(chunks, provider, conversation)

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Do ``work`` on the one event loop of the library's clients."""
        return run_to_end(work)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The provider SDK's exceptions, or any-llm's own around them."""
        original = getattr(problem, "original_exception", None)
        status = getattr(problem, "status_code", None)
        if original is not None and status is not None and not provider_failure(original):
            return reported(status, {"message": str(problem)})
        return provider_failure(original or problem)

    def broken_off(self, problem: Exception) -> bool:
        """What the SDKs of Google and Ollama raise about half a document."""
        return cut_short(problem)


@cache
def kept_client(provider: str, url: str, key: str) -> Any:
    """The client of a provider at an address."""
    url, options = options_at(provider, url)
    return new_client(NAMES[provider], api_key=key, api_base=url, **options)


def options_at(provider: str, url: str) -> tuple[str, dict[str, Any]]:
    """The address, and the options of the provider's client."""
    options: dict[str, Any] = {"max_retries": 0} if provider in ONCE else {}
    if provider not in WITH_ADDRESS:
        options["base_url"] = url  # its own argument is not handed on
    if provider == "gemini":
        from google.genai import types

        options["http_options"] = types.HttpOptions(base_url=url)  # 1.7.0 has no other way to say where
    if provider == "mistral":
        url = url.removesuffix("/v1")  # Mistral's SDK adds it
    return url, options


def _streamed(chunks: list[Any], provider: str, conversation: Conversation) -> AssistantTurn:
    if accumulated is None or not _is_finished(chunks):
        made = put_together(chunks)
        return made.turn(provider, made.message(), conversation)
    answer = accumulated(chunks)
    return heard(answer).turn(provider, _back(answer), conversation)


def _back(answer: Any) -> Any:
    """The message as it goes back, where there is one."""
    return None if message_of(answer) is None else dumped_message(answer)


def _is_finished(chunks: list[Any]) -> bool:
    """Whether a stream did not break off."""
    return any(choice.finish_reason for chunk in chunks for choice in chunk.choices)


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def new_client(name: str, **options: Any) -> Any:
    """The client of a provider."""
    return any_llm.AnyLLM.create(name, **options)


@door
def complete(**asked: Any) -> Any:
    """A ``ChatCompletion``."""
    return any_llm.completion(**asked)


@door
def all_chunks(**asked: Any) -> Any:
    """The chunks of a stream."""
    return list(any_llm.completion(**asked, stream=True))


@door
def complete_async(**asked: Any) -> Any:
    """A ``ChatCompletion``, on an event loop."""
    return run_to_end(any_llm.acompletion(**asked))


@door
def all_chunks_async(**asked: Any) -> Any:
    """The chunks of a stream, on an event loop."""
    return run_to_end(collected(any_llm.acompletion(**asked, stream=True)))


@door
def complete_by_client(client: Any, **asked: Any) -> Any:
    """A ``ChatCompletion``, by a client."""
    return client.completion(**asked)


@door
def all_chunks_by_client(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, by a client."""
    return list(client.completion(**asked, stream=True))


@door
def complete_by_client_async(client: Any, **asked: Any) -> Any:
    """A ``ChatCompletion``, by a client on an event loop."""
    return run_to_end(client.acompletion(**asked))


@door
def all_chunks_by_client_async(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, by a client on an event loop."""
    return run_to_end(collected(client.acompletion(**asked, stream=True)))


BY_CLIENT = ("client", "async-client")
"""The ways that keep a client. The others make one for each call."""
DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(complete, all_chunks),
    "async": WayDoors(complete_async, all_chunks_async, on_a_loop=True),
    "client": WayDoors(complete_by_client, all_chunks_by_client),
    "async-client": WayDoors(complete_by_client_async, all_chunks_by_client_async, on_a_loop=True),
}
"""The doors of each way."""


@door
async def all_chunks_on_a_loop(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, on the loop that runs."""
    return await collected(client.acompletion(**asked, stream=True))


accumulated = door(accumulate_chunks) if accumulate_chunks is not None else None


@door
def google_search() -> Any:
    """Google's search, among the tools."""
    from google.genai import types

    return types.Tool(google_search=types.GoogleSearch())


@door
def dumped_message(answer: Any) -> Any:
    """The message as it goes back."""
    return answer.choices[0].message.model_dump(exclude_none=True)


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(provider: str, conversation: Conversation) -> dict[str, Any]:
    """The arguments of ``acompletion``."""
    model = GEMINI if provider == "gemini" and conversation.model == NO_MODEL else conversation.model
    return {
        "model": model,
        "messages": list(messages(conversation, with_ids, result_writer(provider, conversation))),
        "max_tokens": conversation.max_tokens,
        **_effort(provider, thinking=thinks(provider, conversation)),
        **_tools(provider, conversation),
    }


def _effort(provider: str, *, thinking: bool) -> dict[str, Any]:
    """How much to think. Releases that cannot be told not to are told nothing."""
    effort = "medium" if thinking else UNTHINKING.get(provider, "none")
    taken = CompletionParams.model_fields["reasoning_effort"].annotation
    return {"reasoning_effort": effort} if f"'{effort}'" in str(taken) else {}


def _tools(provider: str, conversation: Conversation) -> dict[str, Any]:
    asked = tool_arguments(provider, conversation)
    if not any(tool.builtin for tool in conversation.tools):
        return asked
    return {**asked, "tools": [*asked.get("tools", ()), google_search()]}
