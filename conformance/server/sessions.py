"""What is remembered between requests: the last exchange of each session, and those that a request may continue.

Nothing of it is needed to answer or to judge; with it, what was really sent before is known too.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from conformance.http import Request
from conformance.server.memory import BoundedMemory
from conformance.server.telling import ScenarioExchange
from conformance.traffic.linking import MAX_DEPTH, Linker
from conformance.traffic.records import RecordedExchange

MAX_KEPT = 1_000_000
"""The largest request that is remembered."""


@dataclass(slots=True)
class _Session:
    last: ScenarioExchange
    depth: int


@dataclass
class Sessions:
    """The memory of a server. Safe with threads."""

    _sessions: BoundedMemory[tuple[str, str], _Session] = field(
        default_factory=lambda: BoundedMemory(entries=1000, size=64_000_000)
    )
    _asked: BoundedMemory[tuple[object, ...], int] = field(
        default_factory=lambda: BoundedMemory(entries=10_000, size=10_000)
    )
    _linker: Linker = field(default_factory=Linker)
    _issued: BoundedMemory[tuple[str, str, str], ScenarioExchange] = field(
        default_factory=lambda: BoundedMemory(entries=20_000, size=64_000_000)
    )
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def last(self, provider: str, session: str | None) -> ScenarioExchange | None:
        """The last exchange of a session."""
        with self._lock:
            known = self._sessions.get((provider, session)) if session is not None else None
            return known.last if known is not None else None

    def linked(self, exchange: ScenarioExchange) -> ScenarioExchange | None:
        """The exchange of the same scenario that a request continues by what it says."""
        assert exchange.request is not None
        with self._lock:
            found = self._linker.previous(_record(exchange), exchange)
        if not isinstance(found, ScenarioExchange) or found.provider != exchange.provider:
            return None
        return found if found.scenario == exchange.scenario else None

    def issuing(self, exchange: ScenarioExchange) -> ScenarioExchange | None:
        """The exchange that gave out the id of a call that a request replays last, whatever the call is named now.

        Only where no two answers have an id in common.
        """
        with self._lock:
            ids = [call.id for turn in reversed(exchange.facts.rounds) for call in turn.calls]
            known = (self._issued.get((exchange.provider, exchange.scenario, str(one))) for one in ids)
            return next((found for found in known if found is not None), None)

    def keep(self, exchange: ScenarioExchange, session: str | None) -> None:
        """Remember an exchange that was answered."""
        size = _record(exchange).size
        if size > MAX_KEPT:
            return
        with self._lock:
            for call in exchange.offered.calls if exchange.offered is not None else ():
                self._issued.put((exchange.provider, exchange.scenario, call.id), exchange, size)
            if session is None:
                self._linker.keep(_record(exchange), exchange)
                return
            key = (exchange.provider, session)
            known = self._sessions.get(key)
            depth = known.depth + 1 if known is not None and exchange.previous is known.last else 0
            if depth > MAX_DEPTH:
                exchange.previous, depth = None, 0
            self._sessions.put(key, _Session(exchange, depth), size * (depth + 1))

    def times(self, *conversation: object) -> int:
        """How often this was asked for before. Counts this time."""
        with self._lock:
            before = self._asked.get(conversation) or 0
            self._asked.put(conversation, before + 1, 1)
            return before


def _record(exchange: ScenarioExchange) -> RecordedExchange:
    request = exchange.request if isinstance(exchange.request, Request) else None
    return RecordedExchange("", 1, request=request, body=exchange.response.body if exchange.response else None)
