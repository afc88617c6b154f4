"""Ollama's native chat: what a request repeats of the conversation so far, and the results in it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence

from conformance.model import Json
from conformance.rules.chat.documents import messages
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import correlate, usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, Round, items, obj


@check("ollama.history.arguments-object")
def arguments_object(x: Exchange) -> Verdicts:
    for call in x.facts.calls:
        if call.raw is not None:
            yield holds(isinstance(call.raw, dict), call.arguments_at, "an object", call.raw)


@check("ollama.history.content-is-string-images-separate")
def content_is_string_images_separate(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        content = message.get("content")
        yield holds(isinstance(content, str | None), f"{at}/content", "text", content)
        for place, image in items(message.get("images")):
            right = isinstance(image, str) and _is_base64(image)
            found = f"{image[:40]}..." if isinstance(image, str) else image
            yield holds(right, f"{at}/images/{place}", "base64 without anything before it", found)


def _is_base64(text: str) -> bool:
    """Whether the beginning of ``text`` is plain base64. A data URL is not."""
    start = text[:64]
    try:
        return bool(base64.b64decode(start + "=" * (-len(start) % 4), validate=True))
    except (binascii.Error, ValueError):
        return False


@check("ollama.history.thinking-replayed")
def thinking_replayed(x: Exchange) -> Verdicts:
    assistants = [(at, message) for at, message in messages(x) if message.get("role") == "assistant"]
    for earlier in x.earlier:
        answered = obj(obj(earlier.answer).get("message"))
        thinking, names = answered.get("thinking"), _call_names(answered)
        replays = [(at, message) for at, message in assistants if _call_names(message) == names]
        if not names or not isinstance(thinking, str) or not thinking or not earlier.complete or not replays:
            continue
        right = any(message.get("thinking") == thinking for _, message in replays)
        at, last = replays[-1]
        yield holds(right, f"{at}/thinking", thinking, last.get("thinking"))


def _call_names(message: Object) -> list[Json]:
    return [obj(obj(call).get("function")).get("name") for _, call in items(message.get("tool_calls"))]


@check("ollama.result.tool-message")
def tool_message(x: Exchange) -> Verdicts:
    """Which id a result has is the matter of other rules: here it must have one where its call has one."""
    answers = correlate(x.facts).answers
    calls = {id(result): call for call in x.facts.calls if (result := answers.get(call.at)) is not None}
    for result, message in _tool_messages(x):
        call, name = calls.get(id(result)), message.get("tool_name")
        named = isinstance(name, str) and name != ""
        expected = call.name if call is not None else None
        right = named and (expected is None or name == expected)
        yield holds(right, f"{result.at}/tool_name", expected or "the name of the function", name)
        if call is not None and usable(call.id):
            yield holds(usable(result.ref), result.ref_at, call.id, result.ref)


def _tool_messages(x: Exchange) -> Iterator[tuple[Json, Object]]:
    """The results, each with its message."""
    by_place = dict(messages(x))
    return ((result, by_place.get(result.at, {})) for result in x.facts.results)


@check("ollama.result.order")
def order(x: Exchange) -> Verdicts:
    for turn in x.facts.rounds:
        if len(turn.results) > 1:
            yield from _in_order(turn)


def _in_order(turn: Round) -> Verdicts:
    """By ids where all calls and results have their own, else by names where all have one."""
    ids, refs = [call.id for call in turn.calls], [result.ref for result in turn.results]
    names, answered = [call.name for call in turn.calls], [result.name for result in turn.results]
    if _distinct(ids) and _distinct(refs):
        expected, found = ids, refs
    elif all(map(usable, names)) and all(map(usable, answered)):
        expected, found = names, answered
    else:
        return
    if not {*found} <= {*expected}:
        return  # what answers no call has rules of its own
    place = _first_out_of_order(expected, found)
    yield None if place is None else Finding(turn.results[place].at, expected, found)


def _distinct(values: Sequence[Json]) -> bool:
    return all(map(usable, values)) and len(set(values)) == len(values)


def _first_out_of_order(expected: Sequence[Json], found: Sequence[Json]) -> int | None:
    """The first position in ``found`` that does not go on in ``expected``, some of which may be missing."""
    position = 0
    for place, item in enumerate(found):
        while position < len(expected) and expected[position] != item:
            position += 1
        if position == len(expected):
            return place
        position += 1
    return None
