"""The google-genai SDK on generateContent. Streams are chunks, whose parts are put together in their order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from google import genai
from google.genai import errors, types

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.answer_types import answer_type, parsed
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    utterances,
    with_usable_ids,
)
from conformance.adapters.libraries.failures import wait_in_body
from conformance.adapters.libraries.features import has
from conformance.adapters.libraries.looping import collected, run_to_end
from conformance.adapters.libraries.news import CallNews, TellingShim, text_news, thinking_news
from conformance.adapters.libraries.sdk_clients import google
from conformance.adapters.libraries.shim import ClientLine, LoopShim, WayDoors, everything, http_library
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    JsonPart,
    News,
    Parsed,
    ProviderError,
    Stop,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    result_text,
)
from conformance.wires import card
from conformance.wires.gemini.client import CUT_OFF, FAILURE_REASONS, REFUSALS

MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "tool": "ANY"}
STOPS: Mapping[Any, Stop] = {
    **dict.fromkeys(CUT_OFF, "length"),
    **dict.fromkeys(REFUSALS, "refusal"),
    **dict.fromkeys(FAILURE_REASONS, "error"),
}
"""The API's words: the SDK hands them on."""

TYPES = "google.genai.types"
CLIENT = f"{TYPES}:HttpOptions(httpx_client)"
"""Releases without it are given no HTTP client, and call the loopback."""
UNREAD = "google.genai.errors:UnknownApiResponseError"
"""What newer releases raise where they cannot read a chunk."""
NEEDS = {
    "gemini": (f"{TYPES}:FunctionDeclaration(parameters_json_schema)",),
    "output_schema": (f"{TYPES}:GenerateContentConfig(response_json_schema)",),
    "reasoning": (f"{TYPES}:Part(thought_signature)",),
    "image_results": (f"{TYPES}:FunctionResponsePart.from_bytes",),
    "server_tools": (f"{TYPES}:ToolConfig(include_server_side_tool_invocations)",),
}
"""What only newer releases have."""


class GoogleGenAI(TellingShim, LoopShim):
    """``client.models`` of ``google.genai.Client``, with declarations: it calls no functions then."""

    name = "google-genai"
    distribution = "google-genai"
    homepage = "https://github.com/googleapis/python-genai"
    issues = "https://github.com/googleapis/python-genai/issues"
    providers = everything("gemini", own_words=True)
    needs = NEEDS

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``generate_content``, or of ``generate_content_stream``, or of what the way has instead."""
        doors = DOORS[self.way]
        client = google(endpoint) if doors.on_a_loop else _leading_to(endpoint)
        asked = _asked(conversation, by_type=not stream)
        if self.way in CHATS:
            *history, message = asked.pop("contents")
            asked |= {"history": history, "message": message.parts}
        if self.way == "chat-history":
            answer, recorded = doors.blocking(client, **asked)
            turn = _turn([answer], conversation)
            return replace(turn, opaque=OwnMessage(recorded[-1], turn.calls))
        return _turn(doors.streamed(client, **asked) if stream else [doors.blocking(client, **asked)], conversation)

    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same streamed, by the asynchronous half of the client."""
        return _turn(await all_chunks_on_a_loop(google(endpoint), **_asked(conversation)), conversation)

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the chunks of a stream say."""
        calls = CallNews(conversation)
        for chunk in each_chunk(_leading_to(endpoint), **_asked(conversation)):
            for candidate in chunk.candidates or []:
                for part in (candidate.content.parts if candidate.content else None) or []:
                    yield from (thinking_news if part.thought else text_news)(part.text)
                    if part.function_call is not None:
                        yield from calls.whole(part.function_call.name)

    def failure(self, problem: Exception) -> ProviderError | None:
        """Errors are `errors.APIError`, with the code and the message of the body, in streams too."""
        if not isinstance(problem, errors.APIError):
            return None
        headers = getattr(problem.response, "headers", {})
        document = {"message": problem.message, "type": problem.status}
        told = reported(problem.code, document, headers)
        return replace(told, retry_after=wait_in_body(problem.details)) if told.retry_after is None else told

    def broken_off(self, problem: Exception) -> bool:
        """The SDK quotes what it could not read: half a document begins like a whole one."""
        if isinstance(problem, json.JSONDecodeError):  # before 1.29 there was no other word for it
            return not has(UNREAD) and problem.doc.startswith("{")
        return has(UNREAD) and isinstance(problem, errors.UnknownApiResponseError) and "Raw response: {" in str(problem)


def _leading_to(endpoint: Endpoint) -> Any:
    if not has(CLIENT):
        return genai_client(api_key=endpoint.api_key, http_options=types.HttpOptions(base_url=endpoint.url))
    line, client = _on_a_line()
    line.leads_to(endpoint)
    return client


@cache
def _on_a_line() -> tuple[ClientLine, Any]:
    """The SDK's client, which takes a fifth of a second to make, and the other end of its line."""
    line = ClientLine(http_library("google-genai"))
    options = types.HttpOptions(base_url=card("gemini").base_url, httpx_client=line.client())
    return line, genai_client(api_key=Endpoint.api_key, vertexai=False, http_options=options)


