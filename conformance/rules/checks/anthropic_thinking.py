"""Messages: thinking that goes back to the model as it came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.rules.anthropic_documents import THINKING, Object, Placed, Replay, kind_of, replays, thinking_mode
from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.models import model_changed
from conformance.transcript import Exchange

FIELDS = ("type", "thinking", "signature", "data")

Pair = tuple[Object, Placed | None]
"""A block that came, and the one that repeats it."""


def _came(replay: Replay) -> list[Object]:
    """The thinking of an answer. What has no signature was cut, or came from a host that does not check it."""
    return [block for block in replay.answered if kind_of(block) in THINKING and _mark(block)]


def _sent(replay: Replay) -> list[Placed]:
    return [(at, block) for at, block in replay.sent if kind_of(block) in THINKING]


def _mark(block: Object) -> object:
    """What tells thinking apart, and proves where it is from."""
    return block.get("signature") or block.get("data")


def _pairs(came: Sequence[Object], sent: Sequence[Placed], beside: Sequence[Placed] = ()) -> list[Pair]:
    """Each block that came with the one that repeats it: by its mark, or by place if there are as many.

    ``beside`` is where else its mark may be: an answer that goes back in several messages has it in the first of them.
    """
    pairs: list[Pair] = []
    for place, block in enumerate(came):
        copy = next((found for found in (*sent, *beside) if _mark(found[1]) == _mark(block)), None)
        pairs.append((block, sent[place] if copy is None and len(sent) == len(came) else copy))
    return pairs


@check("anthropic.history.thinking-blocks-verbatim")
def thinking_blocks_verbatim(x: Exchange) -> Verdicts:
    """The thinking of turns that are over may be left out. How a stream was put together is left to the next rule."""
    if thinking_mode(x) == "disabled":
        return
    for replay in _own_replays(x):
        came, sent = _came(replay), _sent(replay)
        if came and (sent or replay.current):
            pairs = _pairs(came, sent, [placed for placed in replay.loop if kind_of(placed[1]) in THINKING])
            yield next((found for found in _faults(replay, pairs) if found is not None), None)


def _own_replays(x: Exchange) -> Iterator[Replay]:
    """The answers of the model that is asked now. A ``fallback`` block says that another one took over."""
    return (
        replay
        for replay in replays(x)[0]
        if not model_changed(x, replay.exchange) and "fallback" not in map(kind_of, replay.answered)
    )


def _faults(replay: Replay, pairs: Sequence[Pair]) -> Iterator[Finding | None]:
    for block, copy in pairs:
        if copy is None and replay.current:
            yield Finding(replay.at, _shown(block), [kind_of(other) for _, other in replay.sent])
        elif copy is not None and not replay.exchange.streamed:
            yield _changed(block, copy)
    order = [at for at, _ in replay.sent]
    places = [order.index(copy[0]) for _, copy in pairs if copy is not None and copy[0] in order]
    if places != sorted(places):
        yield Finding(order[places[0]], "thinking in the order in which it came", _shown(replay.sent[places[0]][1]))
    if places and replay.opening and kind_of(replay.answered[0]) in THINKING:
        yield _not_first(replay, order[places[0]])


def _not_first(replay: Replay, at: str) -> Finding | None:
    """Whether the message whose thinking is at ``at`` begins with something else."""
    message = at.partition("/content")[0]
    first = next(block for here, block in replay.sent if here.startswith(f"{message}/"))
    return None if kind_of(first) in THINKING else Finding(at, "thinking first, as it came", f"after {kind_of(first)}")


def _changed(block: Object, copy: Placed) -> Finding | None:
    at, found = copy
    changed = [name for name in FIELDS if block.get(name) != found.get(name)]
    return Finding(f"{at}/{changed[0]}", block.get(changed[0]), found.get(changed[0])) if changed else None


def _shown(block: Object) -> Object:
    return {name: block[name] for name in FIELDS if name in block}


@check("anthropic.stream.signature-delta-kept")
def signature_delta_kept(x: Exchange) -> Verdicts:
    """What was put together from a stream shows in the request that repeats it. What is not there is not examined."""
    for replay in _own_replays(x):
        if replay.exchange.streamed:
            for block, copy in _pairs(_came(replay), _sent(replay)):
                if copy is not None:
                    yield _changed(block, copy)
