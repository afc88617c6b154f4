"""pydantic-ai, by its direct model requests: ``pydantic_ai.direct.model_request_sync`` and ``model_request_stream``.

The history goes through ``Model.prepare_messages`` first, as the library's agents let it. Releases without direct
requests (before 0.2) have ``Model.agent_model`` instead, which is called for blocking requests only. What a release has
no setting for (``tool_choice`` came late) is not among its capabilities.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from pydantic_ai import exceptions, messages
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    function_schema,
    kept,
    names_in,
    replayable,
    spoken,
    utterances,
    with_usable_ids,
)
from conformance.adapters.libraries.chat_failures import cut_short
from conformance.adapters.libraries.chat_format import FAILED, stopped
from conformance.adapters.libraries.failures import sdk_failure, told
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.news import CallNews, LoopTellingShim, text_news, thinking_news
from conformance.adapters.libraries.pydantic_ai_models import new_model, part_of
from conformance.adapters.libraries.shim import WayDoors, everything
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    JsonPart,
    News,
    Part,
    ProviderError,
    Stop,
    ToolCall,
    ToolResult,
    Usage,
    UserTurn,
    part_text,
    result_text,
)

try:
    from pydantic_ai import direct
    from pydantic_ai.direct import model_request_stream, model_request_sync
except ImportError:  # releases before 0.2
    direct = model_request_sync = model_request_stream = None

T = TypeVar("T")
STOPS: Mapping[str, Stop] = {"length": "length", "content_filter": "refusal", "error": "error"}
THINKING: Mapping[str, Mapping[str, Any]] = {
    "openai-responses": {"openai_reasoning_effort": "medium", "openai_reasoning_summary": "auto"},
    "anthropic": {"anthropic_thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048},
    "gemini": {"google_thinking_config": {"include_thoughts": True}},
}
"""How each provider's own settings ask it to think."""
NOT_THERE: Mapping[str, set[str]] = {"mistral": {"strict"}}
"""What the library's documentation leaves out for a provider."""
CUT_OFF: Any = getattr(exceptions, "ModelConnectionError", ())
"""What says that a stream broke off, in releases that know."""
ERRORS = ("ModelHTTPError", "ModelAPIError")


class PydanticAI(LoopTellingShim):
    """The models of pydantic-ai."""

    name = "pydantic-ai"
    distribution = "pydantic-ai-slim"
    homepage = "https://ai.pydantic.dev"
    issues = "https://github.com/pydantic/pydantic-ai/issues"
    in_threads = False
    apart: frozenset[str] = frozenset()
    """The capabilities that a way has not."""

    def __init__(self) -> None:
        lacks = self.apart.union(_lacks())
        offered = everything("openai-chat", "openai-responses", "azure", "deepseek", "mistral", "anthropic", "gemini")
        self.providers = {
            provider: names - lacks - NOT_THERE.get(provider, set()) for provider, names in offered.items()
        }
        super().__init__()

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One direct model request."""
        model = new_model(provider, conversation.model, endpoint)
        if hasattr(model, "agent_model"):
            history = _prepared(model, list(history_of(conversation, provider)))
            settings = settings_of(provider, conversation)
            tools = [tool_of(tool.name, conversation) for tool in conversation.tools]
            response, usage = agent_request(model, history, settings, function_tools=tools)
            return turn_of_response(response, usage, conversation)
        doors = DOORS[self.way]
        response = (doors.streamed if stream else doors.blocking)(model, **_asked(model, provider, conversation))
        return turn_of_response(response, getattr(response, "usage", None), conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """One streamed request of a model that both calls at an endpoint share."""
        name = conversation.model
        model = self.shared(endpoint, name, lambda: new_model(provider, name, endpoint))
        response = await response_of(model, **_asked(model, provider, conversation))
        return turn_of_response(response, getattr(response, "usage", None), conversation)

    async def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AsyncIterator[News]:
        """What the events of a stream say."""
        model, calls = new_model(provider, conversation.model, endpoint), CallNews(conversation)
        async with aclosing(each_event(model, **_asked(model, provider, conversation))) as events:
            async for event in events:
                for news in _news(event, calls):
                    yield news

    def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Do ``work`` on the one event loop of the library's clients."""
        return run_to_end(work)

    def failure(self, problem: Exception) -> ProviderError | None:
        """HTTP errors are `ModelHTTPError`, others `ModelAPIError`; old releases let the SDKs' own through."""
        own = tuple(getattr(exceptions, name) for name in ERRORS if hasattr(exceptions, name))
        if not isinstance(problem, own):
            return sdk_failure(problem)
        status, body = getattr(problem, "status_code", None), _document(getattr(problem, "body", None))
        return told(problem, status, body, {"retry-after": getattr(problem, "retry_after", None)})

    def broken_off(self, problem: Exception) -> bool:
        """Newer releases say so by `ModelConnectionError`, or raise from what Google's SDK says of half a document."""
        return isinstance(problem, CUT_OFF) or cut_short(problem.__cause__ or problem)


