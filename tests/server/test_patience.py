"""Clients that are slow, silent, or pages in a browser; and the end of the command, which always writes what it saw."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from mistakes import SCENARIO, right
from raw import address, as_bytes, exchange, heard

from conformance.server import Running, serving
from conformance.wires import wire

PATIENCE = 0.3
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def impatient() -> Iterator[Running]:
    """A server that waits for nobody."""
    with serving(patience=PATIENCE) as server:
        yield server


@contextmanager
def line(server: Running) -> Iterator[socket.socket]:
    """A connection."""
    with socket.create_connection(address(server), timeout=10) as opened:
        yield opened


def until_closed(opened: socket.socket, drip: bytes = b"") -> tuple[bytes, float]:
    """What comes until the server closes the connection, and after how many seconds. ``drip`` is sent byte by byte."""
    begun, came, left = time.monotonic(), b"", iter(drip)
    opened.settimeout(0.05)
    while time.monotonic() - begun < 10:
        try:
            piece = opened.recv(65_536)
            if not piece:
                break
            came += piece
        except TimeoutError:
            one = next(left, None)
            try:
                opened.sendall(b"" if one is None else bytes([one]))
            except OSError:
                break
        except ConnectionError:
            break
    return came, time.monotonic() - begun


def question(server: Running) -> bytes:
    """A right request."""
    return as_bytes(server, "anthropic", right("anthropic"), scenario=SCENARIO)


HEAD = b"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n"


@pytest.mark.parametrize("sent", [b"", b"POST", HEAD], ids=["nothing", "a word", "half a head"])
@pytest.mark.parametrize("drip", [b"", b"x: " + b"y" * 500], ids=["silent", "dripping"])
def test_a_head_that_does_not_come_is_not_waited_for(impatient: Running, sent: bytes, drip: bytes) -> None:
    with line(impatient) as opened:
        opened.sendall(sent)
        came, took = until_closed(opened, drip)
        assert not came or heard(came).status == 400
        assert took < 3


@pytest.mark.parametrize("drip", [b"", b" " * 500], ids=["silent", "dripping"])
@pytest.mark.parametrize("more", [b"content-length: 100000\r\n", b"transfer-encoding: chunked\r\n"])
def test_a_body_that_does_not_come_is_answered_408(impatient: Running, more: bytes, drip: bytes) -> None:
    with line(impatient) as opened:
        opened.sendall(HEAD + more + b"\r\n" + (b"ffff\r\n" if b"chunked" in more else b""))
        came, took = until_closed(opened, drip)
        assert took < 5
    got = heard(came)
    assert got.status == 408
    assert "too long" in wire("anthropic").read_error(408, {}, got.body).message


def test_a_connection_that_answered_is_not_kept_for_half_a_head(impatient: Running) -> None:
    sent = question(impatient)
    with line(impatient) as opened:
        opened.sendall(sent.replace(b"connection: close\r\n", b""))
        came = opened.recv(65_536)
        assert heard(came).status == 200
        opened.sendall(b"POST /v1/mess")
        came, took = until_closed(opened, b"ages" * 100)
        assert took < 3


def test_who_reads_nothing_is_cut_off(impatient: Running) -> None:
    """Answers pile up, because it asks and asks."""
    sent = question(impatient).replace(b"connection: close\r\n", b"")
    open_ones = impatient._server.server_state.connections
    with line(impatient) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        opened.settimeout(0.1)
        with pytest.raises(OSError, match=r"timed out|reset|Broken"):
            for _ in range(100_000):
                opened.sendall(sent)
        until = time.monotonic() + 30
        while open_ones and time.monotonic() < until:
            time.sleep(0.05)
        assert not open_ones


def test_a_slow_connection_keeps_nobody_waiting(impatient: Running) -> None:
    with line(impatient) as slow:
        slow.sendall(HEAD)
        assert exchange(impatient, question(impatient)).status == 200


# --- pages in a browser ----------------------------------------------------------------------------------------------

BY_PAGES: tuple[Mapping[str, str], ...] = (
    {"origin": "http://evil.example", "content-type": "text/plain"},
    {"origin": "null", "content-type": "text/plain;charset=UTF-8"},
    {"origin": "http://evil.example", "content-type": "application/x-www-form-urlencoded"},
    {"origin": "http://evil.example", "content-type": "multipart/form-data; boundary=x"},
    {"origin": "http://evil.example"},
    {"origin": "http://127.0.0.1:3000", "content-type": "application/json"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site", "content-type": "text/plain"},
    {"sec-fetch-site": "same-origin", "host": "evil.example"},
    {"content-type": "text/plain"},
    {"content-type": "Text/Plain; charset=utf-8"},
    {"content-type": "multipart/form-data; boundary=x"},
)


@pytest.mark.parametrize("provider", ["anthropic", "gemini", "ollama", "openai-chat"])
@pytest.mark.parametrize("headers", BY_PAGES, ids=str)
def test_a_page_adds_no_findings(fresh: Running, provider: str, headers: Mapping[str, str]) -> None:
    body = b'{"model":"m","messages":[{"role":"tool","content":"x","tool_call_id":"1"}],"contents":[{"role":"nobody"}]}'
    url = f"{fresh.origin}/s/{SCENARIO}{right(provider).path}"
    got = httpx.post(url, content=body, headers={"authorization": "Bearer x", "x-api-key": "x", **headers})
    assert got.status_code in (403, 415)
    counts = fresh.log.document()["counts"]
    assert counts["with_findings"] == counts["refused"] == 0
    assert counts["exchanges"] == (0 if got.status_code == 403 else 1)
    assert not fresh.log.cases
    assert "x-conformance-findings" not in got.headers


def test_what_fetch_in_node_says_is_no_page(fresh: Running) -> None:
    """undici sends ``Sec-Fetch-Mode``, and no more of that kind."""
    request = right("anthropic")
    headers = {**request.headers, "sec-fetch-mode": "cors"}
    url = f"{fresh.origin}/s/{SCENARIO}{request.path}"
    assert httpx.post(url, content=request.body, headers=headers).status_code == 200


# --- the end of the command ------------------------------------------------------------------------------------------


@contextmanager
def command(
    folder: Path, *words: str, program: Sequence[str] = ("-m", "conformance")
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`conformance serve`, and where it listens."""
    whole = [sys.executable, *program, "serve", "--port", "0", "--out", str(folder / "out.json"), *words]
    with subprocess.Popen(whole, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def ask(origin: str) -> None:
    """One right request, with some odd ones around it."""
    request = right("anthropic")
    url = f"{origin}/s/{SCENARIO}{request.path}"
    plain = [(name.encode(), value.encode()) for name, value in request.headers.items()]
    for headers in (plain, [*plain, (b"user-agent", b"\xff\xed\xa0\x80<b>")]):
        assert httpx.post(url, headers=headers, content=request.body).status_code == 200
    httpx.post(f"{origin}/%ff%00/s/%ed%a0%80", content=b"\xff")


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [(signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGTERM,) * 5, (2, 15, 1)], ids=str)
def test_every_signal_writes_the_result(tmp_path: Path, numbers: tuple[int, ...]) -> None:
    """While connections are open that say nothing, and answers are on their way that take long."""
    with command(tmp_path) as (process, origin):
        ask(origin)
        host, port = origin.removeprefix("http://").split(":")
        silent = [socket.create_connection((host, int(port))) for _ in range(3)]
        silent[1].sendall(HEAD)
        slow = f"POST /fault/latency=60/s/{SCENARIO}/v1/messages HTTP/1.1\r\nhost: x\r\n"
        request = right("anthropic")
        head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
        silent[2].sendall(f"{slow}{head}content-length: {len(request.body)}\r\n\r\n".encode() + request.body)
        time.sleep(0.2)
        begun = time.monotonic()
        for number in numbers:
            process.send_signal(number)
        said, complaints = process.communicate(timeout=20)
        assert time.monotonic() - begun < 6
        for one in silent:
            one.close()
    assert "exchanges" in said, complaints
    assert "Traceback" not in complaints
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert len(document["adapters"]) >= 2


@pytest.mark.slow
def test_a_signal_before_the_first_request_writes_a_result(tmp_path: Path) -> None:
    with command(tmp_path) as (process, _):
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        assert process.returncode == 4
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["adapters"] == []


STUCK = """
import sys, time
from conformance.server import service
whole = service.Service.serve
def serve(self, request):
    while b"stuck" in request.body:
        pass
    return whole(self, request)
service.Service.serve = serve
from conformance.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [10, 200_000], ids=["on the loop", "in a thread"])
def test_a_judge_that_is_stuck_loses_no_result(tmp_path: Path, size: int) -> None:
    with command(tmp_path, program=("-c", STUCK)) as (process, origin):
        ask(origin)
        request = right("anthropic")
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(origin + request.path, headers=request.headers, content=b"stuck" * size, timeout=0.5)
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        assert time.monotonic() - begun < 8
        assert process.returncode == 0
    assert len(json.loads((tmp_path / "out.json").read_text("utf-8"))["adapters"]) == 2
