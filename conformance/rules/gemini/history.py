"""Gemini: the order of turns, and where things stand in a request."""

from __future__ import annotations

from itertools import pairwise

from conformance.http import Request
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.gemini.documents import DATA, ContentSpeech, contents, fields_of, has, parts_of, speeches
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj
from conformance.wires.gemini.keys import get


@check("gemini.history.turn-order")
def turn_order(x: Exchange) -> Verdicts:
    called = False
    for place, speech in enumerate(listed := speeches(x)):
        calls = [at for at, part in speech.parts if has(part, "functionCall")]
        responses = [at for at, content in speech.contents if fields_of(at, content, "functionResponse")]
        if calls:
            yield holds(place > 0, speech.at, "a turn of the user before the calls", "the beginning")
            if place + 1 < len(listed) and _answers(listed[place + 1]):
                at, content = listed[place + 1].contents[0]
                found = [sorted(part) for _, part in parts_of(at, content)]
                yield holds(bool(fields_of(at, content, "functionResponse")), at, "the function responses", found)
        elif responses:
            yield holds(called, responses[0], "a turn of the model with the calls before it", "none")
        called = bool(calls)


@check("gemini.history.model-turns-in-one-content")
def model_turns_in_one_content(x: Exchange) -> Verdicts:
    """Calls after calls were answered 200 by Google."""
    for (_, before), (at, content) in pairwise(contents(x)):
        if content.get("role") == "model" and fields_of(at, content, "functionCall"):
            apart = before.get("role") == "model" and not fields_of("", before, "functionCall")
            yield holds(not apart, at, "in the content of the model before it", "a content of its own")


def _answers(speech: ContentSpeech) -> bool:
    """Whether a speech brings function responses. The user may also go on without them."""
    return any(has(part, "functionResponse") for _, part in speech.parts)


OTHER_CONTAINERS = ("messages", "input", "prompt", "content")


@check("gemini.history.system-instruction")
def system_instruction(x: Exchange) -> Verdicts:
    roles = [(at, content) for at, content in contents(x) if content.get("role") == "system"]
    for at, _ in roles:
        yield Finding(f"{at}/role", "systemInstruction at the top of the request", "system")
    texts = [str(text) for _, text in x.facts.system]
    wanted = x.intent.system if x.intent is not None else None
    if wanted and not roles and contents(x):
        yield holds(wanted in "\n".join(texts), "/systemInstruction", wanted, texts)
    elif texts:
        yield None


@check("gemini.history.contents-container")
def contents_container(x: Exchange) -> Verdicts:
    if not isinstance(x.request, Request):
        return
    document = obj(x.facts.document)
    yield holds(bool(contents(x)), "/contents", "a list of contents", document.get("contents"))
    for name in OTHER_CONTAINERS:
        if document.get(name) is not None:
            yield Finding(f"/{name}", "contents", document[name])
    for at, content in contents(x):
        parts = parts_of(at, content)
        yield holds(bool(parts), f"{at}/parts", "at least one part", content.get("parts"))
        for here, part in parts:
            yield _one_data_field(here, part)


def _one_data_field(at: str, part: Object) -> Finding | None:
    """Fields that we do not know may be data too; a signature may come alone, and was accepted so."""
    data = [name for name in DATA if get(part, name) is not None]
    if isinstance(part.get("type"), str) or not part:
        return Finding(at, "a part such as {text: ...}", part)
    return holds(len(data) < 2, at, "one data field", data)
