"""What checks look at in raw Gemini documents: a request's contents, an answer's parts, and which repeats which.

Everything here takes what is there: documents may be hostile, and judging them is the checks' business. Fields are read
in both spellings (see `conformance.wires.gemini.keys`).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from conformance.model import AssistantTurn, Json
from conformance.transcript import Exchange, once
from conformance.wires.facts import Object, SentResult, items, obj
from conformance.wires.gemini.client import unwrap
from conformance.wires.gemini.keys import field_elements, field_spelling, get

DATA = (
    "text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult",
    "toolCall", "toolResponse",
)  # fmt: skip
"""The fields of a part that say what it is: ``google.genai.types.Part``."""


# --- requests --------------------------------------------------------------------------------------------------------


def contents(x: Exchange) -> list[tuple[str, Object]]:
    """The request's contents, with their pointers."""
    return [(at, obj(content)) for at, content in field_elements("", x.facts.document, "contents")]


def parts_of(at: str, content: Object) -> list[tuple[str, Object]]:
    """The parts of the content at ``at``, with their pointers."""
    return [(here, obj(part)) for here, part in field_elements(at, content, "parts")]


@dataclass(frozen=True, slots=True)
class ContentSpeech:
    """All that one side says in a row. Google takes several contents in a row as one (recorded requests with calls, or
    with responses, spread over several contents were accepted)."""

    by_model: bool
    contents: Sequence[tuple[str, Object]]

    @property
    def at(self) -> str:
        """The pointer of its first content."""
        return self.contents[0][0]

    @property
    def parts(self) -> list[tuple[str, Object]]:
        """Its parts, with their pointers."""
        return [found for at, content in self.contents for found in parts_of(at, content)]


@once
def speeches(x: Exchange) -> list[ContentSpeech]:
    """The request's contents as the speeches of the model and of the user, in turn."""
    runs = groupby(contents(x), lambda placed: _is_models(placed[1]))
    return [ContentSpeech(by_model, list(placed)) for by_model, placed in runs]


def _is_models(content: Object) -> bool:
    """Whether a content is the model's: by its role, also a wrong one, or by its calls."""
    return content.get("role") in ("model", "assistant") or bool(fields_of("", content, "functionCall"))


def sent_fields(x: Exchange, name: str) -> list[tuple[str, Json]]:
    """The values of the field ``name`` in all parts of the request, with their pointers."""
    return [found for at, content in contents(x) for found in fields_of(at, content, name)]


def fields_of(at: str, content: Object, name: str) -> list[tuple[str, Json]]:
    """The values of the field ``name`` in the parts of one content, with their pointers."""
    return [
        (f"{here}/{field_spelling(part, name)}", get(part, name))
        for here, part in parts_of(at, content)
        if get(part, name) is not None
    ]


# --- answers ---------------------------------------------------------------------------------------------------------


def answered_candidate(answer: Json) -> Object:
    """The first candidate of a response."""
    candidates = items(obj(unwrap(answer)).get("candidates"))
    return obj(candidates[0][1]) if candidates else {}


def answered_parts(answer: Json) -> list[Object]:
    """The parts of the first candidate."""
    content = obj(get(answered_candidate(answer), "content"))
    return [part for _, part in parts_of("", content) if part]


def answered_calls(answer: Json) -> list[Object]:
    """The function calls of a response, as they came."""
    return [obj(get(part, "functionCall")) for part in answered_parts(answer) if has(part, "functionCall")]


def has(part: Object, name: str) -> bool:
    """Whether a part has this field."""
    return get(part, name) is not None


