"""Messages: what a request repeats of the conversation so far, and who says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.model import Json
from conformance.rules.anthropic_documents import (
    THINKING,
    Object,
    Placed,
    Replay,
    answered_blocks,
    blocks_of,
    id_of,
    kind_of,
    messages,
    placed,
    replays,
    speeches,
    squeezed,
)
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.models import asked_model
from conformance.rules.pairing import call_pairs, usable
from conformance.transcript import Exchange
from conformance.wires.anthropic.models import takes_prefill
from conformance.wires.facts import obj

ROLES = ("user", "assistant", "system")
"""``system`` is for guidance in the middle of a conversation: ``anthropic.types.SystemMessageParam``."""


# --- who speaks ------------------------------------------------------------------------------------------------------


@check("anthropic.history.user-assistant-roles")
def user_assistant_roles(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        role = message.get("role")
        yield holds(role in ROLES, f"{at}/role", ["user", "assistant"], role)
    for sent in x.facts.messages:
        if sent.role == "assistant" and sent.results:
            yield Finding(sent.results[0].at, 'results in a message with the role "user"', "assistant")


@check("anthropic.history.system-top-level")
def system_top_level(x: Exchange) -> Verdicts:
    document, said = obj(x.facts.document), messages(x)
    if said and said[0][1].get("role") == "system":
        yield Finding(said[0][0], "guidance in the field system", {"role": "system"})
        return
    system = document.get("system")
    wanted = x.intent.system if x.intent is not None else None
    if wanted is not None and wanted.strip():
        texts = [str(text) for at, text in x.facts.system if at.startswith("/system")]
        yield holds(wanted.strip() in "\n".join(texts), "/system", wanted, system)
    elif system is not None:
        kinds = [kind_of(block) for _, block in placed("/system", system)]
        right = isinstance(system, str) or (isinstance(system, list) and set(kinds) <= {"text"})
        yield holds(right, "/system", "text, or blocks of text", system)


@check("anthropic.history.no-prefill")
def no_prefill(x: Exchange) -> Verdicts:
    """A turn that is not over (``pause_turn``) goes back as it came, and calls want results: neither is a prefill."""
    if not x.facts.messages or takes_prefill(asked_model(x)):
        return
    last, speech = x.facts.messages[-1], speeches(x)[-1:]
    words = all(kind_of(block) in ("text", *THINKING) for said in speech for _, block in said.blocks)
    yield holds(last.role != "assistant" or not words, last.at, "a message of the user at the end", "assistant")


# --- text ------------------------------------------------------------------------------------------------------------


@check("anthropic.history.no-empty-text-blocks")
def no_empty_text_blocks(x: Exchange) -> Verdicts:
    said = messages(x)
    for place, (at, message) in enumerate(said):
        by_model = message.get("role") == "assistant"
        if by_model and place == len(said) - 1:
            continue  # the model goes on from what it is given
        content, blocks = message.get("content"), blocks_of(at, message)
        if isinstance(content, str) or content == []:
            yield holds(bool(content and content.strip()), f"{at}/content", "text, or no message at all", content)
        beside = by_model and any(kind_of(block) != "text" for _, block in blocks)
        yield from (_spoken(here, block, blank=beside) for here, block in _text_blocks(blocks))
    for here, block in _nested(x):
        yield _spoken(here, block, blank=True)


def _nested(x: Exchange) -> Iterator[Placed]:
    """The text blocks of results, and those of the system field. Tools may return white space."""
    for result in x.facts.results:
        yield from _text_blocks(placed(result.content_at, result.content))
    yield from _text_blocks(placed("/system", obj(x.facts.document).get("system")))


def _text_blocks(blocks: Iterable[Placed]) -> Iterator[Placed]:
    return ((at, block) for at, block in blocks if kind_of(block) == "text" and isinstance(block.get("text"), str))


def _spoken(at: str, block: Object, *, blank: bool) -> Finding | None:
    """Whether a text block says something. ``blank``: white space will do, as it does beside calls (recorded)."""
    text = block["text"]
    return holds(bool(text if blank else text.strip()), f"{at}/text", "text, or no block at all", text)


# --- the model's turns -----------------------------------------------------------------------------------------------


@check("anthropic.history.assistant-content-replayed")
def assistant_content_replayed(x: Exchange) -> Verdicts:
    for call in x.facts.calls:
        yield holds(isinstance(call.raw, dict), call.arguments_at, "an object", call.raw)
    repeated, missing = replays(x)
    for replay in repeated:
        yield _first_change(replay)
    covered = tuple(f"{replay.at}/" for replay in repeated)
    for meant, sent in call_pairs(x):
        if meant.arguments is not None and isinstance(sent.raw, dict) and not sent.at.startswith(covered):
            yield holds(sent.raw == meant.arguments, sent.arguments_at, meant.arguments, sent.raw)
    for earlier in missing if x.intent is not None else ():
        said = [piece.shown for piece in _pieces(("", block) for block in answered_blocks(earlier.answer))]
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

    @property
    def shown(self) -> Json:
        """The piece in a finding."""
        text = "".join(str(block["text"]) for block in self.blocks) if self.kind == "text" else None
        return {"type": self.kind, "id": self.key[1]} if text is None else {"type": "text", "text": text}


def _pieces(blocks: Iterable[Placed]) -> list[Piece]:
    """What blocks say. Thinking has a rule of its own, and what nobody knows need not be repeated."""
    pieces: list[Piece] = []
    for at, block in blocks:
        kind = kind_of(block)
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


def _first_change(replay: Replay) -> Finding | None:
    """The first thing that the model said and that is not repeated in its place.

    Calls may come later: the API wants them at the end, with nothing between them and their results.
    """
    said, sent = _pieces(("", block) for block in replay.answered), _pieces(replay.sent)
    keys, there = [piece.key for piece in said], [copy.key for copy in sent]
    followed = [key for key in keys if usable(key[1]) and keys.count(key) == 1 and key in there]
    after_all = after_others = 0
    for piece in said:
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
