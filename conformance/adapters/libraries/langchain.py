"""What the shims of LangChain's chat models share: messages, tools and turns are the same for all providers.

A model is called as LangChain documents it: ``model.bind_tools(tools, …)`` and then ``invoke``, or ``stream`` with the
chunks added up and made a message again. Results are `ToolMessage`, failed ones with ``status="error"``.
"""

from __future__ import annotations

import base64
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from langchain_core import messages
from langchain_core.messages.utils import message_chunk_to_message

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
)
from conformance.adapters.libraries.failures import sdk_failure
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import run_to_end
from conformance.adapters.libraries.news import CallNews, TellingShim, text_news
from conformance.adapters.libraries.shim import WayDoors
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    News,
    Part,
    ProviderError,
    Stop,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    UserTurn,
    part_text,
    result_text,
)
from conformance.wires.gemini import client as gemini

CHOICES: Mapping[str, str] = {"none": "none", "required": "any"}
STOPS: Mapping[str, Stop] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
    "pause_turn": "pause",
    "failed": "error",
    **dict.fromkeys(("queued", "in_progress", "cancelled"), "incomplete"),
    **dict.fromkeys(gemini.CUT_OFF, "length"),
    **dict.fromkeys(gemini.REFUSALS, "refusal"),
    **dict.fromkeys(gemini.FAILURE_REASONS, "error"),
}
"""The providers' words: LangChain hands them on."""


