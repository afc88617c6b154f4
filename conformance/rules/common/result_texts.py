"""Sending results, on every wire: long texts, who says them, and several files in one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.model import AssistantTurn, ResultsTurn
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.common.sent_texts import LARGE, MARKER, is_cut, sent_results, sent_texts
from conformance.rules.shared.many_texts import ManyTexts
from conformance.rules.shared.pairing import call_pairs, correlate
from conformance.rules.shared.texts import carries, own_text
from conformance.transcript import Exchange
from conformance.wires.facts import obj

SEPARATOR = re.compile(r"^--- (.+) ---[ \t\r]*$", re.MULTILINE)


@check("common.result.large-result-not-silently-cut", needs_intent=True)
def large_result_not_silently_cut(x: Exchange) -> Verdicts:
    for meant, sent in sent_results(x, errors=False):
        for text in sent_texts(meant):
            if len(text) < LARGE or sent.text is None:
                continue
            if carries(sent.text, text):
                yield None
            elif is_cut(sent.text, text):
                said = bool(MARKER.search(sent.text)) and "\ufffd" not in sent.text
                found = f"{len(sent.text)} characters, the last ones {sent.text[-20:]!r}"
                yield holds(said, sent.content_at, f"all {len(text)} characters", found)


@check("common.result.never-as-assistant-text")
def never_as_assistant_text(x: Exchange) -> Verdicts:
    for message in x.facts.messages:
        if message.role == "assistant":
            yield from (Finding(item.at, "results beside the model's turns", item.text) for item in message.results)
    for text, leak in _spoken_results(x) if x.intent is None else _intended_results(x):
        yield None if leak is None else Finding(leak, "no tool output in the model's words", text)


def _intended_results(x: Exchange) -> Iterator[tuple[str, str | None]]:
    """The text of each result which the model's own words do not hold, and where the assistant says it, if it does."""
    turns = x.intent.turns if x.intent is not None else ()
    own = [turn.text for turn in turns if isinstance(turn, AssistantTurn) and turn.text]
    results = (result for turn in turns if isinstance(turn, ResultsTurn) for result in turn.results)
    texts = [text for result in results if len(text := own_text(result).strip()) > 3]
    accounted = ManyTexts(texts).found_in(own)
    rest, places = [text for text in texts if text not in accounted], _assistant_texts(x)
    leaks = ManyTexts(rest).found_in([said for _, said in places])
    yield from ((text, places[leaks[text]][0] if text in leaks else None) for text in rest)


def _spoken_results(x: Exchange) -> Iterator[tuple[str, str | None]]:
    """Where nothing says what was meant: each result, and where the message that carries its call says the same."""
    found = correlate(x.facts)
    for message in x.facts.messages:
        said = {text.strip(): at for at, text in reversed(message.texts) if isinstance(text, str)}
        for call in message.calls:
            result = found.answers.get(call.at)
            text = (result.text or "").strip() if result is not None else ""
            if len(text) > 3:
                yield text, said.get(text)


def _assistant_texts(x: Exchange) -> list[tuple[str, str]]:
    messages = [message for message in x.facts.messages if message.role == "assistant"]
    return [(at, text) for message in messages for at, text in message.texts if isinstance(text, str) and text.strip()]


@check("common.result.read-many-files-separators")
def read_many_files_separators(x: Exchange) -> Verdicts:
    found = correlate(x.facts)
    turns = x.intent.turns if x.intent is not None else ()
    meant = {result.call_id: result for turn in turns if isinstance(turn, ResultsTurn) for result in turn.results}
    for call, replayed in call_pairs(x):
        sent, result = found.answers.get(replayed.at), meant.get(call.id)
        if call.name != "read_many_files" or sent is None or sent.text is None or replayed.at in found.guessed:
            continue
        wanted = SEPARATOR.findall(own_text(result)) if result is not None else obj(call.arguments).get("paths")
        if wanted and not (result is not None and result.is_error):
            separators = SEPARATOR.findall(sent.text)
            yield holds(separators == wanted, sent.content_at, wanted, separators)