def _document(body: Any) -> Any:
    """The body of an error, which is text where the SDK does not read it (Mistral's)."""
    try:
        return json.loads(body) if isinstance(body, str) else body
    except ValueError:
        return body


def _lacks() -> Iterator[str]:
    """The capabilities that the installed release has no setting for."""
    if "tool_choice" not in ModelSettings.__annotations__:
        yield "tool_choice"
    if "parallel_tool_calls" not in ModelSettings.__annotations__:
        yield "parallel_switch"
    if "strict" not in ToolDefinition.__annotations__:
        yield "strict"
    if _search_tool() is None:
        yield "server_tools"
    if importlib.util.find_spec("pydantic_ai.direct") is None:
        yield from ("streaming", "reasoning")


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def prepare_messages(model: Any, messages: Any) -> Any:
    """The history as the model wants it."""
    return model.prepare_messages(messages)


@door
def request(model: Any, **asked: Any) -> Any:
    """A ``ModelResponse``."""
    return model_request_sync(model, **asked)


@door
def streamed(model: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a stream amounts to."""

    async def stream() -> Any:
        async with model_request_stream(model, **asked) as events:
            async for _ in events:
                pass
            return events.get()

    return run_to_end(stream())


@door
def request_async(model: Any, **asked: Any) -> Any:
    """A ``ModelResponse``, on an event loop."""
    return run_to_end(direct.model_request(model, **asked))


@door
def streamed_sync(model: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a stream amounts to, without an event loop."""
    with direct.model_request_stream_sync(model, **asked) as events:
        for _ in events:
            pass
        return events.response


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(request, streamed),
    "async-direct": WayDoors(request_async, streamed_sync),
}
"""The doors of each way."""


@door
async def response_of(model: Any, **asked: Any) -> Any:
    """The ``ModelResponse`` that a stream amounts to, on the loop that runs."""
    async with model_request_stream(model, **asked) as events:
        async for _ in events:
            pass
        return events.get()


@door
async def each_event(model: Any, **asked: Any) -> Any:
    """The events of a stream, as they come."""
    async with model_request_stream(model, **asked) as events:
        async for event in events:
            yield event


@door
def agent_request(model: Any, messages: Any, settings: Any, **agent: Any) -> Any:
    """A ``ModelResponse`` and its usage, by releases without direct requests."""

    async def ask() -> Any:
        made = await model.agent_model(**agent, allow_text_result=True, result_tools=[])
        return await made.request(messages, settings)

    return run_to_end(ask())


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(model: Any, provider: str, conversation: Conversation) -> dict[str, Any]:
    """The arguments of a direct request."""
    return {
        "messages": _prepared(model, list(history_of(conversation, provider))),
        "model_settings": settings_of(provider, conversation),
        "model_request_parameters": _parameters(conversation),
    }


def _prepared(model: Any, history: list[Any]) -> list[Any]:
    """The history as the model wants it. Agents always ask for this; direct requests leave it to their callers."""
    return prepare_messages(model, history) if hasattr(model, "prepare_messages") else history


