"""What an answer of a format has beside its types: words for the end, places of counted tokens, the form of errors.

Sources: the official SDKs' types (`conformance/schemas/wires`), docs/unified.md for the unified API, and what the
providers' own hosts were recorded to send, which tests/servers holds them to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.model import Json


@dataclass(frozen=True, slots=True)
class AnswerLayout:
    """What an answer of a format has.

    ``finish`` is the place of the word for the end. ``calls`` are the words that an answer with calls may have,
    ``forced`` those beside calls that the request forced, ``cut`` those of an answer that was cut or filtered.
    ``usage`` are the places of counted tokens; the last is the sum of the others where ``summed``. ``ids`` says whether
    calls have ids, ``error`` is the schema of an error's body.
    """

    finish: str
    calls: frozenset[str]
    usage: tuple[str, ...]
    error: Mapping[str, Json]
    forced: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()
    summed: bool = False
    ids: bool = True


TEXT: Mapping[str, Json] = {"type": "string", "minLength": 1}


def has(**fields: Json) -> Mapping[str, Json]:
    """The schema of an object that has these members."""
    return {"type": "object", "required": list(fields), "properties": fields}


OPENAI_ERROR = has(error=has(message=TEXT, type={"type": ["string", "null"]}))
"""The error of both formats of OpenAI's."""
