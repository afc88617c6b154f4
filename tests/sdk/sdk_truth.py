"""What a scenario says, held against what an SDK understood. The script is the truth here, not our readers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from sdk_thoughts import Thoughts, thoughts_in

from conformance.adapters.libraries.application import OWN, utterances
from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    ToolCall,
    UserTurn,
    compact_json,
    kinds_of,
    result_text,
)
from conformance.outcomes import OperationFailure
from conformance.rules import Rule
from conformance.rules.judge import judge
from conformance.script import STATUS, ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.base import signature
from conformance.wires.facts import Facts

Problems = Iterator[str]
OVERLOADED = {"anthropic": 529}
DENIED = {"bedrock": 403}
"""What a bad key is answered with, where that is not 401."""
NO_IDS = ("ollama",)
"""The providers whose SDK has no place for the ids of calls."""
SEALED = ("anthropic", "bedrock", "gemini", "openai-responses")
"""The providers that sign or encrypt the model's thinking."""


def reading_problems(exchange: Exchange, says: ScriptTurn | ScriptError, seed: str) -> Problems:
    """How what the SDK read differs from what the scenario says. The wire mints the turn's ids from ``seed``."""
    heard = exchange.understood
    if heard is None:
        yield "the SDK read nothing"
    elif isinstance(says, ScriptError):
        yield from _http_error(exchange.provider, heard, says)
    elif says.cut is not None:
        yield from _cut(heard, says)
    elif says.damaged:
        return  # what an SDK makes of a broken event proves nothing of our rendering: a rule asks for that
    elif isinstance(heard, OperationFailure):
        yield heard.message
    elif says.fails_with is not None:
        yield from _error(heard, says.fails_with)
        yield from _half_calls(heard, says)
    else:
        yield from _turn(heard, _refusing_in_text(says) if exchange.provider == "bedrock" else says)
        yield from _differs("calls", *_both_calls(exchange, heard, says, seed))
        if says.reasoning is not None:
            seals = (signature(seed),) if exchange.provider in SEALED else ()
            yield from _differs("thoughts", Thoughts(says.reasoning, seals), thoughts_in(heard, exchange.provider))


def _refusing_in_text(says: ScriptTurn) -> ScriptTurn:
    """The turn of a provider that has no field for a refusal: its words are text."""
    words = says.text + (says.refusal or "")
    return says if says.refusal is None else replace(says, text=words, refusal=words)


def _http_error(provider: str, heard: AssistantTurn | OperationFailure, says: ScriptError) -> Problems:
    if isinstance(heard, OperationFailure):
        yield heard.message
        return
    yield from _error(heard, says)
    if heard.error is None:
        return
    own = {"overloaded": OVERLOADED.get(provider, 503), "authentication": DENIED.get(provider, 401)}
    status = own.get(says.kind, STATUS[says.kind])
    yield from _differs("status", status, heard.error.status)
    if provider != "ollama":  # its error has no place for headers
        wait = None if says.retry_after is None else float(says.retry_after)
        yield from _differs("retry-after", wait, heard.error.retry_after)


def _error(heard: AssistantTurn, says: ScriptError) -> Problems:
    if heard.error is None:
        yield "no error"
    elif says.message not in heard.error.message:
        yield f"error: {says.message!r} is not in {heard.error.message!r}"


def _cut(heard: AssistantTurn | OperationFailure, says: ScriptTurn) -> Problems:
    """A stream that just ends: an exception about a document that is not whole says so, or the lack of a reason."""
    if isinstance(heard, OperationFailure):
        if "JSON" not in heard.message:
            yield heard.message
        return
    if heard.stop != "incomplete":
        yield f"stop: {heard.stop}, but the stream was cut off"
    if says.cut == "arguments":
        yield from _half_calls(heard, says)


def _half_calls(heard: AssistantTurn, says: ScriptTurn) -> Problems:
    """The last call of a turn that broke off must not look whole."""
    for call in heard.calls[max(len(says.calls) - 1, 0) :]:
        if not call.invalid:
            yield f"half a call looks whole: {call.name}({call.arguments})"


def _turn(heard: AssistantTurn, says: ScriptTurn) -> Problems:
    yield from _differs("text", says.text, heard.text)
    if not says.changes:  # what a changed answer counts is not in the script
        yield from _differs("usage", (says.usage.input_tokens, says.usage.output_tokens), _usage(heard))
    if says.finish is None:
        yield from _differs("stop", says.stops_with, heard.stop)
    if says.refusal is not None:
        yield from _differs("refusal", says.refusal, heard.refusal)


