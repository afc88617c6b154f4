"""Reading requests and sending answers, as messages of ASGI."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from conformance.http import Request
from conformance.server.served import ServedExchange

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MAX_PATIENCE = 3
"""How many times the patience with a silent client a whole body may take."""

MAX_DROPPED = 1 << 30
"""How much of a body that is too large is still taken, so that the client is listening when it gets its answer."""


class ClientGoneError(Exception):
    """The client went away."""


class SlowClientError(Exception):
    """The client takes too long to send its request."""


async def read_body(receive: Receive, limit: int, patience: float) -> bytes | None:
    """The body of a request; ``None`` when it is larger than ``limit``: no more is kept.

    Raises `ClientGoneError`, and `SlowClientError` when nothing comes for ``patience`` seconds, or too little.
    """
    try:
        async with asyncio.timeout(patience) as timeout:
            return await _body(receive, limit, patience, timeout)
    except TimeoutError:
        raise SlowClientError from None


async def _body(receive: Receive, limit: int, patience: float, timeout: asyncio.Timeout) -> bytes | None:
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        body: bytes = message.get("body", b"")
        return body if len(body) <= limit else None
    pieces: list[bytes] = []
    size = 0
    clock = asyncio.get_running_loop().time
    end = clock() + patience * MAX_PATIENCE
    while message["type"] == "http.request":
        piece = message.get("body", b"")
        size += len(piece)
        if size <= limit:
            pieces.append(piece)
        else:
            pieces.clear()
        if not message.get("more_body") or size > MAX_DROPPED:
            return b"".join(pieces) if size <= limit else None
        timeout.reschedule(min(clock() + patience, end))
        message = await receive()
    raise ClientGoneError


def of_a_page(scope: Scope) -> bool:
    """Whether a page in a browser sends this. Browsers say so themselves, and pages cannot keep them from it: in
    ``Origin`` with each POST, and in ``Sec-Fetch-Site``, which is ``none`` where no page is behind it."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    return any(name == b"origin" or (name == b"sec-fetch-site" and value != b"none") for name, value in headers)


def received_request(scope: Scope, body: bytes) -> Request:
    """The request, with its path as it was written. Of a header that comes twice, the last counts."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    path = scope["raw_path"].decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    url = f"http://{headers.get('host', 'localhost')}{path}" + (f"?{query}" if query else "")
    return Request(scope["method"], url, headers, body)


async def send_words(send: Send, status: int, words: str) -> None:
    """An answer of the server's own, after which the connection is closed."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": words.encode(), "more_body": False})


async def send_answer(served: ServedExchange, receive: Receive, send: Send) -> None:
    """Send an answer, with its faults. One that is cut just ends: the server then closes the connection."""
    if served.plain:
        await send(served.head)
        for message in served.tail:
            await send(message)
        return
    gone = asyncio.ensure_future(until_gone(receive))
    try:
        await _pause(served.latency, gone)
        await send(served.head)
        for message in served.tail:
            await _pause(served.trickle, gone)
            await send(message)
    finally:
        gone.cancel()


async def until_gone(receive: Receive) -> None:
    """Wait until the client goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _pause(seconds: float, gone: asyncio.Future[None]) -> None:
    """Wait, but not for a client that went away. Raises `ClientGoneError`."""
    if seconds:
        await asyncio.wait([gone], timeout=seconds)
    if gone.done():
        raise ClientGoneError
