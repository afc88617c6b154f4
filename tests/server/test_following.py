"""Whose requests are compared with the script: only those of a client that follows it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from every import each

from conformance.http import Request, Response
from conformance.model import Conversation, ResultsTurn, TextPart, Tool, ToolResult, UserTurn
from conformance.scenarios import ResultsStep, load_scenarios
from conformance.server.served import ServedExchange
from conformance.server.service import Service
from conformance.session.play import beginning
from conformance.wires import PROVIDERS, wire

SCENARIO = "shell.success"
PROMPT = "List the files."
FORMS = [(provider, stream) for provider in PROVIDERS for stream in (False, True)]


def tool(name: str, description: str, properties: Mapping[str, Any], *required: str) -> Tool:
    return Tool(name, description, {"type": "object", "properties": properties, "required": list(required)})


OWN_TOOLS = (
    tool(
        "run_shell_command",
        "Runs a command as `bash -c <command>`, and tells its process group, output and exit code.",
        {
            "command": {"type": "string", "description": "What bash is to run, exactly."},
            "description": {"type": "string", "description": "One sentence for the user."},
            "dir_path": {"type": "string", "description": "The workspace's root, if nothing else is said."},
        },
        "command",
    ),
    tool("read_file", "Reads a file, maybe a part of it.", {"file_path": {"type": "string"}}, "file_path"),
    tool("save_memory", "Remembers a fact.", {"fact": {"type": "string"}}, "fact"),
)
"""Tools as a coding agent has them: one has the name of the scenario's, none is it."""

SCRIPTED = beginning(load_scenarios()[SCENARIO], "native")
SHELL = SCRIPTED.tools[0]
ALONE = tool("run_shell_command", "Runs a command.", {"command": {"type": "string"}}, "command")


def served(provider: str, request: Request) -> ServedExchange:
    headers = {**request.headers, "x-conformance-provider": provider, "x-conformance-scenario": SCENARIO}
    return Service().serve(replace(request, headers=headers))


def asked(provider: str, tools: tuple[Tool, ...], stream: bool = False, *more: Any) -> ServedExchange:
    said = Conversation((UserTurn(PROMPT), *more), system="I am an agent of my own.", tools=tools)
    return served(provider, wire(provider).build(said, stream=stream))


def found(answer: ServedExchange) -> set[str]:
    return {item.rule.id for item in answer.judgement.told}


@pytest.mark.parametrize(("provider", "stream"), FORMS)
@each("tools", [OWN_TOOLS, OWN_TOOLS[:1], (ALONE,), ()], ids=["many", "one", "small", "none"])
def test_the_exact_prompt_alone_is_no_following(provider: str, stream: bool, tools: tuple[Tool, ...]) -> None:
    """Neither an agent with tools of its own, nor its request for a title, which declares none."""
    answer = asked(provider, tools, stream)
    assert (answer.status, answer.place, found(answer)) == (200, 0, set())


@pytest.mark.parametrize(("provider", "stream"), FORMS)
def test_nor_is_it_in_the_next_request(provider: str, stream: bool) -> None:
    """The agent's tool really ran. Only what a request says by itself, and what was issued to it, is judged."""
    own_id = "abcDEF123" if provider == "mistral" else "call_1"
    first = wire(provider).build(Conversation((UserTurn(PROMPT),), tools=OWN_TOOLS), stream=False)
    asked_first = served(provider, first)
    body = b"".join(asked_first.chunks)
    turn = wire(provider).read_response(_response(body), Conversation((UserTurn(PROMPT),), tools=OWN_TOOLS))
    calls = tuple(replace(call, id=call.id or own_id) for call in turn.calls)
    results = ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart("total 0"),)) for call in calls))
    answer = asked(provider, OWN_TOOLS, stream, replace(turn, calls=calls), results)
    assert (answer.status, answer.place, found(answer)) == (200, 1, set())


def _response(body: bytes) -> Response:
    return Response(200, {"content-type": "application/json"}, body)


@each("provider", PROVIDERS)
@each(
    ("lost", "change"),
    [
        ("its words", {"description": ""}),
        ("half of its words", {"description": SHELL.description[:12]}),
        ("what it needs", {"parameters": {**SHELL.parameters, "required": []}}),
    ],
)
def test_tools_that_lost_something_are_still_the_scenarios(provider: str, lost: str, change: dict[str, Any]) -> None:
    said = replace(SCRIPTED.then(UserTurn(PROMPT)), tools=(replace(SHELL, **change),))
    answer = served(provider, wire(provider).build(said, stream=False))
    assert "common.declare.schema-passthrough" in found(answer), lost


@pytest.mark.parametrize("provider", PROVIDERS)
def test_who_follows_is_compared(provider: str) -> None:
    """The tools are the scenario's: that the model's call was changed is seen."""
    said = SCRIPTED.then(UserTurn(PROMPT))
    right = served(provider, wire(provider).build(said, stream=False))
    assert (right.status, found(right)) == (200, set())
    turn = wire(provider).read_response(_response(b"".join(right.chunks)), said)
    changed = replace(turn, calls=tuple(replace(call, arguments={"command": "ls"}) for call in turn.calls), opaque=None)
    scripted = next(step.results[0] for step in load_scenarios()[SCENARIO].steps if isinstance(step, ResultsStep))
    results = ResultsTurn(tuple(ToolResult(call.id, call.name, scripted.content) for call in turn.calls))
    answer = served(provider, wire(provider).build(said.then(changed, results), stream=False))
    assert "common.history.calls-kept" in found(answer)


def test_what_stands_before_the_prompt_in_a_part_of_its_own_changes_nothing() -> None:
    """Clients put what they know of their surroundings into the first message."""
    request = wire("gemini").build(SCRIPTED.then(UserTurn(PROMPT)), stream=False)
    body = json.loads(request.body)
    body["contents"][0]["parts"].insert(0, {"text": "This is the CLI. Today is Monday."})
    assert found(served("gemini", replace(request, body=json.dumps(body).encode()))) == set()
    body["contents"][0]["parts"][1]["text"] = f"Please: {PROMPT}"
    body["contents"][0]["parts"].insert(1, {"text": PROMPT[:4]})
    body["contents"][0]["parts"].append({"text": PROMPT})
    assert found(served("gemini", replace(request, body=json.dumps(body).encode()))) == set()
