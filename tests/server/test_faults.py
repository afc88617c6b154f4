"""Faults on demand, and faults of clients: each does what it says, each is counted, and the server goes on."""

from __future__ import annotations

import asyncio
import json
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from every import each
from mistakes import SCENARIO, right
from raw import Heard, address, as_bytes, exchange
from wired import SHIMS, Wired, WiredSeat, sdk

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.http import Request, unframe
from conformance.model import UserTurn
from conformance.responders import ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.server import Running, serving
from conformance.server.faults import FAULTS, FaultError, fault_of
from conformance.session.play import Play, beginning
from conformance.session.seat import TranslatorSeat
from conformance.wires import PROVIDERS, wire

Record = Callable[[str, object], None]


@cache
def question(provider: str, stream: bool, scenario: str = SCENARIO) -> Request:
    """The first request of a scenario."""
    told = load_scenarios()[scenario]
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    delivery = DELIVERIES["stream:per-event" if stream else "blocking"]
    made = Play(told, provider, "native", delivery, seat, ScriptedResponder(told, provider)).run()[0].request
    assert isinstance(made, Request)
    return made


def asked(server: Running, provider: str, *, stream: bool, **more: str) -> Heard:
    """Ask the first question with headers of the server's own."""
    return exchange(server, as_bytes(server, provider, question(provider, stream), scenario=SCENARIO, **more))


def is_well(server: Running) -> bool:
    """Whether the server still answers."""
    return all(asked(server, provider, stream=False).status == 200 for provider in PROVIDERS)


# --- what is asked for -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
@each("status", [400, 401, 403, 404, 413, 429, 500, 503, 529])
def test_a_status_comes_with_the_providers_own_body(strict: Running, provider: str, status: int) -> None:
    got = asked(strict, provider, stream=False, fault=f"status={status},retry-after=7")
    assert got.status == status
    error = wire(provider).read_error(status, {"retry-after": "7"}, got.body)
    assert "was asked for" in error.message
    assert b"retry-after: 7" in got.head


@pytest.mark.parametrize("provider", PROVIDERS)
@each("kind", ["rate_limit", "server", "overloaded"])
def test_an_error_ends_a_stream(strict: Running, provider: str, kind: str) -> None:
    got = asked(strict, provider, stream=True, fault=f"error={kind}")
    assert got.status == 200
    assert got.whole
    turn = wire(provider).read_stream([got.body])
    assert turn.stop == "error"
    assert turn.error is not None
    assert "was asked for" in turn.error.message


@pytest.mark.parametrize("provider", PROVIDERS)
@each("name", [name for name, one in DELIVERIES.items() if one.streaming and not one.loses])
def test_every_delivery_says_the_same(strict: Running, provider: str, name: str) -> None:
    framing = wire(provider).card.framings[0]
    got = asked(strict, provider, stream=True, fault=name)
    if framing not in DELIVERIES[name].framings:
        assert got.status == 400
        return
    plain = asked(strict, provider, stream=True)
    assert wire(provider).read_stream([got.body]) == wire(provider).read_stream([plain.body])


def test_gemini_without_alt_sse_streams_an_array(strict: Running) -> None:
    request = question("gemini", True)
    array = replace(request, url=request.url.replace("?alt=sse", ""))
    got = exchange(strict, as_bytes(strict, "gemini", array, scenario=SCENARIO))
    assert len(json.loads(got.body)) == got.body.count(b"\n,\r\n") + 1 > 1
    assert b"content-type: application/json" in got.head


def test_latency_and_trickle_take_their_time(strict: Running) -> None:
    before = time.monotonic()
    asked(strict, "openai-chat", stream=False, fault="latency=0.3")
    assert time.monotonic() - before >= 0.3
    chunks = len(list(unframe([asked(strict, "openai-chat", stream=True).body], "sse")))
    before = time.monotonic()
    assert asked(strict, "openai-chat", stream=True, fault="trickle=0.02").whole
    assert time.monotonic() - before >= 0.02 * chunks


def test_a_fault_may_happen_a_number_of_times(strict: Running) -> None:
    statuses = [
        asked(strict, "anthropic", stream=False, fault="status=529,times=2", session="times").status for _ in range(4)
    ]
    assert statuses == [529, 529, 200, 200]


