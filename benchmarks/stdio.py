"""What an adapter in a child costs, beside a bare round trip through the same pipes and a process for every case.

``python benchmarks/stdio.py`` plays the reference adapter's own calls on openai-chat again, call by call and side by
side, because machines drift:

- *bytes*: the same bytes to and from a child that only reads a line and writes a prepared one;
- *JSON*: the same, and each end reads and writes the JSON of its line with `json.loads` and `json.dumps`: what any
  protocol of JSON lines costs;
- *harness*: the child of *bytes*, called through the harness: what is on top is what the protocol costs at our end;
- *served*: the reference adapter in a Python child, its own work taken off: what the protocol costs at both ends;
- *process*: the child of *served* started, introduced, called once and ended.

The aims: at most 2 × *bytes* on top of it; served at most 2 × *JSON*; process at least 200 × *served*. ``--check``
fails when one is missed; ``--small`` only sees that it works, with a few calls.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters.reference import ReferenceAdapter
from conformance.adapters.stdio import writing
from conformance.adapters.stdio.faces import StdioTranslator, introduced
from conformance.adapters.stdio.lines import answer_line, request_line
from conformance.adapters.stdio.text import encode
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import fits
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation
from conformance.responders import ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat

PROVIDER = "openai-chat"
ROUNDS = 5
STARTS = 5

PREPARED = """
import sys
lines = open(sys.argv[1], 'rb').readlines()
read, write, flush = sys.stdin.buffer.readline, sys.stdout.buffer.write, sys.stdout.buffer.flush
for line in lines:
    if not read(): break
    write(line); flush()
"""
JSON_ENDS = """
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], 'rb')]
read, write, flush = sys.stdin.buffer.readline, sys.stdout.buffer.write, sys.stdout.buffer.flush
for document in lines:
    line = read()
    if not line: break
    json.loads(line)
    write(json.dumps(document, separators=(',', ':')).encode() + b'\\n'); flush()
"""
HELLO = {"protocol": 1, "adapter": {"name": "p", "language": "python", "kind": "translator", "providers": {}}}
SERVED = [sys.executable, "-m", "conformance.adapters.stdio.serve", "reference"]


@dataclass(frozen=True)
class Call:
    """One call: how to make it with an adapter, and the params and result that go over the wire."""

    method: str
    make: Callable[[ReferenceAdapter | StdioTranslator], Request | AssistantTurn]
    params: str
    result: str
    document: object
    """The params as a document."""


class Recorder(ReferenceAdapter):
    """Writes down every call that it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self._writer = writing.ConversationWriter()

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        built = super().build_request(provider, conversation, stream=stream)
        params = f'{{"provider":"{provider}","conversation":{self._writer.conversation(conversation)},"stream":'
        self._note(
            "build_request",
            lambda adapter: adapter.build_request(provider, conversation, stream=stream),
            f"{params}{encode(stream)}}}",
            writing.request_text(built),
        )
        return built

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        turn = super().parse_response(provider, response, conversation=conversation)
        told = writing.response_text(response)
        self._note(
            "parse_response",
            lambda adapter: adapter.parse_response(provider, response, conversation=conversation),
            f'{{"provider":"{provider}","response":{told},"conversation":{self._talk(conversation)}}}',
            writing.assistant_text(turn),
        )
        return turn

    def parse_stream(self, provider, chunks, *, conversation=None):  # type: ignore[no-untyped-def]
        chunks = list(chunks)
        turn = super().parse_stream(provider, chunks, conversation=conversation)
        told = writing.chunks_text(chunks)
        self._note(
            "parse_stream",
            lambda adapter: adapter.parse_stream(provider, chunks, conversation=conversation),
            f'{{"provider":"{provider}","chunks":{told},"conversation":{self._talk(conversation)}}}',
            writing.assistant_text(turn),
        )
        return turn

    def _talk(self, conversation: Conversation | None) -> str:
        return "null" if conversation is None else self._writer.conversation(conversation)

    def _note(self, method: str, make: Callable[..., Request | AssistantTurn], params: str, result: str) -> None:
        self.calls.append(Call(method, make, params, result, json.loads(params)))


def recorded(family: str) -> list[Call]:
    """The calls of a run on one provider: blocking, and as a stream event by event. ``""``: of every family."""
    from conformance.adapters.bound import BoundTranslator

    recorder = Recorder()
    for scenario in load_scenarios().values():
        if family in ("", scenario.family) and fits(scenario, PROVIDER, "portable") and not scenario.streams_only:
            for delivery in ("blocking", "stream:per-event"):
                seat = TranslatorSeat(BoundTranslator(recorder, PROVIDER))
                Play(
                    scenario, PROVIDER, "portable", DELIVERIES[delivery], seat, ScriptedResponder(scenario, PROVIDER)
                ).run()
    return [call for call in recorder.calls if len(call.params) < 100_000]  # a few are about huge results


