"""Converse: declaring tools, choosing among them, and their names."""

from __future__ import annotations

import re

from conformance.rules.bedrock.documents import PlacedBlock, all_blocks, placed
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.bedrock.request import CHOICE, MODES, TOOLS
from conformance.wires.facts import Object, obj

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
OTHERS = frozenset({"systemTool", "cachePoint"})


def _config(x: Exchange) -> Object:
    return obj(obj(x.facts.document).get("toolConfig"))


def _specs(x: Exchange) -> list[PlacedBlock]:
    tools = placed(TOOLS, _config(x).get("tools"))
    return [(f"{at}/toolSpec", obj(tool["toolSpec"])) for at, tool in tools if "toolSpec" in tool]


@check("bedrock.declare.tool-spec")
def tool_spec(x: Exchange) -> Verdicts:
    for at, tool in placed(TOOLS, _config(x).get("tools")):
        if len(tool) == 1 and OTHERS & tool.keys():
            continue
        spec = tool.get("toolSpec")
        if not isinstance(spec, dict) or len(tool) != 1:
            yield Finding(at, {"toolSpec": {"name": "...", "inputSchema": {"json": {}}}}, sorted(tool))
            continue
        schema = spec.get("inputSchema")
        right = isinstance(schema, dict) and isinstance(schema.get("json"), dict)
        yield holds(right, f"{at}/toolSpec/inputSchema", {"json": {"type": "object"}}, schema)


@check("bedrock.declare.description-not-empty")
def description_not_empty(x: Exchange) -> Verdicts:
    for at, spec in _specs(x):
        if "description" in spec:
            yield holds(spec["description"] != "", f"{at}/description", "words, or no such field", "")


@check("bedrock.declare.tools-beside-history")
def tools_beside_history(x: Exchange) -> Verdicts:
    told = [*all_blocks(x, "toolUse"), *all_blocks(x, "toolResult")]
    if told:
        tools = _config(x).get("tools")
        yield holds(isinstance(tools, list) and bool(tools), "/toolConfig", f"tools, because of {told[0][0]}", tools)


@check("bedrock.choose.one-word")
def one_word(x: Exchange) -> Verdicts:
    if "toolChoice" not in _config(x):
        return
    choice = _config(x)["toolChoice"]
    word = next(iter(obj(choice)), "")
    if len(obj(choice)) != 1 or word not in MODES or not isinstance(obj(choice)[word], dict):
        yield Finding(CHOICE, [{name: {}} for name in MODES], choice)
    elif word == "tool":
        names = [spec.get("name") for _, spec in _specs(x)]
        name = obj(choice)["tool"].get("name")
        yield holds(name in names, f"{CHOICE}/tool/name", names, name)
    else:
        yield None


@check("bedrock.naming.pattern-64")
def pattern_64(x: Exchange) -> Verdicts:
    for at, spec in (*_specs(x), *all_blocks(x, "toolUse")):
        name = spec.get("name")
        right = isinstance(name, str) and NAME.fullmatch(name) is not None
        yield holds(right, f"{at}/name", f"a name that matches {NAME.pattern}", name)
