"""Evidence of a finding: what was sent, received and understood, without secrets and of bounded size."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import islice
from typing import Any

from conformance.adapters.paths import portable
from conformance.http import Request
from conformance.masking.door import Mask
from conformance.model import AssistantTurn, Json, to_json
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange

MAX_TEXT = 6_000
MAX_CHUNKS = 40
MAX_HEADERS = 100
MAX_DEPTH = 40
MAX_NAME = 500
MAX_VALUES = 20_000
MAX_CHARACTERS = 400_000
MAX_NUMBER = 10**4000
"""Python writes no longer numbers."""

SHOWN_HEADERS = frozenset({
    "content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta", "retry-after", "user-agent",
})  # fmt: skip
"""Headers whose values are shown. All others may carry keys, so only their names are."""


def evidence_of(exchange: Exchange, place: int, mask: Mask) -> dict[str, Any]:
    """The evidence that an exchange gives. ``place`` is the number of the model call in its case.

    It is masked before it is shortened: of a secret that is cut, the rest is harder to tell.
    """
    shown: dict[str, Any] = {"model_call": place + 1}
    if isinstance(exchange.request, Request):
        shown["request"] = shown_request(exchange.request, mask)
    if exchange.response is not None:
        shown["response"] = {"status": exchange.response.status, "body": _body(exchange.response.body, mask)}
    if exchange.chunks is not None:
        shown["response"] = {
            "status": 200,
            "chunks": list(map(shortened, _shown_chunks(exchange.chunks, mask))),
            "chunk_count": len(exchange.chunks),
            "bytes": sum(map(len, exchange.chunks)),
            "answer": bounded(mask.json(exchange.answer)),
        }
        if not exchange.complete:
            shown["response"]["ended"] = "connection lost" if exchange.lost else "body ended"
    for name in ("request", "understood"):
        value = getattr(exchange, name)
        if isinstance(value, OperationFailure):
            told = {"operation": value.operation, "message": value.message, "traceback": value.detail}
            shown["failure"] = mask.json(told | ({"output": value.output} if value.output else {}))
    if exchange.nearest:
        shown["nearest_recording"] = mask.text(exchange.nearest)
    if exchange.turn is not None:
        shown["understood"] = bounded(mask.json(to_json(_elsewhere(exchange.turn))))
    return shown


def _shown_chunks(chunks: list[bytes], mask: Mask) -> list[str]:
    """The first chunks. A secret may stand in several: then they are shown as one."""
    shown = [chunk.decode("utf-8", "backslashreplace") for chunk in chunks[:MAX_CHUNKS]]
    together = "".join(shown)
    masked = mask.text(together)
    return shown if masked == together else [masked]


def shown_value(value: object, mask: Mask) -> Json:
    """What a finding expected or found: masked, of bounded size, and as it would be on another machine."""
    return bounded(mask.json(_moved(to_json(value))))


def _moved(value: Json) -> Json:
    if isinstance(value, str):
        return portable(value)
    if isinstance(value, dict):
        return {key: _moved(item) for key, item in value.items()}
    return [_moved(item) for item in value] if isinstance(value, list) else value


def _elsewhere(turn: AssistantTurn) -> AssistantTurn:
    """The turn as it would be on another machine: some libraries put tracebacks into the messages of errors."""
    if turn.error is None:
        return turn
    return replace(turn, error=replace(turn.error, message=portable(turn.error.message)))


def evidence_id(finding: list[Any]) -> str:
    """A short name for the evidence of a finding, from what tells it apart: the case, the model call, the rule.

    Every rule has its own, because evidence ends with the command that repeats just that.
    """
    return hashlib.sha256(json.dumps(finding).encode()).hexdigest()[:12]


def shown_request(request: Request, mask: Mask) -> dict[str, Any]:
    """A request without what is secret in it. What it carries as a credential is removed wherever it stands."""
    mask.learn_request(request.url, request.headers)
    body = _body(request.body, mask)
    headers = {
        _name(name, mask): _name(value, mask) if name.lower() in SHOWN_HEADERS else "…"
        for name, value in islice(request.headers.items(), MAX_HEADERS)
    }
    url = shortened(mask.address(request.url), MAX_NAME)
    return {"method": _name(request.method, mask), "url": url, "headers": headers, "body": body}


def _name(text: str, mask: Mask) -> str:
    return shortened(mask.text(text), MAX_NAME)


def _body(body: bytes, mask: Mask) -> Json:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return shortened(mask.text(body.decode("utf-8", "backslashreplace")))
    mask.learn_document(document)
    return bounded(mask.json(document))


def bounded(value: Json) -> Json:
    """``value`` with its long strings shortened, its deepest levels left out, and no more than so many values."""
    return _bounded(value, MAX_DEPTH, _Room())


class _Room:
    """How much may still be shown."""

    def __init__(self) -> None:
        self.values, self.characters = MAX_VALUES, MAX_CHARACTERS

    def takes(self, text: str = "") -> bool:
        """Whether there is room for one more value, with its text."""
        self.values -= 1
        self.characters -= len(text)
        return self.values >= 0 and self.characters >= 0


def _bounded(value: Json, depth: int, room: _Room) -> Json:
    if isinstance(value, str):
        text = shortened(value)
        return text if room.takes(text) else "…"
    if not room.takes() or (depth == 0 and isinstance(value, dict | list)):
        return "…"
    if isinstance(value, dict):
        return _members(value, depth, room)
    if isinstance(value, list):
        shown = [_bounded(item, depth - 1, room) for item in islice(value, max(0, room.values))]
        return shown if len(shown) == len(value) else [*shown, f"… {len(value) - len(shown)} more"]
    if isinstance(value, int) and not -MAX_NUMBER < value < MAX_NUMBER:
        return "…"
    return value


def _members(value: dict[str, Json], depth: int, room: _Room) -> Json:
    shown: dict[str, Json] = {}
    for name, item in islice(value.items(), max(0, room.values)):
        short = shortened(name, MAX_NAME)
        if room.takes(short):
            shown[short] = _bounded(item, depth - 1, room)
    if len(shown) < len(value):
        shown["…"] = f"… {len(value) - len(shown)} more"
    return shown


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    """``text``, or its two ends with a note of what is missing between them. Always encodable as UTF-8."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]} … [{len(text) - limit} characters] … {text[-limit // 2 :]}"
