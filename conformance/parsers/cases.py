"""The cases: turns of scenarios in a grammar's writing, and what only looks like calls, or is wrong.

``cases.yaml`` names the scenarios and has the rest. A case that a family cannot write is not played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from conformance.documents import read_yaml
from conformance.model import Json, Tool
from conformance.parsers.grammar import ParserGrammar
from conformance.parsers.writing import WantedCall, WantedTurn, WrittenTurn, written_turn
from conformance.scenarios import AnswerStep, load_scenarios
from conformance.script import ScriptTurn

CaseKind = Literal["turn", "looks_alike", "ends_early", "undeclared", "broken"]


@dataclass(frozen=True, slots=True)
class ParserCase:
    """One text to read. ``written`` has what is in it."""

    id: str
    kind: CaseKind
    written: WrittenTurn
    tools: Sequence[Mapping[str, Json]] = field(default_factory=tuple)


def parser_cases(grammar: ParserGrammar, *, thinking: bool) -> list[ParserCase]:
    """All cases that the family can write."""
    return [case for case in _all(grammar) if thinking or not case.written.thinking]


def _all(grammar: ParserGrammar) -> Iterator[ParserCase]:
    document = read_yaml(Path(str(resources.files("conformance.parsers") / "cases.yaml")))
    for name in document["scenarios"]:
        scenario = load_scenarios()[name]
        says = next(step.says for step in scenario.steps if isinstance(step, AnswerStep))
        assert isinstance(says, ScriptTurn)
        yield from _turn(grammar, name, _wanted(says), _tools(scenario.tools))
    tools = _tools(load_scenarios()[document["tools_of"]].tools)
    for name, one in document["turns"].items():
        yield from _turn(grammar, name, _wanted_document(one), tools, one.get("kind", "turn"))
    for place, text in enumerate(grammar.looks_alike):
        turn = written_turn(grammar, WantedTurn(text=text))
        yield ParserCase(f"looks_alike.{place + 1}", "looks_alike", turn, tools)
    yield from _early(grammar, tools)


def _early(grammar: ParserGrammar, tools: Sequence[Mapping[str, Json]]) -> Iterator[ParserCase]:
    """Text that ends with what might have become markup."""
    first = grammar.section[0] if grammar.section else grammar.call[0]
    if grammar.tokens_only or not isinstance(first, str):
        return
    for place, length in enumerate((1, len(first.strip()) // 2, len(first.strip()) - 1)):
        turn = written_turn(grammar, WantedTurn(text=f"A tag that was not ended: {first.strip()[:length]}"))
        yield ParserCase(f"ends_early.{place + 1}", "ends_early", turn, tools)


def _turn(
    grammar: ParserGrammar, name: str, wanted: WantedTurn, tools: Sequence[Mapping[str, Json]], kind: CaseKind = "turn"
) -> Iterator[ParserCase]:
    if _can_write(grammar, wanted):
        yield ParserCase(name, kind, written_turn(grammar, wanted), tools)


def _can_write(grammar: ParserGrammar, turn: WantedTurn) -> bool:
    called = bool(turn.calls)
    return all((
        not turn.thinking or grammar.thinking,
        not (called and turn.text) or grammar.text_beside,
        not turn.between or grammar.text_between,
        not turn.after or (grammar.text_after and grammar.text_beside),
        len(turn.calls) < 2 or grammar.many,
        not any(call.raw is not None for call in turn.calls) or not grammar.parameter,
    ))  # fmt: skip


def _wanted(says: ScriptTurn) -> WantedTurn:
    calls = tuple(WantedCall(call.tool, call.arguments or {}, call.raw) for call in says.calls)
    return WantedTurn(says.text, calls, says.reasoning or "")


def _wanted_document(one: Mapping[str, Any]) -> WantedTurn:
    calls = tuple(WantedCall(call["name"], call.get("arguments", {}), call.get("raw")) for call in one.get("calls", ()))
    return WantedTurn(one.get("text", ""), calls, one.get("thinking", ""), one.get("between", ""), one.get("after", ""))


def _tools(tools: Sequence[Tool]) -> list[Mapping[str, Json]]:
    empty: Json = {"type": "object", "properties": {}}
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name, "description": tool.description, "parameters": dict(tool.parameters or empty),
            },
        }
        for tool in tools
    ]  # fmt: skip