class LangChainShim(TellingShim):
    """One chat model of LangChain. A subclass makes it, and says how its tools are bound."""

    homepage = "https://docs.langchain.com/oss/python/integrations/chat"
    images_of_lone_results = False
    """Whether the images of a lone result go along in the portable profile, too: only Gemini's format wants them."""

    @abstractmethod
    def model(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Any:
        """The chat model that continues ``conversation``, its HTTP calls ending in ``endpoint``."""

    def builtin(self, tool: Tool) -> Json:
        """The declaration of a tool that the provider runs."""
        return {"type": tool.builtin}

    def binding(self, provider: str, conversation: Conversation) -> dict[str, Any]:
        """The options of ``bind_tools``."""
        choice = conversation.choice
        options: dict[str, Any] = {}
        if choice.mode == "tool":
            forced = conversation.tool(choice.name or "")
            searches = forced is not None and forced.builtin
            options["tool_choice"] = searches or names_in(conversation)[choice.name or ""]
        elif choice.mode != "auto":
            options["tool_choice"] = CHOICES[choice.mode]
        if choice.parallel is not None:
            options["parallel_tool_calls"] = choice.parallel
        return options

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of the chat model."""
        if self.way in FORMED:
            return self._formed(provider, conversation, endpoint)
        doors = DOORS[self.way]
        model, history = self._asked(provider, conversation, endpoint)
        return _turn((doors.streamed if stream else doors.blocking)(model, messages=history), conversation)

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the chunks of a stream say."""
        model, history = self._asked(provider, conversation, endpoint)
        calls = CallNews(conversation)
        for chunk in each_chunk(model, messages=history):
            yield from text_news(_text(chunk))
            for place, piece in enumerate(chunk.tool_call_chunks):
                key = piece["index"] if piece["index"] is not None else piece["id"] or place
                yield from calls.begins(key, piece["name"])
                yield from calls.says(key, piece["args"])

    def _formed(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """One call for an answer in a form, which is that of the only tool's parameters."""
        [tool] = conversation.tools
        name = names_in(conversation)[tool.name]
        form = {"title": name, "description": tool.description, **dict(function_schema(tool))}
        model = self.model(provider, conversation, endpoint)
        history = list(_history(conversation, images_of_lone=self.images_of_lone_results))
        return _turn(DOORS[self.way].blocking(model, form, messages=history), conversation)

    def heard_of(
        self, asked: Callable[..., Any], provider: str, conversation: Conversation, endpoint: Endpoint
    ) -> AssistantTurn:
        """What came of a door that takes the model, the history and the tools with their options at once."""
        model = self.model(provider, conversation, endpoint)
        tools = [self._tool(tool, conversation) for tool in conversation.tools]
        history = list(_history(conversation, images_of_lone=self.images_of_lone_results))
        return _turn(asked(model, messages=history, tools=tools, **self.binding(provider, conversation)), conversation)

    def _asked(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> tuple[Any, list[Any]]:
        """The model with its tools, and the history."""
        model = self.model(provider, conversation, endpoint)
        if conversation.tools:
            tools = [self._tool(tool, conversation) for tool in conversation.tools]
            model = bind_tools(model, tools=tools, **self.binding(provider, conversation))
        return model, list(_history(conversation, images_of_lone=self.images_of_lone_results))

    def failure(self, problem: Exception) -> ProviderError | None:
        """The SDK's exceptions come through, or are what a wrapper was raised from."""
        cause = problem.__cause__
        return sdk_failure(problem) or (sdk_failure(cause) if cause is not None else None)

    def _tool(self, tool: Tool, conversation: Conversation) -> Json:
        if tool.builtin is not None:
            return self.builtin(tool)
        function = {
            "name": names_in(conversation)[tool.name],
            "description": tool.description,
            "parameters": dict(function_schema(tool)),
        }
        strict = {} if tool.strict is None else {"strict": tool.strict}
        return {"type": "function", "function": {**function, **strict}}


# --- doors -----------------------------------------------------------------------------------------------------------


@door
def bind_tools(model: Any, **bound: Any) -> Any:
    """The model with tools."""
    return model.bind_tools(**bound)


@door
def invoke(model: Any, messages: Any) -> Any:
    """An ``AIMessage``."""
    return model.invoke(messages)


@door
def each_chunk(model: Any, messages: Any) -> Any:
    """The chunks of a stream, as they come."""
    yield from model.stream(messages)


@door
def ainvoke(model: Any, messages: Any) -> Any:
    """An ``AIMessage``, on an event loop."""
    return run_to_end(model.ainvoke(messages))


@door
def astreamed(model: Any, messages: Any) -> Any:
    """The ``AIMessage`` that the chunks of a stream amount to, on an event loop."""

    async def stream() -> Any:
        whole = None
        async for chunk in model.astream(messages):
            whole = chunk if whole is None else whole + chunk
        return message_chunk_to_message(whole)

    return run_to_end(stream())


@door
def batch(model: Any, messages: Any) -> Any:
    """An ``AIMessage``, of a batch of one."""
    return model.batch([messages])[0]


@door
def abatch(model: Any, messages: Any) -> Any:
    """The same, on an event loop."""
    return run_to_end(model.abatch([messages]))[0]


@door
def batch_as_completed(model: Any, messages: Any) -> Any:
    """An ``AIMessage``, of a batch that gives what is done first."""
    [(_, message)] = model.batch_as_completed([messages])
    return message


@door
def abatch_as_completed(model: Any, messages: Any) -> Any:
    """The same, on an event loop."""

    async def first_done() -> Any:
        [(_, message)] = [done async for done in model.abatch_as_completed([messages])]
        return message

    return run_to_end(first_done())


@door
def generate(model: Any, messages: Any) -> Any:
    """The ``AIMessage`` of the first generation: what ``bind_tools`` bound is given again."""
    chat = getattr(model, "bound", model)
    return chat.generate([messages], **getattr(model, "kwargs", {})).generations[0][0].message


@door
def agenerate(model: Any, messages: Any) -> Any:
    """The same, on an event loop."""
    chat = getattr(model, "bound", model)
    return run_to_end(chat.agenerate([messages], **getattr(model, "kwargs", {}))).generations[0][0].message


@door
def streamed(model: Any, messages: Any) -> Any:
    """The ``AIMessage`` that the chunks of a stream amount to."""
    whole = None
    for chunk in model.stream(messages):
        whole = chunk if whole is None else whole + chunk
    return message_chunk_to_message(whole)


@door
def from_events(model: Any, messages: Any) -> Any:
    """The ``AIMessage`` that the events of a stream end with."""
    return model.stream_events(messages, version="v3").output


@door
def from_events_async(model: Any, messages: Any) -> Any:
    """The same, on an event loop."""

    async def stream() -> Any:
        return await (await model.astream_events(messages, version="v3"))

    return run_to_end(stream())


@door
def from_event_list(model: Any, messages: Any) -> Any:
    """The ``AIMessage`` in the last event of a stream, on an event loop."""

    async def stream() -> Any:
        whole = None
        async for event in model.astream_events(messages, version="v2"):
            if event["event"] == "on_chat_model_end":
                whole = event["data"]["output"]
        return message_chunk_to_message(whole)

    return run_to_end(stream())


@door
def structured(model: Any, form: Any, messages: Any) -> Any:
    """The ``AIMessage`` that an answer was read from: it calls the function of the form."""
    asked = model.with_structured_output(form, method="function_calling", include_raw=True)
    return asked.invoke(messages)["raw"]


@door
def astructured(model: Any, form: Any, messages: Any) -> Any:
    """The same, on an event loop."""
    asked = model.with_structured_output(form, method="function_calling", include_raw=True)
    return run_to_end(asked.ainvoke(messages))["raw"]


@door
def agent_answer(model: Any, form: Any, messages: Any) -> Any:
    """The ``AIMessage`` by which an agent without tools gave its answer in a form."""
    from langchain.agents import create_agent
    from langchain.agents.structured_output import ToolStrategy

    agent = create_agent(model=model, tools=[], response_format=ToolStrategy(form))
    *_, answer, _ = agent.invoke({"messages": messages})["messages"]
    return answer


DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(invoke, streamed),
    "events": WayDoors(invoke, from_events),
    "async-events": WayDoors(ainvoke, from_events_async, on_a_loop=True),
    "async": WayDoors(ainvoke, astreamed, on_a_loop=True),
    "batch": WayDoors(batch, streamed),
    "async-batch": WayDoors(abatch, astreamed, on_a_loop=True),
    "as-completed": WayDoors(batch_as_completed, streamed),
    "async-as-completed": WayDoors(abatch_as_completed, astreamed, on_a_loop=True),
    "event-list": WayDoors(ainvoke, from_event_list, on_a_loop=True),
    "generate": WayDoors(generate, streamed),
    "async-generate": WayDoors(agenerate, astreamed, on_a_loop=True),
    "structured": WayDoors(structured, streamed),
    "async-structured": WayDoors(astructured, astreamed, on_a_loop=True),
    "agent-answer": WayDoors(agent_answer, streamed),
}
"""The doors of each way."""
FORMED = ("structured", "async-structured", "agent-answer")
"""The ways that take a form instead of tools: the model is made to call it as a function."""

# --- asking ----------------------------------------------------------------------------------------------------------


def _history(conversation: Conversation, *, images_of_lone: bool) -> Iterator[Any]:
    if conversation.system is not None:
        yield messages.SystemMessage(conversation.system)
    own: Mapping[str, str] = {}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield messages.HumanMessage(text)
            case AssistantTurn():
                message = _replayed(item, conversation)
                own = dict(zip((call.id for call in item.calls), _own_ids(message), strict=True))
                yield message
            case results:
                images = conversation.profile == "native" or (images_of_lone and len(results) == 1)
                yield from (_result(result, own, conversation, images=images) for result in results)


def _replayed(turn: AssistantTurn, conversation: Conversation) -> Any:
    """LangChain's own message; one written by hand for a turn of another provider, or one that it misread."""
    own = kept(turn)
    if own is not None:
        return own
    names = names_in(conversation)
    calls = [
        {"name": names.get(call.name, call.name), "args": dict(replayable(call)), "id": call.id, "type": "tool_call"}
        for call in turn.calls
    ]
    return messages.AIMessage(content=spoken(turn), tool_calls=calls)


def _own_ids(message: Any) -> list[str]:
    """LangChain's id of each call, which is what its tool node puts on the result."""
    return [call["id"] or "" for call in (*message.tool_calls, *message.invalid_tool_calls)]


def _result(result: ToolResult, own: Mapping[str, str], conversation: Conversation, *, images: bool) -> Any:
    return messages.ToolMessage(
        content=_content(result, conversation) if images else result_text(result),
        tool_call_id=own[result.call_id],
        name=names_in(conversation).get(result.name, result.name),
        status="error" if result.is_error else "success",
    )


def _content(result: ToolResult, conversation: Conversation) -> Any:
    """Text, also of structured values, as LangGraph's tool node makes it; content blocks where there are images.

    In the portable profile the text speaks of the images.
    """
    images = [part for part in result.content if isinstance(part, ImagePart)]
    if not images:
        return result_text(result)
    if conversation.profile == "native":
        return list(map(_block, result.content))
    return [{"type": "text", "text": result_text(result)}, *map(_block, images)]


def _block(part: Part) -> Json:
    if isinstance(part, ImagePart):
        data = base64.b64encode(part.data).decode()
        return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}
    return {"type": "text", "text": part_text(part)}


# --- hearing ---------------------------------------------------------------------------------------------------------


def _turn(message: Any, conversation: Conversation) -> AssistantTurn:
    told: Mapping[str, Any] = message.response_metadata
    calls = tuple(_calls(message, conversation))
    usage = message.usage_metadata
    refusal = message.additional_kwargs.get("refusal") or "".join(_refusals(message.content)) or None
    stop = _stop(told, bool(calls), refusal)
    return AssistantTurn(
        text=_text(message),
        calls=calls,
        stop=stop,
        refusal=refusal,
        usage=Usage(usage["input_tokens"], usage["output_tokens"]) if usage else None,
        error=ProviderError(str(told), type=told.get("finish_reason")) if stop == "error" else None,
        opaque=OwnMessage(message, calls),
    )


def _text(message: Any) -> str:
    """The text of a message or a chunk: a property since 1.0, nothing but the content before there was a method."""
    if not has("langchain_core.messages:BaseMessage.text"):
        return str(message.content)
    return str(message.text if isinstance(message.text, str) else message.text())


def _calls(message: Any, conversation: Conversation) -> Iterator[ToolCall]:
    for call in message.tool_calls:
        yield call_of(call["id"], call["name"], call["args"], conversation)
    for call in message.invalid_tool_calls:
        named = call_of(call["id"], call["name"] or "", {}, conversation)
        yield ToolCall(named.id, named.name, None, call["args"], invalid=True)


def _refusals(content: Any) -> Iterator[str]:
    """Refusals among content blocks, where Responses has them."""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("refusal"), str):
            yield block["refusal"]


def _stop(told: Mapping[str, Any], calls: bool, refusal: str | None) -> Stop:
    word = next((told[name] for name in ("finish_reason", "stop_reason", "done_reason") if told.get(name)), None)
    word = (told.get("incomplete_details") or {}).get("reason") or word or told.get("status")
    if (told.get("prompt_feedback") or {}).get("block_reason"):
        return "refusal"
    if word is None:
        return "incomplete"
    return STOPS.get(word, "tool_calls" if calls else "refusal" if refusal else "end")