def timed(action: Callable[[], object]) -> float:
    """Microseconds."""
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1e6


def prepared(calls: list[Call], folder: Path, *, hello: bool = False, script: str = PREPARED) -> list[str]:
    """The command of a child that answers these calls from a file."""
    answers = [answer_line(1, encode(HELLO))] if hello else []
    answers += [answer_line(len(answers) + 1 + place, call.result) for place, call in enumerate(calls * ROUNDS)]
    path = folder / f"answers-{hello}"
    path.write_bytes(b"".join(answers))
    return [sys.executable, "-S", "-c", script, str(path)]


def bare(calls: list[Call], command: list[str], trip: Callable[[int, int, Call, bytes], object]) -> Iterator[float]:
    """A round trip for each call, without the harness. ``trip`` gets the pipes, the call and its line."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert child.stdin is not None and child.stdout is not None
    write, read = child.stdin.fileno(), child.stdout.fileno()
    for number, call in enumerate(calls * ROUNDS, 1):
        line = request_line(number, call.method, call.params)
        yield timed(lambda call=call, line=line: trip(write, read, call, line))  # type: ignore[misc]
    child.kill()
    child.wait()


def trip_of_bytes(write: int, read: int, call: Call, line: bytes) -> bytes:
    """Write a line and read the one that comes back."""
    left = memoryview(line)
    while left:
        left = left[os.write(write, left) :]
    answer = os.read(read, 1 << 16)
    while not answer.endswith(b"\n"):
        answer += os.read(read, 1 << 16)
    return answer


def trip_of_json(write: int, read: int, call: Call, line: bytes) -> object:
    """The same, with the JSON of both."""
    message = {"jsonrpc": "2.0", "id": 1, "method": call.method, "params": call.document}
    text = json.dumps(message, separators=(",", ":")).encode() + b"\n"
    return json.loads(trip_of_bytes(write, read, call, text))


def harness(calls: list[Call], folder: Path) -> Iterator[float]:
    """The same through the harness."""
    adapter = introduced("prepared", prepared(calls, folder, hello=True))
    for call in calls * ROUNDS:
        yield timed(lambda call=call: call.make(adapter))  # type: ignore[misc]
    adapter.close()


def served(calls: list[Call]) -> Iterator[float]:
    """The reference adapter in a child, less what it takes in-process."""
    adapter, inside = introduced("served", SERVED), ReferenceAdapter()
    assert isinstance(adapter, StdioTranslator)
    for call in calls * ROUNDS:
        yield timed(lambda call=call: call.make(adapter)) - timed(lambda call=call: call.make(inside))  # type: ignore[misc]
    adapter.close()


def process(call: Call) -> float:
    """A child for one call only."""

    def once() -> None:
        adapter = introduced("served", SERVED)
        assert isinstance(adapter, StdioTranslator)
        call.make(adapter)
        adapter.close()

    return timed(once)


def main() -> int:
    small = "--small" in sys.argv
    calls = recorded("shell" if small else "")
    gc.collect()
    gc.freeze()
    gc.disable()  # as in the workers of a run, which sweep between scenarios
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        of_bytes = bare(calls, prepared(calls, folder), trip_of_bytes)
        of_json = bare(calls, prepared(calls, folder, script=JSON_ENDS), trip_of_json)
        rows = list(zip(of_bytes, of_json, harness(calls, folder), served(calls), strict=True))
    sizes = statistics.median(len(call.params) + len(call.result) for call in calls)
    in_bytes, in_json, ours, both = (statistics.median(row[column] for row in rows) for column in range(4))
    started = statistics.median(process(calls[0]) for _ in range(1 if small else STARTS))
    on_top = statistics.median(row[2] / row[0] - 1 for row in rows)
    ratio = statistics.median(row[3] / row[1] for row in rows)
    print(f"{len(rows)} calls, {sizes:.0f} bytes there and back (medians)")
    print(f"bytes    {in_bytes:8.1f} µs   a bare round trip")
    print(f"JSON     {in_json:8.1f} µs   the same with JSON at both ends")
    print(f"harness  {ours:8.1f} µs   {on_top:.2f} × bytes on top (aim: at most 2)")
    print(f"served   {both:8.1f} µs   {ratio:.2f} × JSON (aim: at most 2)")
    print(f"process  {started:8.0f} µs   {started / both:.0f} × served (aim: at least 200)")
    missed = on_top > 2 or ratio > 2 or started / both < 200
    return 1 if missed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
