"""llm, by ``conversation.prompt(text, tools=…, tool_results=…)`` of its models for OpenAI.

A conversation of the library is a list of its own `Response` objects, each with the prompt that led to it, so that is
how history goes on. Only newer releases can be given foreign history, as ``messages=``; only they have Responses. There
is no setting for ``tool_choice``, parallel calls or strict schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import llm
from llm import models
from llm.default_plugins import openai_models

from conformance.adapters.capture import door
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
)
from conformance.adapters.libraries.failures import sdk_failure
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.sdk_clients import async_http_client
from conformance.adapters.libraries.shim import Shim, WayDoors, everything, http_client
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    JsonPart,
    ProviderError,
    Stop,
    ToolResult,
    Usage,
    UserTurn,
    result_text,
)

LACKS = frozenset({"tool_choice", "parallel_switch", "strict"})
RAISED = "llm.models:ToolResult(exception)"
"""Older releases say in ``output`` alone that a tool raised."""
NEEDS = {"openai-chat": ("llm:Tool",), "image_results": ("llm.models:ToolResult(attachments)",)}
"""What only newer releases have."""
STOPS: Mapping[str, Stop] = {
    "length": "length",
    "max_output_tokens": "length",
    "content_filter": "refusal",
    "failed": "error",
}


class Llm(Shim):
    """``Chat`` and ``Responses`` of the default plugin."""

    name = "llm"
    distribution = "llm"
    homepage = "https://llm.datasette.io"
    issues = "https://github.com/simonw/llm/issues"
    needs = NEEDS

    def __init__(self) -> None:
        newer = hasattr(openai_models, "Responses")
        lacks = LACKS if newer else LACKS | {"foreign_history"}
        offered = everything("openai-chat", *(("openai-responses",) if newer else ()))
        self.providers = {provider: names - lacks for provider, names in offered.items()}
        super().__init__()

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One prompt of a conversation."""
        doors = DOORS[self.way]
        model = (new_async_model if doors.on_a_loop else new_model)(provider, conversation, endpoint)
        turns = list(utterances(conversation))
        last = max((place for place, item in enumerate(turns) if isinstance(item, AssistantTurn)), default=-1)
        before, now = turns[: last + 1], turns[last + 1 :]
        answered = [item for item in before if isinstance(item, AssistantTurn)]
        options: dict[str, Any] = {"max_tokens": conversation.max_tokens}
        if conversation.reasoning:
            options["reasoning_effort"] = "medium"
        asked: dict[str, Any] = {
            "system": conversation.system,
            "tools": [_tool(tool.name, conversation) for tool in conversation.tools],
            "stream": stream,
            **_input(now, answered[-1:], conversation),
        }
        own = [kept(item) for item in answered]
        if None not in own or "foreign_history" not in self.info.capabilities[provider]:
            responses = [response for response in own if response is not None]
        else:
            responses = []
            asked["messages"] = list(_written(before, conversation))
        return _turn(doors.blocking(model, responses, **asked, **options), conversation)

    def failure(self, problem: Exception) -> ProviderError | None:
        """The SDK's exceptions come through."""
        return sdk_failure(problem)


