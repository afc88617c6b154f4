"""Cohere, provider half: what a request says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from conformance.http import Request
from conformance.model import Json, compact_json
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

ROLES: Mapping[Json, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
MODES: Mapping[Json, Literal["none", "required"]] = {"NONE": "none", "REQUIRED": "required"}
"""The words for ``tool_choice``. That the model is free has no word. Small letters are taken, too: 16 recorded requests
of maruel/genai."""


def read_facts(request: Request) -> Facts:
    """The neutral view of a chat request. Strictness is asked for all tools at once."""
    document = decode(request)
    body = obj(document)
    messages = [_message(f"/messages/{place}", obj(item)) for place, item in items(body.get("messages"))]
    strict = body.get("strict_tools")
    return Facts(
        document=document,
        tools=[_tool(f"/tools/{place}", obj(item), strict) for place, item in items(body.get("tools"))],
        choice=_choice(body["tool_choice"]) if body.get("tool_choice") is not None else None,
        parallel=None,
        system=[text for message in messages if message.role == "system" for text in message.texts],
        messages=messages,
        stream=body.get("stream") is True,
        settings=_settings(body),
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    kind = obj(body.get("thinking")).get("type")
    return SentSettings(
        limits=settings_at(body, "/max_tokens"),
        thinking=SWITCH.get(kind) if isinstance(kind, str) else None,
        thinking_at="/thinking",
        budget=obj(body.get("thinking")).get("token_budget"),
    )


def _tool(at: str, tool: Mapping[str, Json], strict: Json) -> SentTool:
    function = obj(tool.get("function"))
    return SentTool(
        at=at,
        kind=str(tool.get("type")),
        name=function.get("name"),
        description=function.get("description"),
        schema=function.get("parameters"),
        schema_at=f"{at}/function/parameters",
        strict=strict,
        strict_at="/strict_tools",
    )


def _choice(raw: Json) -> SentChoice:
    return SentChoice("/tool_choice", MODES.get(raw.upper()) if isinstance(raw, str) else None, raw=raw)


def _message(at: str, message: Mapping[str, Json]) -> SentMessage:
    wire_role = message.get("role")
    role = ROLES.get(wire_role) if isinstance(wire_role, str) else None
    sent = SentMessage(at, role, wire_role)
    if role == "tool":
        sent.results = [_result(at, message)]
        return sent
    plan = message.get("tool_plan")
    sent.texts = [(f"{at}/tool_plan", plan)] if isinstance(plan, str) and plan else []
    sent.texts += _texts(at, message.get("content"))
    sent.calls = list(_calls(at, message))
    return sent


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    """The texts of a content. Thinking is none of them; of a document it is the JSON text of its data."""
    if isinstance(content, str):
        yield f"{at}/content", content
    for place, item in items(content):
        part, here = obj(item), f"{at}/content/{place}"
        document = obj(part.get("document"))
        if isinstance(part.get("text"), str):
            yield f"{here}/text", part["text"]
        elif "data" in document:
            data = document["data"]
            yield f"{here}/document/data", data if isinstance(data, str) else compact_json(data)


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


def _result(at: str, message: Mapping[str, Json]) -> SentResult:
    content = message.get("content")
    texts = [str(text) for _, text in _texts(at, content)]
    return SentResult(
        at=at,
        ref=message.get("tool_call_id"),
        content=content,
        text="\n".join(texts) if texts else ("" if content == [] else None),
        name=message.get("name"),
        error=None,
        ref_at=f"{at}/tool_call_id",
        content_at=f"{at}/content",
    )
