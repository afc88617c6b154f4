"""Messages: what the model said goes back to it as it came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from conformance.model import Json
from conformance.rules.anthropic.documents import (
    THINKING,
    MessageReplay,
    PlacedObject,
    answered_blocks,
    block_kind,
    id_of,
    replays,
    squeezed,
    thinking_mode,
)
from conformance.rules.anthropic.thinking import (
    THINKING_FIELDS,
    Pair,
    answered_thinking,
    changed_block,
    own_replays,
    proof,
    sent_thinking,
    thinking_pairs,
)
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import call_pairs, left_out, usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object


@check("anthropic.history.assistant-content-replayed")
def assistant_content_replayed(x: Exchange) -> Verdicts:
    for call in x.facts.calls:
        yield holds(isinstance(call.raw, dict), call.arguments_at, "an object", call.raw)
    repeated, missing = replays(x)
    may_lack = left_out(x)
    for replay in repeated:
        yield _first_change(replay, may_lack)
    covered = tuple(f"{replay.at}/" for replay in repeated)
    for meant, sent in call_pairs(x):
        if meant.arguments is not None and isinstance(sent.raw, dict) and not sent.at.startswith(covered):
            yield holds(sent.raw == meant.arguments, sent.arguments_at, meant.arguments, sent.raw)
    for earlier in missing if x.intent is not None else ():
        pieces = _pieces(("", block) for block in answered_blocks(earlier.answer))
        said = [piece.shown for piece in pieces if not piece.is_among(may_lack)]
        if said:
            yield Finding("/messages", said, "no message of the model that says so")


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that the model said: a run of text, or one block."""

    at: str
    kind: str
    blocks: Sequence[Object]

    @property
    def key(self) -> tuple[str, Json]:
        """What tells a block apart: its type and id. A use of the provider's tools and its result share the id."""
        return self.kind, id_of(self.blocks[0])

    def is_among(self, ids: Set[str]) -> bool:
        """Whether it is a block with one of these ids."""
        return usable(self.key[1]) and self.key[1] in ids

    @property
    def shown(self) -> Json:
        """The piece in a finding."""
        text = "".join(str(block["text"]) for block in self.blocks) if self.kind == "text" else None
        return {"type": self.kind, "id": self.key[1]} if text is None else {"type": "text", "text": text}


def _pieces(blocks: Iterable[PlacedObject]) -> list[Piece]:
    """What blocks say. Thinking has a rule of its own, and what nobody knows need not be repeated."""
    pieces: list[Piece] = []
    for at, block in blocks:
        kind = block_kind(block)
        if kind == "text" and isinstance(block.get("text"), str):
            if pieces and pieces[-1].kind == "text":
                pieces[-1] = Piece(pieces[-1].at, kind, [*pieces[-1].blocks, block])
            elif block["text"].strip():
                pieces.append(Piece(at, kind, [block]))
        elif kind.endswith(("tool_use", "_tool_result")) and not (kind != "tool_use" and _is_cut(block)):
            pieces.append(Piece(at, kind, [block]))
    return pieces


def _is_cut(block: Object) -> bool:
    """Whether the input of a block is no object, because the token limit cut it."""
    return "input" in block and not isinstance(block["input"], dict)


def _first_change(replay: MessageReplay, may_lack: Set[str]) -> Finding | None:
    """The first thing that the model said and that is not repeated in its place.

    Calls may come later: the API wants them at the end, with nothing between them and their results. Those whose ids
    are in ``may_lack`` may be left out.
    """
    said, sent = _pieces(("", block) for block in replay.answered), _pieces(replay.sent)
    keys, there = [piece.key for piece in said], [copy.key for copy in sent]
    followed = [key for key in keys if usable(key[1]) and keys.count(key) == 1 and key in there]
    after_all = after_others = 0
    for piece in (one for one in said if not one.is_among(may_lack)):
        is_call = piece.kind == "tool_use"
        begin = after_all if is_call else after_others
        places = [number for number, copy in enumerate(sent) if _repeats(copy, piece, followed)]
        place = next((number for number in places if number >= begin), None)
        if place is None:
            at = sent[places[0]].at if places else replay.at
            expected = f"after what came before it: {piece.shown}" if places else piece.shown
            return Finding(at, expected, [copy.shown for copy in sent])
        end = place if piece.kind == "text" else place + 1
        after_all, after_others = max(after_all, end), after_others if is_call else end
        if change := _changed(sent[place], piece):
            return change
    return None


