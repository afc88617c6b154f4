"""Addresses on loopback for clients whose HTTP library is not watched: what comes there is sent on by httpx, which is.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import ClassVar
from urllib.parse import urlsplit

from conformance.adapters.loopback import Loopback
from conformance.adapters.served import HttpAnswer
from conformance.http import Request, url_parts
from conformance.masking.door import own_mask
from conformance.recordings.interaction import Interaction
from conformance.recordings.player import ReplayError
from conformance.recordings.store import CassetteError
from conformance.recordings.upstream import Upstream, UpstreamError

STATUS: dict[type[Exception], int] = {ReplayError: 404, CassetteError: 500, UpstreamError: 502}
"""How a client is told what went wrong."""

_OF_CONNECTION = frozenset({"connection", "content-length", "transfer-encoding", "keep-alive"})


class Forwarder:
    """A server on loopback that stands for others, each under a path of its own. It lasts as long as the process."""

    ports: ClassVar[set[int]] = set()
    """Where such servers are."""

    def __init__(self) -> None:
        self._loopback = Loopback()
        self._loopback.serve = self._forward
        self._places: list[str] = []
        self.ports.add(urlsplit(self._loopback.origin).port or 0)

    @classmethod
    @cache
    def shared(cls) -> Forwarder:
        """The server of this process."""
        return cls()

    def url(self, upstream: str) -> str:
        """The base URL that stands for ``upstream``."""
        parts = urlsplit(upstream)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._places:
            self._places.append(origin)
        return f"{self._loopback.origin}/{self._places.index(origin)}{parts.path}"

    def _forward(self, request: Request) -> HttpAnswer:
        sent = url_parts(request.url)
        place, _, path = sent.path.lstrip("/").partition("/")
        if not place.isdecimal() or int(place) >= len(self._places):
            return _said(404, f"nothing is known at {sent.path}")
        query = f"?{sent.query}" if sent.query else ""
        try:
            with Upstream(environment=True) as upstream:
                return _answer(upstream.send(replace(request, url=f"{self._places[int(place)]}/{path}{query}")))
        except tuple(STATUS) as problem:
            return _said(next(STATUS[kind] for kind in STATUS if isinstance(problem, kind)), str(problem))


def _answer(taken: Interaction) -> HttpAnswer:
    headers = {name: value for name, value in taken.headers if name.lower() not in _OF_CONNECTION}
    return HttpAnswer(taken.status, headers, taken.chunks or (b"",), lost=taken.ended == "cut")


def _said(status: int, words: str) -> HttpAnswer:
    body = json.dumps({"error": {"message": own_mask().text(words)}}).encode()
    return HttpAnswer(status, {"content-type": "application/json"}, (body,))
