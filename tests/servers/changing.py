"""A server that is right, and a proxy before it that changes one thing in what it answers."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from conformance.server.running import ServerThread, open_socket


@dataclass
class Passing:
    """One answer on its way: what was asked, and what goes back. ``pieces`` go out one by one, after ``waits``."""

    asked: dict[str, Any]
    status: int
    headers: dict[str, str]
    body: bytes
    wait: float = 0.0
    between: float = 0.0
    pieces: list[bytes] = field(default_factory=list)

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream that goes well."""
        return self.status < 400 and "event-stream" in self.headers.get("content-type", "")

    @property
    def document(self) -> Any:
        """The body of a blocking answer; empty for others."""
        return json.loads(self.body) if self.body.startswith(b"{") else {}

    def says(self, document: Any) -> None:
        """Answer this instead."""
        self.body = json.dumps(document).encode()

    def each(self, edit: Callable[[dict[str, Any]], Any]) -> None:
        """Edit each event of a stream, or the one document. An edit that returns ``False`` drops the event."""
        if not self.is_stream:
            document = self.document
            if document and self.status < 400 and edit(document) is not False:
                self.says(document)
            return
        kept = []
        for event in self.body.decode().split("\n\n"):
            lines = event.split("\n")
            data = lines[-1].removeprefix("data: ")
            if data.startswith("{"):
                document = json.loads(data)
                if edit(document) is False:
                    continue
                lines[-1] = f"data: {json.dumps(document)}"
            kept.append("\n".join(lines))
        self.body = "\n\n".join(kept).encode()


Change = Callable[[Passing], None]


@contextlib.contextmanager
def changed(origin: str, change: Change, before: Callable[[dict[str, Any]], None] | None = None) -> Iterator[str]:
    """The origin of a proxy before another server. ``before`` edits what is asked, so that it is not what came."""

    async def forward(request: Request) -> Response:
        body = await request.body()
        with contextlib.suppress(ValueError):
            asked = json.loads(body)
            if before is not None and isinstance(asked, dict):
                before(asked)
                body = json.dumps(asked).encode()
        headers = {name: value for name, value in request.headers.items() if name not in ("host", "content-length")}
        url = f"{origin}{request.url.path}?{request.url.query}"
        answer = await client.request(request.method, url, headers=headers, content=body)
        kept = {name: value for name, value in answer.headers.items() if name == "content-type"}
        try:
            document = json.loads(await request.body())
        except ValueError:
            document = {}
        passing = Passing(document, answer.status_code, kept, answer.content)
        change(passing)
        if not passing.pieces:
            return Response(passing.body, passing.status, passing.headers)
        return StreamingResponse(_slowly(passing), passing.status, passing.headers)

    client = httpx.AsyncClient(trust_env=False)
    thread = ServerThread(Starlette(routes=[Route("/{path:path}", forward, methods=["GET", "POST"])]), _socket(), 20.0)
    try:
        yield thread.origin
    finally:
        thread.stop(5.0)


def _socket() -> Any:
    return open_socket("127.0.0.1", 0)


async def _slowly(passing: Passing) -> AsyncIterator[bytes]:
    import asyncio

    await asyncio.sleep(passing.wait)
    for piece in passing.pieces:
        yield piece
        await asyncio.sleep(passing.between)