def new_model(provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
    """A model of the default plugin."""
    return _wired("Responses" if provider == "openai-responses" else "Chat", conversation, endpoint)


def new_async_model(provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
    """The same, asynchronous."""
    return _wired("AsyncResponses" if provider == "openai-responses" else "AsyncChat", conversation, endpoint)


def _wired(kind: str, conversation: Conversation, endpoint: Endpoint) -> Any:
    model = door(getattr(openai_models, kind))(
        conversation.model,
        key=endpoint.api_key,
        model_name=conversation.model,
        api_base=endpoint.base_url,
        vision=True,
        supports_tools=True,
        reasoning=conversation.reasoning,
    )
    get_client = model.get_client

    def wired(key: str | None, *, async_: bool = False) -> Any:
        """The client, ending in the endpoint and trying once."""
        client = get_client(key, async_=async_)
        line = (async_http_client if async_ else http_client)("openai", endpoint)
        return client.with_options(max_retries=0, http_client=line)

    model.get_client = wired
    return model


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def prompt(model: Any, responses: list[Any], **asked: Any) -> Any:
    """The ``Response`` to a prompt, which may follow earlier responses."""
    if responses:
        conversation = model.conversation()
        conversation.responses = responses
        response = conversation.prompt(**asked)
    else:
        response = model.prompt(**asked)
    response.text()
    return response


@door
def prompt_async(model: Any, responses: list[Any], **asked: Any) -> Any:
    """The same of an asynchronous model."""

    async def ask() -> Any:
        if responses:
            conversation = model.conversation()
            conversation.responses = responses
            response = conversation.prompt(**asked)
        else:
            response = model.prompt(**asked)
        return await response.to_sync_response()

    return run_to_end(ask())


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(prompt, prompt),
    "async": WayDoors(prompt_async, prompt_async, on_a_loop=True),
}
"""The doors of each way: whether a response is streamed, an argument says."""


@door
def tool_calls(response: Any) -> Any:
    """The calls of a response."""
    return response.tool_calls()


@door
def call_id(response: Any, place: int) -> Any:
    """The library's id of a call."""
    return response.tool_calls()[place].tool_call_id


@door
def failed_result(error: str, **told: Any) -> Any:
    """The result of a tool that raised an exception."""
    return models.ToolResult(**told, exception=RuntimeError(error))


# --- asking ----------------------------------------------------------------------------------------------------------


def _tool(name: str, conversation: Conversation) -> Any:
    tool = conversation.tool(name)
    assert tool is not None
    if tool.builtin is not None:
        return door(openai_models.WebSearch)()
    return llm.Tool(
        name=names_in(conversation)[name],
        description=tool.description,
        input_schema=dict(function_schema(tool)),
    )


def _input(now: list[Any], answered: list[AssistantTurn], conversation: Conversation) -> dict[str, Any]:
    """What is new since the last answer: results of its tools, and what the user says.

    What is attached to results is attached to the prompt too, as the library's own chains do it.
    """
    own = _own_ids(answered[0]) if answered else {}
    results = [result for item in now if isinstance(item, tuple) for result in item]
    text = "\n\n".join(item.text for item in now if isinstance(item, UserTurn))
    made = [_result(result, own, conversation) for result in results]
    images = [image for result in made for image in getattr(result, "attachments", ())]
    return {"prompt": text or None, "tool_results": made, **({"attachments": images} if images else {})}


def _own_ids(turn: AssistantTurn) -> Mapping[str, str | None]:
    """The library's id of each call, which is what it puts on the result."""
    response = kept(turn)
    return {} if response is None else {call.id: call_id(response, place) for place, call in enumerate(turn.calls)}


def _result(result: ToolResult, own: Mapping[str, str | None], conversation: Conversation) -> Any:
    """As ``Response.execute_tool_calls`` makes it of what a tool returned or raised."""
    images = [part for part in result.content if isinstance(part, ImagePart) and conversation.profile == "native"]
    kept = {"attachments": [llm.Attachment(type=image.media_type, content=image.data) for image in images]}
    text = result_text(result)
    match result.content:
        case (JsonPart(value),):
            text = value if isinstance(value, str) else json.dumps(value, default=repr)
    told: dict[str, Any] = {
        "name": names_in(conversation).get(result.name, result.name),
        "output": f"Error: {text}" if result.is_error else text,
        "tool_call_id": own.get(result.call_id, result.call_id),
        **(kept if images else {}),
    }
    return failed_result(error=text, **told) if result.is_error and has(RAISED) else models.ToolResult(**told)


def _written(before: list[Any], conversation: Conversation) -> Iterator[Any]:
    """The history as the library's messages: its own where it made them, by hand for turns of another provider."""
    from llm import parts

    names = names_in(conversation)
    if conversation.system is not None:
        yield llm.system(conversation.system)
    own: Mapping[str, str | None] = {}
    for item in before:
        match item:
            case UserTurn(text):
                yield llm.user(text)
            case AssistantTurn() if (response := kept(item)) is not None:
                own = _own_ids(item)
                yield from response.messages()
            case AssistantTurn(calls=calls):
                own, text = {}, spoken(item)
                made = [
                    parts.ToolCallPart(
                        name=names.get(call.name, call.name), arguments=dict(replayable(call)), tool_call_id=call.id
                    )
                    for call in calls
                ]
                yield llm.assistant(*([text] if text else []), *made)
            case results:
                yield llm.tool_message(*(_part(_result(result, own, conversation)) for result in results))


def _part(result: Any) -> Any:
    from llm import parts

    return parts.ToolResultPart(
        name=result.name,
        output=result.output,
        tool_call_id=result.tool_call_id,
        attachments=result.attachments,
        exception=None if result.exception is None else repr(result.exception),
    )


# --- hearing ---------------------------------------------------------------------------------------------------------


def _turn(response: Any, conversation: Conversation) -> AssistantTurn:
    told: Mapping[str, Any] = response.json() or {}
    calls = tuple(
        call_of(call.tool_call_id, call.name, call.arguments, conversation) for call in tool_calls(response)
    )
    refusal = _refusal(told)
    counted = response.usage()
    stop = _stop(told, bool(calls), refusal)
    return AssistantTurn(
        text=response.text(),
        calls=calls,
        stop=stop,
        refusal=refusal,
        usage=Usage(counted.input, counted.output) if counted.input is not None else None,
        error=reported(None, told.get("error") or {}) if stop == "error" else None,
        opaque=OwnMessage(response, calls),
    )


def _refusal(told: Mapping[str, Any]) -> str | None:
    """A refusal, which the library leaves in the provider's answer."""
    for choice in told.get("choices") or ():
        if choice.get("message", {}).get("refusal"):
            return str(choice["message"]["refusal"])
    contents = [part for item in told.get("output") or () for part in item.get("content") or ()]
    return "".join(part.get("refusal", "") for part in contents) or None


def _stop(told: Mapping[str, Any], calls: bool, refusal: str | None) -> Stop:
    choices = told.get("choices") or [{}]
    word = told.get("finish_reason") or choices[0].get("finish_reason") or told.get("status")
    word = (told.get("incomplete_details") or {}).get("reason") or word
    if word is None:
        return "incomplete"
    return STOPS.get(word, "tool_calls" if calls else "refusal" if refusal else "end")
