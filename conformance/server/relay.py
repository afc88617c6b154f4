"""A recorder, or a player, that any client reaches by its base URL: for clients in any language.

Where it records, each request goes on to the provider, and the client gets each piece of the answer as it arrives.
What is on the disk is a cassette as every other recorder here writes it: scrubbed, scanned, whole. Where it plays,
nothing is sent anywhere: a request that was not recorded is an error in the provider's own form, and its words say
which recording is nearest.

A session (``/id/<session>``, or ``x-conformance-session``) has a cassette of its own, ``<provider>/<session>.json``.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from conformance.http import Request
from conformance.masking.door import own_mask
from conformance.recordings.interaction import Headers
from conformance.recordings.modes import CassetteInUse, RecordMode
from conformance.recordings.player import ReplayError, UnmatchedError
from conformance.recordings.recorder import Recorder
from conformance.recordings.replay_transports import played_headers
from conformance.recordings.store import CassetteError
from conformance.recordings.upstream import IncomingAnswer, Upstream, UpstreamError
from conformance.server.address import HEADERS, ServerAddress, address_of
from conformance.server.failures import failure
from conformance.server.sending import (
    ClientGoneError,
    Receive,
    Scope,
    Send,
    SlowClientError,
    of_a_page,
    read_body,
    received_request,
    send_words,
    until_gone,
)
from conformance.server.settings import MAX_BODY, PATIENCE
from conformance.wires import card

T = TypeVar("T")

DEFAULT_SESSION = "recording"
"""The session of clients that name none."""

DRAIN_SECONDS = 5.0
"""For how long an answer is read on when its client went away: many stop at the last event, before the end."""

AT_ONCE = 64
"""How many answers may be on their way at a time."""

_SESSION = re.compile(r"[\w\-][\w.\-]{0,99}")
_OF_CONNECTION = frozenset({"connection", "keep-alive", "transfer-encoding", "content-encoding"})
STATUS: Mapping[type[Exception], int] = {ReplayError: 404, CassetteError: 500, UpstreamError: 502}
"""How a client is told what went wrong."""


class RelayRefusedError(Exception):
    """The request is none that can be relayed. The message says what to do."""


PROBLEMS = (RelayRefusedError, ReplayError, CassetteError, UpstreamError)


@dataclass(frozen=True, slots=True)
class RelaySettings:
    """Where cassettes are, how they are used, and the base URL of each provider that may be asked.

    ``mode`` is one of vcrpy's: ``none`` plays only. ``patience`` is for how many seconds a client may send nothing.
    """

    folder: Path
    mode: RecordMode
    upstreams: Mapping[str, str] = field(default_factory=dict)
    max_body: int = MAX_BODY
    patience: float = PATIENCE


@dataclass
class UsedCassette:
    """A cassette and what became of requests: played from it, recorded into it, or failed."""

    cassette: CassetteInUse
    played: int = 0
    recorded: int = 0
    problems: list[str] = field(default_factory=list)


class Relay:
    """ASGI 3. ``used`` has the cassettes by provider and session, ``problems`` what belongs to none of them."""

    def __init__(self, settings: RelaySettings) -> None:
        self.settings = settings
        self.used: dict[tuple[str, str], UsedCassette] = {}
        self.problems: list[str] = []
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="relay")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Relay one request."""
        if scope["type"] != "http":
            return
        if of_a_page(scope):
            await send_words(send, 403, "A page in a browser may not call models here.")
            return
        try:
            body = await read_body(receive, self.settings.max_body, self.settings.patience)
        except (ClientGoneError, SlowClientError):
            return
        if body is None:
            await send_words(send, 413, f"The request is too large: a body may have {self.settings.max_body} bytes.")
            return
        with contextlib.suppress(ClientGoneError):
            await self._relay(received_request(scope, body), receive, send)

    def close(self) -> None:
        """Wait for what is still being recorded."""
        self._threads.shutdown(wait=True)

    @property
    def failed(self) -> bool:
        """Whether a request could be neither played nor recorded."""
        return bool(self.problems) or any(one.problems for one in self.used.values())

    # --- one request -------------------------------------------------------------------------------------------------

    async def _relay(self, received: Request, receive: Receive, send: Send) -> None:
        address = address_of(received)
        client, used = _Client(receive, send), None
        try:
            provider = self._provider(address)
            request = _at_home(received, address, provider)
            used = await self._in_thread(self._cassette, provider, address.session or DEFAULT_SESSION)
            await self._answer(used, provider, request, client)
        except PROBLEMS as problem:
            words = own_mask().text(str(problem))
            (self.problems if used is None else used.problems).append(words)
            if not client.begun:
                status = next((STATUS[kind] for kind in STATUS if isinstance(problem, kind)), 404)
                response = failure(address.provider, status, words)
                await client.whole(status, tuple(response.headers.items()), (response.body,))
        finally:
            client.close()

    def _provider(self, address: ServerAddress) -> str:
        """Whose the request is. A format that several share is that of the one that can be asked."""
        if address.unknown is not None:
            raise RelayRefusedError(f"there is no provider {address.unknown[:100]!r}")
        known = self.settings.upstreams
        if self.settings.mode == "none" or address.provider in known:
            return address.provider
        same = [name for name in known if card(name).format == card(address.provider).format] or list(known)
        if len(same) == 1:
            return same[0]
        names = ", ".join(known)
        raise RelayRefusedError(f"{address.provider} is not recorded: begin the path with /p/PROVIDER, one of {names}")

    def _cassette(self, provider: str, session: str) -> UsedCassette:
        if _SESSION.fullmatch(session) is None:
            raise RelayRefusedError(f"the session {session[:100]!r} is no name: use letters, digits, '.', '_' and '-'")
        with self._lock:
            if (provider, session) not in self.used:
                path = self.settings.folder / provider / f"{session}.json"
                cassette = CassetteInUse(path, self.settings.mode, any_host=True)
                self.used[provider, session] = UsedCassette(cassette)
            return self.used[provider, session]

    async def _answer(self, used: UsedCassette, provider: str, request: Request, client: _Client) -> None:
        """Play the answer, or have it made and record it."""
        if used.cassette.player is not None:
            try:
                played = await self._in_thread(used.cassette.answer, request)
            except UnmatchedError:
                if used.cassette.recorder is None:
                    raise
            else:
                used.played += 1
                await client.whole(played.status, played_headers(played), played.chunks, cut=played.ended == "cut")
                return
        assert used.cassette.recorder is not None
        await self._in_thread(used.cassette.recorder.check)
        sent = _sent_to(request, provider, self.settings.upstreams[provider])
        await self._record(used.cassette.recorder, request, sent, client)
        used.recorded += 1

    async def _record(self, recorder: Recorder, request: Request, sent: Request, client: _Client) -> None:
        place = recorder.begin()
        with contextlib.ExitStack() as stack:
            upstream = stack.enter_context(Upstream(environment=True))
            incoming = await self._in_thread(stack.enter_context, upstream.stream(sent))
            try:
                await self._hand_on(incoming, client)
            finally:
                incoming.ended = incoming.ended or "cut"
                taken = replace(incoming.interaction(), request=request)
                await self._in_thread(recorder.add, taken, place)

    async def _hand_on(self, incoming: IncomingAnswer, client: _Client) -> None:
        """Each piece goes to the client as soon as it is there. A connection that broke breaks here too.

        What a client that went away does not take is read for a while, for the recording.
        """
        await client.begin(incoming.status, incoming.headers)
        source, last = incoming.chunks(), None
        while (piece := await self._in_thread(next, source, None)) is not None:
            await client.piece(piece)
            if client.gone:
                last = last or time.monotonic() + DRAIN_SECONDS
                if time.monotonic() > last:
                    return
        if incoming.ended == "whole":
            await client.end()

    async def _in_thread(self, work: Callable[..., T], *given: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)


