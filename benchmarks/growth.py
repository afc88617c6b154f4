"""How the work of each reader and each rule grows with what it is given, from 1,000 to 100,000.

``python benchmarks/growth.py`` makes requests and answers that are large in one way, in the format of each
provider, and takes the processor time of each reader and each rule at several sizes. The slope of the time over the
size, both as logarithms, is 1 where the work grows as the size does, and 2 where it grows as its square. The aim is
1.15. What is told is the steepest part between two sizes, of what takes long enough to be measured (`MEASURABLE`).
What takes longer than `PATIENCE` seconds is stopped there, and larger sizes of it are left out: its slope is at least
the one that is told.

``--sizes 1000,10000`` chooses sizes, ``--provider``, ``--shape`` and ``--only`` what is tried. ``--check`` fails where
the aim is missed, ``--small`` only sees that it works.
"""

from __future__ import annotations

import argparse
import gc
import math
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TypeVar

from conformance.answers import answer_of_response, answer_of_stream
from conformance.deliveries import DELIVERIES
from conformance.http import Request, Response, frame
from conformance.model import (
    AssistantTurn,
    Conversation,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)
from conformance.rules import catalogue, load_checks
from conformance.rules.check import CHECKS
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS, card, wire

T = TypeVar("T")

FORMATS = tuple(provider for provider in PROVIDERS if card(provider).format == provider)
"""One provider for each format: the others are read and judged by the same functions."""

SIZES = (1_000, 10_000, 100_000)
AIM = 1.15
SMALL_SIZES = (10, 100)
MEASURABLE = 0.02
"""How many seconds the larger of two sizes must take for their slope to mean anything."""
PATIENCE = 1.0
"""After how many seconds of processor time a measurement is stopped."""

TOOL = Tool("read_file", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


# --- what is large ---------------------------------------------------------------------------------------------------


def _calls(size: int) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"call_{number:024d}", "read_file", {"path": f"/{number}"}) for number in range(size))


def _results(calls: tuple[ToolCall, ...]) -> ResultsTurn:
    return ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart(f"of {call.id}"),)) for call in calls))


def one_turn(size: int) -> Conversation:
    """Many calls in one turn."""
    calls = _calls(size)
    return _asking(AssistantTurn(calls=calls, stop="tool_calls"), _results(calls))


def rounds(size: int) -> Conversation:
    """Many turns with a call each."""
    turns: list[Turn] = []
    for call in _calls(size // 2):
        turns += [AssistantTurn(calls=(call,), stop="tool_calls"), _results((call,))]
    return _asking(*turns)


def tools(size: int) -> Conversation:
    """Many tools."""
    many = tuple(Tool(f"tool_{number}", f"Does {number}.", TOOL.parameters) for number in range(size))
    return Conversation((UserTurn("Go on."),), many, model="m")


def schema(size: int) -> Conversation:
    """A tool with many parameters."""
    properties = {f"p{number}": {"type": "string"} for number in range(size)}
    wide = {"type": "object", "properties": properties, "required": list(properties)}
    return Conversation((UserTurn("Go on."),), (Tool("wide", "Takes much.", wide),), model="m")


def arguments(size: int) -> Conversation:
    """A call with many arguments."""
    call = ToolCall("call_1", "read_file", {f"p{number}": number for number in range(size)})
    return _asking(AssistantTurn(calls=(call,), stop="tool_calls"), _results((call,)))


def text(size: int) -> Conversation:
    """A long result, and long words."""
    call, words = ToolCall("call_1", "read_file", {}), "Ä word\n" * size
    result = ToolResult("call_1", "read_file", (TextPart(words),))
    return _asking(AssistantTurn(words, (call,), stop="tool_calls"), ResultsTurn((result,)))


def _asking(*turns: Turn) -> Conversation:
    return Conversation((UserTurn("Go on."), *turns), (TOOL,), model="m")


def many_calls(size: int) -> ScriptTurn:
    """An answer with many calls."""
    return ScriptTurn(calls=tuple(ScriptCall("read_file", {"path": f"/{number}"}) for number in range(size)))


def long_arguments(size: int) -> ScriptTurn:
    """An answer with a call whose arguments are long."""
    return ScriptTurn(calls=(ScriptCall("read_file", {f"p{number}": "x" for number in range(size)}),))


def long_text(size: int) -> ScriptTurn:
    """An answer of many words."""
    return ScriptTurn(text="Ä word\n" * size)


REQUESTS = (one_turn, rounds, tools, schema, arguments, text)
ANSWERS = (many_calls, long_arguments, long_text)


class Stopped(BaseException):
    """A measurement took too long. No check catches it."""


def stop(signum: int, frame: object) -> None:
    """End what is being measured."""
    raise Stopped


# --- measuring -------------------------------------------------------------------------------------------------------


@dataclass
class Grown:
    """The seconds of one reader or rule, by shape and size."""

    seconds: defaultdict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))

    def tired(self, shape: str) -> bool:
        """Whether it takes too long already."""
        return max(self.seconds[shape].values(), default=0) >= PATIENCE

    def slopes(self) -> Iterator[tuple[float, str]]:
        """The steepest slope for each shape."""
        for shape, taken in self.seconds.items():
            pairs = list(zip(sorted(taken.items()), sorted(taken.items())[1:], strict=False))
            steep = [
                math.log(more / less) / math.log(larger / smaller)
                for (smaller, less), (larger, more) in pairs
                if more > MEASURABLE and less > 0
            ]
            if steep:
                times = ", ".join(f"{size}: {seconds:.3f} s" for size, seconds in sorted(taken.items()))
                yield max(steep), f"{shape} ({times})"


