"""Responses: reading a response."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import AssistantTurn, Json
from conformance.rules.check import Verdicts, check, equal, holds
from conformance.rules.responses.documents import answered_items
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj
from conformance.wires.ids import used_ids
from conformance.wires.openai_responses.kinds import client_kind

SERVER_ITEMS = (
    "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
    "mcp_list_tools", "tool_search_call",
)  # fmt: skip
"""Items of tools that the provider runs by itself. OpenAPI ``OutputItem`` has others, which the client must run."""


def _read(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What an answer that did not fail said, and what was read of it."""
    if x.offered is None or x.parsed is None or x.offered.error is not None:
        return None
    return x.offered, x.parsed


def _names(turn: AssistantTurn) -> list[Json]:
    return [call.name for call in turn.calls]


@check("responses.parse.function-call-items")
def function_call_items(x: Exchange) -> Verdicts:
    """Calls that were cut have a rule of their own, and so have calls that are none of the client's."""
    turns, sent = _read(x), answered_items(x.answer, "function_call")
    if turns is None or not sent or len(sent) != len(turns[0].calls):
        return
    offered, read = turns
    whole = [call for call in offered.calls if not call.invalid]
    most = len(read.calls) if _server_items(x) else len(sent)
    yield holds(len(whole) <= len(read.calls) <= most, "/calls", _names(offered), _names(read))
    if len(read.calls) == len(sent):
        for place, (item, call, own) in enumerate(zip(sent, offered.calls, read.calls, strict=True)):
            if item.get("name") == call.name:  # else it is a name to map back
                yield equal(f"/calls/{place}/name", call.name, own.name)


@check("responses.parse.call-id-not-item-id")
def call_id_not_item_id(x: Exchange) -> Verdicts:
    """An id that is missing or taken may be replaced, but never by the item's."""
    turns, sent = _read(x), answered_items(x.answer, "function_call")
    if turns is None or not len(sent) == len(turns[0].calls) == len(turns[1].calls):
        return
    taken = used_ids(x.intent)
    for place, (item, call, own) in enumerate(zip(sent, turns[0].calls, turns[1].calls, strict=True)):
        if x.usable_ids and call.id not in taken:
            yield equal(f"/calls/{place}/id", call.id, own.id)
        elif item.get("id") != call.id:
            yield holds(own.id != item.get("id"), f"/calls/{place}/id", "an id that is not the item's", own.id)


@check("responses.parse.stop-from-status")
def stop_from_status(x: Exchange) -> Verdicts:
    """Refusals have a rule of their own, and so have streams that fail and calls that were not seen."""
    status, offered, read = obj(x.answer).get("status"), x.offered, x.parsed
    if offered is None or read is None or offered.refusal is not None or len(offered.calls) != len(read.calls):
        return
    if x.streamed and offered.error is not None:
        return
    if offered.calls or status in ("completed", "incomplete", "failed"):
        yield equal("/stop", offered.stop, read.stop)


@check("responses.parse.server-tool-items-not-executed")
def server_tool_items_not_executed(x: Exchange) -> Verdicts:
    turns, hosted = _read(x), _server_items(x)
    if turns is None or not hosted:
        return
    offered, read = turns
    ids = [item[key] for item in hosted for key in ("id", "call_id") if item.get(key)]
    theirs = [call.name for call in read.calls if call.id in ids]
    yield holds(not theirs and len(read.calls) <= len(offered.calls), "/calls", _names(offered), _names(read))


def _server_items(x: Exchange) -> list[Object]:
    """A shell in a container of the provider's is one of them."""
    return [
        item for item in answered_items(x.answer)
        if item.get("type") in SERVER_ITEMS or (item.get("type") == "shell_call" and client_kind(item) is None)
    ]  # fmt: skip


@check("responses.parse.refusal")
def refusal(x: Exchange) -> Verdicts:
    said, refusal = "".join(_parts(x, "output_text", "text")), "".join(_parts(x, "refusal", "refusal"))
    if x.parsed is None or not refusal:
        return
    yield equal("/refusal", refusal, x.parsed.refusal)
    if not said:
        yield holds(x.parsed.text != refusal, "/text", "", x.parsed.text)


def _parts(x: Exchange, kind: str, key: str) -> Iterator[str]:
    """The texts of one type of content, message by message."""
    for message in answered_items(x.answer, "message"):
        for _, part in items(message.get("content")):
            if obj(part).get("type") == kind and isinstance(obj(part).get(key), str):
                yield part[key]