def _at_home(received: Request, address: ServerAddress, provider: str) -> Request:
    """The request as it is at the provider's own address, without what is for us: so it is written, and found again."""
    query = f"?{received.query}" if received.query else ""
    ours = set(HEADERS.values())
    headers = {name: value for name, value in received.headers.items() if name.lower() not in ours}
    return replace(received, url=f"{card(provider).origin}{address.path}{query}", headers=headers)


def _sent_to(request: Request, provider: str, base_url: str) -> Request:
    """The same at the address that is asked."""
    own = card(provider)
    origin = base_url.rstrip("/").removesuffix(own.base_path.rstrip("/"))
    return replace(request, url=origin + request.url.removeprefix(own.origin))


class _Client:
    """Who asks. ``begun``: an answer has begun; ``gone``: nobody takes it any more."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self.begun = False
        self._send = send
        self._gone = asyncio.ensure_future(until_gone(receive))

    @property
    def gone(self) -> bool:
        return self._gone.done()

    def close(self) -> None:
        """Nothing more is wanted."""
        self._gone.cancel()

    async def begin(self, status: int, headers: Headers) -> None:
        """Send the head."""
        self.begun = True
        fields = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in headers
            if name.lower() not in _OF_CONNECTION
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": fields})

    async def piece(self, piece: bytes) -> None:
        """Send a piece of the body."""
        if not self.gone:
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def end(self) -> None:
        """The body is whole. Where this is not called, the connection breaks."""
        if not self.gone:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def whole(self, status: int, headers: Headers, chunks: tuple[bytes, ...], *, cut: bool = False) -> None:
        """Send an answer that is there already."""
        await self.begin(status, headers)
        for chunk in chunks:
            await self.piece(chunk)
        if not cut:
            await self.end()


def summary(relay: Relay) -> Iterator[str]:
    """What became of it, for people: a line for each cassette, and one for each problem."""
    for used in relay.used.values():
        counts = f"{used.played} played, {used.recorded} recorded"
        left = used.cassette.player.unused() if used.cassette.player is not None and not used.recorded else ()
        yield f"{used.cassette.path}: {counts}" + (f", {len(left)} not played" if left else "")
        yield from (f"  {problem}" for problem in used.problems)
    yield from relay.problems