@dataclass
class Trial:
    """Everything that is measured."""

    only: str = "*"
    shape: str = "*"
    grown: defaultdict[str, Grown] = field(default_factory=lambda: defaultdict(Grown))

    def chosen(self, shapes: Iterable[Callable[[int], T]]) -> list[Callable[[int], T]]:
        """The shapes that are tried."""
        return [shape for shape in shapes if fnmatchcase(shape.__name__, self.shape)]

    def take(self, name: str, shape: str, size: int, work: Callable[[], object]) -> None:
        """Measure ``work`` once, unless nobody wants it, or it takes too long."""
        grown = self.grown[name]
        if not fnmatchcase(name, self.only) or grown.tired(shape):
            return
        gc.disable()  # it would look at all that is there, whatever is measured
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        try:
            work()
        except Stopped:
            grown.seconds[shape][size] = PATIENCE
        else:
            grown.seconds[shape][size] = time.process_time() - started
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            gc.enable()


def try_requests(trial: Trial, provider: str, size: int) -> None:
    """All rules about requests, and the reader of requests."""
    for shape in trial.chosen(REQUESTS):
        where, intent = f"{shape.__name__} on {provider}", shape(size)
        try:
            request = wire(provider).build(intent, stream=False)
        except (ValueError, KeyError):
            continue  # the format cannot say it
        trial.take("reader of requests", where, size, lambda: wire(provider).facts(request))  # noqa: B023
        exchange = Exchange(provider, "native", intent, request)
        _judge(trial, exchange, "build", where, size)


def try_answers(trial: Trial, provider: str, size: int) -> None:
    """All rules about reading, and the readers of bodies and of streams."""
    speaker, intent = wire(provider), Conversation((UserTurn("Go on."),), (TOOL,), model="m")
    request = speaker.build(intent, stream=False)
    for shape in trial.chosen(ANSWERS):
        where, voice = f"{shape.__name__} on {provider}", Voice("m", {TOOL.name: TOOL.name}, "growth/0")
        blocking = speaker.respond(shape(size), voice)
        trial.take("reader of bodies", where, size, lambda: speaker.read_response(blocking, intent))  # noqa: B023
        exchange = _answered(provider, intent, request, blocking)
        _judge(trial, exchange, "parse", where, size)
        framing = speaker.card.framings[0]
        stream = [b"".join(frame(speaker.render_stream(shape(size), voice), framing))]
        trial.take("reader of streams", where, size, lambda: speaker.read_stream(stream, intent))  # noqa: B023
        exchange = Exchange(provider, "native", intent, request, delivery=DELIVERIES["stream:whole"])
        exchange.receive(answer_of_stream(speaker, stream), stream)
        exchange.understood = speaker.read_stream(stream, intent)
        _judge(trial, exchange, "parse", f"stream of {where}", size)


def _answered(provider: str, intent: Conversation, request: Request, response: Response) -> Exchange:
    exchange = Exchange(provider, "native", intent, request, delivery=DELIVERIES["blocking"])
    exchange.receive(answer_of_response(wire(provider), response))
    exchange.understood = wire(provider).read_response(response, intent)
    return exchange


def _judge(trial: Trial, exchange: Exchange, side: str, where: str, size: int) -> None:
    _ = exchange.facts.rounds, exchange.facts.calls, exchange.facts.results
    for rule in catalogue().values():
        if rule.side == side and rule.id in CHECKS and rule.applies_to(exchange.provider, "native"):
            trial.take(rule.id, where, size, lambda: sum(1 for _ in CHECKS[rule.id](exchange)))  # noqa: B023


# --- the command -----------------------------------------------------------------------------------------------------


def main() -> int:
    """Measure, and tell what grows most."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--provider", action="append", choices=PROVIDERS)
    parser.add_argument("--only", default="*", metavar="GLOB", help="rules and readers")
    parser.add_argument("--shape", default="*", metavar="GLOB", help="what is large")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--small", action="store_true")
    asked = parser.parse_args()
    load_checks()
    signal.signal(signal.SIGPROF, stop)
    trial = Trial(asked.only, asked.shape)
    sizes = SMALL_SIZES if asked.small else tuple(map(int, asked.sizes.split(",")))
    for provider in asked.provider or FORMATS:
        sys.stderr.write(f"{provider}: {time.process_time():.0f} s\n")
        for size in sizes:
            try_requests(trial, provider, size)
            try_answers(trial, provider, size)
    steepest: Mapping[str, tuple[float, str]] = {
        name: max(grown.slopes()) for name, grown in trial.grown.items() if any(True for _ in grown.slopes())
    }
    for name, (slope, where) in sorted(steepest.items(), key=lambda item: -item[1][0]):
        sys.stdout.write(f"{slope:5.2f}  {name}: {where}\n")
    missed = [name for name, (slope, _) in steepest.items() if slope > AIM]
    measured, all_ = len(steepest), len(trial.grown)
    sys.stdout.write(f"{len(missed)} of {measured} above {AIM}; {all_ - measured} take no time to speak of\n")
    return 1 if asked.check and not asked.small and missed else 0


if __name__ == "__main__":
    sys.exit(main())