def test_a_fault_can_be_in_the_path_and_on_the_command_line() -> None:
    with serving(fault="status=500") as server:
        assert asked(server, "ollama", stream=False).status == 500
        request = question("ollama", False)
        path = f"{server.origin}/fault/status=418/s/{SCENARIO}/p/ollama/api/chat"
        assert exchange(server, as_bytes(server, "ollama", replace(request, url=path))).status == 418


@each(
    "text", ["status", "status=200", "latency=-1", "cut=x", "error=odd", "delivery=blocking", "x=1"]
)
def test_a_fault_that_is_none_is_refused(strict: Running, text: str) -> None:
    with pytest.raises(FaultError):
        fault_of(text)
    got = asked(strict, "openai-chat", stream=False, fault=text)
    assert got.status == 400
    assert b"fault" in got.body


def test_every_fault_is_explained() -> None:
    assert set(FAULTS) == {
        "status", "retry-after", "latency", "trickle", "cut", "error", "delivery", "times",
    }  # fmt: skip


# --- cut at every byte -----------------------------------------------------------------------------------------------

CUT_WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "unified")


NEAR_THE_ENDS = 64
"""So many bytes of the beginning and of the end of a stream are cut at over sockets, one by one."""


def borders(whole: bytes) -> set[int]:
    """Where a server that sends event by event could cut wrongly: near both ends, at and beside each line's end."""
    ends = [place + 1 for place, byte in enumerate(whole) if byte == 10]
    near = [*range(NEAR_THE_ENDS), *range(len(whole) - NEAR_THE_ENDS, len(whole) + 1)]
    return {size for size in (*near, *(end + by for end in ends for by in (-1, 0, 1))) if 0 <= size <= len(whole)}


@pytest.mark.slow
@pytest.mark.parametrize("provider", CUT_WIRES)
def test_a_stream_cut_at_every_byte(strict: Running, provider: str, record_property: Record) -> None:
    """The client gets exactly the bytes before the cut and sees that the rest is missing; the server notes every cut.
    Whatever the client got, it reads no call that is not whole: at every byte there is."""
    short = "multi_turn.hello" if provider == "openai-responses" else "shell.success"  # whose events are the longest
    request = question(provider, True, short)
    whole = exchange(strict, as_bytes(strict, provider, request, scenario=short)).body
    full = wire(provider).read_stream([whole])
    before = strict.log.document()["counts"]["faults"]
    cuts = borders(whole)
    for size in sorted(cuts):
        got = exchange(strict, as_bytes(strict, provider, request, scenario=short, fault=f"cut={size}"))
        assert got.status == 200
        assert got.body == whole[:size]
        assert not got.whole
    assert strict.log.document()["counts"]["faults"] == before + len(cuts)
    for size in range(len(whole) + 1):
        turn = wire(provider).read_stream([whole[:size]])
        if turn.stop not in ("incomplete", "error"):
            assert (turn.text, turn.calls, turn.stop) == (full.text, full.calls, full.stop)
        usable = [(call.name, call.arguments) for call in turn.calls if not call.invalid]
        assert usable == [(call.name, call.arguments) for call in full.calls[: len(usable)]]
    record_property("cuts survived", len(cuts))
    assert is_well(strict)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("provider", sorted(set(SHIMS) - {"xai", "deepseek", "mistral"}))
def test_the_sdk_notices_a_cut(strict: Running, provider: str) -> None:
    """Cut in the middle, no SDK takes the answer for a whole one."""
    scenario = load_scenarios()[SCENARIO]
    seat = WiredSeat(provider, strict, SCENARIO, f"cut-{provider}")
    endpoint = Wired(provider, seat.url, {**seat.headers, "x-conformance-fault": "cut=700"})
    intent = beginning(scenario, "native").then(UserTurn("Compare /srv/a.txt with /srv/b.txt."))
    try:
        heard = sdk(provider).complete(provider, intent, stream=True, endpoint=endpoint)
    except Exception as problem:
        assert "peer closed" in f"{problem}{problem.__cause__}" or "incomplete" in str(problem)
    else:
        assert heard.stop in ("incomplete", "error")


