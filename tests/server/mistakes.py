"""Requests with one thing wrong, made from a right one: the second request of a scenario with two parallel calls.

The places are found by the wire's own reading of the right request (`Facts`), so most mistakes are made the same way in
every format. A mistake that a format has no place for gives ``None``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.http import Request
from conformance.responders import ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.wires import wire
from conformance.wires.facts import Facts, SentResult

SCENARIO = "parallel_calls.two_reads"
CHAT = ("openai-chat", "azure", "xai", "deepseek", "mistral")

Body = dict[str, Any]
Make = Callable[[str, Body, Facts], Any]
MISTAKES: dict[str, Make] = {}


@cache
def right(provider: str, stream: bool = False) -> Request:
    """The right request: two calls were made, and this brings their results."""
    scenario = load_scenarios()[SCENARIO]
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    delivery = DELIVERIES["stream:per-event" if stream else "blocking"]
    made = Play(scenario, provider, "native", delivery, seat, ScriptedResponder(scenario, provider)).run()[1].request
    assert isinstance(made, Request)
    return made


def wrong(mistake: str, provider: str) -> Request | None:
    """The request with a mistake in it."""
    request = right(provider)
    body = json.loads(request.body)
    made = MISTAKES[mistake](provider, body, wire(provider).facts(request))
    if made is None:
        return None
    if isinstance(made, Request):
        return made
    return replace(request, body=json.dumps(made).encode())


def mistake(make: Make) -> Make:
    """Enter a mistake under its name."""
    MISTAKES[make.__name__] = make
    return make


def at(body: Any, pointer: str) -> Any:
    """The value that a pointer leads to."""
    for part in pointer.split("/")[1:]:
        body = body[int(part)] if isinstance(body, list) else body[part]
    return body


def put(body: Any, pointer: str, value: Any) -> Body:
    """The body with another value at a pointer."""
    above, _, last = pointer.rpartition("/")
    holder = at(body, above)
    holder[int(last) if isinstance(holder, list) else last] = value
    return body  # type: ignore[no-any-return]


def without(body: Body, pointer: str) -> Body:
    """The body without what a pointer leads to."""
    above, _, last = pointer.rpartition("/")
    holder = at(body, above)
    del holder[int(last) if isinstance(holder, list) else last]
    return body


def inserted(body: Body, pointer: str, value: Any, after: int = 1) -> Body:
    """The body with one more element in the array that a pointer leads into."""
    above, _, last = pointer.rpartition("/")
    at(body, above).insert(int(last) + after, value)
    return body


def element(result: SentResult) -> str:
    """The place of the array's element that is, or holds, a result."""
    return result.at.removesuffix("/functionResponse").removesuffix("/toolResult")


def messages(body: Body) -> list[Any]:
    """The conversation."""
    return next(body[name] for name in ("messages", "contents", "input") if name in body)


# --- results ---------------------------------------------------------------------------------------------------------


@mistake
def orphan_result(provider: str, body: Body, facts: Facts) -> Any:
    last = facts.results[-1]
    extra = deepcopy(at(body, element(last)))
    if last.ref_at and provider not in ("gemini", "ollama"):
        holder, field = extra.get("toolResult", extra), last.ref_at.rpartition("/")[2]
        holder[field] = "abcDEF123" if provider == "mistral" else "call_nobody_made"
    elif provider == "gemini":
        extra["functionResponse"].pop("id", None)
    return inserted(body, element(last), extra)


@mistake
def missing_result(provider: str, body: Body, facts: Facts) -> Any:
    return without(body, element(facts.results[-1]))


@mistake
def no_results(provider: str, body: Body, facts: Facts) -> Any:
    for result in reversed(facts.results):
        without(body, element(result))
    kept = [item for item in messages(body) if item.get("content", True) != [] and item.get("parts", True) != []]
    messages(body)[:] = [*kept, _user(provider, "Never mind.")]
    return body


@mistake
def result_twice(provider: str, body: Body, facts: Facts) -> Any:
    last = element(facts.results[-1])
    return inserted(body, last, deepcopy(at(body, last)))


@mistake
def wrong_reference(provider: str, body: Body, facts: Facts) -> Any:
    last = facts.results[-1]
    if provider in ("gemini", "ollama"):
        return None
    return put(body, last.ref_at, "abcDEF123" if provider == "mistral" else "call_nobody_made")


@mistake
def result_with_the_wrong_role(provider: str, body: Body, facts: Facts) -> Any:
    if provider == "openai-responses":
        return inserted(body, facts.results[-1].at, {"role": "tool", "content": "done"})
    message = facts.messages[-1]
    role = {"gemini": "model", "anthropic": "tool", "bedrock": "tool", "unified": "function"}.get(provider, "result")
    return put(body, f"{message.at}/role", role) if "role" in at(body, message.at) else None


@mistake
def something_between_the_results(provider: str, body: Body, facts: Facts) -> Any:
    first = facts.results[0]
    if provider in ("anthropic", "bedrock", "gemini"):
        message = facts.messages[-1]
        field = "parts" if provider == "gemini" else "content"
        second = deepcopy(at(body, message.at))
        at(body, message.at)[field] = at(body, message.at)[field][:1]
        second[field] = second[field][1:]
        messages(body).extend([_user(provider, "And?"), second])
        return body
    return inserted(body, first.at, _user(provider, "And?"))


@mistake
def wrong_type_of_result(provider: str, body: Body, facts: Facts) -> Any:
    last = facts.results[-1]
    value: Any = "text" if provider == "gemini" else {"lines": 3} if provider != "anthropic" else 3
    return put(body, last.content_at, value)


