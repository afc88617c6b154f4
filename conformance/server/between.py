"""A proxy between a program and whom it asks, that changes what goes through: requests, answers, or nothing.

What is unchanged goes on as it comes, piece by piece. Nobody but the tools that prove rules uses it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping

import httpx

from conformance.http import Request, Response
from conformance.mutants.between.said import PacedAnswer
from conformance.server.address import address_of, has_path
from conformance.server.running import END_SECONDS, ServerThread, open_socket
from conformance.server.sending import (
    ClientGoneError,
    Receive,
    Scope,
    Send,
    SlowClientError,
    read_body,
    received_request,
)
from conformance.server.settings import MAX_BODY, PATIENCE

RequestChange = Callable[[str, Request], Request]
"""From a provider and a request to the request that goes on."""
AnswerChange = Callable[[str, Request, Response], Response | PacedAnswer]
"""From a provider, a request and its whole answer to the answer that comes back."""
SECONDS = 300.0
_OF_CONNECTION = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "content-length", "host", "date", "server"}
)


class ChangingProxy:
    """ASGI 3. ``origin`` is asked. Model calls are changed, anything else goes through."""

    def __init__(
        self, origin: str, request: RequestChange | None = None, answer: AnswerChange | None = None
    ) -> None:
        self.origin = origin
        self._change, self._change_answer = request, answer
        self._client = httpx.AsyncClient(timeout=SECONDS, trust_env=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and its answer back."""
        if scope["type"] != "http":
            return
        with contextlib.suppress(ClientGoneError, SlowClientError):
            body = await read_body(receive, MAX_BODY, PATIENCE)
            request = received_request(scope, body or b"")
            address = address_of(request)
            changes = request.method == "POST" and has_path(address)
            if changes and self._change is not None:
                request = self._change(address.provider, request)
            sent = self._client.build_request(
                request.method, self.origin + request.path + (f"?{request.query}" if request.query else ""),
                headers=_passed_on(request.headers.items()), content=request.body,
            )  # fmt: skip
            async with contextlib.aclosing(await self._client.send(sent, stream=True)) as answer:
                if changes and self._change_answer is not None:
                    await self._whole(address.provider, request, answer, send)
                else:
                    await _passed_back(answer, send)

    async def _whole(self, provider: str, request: Request, answer: httpx.Response, send: Send) -> None:
        body, broke = await _read(answer)
        headers = _passed_on(answer.headers.items())
        headers.pop("content-encoding", None)  # the body was read, and is plain now
        assert self._change_answer is not None
        given = self._change_answer(provider, request, Response(answer.status_code, headers, body))
        response = given.response if isinstance(given, PacedAnswer) else given
        await _begin(response.status, response.headers, send)
        for seconds, piece in given.pieces if isinstance(given, PacedAnswer) else ((0.0, response.body),):
            await asyncio.sleep(seconds)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        if broke and response.body == body:
            return  # it broke off, and so does this
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _read(answer: httpx.Response) -> tuple[bytes, bool]:
    """What comes, and whether it broke off."""
    pieces = []
    try:
        async for piece in answer.aiter_bytes():
            pieces.append(piece)
    except httpx.HTTPError:
        return b"".join(pieces), True
    return b"".join(pieces), False


async def _passed_back(answer: httpx.Response, send: Send) -> None:
    await _begin(answer.status_code, _passed_on(answer.headers.items()), send)
    try:
        async for piece in answer.aiter_raw():
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    except httpx.HTTPError:
        return  # it broke off, and so does this
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _begin(status: int, headers: Mapping[str, str], send: Send) -> None:
    fields = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": fields})


def _passed_on(headers: object) -> dict[str, str]:
    assert hasattr(headers, "__iter__")
    return {name.lower(): value for name, value in headers if name.lower() not in _OF_CONNECTION}


@contextlib.contextmanager
def changing_proxy(
    origin: str, request: RequestChange | None = None, answer: AnswerChange | None = None
) -> Iterator[str]:
    """A proxy on a free port of loopback, in a thread. Gives its origin."""
    thread = ServerThread(ChangingProxy(origin, request, answer), open_socket("127.0.0.1", 0), PATIENCE)
    try:
        yield thread.origin
    finally:
        thread.stop(END_SECONDS)
