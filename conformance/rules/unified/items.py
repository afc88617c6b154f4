"""The gateway's own API: what its items are, what is chosen, how failures are told."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj
from conformance.wires.naming import wire_names
from conformance.wires.unified.request import CHOICE_MODES, DECISION, ROLES

BLOCKS = {"text": ("text",), "reasoning": ("text",), "refusal": ("text",), "image": ("media_type", "data")}
"""The blocks of a message, and their members that are text."""


def _items(x: Exchange) -> Iterator[tuple[str, Json]]:
    for place, item in items(obj(x.facts.document).get("input")):
        yield f"/input/{place}", item


@check("unified.history.item-types")
def item_types(x: Exchange) -> Verdicts:
    """Decisions have a rule of their own."""
    for at, item in _items(x):
        kind, role = obj(item).get("type", "message"), obj(item).get("role")
        if kind != DECISION:
            yield holds(kind == "message", f"{at}/type", "message", kind)
            yield holds(isinstance(role, str) and role in ROLES, f"{at}/role", list(ROLES), role)
            for place, block in items(obj(item).get("content")):
                yield _block(f"{at}/content/{place}", obj(block))


def _block(at: str, block: Object) -> Finding | None:
    kind = block.get("type")
    missing = [name for name in BLOCKS.get(str(kind), ()) if not isinstance(block.get(name), str)]
    known = isinstance(kind, str) and kind in BLOCKS
    return holds(known and not missing, at, {"type": list(BLOCKS), "with texts": missing}, block)


@check("unified.history.reasoning-verbatim")
def reasoning_verbatim(x: Exchange) -> Verdicts:
    blocks = [block for _, item in _items(x) for _, block in items(obj(item).get("content"))]
    sent = [block for block in blocks if obj(block).get("type") == "reasoning"]
    came = [block for earlier in x.earlier if earlier.complete for block in _reasoning(earlier.answer)]
    for block in came:
        yield holds(sent.count(block) == came.count(block), "/input", block, sent)
    for block in sent if came else ():
        yield holds(block in came, "/input", "reasoning that came", block)


def _reasoning(answer: Json) -> Iterator[Json]:
    for _, message in items(obj(answer).get("output")):
        for _, block in items(obj(message).get("content")):
            if obj(block).get("type") == "reasoning":
                yield block


@check("unified.choose.as-asked")
def as_asked(x: Exchange) -> Verdicts:
    if x.intent is None or not x.intent.tools:
        return
    wanted, raw = x.intent.choice, obj(x.facts.document).get("tool_choice")
    if wanted.mode == "tool":
        names = [wanted.name, wire_names(x.intent.tools).get(wanted.name or "")]
        declared = [tool.name for tool in x.facts.functions if tool.name in names]
        yield holds(obj(raw).get("name") in declared, "/tool_choice", {"name": names[-1]}, raw)
    elif raw is not None or wanted.mode != "auto":
        yield holds(isinstance(raw, str) and CHOICE_MODES.get(raw) == wanted.mode, "/tool_choice", wanted.mode, raw)
    if wanted.parallel is not None:
        yield equal(x.facts.parallel_at, wanted.parallel, x.facts.parallel)


@check("unified.error.body-shape")
def body_shape(x: Exchange) -> Verdicts:
    """A reader may put words around the message."""
    if x.turn is None or x.offered is None or x.offered.error is None:
        return
    told, found = x.offered.error, x.turn.error
    yield equal("/stop", "error", x.turn.stop)
    if found is None:
        yield Finding("/error", told.message, None)
        return
    yield holds(told.message in str(found.message), "/error/message", told.message, found.message)
    yield equal("/error/status", told.status, found.status)
    yield equal("/error/type", told.type, found.type)
