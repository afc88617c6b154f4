"""Connections that are not waited for for ever: who sends, or reads, too slowly is cut off.

A request's head must come within ``patience`` seconds, counted from the opening of the connection or from the first
byte after the request before. What is sent must be read as quickly. Between two requests uvicorn closes a connection
after five seconds; how long a body may take says `conformance.server.sending`.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, TimerHandle, Transport
from typing import Any


class _Timers:
    """What a connection may take its time for, each until it is done."""

    def __init__(self, loop: AbstractEventLoop, transport: Transport, patience: float) -> None:
        self._loop, self._transport, self._patience = loop, transport, patience
        self._running: dict[str, TimerHandle] = {}

    def start(self, what: str) -> None:
        """The time for it runs, if it did not already. At its end the connection is cut off."""
        if what not in self._running:
            self._running[what] = self._loop.call_later(self._patience, self._transport.abort)

    def stop(self, what: str) -> None:
        """It is done."""
        timer = self._running.pop(what, None)
        if timer is not None:
            timer.cancel()

    def stop_all(self) -> None:
        """The connection is gone."""
        for what in list(self._running):
            self.stop(what)


def impatient(patience: float) -> Any:
    """The protocol that uvicorn would use, with less patience."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    protocol: Any = AutoHTTPProtocol

    class Impatient(protocol):  # type: ignore[misc]
        """One connection."""

        def connection_made(self, transport: Transport) -> None:
            super().connection_made(transport)
            self._timers = _Timers(self.loop, transport, patience)
            self._timers.start("head")

        def data_received(self, data: bytes) -> None:
            self._timers.stop("rest")
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._timers.stop("head")
            else:
                self._timers.start("head")

        def pause_writing(self) -> None:
            super().pause_writing()
            self._timers.start("reading")

        def resume_writing(self) -> None:
            super().resume_writing()
            self._timers.stop("reading")

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self.transport.get_write_buffer_size():  # it cannot be closed before that has been read
                self._timers.start("rest")

        def connection_lost(self, problem: Exception | None) -> None:
            self._timers.stop_all()
            super().connection_lost(problem)

    return Impatient
