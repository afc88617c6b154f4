"""openai-agents, by its models: ``Model.get_response`` and ``Model.stream_response``, which its runner calls.

OpenAI's two interfaces have models of the library's own; Anthropic is reached as the library documents it, through its
``LitellmModel`` (the extra ``litellm``), which speaks Chat Completions to litellm. The library's response types say
nothing about why a turn ended, so what ends early can only be told from events of the Responses stream.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import agents
from agents import FunctionTool, ItemHelpers, ModelResponse, ModelSettings
from agents.models.interface import ModelTracing
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.models.openai_responses import OpenAIResponsesModel
from openai.types.responses import ResponseFunctionToolCall
from openai.types.shared import Reasoning

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.answer_types import answer_type
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    fitting,
    function_schema,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    utterances,
)
from conformance.adapters.libraries.failures import sdk_failure, told
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.response_events import ENDED as END_EVENTS
from conformance.adapters.libraries.response_events import at_the_end, by_deltas, by_ends
from conformance.adapters.libraries.sdk_clients import async_openai
from conformance.adapters.libraries.shim import LoopShim, WayDoors, everything
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    JsonPart,
    Part,
    ProviderError,
    Stop,
    Tool,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    part_text,
    result_text,
)

CALL_ID = ".{1,64}"
"""The ids that OpenAI takes. The library's items are OpenAI's own, so a foreign call is the application's to write."""
CLAUDE = "claude-sonnet-4-20250514"
"""litellm goes by the model's name to see what a model can do, and has never heard of ours."""

ENDED = " stream ended "
"""How the exceptions of newer releases begin that follow the last event, or come instead of one."""


class OpenAIAgents(LoopShim):
    """``OpenAIChatCompletionsModel``, ``OpenAIResponsesModel`` and ``LitellmModel``."""

    name = "openai-agents"
    distribution = "openai-agents"
    homepage = "https://openai.github.io/openai-agents-python/"
    issues = "https://github.com/openai/openai-agents-python/issues"

    in_threads = False

    def __init__(self) -> None:
        litellm = ("anthropic",) if importlib.util.find_spec("litellm") is not None else ()
        offered = everything("openai-chat", "openai-responses", *litellm)
        lacks = {"anthropic": {"server_tools", "strict"}}
        formed = {provider: {"output_schema"} for provider in ("openai-chat", "openai-responses")}
        self.providers = {
            provider: (names | formed.get(provider, set())) - lacks.get(provider, set())
            for provider, names in offered.items()
        }
        super().__init__()

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One response of a model."""
        model, doors = _model(provider, conversation.model, endpoint), DOORS[self.way]
        asked = _asked(provider, conversation)
        if not stream:
            response = doors.blocking(model, **_fitting(model.get_response, asked))
            return _turn(response, response.usage, conversation)
        events: list[Any] = []
        try:
            doors.streamed(model, events, **_fitting(model.stream_response, asked))
        except agents.exceptions.ModelBehaviorError as problem:
            if ENDED not in str(problem):
                raise
        return _streamed(events, conversation, doors.message)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """One response of a model that both calls at an endpoint share."""
        model = self.shared(endpoint, conversation.model, lambda: _model(provider, conversation.model, endpoint))
        asked = _fitting(model.stream_response, _asked(provider, conversation))
        events: list[Any] = []
        try:
            await events_on_a_loop(model, events, **asked)
        except agents.exceptions.ModelBehaviorError as problem:
            if ENDED not in str(problem):
                raise
        return _streamed(events, conversation, at_the_end)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The SDK's exceptions come through; a stream that fails is `ModelBehaviorError`."""
        if isinstance(problem, agents.exceptions.ModelBehaviorError):
            return told(problem, None, None, {})
        if type(problem).__module__.startswith("litellm."):
            from conformance.adapters.libraries.litellm_setup import provider_failure

            return provider_failure(problem)
        return sdk_failure(problem)

    def broken_off(self, problem: Exception) -> bool:
        """What litellm raises about a stream without an end comes through."""
        if not type(problem).__module__.startswith("litellm."):
            return False
        from conformance.adapters.libraries import litellm_setup

        return litellm_setup.broken_off(problem)