# --- what clients may send -------------------------------------------------------------------------------------------

NESTED = b'{"messages":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
ODD_BODIES = (
    b"", b" ", b"null", b"true", b"0", b"[]", b'"text"', b"{", b"}", b"{}", b'{"a":1}{"b":2}', b"\xff\xfe{}", b"\x00",
    b"{'model': 1}", b'{"model": NaN}', b'{"stream": Infinity}', b'{"model": "\\ud800"}', b'{"messages": null}',
    b'{"messages": [null]}', b'{"messages": [[]]}', b'{"messages": [{"role": {}}]}', b'{"model": 1e999}', NESTED,
    b'{"model":' + b"9" * 5000 + b"}", b'{"contents": "x", "messages": 5, "input": {}}', b'{"tools": [[]]}',
    b"[" * 99_999,
)  # fmt: skip
ODD_LINES = (
    b"Content-Type: \xff\xfe", b"Content-Type: text/plain", b"Content-Encoding: gzip", b"Content-Encoding: bogus",
    b"Authorization: Bearer", b"Authorization: \xe4\xf6\xfc", b"X-Conformance-Fault: \xff=1", b"Accept-Encoding: *;q=x",
    b"X-Conformance-Scenario: ../../etc/passwd", b"X-Conformance-Scenario: \xf0\x9f\x98\x80", b"Expect: a miracle",
    b"X-Conformance-Session: " + b"s" * 8000, b"X-Conformance-Provider: nobody", b"Cookie: " + b"c=1; " * 900,
    b"Upgrade: websocket", b"User-Agent: <script>alert(1)</script>", b"User-Agent: \x80\x81", b"Transfer-Encoding: odd",
    b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"No colon here",
    b"Bad\x00Name: 1", b"Name : 1", b" folded: 1", b"X-Long: " + b"x" * 100_000, b": empty",
)  # fmt: skip