# --- answers that come back ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContentReplay:
    """An earlier answer and the parts that repeat it, with their pointers. ``at`` is where these begin."""

    exchange: Exchange
    answered: Sequence[Object]
    at: str
    sent: Sequence[tuple[str, Object]]

    @property
    def calls(self) -> list[tuple[Object, str, Object]]:
        """Each call that was answered with the one that was sent for it: (answered, pointer of its part, sent part).

        Calls that are not there, or too many, are another rule's finding: then there are no pairs.
        """
        answered = [obj(get(part, "functionCall")) for part in self.answered if has(part, "functionCall")]
        sent = [(at, part) for at, part in self.sent if has(part, "functionCall")]
        if len(sent) != len(answered):
            return []
        return [(call, at, part) for call, (at, part) in zip(answered, sent, strict=True)]


@once
def replays(x: Exchange) -> list[ContentReplay]:
    """The earlier answers of this conversation that the request repeats, each with what repeats it.

    The place in the conversation decides where the model speaks once for every turn of the conversation. Elsewhere (in
    recordings, or where turns were joined) it is the latest speech that has the same calls, or the same text.
    """
    sent = [(speech.at, speech.parts) for speech in speeches(x) if speech.by_model]
    found: list[ContentReplay] = []
    end = len(sent)
    for earlier in reversed(x.earlier):
        answered = answered_parts(earlier.answer)
        if not answered or not _went_on(earlier):
            continue
        place = _place_in_conversation(x, earlier, len(sent))
        if place is None:
            place = next((number for number in range(end - 1, -1, -1) if _alike(answered, sent[number][1])), None)
        if place is not None:
            end = place
            found.append(ContentReplay(earlier, answered, *sent[place]))
    return found[::-1]


def _went_on(earlier: Exchange) -> bool:
    """Whether the conversation went on from this answer as the adapter understood it.

    From failures and cut streams it does not go on. Where calls or text were not seen, they were put in by the harness:
    what becomes of them is the fault of the reading.
    """
    offered, read = earlier.offered, earlier.turn
    if offered is None or offered.error is not None or not earlier.complete:
        return False
    return read is None or (len(read.calls) == len(offered.calls) and offered.text in str(read.text))


def _place_in_conversation(x: Exchange, earlier: Exchange, sent: int) -> int | None:
    """Which speech of the model an earlier answer is, if there is one for each turn, or for each that says anything."""
    if x.intent is None or earlier.intent is None:
        return None
    turns = [turn for turn in x.intent.turns if isinstance(turn, AssistantTurn)]
    before = [turn for turn in earlier.intent.turns if isinstance(turn, AssistantTurn)]
    if len(turns) == sent:
        return len(before) if len(before) < sent else None
    place = len(list(filter(_says_anything, before)))
    return place if place < sent == len(list(filter(_says_anything, turns))) else None


def _says_anything(turn: AssistantTurn) -> bool:
    return bool(turn.text or turn.calls or turn.refusal)


def _alike(answered: Sequence[Object], sent: Sequence[tuple[str, Object]]) -> bool:
    parts = [part for _, part in sent]
    names = call_names(answered)
    return names == call_names(parts) and (bool(names) or plain_text(answered).split() == plain_text(parts).split())


def call_names(parts: Sequence[Object]) -> list[Json]:
    """The names of the calls among parts."""
    return [obj(get(part, "functionCall")).get("name") for part in parts if has(part, "functionCall")]


def plain_text(parts: Sequence[Object]) -> str:
    """The text of parts, without thoughts."""
    return "".join(str(part["text"]) for part in parts if has(part, "text") and not part.get("thought"))


def signature_bytes(signature: Json) -> Json:
    """The bytes of a thought signature, in whichever alphabet of base64 it is written: the API answers in one, its
    own SDK replays the other. What is not base64 stays itself."""
    if not isinstance(signature, str):
        return signature
    text = signature.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return signature


def turns_with_calls(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What was offered with calls in a turn that ended well, and what was read."""
    offered, read = x.offered, x.parsed
    if offered is None or read is None or not offered.calls or offered.stop not in ("tool_calls", "length"):
        return None
    return offered, read


def content_of(result: SentResult) -> str:
    return result.at.partition("/parts")[0]
