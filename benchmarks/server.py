"""How fast `conformance serve` answers, beside a bare ASGI application that sends the same bytes.

Both run under the same uvicorn, one after the other in many short rounds, so that what else the machine does hits both
alike: the ratio is the median over the pairs of rounds. Beside the rate stands what a request costs in processor time,
which other work on the machine changes least. The client is a few raw connections that send the next request when the
answer is there. The server judges, counts and notes every request. Run: ``python benchmarks/server.py``; exit code 1
when the server's rate is less than ``--least`` of the bare application's. ``--small`` only sees that it works.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import socket
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.http import Request
from conformance.responders import ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.server.app import Application
from conformance.server.running import open_socket, uvicorn_server
from conformance.server.settings import Settings
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat

SCENARIO = "parallel_calls.two_reads"
CONNECTIONS = 8


@cache
def requests(stream: bool) -> list[bytes]:
    """Both requests of a scenario, as bytes, to two providers."""
    return [
        _bytes(provider, exchange.request)
        for provider in ("openai-chat", "anthropic")
        for exchange in _played(provider, stream)
        if isinstance(exchange.request, Request)
    ]


def _played(provider: str, stream: bool) -> Any:
    scenario = load_scenarios()[SCENARIO]
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    delivery = DELIVERIES["stream:per-event" if stream else "blocking"]
    return Play(scenario, provider, "native", delivery, seat, ScriptedResponder(scenario, provider)).run()


def _bytes(provider: str, request: Request) -> bytes:
    headers = {**request.headers, "host": "localhost", "content-length": str(len(request.body)), "user-agent": "bench"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /p/{provider}/s/{SCENARIO}{request.path} HTTP/1.1\r\n{head}\r\n".encode() + request.body


# --- the servers, each in a process of its own -----------------------------------------------------------------------


def serve_ours(pipe: Connection) -> None:
    """`conformance serve`, which a connection tells when to end."""
    _serve(pipe, Application(Settings()))


def serve_bare(pipe: Connection) -> None:
    """An application that reads each request and sends what ours sends, and does nothing else."""
    learned = Application(Settings())
    answers: dict[tuple[bytes, bytes], Any] = {}

    async def bare(scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        key = (scope["raw_path"], body)
        if key not in answers:
            answers[key] = await learned._served(scope, body)
        served = answers[key]
        await send(served.head)
        for message in served.tail:
            await send(message)

    _serve(pipe, bare)


def _serve(pipe: Connection, application: Any) -> None:
    opened = open_socket("127.0.0.1", 0)
    server = uvicorn_server(application)
    pipe.send(opened.getsockname()[1])
    server.run([opened])


# --- the client ------------------------------------------------------------------------------------------------------


def rate(port: int, sent: list[bytes], seconds: float) -> float:
    """Answers a second over a few connections."""
    lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
    for line in lines:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    done, number, started = 0, 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        for line in lines:
            line.sendall(sent[number % len(sent)])
            number += 1
        for line in lines:
            _await_answer(line)
            done += 1
    took = time.perf_counter() - started
    for line in lines:
        line.close()
    return done / took


def _await_answer(line: socket.socket) -> None:
    data = line.recv(65_536)
    while b"\r\n\r\n" not in data:
        data += line.recv(65_536)
    head, _, rest = data.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise SystemExit(data.decode("utf-8", "replace"))
    if b"chunked" in head:
        while not rest.endswith(b"0\r\n\r\n"):
            rest += line.recv(65_536)
        return
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(rest) < length:
        rest += line.recv(65_536)


def processor_seconds(pid: int) -> float:
    """The processor time that a process has used (Linux; elsewhere 0)."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Measure and print. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each round")
    parser.add_argument("--least", type=float, default=0.8, help="the share of the bare rate that is enough")
    parser.add_argument("--small", action="store_true", help="two short rounds, and any rate is enough")
    options = parser.parse_args()
    if options.small:
        options.rounds, options.seconds, options.least = 2, 0.05, 0.0
    context = multiprocessing.get_context("spawn")
    ports, pids, processes = {}, {}, []
    targets: dict[str, Callable[[Connection], None]] = {"bare": serve_bare, "ours": serve_ours}
    for name, target in targets.items():
        ours, theirs = context.Pipe()
        process = context.Process(target=target, args=(theirs,), daemon=True)
        process.start()
        processes.append(process)
        ports[name] = ours.recv()
        pids[name] = process.pid or 0
    enough = True
    for mode, stream in (("blocking", False), ("stream", True)):
        rates: dict[str, list[float]] = {name: [] for name in targets}
        asked: Counter[str] = Counter()
        for name in targets:
            rate(ports[name], requests(stream), 0.5)
        before = {name: processor_seconds(pid) for name, pid in pids.items()}
        for turn in range(options.rounds):
            for name in sorted(targets, reverse=bool(turn % 2)):
                rates[name].append(rate(ports[name], requests(stream), options.seconds))
                asked[name] += round(rates[name][-1] * options.seconds)
        cost = {name: (processor_seconds(pids[name]) - before[name]) / asked[name] * 1e6 for name in targets}
        ratio = statistics.median(own / bare for own, bare in zip(rates["ours"], rates["bare"], strict=True))
        enough &= ratio >= options.least
        for name in targets:
            shown = f"{statistics.median(rates[name]):7.0f} answers/s, {cost[name]:4.0f} µs of processor time each"
            print(f"{mode:9} {name:5} {shown}")
        by_cost = f", by processor time {cost['bare'] / cost['ours']:.0%}" if cost["ours"] else ""
        print(f"{mode:9} conformance serve / bare: {ratio:.0%}{by_cost}")
    for process in processes:
        process.kill()
    return 0 if enough else 1


if __name__ == "__main__":
    raise SystemExit(main())
