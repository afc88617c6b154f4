"""Whether the model can see in a result what its call really did.

The workspace is ours, so it is known what a call does: which text a file has, that a command ends with 3. Words of an
agent are its own, so much is taken as telling: a mark of an error, a word for it, the number itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from conformance.agents.script import Effect, FailKind
from conformance.http import Request
from conformance.model import Json, decoded_json
from conformance.wires.facts import SentResult

_NO_ERROR = re.compile(r"\berrors?\W{0,3}\(?(?:none|null|0|empty)\b\)?|\bno errors?\b", re.IGNORECASE)
_ERROR = (
    r"fail|error|non-?zero|unsuccessful|invalid|cannot|could ?n.t|can't|unable|denied"
    r"|\bblocked\b|refused|rejected|not allowed|not permitted|detected"
)
TOLD_BY: Mapping[FailKind, re.Pattern[str]] = {
    "exit code": re.compile(
        rf"{_ERROR}|not found|no such|\bkilled\b|terminated|\bsignal\W{{0,3}}(?:\d|SIG)|\bSIG(?:KILL|TERM|HUP|INT)\b",
        re.IGNORECASE,
    ),
    "missing file": re.compile(
        rf"{_ERROR}|no such|not (?:be )?found|not exist|n't exist|ENOENT|missing|no file|not a file", re.IGNORECASE
    ),
    "unknown tool": re.compile(
        rf"{_ERROR}|unknown|no such|no tool|not (?:a )?(?:be )?(?:found|available|exist|defined|registered|supported"
        r"|recogni[sz]ed|enabled|valid|allowed)|n't exist|unsupported|unrecogni[sz]ed|unavailable",
        re.IGNORECASE,
    ),
    "interrupted": re.compile(
        rf"{_ERROR}|abort|interrupt|cancel|\bkill|terminat|signal|stopped|tim(?:ed|e) ?out"
        r"|\bno (?:result|output|response)"
        r"|not (?:be )?(?:complete|finish|run|execut|provided|available|known|recorded)|incomplete|unknown|lost|skipped"
        r"|still running|missing",
        re.IGNORECASE,
    ),
    "no match": re.compile(rf"{_ERROR}|no match|not (?:be )?found|0 (?:matches|occurrences)|nothing", re.IGNORECASE),
}
"""Words that tell of a failure, beside a mark of the provider's format."""

FEW = 500
"""How many characters a result has at most that says nothing but that something failed."""

_CUT = re.compile(r"truncat|omitted|\bcut\b|trimmed|elided|…|\.\.\.|too (?:long|large|big)|limit|saved|skipped|remain"
                  r"|exceed|capped|showing|more (?:lines|characters|bytes)", re.IGNORECASE)  # fmt: skip
_AS_BEFORE = re.compile(
    r"unchanged|not changed|already (?:been )?(?:read|shown|provided)|earlier|previous", re.IGNORECASE
)
_NO_TEXT = re.compile(r"\ufffd|\0|\\u0000|[A-Za-z0-9+/]{80}")
_NO_BYTES = re.compile(r"\ufffd|\0")
_NO_PICTURE = re.compile(r"image|picture|binary|unsupported|not supported|cannot|png", re.IGNORECASE)
_PICTURE_IN_BODY = re.compile(
    rb"\"inline_?data\"|\"type\"\s*:\s*\"(?:input_)?image(?:_url)?\"", re.IGNORECASE
)


class EffectProblem(NamedTuple):
    """What a result does not show: the rule, what should be there, and what is."""

    rule: str
    expected: str
    found: str


