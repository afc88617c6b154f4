"""Asking a server: one request over HTTP, and what came back as a recorded exchange, with the time of each piece."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.http import FramingError, Request
from conformance.model import AssistantTurn, Conversation
from conformance.recordings.upstream import Upstream, UpstreamError
from conformance.servers.address import AskedServer
from conformance.traffic.exchanges import exchange_in
from conformance.traffic.recognise import TrafficSource
from conformance.traffic.records import RecordedExchange
from conformance.transcript import Exchange
from conformance.wires import wire

STREAMS = True
"""What a record says where a stream was asked for. Else the answer itself tells, as one may come unasked."""

ENOUGH = 30
"""After how many bytes of a stream a client hangs up, where it means to."""


@dataclass(frozen=True)
class ServerAnswer:
    """One answer of a server. ``why`` says why there is none that can be read; ``arrived`` are the seconds from the
    request to each piece of the body; ``whole`` is false where the connection broke."""

    probe: str
    record: RecordedExchange
    who: TrafficSource
    exchange: Exchange
    streamed: bool = False
    arrived: tuple[float, ...] = ()
    whole: bool = True
    why: str = ""
    conversation: Conversation | None = None

    @property
    def status(self) -> int:
        """The HTTP status, 0 where nothing came."""
        return self.record.status

    @property
    def body(self) -> str:
        """The body as text."""
        return (self.record.body or b"").decode("utf-8", "replace")

    @property
    def good(self) -> bool:
        """Whether it is an answer that can be read, and no failure."""
        return not self.why and 200 <= self.status < 300 and self.exchange.offered is not None

    @property
    def turn(self) -> AssistantTurn:
        """What the server said, in neutral words; an empty turn where that cannot be read."""
        return self.exchange.offered or AssistantTurn(stop="error")

    @property
    def name(self) -> str:
        """The probe, and how the answer was asked for."""
        return f"{self.probe} ({'stream' if self.streamed else 'blocking'})"


@dataclass(frozen=True, slots=True)
class GotAnswer:
    """What came over the wire, and when."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    arrived: tuple[float, ...]
    whole: bool


def source_of(server: AskedServer) -> TrafficSource:
    """A server is judged as the provider's, or host's, own: by the whole grammar, with the liberties of that one."""
    return TrafficSource(server.card.provider, server.home, own=True, addressed=True)


class ServerLine:
    """Asks one server, request after request.

    A server may close a connection that was kept open at any time, and a client cannot know. So where a connection
    breaks before an answer began, the request is sent once more, on a new one. Nothing else is retried.
    """

    def __init__(self, server: AskedServer, seconds: float = 120.0) -> None:
        self.server = server
        self.asked = 0
        self._seconds = seconds
        self._upstream = Upstream(timeout=seconds)

    def __enter__(self) -> ServerLine:
        return self

    def __exit__(self, *_: object) -> None:
        self._upstream.close()

    def ask(self, probe: str, conversation: Conversation, *, stream: bool) -> ServerAnswer:
        """What the server answers to the request that continues a conversation."""
        request = wire(self.server.provider).build(conversation, stream=stream)
        return self.send(probe, request, stream=stream, conversation=conversation)

    def send(
        self, probe: str, request: Request, *, stream: bool = False, conversation: Conversation | None = None
    ) -> ServerAnswer:
        """What the server answers to a request."""
        self.asked += 1
        try:
            got = self._got(request)
        except UpstreamError:
            self._upstream.close()
            self._upstream = Upstream(timeout=self._seconds)
            try:
                got = self._got(request)
            except UpstreamError as problem:
                nothing = RecordedExchange(probe, self.asked, None, request, 0)
                return read_answer(
                    self.server, probe, nothing, streamed=stream, whole=False, why=str(problem),
                    conversation=conversation,
                )  # fmt: skip
        record = RecordedExchange(
            probe, self.asked, None, request, got.status, got.headers, got.body, STREAMS if stream else None
        )
        return read_answer(
            self.server, probe, record, got.arrived, streamed=stream, whole=got.whole, conversation=conversation
        )

    def _got(self, request: Request) -> GotAnswer:
        """What comes back to a request. Raises `UpstreamError`."""
        started = time.monotonic()
        pieces: list[bytes] = []
        arrived: list[float] = []
        with self._upstream.stream(self.server.addressed(request)) as incoming:
            for piece in incoming.chunks():
                pieces.append(piece)
                arrived.append(time.monotonic() - started)
            whole = incoming.ended == "whole"
            return GotAnswer(incoming.status, dict(incoming.headers), b"".join(pieces), tuple(arrived), whole)

    def hang_up(self, conversation: Conversation) -> str:
        """Ask for a stream and hang up in its middle. Says why that could not be done, if it could not."""
        request = self.server.addressed(wire(self.server.provider).build(conversation, stream=True))
        taken = 0
        try:
            with self._upstream.stream(request) as incoming:
                for piece in incoming.chunks():
                    taken += len(piece)
                    if taken >= ENOUGH:
                        break
        except UpstreamError as problem:
            return str(problem)
        return "" if taken else "nothing came"


def read_answer(
    server: AskedServer, probe: str, record: RecordedExchange, arrived: tuple[float, ...] = (), *,
    streamed: bool, whole: bool = True, why: str = "", conversation: Conversation | None = None,
) -> ServerAnswer:  # fmt: skip
    """What a recorded exchange with a server says. ``streamed``: a stream was asked for."""
    who = source_of(server)
    try:
        exchange = exchange_in(record, who, "native")
    except FramingError as problem:
        exchange, why = Exchange(who.provider, with_host=who.speaker), str(problem)
    exchange.request = record.request
    if not why and record.status < 400 and exchange.answer is None:
        why = "the answer cannot be read" if record.body else "the answer is empty"
    return ServerAnswer(probe, record, who, exchange, streamed, arrived, whole, why, conversation)
