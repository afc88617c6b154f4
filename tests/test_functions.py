"""The smaller door: an adapter from the two functions of the first seed document, for every form of provider."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conformance import AdapterError, Response, ToolCall, from_functions
from conformance.adapters.addresses import LocatedAdapter
from conformance.adapters.functions import FunctionsAdapter
from conformance.engine.cases import Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.outcomes import FAILURES
from conformance.scenarios import load_scenarios

Body = dict[str, Any]
DOCS = Path(__file__).resolve().parent.parent / "docs"


def parse_chat(body: Body) -> list[Body]:
    calls = body["choices"][0]["message"].get("tool_calls") or []
    return [
        {"id": call["id"], "name": call["function"]["name"], "argumentsJson": call["function"]["arguments"]}
        for call in calls
    ]


def build_chat(calls: list[Body], outputs: list[Body]) -> list[Body]:
    texts = {output["id"]: output["outputText"] for output in outputs}
    return [{"role": "tool", "tool_call_id": call["id"], "content": texts[call["id"]]} for call in calls]


def parse_responses(body: Body) -> list[Body]:
    return [
        {"id": item["call_id"], "name": item["name"], "argumentsJson": item["arguments"]}
        for item in body["output"]
        if item["type"] == "function_call"
    ]


def build_responses(calls: list[Body], outputs: list[Body]) -> list[Body]:
    return [
        {"type": "function_call_output", "call_id": output["id"], "output": output["outputText"]} for output in outputs
    ]


def parse_gemini(body: Body) -> list[ToolCall]:
    parts = body["candidates"][0]["content"].get("parts", [])
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    return [ToolCall(call["id"], call["name"], call.get("args", {})) for call in calls]


def build_gemini(calls: list[Body], outputs: list[Body]) -> Body:
    by_id = {output["id"]: output for output in outputs}
    return {"role": "user", "parts": [_gemini_part(call, by_id[call["id"]]) for call in calls]}


def _gemini_part(call: Body, output: Body) -> Body:
    key = "error" if output["isError"] else "output"
    response = {key: output["outputText"]}
    return {"functionResponse": {"id": call["id"], "name": call["name"], "response": response}}


def parse_ollama(body: Body) -> list[Body]:
    calls = body["message"].get("tool_calls") or []
    return [
        {"id": call["id"], "name": call["function"]["name"], "input": call["function"]["arguments"]} for call in calls
    ]


def build_ollama(calls: list[Body], outputs: list[Body]) -> list[Body]:
    texts = {output["id"]: output["outputText"] for output in outputs}
    return [
        {"role": "tool", "tool_name": call["name"], "tool_call_id": call["id"], "content": texts[call["id"]]}
        for call in calls
    ]


def parse_unified(body: Body) -> list[Body]:
    calls = body["output"][0].get("tool_calls") or []
    return [{"id": call["id"], "name": call["name"], "input": call["args"]} for call in calls]


def build_unified(calls: list[Body], outputs: list[Body]) -> list[Body]:
    return [
        {"type": "message", "role": "tool", "tool_call_id": output["id"], "content": output["outputText"],
         **({"is_error": True} if output["isError"] else {})}
        for output in outputs
    ]  # fmt: skip


def documented() -> FunctionsAdapter:
    """The adapter in docs/adapters.md."""
    (code,) = re.findall(r"```python\n(# my_functions\.py\n.*?)```", (DOCS / "adapters.md").read_text("utf-8"), re.S)
    names: dict[str, Any] = {}
    exec(code, names)
    adapter: FunctionsAdapter = names["adapter"]
    return adapter


ADAPTERS = {
    "openai-chat": (parse_chat, build_chat),
    "openai-responses": (parse_responses, build_responses),
    "gemini": (parse_gemini, build_gemini),
    "ollama": (parse_ollama, build_ollama),
    "unified": (parse_unified, build_unified),
}


def adapter_for(provider: str) -> FunctionsAdapter:
    if provider == "anthropic":
        return documented()
    parse, build = ADAPTERS[provider]
    return from_functions(provider=provider, parse_tool_calls=parse, build_tool_results=build)


def failures(adapter: FunctionsAdapter, families: tuple[str, ...]) -> dict[str, list[str]]:
    """The rules that fail, with their cases."""
    selection = Selection(scenarios=families)
    found = LocatedAdapter("functions", adapter.info, "translator", lambda: adapter)
    scenarios, rules = load_scenarios(), selected_rules(selection)
    failed: dict[str, list[str]] = {}
    played = 0
    for group in groups(found.address, adapter.info, scenarios, selection):
        play = GroupPlay(found, group, scenarios[group.scenario], selection, rules)
        for delivery in () if group.unsupported else group.deliveries:
            report, played = play.case(delivery), played + 1
            for rule, entry in report.rules.items():
                if entry.outcome in FAILURES:
                    failed.setdefault(rule, []).append(f"{report.name}: {entry.failures[0]}")
    assert played > 5
    return failed


FAMILIES = ("shell.*", "read_file.*", "parallel_calls.*", "multi_turn.*", "grep.*", "write_file.*")


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "unified"])
def test_two_honest_functions_conform(provider: str) -> None:
    assert failures(adapter_for(provider), FAMILIES) == {}


def test_a_function_that_forgets_a_result_is_named() -> None:
    adapter = from_functions(
        provider="openai-chat",
        parse_tool_calls=parse_chat,
        build_tool_results=lambda calls, outputs: build_chat(calls[:1], outputs),
    )
    assert "common.result.exactly-one-per-call" in failures(adapter, ("parallel_calls.*",))


def test_tools_of_the_wrong_form_are_named() -> None:
    adapter = from_functions(
        provider="openai-chat",
        parse_tool_calls=parse_chat,
        build_tool_results=build_chat,
        convert_tools=lambda tools: tools,
    )
    assert "chat.declare.function-wrapper" in failures(adapter, ("shell.success", "read_file.*"))


def test_arguments_that_are_no_json_are_marked_invalid() -> None:
    cut = '{"absolute_path": "/srv'
    call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": cut}}
    body = {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}
    turn = adapter_for("openai-chat").parse_response("openai-chat", Response.of_json(200, body))
    assert turn.calls == (ToolCall("c", "read_file", None, cut, invalid=True),)


def test_an_unknown_provider_says_so() -> None:
    with pytest.raises(AdapterError, match="unknown provider 'openai'"):
        from_functions(provider="openai", parse_tool_calls=parse_chat, build_tool_results=build_chat)
