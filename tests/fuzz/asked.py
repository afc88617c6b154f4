"""Requests to our server, over real sockets on loopback."""

from __future__ import annotations

import atexit
import dataclasses
import socket
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from fuzz_playing import Target
from mistakes import SCENARIO, right
from raw import Heard, address, as_bytes, exchange, heard

from conformance.server import Running, serving
from conformance.wires import PROVIDERS, wire


@cache
def _server() -> Running:
    """One server for all inputs, on loopback."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(serving())


def _right_requests() -> list[bytes]:
    """Right requests to each provider, as bytes."""
    return [as_bytes(_server(), provider, right(provider, stream), scenario=SCENARIO)
            for provider in PROVIDERS for stream in (False, True)]  # fmt: skip


def _right_bodies() -> list[bytes]:
    """The bodies of right requests, each behind a line with its provider."""
    return [provider.encode() + b"\n" + right(provider).body for provider in PROVIDERS]


def _ask(data: bytes, folder: Path) -> None:
    """Send it, and hear a status, or see the connection closed; then the next good request is answered."""
    got = _heard(_server(), data)
    assert got.status not in range(500, 600), f"{got.status}: {got.body[:300]!r}"
    _is_well()


def _ask_with_body(data: bytes, folder: Path) -> None:
    """Send it as the body of a request that is right otherwise."""
    name, _, body = data.partition(b"\n")
    provider = next((known for known in PROVIDERS if known.encode() == name), PROVIDERS[len(data) % len(PROVIDERS)])
    request = dataclasses.replace(right(provider), body=body)
    got = exchange(_server(), as_bytes(_server(), provider, request, scenario=SCENARIO))
    assert got.status in range(200, 500), f"{got.status}: {got.body[:300]!r}"
    if got.status != 200:
        assert wire(provider).read_error(got.status, {}, got.body).message


def _is_well() -> None:
    sent = as_bytes(_server(), "anthropic", right("anthropic"), scenario=SCENARIO)
    assert exchange(_server(), sent).status == 200, "the next good request is not answered"


def _heard(server: Running, data: bytes) -> Heard:
    """What comes back, until the connection is closed, or until nothing has come for a while: then we close."""
    pieces = []
    with socket.create_connection(address(server), timeout=SILENCE) as line:
        try:
            line.sendall(data)
            while piece := line.recv(65_536):
                pieces.append(piece)
        except (TimeoutError, ConnectionError):
            pass
    return heard(b"".join(pieces))


SILENCE = 0.15
"""How many seconds a server that waits for the rest of a request is listened to."""


TARGETS = (
    Target("server", _right_requests, _ask, (), "a request to the server, all of its bytes", 40),
    Target("server-body", _right_bodies, _ask_with_body, (), "the body of a request to the server"),
)
