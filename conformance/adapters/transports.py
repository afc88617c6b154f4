"""Transports that end in a function instead of a network, for both HTTP libraries that SDKs use."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from conformance.adapters.problems import AdapterError
from conformance.adapters.served import ChunkStream, HttpHandler
from conformance.http import Request

LIBRARIES = ("httpx", "httpx2")


def transport(library: str, serve: HttpHandler) -> Any:
    """A ``BaseTransport`` and ``AsyncBaseTransport`` of ``library`` that answers with ``serve``.

    Raises `AdapterError` when the library is not installed.
    """
    if library not in LIBRARIES:
        raise AdapterError(f"no transport for {library!r}; there is one for {' and '.join(LIBRARIES)}")
    return _class(library)(serve)


@cache
def _class(name: str) -> Any:
    try:
        library: Any = importlib.import_module(name)
    except ModuleNotFoundError:
        raise AdapterError(f"the adapter asks for a transport of {name}, which is not installed") from None

    class Body(ChunkStream, library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc]
        """A body that comes in chunks."""

    class Ending(library.BaseTransport, library.AsyncBaseTransport):  # type: ignore[misc]
        """Ends in a function."""

        def __init__(self, serve: HttpHandler) -> None:
            self._serve = serve

        def handle_request(self, request: Any) -> Any:
            request.read()
            return self._answered(request)

        async def handle_async_request(self, request: Any) -> Any:
            await request.aread()
            return self._answered(request)

        def _answered(self, request: Any) -> Any:
            served = self._serve(
                Request(request.method, str(request.url), dict(request.headers), bytes(request.content))
            )
            return library.Response(
                served.status,
                headers=dict(served.headers),
                stream=Body(served, library.RemoteProtocolError),
                request=request,
            )

    return Ending
