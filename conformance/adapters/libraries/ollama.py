"""The ollama SDK on ``/api/chat``: its module's ``chat``, and its clients'. Streams are chunks, put together in order.

Its message types have no place for ids: what comes is dropped, and results find their calls by their order.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import ollama

from conformance.adapters.capture import door, left_out
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    function_schema,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    utterances,
    with_usable_ids,
)
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.news import CallNews, TellingShim, text_news, thinking_news
from conformance.adapters.libraries.shim import LoopShim, WayDoors, everything, http_library
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    News,
    ProviderError,
    Stop,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    part_text,
    result_text,
)


class Ollama(TellingShim, LoopShim):
    """``ollama.chat``, and ``chat`` of its clients."""

    name = "ollama"
    distribution = "ollama"
    homepage = "https://github.com/ollama/ollama-python"
    issues = "https://github.com/ollama/ollama-python/issues"
    providers = everything("ollama")
    needs = MappingProxyType({"ollama": ("ollama:ChatResponse",)})  # since 0.4; before, answers were dictionaries

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``chat``, by the module's function or by a client."""
        doors = DOORS[self.way]
        asked = _asked(conversation)
        if self.way == "module":
            self.shared(endpoint, "module", lambda: _module_leads_to(endpoint))
            return _turn(doors.streamed(**asked) if stream else [doors.blocking(**asked)], conversation)
        made = _async_client if doors.on_a_loop else _client
        client = self.shared(endpoint, f"client of {made.__name__}", lambda: made(endpoint))
        return _turn(doors.streamed(client, **asked) if stream else [doors.blocking(client, **asked)], conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, by the asynchronous client."""
        client = self.shared(endpoint, "async client", lambda: _async_client(endpoint))
        return _turn(await all_parts_on_a_loop(client, **_asked(conversation)), conversation)

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the parts of a stream say."""
        calls = CallNews(conversation)
        for part in each_part(_client(endpoint), **_asked(conversation)):
            yield from thinking_news(getattr(part.message, "thinking", None))  # since 0.5
            yield from text_news(part.message.content)
            for call in part.message.tool_calls or []:
                yield from calls.whole(call.function.name)

    def failure(self, problem: Exception) -> ProviderError | None:
        """Errors are `ollama.ResponseError`, in streams without a status of their own."""
        if not isinstance(problem, ollama.ResponseError):
            return None
        return reported(problem.status_code if problem.status_code > 0 else None, problem.error)

    def broken_off(self, problem: Exception) -> bool:
        """A line that is not whole JSON is a `json.JSONDecodeError`."""
        return isinstance(problem, json.JSONDecodeError)


def _line(endpoint: Endpoint) -> Any:
    return left_out(endpoint.transport(http_library("ollama")))


def _client(endpoint: Endpoint) -> ollama.Client:
    return ollama_client(host=endpoint.base_url, transport=_line(endpoint))


def _async_client(endpoint: Endpoint) -> ollama.AsyncClient:
    return async_client(host=endpoint.base_url, transport=_line(endpoint))


def _module_leads_to(endpoint: Endpoint) -> None:
    """Have the client behind the module's functions lead to ``endpoint``, as ``OLLAMA_HOST`` does when it is made."""
    OWN_CLIENT.__init__(host=endpoint.base_url, transport=_line(endpoint))


OWN_CLIENT: Any = inspect.unwrap(ollama.chat).__self__
"""The client behind the module's functions, which may be watched (`conformance.adapters.inventory`)."""

# --- doors -----------------------------------------------------------------------------------------------------------

ollama_client = door(ollama.Client)
async_client = door(ollama.AsyncClient)


@door
def chat(**asked: Any) -> Any:
    """A ``ChatResponse``."""
    return ollama.chat(**asked)


@door
def all_parts(**asked: Any) -> Any:
    """The parts of a stream, each a ``ChatResponse``."""
    return list(ollama.chat(**asked, stream=True))


@door
def chat_by_client(client: Any, **asked: Any) -> Any:
    """A ``ChatResponse``, by a client."""
    return client.chat(**asked)


@door
def all_parts_by_client(client: Any, **asked: Any) -> Any:
    """The parts of a stream, by a client."""
    return list(client.chat(**asked, stream=True))


@door
def chat_async(client: Any, **asked: Any) -> Any:
    """A ``ChatResponse``, by an asynchronous client."""
    return run_to_end(client.chat(**asked))


@door
def all_parts_async(client: Any, **asked: Any) -> Any:
    """The parts of a stream, by an asynchronous client."""
    return run_to_end(collected(client.chat(**asked, stream=True)))


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(chat_by_client, all_parts_by_client),
    "module": WayDoors(chat, all_parts),
    "async": WayDoors(chat_async, all_parts_async, on_a_loop=True),
}
"""The doors of each way."""


