"""What waits for whom, what is marked, and what a provider can keep: the cases beside the examples of the rules."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.http import Request
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires import card

Json = Any
USER = {"role": "user", "content": "x"}


def told(rule: str, provider: str, body: Json, *earlier: tuple[Json, Json]) -> list[Finding | None]:
    """The verdicts of a rule on a request, after other exchanges."""
    previous = None
    for request, answer in earlier:
        previous = Exchange(provider, request=posted(provider, request), answer=answer, previous=previous)
    return judge(catalogue()[rule], Exchange(provider, request=posted(provider, body), previous=previous))


def posted(provider: str, body: Json) -> Request:
    return Request.post_json(f"{card(provider).origin}/x", body)


SHELL = {"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}}
HOSTED = {**SHELL, "environment": {"type": "container_reference", "container_id": "c"}}
LOCAL = {"type": "local_shell_call", "id": "ls_1", "call_id": "a", "action": {"type": "exec", "command": ["ls"]}}


@pytest.mark.parametrize(
    ("items", "verdicts"),
    [
        ([SHELL], 1),
        ([HOSTED], 0),
        ([LOCAL, {"type": "local_shell_call_output", "id": "ls_1", "output": "a"}], 0),
        ([LOCAL, {"type": "local_shell_call_output", "call_id": "a", "output": "a"}], 0),
        ([LOCAL, {"type": "shell_call_output", "call_id": "a", "output": []}], 1),
    ],
)
def test_who_runs_a_shell_answers_it(items: list[Json], verdicts: int) -> None:
    found = told("responses.result.client-items-answered", "openai-responses", {"input": [USER, *items]})
    assert sum(item is not None for item in found) == verdicts


def test_what_the_provider_kept_waits_as_well() -> None:
    before = ({"input": [USER], "tools": [{"type": "shell"}]}, {"id": "resp_1", "output": [SHELL]})
    goes_on = {"previous_response_id": "resp_1", "input": [USER]}
    [finding] = told("responses.result.client-items-answered", "openai-responses", goes_on, before)
    assert finding is not None and finding.at == "/input"


def test_nobody_answers_for_a_tool_that_was_not_declared() -> None:
    before = ({"input": [USER]}, {"id": "resp_1", "output": [SHELL]})
    for goes_on in ({"previous_response_id": "resp_1", "input": [USER]}, {"input": [USER, SHELL]}):
        assert told("responses.result.client-items-answered", "openai-responses", goes_on, before) == []


def test_ids_that_the_answer_holds_twice_are_the_providers() -> None:
    before = ({"input": [USER]}, {"id": "resp_1", "output": [LOCAL, LOCAL]})
    assert told("responses.ids.items-unique", "openai-responses", {"input": [USER, LOCAL, LOCAL]}, before) == []
    assert told("responses.ids.items-unique", "openai-responses", {"input": [USER, LOCAL, LOCAL]})[-1] is not None


def test_an_output_may_have_the_id_of_its_call() -> None:
    items = [LOCAL, {"type": "local_shell_call_output", "id": "ls_1", "output": "a"}]
    assert told("responses.ids.items-unique", "openai-responses", {"input": items}) == [None]


PROGRAM = {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {}}
CALL = {"type": "tool_use", "id": "t", "name": "f", "input": {}, "caller": {"type": "code_execution_1", "tool_id": "s"}}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}


@pytest.mark.parametrize(
    ("blocks", "more", "right"),
    [
        ([PROGRAM, CALL], {}, False),
        ([PROGRAM, CALL], {"container": "c"}, True),
        ([PROGRAM, CALL], {"container": {"id": "c"}}, True),
        ([PROGRAM, CALL], {"container": {"skills": []}}, False),
    ],
)
def test_a_program_that_waits_waits_somewhere(blocks: list[Json], more: Json, right: bool) -> None:
    body = {"messages": [USER, {"role": "assistant", "content": blocks}, RESULT], **more}
    found = told("anthropic.continuation.container-named", "anthropic", body)
    assert [item is None for item in found] == [right]


def test_a_call_of_the_models_own_waits_nowhere() -> None:
    blocks = [{**CALL, "caller": {"type": "direct"}}]
    body = {"messages": [USER, {"role": "assistant", "content": blocks}, RESULT]}
    assert told("anthropic.continuation.container-named", "anthropic", body) == []


TOOLS = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in "ab"]
GOES_ON = [USER, {"role": "assistant", "content": "y"}, USER]


@pytest.mark.parametrize(
    ("tools", "lost"),
    [
        (TOOLS, None),
        (TOOLS[::-1], "140 bytes"),
        ([{"function": TOOLS[0]["function"], "type": "function"}, TOOLS[1]], "177 bytes"),
        (TOOLS[:1], ""),
    ],
    ids=["the same", "another order", "another order of keys", "fewer"],
)
def test_what_is_read_anew_is_counted_and_a_change_is_nobodys_fault(tools: Json, lost: str | None) -> None:
    before = ({"messages": [USER], "tools": TOOLS}, {})
    found = told("common.http.prefix-kept", "openai-chat", {"messages": GOES_ON, "tools": tools}, before)
    if lost is None:
        assert found == [None]
    else:
        assert [str(item and item.found).startswith(lost) for item in found] == [True] * bool(lost)
