"""The smaller door: an adapter from the two functions of the first seed document, for every form of provider."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance import AdapterError, Response, ToolCall, from_functions
from conformance.adapters.addresses import LocatedAdapter
from conformance.adapters.functions import FunctionsAdapter
from conformance.engine.cases import Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.outcomes import FAILURES, Outcome
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


def documented(file: str = "my_functions") -> FunctionsAdapter:
    """An adapter in docs/adapters.md."""
    (code,) = re.findall(rf"```python\n(# {file}\.py\n.*?)```", (DOCS / "adapters.md").read_text("utf-8"), re.S)
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


def failures(
    adapter: FunctionsAdapter, families: tuple[str, ...], *deliveries: str, outcomes: Collection[Outcome] = FAILURES
) -> dict[str, list[str]]:
    """The rules that fail, or come out otherwise as ``outcomes`` says, with their cases."""
    selection = Selection(scenarios=families, deliveries=deliveries)
    found = LocatedAdapter("functions", adapter.info, "translator", lambda: adapter)
    scenarios, rules = load_scenarios(), selected_rules(selection)
    failed: dict[str, list[str]] = {}
    played = 0
    for group in groups(found.address, adapter.info, scenarios, selection):
        play = GroupPlay(found, group, scenarios[group.scenario], selection, rules)
        for delivery in () if group.unsupported else group.deliveries:
            report, played = play.case(delivery), played + 1
            for rule, entry in report.rules.items():
                if entry.outcome in outcomes:
                    failed.setdefault(rule, []).append(f"{report.name}: {entry.failures[0]}")
    assert played > 5
    return failed


FAMILIES = ("shell.*", "read_file.*", "parallel_calls.*", "multi_turn.*", "grep.*", "write_file.*")


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "unified"])
def test_two_honest_functions_conform(provider: str) -> None:
    assert failures(adapter_for(provider), FAMILIES) == {}


def test_arguments_that_are_no_object_are_replayed_by_the_harness() -> None:
    families = ("arguments.trailing_text", "shell.*", "read_file.*")
    assert failures(documented(), families) == {}


@pytest.mark.slow
def test_several_providers_and_their_streams_conform() -> None:
    adapter = documented("two_providers")
    assert {provider: "streaming" in names for provider, names in adapter.info.capabilities.items()} == {
        "openai-chat": True, "anthropic": True,
    }  # fmt: skip
    assert failures(adapter, (*FAMILIES, "errors.cut_*"), "blocking", "stream:per-event", "stream:per-byte") == {}


@pytest.mark.parametrize("lost", ["calls", "text", "id"])
def test_an_accumulator_that_loses_something_is_named(lost: str) -> None:
    adapter = documented("two_providers")
    own = adapter.functions["openai-chat"]

    def forgetful(events: list[Any]) -> Body:
        assert own.read_stream is not None
        turn: Body = own.read_stream(events)
        if lost == "id":
            return {**turn, "calls": [{**call, "id": "call_1"} for call in turn["calls"]]}
        return {**turn, lost: turn[lost][1:]}

    broken = from_functions(providers={"openai-chat": replace(own, read_stream=forgetful)})
    found = failures(broken, ("parallel_calls.two_reads", "shell.*"), "stream:per-event")
    assert "common.stream.equivalent-to-non-stream" in found or "chat.stream.deltas-by-index" in found, found


def test_what_is_missing_is_told() -> None:
    with pytest.raises(AdapterError, match="are needed with provider"):
        from_functions(provider="gemini", parse_tool_calls=parse_gemini)
    with pytest.raises(AdapterError, match="give provider and its functions, or providers"):
        from_functions()


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


def tell_chat(events: Iterable[Body]) -> Iterator[Body]:
    """News of OpenAI's Chat, as its deltas come: the running call is whole when another begins, or the turn ends."""
    running = -1
    for event in events:
        for choice in event.get("choices", []):
            delta = choice["delta"]
            if delta.get("content"):
                yield {"kind": "text", "text": delta["content"]}
            for part in delta.get("tool_calls") or []:
                if part["index"] > running:
                    running = part["index"]
                    yield {"kind": "call", "text": part["function"]["name"], "call": running}
            if choice.get("finish_reason"):
                yield from ({"kind": "call_end", "call": number} for number in range(running + 1))


def telling(tell: Callable[[Iterator[Body]], Iterable[Any]]) -> FunctionsAdapter:
    own = documented("two_providers").functions["openai-chat"]
    return from_functions(providers={"openai-chat": replace(own, tell_stream=tell)})


TOLD = ("parallel_calls.two_reads", "parallel_calls.text_beside_calls", "shell.*", "errors.cut_*")


def test_a_right_teller_has_no_findings() -> None:
    assert failures(telling(tell_chat), TOLD, "stream:per-event", outcomes={*FAILURES, "warn"}) == {}


def test_a_teller_that_waits_until_the_end_is_buffered() -> None:
    def waits(events: Iterator[Body]) -> Iterator[Body]:
        yield from list(tell_chat(events))

    assert failures(telling(waits), TOLD, "stream:per-event") == {}
    (first, *_) = failures(telling(waits), TOLD, "stream:per-event", outcomes={"warn"})["common.stream.news-in-time"]
    assert "buffered" in first


def test_a_teller_that_keeps_the_text_for_itself_is_named() -> None:
    def silent(events: Iterator[Body]) -> Iterator[Body]:
        yield from (one for one in tell_chat(events) if one["kind"] != "text")

    found = failures(telling(silent), TOLD, "stream:per-event", outcomes={"warn"})["common.stream.news-in-time"]
    assert any("/text" in failure for failure in found)


def test_a_teller_that_tells_text_twice_is_named() -> None:
    def twice(events: Iterator[Body]) -> Iterator[Body]:
        for one in tell_chat(events):
            yield from (one, one) if one["kind"] == "text" else (one,)

    assert "common.stream.news-true" in failures(telling(twice), TOLD, "stream:per-event")


def test_a_teller_without_an_accumulator_is_refused() -> None:
    own = replace(documented("two_providers").functions["openai-chat"], tell_stream=tell_chat)
    with pytest.raises(AdapterError, match="needs read_stream"):
        from_functions(providers={"openai-chat": replace(own, read_stream=None)})
    with pytest.raises(AdapterError, match="every provider, or for none"):
        from_functions(providers={"openai-chat": own, "anthropic": replace(own, tell_stream=None)})
