"""Gemini generateContent, client half: put a stream's chunks together.

Every chunk is a response of its own with the parts that are new. Calls arrive whole, except on Vertex AI when it
streams arguments (see `partial`). There is no terminal marker but the finish reason.

Sources: ``google.genai.models`` (``streamGenerateContent?alt=sse``); recorded streams.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from conformance.http import Framing, StreamEvent
from conformance.model import Json, ProviderError
from conformance.wires.base import Assembly
from conformance.wires.facts import items, obj
from conformance.wires.gemini.client import read_error, unwrap
from conformance.wires.gemini.keys import get
from conformance.wires.gemini.partial import PartialCall, starts_partial


def sniff(chunks: Iterable[bytes]) -> tuple[Iterable[bytes], Framing]:
    """The chunks and their framing, by the first byte that is not blank.

    Without ``alt=sse`` the endpoint sends one JSON array.
    """
    rest = iter(chunks)
    start = b""
    for chunk in rest:
        start += chunk
        text = start.lstrip()
        if text.startswith(b"["):
            return itertools.chain([text], rest), "json-array"
        if text:
            break
    return itertools.chain([start], rest), "sse"


def assemble(events: Iterable[StreamEvent]) -> Assembly:
    """The blocking body that a stream of chunks amounts to."""
    assembler = Assembler()
    for event in events:
        assembler.feed(event)
    return assembler.assembly()


class Assembler:
    """Puts chunks together into the response that they amount to: parts are added, other fields follow the latest."""

    def __init__(self) -> None:
        self._fields: dict[str, Json] = {}
        self._candidate: dict[str, Json] | None = None
        self._usage: dict[str, Json] = {}
        self._parts: list[dict[str, Json]] = []
        self._texts: list[str] = []
        self._partial: list[PartialCall] = []
        self._error: ProviderError | None = None

    def feed(self, event: StreamEvent) -> None:
        """Take one event."""
        if not event.is_json:
            return  # cut off: the missing finish reason says so
        chunk = obj(unwrap(event.document))
        if chunk.get("error"):
            self._error = read_error(None, chunk["error"])
        self._usage |= obj(get(chunk, "usageMetadata"))
        self._fields |= {key: value for key, value in chunk.items() if key not in ("candidates", "error")}
        for _, candidate in items(chunk.get("candidates")):
            if obj(candidate).get("index") in (0, None):
                self._take(obj(candidate))

    def _take(self, candidate: Mapping[str, Json]) -> None:
        kept = {key: value for key, value in candidate.items() if value is not None}
        self._candidate = {**(self._candidate or {}), **kept}
        for _, part in items(get(candidate.get("content"), "parts")):
            if isinstance(part, dict):
                self._add(part)

    def _add(self, part: dict[str, Json]) -> None:
        call = get(part, "functionCall")
        known = next((partial for partial in reversed(self._partial) if partial.continues(part)), None)
        if known is not None:
            known.add(part)
        elif isinstance(call, dict) and starts_partial(call):
            self._partial.append(PartialCall(part))
            self._append(self._partial[-1].part)
        elif _is_plain_text(part):
            self._add_text(part)
        else:
            self._append(part)

    def _add_text(self, part: dict[str, Json]) -> None:
        """Pieces of one text become one part. Empty ones, which often carry the finish reason, become none."""
        if not part["text"]:
            return
        if self._texts and bool(self._parts[-1].get("thought")) == bool(part.get("thought")):
            self._texts.append(part["text"])
        else:
            self._append(dict(part))
            self._texts = [part["text"]]

    def _append(self, part: dict[str, Json]) -> None:
        self._end_text()
        self._parts.append(part)

    def _end_text(self) -> None:
        if self._texts:
            self._parts[-1]["text"] = "".join(self._texts)
            self._texts = []

    def assembly(self) -> Assembly:
        """The response so far. It is whole when a finish reason was seen, or when the prompt was blocked."""
        self._end_text()
        body = dict(self._fields)
        if self._candidate is not None:
            content = {"role": "model", "parts": self._parts} if self._parts else {"role": "model"}
            body["candidates"] = [{**self._candidate, "content": content}]
        if self._usage:
            body["usageMetadata"] = self._usage
        blocked = get(get(body, "promptFeedback"), "blockReason")
        complete = bool(get(self._candidate, "finishReason") or blocked)
        thinking = "".join(str(part.get("text") or "") for part in self._parts if part.get("thought"))
        return Assembly(body, complete, self._open_calls(), self._error, thinking=thinking)

    def _open_calls(self) -> frozenset[int]:
        calls = [get(part, "functionCall") for part in self._parts if get(part, "functionCall") is not None]
        return frozenset(place for place, call in enumerate(calls) if get(call, "willContinue"))


def _is_plain_text(part: Mapping[str, Json]) -> bool:
    """Whether a part is nothing but text or thought: one with a signature stays as it came."""
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}