def _model(provider: str, name: str, endpoint: Endpoint) -> Any:
    if provider == "anthropic":
        importlib.import_module("conformance.adapters.libraries.litellm_setup")  # else importing it asks for prices
        from agents.extensions.models.litellm_model import LitellmModel

        return door(LitellmModel)(f"anthropic/{CLAUDE}", base_url=endpoint.url, api_key=endpoint.api_key)
    made = OpenAIResponsesModel if provider == "openai-responses" else OpenAIChatCompletionsModel
    return door(made)(name, openai_client=async_openai(provider, endpoint))


def _fitting(operation: Any, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that the release knows: ``conversation_id`` and ``prompt`` came later."""
    known = inspect.signature(operation).parameters
    return {name: value for name, value in asked.items() if name in known}


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def new_tool(**declared: Any) -> Any:
    """A tool that nobody calls: the runner calls tools, and there is no runner."""

    async def invoke(context: Any, arguments: Any) -> Any:
        raise NotImplementedError

    return FunctionTool(**declared, on_invoke_tool=invoke)


@door
def get_response(model: Any, **asked: Any) -> Any:
    """A ``ModelResponse``."""
    return asyncio.run(model.get_response(**asked))


@door
def stream_response(model: Any, events: list[Any], **asked: Any) -> Any:
    """``events``, and those of a stream, also when an exception follows them."""

    async def stream() -> None:
        async for event in model.stream_response(**asked):
            events.append(event)

    asyncio.run(stream())
    return events


@door
async def events_on_a_loop(model: Any, events: list[Any], **asked: Any) -> Any:
    """``events``, and those of a stream, also when an exception follows them, on the loop that runs."""
    async for event in model.stream_response(**asked):
        events.append(event)


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(get_response, stream_response, message=at_the_end),
    "events": WayDoors(get_response, stream_response, message=by_deltas),
    "ends": WayDoors(get_response, stream_response, message=by_ends),
}
"""The doors of each way."""


@door
def new_response(output: list[Any]) -> Any:
    """The response that the runner makes of the last event of a stream."""
    return ModelResponse(output=output, usage=agents.Usage(), response_id=None)


@door
def input_item(response: Any, place: int) -> Any:
    """An item of a response as input."""
    return response.to_input_items()[place]


output_schema = door(agents.AgentOutputSchema)


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(provider: str, conversation: Conversation) -> dict[str, Any]:
    return {
        "system_instructions": conversation.system,
        "input": list(_items(conversation)),
        "model_settings": _settings(provider, conversation),
        "tools": [_tool(tool, conversation) for tool in conversation.tools],
        "output_schema": None if (answer := answer_type(conversation)) is None else output_schema(answer),
        "handoffs": [],
        "tracing": ModelTracing.DISABLED,
        "previous_response_id": None,
        "conversation_id": None,
        "prompt": None,
    }


def _settings(provider: str, conversation: Conversation) -> ModelSettings:
    choice = conversation.choice
    settings: dict[str, Any] = {"max_tokens": conversation.max_tokens}
    if has("agents:ModelSettings(include_usage)"):
        settings["include_usage"] = True
    if choice.mode == "tool":
        settings["tool_choice"] = names_in(conversation)[choice.name or ""]
    elif choice.mode != "auto":
        settings["tool_choice"] = choice.mode
    if choice.parallel is not None:
        settings["parallel_tool_calls"] = choice.parallel
    if not conversation.reasoning:
        return ModelSettings(**settings)
    if provider == "anthropic":
        settings |= {"reasoning": Reasoning(effort="low"), "max_tokens": 2048}
        settings.pop("tool_choice", None)  # Claude cannot be made to call a tool while thinking
    else:
        settings |= {"reasoning": Reasoning(effort="medium", summary="auto"), "store": False}
        settings["response_include"] = ["reasoning.encrypted_content"]
    return ModelSettings(**settings)


def _tool(tool: Tool, conversation: Conversation) -> Any:
    if tool.builtin is not None:
        return agents.WebSearchTool()
    return new_tool(
        name=names_in(conversation)[tool.name],
        description=tool.description,
        params_json_schema=dict(function_schema(tool)),
        strict_json_schema=bool(tool.strict),
    )


def _items(conversation: Conversation) -> Iterator[Any]:
    calls: Mapping[str, ResponseFunctionToolCall] = {}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield {"role": "user", "content": text}
            case AssistantTurn(calls=made):
                response = kept(item)
                if response is not None:
                    calls = {call.id: own for call, own in zip(made, _calls(response.output), strict=True)}
                    yield from (input_item(response, place) for place in range(len(response.output)))
                    continue
                calls = {call.id: _foreign(call, conversation) for call in made}
                if said := spoken(item):
                    yield {"role": "assistant", "content": said}
                yield from (call.model_dump(exclude_unset=True) for call in calls.values())
            case results:
                for result in results:
                    yield ItemHelpers.tool_call_output_item(calls[result.call_id], _output(result, conversation))


def _foreign(call: Any, conversation: Conversation) -> ResponseFunctionToolCall:
    """A call of another provider, or one that the library lost, as an item."""
    return ResponseFunctionToolCall(
        type="function_call",
        call_id=fitting(call.id, CALL_ID),
        name=names_in(conversation).get(call.name, call.name),
        arguments=compact_json(replayable(call)),
    )


def _output(result: ToolResult, conversation: Conversation) -> Any:
    """What a function tool gives its runner: text, also for a failure, or the library's own outputs for images."""
    if result.is_error:
        return compact_json({"error": result_text(result)})
    images = any(isinstance(part, ImagePart) for part in result.content)
    if images and conversation.profile == "native" and hasattr(agents, "ToolOutputImage"):
        return [_part(part) for part in result.content]
    match result.content:
        case (JsonPart(value),):
            return compact_json(value)  # the runner would take str() of it, so tools return JSON as text
    return result_text(result)


def _part(part: Part) -> Json:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}"
        return agents.ToolOutputImage(image_url=url)
    return agents.ToolOutputText(text=part_text(part))


