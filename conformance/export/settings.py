"""What a model call is about, by the words that tables of assertions use: what must be so, and what is gone through."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    JsonPart,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    UserTurn,
)
from conformance.rules.shared import subschemas
from conformance.rules.shared.texts import own_text
from conformance.transcript import Exchange
from conformance.wires.naming import PORTABLE

Variables = Mapping[str, Json]
"""What a table's ``$names`` stand for."""

SHORTEST_TOLD = 4
"""How many characters the text of a result has, at least, that is looked for where it must not be."""
MOVABLE = re.compile(r"/(oneOf|anyOf|allOf|\$defs|definitions)/")
"""What stands below these in a schema may stand somewhere else."""
LARGE_TEXT = 256
"""From so many characters on a tool's text may be cut for good reasons."""


@dataclass(frozen=True)
class AskedCall:
    """A model call of the reference adapter, and what a table may ask about it."""

    exchange: Exchange

    @property
    def intent(self) -> Conversation:
        """What the adapter was given."""
        assert self.exchange.intent is not None
        return self.exchange.intent

    @cached_property
    def calls(self) -> list[ToolCall]:
        """The model's calls so far."""
        turns = self.intent.turns
        return [call for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls]

    @cached_property
    def results(self) -> list[ToolResult]:
        """What tools returned so far."""
        return [result for turn in self.intent.turns if isinstance(turn, ResultsTurn) for result in turn.results]

    @cached_property
    def issued(self) -> frozenset[str]:
        """The ids that the provider itself gave, and that can be used."""
        told = [one for one in self.exchange.earlier if one.usable_ids and one.offered is not None]
        return frozenset(call.id for one in told if one.offered for call in one.offered.calls)

    @cached_property
    def own_ids(self) -> bool:
        """Whether every id of the conversation is the provider's, and none comes twice."""
        ids = [call.id for call in self.calls]
        return bool(ids) and set(ids) <= self.issued and len(set(ids)) == len(ids)

    def results_by_id(self) -> Iterator[ToolResult]:
        """The results that can be found by an id of the provider's."""
        yield from (result for result in self.results if self.own_ids and result.call_id in self.issued)


def _is_function(tool: Tool) -> bool:
    """Whether a tool is the application's and takes arguments."""
    return not (tool.builtin or tool.text or tool.kind)


def _is_plain(tool: Tool) -> bool:
    """Whether such a tool goes by the same name on every wire."""
    return _is_function(tool) and tool.mcp is None and PORTABLE.fullmatch(tool.name) is not None


FLAGS: Mapping[str, Callable[[AskedCall], bool]] = {
    "streaming": lambda one: one.exchange.delivery is not None and one.exchange.delivery.streaming,
    "blocking": lambda one: one.exchange.delivery is not None and not one.exchange.delivery.streaming,
    "tools": lambda one: any(_is_plain(tool) for tool in one.intent.tools),
    "no tools": lambda one: not one.intent.tools,
    "several tools": lambda one: len(one.intent.tools) > 1 and all(map(_is_plain, one.intent.tools)),
    "choice auto": lambda one: one.intent.choice.mode == "auto",
    "choice none": lambda one: one.intent.choice.mode == "none",
    "choice required": lambda one: one.intent.choice.mode == "required",
    "choice tool": lambda one: one.intent.choice.mode == "tool" and _forces_function(one.intent),
    "parallel off": lambda one: one.intent.choice.parallel is False and one.intent.choice.mode != "none",
    "unthinking": lambda one: not one.intent.reasoning,
    "own ids": lambda one: one.own_ids,
    "may call": lambda one: one.intent.choice.mode != "none" and any(map(_is_function, one.intent.tools)),
    "objects": lambda one: bool(one.calls) and all(call.arguments is not None for call in one.calls),
    "results": lambda one: bool(one.results),
    "telling results": lambda one: bool(one.results) and all(result.content for result in one.results),
    "declared": lambda one: {call.name for call in one.calls} <= {tool.name for tool in one.intent.tools},
    "user last": lambda one: bool(one.intent.turns) and not isinstance(one.intent.turns[-1], AssistantTurn),
}
"""What ``when`` may say."""


