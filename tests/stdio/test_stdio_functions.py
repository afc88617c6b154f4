"""A program of the kind functions: its functions are called, and the rest is done as `from_functions` does it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance import AdapterError, Conversation, Response, ResultsTurn, TextPart, ToolResult, UserTurn
from conformance.adapters.contract import kind_of
from conformance.adapters.stdio.faces import StdioFunctions, introduced
from conformance.adapters.stdio.mishaps import OperationError

CHILD = """
import json, sys
INFO, RETURNS = json.loads(sys.argv[1]), json.loads(sys.argv[2])
for line in sys.stdin:
    asked = json.loads(line)
    params = asked.get("params", {})
    if asked["method"] == "initialize":
        said = {"result": {"protocol": 1, "adapter": INFO}}
    elif asked["method"] == "apply":
        given = json.loads(params["arguments_json"])
        value = RETURNS[params["function"]]
        value = {"role": "user", "content": given} if value == "given" else value
        said = {"result": {"value": value}}
    else:
        said = {"result": None}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
"""
BOTH = ["parse_tool_calls", "build_tool_results"]
BODY = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"}


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Any]:
    """Starts a program with these functions, which return these values."""
    (tmp_path / "child.py").write_text(CHILD, "utf-8")
    started: list[Any] = []

    def start(functions: Any, returns: Any = None) -> StdioFunctions:
        info = {"name": "f", "language": "x", "kind": "functions", "providers": {"anthropic": ["blocking"]}}
        words = [json.dumps({**info, "functions": functions}), json.dumps(returns or {})]
        started.append(introduced("stdio:f", [sys.executable, str(tmp_path / "child.py"), *words]))
        return started[-1]  # type: ignore[no-any-return]

    yield start
    for one in started:
        one.close()


def test_calls_are_those_that_the_function_finds(child: Any) -> None:
    adapter = child({"anthropic": BOTH}, {"parse_tool_calls": [{"id": "a", "name": "b", "input": {"n": 2**60}}]})
    assert kind_of(adapter) == "translator"
    turn = adapter.parse_response("anthropic", Response(200, {}, json.dumps(BODY).encode()))
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [("a", "b", {"n": 2**60})]
    assert turn.text == "x"


def test_results_are_what_the_function_builds(child: Any) -> None:
    calls = [{"id": "a", "name": "b", "input": {"n": 2**60}}]
    adapter = child({"anthropic": BOTH}, {"parse_tool_calls": calls, "build_tool_results": "given"})
    turn = adapter.parse_response("anthropic", Response(200, {}, json.dumps(BODY).encode()))
    results = ResultsTurn((ToolResult("a", "b", (TextPart("done"),)),))
    request = adapter.build_request("anthropic", Conversation((UserTurn("?"), turn, results)), stream=False)
    given, outputs = json.loads(request.body)["messages"][-1]["content"]
    assert given == [{**calls[0], "argumentsJson": json.dumps({"n": 2**60})}]
    assert outputs == [{"id": "a", "name": "b", "outputText": "done", "isError": False}]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("no list", "parse_tool_calls returned a wrong value: parse_tool_calls must return calls as objects"),
        ([{"name": "b", "input": {}}], "parse_tool_calls returned a wrong value: 'id' is missing"),
        (None, "parse_tool_calls returned a wrong value"),
    ],
)
def test_a_wrong_value_is_an_error_of_the_operation(child: Any, returned: Any, words: str) -> None:
    adapter = child({"anthropic": BOTH}, {"parse_tool_calls": returned})
    with pytest.raises(OperationError) as caught:
        adapter.parse_response("anthropic", Response(200, {}, json.dumps(BODY).encode()))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        (None, "has none for anthropic"),
        ({"gemini": BOTH}, "has none for anthropic"),
        ({"anthropic": ["parse_tool_calls"]}, "needs build_tool_results"),
        ({"anthropic": [*BOTH, "parse_stream"]}, "parse_stream is none of parse_tool_calls"),
    ],
)
def test_a_program_without_its_functions_is_not_used(child: Any, functions: Any, words: str) -> None:
    with pytest.raises(AdapterError) as caught:
        child(functions)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
