"""The texts of results as they were sent, beside what the tools said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from conformance.model import TextPart, ToolResult
from conformance.rules.shared.pairing import answers, by_turn
from conformance.rules.shared.texts import misplaced, own_text
from conformance.transcript import Exchange
from conformance.wires.facts import SentResult

LARGE = 256
"""From this many characters on, a text that was cut is the finding of the rule on large results alone."""

MARKER = re.compile(r"truncat|omitt|shorten|elided|abridged|…|\[\.\.\.|more (characters|bytes|lines)", re.IGNORECASE)
"""Words by which a client tells the model that something is missing."""


def sent_results(x: Exchange, *, errors: bool) -> Iterator[tuple[ToolResult, SentResult]]:
    """The results, or the failures, that were sent, those aside that went to another call."""
    for turn in by_turn(answers(x)).values():
        texts = dict.fromkeys(own_text(answer.meant) for answer in turn)
        for answer in turn:
            if answer.sent is None or answer.meant.is_error != errors:
                continue
            if len(turn) == 1 or not misplaced(answer.sent.text or "", answer.meant, texts):
                yield answer.meant, answer.sent


def sent_texts(result: ToolResult) -> list[str]:
    return [part.text for part in result.content if isinstance(part, TextPart) and part.text.strip()]


def is_cut(sent: str, text: str) -> bool:
    """Whether ``sent`` is the beginning, or the end, of ``text``, with at most a short notice beside it."""
    if not 0 < len(sent) < len(text) and not sent.endswith("\ufffd"):
        return False
    half = -(-len(sent) // 2)
    return text.startswith(sent[:half]) or text.endswith(sent[-half:])


def says_all(sent: str, texts: Sequence[str]) -> bool:
    """Whether all texts are there. Each is looked for behind the one before it, and only then from the start."""
    at = 0
    for text in texts:
        at = found if (found := sent.find(text, at)) >= 0 else sent.find(text)
        if at < 0:
            return False
    return True


def quotes_any(sent: str, texts: Sequence[str]) -> bool:
    """Whether a part that was plain text stands between quotes, as JSON, on a line of its own."""
    lines = set(sent.splitlines())
    return any(json.dumps(text, ensure_ascii=False) in lines for text in texts)
