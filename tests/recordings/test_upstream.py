"""Calling a real server: what arrived is told as it arrived, and every way to fail has a message."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator

import brotli
import httpx
import pytest
import zstandard
from loopback import CHUNKED, Answer, chunk, head, serving, stream, whole

from conformance.http import Request
from conformance.recordings import bodies
from conformance.recordings.upstream import Upstream, UpstreamError

PIECES = (b'data: {"a": 1}\n\n', b"data: \xc3", b"\xa9\n\ndata: [D", b"ONE]\n\n")
TEXT = b'{"text": "' + "déjà vu ".encode() * 50 + b'"}'


def ask(url: str, **headers: str) -> Request:
    """A request to a server."""
    return Request("POST", f"{url}/v1/x?alt=sse", {"Content-Type": "application/json", **headers}, b'{"a": "\xc3\xa9"}')


@pytest.fixture
def upstream() -> Upstream:
    return Upstream(timeout=5)


def test_boundaries_are_those_of_the_wire(upstream: Upstream) -> None:
    with serving(stream(*PIECES)) as server:
        interaction = upstream.send(ask(server.url, **{"X-Api-Key": "k", "Host": "elsewhere", "Accept-Encoding": "br"}))
        assert (interaction.chunks, interaction.ended, interaction.status) == (PIECES, "whole", 200)
        assert dict(interaction.headers)["content-type"] == "text/event-stream"
        sent = server.requests[0].lower()
        assert sent.startswith(b"post /v1/x?alt=sse http/1.1\r\n")
        assert sent.endswith(b'\r\n\r\n{"a": "\xc3\xa9"}')
        assert b"\r\nx-api-key: k\r\n" in sent
        assert b"\r\naccept-encoding: identity\r\n" in sent
        assert b"elsewhere" not in sent


@pytest.mark.parametrize(
    ("coding", "packed"),
    [("gzip", gzip.compress(TEXT, mtime=0)), ("br", brotli.compress(TEXT)), ("zstd", zstandard.compress(TEXT)),
     ("gzip, br", brotli.compress(gzip.compress(TEXT, mtime=0)))],
)  # fmt: skip
def test_codings_are_undone(upstream: Upstream, coding: str, packed: bytes) -> None:
    half = len(packed) // 2

    def answer(_: bytes) -> list[bytes]:
        opening = head(f"Content-Encoding: {coding}", "Transfer-Encoding: chunked")
        return [opening, chunk(packed[:half]), chunk(packed[half:]), chunk(b"")]

    with serving(answer) as server:
        interaction = upstream.send(ask(server.url))
    assert interaction.body == TEXT
    assert not {"content-encoding", "content-length"} & dict(interaction.headers).keys()


@pytest.mark.parametrize("reset", [False, True], ids=["end", "reset"])
@pytest.mark.parametrize("opening", [CHUNKED, head("Content-Length: 999")], ids=["chunked", "length"])
def test_a_broken_connection_is_told(upstream: Upstream, opening: bytes, reset: bool) -> None:
    first = chunk(PIECES[0]) if opening == CHUNKED else PIECES[0]
    got = threading.Event()

    def answer(_: bytes) -> Iterator[bytes]:
        yield opening + first
        yield wait(got)

    with serving(answer, reset=reset) as server, upstream.stream(ask(server.url)) as incoming:
        taken = []
        for piece in incoming.chunks():
            taken.append(piece)
            got.set()
        assert incoming.ended == "cut"
        interaction = incoming.interaction()
    assert (interaction.chunks, interaction.ended) == ((PIECES[0],), "cut")


def wait(event: threading.Event) -> bytes:
    """Nothing, once something has happened."""
    assert event.wait(10)
    return b""


def test_the_first_piece_is_there_before_the_last_was_sent(upstream: Upstream) -> None:
    taken = threading.Event()

    def answer(_: bytes) -> Iterator[bytes]:
        yield CHUNKED + chunk(PIECES[0])
        yield wait(taken)
        yield chunk(PIECES[1]) + chunk(b"")

    with serving(answer) as server, upstream.stream(ask(server.url)) as incoming:
        pieces = incoming.chunks()
        assert next(pieces) == PIECES[0]
        assert incoming.ended is None
        taken.set()
        assert incoming.interaction().chunks == PIECES[:2]


ERRORS: dict[str, tuple[Answer, str]] = {
    "nothing": (lambda _: [], "the connection broke before an answer"),
    "no HTTP": (lambda _: [b"SSH-2.0\r\n\r\n"], "the connection broke before an answer"),
    "an unknown coding": (whole(b"\x80x", "Content-Encoding: snappy"), "the body is still compressed with snappy"),
    "another coding": (whole(b"\x80x", "Content-Encoding: gzip"), "the body cannot be unpacked"),
}


@pytest.mark.parametrize(("answer", "why"), ERRORS.values(), ids=ERRORS)
def test_what_is_no_answer_is_told(upstream: Upstream, answer: Answer, why: str) -> None:
    with serving(answer) as server:
        with pytest.raises(UpstreamError, match=why) as caught:
            upstream.send(ask(server.url.replace("://", "://someone:secret@")))
        assert str(caught.value).startswith("127.0.0.1:")
        assert "secret" not in str(caught.value)
        assert len(server.requests) == 1  # nothing is tried again


def test_silence_is_told() -> None:
    upstream, over = Upstream(timeout=0.2), threading.Event()

    def silent(_: bytes) -> list[bytes]:
        return [wait(over)]

    def stuck(_: bytes) -> Iterator[bytes]:
        yield CHUNKED + chunk(PIECES[0])
        yield wait(over)

    with serving(silent) as server, pytest.raises(UpstreamError, match="no answer in time"):
        upstream.send(ask(server.url))
    with serving(stuck) as server, pytest.raises(UpstreamError, match="nothing more arrived in time"):
        upstream.send(ask(server.url))
    over.set()


def test_no_server_is_told(upstream: Upstream) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(UpstreamError, match=rf"127\.0\.0\.1:{port}: cannot connect"):
        upstream.send(ask(f"http://127.0.0.1:{port}"))
    with pytest.raises(UpstreamError, match="no HTTP URL"):
        upstream.send(ask("ftp://127.0.0.1"))


def test_size_is_bounded(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MAX_RECORD", 1_000)
    large = pytest.raises(UpstreamError, match="larger than 1000 bytes")
    with serving(whole(gzip.compress(b"a" * 5_000), "Content-Encoding: gzip")) as server, large:
        upstream.send(ask(server.url))


def test_proxies_count_only_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with serving(whole(b"{}")) as server:
        with Upstream(timeout=5) as upstream:
            assert upstream.send(ask(server.url)).body == b"{}"
        with Upstream(timeout=5, environment=True) as upstream, pytest.raises(UpstreamError):
            upstream.send(ask(server.url))


def test_redirects_and_errors_are_answers(upstream: Upstream) -> None:
    with serving(whole(b"no", "Location: http://127.0.0.1:1/", status="302 Found")) as server:
        interaction = upstream.send(ask(server.url))
    assert (interaction.status, interaction.reason, interaction.body) == (302, "Found", b"no")


def test_a_large_body_arrives(upstream: Upstream) -> None:
    body = b"x" * 5_000_000
    with serving(whole(body)) as server:
        interaction = upstream.send(ask(server.url))
    assert interaction.body == body


def test_any_transport_can_be_put_under_it() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, content=iter([request.content])))
    assert Upstream(transport=transport).send(ask("https://api.example")).body == b'{"a": "\xc3\xa9"}'