# --- doors -----------------------------------------------------------------------------------------------------------

genai_client = door(genai.Client)


@door
def generate(client: Any, **asked: Any) -> Any:
    """A ``GenerateContentResponse``."""
    return client.models.generate_content(**asked)


@door
def all_chunks(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, each a ``GenerateContentResponse``."""
    return list(client.models.generate_content_stream(**asked))


@door
def each_chunk(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, as they come."""
    yield from client.models.generate_content_stream(**asked)


@door
async def all_chunks_on_a_loop(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, by the asynchronous half of the client."""
    return [chunk async for chunk in await client.aio.models.generate_content_stream(**asked)]


@door
def generate_async(client: Any, **asked: Any) -> Any:
    """A ``GenerateContentResponse``, by the asynchronous half of the client."""
    return run_to_end(client.aio.models.generate_content(**asked))


@door
def all_chunks_async(client: Any, **asked: Any) -> Any:
    """The chunks of a stream, by the asynchronous half of the client."""
    return run_to_end(collected(client.aio.models.generate_content_stream(**asked)))


@door
def send_message(client: Any, message: Any, **asked: Any) -> Any:
    """A ``GenerateContentResponse`` to the message that continues a chat."""
    return client.chats.create(**asked).send_message(message)


@door
def send_message_recorded(client: Any, message: Any, **asked: Any) -> Any:
    """A ``GenerateContentResponse``, and all that was said in the chat, the answer too."""
    chat = client.chats.create(**asked)
    answer = chat.send_message(message)
    return answer, chat.get_history()


@door
def send_message_stream(client: Any, message: Any, **asked: Any) -> Any:
    """The chunks of a stream that answers the message that continues a chat."""
    return list(client.chats.create(**asked).send_message_stream(message))


@door
def send_message_async(client: Any, message: Any, **asked: Any) -> Any:
    """The same as `send_message`, by the asynchronous half of the client."""
    return run_to_end(client.aio.chats.create(**asked).send_message(message))


@door
def send_message_stream_async(client: Any, message: Any, **asked: Any) -> Any:
    """The same as `send_message_stream`, by the asynchronous half of the client."""
    return run_to_end(collected(client.aio.chats.create(**asked).send_message_stream(message)))


CHATS = ("chat", "async-chat", "chat-history")
"""The ways that keep the history themselves: a chat begins with what was said before."""
DOORS: Mapping[str, WayDoors] = {
    "": WayDoors(generate, all_chunks),
    "async": WayDoors(generate_async, all_chunks_async, on_a_loop=True),
    "chat": WayDoors(send_message, send_message_stream),
    "chat-history": WayDoors(send_message_recorded, send_message_stream),
    "async-chat": WayDoors(send_message_async, send_message_stream_async, on_a_loop=True),
}
"""The doors of each way."""

# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(conversation: Conversation, *, by_type: bool = False) -> dict[str, Any]:
    """The arguments of ``generate_content``. Whole answers are parsed if they are asked for ``by_type``."""
    return {
        "model": conversation.model,
        "contents": list(_contents(conversation)),
        "config": _config(conversation, by_type=by_type),
    }


def _config(conversation: Conversation, *, by_type: bool) -> types.GenerateContentConfig:
    config = types.GenerateContentConfig(max_output_tokens=conversation.max_tokens)
    if conversation.output is not None:
        config.response_mime_type = "application/json"
        config.response_schema = answer_type(conversation) if by_type else None
        config.response_json_schema = None if config.response_schema is not None else dict(conversation.output)
    if conversation.system is not None:
        config.system_instruction = conversation.system
    if conversation.reasoning:
        config.thinking_config = types.ThinkingConfig(include_thoughts=True)
    names, choice = names_in(conversation), conversation.choice
    functions = [
        types.FunctionDeclaration(
            name=names[tool.name],
            description=tool.description,
            parameters_json_schema=tool.parameters,
        )
        for tool in conversation.tools
        if tool.builtin is None
    ]
    searches = any(tool.builtin == "web_search" for tool in conversation.tools)
    if functions or searches:
        config.tools = [
            *([types.Tool(function_declarations=functions)] if functions else []),
            *([types.Tool(google_search=types.GoogleSearch())] if searches else []),
        ]
    if functions and choice.mode != "auto":
        calling = types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode(MODES[choice.mode]))
        if choice.mode == "tool":
            calling.allowed_function_names = [names[choice.name or ""]]
        config.tool_config = types.ToolConfig(function_calling_config=calling)
    if functions and searches:
        config.tool_config = types.ToolConfig(include_server_side_tool_invocations=True)
    return config


def _contents(conversation: Conversation) -> Iterator[types.Content]:
    sent: dict[str, types.FunctionCall] = {}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield types.UserContent(parts=[types.Part.from_text(text=text)])
            case AssistantTurn():
                content = _replayed(item, conversation)
                calls = [part.function_call for part in content.parts or [] if part.function_call is not None]
                sent = dict(zip((call.id for call in item.calls), calls, strict=True))
                if content.parts:  # a content must have a part
                    yield content
            case results:
                answers = list(_results(results, sent, conversation))
                yield types.Content(role="user", parts=[*answers, *_images_beside(results, conversation)])


def _replayed(turn: AssistantTurn, conversation: Conversation) -> types.Content:
    """The SDK's own content, signatures included; one written by hand if there is none."""
    own: types.Content | None = kept(turn)
    if own is not None:
        return own
    names = names_in(conversation)
    calls = [
        types.Part.from_function_call(name=names.get(call.name, call.name), args=dict(replayable(call)))
        for call in turn.calls
    ]
    said = spoken(turn)
    return types.ModelContent(parts=[*([types.Part.from_text(text=said)] if said else []), *calls])


def _results(
    results: tuple[ToolResult, ...], sent: dict[str, types.FunctionCall], conversation: Conversation
) -> Iterator[types.Part]:
    """A response for each result, under the id of the call if the model gave it one."""
    for result in results:
        call = sent[result.call_id]
        images = [part for part in result.content if isinstance(part, ImagePart)]
        answer = types.FunctionResponse(name=call.name, response=_response(result))
        if call.id is not None:
            answer.id = call.id
        if images and conversation.profile == "native":
            answer.parts = [
                types.FunctionResponsePart.from_bytes(data=image.data, mime_type=image.media_type) for image in images
            ]
        yield types.Part(function_response=answer)


def _images_beside(results: tuple[ToolResult, ...], conversation: Conversation) -> list[types.Part]:
    """The images of a lone result as parts of their own, for models that take none inside of a response."""
    if conversation.profile == "native" or len(results) != 1:
        return []
    images = [part for part in results[0].content if isinstance(part, ImagePart)]
    return [types.Part.from_bytes(data=image.data, mime_type=image.media_type) for image in images]


def _response(result: ToolResult) -> dict[str, Json]:
    """A structured value as it is. One with references goes as text: Gemini would look for them among the parts."""
    if result.is_error:
        return {"error": result_text(result)}
    match result.content:
        case (JsonPart(value),) if '"$ref":' not in compact_json(value):
            return {"output": value}
    return {"output": result_text(result)}


# --- hearing ---------------------------------------------------------------------------------------------------------


def _turn(answers: Iterable[types.GenerateContentResponse], conversation: Conversation) -> AssistantTurn:
    parts: list[types.Part] = []
    answers = list(answers)
    finish, message, usage, blocked = None, None, None, None
    for answer in answers:
        usage, blocked = answer.usage_metadata or usage, answer.prompt_feedback or blocked
        for candidate in answer.candidates or []:
            parts += (candidate.content.parts if candidate.content else None) or []
            finish, message = candidate.finish_reason or finish, candidate.finish_message or message
    calls = [
        call_of(call.id, call.name or "", call.args, conversation)
        for call in (part.function_call for part in parts)
        if call is not None
    ]
    usable = with_usable_ids(calls, conversation)
    reason = finish.value if finish is not None else None
    stop: Stop = STOPS.get(reason, "tool_calls" if calls else "end")
    if reason is None:
        stop = "refusal" if blocked is not None else "incomplete"
    return AssistantTurn(
        text="".join(part.text or "" for part in parts if not part.thought),
        calls=usable,
        stop=stop,
        refusal=message if stop == "refusal" else None,
        usage=Usage(usage.prompt_token_count or 0, usage.candidates_token_count or 0) if usage else None,
        error=ProviderError(message or "", type=reason) if stop == "error" else None,
        opaque=OwnMessage(types.Content(role="model", parts=parts), usable),
        parsed=_parsed(answers, conversation),
    )


def _parsed(answers: list[types.GenerateContentResponse], conversation: Conversation) -> Parsed | None:
    """What the SDK says that the text means. It says it of whole answers that were asked for by a type."""
    if len(answers) != 1 or answer_type(conversation) is None or answers[0].parsed is None:
        return None
    return parsed(answers[0].parsed)
