"""Names on the wire of tools that are gone: the history calls them, and nobody declares them any more."""

from __future__ import annotations

from conformance.model import AssistantTurn, Conversation, Tool, ToolCall, UserTurn
from conformance.wires.naming import PORTABLE, names_in, wire_names


def test_tools_that_are_gone_have_names_that_fit_and_nobody_else_has() -> None:
    gone = ("read_file", "github.com/search issues", "a_b", "x" * 80, "9 lives")
    calls = tuple(ToolCall(str(number), name) for number, name in enumerate((*gone, "a.b")))
    tools = (Tool("a.b"), Tool("list"))
    names = names_in(Conversation((UserTurn("x"), AssistantTurn(calls=calls)), tools))
    assert {name: names[name] for name in ("a.b", "list")} == wire_names(tools)
    assert names["read_file"] == "read_file"
    assert names["a_b"] != names["a.b"] == "a_b"
    assert all(PORTABLE.fullmatch(wire) for wire in names.values())
    assert len(set(names.values())) == len(names)
