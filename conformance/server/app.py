"""The server as an ASGI application: providers on every path but ``/conformance/``.

The calls of models go past Starlette: they are decided by more than a path, and a request that came before, byte for
byte, is answered without looking at it again.

A page in a browser may send what looks like a model call to any address, though it may not read the answer. What it
sends is turned away and counts for nothing: a page elsewhere must not add findings. `of_a_page` says how it is known.
"""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Mapping
from typing import Any

from conformance.server.coded_bodies import HEADER as CODING_HEADER
from conformance.server.directing import Director
from conformance.server.log import Log
from conformance.server.memory import BoundedMemory
from conformance.server.pages import pages
from conformance.server.sending import (
    ClientGoneError,
    Receive,
    Scope,
    Send,
    SlowClientError,
    of_a_page,
    read_body,
    received_request,
    send_answer,
    send_words,
)
from conformance.server.served import ServedExchange
from conformance.server.service import Service
from conformance.server.settings import Settings

LARGE = 100_000
"""From this many bytes on, a request is judged in a thread, so that others need not wait. So is a compressed one."""

_PAGES = (b"/conformance/", b"/favicon.ico")


class Application:
    """ASGI 3. ``service`` answers, ``log`` remembers, ``crashes`` are failures of our own: such a request gets 500."""

    def __init__(self, settings: Settings, *, only_local: bool = True, director: Director | None = None) -> None:
        self.settings = settings
        self.service = Service(settings, director=director)
        self.log = Log(settings)
        self.crashes: list[str] = []
        self._known: BoundedMemory[Any, ServedExchange] = BoundedMemory(entries=2_000, size=64_000_000)
        self._pages = pages(self.log, only_local=only_local)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1000})
            return
        path: bytes = scope["raw_path"]
        if path in (b"/", b"/conformance") or path.startswith(_PAGES):
            await self._pages(scope, receive, send)
            return
        if of_a_page(scope):
            await send_words(send, 403, "A page in a browser may not call models here: what it sends is not judged.")
            return
        try:
            served = await self._answered(scope, receive)
            self.log.enter(served, _agent(scope), time.time())
            await send_answer(served, receive, send)
        except ClientGoneError:
            return
        except Exception:
            self.crashes.append(traceback.format_exc())
            raise

    async def _answered(self, scope: Scope, receive: Receive) -> ServedExchange:
        try:
            body = await read_body(receive, self.settings.max_body, self.settings.patience)
        except SlowClientError:
            return self.service.too_slow(received_request(scope, b""))
        return await self._served(scope, body)

    async def _served(self, scope: Scope, body: bytes | None) -> ServedExchange:
        if body is None:
            return self.service.too_large(received_request(scope, b""))
        key = (scope["method"], scope["raw_path"], scope["query_string"], tuple(scope["headers"]), body)
        known = self._known.get(key)
        if known is not None:
            return known
        request = received_request(scope, body)
        if len(body) >= LARGE or request.header(CODING_HEADER) is not None:
            served = await asyncio.to_thread(self.service.serve, request)
        else:
            served = self.service.serve(request)
        if served.lasting:
            self._known.put(key, served, served.size)
        return served


def _agent(scope: Scope) -> str:
    headers: Mapping[bytes, bytes] = dict(scope["headers"])
    return headers.get(b"x-conformance-client", headers.get(b"user-agent", b"")).decode("latin-1")
