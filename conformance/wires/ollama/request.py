"""Ollama, provider half: what a request says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import Request
from conformance.model import Json
from conformance.wires.facts import (
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

ROLES: Mapping[Json, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}


def read_facts(request: Request) -> Facts:
    """The neutral view of a native chat request.

    A tool choice is not part of the format: one that is sent anyway has no mode. A request that does not say otherwise
    asks for a stream.
    """
    document = decode(request)
    body = obj(document)
    messages = [_message(f"/messages/{place}", obj(item)) for place, item in items(body.get("messages"))]
    return Facts(
        document=document,
        tools=[_tool(f"/tools/{place}", obj(item)) for place, item in items(body.get("tools"))],
        choice=SentChoice("/tool_choice", None, raw=body["tool_choice"]) if "tool_choice" in body else None,
        parallel=body.get("parallel_tool_calls"),
        parallel_at="/parallel_tool_calls",
        system=[text for message in messages if message.role == "system" for text in message.texts],
        messages=messages,
        stream=body.get("stream") is not False,
        settings=_settings(body),
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    """``think`` is a switch, or a word for how much."""
    think = body.get("think")
    return SentSettings(
        limits=settings_at(body, "/options/num_predict"),
        thinking=None if think is None else bool(think),
        thinking_at="/think",
    )


def _tool(at: str, tool: Mapping[str, Json]) -> SentTool:
    function = obj(tool.get("function"))
    return SentTool(
        at=at,
        kind=str(tool.get("type")),
        name=function.get("name"),
        description=function.get("description"),
        schema=function.get("parameters"),
        schema_at=f"{at}/function/parameters",
        strict=function.get("strict"),
    )


def _message(at: str, message: Mapping[str, Json]) -> SentMessage:
    wire_role = message.get("role")
    role = ROLES.get(wire_role) if isinstance(wire_role, str) else None
    texts = list(_texts(at, message.get("content")))
    sent = SentMessage(at, role, wire_role)
    if role == "tool":
        sent.results = [_result(at, message, texts)]
    else:
        sent.texts = texts
        sent.calls = list(_calls(at, message))
    return sent


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    """The texts of a message. Lists of parts are wrong here; what they say is still read."""
    if isinstance(content, str):
        yield f"{at}/content", content
    for place, part in items(content):
        if isinstance(obj(part).get("text"), str):
            yield f"{at}/content/{place}/text", obj(part)["text"]


def _calls(at: str, message: Mapping[str, Json]) -> Iterator[SentCall]:
    for place, item in items(message.get("tool_calls")):
        call, here = obj(item), f"{at}/tool_calls/{place}"
        function = obj(call.get("function"))
        raw = function.get("arguments")
        yield SentCall(
            at=here,
            id=call.get("id"),
            name=function.get("name"),
            raw=raw,
            arguments=object_of(raw),
            id_at=f"{here}/id",
            name_at=f"{here}/function/name",
            arguments_at=f"{here}/function/arguments",
        )


def _result(at: str, message: Mapping[str, Json], texts: list[tuple[str, Json]]) -> SentResult:
    """A result. Content that is absent is empty text to the server, and the official SDK leaves empty text out."""
    content = message.get("content")
    return SentResult(
        at=at,
        ref=message.get("tool_call_id"),
        content=content,
        text="\n".join(text for _, text in texts) if texts else ("" if content in (None, []) else None),
        name=message.get("tool_name", message.get("name")),
        error=None,
        images=[(f"{at}/images/{place}", None, data) for place, data in items(message.get("images"))],
        ref_at=f"{at}/tool_call_id",
        content_at=f"{at}/content",
    )
