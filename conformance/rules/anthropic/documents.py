"""What checks look at in raw Messages documents: a request's blocks, an answer's blocks, and which repeats which.

Everything here takes what is there: documents may be hostile, and judging them is the checks' business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.model import AssistantTurn, Json
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange, once
from conformance.wires.facts import Object, SentCall, SentMessage, SentResult, items, obj

PlacedObject = tuple[str, Object]
"""A pointer and the object that is there."""

THINKING = ("thinking", "redacted_thinking")


def block_kind(block: Object) -> str:
    """The type of a block, ``""`` where it has none."""
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


def thinking_mode(x: Exchange) -> Json:
    """The request's thinking mode: ``enabled`` (by hand), ``adaptive``, ``disabled``; ``None`` where it is silent."""
    return obj(obj(x.facts.document).get("thinking")).get("type")


# --- requests --------------------------------------------------------------------------------------------------------


def placed(at: str, listed: Json) -> list[PlacedObject]:
    """The elements of ``listed``, if it is a list, with their pointers. What is no object becomes an empty one."""
    return [(f"{at}/{place}", item if isinstance(item, dict) else {}) for place, item in items(listed)]


@once
def messages(x: Exchange) -> list[PlacedObject]:
    """The request's messages, with their pointers."""
    return placed("/messages", obj(x.facts.document).get("messages"))


def blocks_of(at: str, message: Object) -> list[PlacedObject]:
    """The content blocks of a message, with their pointers."""
    return placed(f"{at}/content", message.get("content"))


def text_blocks(blocks: Iterable[PlacedObject]) -> Iterator[PlacedObject]:
    """The text blocks among blocks."""
    return ((at, block) for at, block in blocks if block_kind(block) == "text" and isinstance(block.get("text"), str))


@dataclass(frozen=True, slots=True)
class MessageSpeech:
    """All that one side says in a row.

    The API takes it as one message: a recorded error about the second of two user messages names it
    ``messages.0.content.1``, and calls spread over two assistant messages were accepted. System messages in between do
    not count.
    """

    by_model: bool
    messages: Sequence[SentMessage]
    blocks: Sequence[PlacedObject]

    @property
    def at(self) -> str:
        """The pointer of its first message."""
        return self.messages[0].at

    @property
    def calls(self) -> list[SentCall]:
        """Its calls."""
        return [call for message in self.messages for call in message.calls]

    @property
    def results(self) -> list[SentResult]:
        """Its results."""
        return [result for message in self.messages for result in message.results]


@once
def speeches(x: Exchange) -> list[MessageSpeech]:
    """The request's messages as the speeches of the model and of the user, in turn."""
    raw = dict(messages(x))
    listed = [message for message in x.facts.messages if message.role != "system"]
    return [
        _speech(by_model, list(run), raw) for by_model, run in groupby(listed, lambda item: item.role == "assistant")
    ]


def _speech(by_model: bool, run: Sequence[SentMessage], raw: Mapping[str, Object]) -> MessageSpeech:
    blocks = [block for message in run for block in _said(message.at, raw.get(message.at, {}))]
    return MessageSpeech(by_model, run, blocks)


def _said(at: str, message: Object) -> list[PlacedObject]:
    """The blocks of a message. Content that is text is one block."""
    content = message.get("content")
    if isinstance(content, str):
        return [(f"{at}/content", {"type": "text", "text": content})]
    return blocks_of(at, message)


# --- answers that come back ------------------------------------------------------------------------------------------


def answered_blocks(answer: Json, *kinds: str) -> list[Object]:
    """The content blocks of an answer: all of them, or those of these types."""
    blocks = [block for _, block in items(obj(answer).get("content")) if isinstance(block, dict)]
    return [block for block in blocks if not kinds or block_kind(block) in kinds]


@dataclass(frozen=True, slots=True)
class MessageReplay:
    """An earlier answer, and the blocks that repeat it; ``at`` is where these begin.

    ``current`` says whether the turn still goes on: since then the user has only sent results. ``loop`` is all that the
    model says in that turn.
    """

    exchange: Exchange
    answered: Sequence[Object]
    at: str
    sent: Sequence[PlacedObject]
    current: bool
    loop: Sequence[PlacedObject] = ()

    @property
    def opening(self) -> bool:
        """Whether the turn that still goes on begins with this answer."""
        return self.current and bool(self.loop) and self.loop[0][0].partition("/content")[0] == self.at


