"""Nobody speaks in another's place: what stands in a message of the user's or the model's, that one said."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import AssistantTurn, DecisionsTurn, ImagePart, ResultsTurn, Turn, UserTurn
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.many_texts import ManyTexts
from conformance.rules.shared.standing import text_of
from conformance.transcript import Exchange
from conformance.wires.facts import SentMessage


@check("common.history.own-words-of-the-user", needs_intent=True)
def own_words_of_the_user(x: Exchange) -> Verdicts:
    """Pictures of tools may need words of their own, and so may what the user decided."""
    if x.intent is None or x.facts.is_partial or any(map(_needs_words, x.intent.turns)):
        return
    said = [turn.text.strip() for turn in x.intent.turns if isinstance(turn, UserTurn)]
    said += [x.intent.system.strip()] if x.intent.system else []
    if not all(said):
        return
    own = [one for one in x.facts.messages if one.role == "user" and not one.results]
    texts = [(one.at, text) for one in own if (text := text_of(one).strip())]
    parts, wholes = ManyTexts(text for _, text in texts).found_in(said), ManyTexts(said)
    for at, text in texts:
        yield holds(text in parts or bool(wholes.found_in([text])), at, said, text)


def _needs_words(turn: Turn) -> bool:
    if isinstance(turn, ResultsTurn):
        return any(isinstance(part, ImagePart) for result in turn.results for part in result.content)
    return isinstance(turn, DecisionsTurn)


@check("common.history.own-words-of-the-model", needs_intent=True)
def own_words_of_the_model(x: Exchange) -> Verdicts:
    """A text may hold several turns, or a part of one. A refusal, and arguments that were no object, may be told as
    text. An item of its own with an empty text is nothing that a model said, unless one of its turns was empty.
    """
    if x.intent is None or x.facts.is_partial:
        return
    turns = [turn for turn in x.intent.turns if isinstance(turn, AssistantTurn)]
    said = {text for turn in turns for text in _words(turn)}
    silent = any(not turn.text and not turn.calls and not turn.refusal for turn in turns)
    own, expected = list(_of_the_model(x.facts.messages)), sorted(said)
    texts = (text.strip() for message in own for _, text in message.texts if isinstance(text, str))
    parts = ManyTexts(texts).found_in(expected)
    for message in own:
        for at, text in message.texts:
            if isinstance(text, str) and text.strip():
                yield holds(text.strip() in parts or _is_joined(text, said), at, expected, text)
        if x.facts.spread and message.texts and not message.calls and not any(text for _, text in message.texts):
            yield holds(silent, message.at, "only what the model said", "")


def _of_the_model(messages: list[SentMessage]) -> Iterator[SentMessage]:
    """The model's messages, but for those between results and what the user says: some providers want a word there."""
    for before, message, after in zip([None, *messages], messages, [*messages[1:], None], strict=False):
        between = before is not None and bool(before.results) and after is not None and after.role == "user"
        if message.role == "assistant" and not between:
            yield message


def _words(turn: AssistantTurn) -> Iterator[str]:
    raw = (call.raw or "" for call in turn.calls if call.invalid)
    yield from (text.strip() for text in (turn.text, turn.refusal or "", *raw) if text.strip())


def _is_joined(text: str, said: set[str]) -> bool:
    """Whether a text holds nothing but turns that were said, one after the other."""
    for one in sorted(said, key=len, reverse=True):
        text = text.replace(one, "")
    return not text.strip()
