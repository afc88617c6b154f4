"""Lies about the names of tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, ResultsTurn, Tool, Turn
from conformance.mutants.liar import Liar
from conformance.wires.naming import LIMIT, wire_names

GONE = "github.com/search issues"
"""The tool of ``handoff.tools_gone`` whose name no provider takes."""


class NameLiar(Liar):
    """Gives tools other names on the wire."""

    def names(self, tools: Iterable[Tool]) -> Mapping[str, str]:
        """The names on the wire, by the application's names."""
        return wire_names(tools)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        request = super().build_request(provider, conversation, stream=stream)
        own = self.names(conversation.tools)
        text = request.body.decode("utf-8", "surrogatepass")
        for name, wire in wire_names(conversation.tools).items():
            text = text.replace(f'"{wire}"', json.dumps(own[name], ensure_ascii=False))
        return replace(request, body=text.encode("utf-8", "surrogatepass"))


class SendsNamesAsTheyAre(NameLiar):
    """The provider is told the same names as the application."""

    aims = (
        "common.naming.mcp-sanitised-characters", "common.naming.mcp-qualified-name", "chat.naming.pattern-64",
        "responses.naming.pattern", "anthropic.naming.pattern-128", "gemini.naming.pattern",
    )  # fmt: skip

    def names(self, tools: Iterable[Tool]) -> Mapping[str, str]:
        return {tool.name: tool.name for tool in tools}


class ForgetsTheServer(NameLiar):
    """An MCP tool is known by its own name, whatever server it is on."""

    aims = ("common.naming.mcp-qualified-name", "common.naming.no-collision")

    def names(self, tools: Iterable[Tool]) -> Mapping[str, str]:
        own = wire_names(tools)
        return {tool.name: re.sub(r"\W", "_", tool.mcp[1]) if tool.mcp else own[tool.name] for tool in tools}


class SendsLongNames(NameLiar):
    """Names may be as long as they like."""

    aims = ("common.naming.portable-length-63",)

    def names(self, tools: Iterable[Tool]) -> Mapping[str, str]:
        own = wire_names(tools)
        return {name: wire.ljust(LIMIT + 9, "_") if len(wire) == LIMIT else wire for name, wire in own.items()}


class CutsNames(NameLiar):
    """Names that are too long are cut, and names that are cut are different enough."""

    aims = ("common.naming.no-collision",)

    def names(self, tools: Iterable[Tool]) -> Mapping[str, str]:
        return {name: wire[:20] for name, wire in wire_names(tools).items()}


class CutsLongNames(NameLiar):
    """A name that is too long is cut where it is too long. Only if two are the same then, they are numbered."""

    aims = ("common.naming.portable-length-63",)

    def names(self, tools: Iterable[Tool]) -> Mapping[str, str]:
        tools, names = list(tools), wire_names(tools)
        for number, tool in enumerate(tools):
            whole = "__".join(re.sub(r"[^A-Za-z0-9_-]", "_", part) for part in tool.mcp or (tool.name,))
            if len(whole) > LIMIT:
                cut = whole[:LIMIT]
                names[tool.name] = cut if cut not in names.values() else f"{cut[:-2]}_{number}"
        return names


class RenamesOnlyDeclarations(NameLiar):
    """Names are changed where tools are declared. History is history."""

    aims = ("common.naming.wire-name-in-history",)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        request = Liar.build_request(self, provider, conversation, stream=stream)
        body = json.loads(request.body)
        kept = {name: body.pop(name) for name in ("tools", "toolConfig") if name in body}
        text = json.dumps(body, ensure_ascii=False)
        for name, wire in wire_names(conversation.tools).items():
            text = text.replace(f'"{wire}"', json.dumps(name, ensure_ascii=False))
        replayed = json.loads(text)
        return Request.post_json(request.url, {**replayed, **kept})


class ForgetsGoneTools(Liar):
    """Only tools that are declared have other names on the wire."""

    aims = ("chat.naming.pattern-64", "responses.naming.pattern", "gemini.naming.pattern")
    scenarios = ("handoff.tools_gone",)

    def posts(self, request: Request) -> Request:
        text = request.body.decode("utf-8")
        return replace(request, body=re.sub(r'"github_com_search_issues_\w{8}"', f'"{GONE}"', text).encode("utf-8"))


class LeavesOutGoneTools(Liar):
    """A tool that is not there any more was never called."""

    aims = ("common.history.calls-kept",)
    scenarios = ("handoff.tools_gone",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = (self._without(turn, conversation) for turn in conversation.turns)
        return replace(conversation, turns=tuple(turn for turn in turns if turn != ResultsTurn(())))

    @staticmethod
    def _without(turn: Turn, conversation: Conversation) -> Turn:
        match turn:
            case AssistantTurn(calls=calls):
                return replace(turn, calls=tuple(call for call in calls if conversation.tool(call.name)))
            case ResultsTurn(results):
                return ResultsTurn(tuple(result for result in results if conversation.tool(result.name)))
        return turn


class KeepsWireNames(Liar):
    """What the model calls a tool is what the tool is called."""

    aims = ("common.naming.reverse-mapped-on-parse",)

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        return super().parse_response(provider, response)

    def parse_stream(self, provider: str, chunks: Iterable[bytes], **_: Any) -> AssistantTurn:
        return super().parse_stream(provider, chunks)
