"""OpenAI Responses, provider half: what a request says. Each input item is one message of the facts."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.http import Request
from conformance.model import TEXT_INPUT, Json
from conformance.wires.facts import (
    Facts,
    Role,
    SentCall,
    SentChoice,
    SentMessage,
    SentReference,
    SentResult,
    SentSettings,
    SentTool,
    decode,
    items,
    obj,
    object_of,
    settings_at,
)
from conformance.wires.openai_responses.approvals import KIND, RESPONSE, asked_of, is_request
from conformance.wires.openai_responses.kinds import BY_ANSWER, ClientKind, client_kind, failed, text_of

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""The last two are roles of other formats: they are shown so that rules can object."""

MODES: Mapping[str, Literal["auto", "none", "required"]] = {"auto": "auto", "none": "none", "required": "required"}


def read_facts(request: Request) -> Facts:
    """The neutral view of a Responses request."""
    document = decode(request)
    body = obj(document)
    messages = list(_messages(body.get("input"), _kind_calls(body)))
    instructions = body.get("instructions")
    return Facts(
        document=document,
        tools=[_tool(at, item) for at, item in _declared(body)],
        choice=_choice(body["tool_choice"]) if "tool_choice" in body else None,
        parallel=body.get("parallel_tool_calls"),
        parallel_at="/parallel_tool_calls",
        system=([("/instructions", instructions)] if instructions is not None else [])
        + [text for message in messages if message.role == "system" for text in message.texts],
        messages=messages,
        stream=body.get("stream") is True,
        settings=_settings(body),
        previous=body.get("previous_response_id"),
        references=[
            SentReference(f"/input/{place}", obj(item).get("id"), str(obj(item).get("id")).startswith("fc"))
            for place, item in items(body.get("input"))
            if obj(item).get("type") == "item_reference"
        ],
        packed=[
            obj(item).get("encrypted_content")
            for _, item in items(body.get("input"))
            if obj(item).get("type") == "compaction"
        ],
        spread=True,
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    """Models think anyway, and how much is tuned. Asked for are thoughts that come with the answer."""
    return SentSettings(
        limits=settings_at(body, "/max_output_tokens"),
        thinking=True if obj(body.get("reasoning")).get("summary") is not None else None,
        thinking_at="/reasoning",
        costly=[one for one in settings_at(body, "/service_tier") if one.value == "priority"],
    )


TOLD = {"additional_tools": ("role", "developer"), "tool_search_output": ("execution", "client")}
"""Items of the input by which the client declares tools, with the member that says so: a list of its own, or what its
search for tools found."""


def _declared(body: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """What is declared, and where: for the whole request, or by an item of its input, unless that tells what is known
    already."""
    known: list[Json] = []
    told = ((f"/input/{place}", obj(item)) for place, item in items(body.get("input")))
    for at, holder in [("", body), *(pair for pair in told if _declares(pair[1]))]:
        every = [(f"{at}/tools/{place}", obj(tool)) for place, tool in items(holder.get("tools"))]
        yield from (pair for pair in every if not at or pair[1].get("name") not in known)
        known += [tool.get("name") for _, tool in every]


def _declares(item: Mapping[str, Json]) -> bool:
    kind = item.get("type")
    member, value = TOLD.get(kind if isinstance(kind, str) else "", ("", ""))
    return bool(member) and item.get(member) == value


def _tool(at: str, tool: Mapping[str, Json]) -> SentTool:
    return SentTool(
        at=at,
        kind=str(tool.get("type")),
        name=tool.get("name"),
        description=tool.get("description"),
        schema=tool.get("parameters"),
        schema_at=f"{at}/parameters",
        strict=tool.get("strict"),
        takes_text=tool.get("type") == "custom",
        grammar=_grammar(obj(tool.get("format"))),
    )


def _grammar(form: Mapping[str, Json]) -> tuple[Json, Json] | None:
    return (form.get("syntax"), form.get("definition")) if form.get("type") == "grammar" else None


def _choice(choice: Json) -> SentChoice:
    at = "/tool_choice"
    if isinstance(choice, str):
        return SentChoice(at, MODES.get(choice), raw=choice)
    kind, name = obj(choice).get("type"), obj(choice).get("name")
    if kind in ("function", "custom"):
        return SentChoice(at, "tool" if name is not None else None, name, choice)
    if kind == "allowed_tools":
        names = tuple(obj(tool).get("name") for _, tool in items(choice.get("tools")))
        return SentChoice(at, MODES.get(str(choice.get("mode"))), raw=choice, names=names)
    # A tool of the provider's own is forced by its type alone: some tool must be called, but none that was declared.
    return SentChoice(at, "required" if isinstance(kind, str) else None, raw=choice)


@dataclass(frozen=True, slots=True)
class KindCalls:
    """The calls of kinds that the provider defined, among the items of a request: the client declares such a tool, or
    answers the call. What nobody declared nobody can answer. ``named`` are the ids by which they may be answered, and
    ``elsewhere`` says that the provider may hold others."""

    tools: frozenset[str]
    named: Mapping[str, str]
    elsewhere: bool
    decided: list[Json]
    """The ids of requests for approval that are answered."""

    def among(self, item: Mapping[str, Json]) -> ClientKind | None:
        """The kind of which an item is such a call."""
        kind, own = client_kind(item), item.get("call_id")
        known = kind is not None and (kind.tool in self.tools or (isinstance(own, str) and own in self.named))
        return kind if known else None


def _kind_calls(body: Mapping[str, Json]) -> KindCalls:
    every = [obj(item) for _, item in items(body.get("input"))]
    tools = frozenset(str(obj(tool).get("type")) for _, tool in items(body.get("tools")))
    answered = {one for item in every if str(item.get("type")) in BY_ANSWER for one in _ids(item)}
    named: dict[str, str] = {}
    for item in every:
        kind, own = client_kind(item), item.get("call_id")
        if kind is not None and isinstance(own, str) and (kind.tool in tools or not answered.isdisjoint(_ids(item))):
            named |= dict.fromkeys(_ids(item), own)
    decided = [item.get("approval_request_id") for item in every if item.get("type") == RESPONSE]
    return KindCalls(tools, named, body.get("previous_response_id") is not None, decided)


def _ids(item: Mapping[str, Json]) -> list[str]:
    return [one for one in (item.get("call_id"), item.get("id")) if isinstance(one, str)]


def _messages(value: Json, kinds: KindCalls) -> Iterator[SentMessage]:
    if isinstance(value, str):
        yield SentMessage("/input", "user", texts=[("/input", value)])
    for place, item in items(value):
        yield _message(f"/input/{place}", obj(item), kinds)


def _message(at: str, item: Mapping[str, Json], kinds: KindCalls) -> SentMessage:
    kind, wire_role = item.get("type"), item.get("role")
    if is_request(item) and (KIND in kinds.tools or item.get("id") in kinds.decided):
        return SentMessage(at, "assistant", calls=[asked_of(at, item)])
    if (called := kinds.among(item)) is not None:
        return SentMessage(at, "assistant", calls=[_kind_call(at, called, item)])
    if isinstance(kind, str) and kind in BY_ANSWER:
        ref = item.get("call_id", item.get("id"))
        ref = kinds.named.get(ref, ref) if isinstance(ref, str) else ref
        if kinds.elsewhere or ref in kinds.named.values():
            return SentMessage(at, "tool", results=[_kind_result(at, item, ref)])
    if kind == "function_call":
        return SentMessage(at, "assistant", calls=[_call(at, item)])
    if kind == "custom_tool_call":
        return SentMessage(at, "assistant", calls=[_custom_call(at, item)])
    if kind in ("function_call_output", "custom_tool_call_output"):
        return SentMessage(at, "tool", results=[_result(at, item)])
    if "role" in item:
        role = ROLES.get(wire_role) if isinstance(wire_role, str) else None
        return SentMessage(at, role, wire_role, texts=list(_texts(f"{at}/content", item.get("content"))))
    return SentMessage(at, _role_of(kind))


def _role_of(kind: Json) -> Role | None:
    """Who made an item that is no message: outputs come from a tool, everything else from the model."""
    if not isinstance(kind, str) or kind == "message":
        return None
    return "tool" if kind.endswith("_output") else "assistant"


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(content, str):
        yield at, content
    for place, part in items(content):
        if isinstance(obj(part).get("text"), str):
            yield f"{at}/{place}/text", part["text"]
        elif (text := _file_text(obj(part).get("file_data"))) is not None:
            yield f"{at}/{place}/file_data", text


PLAIN = "data:text/plain;base64,"


def _file_text(data: Json) -> str | None:
    """What a file of plain text says: the model reads it as text."""
    if not isinstance(data, str) or not data.startswith(PLAIN):
        return None
    try:
        return base64.b64decode(data.removeprefix(PLAIN), validate=True).decode()
    except ValueError:
        return None


def _call(at: str, item: Mapping[str, Json]) -> SentCall:
    raw = item.get("arguments")
    return SentCall(
        at=at,
        id=item.get("call_id"),
        name=item.get("name"),
        raw=raw,
        arguments=object_of(raw),
        id_at=f"{at}/call_id",
        name_at=f"{at}/name",
        arguments_at=f"{at}/arguments",
    )


def _custom_call(at: str, item: Mapping[str, Json]) -> SentCall:
    return SentCall(
        at=at,
        id=item.get("call_id"),
        name=item.get("name"),
        raw=item.get("input"),
        arguments={TEXT_INPUT: item.get("input")},
        id_at=f"{at}/call_id",
        name_at=f"{at}/name",
        arguments_at=f"{at}/input",
        takes_text=True,
    )


def _kind_call(at: str, kind: ClientKind, item: Mapping[str, Json]) -> SentCall:
    """Its name is the provider's word: the format has no other."""
    given = item.get(kind.member)
    return SentCall(
        at=at,
        id=item.get("call_id"),
        name=kind.tool,
        raw=given,
        arguments=given if isinstance(given, dict) else None,
        id_at=f"{at}/call_id",
        name_at=f"{at}/type",
        arguments_at=f"{at}/{kind.member}",
        kind=kind.tool,
    )


def _kind_result(at: str, item: Mapping[str, Json], ref: Json) -> SentResult:
    return SentResult(
        at=at,
        ref=ref,
        content=item.get("output"),
        text=text_of(item),
        error=failed(item),
        ref_at=f"{at}/call_id",
        content_at=f"{at}/output",
        kind=BY_ANSWER[item["type"]].tool,
    )


def _result(at: str, item: Mapping[str, Json]) -> SentResult:
    output = item.get("output")
    texts = [text for _, text in _texts(f"{at}/output", output)]
    return SentResult(
        at=at,
        ref=item.get("call_id"),
        content=output,
        text="\n".join(texts) if texts or output == [] else None,
        images=list(_images(f"{at}/output", output)),
        ref_at=f"{at}/call_id",
        content_at=f"{at}/output",
    )


def _images(at: str, output: Json) -> Iterator[tuple[str, Json, Json]]:
    for place, part in items(output):
        url = obj(part).get("image_url")
        if obj(part).get("type") == "input_image" and isinstance(url, str):
            media_type, _, data = url.removeprefix("data:").partition(";base64,")
            yield f"{at}/{place}", media_type, data