def _forces_function(intent: Conversation) -> bool:
    tool = intent.tool(intent.choice.name or "")
    return tool is not None and _is_function(tool)


def _words_of(schema: Json) -> dict[str, Json]:
    """What every rewriting of a schema leaves as it is. What a reference leads to may be put in its place."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return {}
    kept = {name: schema[name] for name in ("description", "enum") if name in schema}
    if isinstance(schema.get("type"), str):
        kept["type"] = schema["type"]
    if isinstance(schema.get("required"), list) and len(schema["required"]) == 1:
        kept["required"] = schema["required"]
    if isinstance(schema.get("properties"), dict):
        kept["properties"] = {name: _words_of(one) for name, one in schema["properties"].items()}
    if isinstance(schema.get("items"), dict):
        kept["items"] = _words_of(schema["items"])
    return kept


# --- what is gone through --------------------------------------------------------------------------------------------


def _tools(one: AskedCall) -> Iterator[Variables]:
    for tool in one.intent.tools:
        if _is_plain(tool):
            yield {
                "tool.name": tool.name,
                "tool.description": tool.description.strip() or None,
                "tool.schema": None if tool.strict else _words_of(tool.parameters) or None,
            }


def _schema_nodes(one: AskedCall) -> Iterator[Variables]:
    """What is in alternatives and definitions of a tool's schema: they are looked at where they were left there."""
    for tool in one.intent.tools:
        if _is_plain(tool) and not tool.strict:
            for at, node in subschemas.subschemas(tool.parameters, ""):
                if MOVABLE.search(at) and (words := _words_of(node)):
                    yield {"tool.name": tool.name, "node": at, "words": words}


def _required_names(one: AskedCall) -> Iterator[Variables]:
    for tool in one.intent.tools:
        if _is_plain(tool) and not tool.strict:
            for at, node in subschemas.subschemas(tool.parameters, ""):
                listed = node.get("required")
                for name in listed if isinstance(listed, list) else ():
                    yield {"tool.name": tool.name, "node": f"{at}/required", "required": name}


def _text_tools(one: AskedCall) -> Iterator[Variables]:
    for tool in one.intent.tools:
        if tool.text is not None and tool.mcp is None and PORTABLE.fullmatch(tool.name):
            yield {"tool.name": tool.name}


def _grammars(one: AskedCall) -> Iterator[Variables]:
    for tool in one.intent.tools:
        if tool.text is not None and tool.text.syntax is not None and PORTABLE.fullmatch(tool.name):
            told = {"syntax": tool.text.syntax, "definition": tool.text.definition}
            yield {"tool.name": tool.name, "grammar": told}


def _strict_tools(one: AskedCall) -> Iterator[Variables]:
    yield from ({"tool.name": tool.name} for tool in one.intent.tools if tool.strict is True and _is_plain(tool))


def _calls(one: AskedCall) -> Iterator[Variables]:
    for call in one.calls:
        tool = one.intent.tool(call.name)
        if call.arguments and tool is not None and _is_plain(tool):
            yield {"call.arguments": dict(call.arguments)}


def _texts_of(kind: type[UserTurn] | type[AssistantTurn]) -> Callable[[AskedCall], Iterator[Variables]]:
    """What the user, or the model, said, turn by turn."""

    def texts(one: AskedCall) -> Iterator[Variables]:
        for turn in one.intent.turns:
            if isinstance(turn, kind) and turn.text.strip():
                yield {"text": turn.text.strip()}

    return texts


def _guidance(one: AskedCall) -> Iterator[Variables]:
    if one.intent.system is not None and one.intent.system.strip():
        yield {"text": one.intent.system.strip()}


