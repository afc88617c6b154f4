"""The gateway's API, provider half: what a request says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from conformance.http import Request
from conformance.model import REJECTED, Json
from conformance.wires.facts import (
    Facts,
    Role,
    Round,
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

DECISION = "tool_decision"
ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
CHOICE_MODES: Mapping[str, Literal["auto", "none", "required"]] = {
    "auto": "auto",
    "none": "none",
    "required": "required",
}


@dataclass(slots=True)
class SentDecision:
    """A decision about the call ``ref``. ``accept`` is ``None`` when ``raw`` is not a word that the API knows."""

    at: str
    ref: Json
    accept: bool | None
    raw: Json = None
    ref_at: str = ""


@dataclass
class UnifiedFacts(Facts):
    """What a request to the gateway says, its decisions too.

    A decision is also one of ``messages``: ``wire_role`` is ``tool_decision``, ``role`` is ``None``. A rejection
    answers its call, so it is listed as an error result as well.
    """

    decisions: list[SentDecision] = field(default_factory=list)

    @cached_property
    def rounds(self) -> list[Round]:
        """Calls with their results. Accepting a call stands beside them and closes nothing."""
        return Facts(messages=[item for item in self.messages if item.wire_role != DECISION or item.results]).rounds


def read_facts(request: Request) -> UnifiedFacts:
    """The neutral view of a request to the gateway."""
    document = decode(request)
    body = obj(document)
    entries = [(f"/input/{place}", obj(item)) for place, item in items(body.get("input"))]
    messages = [_message(at, entry) for at, entry in entries]
    previous = body.get("conversation_id")
    return UnifiedFacts(
        document=document,
        tools=[_tool(f"/tools/{place}", obj(item)) for place, item in items(body.get("tools"))],
        choice=_choice(body["tool_choice"]) if "tool_choice" in body else None,
        parallel=body.get("parallel_tool_calls"),
        parallel_at="/parallel_tool_calls",
        system=[text for message in messages if message.role == "system" for text in message.texts],
        messages=messages,
        stream=body.get("stream") is True,
        settings=_settings(body),
        previous=previous if isinstance(previous, str) else None,
        decisions=[_decision(at, entry) for at, entry in entries if entry.get("type") == DECISION],
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    reasoning = body.get("reasoning")
    return SentSettings(
        limits=settings_at(body, "/max_tokens"),
        thinking=reasoning if isinstance(reasoning, bool) else None,
        thinking_at="/reasoning",
    )


def _tool(at: str, tool: Mapping[str, Json]) -> SentTool:
    return SentTool(
        at=at,
        kind=str(tool.get("type", "function")),
        name=tool.get("name"),
        description=tool.get("description"),
        schema=tool.get("parameters"),
        schema_at=f"{at}/parameters",
    )


def _choice(choice: Json) -> SentChoice:
    if isinstance(choice, str):
        return SentChoice("/tool_choice", CHOICE_MODES.get(choice), raw=choice)
    name = obj(choice).get("name")
    return SentChoice("/tool_choice", "tool" if name is not None else None, name, choice)


def _decision(at: str, entry: Mapping[str, Json]) -> SentDecision:
    raw = entry.get("decision")
    accept = raw == "accept" if raw in ("accept", "reject") else None
    return SentDecision(at, entry.get("tool_call_id"), accept, raw, f"{at}/tool_call_id")


def _message(at: str, entry: Mapping[str, Json]) -> SentMessage:
    if entry.get("type") == DECISION:
        rejection = [_rejection(at, entry)] if entry.get("decision") == "reject" else []
        return SentMessage(at, None, DECISION, results=rejection)
    wire_role = entry.get("role")
    role = ROLES.get(wire_role) if isinstance(wire_role, str) else None
    texts = list(_texts(at, entry.get("content")))
    if role == "tool":
        return SentMessage(at, role, wire_role, results=[_result(at, entry, texts)])
    return SentMessage(at, role, wire_role, texts, list(_calls(at, entry)))


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    """The text of a message: a string and a text block mean the same."""
    if isinstance(content, str):
        yield f"{at}/content", content
    for place, block in items(content):
        if obj(block).get("type", "text") == "text" and isinstance(obj(block).get("text"), str):
            yield f"{at}/content/{place}/text", block["text"]


def _calls(at: str, message: Mapping[str, Json]) -> Iterator[SentCall]:
    for place, item in items(message.get("tool_calls")):
        call, here = obj(item), f"{at}/tool_calls/{place}"
        raw = call.get("args")
        yield SentCall(
            at=here,
            id=call.get("id"),
            name=call.get("name"),
            raw=raw,
            arguments=object_of(raw),
            id_at=f"{here}/id",
            name_at=f"{here}/name",
            arguments_at=f"{here}/args",
        )


def _result(at: str, message: Mapping[str, Json], texts: list[tuple[str, Json]]) -> SentResult:
    content = message.get("content")
    return SentResult(
        at=at,
        ref=message.get("tool_call_id"),
        content=content,
        text="\n".join(text for _, text in texts) if texts else ("" if content == [] else None),
        name=message.get("name"),
        error=message.get("is_error") is True,
        images=list(_images(at, content)),
        ref_at=f"{at}/tool_call_id",
        content_at=f"{at}/content",
    )


def _images(at: str, content: Json) -> Iterator[tuple[str, Json, Json]]:
    for place, item in items(content):
        block = obj(item)
        if block.get("type") == "image":
            yield f"{at}/content/{place}", block.get("media_type"), block.get("data")


def _rejection(at: str, entry: Mapping[str, Json]) -> SentResult:
    return SentResult(
        at=at,
        ref=entry.get("tool_call_id"),
        content="reject",
        text=REJECTED,
        error=True,
        ref_at=f"{at}/tool_call_id",
        content_at=f"{at}/decision",
    )
