"""The conversation is followed by what was given out, on every provider; what is beside it is answered neutrally."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from every import every
from playing_here import HereRun
from tiny_agent import TinyAgent, tools

from conformance.agents.script import load_script
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, ResultsTurn, TextPart, Tool, ToolResult, UserTurn
from conformance.wires import PROVIDERS, card, wire

TASK = load_script("all_roles").task


class WireAgent(TinyAgent):
    """The tiny agent on any provider, by the reference adapter. ``without_ids`` gives no id back."""

    provider = "openai-chat"
    without_ids = False

    def speak(self, run: HereRun) -> None:
        """Do the task."""
        declared = tuple(Tool(one["function"]["name"], parameters=one["function"]["parameters"]) for one in tools())
        talk = Conversation((UserTurn(run.script.task),), declared)
        for _ in range(40):
            said = self._answer(run, talk)
            if not said.calls:
                return
            results = [
                ToolResult(call.id, call.name, (TextPart(self._result(call.name, dict(call.arguments or {}))),))
                for call in said.calls
            ]
            talk = talk.then(said).then(ResultsTurn(tuple(results)))

    def _answer(self, run: HereRun, talk: Conversation) -> AssistantTurn:
        speaker, own = wire(self.provider), card(self.provider)
        built = speaker.build(talk, stream=False)
        body = _without_ids(built.document) if self.without_ids else built.document
        headers = {**built.headers, "x-conformance-provider": self.provider}
        url = built.url.replace(own.origin, "http://localhost")
        status, answer = run.answered(Request("POST", url, headers, json.dumps(body).encode()))
        assert status == 200, answer
        return speaker.read(answer, talk)


def _without_ids(value: Any) -> Any:
    """A Gemini request as clients send it that drop the ids of calls."""
    if isinstance(value, list):
        return [_without_ids(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_ids(item) for name, item in value.items() if name != "id"}
    return value


def _spoken(folder: Path, provider: str, script: str, *, without_ids: bool = False) -> HereRun:
    run = HereRun(folder, script)
    agent = WireAgent(run.post, run.workspace)
    agent.provider, agent.without_ids = provider, without_ids
    agent.speak(run)
    return run


@pytest.mark.slow
@pytest.mark.parametrize("script", ["all_roles", "parallel_reads"])
def test_the_script_is_played_on_every_provider_and_nothing_is_told(tmp_path: Path, script: str) -> None:
    def told(provider: str) -> None:
        run = _spoken(tmp_path / provider, provider, script)
        assert {rule: (one.expected, one.found) for rule, one in run.found().items()} == {}
        assert run.director.played == run.director.length > 2

    every({provider: (provider,) for provider in PROVIDERS}, told)


@pytest.mark.slow
def test_calls_without_ids_are_known_by_name_and_arguments(tmp_path: Path) -> None:
    run = _spoken(tmp_path, "gemini", "parallel_reads", without_ids=True)
    assert run.director.played == run.director.length
    assert set(run.found()) == {"gemini.ids.echoed-when-present"}


def test_a_request_without_tools_is_beside_the_task(tmp_path: Path) -> None:
    """It gets words, the script does not move, and where JSON of a schema is asked for, that comes."""
    run = HereRun(tmp_path)
    said = run.post({"model": "m", "messages": [{"role": "user", "content": f"A title for: {TASK}"}]})
    assert said["choices"][0]["message"].get("tool_calls") is None
    schema = {"type": "object", "properties": {"title": {"enum": ["yes"]}}, "required": ["title"]}
    form = {"type": "json_schema", "json_schema": {"name": "t", "schema": schema}}
    said = run.post({"model": "m", "messages": [{"role": "user", "content": TASK}], "response_format": form})
    assert json.loads(said["choices"][0]["message"]["content"]) == {"title": "yes"}
    assert (run.director.aside, run.director.issued) == (2, [])


def test_a_helper_with_other_tools_is_beside_the_task(tmp_path: Path) -> None:
    run = HereRun(tmp_path)
    run.post({"model": "m", "messages": [{"role": "user", "content": TASK}], "tools": tools()})
    other = {"type": "function", "function": {"name": "remember", "parameters": {"type": "object", "properties": {}}}}
    for task in ("Keep what is worth it.", f"Keep what is worth it of: {TASK}"):
        said = run.post({"model": "m", "messages": [{"role": "user", "content": task}], "tools": [other]})
        assert said["choices"][0]["message"].get("tool_calls") is None
    assert run.director.aside == 2


def test_after_the_end_there_are_words_the_same_again_or_an_error(tmp_path: Path) -> None:
    def ends(policy: Any, status: int, calls: bool) -> None:
        run = HereRun(tmp_path / policy, "question", policy)
        TinyAgent(run.post, run.workspace).run(run.script.task)
        request = {"model": "m", "messages": [{"role": "user", "content": run.script.task}], "tools": tools()}
        got, said = run.sent("/p/openai-chat/v1/chat/completions", request)
        assert got == status
        assert ("choices" in said and bool(said["choices"][0]["message"].get("tool_calls"))) is calls
        assert "agent.loop.ends" in run.found()

    every({"text": ("text", 200, False), "repeat": ("repeat", 200, True), "error": ("error", 400, False)}, ends)


def test_a_client_that_wants_one_call_at_a_time_gets_them_one_by_one(tmp_path: Path) -> None:
    class OneByOne(TinyAgent):
        def _asked(self) -> dict[str, Any]:
            request = {"model": "m", "messages": self.messages, "tools": tools(), "parallel_tool_calls": False}
            said: dict[str, Any] = self.post(request)["choices"][0]["message"]
            assert len(said.get("tool_calls") or ()) < 2
            return said

    run = HereRun(tmp_path, "parallel_reads")
    assert run.played(agent=OneByOne) == {}
    assert len(run.issued) == 6


def test_a_request_that_is_turned_away_got_no_answer(tmp_path: Path) -> None:
    run = HereRun(tmp_path, strict=True)
    task = {"role": "user", "content": run.script.task}
    wrong = {"model": "m", "messages": [{"role": "tool", "tool_call_id": "x", "content": ""}, task], "tools": tools()}
    assert run.sent("/p/openai-chat/v1/chat/completions", wrong)[0] == 400
    run.post({"model": "m", "messages": [task], "tools": tools()})
    assert {rule for rule in run.found() if rule.startswith("agent.")} == {"agent.loop.to-the-end"}


@pytest.mark.slow
def test_failures_that_pass_are_tried_again(tmp_path: Path) -> None:
    """Also by who does not wait for the time that was asked for: that is told."""

    def plays(script: str, told: set[str]) -> None:
        run = HereRun(tmp_path / script, script)
        assert set(run.played()) == told
        assert run.director.played == run.director.length

    every({
        "a limit": ("rate_limits", {"agent.loop.tries-again"}),
        "a cut": ("broken_streams", set()),
        "a refusal": ("refusal", set()),
    }, plays)  # fmt: skip


def test_who_gives_up_after_a_failure_says_so_by_the_exit_code(tmp_path: Path) -> None:
    def ends(code: int, told: set[str]) -> None:
        run = HereRun(tmp_path / str(code), "rate_limits")
        run.tries_again = False
        with pytest.raises(AssertionError):
            run.played()
        assert set(run.found(code)) == told

    every({
        "with an error": (1, {"agent.loop.tries-again"}),
        "as if all were well": (0, {"agent.loop.tries-again", "agent.ends.well"}),
    }, ends)  # fmt: skip


def test_a_call_that_broke_off_is_not_made(tmp_path: Path) -> None:
    """Who mends the half of a call, makes it and replays it is told, by the file, too."""
    run = HereRun(tmp_path, "broken_streams")
    run.post({"model": "m", "messages": [{"role": "user", "content": run.script.task}], "tools": tools()})
    replayed = run.director.issued[0].calls[0]
    history = [
        {"role": "user", "content": run.script.task},
        *_made(replayed.id, replayed.sent.tool, replayed.sent.arguments, "ebony-7640 is in the note"),
    ]
    status, answer = run.sent(PATH, {"model": "m", "messages": history, "tools": tools()})
    assert (status, answer) == (200, None)
    (run.workspace / "never.txt").write_text("this call was")
    history += _made("call_half", "write_file", {"path": "never.txt", "content": "this call was"}, "written")
    run.post({"model": "m", "messages": history, "tools": tools()})
    assert {"agent.history.broken-call-not-made", "agent.file.as-meant"} <= set(run.found())


PATH = "/p/openai-chat/v1/chat/completions"


def _made(number: str, name: str, arguments: Any, result: str) -> list[dict[str, Any]]:
    """A call and its result, in the chat format."""
    call = {"id": number, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": number, "content": result},
    ]


def test_a_compacted_history_goes_on_where_it_was(tmp_path: Path) -> None:
    """Who has the provider compact its history (`/responses/compact`) has heard what went into it."""
    run = HereRun(tmp_path)
    path = "/p/openai-responses/v1/responses"
    declared: list[Any] = [{"type": "function", "strict": False, **one["function"]} for one in tools()]
    history: list[Any] = [{"role": "user", "content": TASK}]
    for turn in range(4):
        _, answer = run.sent(path, {"model": "any", "input": history, "tools": declared})
        history += answer["output"]
        for call in answer["output"]:
            if call["type"] == "function_call":
                done = TinyAgent(run.post, run.workspace)._result(call["name"], json.loads(call["arguments"]))
                history.append({"type": "function_call_output", "call_id": call["call_id"], "output": done})
        if turn == 1:
            _, compacted = run.sent(f"{path}/compact", {"model": "any", "input": history})
            history = compacted["output"]
    assert run.director.played == 3
    assert run.found().keys() == {"agent.loop.to-the-end"}