def problem_of(
    effect: Effect, result: SentResult, request: Request, said: Collection[Json] = (), beside: str = ""
) -> EffectProblem | None:
    """What the model cannot see of a call in its result, if anything.

    ``said`` are the arguments of the call: what a result repeats of them tells nothing of how it ended. ``beside`` is
    what the client tells the model along with the results.
    """
    text = result.text if isinstance(result.text, str) else ""
    if effect.fails is not None and not _tells_failure(effect, _without(text, said), result.error):
        return EffectProblem("agent.result.failure-visible", _failure_words(effect), _short(text))
    told = _NO_PICTURE.search(text) is not None or admits_failure(text, result.error)
    if effect.binary and _NO_BYTES.search(text) and not told:
        return EffectProblem("agent.result.binary-told", "that the file is no text, or its bytes", _short(text))
    if effect.picture and not _shows_picture(result, request, text):
        return EffectProblem("agent.result.picture-shown", "a picture, or words that it cannot be shown", _short(text))
    missing = [mark for mark in effect.shows if not shows(text, mark)]
    if missing and not (effect.long and _CUT.search(text + beside)):
        excused = effect.fails is None and admits_failure(text, result.error)
        rule = "agent.tool.works" if excused else "agent.result.says-what-the-tool-said"
        return EffectProblem(rule, f"a result with {missing[0]!r}", _short(text))
    if effect.shows and _is_encoded_twice(text) and not effect.shows[0].startswith('"'):
        return EffectProblem(
            "agent.result.says-what-the-tool-said", "what the tool said, and not JSON of JSON of it", _short(text)
        )
    if effect.succeeds and admits_failure(text, result.error):
        return EffectProblem("agent.tool.works", "that it is done", _short(text))
    if effect.long and not shows(text, effect.long) and admits_failure(text, result.error):
        return EffectProblem("agent.tool.works", f"an output that ends with {effect.long!r}", _short(text))
    if effect.long and not shows(text, effect.long) and not _CUT.search(text + beside):
        return EffectProblem("agent.result.cut-is-told", f"{effect.long!r}, or words that it was cut", _short(text))
    return None


def shows(text: str, mark: str) -> bool:
    """Whether a text holds a mark: as it is, or inside of JSON."""
    escaped = (json.dumps(mark, ensure_ascii=plain)[1:-1] for plain in (True, False))
    return mark in text or any(form in text for form in escaped)


def _is_encoded_twice(text: str) -> bool:
    """Whether a text is JSON of a text that is JSON of a text. Once may be how an agent writes its results."""
    for _ in range(2):
        if not text.startswith('"'):
            return False
        inner = decoded_json(text)
        if not isinstance(inner, str):
            return False
        text = inner
    return True


def _without(text: str, said: Collection[Json]) -> str:
    for word in said:
        text = text.replace(word, "") if isinstance(word, str) and word else text
    return text


def _is_garbled(text: str) -> bool:
    """Whether a text is bytes that were no text: decoded all the same, or as base64 for nobody but a program."""
    return _NO_TEXT.search(text) is not None


def _tells_failure(effect: Effect, text: str, marked: bool | None) -> bool:
    assert effect.fails is not None
    if marked:
        return True
    number = effect.exit_code
    if number is not None and re.search(rf"(?<![\w.]){number}(?![\w.]*\w)", text):
        return True
    return TOLD_BY[effect.fails].search(_NO_ERROR.sub("", text)) is not None


def admits_failure(text: str, marked: bool | None) -> bool:
    """Whether a result tells of a failure in a few words: then the tool failed, and the model knows."""
    return bool(marked) or (len(text) < FEW and re.search(_ERROR, _NO_ERROR.sub("", text), re.IGNORECASE) is not None)


def points_back(text: str) -> bool:
    """Whether a result says in a few words that an earlier one has what it would say."""
    return len(text) < FEW and _AS_BEFORE.search(text) is not None


def _failure_words(effect: Effect) -> str:
    number = "" if effect.exit_code is None else f" {effect.exit_code}"
    return f"that the call failed ({effect.fails}{number})"


def _shows_picture(result: SentResult, request: Request, text: str) -> bool:
    """Whether the model sees a picture, or words that it cannot."""
    if result.images or _PICTURE_IN_BODY.search(request.body):
        return True
    told = _NO_PICTURE.search(text) is not None or admits_failure(text, result.error)
    return told and not _is_garbled(text)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 200 else f"{words[:200]}…"