def _parameters(conversation: Conversation) -> Any:
    made = part_of("models", "ModelRequestParameters")
    functions = [tool_of(tool.name, conversation) for tool in conversation.tools if not tool.builtin]
    search = _search_tool()
    if search is None or not any(tool.builtin for tool in conversation.tools):
        return made(function_tools=functions)
    field = "native_tools" if "native_tools" in made.__dataclass_fields__ else "builtin_tools"
    return made(function_tools=functions, **{field: [search()]})


def _search_tool() -> Any:
    """The web search that providers run by themselves, where the release has it."""
    for module in ("native_tools", "builtin_tools"):
        if importlib.util.find_spec(f"pydantic_ai.{module}") is not None:
            return part_of(module, "WebSearchTool")
    return None


def tool_of(name: str, conversation: Conversation) -> ToolDefinition:
    """The definition of a tool."""
    tool = conversation.tool(name)
    assert tool is not None
    strict: Any = {} if tool.strict is None else {"strict": tool.strict}
    return ToolDefinition(
        name=names_in(conversation)[name],
        description=tool.description,
        parameters_json_schema=function_schema(tool),
        **strict,
    )


def settings_of(provider: str, conversation: Conversation) -> Any:
    """The settings that a conversation asks for."""
    choice = conversation.choice
    settings: dict[str, Any] = {"max_tokens": conversation.max_tokens}
    if provider == "anthropic" and conversation.reasoning:
        pass  # Claude cannot be made to call a tool while thinking, and the library refuses to ask
    elif choice.mode == "tool":
        settings["tool_choice"] = [names_in(conversation)[choice.name or ""]]
    elif choice.mode != "auto":
        settings["tool_choice"] = choice.mode
    if choice.parallel is not None:
        settings["parallel_tool_calls"] = choice.parallel
    if provider == "deepseek":  # it thinks unless it is told not to, and cannot be forced then
        thinks = conversation.reasoning and choice.mode in ("auto", "none")
        settings["extra_body"] = {"thinking": {"type": "enabled" if thinks else "disabled"}}
    return {**settings, **(THINKING.get(provider, {}) if conversation.reasoning else {})}


def history_of(conversation: Conversation, provider: str) -> Iterator[Any]:
    """The conversation as messages of the library."""
    system = [messages.SystemPromptPart(conversation.system)] if conversation.system is not None else []
    own: Mapping[str, str] = {}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield messages.ModelRequest(parts=[*system, messages.UserPromptPart(text)])
            case AssistantTurn():
                response = _replayed(item, conversation)
                own = _own_ids(item, response)
                yield response
            case results:
                yield messages.ModelRequest(
                    parts=[*system, *(_result(result, own, conversation, provider) for result in results)]
                )
        system = []


def _replayed(turn: AssistantTurn, conversation: Conversation) -> Any:
    """The library's own message; one written by hand for a turn of another provider, or one that it misread."""
    own = kept(turn)
    if own is not None:
        return own
    names = names_in(conversation)
    said = spoken(turn)
    text = [messages.TextPart(said)] if said else []
    calls = [
        messages.ToolCallPart(names.get(call.name, call.name), dict(replayable(call)), call.id) for call in turn.calls
    ]
    return messages.ModelResponse(parts=[*text, *calls])


def _own_ids(turn: AssistantTurn, response: Any) -> Mapping[str, str]:
    """The library's id of each call: what its agent puts on the result, whatever the conversation calls it."""
    return {call.id: part.tool_call_id for call, part in zip(turn.calls, _calls(response), strict=True)}


def _calls(response: Any) -> list[Any]:
    return [part for part in response.parts if isinstance(part, messages.ToolCallPart)]


def _result(result: ToolResult, own: Mapping[str, str], conversation: Conversation, provider: str) -> Any:
    pictures = provider == "gemini" or conversation.profile == "native"
    content = _content(result, pictures=pictures)
    name = names_in(conversation).get(result.name, result.name)
    call_id = own.get(result.call_id, result.call_id)
    if not result.is_error:
        return messages.ToolReturnPart(name, content, call_id)
    if "outcome" in messages.ToolReturnPart.__dataclass_fields__:
        return messages.ToolReturnPart(name, content, call_id, outcome="failed")
    return messages.RetryPromptPart(result_text(result), tool_name=name, tool_call_id=call_id)


