"""Chat Completions, provider half: what a request says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from conformance.http import Request
from conformance.model import TEXT_INPUT, Json
from conformance.wires.facts import (
    SWITCH,
    Facts,
    Role,
    SentCall,
    SentChoice,
    SentMessage,
    SentResult,
    SentSettings,
    SentTool,
    decode,
    items,
    obj,
    object_of,
    settings_at,
)

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
MODES: Mapping[str, Literal["auto", "none", "required"]] = {
    "auto": "auto",
    "none": "none",
    "required": "required",
    "any": "required",
}
"""``any`` is Mistral's word."""


def read_facts(request: Request) -> Facts:
    """The neutral view of a chat request."""
    document = decode(request)
    body = obj(document)
    messages = [_message(f"/messages/{place}", obj(item)) for place, item in items(body.get("messages"))]
    return Facts(
        document=document,
        tools=[_tool(f"/tools/{place}", obj(item)) for place, item in items(body.get("tools"))],
        choice=_choice(body["tool_choice"]) if "tool_choice" in body else None,
        parallel=body.get("parallel_tool_calls"),
        parallel_at="/parallel_tool_calls",
        system=[text for message in messages if message.role == "system" for text in message.texts],
        messages=messages,
        stream=body.get("stream") is True,
        settings=_settings(body),
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    """The limit has two names. How much a model of OpenAI's thinks is tuned, not switched; DeepSeek has a switch."""
    thinking = obj(body.get("thinking")).get("type")
    answers = [one for one in settings_at(body, "/n") if one.value != 1]
    return SentSettings(
        limits=settings_at(body, "/max_completion_tokens", "/max_tokens"),
        thinking=SWITCH.get(thinking) if isinstance(thinking, str) else None,
        thinking_at="/thinking",
        usage=obj(body.get("stream_options")).get("include_usage") is True,
        costly=answers + [one for one in settings_at(body, "/service_tier") if one.value == "priority"],
    )


def _tool(at: str, tool: Mapping[str, Json]) -> SentTool:
    function = obj(tool.get("function"))
    if tool.get("type") == "custom" and not function:
        return _custom_tool(at, obj(tool.get("custom")))
    return SentTool(
        at=at,
        kind=str(tool.get("type", "function" if function else None)),
        name=function.get("name"),
        description=function.get("description"),
        schema=function.get("parameters"),
        schema_at=f"{at}/function/parameters",
        strict=function.get("strict"),
    )


def _custom_tool(at: str, custom: Mapping[str, Json]) -> SentTool:
    grammar = obj(obj(custom.get("format")).get("grammar"))
    return SentTool(
        at=at,
        kind="custom",
        name=custom.get("name"),
        description=custom.get("description"),
        takes_text=True,
        grammar=(grammar.get("syntax"), grammar.get("definition")) if grammar else None,
    )


def _choice(choice: Json) -> SentChoice:
    if isinstance(choice, str):
        return SentChoice("/tool_choice", MODES.get(choice), raw=choice)
    if obj(choice).get("type") == "allowed_tools":
        allowed = obj(choice.get("allowed_tools"))
        names = tuple(obj(obj(tool).get("function")).get("name") for _, tool in items(allowed.get("tools")))
        return SentChoice("/tool_choice", MODES.get(str(allowed.get("mode"))), raw=choice, names=names)
    kind = obj(choice).get("type")
    named = choice if kind == "tool" else obj(choice).get("custom" if kind == "custom" else "function")  # first: xAI's
    name = obj(named).get("name")
    return SentChoice("/tool_choice", "tool" if name is not None else None, name, choice)


def _message(at: str, message: Mapping[str, Json]) -> SentMessage:
    wire_role = message.get("role")
    texts = list(_texts(at, message.get("content")))
    sent = SentMessage(at, ROLES.get(wire_role) if isinstance(wire_role, str) else None, wire_role)
    if sent.role == "tool":
        sent.results = [_result(at, message, texts)]
    else:
        sent.texts = texts
        sent.calls = list(_calls(at, message))
    return sent


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(content, str):
        yield f"{at}/content", content
    for place, part in items(content):
        if isinstance(obj(part).get("text"), str):
            yield f"{at}/content/{place}/text", obj(part)["text"]


def _calls(at: str, message: Mapping[str, Json]) -> Iterator[SentCall]:
    for place, item in items(message.get("tool_calls")):
        here = f"{at}/tool_calls/{place}"
        if isinstance(obj(item).get("custom"), dict) and not isinstance(obj(item).get("function"), dict):
            yield _custom_call(here, obj(item))
        else:
            yield _call(here, f"{here}/function", obj(obj(item).get("function")), obj(item).get("id"))
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        yield _call(f"{at}/function_call", f"{at}/function_call", legacy, None)


def _call(at: str, function_at: str, function: Mapping[str, Json], call_id: Json) -> SentCall:
    raw = function.get("arguments")
    return SentCall(
        at=at,
        id=call_id,
        name=function.get("name"),
        raw=raw,
        arguments=object_of(raw),
        id_at=f"{at}/id",
        name_at=f"{function_at}/name",
        arguments_at=f"{function_at}/arguments",
    )


def _custom_call(at: str, call: Mapping[str, Json]) -> SentCall:
    """A call of a custom tool. Its input is text: as arguments, an object that holds it."""
    custom = obj(call.get("custom"))
    return SentCall(
        at=at,
        id=call.get("id"),
        name=custom.get("name"),
        raw=custom.get("input"),
        arguments={TEXT_INPUT: custom.get("input")},
        id_at=f"{at}/id",
        name_at=f"{at}/custom/name",
        arguments_at=f"{at}/custom/input",
        takes_text=True,
    )


def _result(at: str, message: Mapping[str, Json], texts: list[tuple[str, Json]]) -> SentResult:
    content = message.get("content")
    return SentResult(
        at=at,
        ref=message.get("tool_call_id"),
        content=content,
        text="\n".join(text for _, text in texts) if texts else ("" if content in ("", []) else None),
        name=message.get("name"),
        error=None,
        images=list(_images(at, content)),
        ref_at=f"{at}/tool_call_id",
        content_at=f"{at}/content",
    )


def _images(at: str, content: Json) -> Iterator[tuple[str, Json, Json]]:
    """Images that stand where they may not: in a tool message. A URL may be an object, or (Mistral) just text."""
    for place, part in items(content):
        image = obj(part).get("image_url")
        url = obj(image).get("url", image)
        if isinstance(url, str):
            media_type, _, data = url.removeprefix("data:").partition(";base64,")
            yield f"{at}/content/{place}", media_type, data
