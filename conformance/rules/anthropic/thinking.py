"""Messages: the thinking of an answer beside what a request repeats of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.rules.anthropic.documents import THINKING, MessageReplay, PlacedObject, block_kind, replays
from conformance.rules.check import Finding
from conformance.transcript import Exchange
from conformance.wires.facts import Object

THINKING_FIELDS = ("type", "thinking", "signature", "data")

Pair = tuple[Object, PlacedObject | None]
"""A block that came, and the one that repeats it."""


def answered_thinking(replay: MessageReplay) -> list[Object]:
    """The thinking of an answer. What has no signature was cut, or came from a host that does not check it."""
    return [block for block in replay.answered if block_kind(block) in THINKING and proof(block)]


def sent_thinking(replay: MessageReplay) -> list[PlacedObject]:
    return [(at, block) for at, block in replay.sent if block_kind(block) in THINKING]


def proof(block: Object) -> object:
    """What tells thinking apart, and proves where it is from."""
    return block.get("signature") or block.get("data")


def thinking_pairs(
    came: Sequence[Object], sent: Sequence[PlacedObject], beside: Sequence[PlacedObject] = ()
) -> list[Pair]:
    """Each block that came with the one that repeats it: by its mark, or by place if there are as many.

    ``beside`` is where else its mark may be: an answer that goes back in several messages has it in the first of them.
    """
    pairs: list[Pair] = []
    for place, block in enumerate(came):
        copy = next((found for found in (*sent, *beside) if proof(found[1]) == proof(block)), None)
        pairs.append((block, sent[place] if copy is None and len(sent) == len(came) else copy))
    return pairs


def own_replays(x: Exchange) -> Iterator[MessageReplay]:
    """The answers of the model that was asked. A ``fallback`` block says that another one took over."""
    return (replay for replay in replays(x)[0] if "fallback" not in map(block_kind, replay.answered))


def changed_block(block: Object, copy: PlacedObject) -> Finding | None:
    at, found = copy
    changed = [name for name in THINKING_FIELDS if block.get(name) != found.get(name)]
    return Finding(f"{at}/{changed[0]}", block.get(changed[0]), found.get(changed[0])) if changed else None
