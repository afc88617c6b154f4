"""The client in front of a gateway: sends what a reference wire builds, and takes what comes, as it comes."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from conformance.answers import answer_of_response, answer_of_stream, growing
from conformance.gateways.crossing import CrossedCall
from conformance.http import Request, Response
from conformance.wires import card, wire

PATIENCE = 30.0
"""How many seconds a client waits for the next byte."""
MOST = 20_000_000


def addressed(request: Request, provider: str, url: str, key: str, headers: Mapping[str, str]) -> Request:
    """A request to the provider's own host, sent to a gateway instead, with the gateway's key and headers."""
    path = request.url.removeprefix(card(provider).base_url)
    kept = {name: value.replace("test-key", key) for name, value in request.headers.items()}
    return Request(request.method, url.rstrip("/") + path, {**kept, **headers}, request.body)


def ask(crossing: CrossedCall, sent: Request, *, hang_up: bool = False) -> None:
    """Send a request to the gateway, and write down what comes. ``hang_up`` leaves once the first words are there."""
    parts = urlsplit(sent.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(sent.method, path, sent.body, dict(sent.headers))
        response = connection.getresponse()
        crossing.headers = {name.lower(): value for name, value in response.getheaders()}
        crossing.status = response.status
        crossing.progressed()
        _take(crossing, response, hang_up=hang_up)
    except TimeoutError:
        crossing.silent = True
    except (OSError, http.client.HTTPException):
        crossing.broken = True
    finally:
        _close(connection)
    _read(crossing)


def _take(crossing: CrossedCall, response: http.client.HTTPResponse, *, hang_up: bool) -> None:
    taken = 0
    while piece := response.read1(1 << 16):
        taken += len(piece)
        if taken > MOST:
            crossing.broken = True
            return
        crossing.chunks.append(piece)
        if crossing.streaming and not crossing.text_so_far:
            crossing.text_so_far = _words_in(crossing)
        crossing.progressed()
        if hang_up and crossing.text_so_far:
            crossing.hung_up_at = time.monotonic()
            return


def _words_in(crossing: CrossedCall) -> str:
    """The words that have come so far."""
    speaker = wire(crossing.provider)
    return next((one.turn.text for one in growing(speaker, crossing.chunks) if one.turn.text), "")


def _close(connection: http.client.HTTPConnection) -> None:
    opened = connection.sock
    if opened is not None:
        with contextlib.suppress(OSError):
            opened.shutdown(socket.SHUT_RDWR)
    connection.close()


def _read(crossing: CrossedCall) -> None:
    """What the gateway's answer says, in the client's format."""
    if not crossing.status:
        return
    speaker, kind = wire(crossing.provider), crossing.headers.get("content-type", "")
    if crossing.streaming and crossing.status < 400 and not _is_plain_json(crossing, kind):
        crossing.answer = answer_of_stream(speaker, crossing.chunks)
        crossing.understood = speaker.read_stream(crossing.chunks, crossing.intent)
        return
    response = Response(crossing.status, crossing.headers, crossing.body)
    if crossing.status < 400 and not response.is_json:
        crossing.understood = speaker.read_response(response, crossing.intent)
        return
    crossing.answer = answer_of_response(speaker, response)
    crossing.understood = speaker.read_response(response, crossing.intent)


def _is_plain_json(crossing: CrossedCall, kind: str) -> bool:
    """Whether a blocking answer came where a stream was asked for."""
    return kind.startswith("application/json") and card(crossing.provider).framings[0] == "sse"
