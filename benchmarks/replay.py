"""Replay beside its floor, beside vcrpy, and by the number of recordings. ``--check`` fails when an aim is missed.

Everything is measured side by side in one run, in CPU time of this process, round by round; ratios are medians over
the rounds, because machines drift. The floor is the HTTP library's own mock transport with the same answer.

- an interaction through a client: at most 1.3 × the floor, when a request comes as it was recorded;
- with 10,000 recordings at most 1.2 × of what it is with 10;
- with 1,000 recordings at least 20 × as fast as vcrpy with default matchers, 500 × as fast with those and ``body``;
- a JSON cassette of 1,000 interactions loads in at most 2 × the time of reading the file with orjson.

Usage: python benchmarks/replay.py [--check | --small]      (needs httpx, httpx2 and vcrpy; --small sees that it works)
"""

from __future__ import annotations

import contextlib
import importlib
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import orjson

from conformance.http import Request
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.player import Player, UnmatchedError
from conformance.recordings.replay_transports import LIBRARIES, replay_transport
from conformance.recordings.store import read_cassette, write_cassette

URL = "https://api.example.com/v1/chat/completions"
HEADERS = {"content-type": "application/json", "authorization": "Bearer test", "user-agent": "benchmark/1"}
ANSWER_HEADERS = (("content-type", "application/json"), ("x-request-id", "req_1"))
SMALL = "--small" in sys.argv
ROUNDS = 1 if SMALL else 15
CALLS = 4 if SMALL else 200
MANY = 50 if SMALL else 1_000
"""How many recordings most measurements have."""

Call = Callable[[bytes], object]


@dataclass(frozen=True)
class Line:
    """One measurement. ``aim`` is the largest (or, for a gain, the smallest) ratio that is good enough."""

    what: str
    ratio: float
    aim: float | None = None
    gain: bool = False

    @property
    def met(self) -> bool:
        """Whether the aim is met. At small size nothing is aimed at."""
        return SMALL or self.aim is None or (self.ratio >= self.aim if self.gain else self.ratio <= self.aim)

    def __str__(self) -> str:
        aim = "" if self.aim is None else f"   aim {'≥' if self.gain else '≤'} {self.aim:g}"
        return f"{self.what:<66} {self.ratio:8.2f}{aim}{'' if self.met else '  MISSED'}"


def document(number: int) -> dict[str, Any]:
    """The body of a request, 4 kB: a conversation with four calls, and five tools."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a helpful assistant. " * 10}]
    for turn in range(4):
        function = {"name": "read_file", "arguments": json.dumps({"path": f"src/{number}.txt", "limit": turn})}
        messages += [
            {"role": "user", "content": f"Question {turn} of {number}: " + "what does it say? " * 8},
            {"role": "assistant", "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": "a line of the file\n" * 10},
        ]
    properties = {"path": {"type": "string", "description": "Where it is"}, "limit": {"type": "integer"}}
    parameters = {"type": "object", "properties": properties, "required": ["path"]}
    tools = [
        {"type": "function", "function": {"name": f"tool_{n}", "description": "Does. " * 12, "parameters": parameters}}
        for n in range(5)
    ]
    return {"model": "gpt-4o", "messages": messages, "tools": tools}


def answer(number: int) -> bytes:
    """The body of an answer, 1 kB."""
    message = {"role": "assistant", "content": f"Answer {number}. " + "It says so. " * 60}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return json.dumps({"id": f"chatcmpl-{number}", "object": "chat.completion", "choices": choices}).encode()


def cassette(count: int) -> Cassette:
    """As many interactions, all at one address: only their bodies differ."""
    return Cassette(
        tuple(
            Interaction(Request("POST", URL, HEADERS, orjson.dumps(document(n))), 200, ANSWER_HEADERS, (answer(n),))
            for n in range(count)
        )
    )


def sample(tape: Cassette, calls: int) -> list[bytes]:
    """The bodies of ``calls`` requests, from the whole cassette evenly."""
    count = len(tape.interactions)
    return [tape.interactions[(n * count // calls) % count].request.body for n in range(calls)]


def seconds(call: Call, bodies: list[bytes]) -> float:
    """The CPU time of one call of many."""
    started = process_time()
    for body in bodies:
        call(body)
    return (process_time() - started) / len(bodies)


def ratios(rounds: int, measured: Callable[[], float], beside: Callable[[], float]) -> float:
    """The median of ``measured ÷ beside``, taken round by round in alternating order."""
    measured(), beside()
    found = []
    for number in range(rounds):
        first, second = (measured, beside) if number % 2 else (beside, measured)
        times = {first: first(), second: second()}
        found.append(times[measured] / times[beside])
    return statistics.median(found)


def posting(library: str, transport: Any) -> Call:
    """A call through a client of ``library``."""
    client = importlib.import_module(library).Client(transport=transport)
    return lambda body: client.post(URL, content=body, headers=HEADERS).json()


def floor(library: str) -> Call:
    """A call that ends in the library's own mock transport."""
    module, body = importlib.import_module(library), answer(0)
    return posting(
        library,
        module.MockTransport(lambda request: module.Response(200, headers=list(ANSWER_HEADERS), content=body)),
    )


