"""Gemini: the model's parts go back as they came, with their signatures."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.gemini.documents import (
    DATA,
    ContentReplay,
    contents,
    fields_of,
    has,
    parts_of,
    plain_text,
    replays,
    sent_fields,
    signature_bytes,
)
from conformance.rules.shared.pairing import call_pairs, left_out
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj
from conformance.wires.gemini.keys import field_spelling, get


@check("gemini.history.model-turn-verbatim")
def model_turn_verbatim(x: Exchange) -> Verdicts:
    for at, content in contents(x):
        calls = fields_of(at, content, "functionCall")
        if calls:
            yield holds(content.get("role") == "model", f"{at}/role", "model", content.get("role"))
        for here, call in calls:
            arguments = obj(call).get("args")
            yield holds(isinstance(arguments, dict | None), f"{here}/args", "an object", arguments)
    own, may_lack = replays(x), len(left_out(x))
    for replay in own:
        yield _first_change(replay, may_lack)
    covered = tuple(f"{replay.at}/" for replay in own)
    for call, sent in call_pairs(x):
        if call.arguments is not None and sent.arguments is not None and not sent.at.startswith(covered):
            yield holds(sent.arguments == call.arguments, sent.arguments_at, call.arguments, sent.raw)


def _first_change(replay: ContentReplay, may_lack: int) -> Finding | None:
    """The first thing that the model did and that is not repeated in its place, or its text.

    ``may_lack`` calls may be left out: they have no ids, so nobody knows which.
    """
    expected = [done for _, done in _done([("", part) for part in replay.answered])]
    sent = _done(replay.sent)
    for done in [done for done in expected if done not in [one for _, one in sent]][:may_lack]:
        expected.remove(done)
    for place in range(max(len(expected), len(sent))):
        wanted = expected[place] if place < len(expected) else None
        at, found = sent[place] if place < len(sent) else (f"{replay.at}/parts", None)
        if wanted != found:
            return Finding(at, wanted, found)
    said, repeated = plain_text(replay.answered), plain_text([part for _, part in replay.sent])
    return holds(said == repeated, f"{replay.at}/parts", said, repeated)


def _done(parts: Sequence[tuple[str, Object]]) -> list[tuple[str, Json]]:
    """The calls and other data of parts, in order. Unknown parts may be repeated or not."""
    done: list[tuple[str, Json]] = []
    for at, part in parts:
        kind = next((name for name in DATA if name != "text" and has(part, name)), None)
        if kind == "functionCall":
            call = obj(get(part, kind))
            done.append(
                (f"{at}/{field_spelling(part, kind)}", {"name": call.get("name"), "args": call.get("args") or {}})
            )
        elif kind is not None:
            done.append((f"{at}/{field_spelling(part, kind)}", kind))
    return done


@check("gemini.history.thought-signature-verbatim")
def thought_signature_verbatim(x: Exchange) -> Verdicts:
    for replay in replays(x):
        yield from _call_signatures(replay)
        yield from _other_signatures(replay)


def _call_signatures(replay: ContentReplay) -> Verdicts:
    parts = [part for part in replay.answered if has(part, "functionCall")]
    for answered, (_, at, sent) in zip(parts, replay.calls, strict=False):
        signature = get(answered, "thoughtSignature")
        if signature is not None:
            found = get(sent, "thoughtSignature")
            same = signature_bytes(signature) == signature_bytes(found)
            yield holds(same, f"{at}/{field_spelling(sent, 'thoughtSignature')}", signature, found)


def _other_signatures(replay: ContentReplay) -> Verdicts:
    """Signatures on other parts. A stream carries a text's signature on an empty text after it."""
    sent = [signature_bytes(get(part, "thoughtSignature")) for _, part in replay.sent if not has(part, "functionCall")]
    for part in replay.answered:
        signature = get(part, "thoughtSignature")
        if signature is not None and not has(part, "functionCall"):
            there = signature_bytes(signature) in sent
            yield holds(there, f"{replay.at}/parts", {"thoughtSignature": signature}, "no part with it")


@check("gemini.history.signature-is-part-sibling")
def signature_is_part_sibling(x: Exchange) -> Verdicts:
    for at, call in sent_fields(x, "functionCall"):
        if get(call, "thoughtSignature") is not None:
            here = f"{at}/{field_spelling(obj(call), 'thoughtSignature')}"
            yield Finding(here, "a signature beside functionCall", get(call, "thoughtSignature"))
    for at, content in contents(x):
        for _, part in parts_of(at, content):
            if has(part, "thoughtSignature") and has(part, "functionCall"):
                yield None
