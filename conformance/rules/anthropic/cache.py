"""Messages: marks that say which prefix is to be kept."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.rules.anthropic.documents import THINKING, block_kind, blocks_of, messages, placed
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.cache_marks import CACHE_MARK
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj

MOST_MARKS = 4


@check("anthropic.http.cache-marks-at-most-4")
def cache_marks_at_most_4(x: Exchange) -> Verdicts:
    """The mark of the request itself, which puts one where the conversation ends, counts."""
    marked = [at for at, holder in _holders(x) if holder.get(CACHE_MARK) is not None]
    if marked:
        fits = len(marked) <= MOST_MARKS
        yield holds(fits, f"{marked[-1]}/{CACHE_MARK}", f"at most {MOST_MARKS} marks for the cache", len(marked))


def _holders(x: Exchange) -> Iterator[tuple[str, Object]]:
    """What may have a mark, with its pointer, in the order in which the provider reads it."""
    document = obj(x.facts.document)
    yield from placed("/tools", document.get("tools"))
    yield from placed("/system", document.get("system"))
    for at, message in messages(x):
        for here, block in blocks_of(at, message):
            yield here, block
            yield from blocks_of(here, block)
    yield "", document


@check("anthropic.choose.caching-as-asked", needs_intent=True)
def caching_as_asked(x: Exchange) -> Verdicts:
    """A mark keeps all that stands before it. A system prompt that is a text has no place for one."""
    if x.intent is None or not x.intent.caching:
        return
    holders = list(_holders(x))
    fixed = sum(at.startswith(("/tools", "/system")) for at, _ in holders)
    marked = [place for place, (_, holder) in enumerate(holders) if holder.get(CACHE_MARK) is not None]
    in_words = isinstance(obj(x.facts.document).get("system"), str)
    kept = bool(marked) and marked[-1] >= (fixed if in_words else fixed - 1)
    wanted = f"{CACHE_MARK} after the tools and the system prompt"
    yield holds(kept, holders[fixed - 1][0] if fixed else "", wanted, [holders[place][0] for place in marked])


@check("anthropic.history.no-mark-on-thinking")
def no_mark_on_thinking(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        for here, block in blocks_of(at, message):
            if block_kind(block) in THINKING:
                marked = CACHE_MARK in block
                yield Finding(f"{here}/{CACHE_MARK}", "no mark on thinking", block[CACHE_MARK]) if marked else None