def _user(provider: str, text: str) -> Any:
    if provider == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    if provider == "unified":
        return {"type": "message", "role": "user", "content": [{"type": "text", "text": text}]}
    return {"role": "user", "content": [{"text": text}] if provider == "bedrock" else text}


# --- calls -----------------------------------------------------------------------------------------------------------


@mistake
def wrong_type_of_arguments(provider: str, body: Body, facts: Facts) -> Any:
    call = facts.calls[0]
    value: Any = dict(call.arguments or {}) if isinstance(call.raw, str) else json.dumps(call.arguments)
    return put(body, call.arguments_at, value)


@mistake
def call_without_a_name(provider: str, body: Body, facts: Facts) -> Any:
    return without(body, facts.calls[0].name_at)


@mistake
def id_that_is_too_long(provider: str, body: Body, facts: Facts) -> Any:
    if provider in ("gemini", "ollama", "unified"):
        return None
    long = "call_" + "x" * 100 + ("!" if provider == "anthropic" else "")
    for call, result in zip(facts.calls[:1], facts.results[:1], strict=True):
        put(put(body, call.id_at, long), result.ref_at, long)
    return body


@mistake
def same_id_twice(provider: str, body: Body, facts: Facts) -> Any:
    if provider in ("gemini", "ollama"):
        return None
    first, second = facts.calls[0], facts.calls[1]
    put(body, second.id_at, first.id)
    return put(body, facts.results[1].ref_at, first.id)


# --- tools -----------------------------------------------------------------------------------------------------------


@mistake
def bad_name(provider: str, body: Body, facts: Facts) -> Any:
    return put(body, _name_at(body, facts), "read file!")


@mistake
def name_that_is_too_long(provider: str, body: Body, facts: Facts) -> Any:
    return put(body, _name_at(body, facts), "r" * 200)


def _name_at(body: Body, facts: Facts) -> str:
    tool = facts.functions[0].at
    return f"{tool}/function/name" if "function" in at(body, tool) else f"{tool}/name"


@mistake
def two_tools_of_one_name(provider: str, body: Body, facts: Facts) -> Any:
    tool = facts.functions[0]
    declared = tool.at.removesuffix("/toolSpec")
    return inserted(body, declared, deepcopy(at(body, declared)))


@mistake
def schema_that_is_no_object(provider: str, body: Body, facts: Facts) -> Any:
    return put(body, facts.functions[0].schema_at, "object")


@mistake
def schema_of_an_array(provider: str, body: Body, facts: Facts) -> Any:
    return put(body, facts.functions[0].schema_at, {"type": "array", "items": {"type": "string"}})


@mistake
def tool_of_another_provider(provider: str, body: Body, facts: Facts) -> Any:
    tool = at(body, facts.functions[0].at)
    flat = {"type": "function", "name": "read_file", "parameters": {"type": "object", "properties": {}}}
    chat = {"type": "function", "function": {"name": "read_file", "parameters": {"type": "object", "properties": {}}}}
    if provider == "gemini":
        return put(body, "/tools", [chat])
    return put(body, facts.functions[0].at, flat if "function" in tool else chat)


@mistake
def both_schema_fields(provider: str, body: Body, facts: Facts) -> Any:
    if provider != "gemini":
        return None
    tool = at(body, facts.functions[0].at)
    schema = tool.get("parametersJsonSchema") or tool.get("parameters")
    tool |= {"parameters": {"type": "OBJECT", "properties": {}}, "parametersJsonSchema": schema}
    return body


@mistake
def tools_that_are_no_list(provider: str, body: Body, facts: Facts) -> Any:
    return put(body, facts.tools_at, {"read_file": {}})


@mistake
def empty_list_of_tools(provider: str, body: Body, facts: Facts) -> Any:
    return None if provider == "ollama" else put(body, facts.tools_at, [])


@mistake
def unknown_tool_choice(provider: str, body: Body, facts: Facts) -> Any:
    if provider == "ollama":
        return None
    if provider == "gemini":
        return body | {"toolConfig": {"functionCallingConfig": {"mode": "SOMETIMES"}}}
    if provider == "bedrock":
        return put(body, "/toolConfig/toolChoice", "sometimes")
    return body | {"tool_choice": {"type": "sometimes"} if provider == "anthropic" else "sometimes"}


@mistake
def forced_tool_of_another_provider(provider: str, body: Body, facts: Facts) -> Any:
    if provider in ("ollama", "gemini"):
        return None
    nested = {"type": "function", "function": {"name": "read_file"}}
    flat = {"type": "function", "name": "read_file"}
    if provider == "bedrock":
        return put(body, "/toolConfig/toolChoice", nested)
    return body | {"tool_choice": flat if provider in CHAT else nested}


# --- how it ends ---------------------------------------------------------------------------------------------------


@mistake
def the_models_own_words_at_the_end(provider: str, body: Body, facts: Facts) -> Any:
    if provider != "anthropic":
        return None
    messages(body).append({"role": "assistant", "content": "{"})
    return body | {"model": "claude-opus-4-6"}


# --- the rest --------------------------------------------------------------------------------------------------------


@mistake
def conversation_that_is_no_list(provider: str, body: Body, facts: Facts) -> Any:
    name = next(name for name in ("messages", "contents", "input") if name in body)
    return None if name == "input" else body | {name: {"role": "user"}}


@mistake
def unknown_role(provider: str, body: Body, facts: Facts) -> Any:
    messages(body)[0]["role"] = "human"
    return body


@mistake
def no_key(provider: str, body: Body, facts: Facts) -> Any:
    if provider in ("ollama", "unified"):
        return None
    keys = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
    request = right(provider)
    headers: Mapping[str, str] = {key: value for key, value in request.headers.items() if key.lower() not in keys}
    return replace(request, headers=headers)
