"""The evidence, packed for the page: in pieces of some size, in the order in which a reader meets it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.documents import Document
from conformance.report import summary

CHUNK = 250_000
"""How many characters of evidence are loaded at once, about: a piece ends after what makes it longer."""


class EvidenceChunks:
    """Gives each piece of evidence a place: the number of its chunk, and its number in there."""

    def __init__(self, evidence: Mapping[str, Document]) -> None:
        self._evidence = evidence
        self._places: dict[str, tuple[int, int]] = {}
        self._chunks = 0
        self._waiting: list[Document] = []
        self._length = 0

    def of(self, names: Iterable[str]) -> Iterator[tuple[str, list[Document]]]:
        """The chunks that are full when these have found their place."""
        for name in names:
            if name in self._places:
                continue
            item = packed_evidence(self._evidence[name])
            self._places[name] = (self._chunks, len(self._waiting))
            self._waiting.append(item)
            self._length += sum(len(str(value)) for part in item["parts"] for value in part.values())
            if self._length > CHUNK:
                yield from self.rest()

    def rest(self) -> Iterator[tuple[str, list[Document]]]:
        """The chunk that is not full, if there is one."""
        if self._waiting:
            yield f"e{self._chunks}", self._waiting
            self._chunks += 1
            self._waiting, self._length = [], 0

    def place(self, name: str) -> tuple[int, int]:
        """Where a piece of evidence stands."""
        return self._places[name]


def packed_evidence(item: Document) -> Document:
    """The command that repeats the case, and what there is to show, in order of time."""
    return {"command": item["reproduce"], "parts": list(_parts(item))}


def _parts(item: Document) -> Iterator[Document]:
    """What was sent, received, understood and said, each with a title and its value as JSON or as plain text."""
    call = f" of model call {item['model_call']}" if item.get("model_call", 1) != 1 else ""
    if request := item.get("request"):
        head = [f"{request.get('method', '')} {request.get('url', '')}".strip(), *_headers(request.get("headers"))]
        yield {"in": "request", "title": f"Request{call}", "head": "\n".join(head), **_body(request.get("body"))}
    if response := item.get("response"):
        yield _response(response, call)
    if cut := summary.cut_words(item):
        yield {"title": "The cut of the stream that makes the difference", "text": cut, "open": True}
    if "understood" in item:
        yield {"in": "turn", "title": "What the adapter understood", "json": json_text(item["understood"])}
    if printed := item.get("printed"):
        yield {"title": "What the adapter printed", "text": printed, "open": True}
    if failure := item.get("failure"):
        said = (failure.get("traceback"), failure.get("output"))
        text = "\n".join(str(text) for text in said if text)
        yield {"title": "What went wrong", "head": str(failure.get("message", "")), "text": text, "open": True}


def _response(response: Document, call: str) -> Document:
    status = f"HTTP status {response.get('status', 'unknown')}"
    if "chunks" not in response:
        return {"title": f"Response{call}", "head": status, **_body(response.get("body"))}
    chunks = [str(chunk) for chunk in response["chunks"]]
    head = f"{status}, {response.get('bytes')} bytes of stream in {response.get('chunk_count')} reads"
    body = _body(response.get("answer"))
    return {"title": f"Response{call}", "head": head, "chunks": chunks, "of": response.get("chunk_count"), **body}


def _headers(headers: Any) -> list[str]:
    return [f"{name}: {value}" for name, value in headers.items()] if isinstance(headers, dict) else []


def _body(body: Any) -> Document:
    if body is None:
        return {}
    return {"text": body} if isinstance(body, str) else {"json": json_text(body)}


def json_text(value: Any) -> str:
    """A value as JSON text, as short as it can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
