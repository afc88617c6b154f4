"""Adapters in Python, served over stdio: clients, agents, and what an adapter may do in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from stdio_adapters import completion

from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.served import HttpAnswer
from conformance.adapters.stdio.faces import StdioAgent, StdioTranslator, introduced
from conformance.adapters.stdio.mishaps import OperationError
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, Held, TextPart, Tool, ToolResult, UserTurn, to_json

HERE = Path(__file__).parent
SERVE = [sys.executable, "-m", "conformance.adapters.stdio.serve"]


@contextmanager
def served(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An adapter of `stdio_adapters` in a child."""
    monkeypatch.chdir(HERE)
    adapter = introduced("x", [*SERVE, f"python:stdio_adapters:{name}"])
    try:
        yield adapter
    finally:
        adapter.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["LoopbackClient", "TransportClient"])
def test_a_client_conforms(name: str) -> None:
    command = f"{' '.join(SERVE)} python:stdio_adapters:{name}"
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", f"stdio:{command}", "--scenario", "parallel_calls.*",
         "--scenario", "errors.*", "--delivery", "blocking", "--delivery", "stream:per-line", "--format", "json"],
        cwd=HERE, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert [item["kind"] for item in result["adapters"]] == ["client"]
    outcomes = {cell["outcome"] for cell in result["cells"]}
    assert outcomes <= {"pass", "not_applicable", "unsupported"}
    assert result["run"]["cases"]["finished"] > 20


def test_an_agent_runs_its_loop_and_has_its_tools_run_by_us(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []
    called: list[tuple[str, Any]] = []
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"n": 9007199254740993}'}}

    def serve(request: Request) -> HttpAnswer:
        asked.append(request)
        body = completion(tool_calls=[call]) if len(asked) == 1 else completion(content="9007199254740994")
        return HttpAnswer(200, {"content-type": "application/json"}, (body,))

    class Endless(Endpoint):
        """Answers every model call anew."""

        def answer(self, request: Request) -> HttpAnswer:
            return serve(request)

    def execute(name: str, arguments: Any) -> ToolResult:
        called.append((name, arguments))
        return ToolResult("ours", name, (TextPart("9007199254740994"),))

    with served("Agent", monkeypatch) as agent:
        assert isinstance(agent, StdioAgent)
        endpoint = Endless("openai-chat", serve)
        tools = [AgentTool(Tool("add"), execute)]
        said = agent.run("openai-chat", "add one", tools, endpoint=endpoint, system="Count.", stream=False)
    assert said == "9007199254740994"
    assert called == [("add", {"n": 9007199254740993})]
    assert json.loads(asked[0].body)["messages"][0]["content"] == "Count."
    assert json.loads(asked[1].body)["messages"][-1]["content"] == "9007199254740994"


def test_printing_and_reading_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with served("Prints", monkeypatch) as adapter:
        assert isinstance(adapter, StdioTranslator)
        built = adapter.build_request("openai-chat", Conversation((UserTurn("hi"),)), stream=False)
        assert json.loads(built.body)["messages"] == [{"role": "user", "content": "hi"}]
        assert adapter.caller.child is not None
        adapter.close()


def test_an_object_is_kept_in_the_child_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with served("KeepsAnObject", monkeypatch) as adapter:
        turn = adapter.parse_response("openai-chat", Response(200, {}, completion()))
        assert isinstance(turn.opaque, Held) and turn.opaque.shown.startswith("<object object at 0x")
        assert to_json(turn)["opaque"] == turn.opaque.shown
        talk = Conversation((UserTurn("hi"), turn, UserTurn("and?")))
        request = adapter.build_request("openai-chat", talk, stream=False)
        assert request.header("x-same") == "True"


def test_what_a_child_held_is_gone_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with served("KeepsAnObject", monkeypatch) as adapter, pytest.raises(OperationError, match="lost when its process"):
        turn = AssistantTurn(opaque=Held(1))
        adapter.build_request("openai-chat", Conversation((UserTurn("hi"), turn)), stream=False)


def exchange(*messages: Any) -> list[Any]:
    """What the reference adapter answers to lines, until it ends by itself."""
    lines = "".join(json.dumps(message) + "\n" for message in messages)
    done = subprocess.run([*SERVE, "reference"], input=lines, capture_output=True, text=True, check=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_ends_at_shutdown_and_at_the_end_of_its_input() -> None:
    shutdown = {"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {}}
    assert exchange(shutdown, shutdown) == [{"jsonrpc": "2.0", "id": 1, "result": None}]
    assert exchange() == []


def test_what_it_cannot_do_is_an_error() -> None:
    unknown = {"jsonrpc": "2.0", "id": 1, "method": "translate", "params": {}}
    incomplete = {"jsonrpc": "2.0", "id": 2, "method": "build_request", "params": {"conversation": {"turns": []}}}
    first, second = exchange(unknown, incomplete)
    assert first["error"] == {"code": -32601, "message": "there is no method 'translate'"}
    assert second["error"]["code"] == -32602
    assert second["error"]["message"].startswith("/conversation: is not complete: KeyError('tools')")


@pytest.mark.parametrize(
    ("words", "told"), [([], "usage: "), (["a", "b"], "usage: "), (["no-such-adapter"], "unknown adapter")]
)
def test_wrong_usage_is_one_clear_line(words: list[str], told: str) -> None:
    done = subprocess.run([*SERVE, *words], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
