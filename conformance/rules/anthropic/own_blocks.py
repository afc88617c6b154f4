"""Messages: what the provider put into a turn for itself, such as searches and compactions, goes back as it came."""

from __future__ import annotations

from conformance.rules.anthropic.documents import THINKING, answered_blocks, block_kind, replays, speeches
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.own_items import unchanged
from conformance.transcript import Exchange
from conformance.wires.facts import Object

JUDGED_APART = ("text", "tool_use", "tool_result", *THINKING)
"""Kinds of blocks that other rules look at."""


@check("anthropic.history.own-blocks-unchanged")
def own_blocks_unchanged(x: Exchange) -> Verdicts:
    """A use of the provider's own tools and its result share an id, but not their type."""
    came = [block for earlier in x.earlier for block in answered_blocks(earlier.answer) if _is_own(block)]
    own = (placed for speech in speeches(x) if speech.by_model for placed in speech.blocks)
    sent = [placed for placed in own if _is_own(placed[1])]
    yield from unchanged(sent, came)


def _is_own(block: Object) -> bool:
    return block_kind(block) not in JUDGED_APART


@check("anthropic.history.compaction-kept")
def compaction_kept(x: Exchange) -> Verdicts:
    """The latest one is enough: what came before it the provider drops. One without a summary says nothing."""
    summed_up = [replay for replay in replays(x)[0] if any(map(_is_summary, replay.answered))]
    if summed_up:
        sent = [block for speech in speeches(x) if speech.by_model for _, block in speech.blocks]
        kinds = [block_kind(block) for block in sent]
        yield holds(any(map(_is_summary, sent)), summed_up[-1].at, "the compaction, with its content", kinds)


def _is_summary(block: Object) -> bool:
    return block_kind(block) == "compaction" and isinstance(block.get("content"), str)