# --- hearing ---------------------------------------------------------------------------------------------------------


def _streamed(events: list[Any], conversation: Conversation, read: Callable[[Any], Any]) -> AssistantTurn:
    """The response that ``read`` makes of the events: by the usual way the one in the last event, which is what the
    runner goes on with."""
    ended: Any = None
    for event in events:
        if event.type in END_EVENTS:
            ended = event.response
        elif event.type in ("error", "response.error"):
            return AssistantTurn(stop="error", error=reported(None, {"message": event.message, "type": event.code}))
    if ended is None:
        return AssistantTurn(stop="incomplete")
    if ended.status == "failed" or ended.error is not None:
        why = None if ended.error is None else {"message": ended.error.message, "type": ended.error.code}
        return AssistantTurn(stop="error", error=reported(None, why))
    counted = ended.usage
    usage = agents.Usage()
    if counted:
        usage = agents.Usage(requests=1, input_tokens=counted.input_tokens, output_tokens=counted.output_tokens)
    details = ended.incomplete_details
    stop: Stop | None = None
    if details is not None:
        stop = "length" if details.reason == "max_output_tokens" else "refusal"
    return _turn(new_response(read(events)), usage, conversation, stop)


def _turn(
    response: ModelResponse, usage: agents.Usage, conversation: Conversation, ended: Stop | None = None
) -> AssistantTurn:
    contents = [part for item in response.output if item.type == "message" for part in item.content]
    refusal = "".join(part.refusal for part in contents if part.type == "refusal") or None
    calls = tuple(call_of(call.call_id, call.name, call.arguments, conversation) for call in _calls(response.output))
    return AssistantTurn(
        text="".join(part.text for part in contents if part.type == "output_text"),
        calls=calls,
        stop=ended or ("tool_calls" if calls else "refusal" if refusal else "end"),
        refusal=refusal,
        usage=Usage(usage.input_tokens, usage.output_tokens) if usage.requests else None,
        opaque=OwnMessage(response, calls),
    )


def _calls(output: list[Any]) -> list[ResponseFunctionToolCall]:
    return [item for item in output if isinstance(item, ResponseFunctionToolCall)]
