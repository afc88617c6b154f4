"""Converse, provider half: what a request says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from conformance.http import Request
from conformance.model import Json, compact_json
from conformance.wires.bedrock.events import SERVER, texts_in
from conformance.wires.facts import (
    SWITCH,
    Facts,
    Object,
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
MODES: Mapping[str, Literal["auto", "required", "tool"]] = {"auto": "auto", "any": "required", "tool": "tool"}
TOOLS = "/toolConfig/tools"
CHOICE = "/toolConfig/toolChoice"
THINKING = "/additionalModelRequestFields/thinking"


def read_facts(request: Request) -> Facts:
    """The neutral view of a Converse request."""
    document = decode(request)
    body = obj(document)
    config = obj(body.get("toolConfig"))
    messages = [_message(f"/messages/{place}", obj(item)) for place, item in items(body.get("messages"))]
    declared = [(f"{TOOLS}/{place}", obj(item)) for place, item in items(config.get("tools"))]
    return Facts(
        document=document,
        tools=[_tool(at, tool) for at, tool in declared if "cachePoint" not in tool],
        tools_at=TOOLS,
        choice=_choice(config["toolChoice"]) if "toolChoice" in config else None,
        system=[
            *_texts("/system", body.get("system")),
            *(text for message in messages if message.role == "system" for text in message.texts),
        ],
        messages=messages,
        stream=request.path.rstrip("/").endswith("/converse-stream"),
        settings=_settings(body),
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    thinking = obj(obj(body.get("additionalModelRequestFields")).get("thinking"))
    kind = thinking.get("type")
    return SentSettings(
        limits=settings_at(body, "/inferenceConfig/maxTokens"),
        thinking=SWITCH.get(kind) if isinstance(kind, str) else None,
        thinking_at=THINKING,
        budget=thinking.get("budget_tokens"),
    )


def _tool(at: str, tool: Mapping[str, Json]) -> SentTool:
    """A tool. What is no function is the provider's own, under the member that holds it."""
    spec = obj(tool.get("toolSpec"))
    here = f"{at}/toolSpec"
    return SentTool(
        at=here if "toolSpec" in tool else at,
        kind="function" if "toolSpec" in tool else next(iter(tool), "nothing"),
        name=spec.get("name"),
        description=spec.get("description"),
        schema=obj(spec.get("inputSchema")).get("json"),
        schema_at=f"{here}/inputSchema/json",
        strict=spec.get("strict"),
    )


def _choice(choice: Json) -> SentChoice:
    word = next(iter(obj(choice)), "") if len(obj(choice)) == 1 else ""
    return SentChoice(CHOICE, MODES.get(word), obj(obj(choice).get("tool")).get("name"), choice)


def _message(at: str, message: Mapping[str, Json]) -> SentMessage:
    wire_role, content = message.get("role"), message.get("content")
    sent = SentMessage(at, ROLES.get(wire_role) if isinstance(wire_role, str) else None, wire_role)
    sent.texts = list(_texts(f"{at}/content", content))
    for here, use in client_blocks(f"{at}/content", content, "toolUse"):
        sent.calls.append(_call(here, use))
    for here, result in client_blocks(f"{at}/content", content, "toolResult"):
        sent.results.append(_result(here, result))
    return sent


def client_blocks(at: str, content: Json, kind: Literal["toolUse", "toolResult"]) -> list[tuple[str, Object]]:
    """The calls, or the results, in a message that are the client's. What the provider ran itself (``server_tool_use``)
    stands in a message of the model, the result beside the call."""
    blocks = [(f"{at}/{place}", obj(item)) for place, item in items(content)]
    uses = [obj(block["toolUse"]) for _, block in blocks if "toolUse" in block]
    hosted = [use.get("toolUseId") for use in uses if use.get("type") == SERVER]
    found = [(f"{here}/{kind}", obj(block[kind])) for here, block in blocks if kind in block]
    return [(here, block) for here, block in found if block.get("toolUseId") not in hosted]


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    for place, item in items(content):
        yield from ((f"{at}/{place}{here}", said) for here, said in texts_in(obj(item)))


def _call(at: str, use: Mapping[str, Json]) -> SentCall:
    raw = use.get("input")
    return SentCall(
        at=at,
        id=use.get("toolUseId"),
        name=use.get("name"),
        raw=raw,
        arguments=object_of(raw),
        id_at=f"{at}/toolUseId",
        name_at=f"{at}/name",
        arguments_at=f"{at}/input",
    )


def _result(at: str, result: Mapping[str, Json]) -> SentResult:
    content = result.get("content")
    texts = [text for _, item in items(content) if (text := _text_of(obj(item))) is not None]
    return SentResult(
        at=at,
        ref=result.get("toolUseId"),
        content=content,
        text="\n".join(texts) if texts else ("" if content == [] else None),
        error=result.get("status") == "error",
        images=list(_images(f"{at}/content", content)),
        ref_at=f"{at}/toolUseId",
        content_at=f"{at}/content",
    )


def _text_of(part: Mapping[str, Json]) -> str | None:
    """What the model reads of one part of a result."""
    if "json" in part:
        return compact_json(part["json"])
    text = part.get("text")
    return text if isinstance(text, str) else None


def _images(at: str, content: Json) -> Iterator[tuple[str, Json, Json]]:
    """The pictures, but for those that are held in S3: nobody knows here what is in them."""
    for place, item in items(content):
        image = obj(obj(item).get("image"))
        if "image" in obj(item) and "s3Location" not in obj(image.get("source")):
            media_type = f"image/{image['format']}" if isinstance(image.get("format"), str) else None
            yield f"{at}/{place}/image", media_type, obj(image.get("source")).get("bytes")
