"""Recording what any library does over httpx or httpx2: put a recorder around the transport of its client.

    recorder = Recorder(Path("cassettes/openai-chat/mine.json"))
    client = httpx2.Client(transport=RecordingTransport(httpx2.HTTPTransport(), recorder))
    openai.OpenAI(http_client=client).chat.completions.create(...)

The caller gets each piece of the answer as it arrives. Boundaries between pieces are kept, and so is a connection that
breaks: the caller sees the same error as without a recorder.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import time
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any

from conformance.http import Request
from conformance.recordings.bodies import RecordError, Unpacker
from conformance.recordings.interaction import Ending, Headers, Interaction
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import CassetteError

DRAIN_SECONDS = 5.0
"""How long a stream is read on after the caller has closed it: several SDKs stop at the last event, before the end."""


class RecordingTransport:
    """A transport for ``httpx.Client`` or ``httpx2.Client`` that records what goes through ``inner``.

    ``accept_encoding`` replaces what the client asks for, because the pieces of a compressed body are not those that
    the provider wrote; ``None`` leaves it. What arrives compressed all the same reaches the caller so, and is decoded
    for the recording. ``library`` is whose transport ``inner`` is, where its class does not tell. Raises
    `CassetteError` where a recording cannot be made, and then before anything more is sent.
    """

    def __init__(
        self, inner: Any, recorder: Recorder, *, accept_encoding: str | None = "identity", library: str | None = None
    ) -> None:
        self.inner = inner
        self.recorder = recorder
        self._accept_encoding = accept_encoding
        self._streams = _streams(library or _library_of(inner))

    def __enter__(self) -> RecordingTransport:
        self.inner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.inner.__exit__(kind, problem, trace)

    def close(self) -> None:
        """Close the transport inside."""
        self.inner.close()

    def handle_request(self, request: Any) -> Any:
        """Send a request and give back a response that records itself while it is read."""
        self.recorder.check()
        request.read()
        _ask_for(request, self._accept_encoding)
        place = self.recorder.begin()
        response = self.inner.handle_request(request)
        taping = _Taping(self.recorder, place, request, response)
        if not taping.at_once(response):
            response.stream = self._streams[0](response.stream, taping)
        return response


class AsyncRecordingTransport:
    """The same for ``httpx.AsyncClient`` and ``httpx2.AsyncClient``."""

    def __init__(
        self, inner: Any, recorder: Recorder, *, accept_encoding: str | None = "identity", library: str | None = None
    ) -> None:
        self.inner = inner
        self.recorder = recorder
        self._accept_encoding = accept_encoding
        self._streams = _streams(library or _library_of(inner))

    async def __aenter__(self) -> AsyncRecordingTransport:
        await self.inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.inner.__aexit__(kind, problem, trace)

    async def aclose(self) -> None:
        """Close the transport inside."""
        await self.inner.aclose()

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request and give back a response that records itself while it is read."""
        self.recorder.check()
        await request.aread()
        _ask_for(request, self._accept_encoding)
        place = self.recorder.begin()
        response = await self.inner.handle_async_request(request)
        taping = _Taping(self.recorder, place, request, response)
        if not taping.at_once(response):
            response.stream = self._streams[1](response.stream, taping)
        return response


def _ask_for(request: Any, accept_encoding: str | None) -> None:
    if accept_encoding is not None:
        request.headers["accept-encoding"] = accept_encoding


def _library_of(transport: Any) -> str:
    """Whose transport it is, by the classes that it is made from; httpx when it is of neither."""
    roots = {kind.__module__.partition(".")[0] for kind in type(transport).__mro__}
    return "httpx2" if "httpx2" in roots else "httpx"


class _Taping:
    """One interaction that is being recorded. It is added to the recorder once, when its body has ended."""

    def __init__(self, recorder: Recorder, place: int, request: Any, response: Any) -> None:
        self._recorder = recorder
        self._place = place
        self._request = Request(request.method, str(request.url), dict(request.headers.items()), request.content)
        self._status: int = response.status_code
        self._reason: str = response.reason_phrase
        fields = response.headers.multi_items()
        self._headers: Headers = tuple((name, value) for name, value in fields if name not in _OF_CODING)
        self._coding = ", ".join(value for name, value in fields if name == "content-encoding")
        self._chunks: list[bytes] = []
        self._unpacker: Unpacker | None = None
        self.done = False

    def at_once(self, response: Any) -> bool:
        """Record a response whose content is there already, as that of a mock transport is."""
        if not hasattr(response, "_content"):
            return False
        self._chunks = [response.content] if response.content else []
        self.end("whole")
        return True

    def take(self, data: bytes) -> None:
        """One piece, as it came."""
        try:
            self._unpacker = self._unpacker or Unpacker(self._coding)
            piece = self._unpacker.feed(data)
        except RecordError as problem:
            self.done = True
            raise CassetteError(self._recorder.path, f"cannot be recorded: {problem}") from None
        if piece:
            self._chunks.append(piece)

    def end(self, ended: Ending) -> None:
        """The body has ended."""
        if self.done:
            return
        self.done = True
        chunks = tuple(self._chunks)
        taped = Interaction(self._request, self._status, self._headers, chunks, ended, self._reason)
        self._recorder.add(taped, self._place)


_OF_CODING = frozenset({"content-encoding", "content-length"})


@functools.cache
def _streams(library: str) -> tuple[type[Any], type[Any]]:
    """Streams of a library, for both kinds of its clients, that hand on what they read and tape it."""
    httpx = importlib.import_module(library)

    class Taped(httpx.SyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, inner: Any, taping: _Taping) -> None:
            self._pieces: Iterator[bytes] = iter(inner)
            self._inner = inner
            self._taping = taping

        def __iter__(self) -> Iterator[bytes]:
            yield from self._read()

        def _read(self) -> Iterator[bytes]:
            while True:
                try:
                    piece = next(self._pieces, None)
                except BaseException:
                    self._taping.end("cut")
                    raise
                if piece is None:
                    self._taping.end("whole")
                    return
                self._taping.take(piece)
                yield piece

        def close(self) -> None:
            try:
                self._drain()
            finally:
                self._inner.close()

        def _drain(self) -> None:
            if self._taping.done:
                return
            until = time.monotonic() + DRAIN_SECONDS
            with contextlib.suppress(httpx.TransportError):
                for _ in self._read():
                    if time.monotonic() > until:
                        break
            self._taping.end("cut")

    class AsyncTaped(httpx.AsyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, inner: Any, taping: _Taping) -> None:
            self._pieces: AsyncIterator[bytes] = aiter(inner)
            self._inner = inner
            self._taping = taping

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._read():
                yield piece

        async def _read(self) -> AsyncIterator[bytes]:
            while True:
                try:
                    piece = await anext(self._pieces, None)
                except BaseException:
                    self._taping.end("cut")
                    raise
                if piece is None:
                    self._taping.end("whole")
                    return
                self._taping.take(piece)
                yield piece

        async def aclose(self) -> None:
            try:
                await self._drain()
            finally:
                await self._inner.aclose()

        async def _drain(self) -> None:
            if self._taping.done:
                return
            until = time.monotonic() + DRAIN_SECONDS
            with contextlib.suppress(httpx.TransportError):
                async for _ in self._read():
                    if time.monotonic() > until:
                        break
            self._taping.end("cut")

    return Taped, AsyncTaped
