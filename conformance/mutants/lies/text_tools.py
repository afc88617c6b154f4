"""Lies about tools that take one text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.model import TEXT_INPUT, AssistantTurn, Json, ToolCall, compact_json
from conformance.mutants.liar import Liar
from conformance.wires.facts import items, obj, object_of

TEXT_SCHEMA: Json = {"type": "object", "properties": {TEXT_INPUT: {"type": "string"}}, "required": [TEXT_INPUT]}


class DeclaresTextsAsFunctions(Liar):
    """A tool is a function, and one text is one parameter."""

    aims = ("common.declare.text-tools",)

    def sends(self, body: Json) -> Json:
        if "tools" in body:
            body["tools"] = [_as_function(obj(tool)) for _, tool in items(body["tools"])]
        return body


def _as_function(tool: Mapping[str, Any]) -> Json:
    if tool.get("type") != "custom":
        return tool
    known = {name: value for name, value in (tool.get("custom") or tool).items() if name in ("name", "description")}
    function = {**known, "parameters": TEXT_SCHEMA}
    return {"type": "function", "function": function} if "custom" in tool else {"type": "function", **function}


class ForgetsGrammars(Liar):
    """The description says well enough what may be written."""

    aims = ("common.declare.text-tools",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            for holder in (tool, tool.get("custom")):
                if isinstance(holder, dict):
                    holder.pop("format", None)
        return body


class CallsTextsAsFunctions(Liar):
    """What was called goes back as the call of a function."""

    aims = ("common.history.text-calls",)

    def sends(self, body: Json) -> Json:
        for _, message in items(body.get("messages")):
            if "tool_calls" in message:
                message["tool_calls"] = [_as_call(call) for call in message["tool_calls"]]
        if isinstance(body.get("input"), list):
            body["input"] = [_as_item(obj(item)) for item in body["input"]]
        return body


def _as_call(call: Mapping[str, Any]) -> Json:
    if "custom" not in call:
        return call
    said = {"name": call["custom"]["name"], "arguments": compact_json({TEXT_INPUT: call["custom"]["input"]})}
    return {"id": call["id"], "type": "function", "function": said}


def _as_item(item: Mapping[str, Any]) -> Json:
    if item.get("type") == "custom_tool_call_output":
        return {**item, "type": "function_call_output"}
    if item.get("type") != "custom_tool_call":
        return item
    arguments = compact_json({TEXT_INPUT: item["input"]})
    return {"type": "function_call", "call_id": item["call_id"], "name": item["name"], "arguments": arguments}


class TrimsTextsOfCalls(Liar):
    """Blanks around a text mean nothing."""

    aims = ("common.history.text-calls",)

    def sends(self, body: Json) -> Json:
        calls = [call for _, message in items(body.get("messages")) for _, call in items(message.get("tool_calls"))]
        for holder in (*(obj(call).get("custom") for call in calls), *(item for _, item in items(body.get("input")))):
            if isinstance(obj(holder).get(TEXT_INPUT), str):
                holder[TEXT_INPUT] = holder[TEXT_INPUT].strip()
        return body


class DecodesTexts(Liar):
    """What looks like JSON is JSON."""

    aims = ("common.parse.text-input",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(map(_decoded, turn.calls)))


def _decoded(call: ToolCall) -> ToolCall:
    text = obj(call.arguments).get(TEXT_INPUT)
    inner = object_of(text) if isinstance(text, str) and text.strip() else None
    return call if inner is None else replace(call, arguments=inner)


class AnswersTextsAsFunctions(Liar):
    """An output is an output of a function."""

    aims = ("responses.result.custom-output",)

    def sends(self, body: Json) -> Json:
        for _, item in items(body.get("input")):
            if obj(item).get("type") == "custom_tool_call_output":
                item["type"] = "function_call_output"
        return body


class ForcesTextsAsFunctions(Liar):
    """Whatever is forced is a function."""

    aims = ("common.choose.forced-kind",)

    def sends(self, body: Json) -> Json:
        choice = obj(body.get("tool_choice"))
        if choice.get("type") == "custom":
            named = {"function": choice["custom"]} if "custom" in choice else {"name": choice["name"]}
            body["tool_choice"] = {"type": "function", **named}
        return body
