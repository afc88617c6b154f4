"""Messages, provider half: what a request says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from conformance.http import Request
from conformance.model import Json
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

ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
MODES: Mapping[str, Literal["auto", "none", "required", "tool"]] = {
    "auto": "auto",
    "none": "none",
    "any": "required",
    "tool": "tool",
}
PARALLEL_AT = "/tool_choice/disable_parallel_tool_use"


def read_facts(request: Request) -> Facts:
    """The neutral view of a Messages request."""
    document = decode(request)
    body = obj(document)
    messages = [_message(f"/messages/{place}", obj(item)) for place, item in items(body.get("messages"))]
    disabled = obj(body.get("tool_choice")).get("disable_parallel_tool_use")
    return Facts(
        document=document,
        tools=[_tool(f"/tools/{place}", obj(item)) for place, item in items(body.get("tools"))],
        choice=_choice(body["tool_choice"]) if "tool_choice" in body else None,
        parallel=not disabled if isinstance(disabled, bool) else None,
        parallel_at=PARALLEL_AT,
        system=[
            *_texts("/system", body.get("system")),
            *(text for message in messages if message.role == "system" for text in message.texts),
        ],
        messages=messages,
        stream=body.get("stream") is True,
        settings=_settings(body),
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    thinking = obj(body.get("thinking"))
    kind = thinking.get("type")
    return SentSettings(
        limits=settings_at(body, "/max_tokens"),
        thinking=SWITCH.get(kind) if isinstance(kind, str) else None,
        thinking_at="/thinking",
        budget=thinking.get("budget_tokens"),
    )


def _tool(at: str, tool: Mapping[str, Json]) -> SentTool:
    kind = tool.get("type")
    return SentTool(
        at=at,
        kind="function" if kind in (None, "custom") else str(kind),
        name=tool.get("name"),
        description=tool.get("description"),
        schema=tool.get("input_schema"),
        schema_at=f"{at}/input_schema",
        strict=tool.get("strict"),
    )


def _choice(choice: Json) -> SentChoice:
    kind = obj(choice).get("type")
    mode = MODES.get(kind) if isinstance(kind, str) else None
    return SentChoice("/tool_choice", mode, obj(choice).get("name"), choice)


def _message(at: str, message: Mapping[str, Json]) -> SentMessage:
    wire_role, content = message.get("role"), message.get("content")
    sent = SentMessage(at, ROLES.get(wire_role) if isinstance(wire_role, str) else None, wire_role)
    sent.texts = list(_texts(f"{at}/content", content))
    for place, item in items(content):
        block, here = obj(item), f"{at}/content/{place}"
        if block.get("type") == "tool_use":
            sent.calls.append(_call(here, block))
        elif block.get("type") == "tool_result":
            sent.results.append(_result(here, block))
    return sent


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    """The texts of content that is a string, or of its text blocks."""
    if isinstance(content, str):
        yield at, content
    for place, item in items(content):
        block = obj(item)
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            yield f"{at}/{place}/text", block["text"]


def _call(at: str, block: Mapping[str, Json]) -> SentCall:
    raw = block.get("input")
    return SentCall(
        at=at,
        id=block.get("id"),
        name=block.get("name"),
        raw=raw,
        arguments=object_of(raw),
        id_at=f"{at}/id",
        name_at=f"{at}/name",
        arguments_at=f"{at}/input",
    )


def _result(at: str, block: Mapping[str, Json]) -> SentResult:
    content = block.get("content")
    texts = [text for _, text in _result_texts(f"{at}/content", content)]
    empty = content == [] or "content" not in block
    return SentResult(
        at=at,
        ref=block.get("tool_use_id"),
        content=content,
        text="\n".join(texts) if texts else ("" if empty else None),
        error=block.get("is_error") is True,
        images=list(_images(at, content)),
        ref_at=f"{at}/tool_use_id",
        content_at=f"{at}/content",
    )


def _result_texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    """The texts of a result, those in the search results that it holds, and the names of tools that it refers to."""
    yield from _texts(at, content)
    for place, item in items(content):
        if obj(item).get("type") == "search_result":
            yield from _texts(f"{at}/{place}/content", obj(item).get("content"))
        elif obj(item).get("type") == "tool_reference":
            yield f"{at}/{place}/tool_name", obj(item).get("tool_name")


def _images(at: str, content: Json) -> Iterator[tuple[str, Json, Json]]:
    for place, item in items(content):
        if obj(item).get("type") == "image":
            source = obj(obj(item).get("source"))
            yield f"{at}/content/{place}", source.get("media_type"), source.get("data")