def _content(result: ToolResult, *, pictures: bool) -> Any:
    """What a tool function would have returned: values as they are, images as the library's own type if asked for.

    The portable profile wants words for images, but not on Gemini.
    """
    match result.content:
        case (JsonPart(value),):
            return value
    if pictures and any(isinstance(part, ImagePart) for part in result.content) and hasattr(messages, "BinaryContent"):
        return [_item(part) for part in result.content]
    return result_text(result)


def _item(part: Part) -> Any:
    if isinstance(part, ImagePart):
        return messages.BinaryContent(part.data, media_type=part.media_type)
    return part.value if isinstance(part, JsonPart) else part_text(part)


# --- hearing ---------------------------------------------------------------------------------------------------------


def turn_of_response(response: Any, usage: Any, conversation: Conversation) -> AssistantTurn:
    """The turn that a response is."""
    calls = _calls(response)
    details: Mapping[str, Any] = getattr(response, "provider_details", None) or {}
    stop = _stop(response, bool(calls))
    named = _named(calls, conversation)
    why = details.get("finish_reason")
    failed = None
    if stop == "error":
        failed = stopped(why) if why in FAILED else ProviderError(str(details), type=why)
    return AssistantTurn(
        text="".join(part.content or "" for part in response.parts if isinstance(part, messages.TextPart)),
        calls=named,
        stop=stop,
        refusal=details.get("refusal"),
        usage=_usage(usage),
        error=failed,
        opaque=OwnMessage(response, named),
    )


def _news(event: Any, calls: CallNews) -> Iterator[News]:
    """What an event tells."""
    part: Any = getattr(event, "part", None)
    delta: Any = getattr(event, "delta", None)
    match event.event_kind:
        case "part_start" if part.part_kind == "thinking":
            yield from thinking_news(part.content)
        case "part_delta" if delta.part_delta_kind == "thinking":
            yield from thinking_news(delta.content_delta)
        case "part_start" if isinstance(part, messages.TextPart):
            yield from text_news(part.content)
        case "part_start" if isinstance(part, messages.ToolCallPart):
            yield from calls.begins(event.index, part.tool_name)
            yield from calls.says(event.index, part.args if isinstance(part.args, str) else None)
        case "part_delta" if isinstance(delta, messages.TextPartDelta):
            yield from text_news(delta.content_delta)
        case "part_delta" if isinstance(delta, messages.ToolCallPartDelta):
            yield from calls.says(event.index, delta.args_delta if isinstance(delta.args_delta, str) else None)
        case "part_end":
            yield from calls.ends(event.index)


def _named(parts: list[Any], conversation: Conversation) -> tuple[ToolCall, ...]:
    """The calls. Where the first releases keep no ids, the application must tell them apart."""
    calls = [call_of(part.tool_call_id, part.tool_name, _arguments(part.args), conversation) for part in parts]
    if all(part.tool_call_id is None for part in parts):
        return with_usable_ids(calls, conversation)
    return tuple(calls)


def _arguments(args: Any) -> Any:
    """The text or the object; old releases wrap them."""
    return getattr(args, "args_json", None) or getattr(args, "args_dict", None) or args


def _stop(response: Any, calls: bool) -> Stop:
    if getattr(response, "state", None) == "suspended":
        return "pause"
    details: Mapping[str, Any] = getattr(response, "provider_details", None) or {}
    reason = getattr(response, "finish_reason", "stop") or details.get("finish_reason")
    if reason in FAILED:
        return "error"
    return STOPS.get(reason, "tool_calls" if calls else "end") if reason is not None else "incomplete"


def _usage(usage: Any) -> Usage | None:
    """Tokens, under their names of today or under those before 1.0."""
    asked = getattr(usage, "input_tokens" if hasattr(usage, "input_tokens") else "request_tokens", None)
    answered = getattr(usage, "output_tokens" if hasattr(usage, "output_tokens") else "response_tokens", None)
    return Usage(asked, answered) if asked is not None and answered is not None else None