def _repeats(copy: Piece, piece: Piece, followed: Sequence[tuple[str, Json]]) -> bool:
    """Whether ``copy`` is ``piece``: the same text, or the same id. An id that is not followed may be another now."""
    if copy.kind != piece.kind:
        return False
    if piece.kind == "text":
        return squeezed(piece.blocks) in squeezed(copy.blocks)
    if piece.key in followed:
        return copy.key == piece.key
    return piece.kind == "tool_use" and piece.blocks[0].get("name") == copy.blocks[0].get("name")


def _changed(copy: Piece, piece: Piece) -> Finding | None:
    """What is different in a block that is there. A call's input that is no object is another verdict's matter."""
    wanted, found = piece.blocks[0], copy.blocks[0]
    if piece.kind == "tool_use":
        own, sent = wanted.get("input"), found.get("input")
        changed = isinstance(own, dict) and isinstance(sent, dict) and own != sent
        return Finding(f"{copy.at}/input", own, sent) if changed else None
    if piece.kind == "text" or _sealed(wanted) == _sealed(found):
        return None
    return Finding(f"{copy.at}/content", _sealed(wanted), _sealed(found))


def _sealed(block: Object) -> list[Json]:
    """What the provider encrypted in a block of its own, to read it when it comes back."""
    found: list[Json] = []
    pending: list[Json] = [block.get("content")]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            found += [item for key, item in sorted(value.items()) if key.startswith("encrypted") and item is not None]
        pending += list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return found


@check("anthropic.history.thinking-blocks-verbatim")
def thinking_blocks_verbatim(x: Exchange) -> Verdicts:
    """The thinking of turns that are over may be left out. How a stream was put together is left to the next rule."""
    if thinking_mode(x) == "disabled":
        return
    for replay in own_replays(x):
        came, sent = answered_thinking(replay), sent_thinking(replay)
        if came and (sent or replay.current):
            pairs = thinking_pairs(came, sent, [placed for placed in replay.loop if block_kind(placed[1]) in THINKING])
            yield next((found for found in _faults(replay, pairs) if found is not None), None)


def _faults(replay: MessageReplay, pairs: Sequence[Pair]) -> Iterator[Finding | None]:
    for block, copy in pairs:
        if copy is None and replay.current:
            yield Finding(replay.at, _shown(block), [block_kind(other) for _, other in replay.sent])
        elif copy is not None and not replay.exchange.streamed:
            yield changed_block(block, copy)
    order = [at for at, _ in replay.sent]
    places = [order.index(copy[0]) for _, copy in pairs if copy is not None and copy[0] in order]
    if places != sorted(places):
        yield Finding(order[places[0]], "thinking in the order in which it came", _shown(replay.sent[places[0]][1]))
    if places and replay.opening and block_kind(replay.answered[0]) in THINKING:
        yield _not_first(replay, order[places[0]])
    if replay.current:
        yield _sent_twice(replay, [proof(block) for block, _ in pairs])


def _sent_twice(replay: MessageReplay, came: Sequence[object]) -> Finding | None:
    """Thinking that is sent more often than it came."""
    sent = [(at, proof(block)) for at, block in sent_thinking(replay)]
    meant, found = Counter(map(str, came)), Counter(str(own) for _, own in sent)
    at = next((at for at, own in reversed(sent) if found[str(own)] > meant[str(own)] > 0), None)
    return None if at is None else Finding(at, "thinking as often as it came", "once more")


def _not_first(replay: MessageReplay, at: str) -> Finding | None:
    """Whether the message whose thinking is at ``at`` begins with something else."""
    message = at.partition("/content")[0]
    first = next(block for here, block in replay.sent if here.startswith(f"{message}/"))
    return (
        None
        if block_kind(first) in THINKING
        else Finding(at, "thinking first, as it came", f"after {block_kind(first)}")
    )


def _shown(block: Object) -> Object:
    return {name: block[name] for name in THINKING_FIELDS if name in block}