def malformed(server: Running, count: int) -> Iterator[tuple[str, bytes]]:
    """Requests that something is wrong with: bodies, bodies with bytes changed, headers, whole heads."""
    chance = random.Random(4)
    kinds: list[Callable[[str, bytes], tuple[str, bytes]]] = [_odd_body, _odd_line, _odd_head]
    for number in range(count):
        provider = PROVIDERS[number % len(PROVIDERS)]
        request = right(provider)
        if number % 2:
            body = bytearray(request.body)
            for _ in range(chance.choice((1, 2, 20))):
                place = chance.randrange(len(body))
                body[place : place + chance.choice((0, 1, 3, 50))] = chance.randbytes(chance.choice((0, 1, 4)))
            yield "changed", as_bytes(server, provider, replace(request, body=bytes(body)), scenario=SCENARIO)
        else:
            plain = as_bytes(server, provider, request, scenario=SCENARIO)
            yield kinds[number // 2 % 3](str(number // 6), plain)


def _odd_body(number: str, plain: bytes) -> tuple[str, bytes]:
    head, _, body = plain.partition(b"\r\n\r\n")
    odd = ODD_BODIES[int(number) % len(ODD_BODIES)]
    return "body", head.replace(b"content-length: %d" % len(body), b"content-length: %d" % len(odd)) + b"\r\n\r\n" + odd


def _odd_line(number: str, plain: bytes) -> tuple[str, bytes]:
    first, _, rest = plain.partition(b"\r\n")
    return "header", first + b"\r\n" + ODD_LINES[int(number) % len(ODD_LINES)] + b"\r\n" + rest


def _odd_head(number: str, plain: bytes) -> tuple[str, bytes]:
    first, _, rest = plain.partition(b"\r\n")
    method, path, _ = first.split(b" ", 2)
    firsts = (
        b"GET " + path + b" HTTP/1.1", b"POST " + path + b"/../../x HTTP/1.1", b"POST /v1/%zz HTTP/1.1",
        b"BREW / HTTP/1.1", method + b" " + path + b" HTTP/9.9", b"POST /p/nobody/v1/messages HTTP/1.1",
        b"POST / HTTP/1.1", b"\x16\x03\x01",
        b"POST /s/" + b"x" * 5000 + b"/v1/messages HTTP/1.1", b"POST //// HTTP/1.1", b"DELETE /v1/messages HTTP/1.1",
        b"POST /fault/x/v1/messages HTTP/1.1", b"OPTIONS * HTTP/1.1", b"POST http://x/v1/messages HTTP/1.1",
    )  # fmt: skip
    return "head", firsts[int(number) % len(firsts)] + b"\r\n" + rest


@pytest.mark.slow
def test_a_thousand_malformed_requests(strict: Running, record_property: Record) -> None:
    """Each is answered, none with a failure of the server's own; what is no HTTP is turned away as that."""
    answered: Counter[str] = Counter()
    for kind, sent in malformed(strict, 1000):
        got = exchange(strict, sent)
        assert got.status not in range(500, 600), (sent[:300], got)
        assert got.status or kind in ("header", "head"), (sent[:300], got)
        answered[f"{kind} {got.status}"] += 1
    assert sum(answered.values()) == 1000
    record_property("malformed requests survived", dict(answered))
    assert is_well(strict)


@pytest.mark.parametrize("provider", PROVIDERS)
@each("body", ODD_BODIES, ids=lambda body: repr(body[:24]))
def test_an_odd_body_is_refused_in_the_providers_form(strict: Running, provider: str, body: bytes) -> None:
    request = replace(question(provider, False), body=body)
    got = exchange(strict, as_bytes(strict, provider, request, scenario=SCENARIO))
    if got.status != 200:
        error = wire(provider).read_error(got.status, {}, got.body)
        assert got.status in (400, 401)
        assert error.message not in ("", "the provider gave no message")
        assert got.body.startswith(b"{")


@pytest.mark.slow
def test_a_body_of_a_hundred_megabytes(fresh: Running, record_property: Record) -> None:
    """It is taken, but not kept, and refused in each provider's form."""
    import http.client

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for provider in PROVIDERS:
        request = question(provider, False)
        line = http.client.HTTPConnection(*address(fresh), timeout=60)
        headers = {**request.headers, "x-conformance-provider": provider, "x-conformance-scenario": SCENARIO}
        body = (b"x" * 1_000_000 for _ in range(100))
        line.request("POST", request.path, body=body, headers=headers, encode_chunked=True)
        answer = line.getresponse()
        assert answer.status == 413
        assert "too large" in wire(provider).read_error(413, {}, answer.read()).message
        line.close()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000, "kilobytes"
    assert fresh.log.document()["counts"]["errors"] == len(PROVIDERS)
    record_property("bodies of 100 MB survived", len(PROVIDERS))
    assert is_well(fresh)


@pytest.mark.slow
def test_a_thousand_streams_at_once(fresh: Running, record_property: Record) -> None:
    """All are open at the same time, and all come whole."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4096:
        pytest.skip("needs 4096 open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    streams = [
        as_bytes(fresh, provider, question(provider, True), scenario=SCENARIO, fault="latency=2,trickle=0.01")
        for provider in PROVIDERS
    ]
    expected = [asked(fresh, provider, stream=True).body for provider in PROVIDERS]

    async def one(number: int) -> bytes:
        reader, writer = await asyncio.open_connection(*address(fresh))
        writer.write(streams[number % len(streams)])
        data = await reader.read()
        writer.close()
        return data

    async def all_of_them() -> list[bytes]:
        return await asyncio.gather(*(one(number) for number in range(1000)))

    from raw import heard

    answers = [heard(data) for data in asyncio.run(all_of_them())]
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert all(answer.whole for answer in answers)
    assert [answer.body for answer in answers] == [expected[number % len(expected)] for number in range(1000)]
    counts: dict[str, Any] = fresh.log.document()["counts"]
    assert counts["streams"] == 1000 + len(PROVIDERS)
    assert counts["faults"] == 1000
    record_property("streams at once", 1000)
    assert is_well(fresh)


def test_a_client_that_leaves_is_let_go(fresh: Running) -> None:
    """A trickle to a client that went away ends."""
    import socket

    sent = as_bytes(fresh, "anthropic", question("anthropic", True), scenario=SCENARIO, fault="trickle=30")
    with socket.create_connection(address(fresh)) as line:
        line.sendall(sent)
        time.sleep(0.2)
    assert is_well(fresh)
