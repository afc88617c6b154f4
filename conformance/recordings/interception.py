"""Playing and recording what any client of httpx or httpx2 in this process sends, without telling it.

The methods of the libraries' own network transports are replaced for the length of a block. Clients that were given
another transport, such as that of an application under test, are not concerned.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.recordings.modes import CassetteInUse
from conformance.recordings.player import UnmatchedError
from conformance.recordings.record_transports import AsyncRecordingTransport, RecordingTransport
from conformance.recordings.replay_transports import LIBRARIES, replay_transport

HostTest = Callable[[str, int | None], bool]
"""Whether requests to a host, at a port if one is named, are left alone."""


@contextlib.contextmanager
def intercepted(cassette: CassetteInUse, spares: HostTest) -> Iterator[None]:
    """All requests of this process go through the cassette, but for those that are spared. Raises what it raises."""
    with contextlib.ExitStack() as stack:
        for name in LIBRARIES:
            if importlib.util.find_spec(name) is not None:
                stack.enter_context(_replaced(name, cassette, spares))
        yield


@contextlib.contextmanager
def _replaced(name: str, cassette: CassetteInUse, spares: HostTest) -> Iterator[None]:
    library: Any = importlib.import_module(name)
    places = ((library.HTTPTransport, "handle_request"), (library.AsyncHTTPTransport, "handle_async_request"))
    (sends, awaits) = originals = [getattr(owner, method) for owner, method in places]
    plays = replay_transport(name, cassette.answer)

    def handle_request(transport: Any, request: Any) -> Any:
        if spares(request.url.host, request.url.port):
            return sends(transport, request)
        if cassette.player is not None:
            with _unless_recorded(cassette):
                return plays.handle_request(request)
        assert cassette.recorder is not None
        inner = _Sending(transport, sends)
        return RecordingTransport(inner, cassette.recorder, library=name).handle_request(request)

    async def handle_async_request(transport: Any, request: Any) -> Any:
        if spares(request.url.host, request.url.port):
            return await awaits(transport, request)
        if cassette.player is not None:
            with _unless_recorded(cassette):
                return await plays.handle_async_request(request)
        assert cassette.recorder is not None
        inner = _Sending(transport, awaits)
        return await AsyncRecordingTransport(inner, cassette.recorder, library=name).handle_async_request(request)

    try:
        for (owner, method), ours in zip(places, (handle_request, handle_async_request), strict=True):
            setattr(owner, method, ours)
        yield
    finally:
        for (owner, method), original in zip(places, originals, strict=True):
            setattr(owner, method, original)


@contextlib.contextmanager
def _unless_recorded(cassette: CassetteInUse) -> Iterator[None]:
    """What is not recorded is no failure where it can be."""
    try:
        yield
    except UnmatchedError:
        if cassette.recorder is None:
            raise


@dataclass(frozen=True)
class _Sending:
    """A transport that really sends, by the library's own method."""

    transport: Any
    send: Callable[[Any, Any], Any]

    def handle_request(self, request: Any) -> Any:
        return self.send(self.transport, request)

    handle_async_request = handle_request