def replaying(library: str, tape: Cassette) -> Call:
    """A call that ends in a player."""
    return posting(library, replay_transport(library, Player([tape], repeat="last").answer))


def beside_the_floor(tape: Cassette) -> Iterator[Line]:
    """Replay ÷ floor, for both libraries, of requests as recorded and of requests spelled differently."""
    same = sample(tape, CALLS)
    other = [json.dumps(dict(reversed(orjson.loads(body).items()))).encode() for body in same]
    for library in LIBRARIES:
        low, high = floor(library), replaying(library, tape)
        for what, bodies, aim in (("as recorded", same, 1.3), ("members in another order", other, 1.3)):
            ratio = ratios(ROUNDS, lambda: seconds(high, bodies), lambda: seconds(low, bodies))  # noqa: B023
            yield Line(f"{library}: replay ÷ mock transport, {what}", ratio, aim)


def by_number() -> Iterator[Line]:
    """Replay with many recordings ÷ replay with ten."""
    few = cassette(10)
    small, bodies = replaying("httpx", few), sample(few, CALLS)
    for count in (100, MANY, 10 * MANY):
        tape = cassette(count)
        large, others = replaying("httpx", tape), sample(tape, CALLS)
        ratio = ratios(ROUNDS, lambda: seconds(large, others), lambda: seconds(small, bodies))  # noqa: B023
        yield Line(f"httpx: {count:,} recordings ÷ 10 recordings", ratio, 1.2)


def beside_vcrpy(tape: Cassette, folder: Path) -> Iterator[Line]:
    """vcrpy ÷ replay, with the same file: all requests in their order; a few where vcrpy takes a second each."""
    vcr, httpx = importlib.import_module("vcr"), importlib.import_module("httpx")
    path = write_cassette(folder / "vcrpy.json", tape)
    default = ("method", "scheme", "host", "port", "path", "query")
    for what, matchers, calls, aim in (
        ("default matchers", default, len(tape.interactions), 20.0),
        ("matching on body", (*default, "body"), 4, 500.0),
    ):
        bodies, ours = sample(tape, calls), replaying("httpx", tape)
        blocks = [bodies[start : start + 100] for start in range(0, len(bodies), 100)]
        slow = fast = 0.0
        recorder = vcr.VCR(serializer="json", record_mode="none", match_on=matchers)
        with recorder.use_cassette(str(path)), httpx.Client() as client:
            for block in blocks:
                slow += seconds(lambda body: client.post(URL, content=body, headers=HEADERS).json(), block)
                fast += seconds(ours, block * (100 // len(block)))
        yield Line(f"httpx: vcrpy, {what} ÷ replay, {len(tape.interactions):,} recordings", slow / fast, aim, gain=True)


def loading(folder: Path) -> Iterator[Line]:
    """Reading a cassette ÷ reading the file with orjson."""
    for count, repeats, aim in ((10, 100, 2.0), (MANY, 1, 2.0)):
        path = write_cassette(folder / f"{count}.json", cassette(count))

        def timed(load: Callable[[Path], object], path: Path = path, repeats: int = repeats) -> float:
            started = process_time()
            for _ in range(repeats):
                load(path)
            return process_time() - started

        ratio = ratios(
            ROUNDS, lambda: timed(read_cassette), lambda: timed(lambda path: orjson.loads(path.read_bytes()))  # noqa: B023
        )
        yield Line(f"load ÷ orjson, file of {count:,} interactions", ratio, aim)


def unmatched(count: int) -> None:
    """Tell how long two unmatched requests take: the first one prepares the search for the nearest recording."""
    player = Player([cassette(count)])
    for which in ("first", "second"):
        body = orjson.dumps(document(count) | {"model": which})
        started = process_time()
        with contextlib.suppress(UnmatchedError):
            player.answer(Request("POST", URL, HEADERS, body))
        seconds = process_time() - started
        print(f"seconds of the {which} unmatched request, {count:,} recordings: {seconds:.3f}   aim ≤ 0.1")


def main() -> int:
    tape, lines = cassette(MANY), []
    with tempfile.TemporaryDirectory() as folder:
        for part in (beside_the_floor(tape), by_number(), beside_vcrpy(tape, Path(folder)), loading(Path(folder))):
            for line in part:
                print(line, flush=True)
                lines.append(line)
    unmatched(10 * MANY)
    return 1 if "--check" in sys.argv and not all(line.met for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
