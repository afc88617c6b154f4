"""Converse: what goes back of what the model thought."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json
from conformance.rules.bedrock.documents import PlacedBlock, answered, blocks_of, messages, sent_thoughts
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj


@check("bedrock.history.thinking-as-it-came")
def thinking_as_it_came(x: Exchange) -> Verdicts:
    """Each block that goes back is one that came; those of the turn that still goes on go back."""
    came = [thought for earlier in x.earlier for thought in _thoughts(earlier.answer)]
    if not came:
        return
    sent = sent_thoughts(x)
    for at, thought in sent:
        yield holds(any(_same(thought, one) for one in came), at, came[-1], thought)
    for earlier in _going_on(x):
        for thought in _thoughts(earlier.answer):
            if not any(_same(copy, thought) for _, copy in sent):
                yield Finding("/messages", {"reasoningContent": thought}, [at for at, _ in sent])


def _thoughts(answer: Json) -> list[Object]:
    """What the model thought in an answer. What has no signature was cut, and cannot go back."""
    blocks = (obj(block["reasoningContent"]) for block in answered(answer) if "reasoningContent" in block)
    return [one for one in blocks if "redactedContent" in one or obj(one.get("reasoningText")).get("signature")]


def _same(one: Object, other: Object) -> bool:
    return all(one.get(name) == other.get(name) for name in ("reasoningText", "redactedContent"))


def _going_on(x: Exchange) -> Iterator[Exchange]:
    """The answers of the turn that still goes on: their calls are answered since the user spoke last."""
    refs: set[str] = set()
    for message in reversed(messages(x)):
        results = blocks_of(message, "toolResult")
        if message[1].get("role") == "user" and not results:
            break
        refs |= {ref for _, result in results if usable(ref := result.get("toolUseId"))}
    for earlier in x.earlier:
        if refs & set(map(_id_of, _uses(earlier.answer))) and earlier.complete:
            yield earlier


def _uses(answer: Json) -> list[PlacedBlock]:
    return [("", obj(block["toolUse"])) for block in answered(answer) if "toolUse" in block]


def _id_of(use: PlacedBlock) -> str:
    own = use[1].get("toolUseId")
    return own if isinstance(own, str) else ""
