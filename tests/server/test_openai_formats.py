"""Requests of real clients in OpenAI's formats: what the provider takes is answered, what it refuses is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import httpx
import pytest
from mistakes import SCENARIO, right

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.http import Request
from conformance.responders import ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.server import Running
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat

Json = Any
REASONING = "reasoning.one_call"


@cache
def asked(provider: str, scenario: str) -> list[Request]:
    """The requests of the reference adapter in a scenario."""
    told = load_scenarios()[scenario]
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    exchanges = Play(told, provider, "native", DELIVERIES["blocking"], seat, ScriptedResponder(told, provider)).run()
    return [exchange.request for exchange in exchanges if isinstance(exchange.request, Request)]


def post(server: Running, provider: str, request: Request, body: Json, scenario: str = SCENARIO) -> httpx.Response:
    """Send a request with another body."""
    request = replace(request, body=json.dumps(body).encode())
    headers = {
        **request.headers, "x-conformance-provider": provider, "x-conformance-scenario": scenario,
        "user-agent": "tests",
    }  # fmt: skip
    url = server.origin + request.path + (f"?{request.query}" if request.query else "")
    return httpx.request("POST", url, headers=headers, content=request.body, timeout=30)


def output_of(answer: httpx.Response) -> list[Json]:
    assert answer.status_code == 200, answer.text
    return list(answer.json()["output"])


# --- Responses: items of earlier answers -----------------------------------------------------------------------------


def test_a_loop_with_encrypted_reasoning_and_no_ids(strict: Running) -> None:
    """What opencode and Codex send: nothing is stored, and items go back without their ids."""
    first, second = asked("openai-responses", REASONING)[:2]
    output = output_of(post(strict, "openai-responses", first, json.loads(first.body), REASONING))
    replayed = [{key: value for key, value in item.items() if key not in ("id", "status")} for item in output]
    sent = json.loads(second.body)
    assert sent["store"] is False
    assert "reasoning" in [item["type"] for item in replayed]
    results = [item for item in sent["input"] if item.get("type") == "function_call_output"]
    body = {**sent, "input": [*json.loads(first.body)["input"], *replayed, *results]}
    answer = post(strict, "openai-responses", second, body, REASONING)
    assert answer.status_code == 200, answer.text
    assert "x-conformance-findings" not in answer.headers
    assert "function_call" not in [item["type"] for item in answer.json()["output"]]


def test_a_loop_with_references(strict: Running) -> None:
    """What the AI SDK sends where responses are stored: ids in place of the items."""
    first, second = asked("openai-responses", REASONING)[:2]
    began = {key: value for key, value in json.loads(first.body).items() if key not in ("store", "include")}
    output = output_of(post(strict, "openai-responses", first, began, REASONING))
    named = [{"type": "item_reference", "id": item["id"]} for item in output]
    results = [item for item in json.loads(second.body)["input"] if item.get("type") == "function_call_output"]
    body = {**began, "input": [*began["input"], *named, *results]}
    answer = post(strict, "openai-responses", second, body, REASONING)
    assert answer.status_code == 200, answer.text
    assert "x-conformance-findings" not in answer.headers
    assert "function_call" not in [item["type"] for item in answer.json()["output"]]


def test_reasoning_that_nobody_stored_and_nobody_sent_is_refused(fresh: Running) -> None:
    second = asked("openai-responses", REASONING)[1]
    body = json.loads(second.body)
    for item in body["input"]:
        item.pop("encrypted_content", None)
    answer = post(fresh, "openai-responses", second, body, REASONING)
    assert answer.status_code == 400
    assert "responses.history.item-still-known at /input/" in answer.json()["error"]["message"]


# --- Responses: tools ------------------------------------------------------------------------------------------------


def test_a_nested_schema_is_taken_and_told(strict: Running) -> None:
    request = right("openai-responses")
    body = json.loads(request.body)
    for tool in body["tools"]:
        tool["function"] = {"name": tool["name"], "parameters": tool.pop("parameters")}
    answer = post(strict, "openai-responses", request, body)
    assert answer.status_code == 200, answer.text
    assert "responses.declare.schema-at-top" in answer.headers["x-conformance-findings"]


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses"])
def test_an_empty_schema_is_taken(strict: Running, provider: str) -> None:
    request = right(provider)
    body = json.loads(request.body)
    for tool in body["tools"]:
        tool.get("function", tool)["parameters"] = {}
    assert post(strict, provider, request, body).status_code == 200


# --- Mistral, xAI, Azure ---------------------------------------------------------------------------------------------


def test_mistral_refuses_a_user_right_after_a_tool(strict: Running) -> None:
    request = right("mistral")
    body = json.loads(request.body)
    body["messages"].append({"role": "user", "content": "And?"})
    answer = post(strict, "mistral", request, body)
    assert answer.status_code == 400
    assert "mistral.history.assistant-before-user at /messages/" in answer.json()["message"]


def test_mistral_refuses_reasoning_content(strict: Running) -> None:
    request = right("mistral")
    body = json.loads(request.body)
    next(item for item in body["messages"] if item["role"] == "assistant")["reasoning_content"] = "Hm."
    answer = post(strict, "mistral", request, body)
    assert answer.status_code == 400
    assert "mistral.history.no-reasoning-content at /messages/" in answer.json()["message"]


@pytest.mark.parametrize(("provider", "status"), [("xai", 200), ("openai-chat", 400)])
def test_who_takes_a_forced_tool_in_anthropics_form(strict: Running, provider: str, status: int) -> None:
    request = right(provider)
    body = {**json.loads(request.body), "tool_choice": {"type": "tool", "name": "read_file"}}
    assert post(strict, provider, request, body).status_code == status


@pytest.mark.parametrize(("provider", "status"), [("xai", 200), ("openai-chat", 400)])
def test_who_takes_an_open_strict_schema(strict: Running, provider: str, status: int) -> None:
    request = right(provider)
    body = json.loads(request.body)
    for tool in body["tools"]:
        tool["function"]["strict"] = True
        tool["function"]["parameters"].pop("additionalProperties", None)
    assert post(strict, provider, request, body).status_code == status


def test_azure_answers_below_models(strict: Running) -> None:
    request = right("azure")
    url = "https://example.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview"
    answer = post(strict, "azure", replace(request, url=url), {**json.loads(request.body), "model": "m"})
    assert answer.status_code == 200, answer.text
