"""What a rule rests on at a provider, and what follows from it.

    EVIDENCE        what is known                                           consequence of a `rejected` rule
    refused         a recorded refusal, or a thread that quotes the error   rejected
    documented      the provider's documentation says that it refuses       rejected
    presumed        no record either way, or none at all                    presumed: "probably refused"
    policy          a choice of this suite, which no provider enforces      presumed
    accepted        the provider's own host answered 2xx                    the rule never fires
    accepted, loses the same, and the record says what is lost              lost

Rules of another consequence keep it: a provider may accept a request and lose something of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conformance.model import Json

Consequence = Literal["rejected", "lost", "degraded"]
"""What breaking a rule does, if its evidence holds."""

ShownConsequence = Literal["rejected", "presumed", "lost", "degraded"]
"""What is told of a finding. ``presumed`` is "probably refused"."""

EvidenceClass = Literal["refused", "accepted", "documented", "presumed", "policy"]
"""What a rule rests on at a provider: it refused what breaks the rule, or took it; its specification, types or pages
say so; it is taken to be like another's; or it is a choice of this suite, which no provider enforces."""

PROVEN: frozenset[EvidenceClass] = frozenset({"refused", "documented"})
"""The classes with which a rejected rule is told as rejected."""

MAX_DEPTH = 8
"""How deep an error is looked into."""


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """The words of a provider that refuses for one reason: a regular expression for each part that tells it.

    Every part that is given must be found (`re.search`). ``message`` alone is enough where it says the reason.
    """

    type: str = ""
    code: str = ""
    param: str = ""
    message: str = ""

    def matches(self, error: Mapping[str, list[str]]) -> bool:
        """Whether an error, as `error_words` reads it, is this one."""
        parts = {"type": self.type, "code": self.code, "param": self.param, "message": self.message}
        given = {name: pattern for name, pattern in parts.items() if pattern}
        return bool(given) and all(
            any(re.search(pattern, word) for word in error.get(name, ())) for name, pattern in given.items()
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What shows that a rule holds at one provider.

    ``source`` is where that is written, for anybody to look up. ``date`` (YYYY-MM-DD) is when it was said; of
    documents that change, when they were read. ``quote`` is the provider's own words, at most 200 characters.
    ``loses`` says what is lost where the provider accepts what the rule calls rejected.
    ``error`` finds the reason in an error of the provider, where it is known how that says it.
    """

    class_: EvidenceClass
    source: str
    date: str
    quote: str = ""
    loses: str = ""
    error: ErrorPattern | None = None

    def as_data(self) -> dict[str, str]:
        """The record as JSON. ``quote`` and ``loses`` are left out where there are none."""
        record = {"class": self.class_, "source": self.source, "date": self.date}
        return record | {name: text for name in ("quote", "loses") if (text := getattr(self, name))}


def read_evidence(record: Mapping[str, Any]) -> Evidence:
    """A record as the words of a rule have it."""
    error = ErrorPattern(**record["error"]) if "error" in record else None
    texts = {name: record.get(name, "") for name in ("source", "date", "quote", "loses")}
    return Evidence(record["class"], **texts, error=error)


NOTHING_KNOWN = Evidence("presumed", "", "")
"""What a rejected rule rests on at a provider of which nothing was found."""


def shown_consequence(consequence: Consequence, evidence: Evidence | None) -> ShownConsequence | None:
    """What is told of a finding of a rule with this consequence, at a provider with this evidence.

    ``None`` means that nothing is told: the provider accepts it, and nothing is lost.
    """
    if consequence != "rejected":
        return consequence
    known = evidence or NOTHING_KNOWN
    if known.class_ == "accepted":
        return "lost" if known.loses else None
    return "rejected" if known.class_ in PROVEN else "presumed"


# --- reading an error ------------------------------------------------------------------------------------------------

PARTS: Mapping[str, str] = {
    "type": "type", "status": "type", "code": "code", "param": "param", "loc": "param",
    "message": "message", "msg": "message", "detail": "message", "error": "message",
}  # fmt: skip
"""Where providers put the parts of an error: OpenAI and DeepSeek nest ``error.message``, Anthropic ``error.type``,
Gemini ``error.status``, Mistral ``detail[].msg`` and ``loc``; Ollama and xAI have a text under ``error``."""


def error_words(document: Json) -> dict[str, list[str]]:
    """The texts and numbers of an error by the part that they are, wherever the provider puts them."""
    words: dict[str, list[str]] = {}
    for part, word in _words(document, "message", MAX_DEPTH):
        words.setdefault(part, []).append(word)
    return words


def _words(value: Json, part: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth:
        for key, item in value.items():
            if key in PARTS:
                yield from _words(item, PARTS[key], depth - 1)
            elif isinstance(item, dict | list):
                yield from _words(item, part, depth - 1)
    elif isinstance(value, list) and depth:
        yield from _items(value, part, depth)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield part, str(value)


def _items(value: Iterable[Json], part: str, depth: int) -> Iterator[tuple[str, str]]:
    """The words of a list. A path (``loc``) is one word, its steps joined by dots."""
    items = list(value)
    if part == "param" and all(isinstance(item, str | int) for item in items):
        yield part, ".".join(map(str, items))
        return
    for item in items:
        yield from _words(item, part, depth - 1)