@door
def each_part(client: Any, **asked: Any) -> Any:
    """The parts of a stream, as they come."""
    yield from client.chat(**asked, stream=True)


@door
async def all_parts_on_a_loop(client: Any, **asked: Any) -> Any:
    """The parts of a stream, by an asynchronous client."""
    return [part async for part in await client.chat(**asked, stream=True)]


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(conversation: Conversation) -> dict[str, Any]:
    """The arguments of ``chat``."""
    asked: dict[str, Any] = {
        "model": conversation.model,
        "messages": list(_messages(conversation)),
        "options": {"num_predict": conversation.max_tokens},
    }
    if conversation.tools and conversation.choice.mode != "none":
        asked["tools"] = _tools(conversation)
    if conversation.reasoning:
        asked["think"] = True
    return asked


def _tools(conversation: Conversation) -> list[Any]:
    names = names_in(conversation)
    return [
        {
            "type": "function",
            "function": {
                "name": names[tool.name],
                "description": tool.description,
                "parameters": function_schema(tool),
            },
        }
        for tool in conversation.tools
    ]


def _messages(conversation: Conversation) -> Iterator[Any]:
    names = names_in(conversation)
    if conversation.system is not None:
        yield {"role": "system", "content": conversation.system}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield {"role": "user", "content": text}
            case AssistantTurn():
                yield _replayed(item, names)
            case results:
                native = conversation.profile == "native"
                yield from (_result(result, names.get(result.name, result.name), native) for result in results)


def _replayed(turn: AssistantTurn, names: dict[str, str]) -> Any:
    own = kept(turn)
    if own is not None:
        return own
    calls = [
        {"function": {"name": names.get(call.name, call.name), "arguments": replayable(call)}} for call in turn.calls
    ]
    return {"role": "assistant", "content": spoken(turn), "tool_calls": calls}


def _result(result: ToolResult, name: str, native: bool) -> Any:
    images = [part.data for part in result.content if native and isinstance(part, ImagePart)]
    text = result_text(result)
    if images:
        text = "\n".join(part_text(part) for part in result.content if not isinstance(part, ImagePart))
    content = compact_json({"error": text}) if result.is_error else text
    return {"role": "tool", "tool_name": name, "content": content, "images": images}


# --- hearing ---------------------------------------------------------------------------------------------------------


def _turn(answers: Iterable[ollama.ChatResponse], conversation: Conversation) -> AssistantTurn:
    said_so_far, thought, last = "", "", None
    sent: list[ollama.Message.ToolCall] = []
    for last in answers:
        said_so_far += last.message.content or ""
        thought += getattr(last.message, "thinking", None) or ""  # since 0.5
        sent += last.message.tool_calls or []
    if last is None:
        return AssistantTurn(stop="incomplete")
    more: dict[str, Any] = {"thinking": thought, "tool_calls": sent}
    message = ollama.Message(
        role="assistant", content=said_so_far, **{name: value for name, value in more.items() if value}
    )
    calls = [call_of(None, call.function.name, dict(call.function.arguments), conversation) for call in sent]
    usable = with_usable_ids(calls, conversation)
    stop: Stop = "length" if last.done_reason == "length" else "tool_calls" if calls else "end"
    counted = last.prompt_eval_count is not None or last.eval_count is not None  # Ollama leaves a count of 0 out
    return AssistantTurn(
        text=said_so_far,
        calls=usable,
        stop=stop if last.done else "incomplete",
        usage=Usage(last.prompt_eval_count or 0, last.eval_count or 0) if counted else None,
        opaque=OwnMessage(message, usable),
    )
