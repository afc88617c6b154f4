"""Responses: calls of tools that the provider defined and the client runs: read, streamed, told, and answered."""

from __future__ import annotations

from typing import Any

import pytest
from every import each

from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    JsonPart,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    UserTurn,
    compact_json,
)
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.rules.judge import judge
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.facts import Facts

Json = Any
WIRE = wire("openai-responses")
VOICE = Voice("m", {}, "seed", {"shell": "shell", "apply_patch": "apply_patch", "local_shell": "local_shell"})
TOOLS = tuple(Tool(kind, kind=kind) for kind in VOICE.kinds)
USER = {"role": "user", "content": "x"}
SHELL = {"type": "shell_call", "id": "sh_1", "call_id": "a", "action": {"commands": ["ls"]}, "status": "completed"}
HOSTED = {**SHELL, "environment": {"type": "container_reference", "container_id": "c"}}
LOCAL = {"type": "local_shell_call", "id": "ls_1", "call_id": "a", "action": {"type": "exec", "command": ["ls"]}}
DONE = {"stdout": "b.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
ANSWER = {"type": "shell_call_output", "call_id": "a", "output": [DONE]}
AS_FUNCTION = {"type": "function_call_output", "call_id": "a", "output": "b"}


def facts_of(*items: Json, **more: Json) -> Facts:
    return WIRE.facts(Request.post_json("https://api.openai.com/v1/responses", {"input": [USER, *items], **more}))


def read(*output: Json) -> tuple[ToolCall, ...]:
    return WIRE.read({"status": "completed", "output": list(output)}, Conversation((), TOOLS)).calls


def test_a_call_has_the_applications_name_and_what_the_item_holds() -> None:
    known = Conversation((), (Tool("my_shell", kind="shell"),))
    assert WIRE.read({"output": [SHELL]}, known).calls == (ToolCall("a", "my_shell", {"commands": ["ls"]}),)
    assert read(LOCAL) == (ToolCall("a", "local_shell", {"type": "exec", "command": ["ls"]}),)


def test_what_runs_in_a_container_is_no_call() -> None:
    assert read(HOSTED, ANSWER) == ()


@pytest.mark.parametrize("item", [{**SHELL, "status": "incomplete"}, {**SHELL, "action": "ls"}, {"type": "shell_call"}])
def test_half_a_call_must_not_run(item: Json) -> None:
    (call,) = read(item)
    assert call.invalid and call.arguments is None


NEW = {"type": "create_file", "path": "a"}


@pytest.mark.parametrize(
    ("name", "given", "kinds"),
    [
        ("shell", {"commands": ["a b", "c"]}, ["shell_call_command.added", "shell_call_command.delta"]),
        ("apply_patch", {**NEW, "diff": "+1\n+2\n"}, ["apply_patch_call_operation_diff.delta"]),
        ("apply_patch", {"type": "delete_file", "path": "a"}, []),
        ("local_shell", {"type": "exec", "command": ["ls"], "env": {}}, []),
    ],
)
def test_a_stream_says_what_a_body_says_and_nothing_when_it_is_cut(name: str, given: Json, kinds: list[str]) -> None:
    says, known = ScriptTurn(calls=(ScriptCall(name, given),)), Conversation((), TOOLS)
    events = WIRE.render_stream(says, VOICE)
    told = {str(event.event).removeprefix("response.") for event in events}
    assert told >= set(kinds)
    whole, blocking = WIRE.finish(WIRE.assembled(events), known), WIRE.read(WIRE.render(says, VOICE), known)
    assert whole.calls == blocking.calls and whole.calls[0].arguments == given
    for end in range(3, len(events) - 2):
        turn = WIRE.finish(WIRE.assembled(events[:end]), known)
        assert turn.stop == "incomplete" and all(call.invalid for call in turn.calls)


def test_a_call_counts_where_somebody_can_answer_it() -> None:
    for items, more, calls, results in (
        ((SHELL, ANSWER), {"tools": [{"type": "shell"}]}, 1, 1),
        ((SHELL, ANSWER), {}, 1, 1),  # the tool is gone, but it was answered
        ((SHELL,), {"tools": [{"type": "shell"}]}, 1, 0),
        ((SHELL,), {}, 0, 0),  # nobody declared it
        ((HOSTED, ANSWER), {"tools": [{"type": "shell"}]}, 0, 0),
        ((ANSWER,), {"previous_response_id": "resp_1"}, 0, 1),
        ((LOCAL, {"type": "local_shell_call_output", "id": "ls_1", "output": "b"}), {}, 1, 1),
        ((LOCAL, AS_FUNCTION), {"tools": [{"type": "local_shell"}]}, 1, 1),
    ):
        facts = facts_of(*items, **more)
        assert (len(facts.calls), len(facts.results)) == (calls, results), items
        assert all(result.ref == "a" for result in facts.results)


@each("value", [None, 3, [], {}, "x", {"commands": 3}])
@each("member", ["type", "call_id", "id", "action", "output", "environment", "operation"])
@each("item", [SHELL, ANSWER, {"type": "apply_patch_call_output"}])
def test_what_others_wrote_raises_nothing(item: Json, member: str, value: Json) -> None:
    facts = facts_of({**item, member: value}, SHELL, ANSWER, tools=[{"type": "shell"}])
    assert facts.document is not None
    WIRE.read({"output": [{**item, member: value}]})


OUTCOMES = [{**DONE, "stdout": "1"}, {"stdout": "", "stderr": "2", "outcome": {"type": "timeout"}}]
FAILED = {"stdout": "", "stderr": "no", "outcome": {"type": "exit", "exit_code": 1}}
TEXT, NO = (TextPart("b.txt"),), (TextPart("no"),)


@pytest.mark.parametrize(
    ("name", "given", "result", "said"),
    [
        ("shell", {"max_output_length": 9}, ToolResult("a", "shell", TEXT), {"max_output_length": 9, "output": [DONE]}),
        ("shell", {"max_output_length": None}, ToolResult("a", "shell", (JsonPart(OUTCOMES),)), {"output": OUTCOMES}),
        ("shell", {}, ToolResult("a", "shell", NO, is_error=True), {"output": [FAILED]}),
        ("apply_patch", {}, ToolResult("a", "apply_patch", NO, is_error=True), {"status": "failed", "output": "no"}),
        ("apply_patch", {}, ToolResult("a", "apply_patch"), {"status": "completed", "output": ""}),
        ("local_shell", {}, ToolResult("a", "local_shell", TEXT), {"id": "a", "output": "b.txt"}),
    ],
)
def test_an_output_is_what_belongs_to_the_call(name: str, given: Json, result: ToolResult, said: Json) -> None:
    asked = AssistantTurn(calls=(ToolCall("a", name, given),), stop="tool_calls")
    request = WIRE.build(Conversation((UserTurn("x"), asked, ResultsTurn((result,))), TOOLS), stream=False)
    assert request.document["input"][-1] == {"type": f"{name}_call_output", "call_id": "a", **said}


@pytest.mark.parametrize(
    ("output", "text", "error"),
    [
        ([DONE], "b.txt", False),
        ([FAILED], "no", True),
        ([{**DONE, "stderr": "!"}], compact_json([{**DONE, "stderr": "!"}]), False),
        (OUTCOMES, compact_json(OUTCOMES), True),
        (OUTCOMES[1:], compact_json(OUTCOMES[1:]), True),
        ([], "[]", False),
    ],
)
def test_an_output_says_what_was_written_and_how_it_ended(output: Json, text: str, error: bool) -> None:
    (result,) = facts_of(SHELL, {**ANSWER, "output": output}).results
    assert (result.text, result.error) == (text, error)


def told(rule: str, *items: Json) -> list[Finding | None]:
    body = {"input": [USER, *items], "tools": [{"type": "shell"}]}
    request = Request.post_json("https://api.openai.com/v1/responses", body)
    return judge(catalogue()[rule], Exchange("openai-responses", request=request))


def test_a_limit_goes_back_where_there_is_one() -> None:
    limited = {**SHELL, "action": {"commands": ["ls"], "max_output_length": 9}}
    silent = {**SHELL, "action": {"commands": ["ls"], "max_output_length": None}}
    rule = "responses.result.shell-limit-kept"
    assert told(rule, limited, {**ANSWER, "max_output_length": 9}) == [None]
    assert told(rule, silent, ANSWER) == told(rule, ANSWER) == []
    assert [finding is not None for finding in told(rule, limited, {**ANSWER, "max_output_length": 8})] == [True]


def test_one_mistake_is_told_once() -> None:
    assert [item is not None for item in told("responses.result.client-items-answered", SHELL)] == [True]
    assert told("common.result.exactly-one-per-call", SHELL) == []


def test_codex_answers_the_older_shell_as_a_function() -> None:
    assert told("responses.result.client-items-answered", LOCAL, AS_FUNCTION) == [None]
    assert told("responses.result.client-items-answered", SHELL, AS_FUNCTION) != [None]