def _both_calls(exchange: Exchange, heard: AssistantTurn, says: ScriptTurn, seed: str) -> tuple[Json, Json]:
    """The calls as they are scripted and as they were heard, each as name, arguments and, where it is kept, id."""
    numbers = _doubles if exchange.provider == "gemini" else _unchanged
    scripted = [[call.tool, numbers(scripted_arguments(call))] for call in says.calls]
    found = [[call.name, numbers(_said(call))] for call in heard.calls]
    if exchange.provider not in NO_IDS:
        scripted = [[*call, own] for call, own in zip(scripted, _wire_ids(exchange, says, seed), strict=True)]
        found = [[*known, _usable(call.id)] for known, call in zip(found, heard.calls, strict=True)]
    return scripted, found


def _usage(heard: AssistantTurn) -> Json:
    return (heard.usage.input_tokens, heard.usage.output_tokens) if heard.usage else None


def scripted_arguments(call: ScriptCall) -> Json:
    """The arguments of a scripted call: the object, or the text when it is none."""
    if call.raw is None:
        return dict(call.arguments or {})
    try:
        value = json.loads(call.raw)
    except ValueError:
        return call.raw
    return {} if value is None else value if isinstance(value, dict) else call.raw


def _said(call: ToolCall) -> Json:
    return call.raw if call.invalid else call.arguments


def _doubles(value: Json) -> Json:
    """``value`` with every number as a double: Gemini keeps arguments in a protobuf Struct, which has no other kind."""
    if isinstance(value, dict):
        return {key: _doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_doubles, value))
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _unchanged(value: Json) -> Json:
    return value


def _wire_ids(exchange: Exchange, says: ScriptTurn, seed: str) -> list[str]:
    """The ids that go on the wire, without those that no application can use: missing, or in use already."""
    used = {call.id for earlier in exchange.earlier if earlier.turn for call in earlier.turn.calls}
    ids: list[str] = []
    kinds = kinds_of(exchange.intent.tools) if exchange.intent is not None else {}
    for own in wire(exchange.provider).ids(says, Voice("", {}, seed, kinds)):
        ids.append("" if own in (None, "", "null") or own in used else own or "")
        used.add(ids[-1])
    return ids


def _usable(call_id: str) -> str:
    return "" if call_id.startswith(OWN) else call_id


def _differs(what: str, expected: Json, found: Json) -> Problems:
    if not _same(expected, found):
        yield f"{what}: expected {_short(expected)}, found {_short(found)}"


def _same(one: Json, other: Json) -> bool:
    """Equality of JSON values. ``True`` is not ``1``, and ``5`` is not ``5.0``."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:100]} … {text[-90:]}"


# --- requests --------------------------------------------------------------------------------------------------------


def request_problems(exchange: Exchange, rules: list[Rule]) -> Problems:
    """What is wrong with the request that the SDK built: findings of ``rules``, and what our wire misreads in it."""
    if not isinstance(exchange.request, Request):
        yield exchange.request.message if exchange.request is not None else "the SDK sent nothing"
        return
    for rule in rules:
        findings = [finding for finding in judge(rule, exchange) if finding is not None]
        yield from (f"{rule.id} at {item.at}: {item.expected!r}, found {_short(item.found)}" for item in findings)
    assert exchange.intent is not None
    yield from _misread(exchange.facts, exchange.intent, exchange.provider not in NO_IDS)


def _misread(facts: Facts, intent: Conversation, keeps_ids: bool) -> Problems:
    """What the request was built from, and our wire does not see in it."""
    turns = list(utterances(intent))
    users = [turn.text for turn in turns if isinstance(turn, UserTurn) and turn.text.strip()]
    calls = [call for turn in turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    given = [result for turn in turns if isinstance(turn, tuple) for result in turn]
    results = [result for result in given if not intent.asks(result.name)]  # decisions have a rule of their own
    heard = [text for message in facts.messages if message.role == "user" for _, text in message.texts]
    yield from _differs("user texts", users, [text for text in heard if text in users])
    yield from _differs("replayed calls", len(calls), len(facts.calls))
    yield from _differs("results", len(results), len(facts.results))
    for result, sent in zip(results, facts.results, strict=False):
        if not any(isinstance(part, ImagePart) for part in result.content):
            yield from _result(result_text(result), sent.text)
    if keeps_ids and all(call.id for call in facts.calls):
        ids = [call.id for call in facts.calls if call.kind != "mcp"]
        yield from _differs("references", ids, [sent.ref for sent in facts.results])


def _result(text: str, sent: str | None) -> Problems:
    if sent is None or (text not in sent and compact_json(text)[1:-1] not in sent):
        yield f"result: expected {_short(text)}, found {_short(sent)}"