@once
def replays(x: Exchange) -> tuple[list[MessageReplay], list[Exchange]]:
    """The earlier answers that the request repeats, the oldest first, and those that it does not.

    The place in the conversation decides where there is a message for each turn of the model that says anything. Else
    it is the latest speech that has one of the same ids, or the same text.
    """
    found: list[MessageReplay] = []
    missing: list[Exchange] = []
    listed = speeches(x)
    going_on = _going_on(listed)
    said = [block for number in sorted(going_on) for block in listed[number].blocks]
    end = len(listed)
    for earlier in reversed(x.earlier):
        answered = answered_blocks(earlier.answer)
        if not answered or not _went_on(earlier):
            continue
        place = _place(x, earlier, answered, listed[:end])
        if place is None:
            missing.insert(0, earlier)
            continue
        number, message = place
        end = number + 1
        at, sent = (listed[number].at, listed[number].blocks) if message is None else (message.at, _of(listed, message))
        current = number in going_on
        found.insert(0, MessageReplay(earlier, answered, at, sent, current, said if current else ()))
    return found, missing


def _of(listed: Iterable[MessageSpeech], message: SentMessage) -> list[PlacedObject]:
    begin = f"{message.at}/content"
    return [
        (at, block)
        for speech in listed
        for at, block in speech.blocks
        if at == begin or at.startswith(f"{begin}/")
    ]


def _went_on(earlier: Exchange) -> bool:
    """Whether the conversation went on from this answer. From failures and cut streams it does not."""
    return earlier.complete and earlier.offered is not None and earlier.offered.error is None


def _going_on(listed: Sequence[MessageSpeech]) -> frozenset[int]:
    """The speeches of the turn that still goes on: those after which the user has only sent results."""
    current: set[int] = set()
    for number in range(len(listed) - 1, -1, -1):
        if listed[number].by_model:
            current.add(number)
        elif not listed[number].results:
            break
    return frozenset(current)


def _place(
    x: Exchange, earlier: Exchange, answered: Sequence[Object], listed: Sequence[MessageSpeech]
) -> tuple[int, SentMessage | None] | None:
    """Where an earlier answer is repeated: the number of the speech, and the message where it has one of its own."""
    own = [(number, message) for number, speech in enumerate(listed) if speech.by_model for message in speech.messages]
    place = _place_in_conversation(x, earlier, sum(message.role == "assistant" for message in x.facts.messages))
    if place is not None and place < len(own):
        return own[place]
    for number in range(len(listed) - 1, -1, -1):
        if listed[number].by_model and _alike(answered, listed[number].blocks):
            return number, None
    return None


def _place_in_conversation(x: Exchange, earlier: Exchange, sent: int) -> int | None:
    """Which message of the model an earlier answer is, if there is one for each turn that says anything."""
    if x.intent is None or earlier.intent is None:
        return None
    turns = [turn for turn in x.intent.turns if isinstance(turn, AssistantTurn)]
    before = [turn for turn in earlier.intent.turns if isinstance(turn, AssistantTurn)]
    if len(turns) == sent:
        return len(before)
    return len(list(filter(_speaks, before))) if len(list(filter(_speaks, turns))) == sent else None


def _speaks(turn: AssistantTurn) -> bool:
    return bool(turn.text.strip() or turn.calls)


def _alike(answered: Sequence[Object], sent: Sequence[PlacedObject]) -> bool:
    """Whether the blocks that were sent hold one of the same ids, or, where there are none, the same text."""
    ids = [own for block in answered if usable(own := id_of(block))]
    if ids:
        return any(id_of(block) in ids for _, block in sent)
    text = squeezed(answered)
    return bool(text) and text in squeezed(block for _, block in sent)


def id_of(block: Object) -> Json:
    """The id of a call, or the one that a result of the provider's own tools answers."""
    return block.get("id") if "id" in block else block.get("tool_use_id")


def squeezed(blocks: Iterable[Object]) -> str:
    """All text of ``blocks``, without white space: how pieces of text are joined is left open."""
    return "".join("".join(_texts(blocks)).split())


def _texts(blocks: Iterable[Object]) -> Iterator[str]:
    return (str(block.get("text") or "") for block in blocks if block_kind(block) == "text")


def events_of(x: Exchange, kind: str) -> list[Object]:
    """The stream's events of one type, in order."""
    return [event for event in x.documents if isinstance(event, dict) and event.get("type") == kind]
