"""Responses: what a request repeats of the conversation so far, and where guidance stands."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.responses.documents import answered_items, input_items
from conformance.rules.shared.own_items import unchanged
from conformance.rules.shared.pairing import call_pairs, usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

PREFIXES = {"function_call": "fc", "reasoning": "rs", "message": "msg"}
"""How the ids of items begin, as the provider's errors say: "Expected an ID that begins with 'fc'"."""

JUDGED_APART = ("message", "function_call", "function_call_output", "reasoning", "item_reference")
"""Types of items that other rules look at."""


@check("responses.history.function-call-item")
def function_call_item(x: Exchange) -> Verdicts:
    """Text that the provider itself sent may be replayed as it was: otherwise, what was an object must stay one."""
    objects = {call.at for meant, call in call_pairs(x) if meant.arguments is not None}
    came = [call.get("arguments") for item in x.earlier for call in answered_items(item.answer, "function_call")]
    for call in x.facts.calls:
        if call.kind is not None:
            continue  # an item of another type
        if not usable(call.id):
            yield Finding(call.id_at, "the id of the call", call.id)
        elif not usable(call.name):
            yield Finding(call.name_at, "the name of the function", call.name)
        else:
            right = call.arguments is not None or call.at not in objects or call.raw in came
            yield holds(isinstance(call.raw, str) and right, call.arguments_at, "the JSON text of an object", call.raw)


@check("responses.history.own-items-unchanged")
def own_items_unchanged(x: Exchange) -> Verdicts:
    """Messages, calls and reasoning have rules of their own. What is still being made may be finished later."""
    came = [item for earlier in x.earlier for item in answered_items(earlier.answer) if _goes_back_as_it_came(item)]
    yield from unchanged([(at, item) for at, item in input_items(x) if _goes_back_as_it_came(item)], came)


def _goes_back_as_it_came(item: Object) -> bool:
    return isinstance(item.get("type"), str) and item["type"] not in JUDGED_APART


@check("responses.history.item-id-prefix")
def item_id_prefix(x: Exchange) -> Verdicts:
    for at, item in input_items(x):
        own, kind = item.get("id"), item.get("type")
        prefix = PREFIXES.get(kind) if isinstance(kind, str) else None
        if own is not None and prefix is not None:
            right = isinstance(own, str) and own.startswith(prefix)
            yield holds(right, f"{at}/id", f"an id that begins with {prefix}, or no id", own)


@check("responses.history.no-chat-tool-role")
def no_chat_tool_role(x: Exchange) -> Verdicts:
    if (messages := obj(x.facts.document).get("messages")) is not None:
        yield Finding("/messages", "input", f"{len(items(messages))} messages")
    for at, item in input_items(x):
        if item.get("role") in ("tool", "function"):
            yield Finding(at, {"type": "function_call_output", "call_id": "..."}, {"role": item["role"]})
        elif "tool_calls" in item:
            yield Finding(f"{at}/tool_calls", "an item of the type function_call for each call", item["tool_calls"])
        elif item.get("type") in ("function_call", "function_call_output"):
            yield None


@check("responses.history.instructions-field")
def instructions_field(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    if document.get("system") is not None:
        yield Finding("/system", "instructions, or a message with the role developer", document["system"])
        return
    instructions = document.get("instructions")
    if not isinstance(instructions, str | None):
        yield Finding("/instructions", "text", instructions)
        return
    wanted, found = _guidance(x), "\n".join(_heard(x))
    if wanted is not None:
        yield holds(wanted in found, "/instructions", wanted, instructions)
    elif found:
        yield None


def _guidance(x: Exchange) -> str | None:
    """What the model is to be told: the intent says it, or the instructions of a request that this one goes on."""
    if x.intent is not None:
        return x.intent.system
    if x.facts.previous is None or x.previous is None or obj(x.previous.answer).get("id") != x.facts.previous:
        return None
    before = obj(x.previous.facts.document).get("instructions")
    return before if isinstance(before, str) else None


def _heard(x: Exchange) -> Iterator[str]:
    """The guidance that reaches the model. What the provider keeps of earlier requests is their messages alone."""
    yield from (text for _, text in x.facts.system if isinstance(text, str))
    for earlier in x.earlier if x.facts.previous is not None else ():
        yield from (text for at, text in earlier.facts.system if at != "/instructions" and isinstance(text, str))