def _json_results(one: AskedCall) -> Iterator[Variables]:
    for result in one.results_by_id():
        match result.content:
            case (JsonPart(value),) if not result.is_error and isinstance(value, dict | list) and value:
                yield {"result.id": result.call_id, "result.value": value}


def _text_results(one: AskedCall) -> Iterator[Variables]:
    for result in one.results_by_id():
        match result.content:
            case (TextPart(text),) if not result.is_error and text.strip() and '"' not in text:
                if len(text) < LARGE_TEXT:
                    quoted = json.dumps(text, ensure_ascii=False)
                    yield {"result.id": result.call_id, "result.text": text, "result.quoted": quoted}


def _single_text_results(one: AskedCall) -> Iterator[Variables]:
    """Those that came alone, so that no other can stand in their place."""
    turns = [turn for turn in one.intent.turns if isinstance(turn, ResultsTurn)]
    alone = {turn.results[0].call_id for turn in turns if len(turn.results) == 1}
    yield from (told for told in _text_results(one) if told["result.id"] in alone)


def _empty_results(one: AskedCall) -> Iterator[Variables]:
    for result in one.results_by_id():
        if all(isinstance(part, TextPart) and not part.text for part in result.content):
            yield {"result.id": result.call_id}


def _failed_results(one: AskedCall) -> Iterator[Variables]:
    for result in one.results_by_id():
        match result.content:
            case (TextPart(text),) if result.is_error and text.strip():
                yield {"result.id": result.call_id, "result.text": text.strip()}


def _told_results(one: AskedCall) -> Iterator[Variables]:
    """Results whose text nobody else said."""
    said = [turn.text for turn in one.intent.turns if isinstance(turn, AssistantTurn)]
    said += [json.dumps(call.arguments, ensure_ascii=False) for call in one.calls]
    said += [call.raw or "" for call in one.calls]
    for result in one.results:
        text = own_text(result).strip()
        if len(text) >= SHORTEST_TOLD and not any(text in other for other in said):
            yield {"result.text": text}


def _other_results(one: AskedCall) -> Iterator[Variables]:
    """Each result beside the text of another one of its turn."""
    by_id = {result.call_id for result in one.results_by_id()}
    for turn in one.intent.turns:
        results = turn.results if isinstance(turn, ResultsTurn) else ()
        for result in results:
            for other in results:
                own, text = own_text(result), own_text(other).strip()
                apart = len(text) >= SHORTEST_TOLD and text not in own and own not in text and own
                if apart and result.call_id in by_id:
                    yield {"result.id": result.call_id, "other.text": text}


def _images(one: AskedCall) -> Iterator[Variables]:
    for result in one.results:
        for part in result.content:
            if isinstance(part, ImagePart) and part.data:
                yield {"image": base64.b64encode(part.data).decode()[:64]}


EACH: Mapping[str, Callable[[AskedCall], Iterator[Variables]]] = {
    "tools": _tools,
    "schema nodes": _schema_nodes,
    "required names": _required_names,
    "text tools": _text_tools,
    "grammars": _grammars,
    "strict tools": _strict_tools,
    "calls": _calls,
    "texts of the user": _texts_of(UserTurn),
    "texts of the model": _texts_of(AssistantTurn),
    "guidance": _guidance,
    "json results": _json_results,
    "text results": _text_results,
    "single text results": _single_text_results,
    "empty results": _empty_results,
    "failed results": _failed_results,
    "told results": _told_results,
    "other results": _other_results,
    "images": _images,
}
"""What ``for`` may go through."""


def constants(one: AskedCall) -> Variables:
    """What every entry of a table may name."""
    client = [tool for tool in one.intent.tools if _is_function(tool)]
    ids = [call.id for call in one.calls]
    types = ["function", *one.exchange.card.takes.tool_types]
    given = [call.text_input for call in one.calls if one.intent.takes_text(call.name)]
    return {
        "tool types": types, "given texts": given,
        "ids": ids, "results": len(one.results), "calls": len(ids), "tools": len(client),
    }  # fmt: skip
