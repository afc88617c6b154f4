"""How the work of each reader, scrubber, scanner and rule grows with what it is given, from 1,000 to 100,000.

    python benchmarks/growth.py --page              measure everything, and write reports/growth.md (some 40 minutes)
    python benchmarks/growth.py --page --keep FILE  the same; what ended before goes on from what FILE keeps
    python benchmarks/growth.py --only 'chat.*'     some works; --shape GLOB, --provider ID and --sizes choose, too
    python benchmarks/growth.py --small             see that it works

Requests, answers, files and texts are made that are large in one way (`growth_shapes`, `growth_files`). The slope is
that of the line through the processor times over the sizes, both as logarithms (least squares): 1 where the work grows
as the size does, 2 where it grows as its square. The aim is 1.15. A rule is tried with every shape in every format at
the smaller sizes; at the largest size with the `SLOWEST` of them, which is where it would show. ``--check`` fails where
the aim is missed.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from growth_files import works
from growth_measure import MEASURABLE, Kept, Line, Trial, stop
from growth_shapes import ANSWERS, REQUESTS, TOOL

from conformance.answers import answer_of_response, answer_of_stream
from conformance.deliveries import DELIVERIES
from conformance.http import Request, Response, frame
from conformance.model import Conversation, UserTurn
from conformance.rules import catalogue, load_checks
from conformance.rules.check import CHECKS
from conformance.script import Voice
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS, card, wire

FORMATS = tuple(provider for provider in PROVIDERS if card(provider).format == provider)
"""One provider for each format: the others are read and judged by the same functions."""

SIZES = (1_000, 10_000, 100_000)
SMALL_SIZES = (40,)
AIM = 1.15
SLOWEST = 2
"""With how many of its shapes a rule is tried at the largest size: those that took longest at the one before."""
PAGE = Path(__file__).resolve().parent.parent / "reports" / "growth.md"


def try_requests(trial: Trial, provider: str, size: int) -> None:
    """All rules about requests, and the reader of requests."""
    for shape in trial.chosen(REQUESTS, f"{{}} on {provider}"):
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
    for shape in trial.chosen(ANSWERS, f"{{}} on {provider}"):
        where, voice = f"{shape.__name__} on {provider}", Voice("m", {TOOL.name: TOOL.name}, "growth/0")
        blocking = speaker.respond(shape(size), voice)
        trial.take("reader of bodies", where, size, lambda: speaker.read_response(blocking, intent))  # noqa: B023
        _judge(trial, _answered(provider, intent, request, blocking), "parse", where, size)
    for shape in trial.chosen(ANSWERS, f"stream of {{}} on {provider}"):
        where, voice = f"stream of {shape.__name__} on {provider}", Voice("m", {TOOL.name: TOOL.name}, "growth/0")
        stream = [b"".join(frame(speaker.render_stream(shape(size), voice), speaker.card.framings[0]))]
        trial.take("reader of streams", where, size, lambda: speaker.read_stream(stream, intent))  # noqa: B023
        exchange = Exchange(provider, "native", intent, request, delivery=DELIVERIES["stream:whole"])
        exchange.receive(answer_of_stream(speaker, stream), stream)
        exchange.understood = speaker.read_stream(stream, intent)
        _judge(trial, exchange, "parse", where, size)


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


def try_works(trial: Trial, sizes: tuple[int, ...], kept: Kept) -> None:
    """Files, streams, children and texts."""
    for name, shape, maker in works():
        if not trial.wants(name, shape) or kept.has(trial, f"{name}: {shape}"):
            continue
        for size in sizes:
            with tempfile.TemporaryDirectory(prefix="growth-") as folder:
                trial.take(name, shape, size, maker(size, Path(folder)))
        for line in trial.grown[name].lines() if name in trial.grown else ():
            if line.shape == shape and line.slope > AIM:
                _tell(f"{line.slope:.2f}  {name}: {line}")
        kept.keep(trial, f"{name}: {shape}")


def try_exchanges(trial: Trial, sizes: tuple[int, ...], providers: tuple[str, ...], kept: Kept) -> None:
    """Rules, and readers of requests and answers: all shapes, but at the largest size only the slowest."""
    for provider in providers:
        if kept.has(trial, provider):
            continue
        for size in sizes:
            _tell(f"{provider}, {size:,}")
            trial.wanted = _slowest(trial, provider) if size == sizes[-1] and len(sizes) > 2 else None
            try_requests(trial, provider, size)
            try_answers(trial, provider, size)
        kept.keep(trial, provider)
    trial.wanted = None


def _slowest(trial: Trial, provider: str) -> set[tuple[str, str]]:
    end = f" on {provider}"
    return {(name, shape) for name, grown in trial.grown.items() for shape in grown.slowest(SLOWEST, end)}


def _tell(words: str) -> None:
    sys.stderr.write(f"{time.process_time():5.0f} s  {words}\n")


# --- the page --------------------------------------------------------------------------------------------------------


def page(lines: Mapping[str, list[Line]], tried: int) -> Iterator[str]:
    """The report, line by line."""
    steepest = {name: max(own) for name, own in lines.items()}
    rules = {name: line for name, line in steepest.items() if name in catalogue()}
    missed = {name: line for name, line in steepest.items() if line.slope > AIM}
    yield "# How the work grows"
    yield ""
    yield "Made by `python benchmarks/growth.py --page`. The slope of processor time over size, both as logarithms,"
    yield f"from {SIZES[0]:,} to {SIZES[-1]:,} calls, turns, tools, members, events, lines or four characters each."
    yield f"Aim: at most {AIM}. Of each work stands the steepest of its shapes."
    yield ""
    yield f"{tried:,} works: {len(steepest) - len(missed):,} keep the aim, {len(missed):,} miss it,"
    yield f"{tried - len(steepest):,} take no time to speak of (less than {MEASURABLE} s at their largest size)."
    yield ""
    if not rules:
        yield "Rules were not measured in this run (`--part files`)."
        yield ""
    yield from _table("Missed", missed)
    yield from _table("Readers, scrubbers and scanners", {n: line for n, line in steepest.items() if n not in rules})
    yield from _table("Rules", rules)


def _table(title: str, rows: Mapping[str, Line]) -> Iterator[str]:
    if not rows:
        return
    yield f"## {title}"
    yield ""
    yield "| slope | of | steepest with |"
    yield "|---:|---|---|"
    for name, line in sorted(rows.items(), key=lambda item: (-round(item[1].slope, 2), item[0])):
        told = str(line).replace("|", "\\|")
        yield f"| {line.slope:.2f} | {name} | {told} |"
    yield ""


def main() -> int:
    """Measure, and tell what grows most."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--provider", action="append", choices=PROVIDERS)
    parser.add_argument("--only", default="*", metavar="GLOB", help="rules and readers")
    parser.add_argument("--shape", default="*", metavar="GLOB", help="what is large")
    parser.add_argument("--check", action="store_true", help="exit code 1 where the aim is missed")
    parser.add_argument("--part", choices=("files", "exchanges"), help="one part of it")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="keep what was measured, and go on from it")
    parser.add_argument("--page", action="store_true", help="write reports/growth.md")
    asked = parser.parse_args()
    load_checks()
    signal.signal(signal.SIGPROF, stop)
    trial = Trial(asked.only, asked.shape)
    sizes = SMALL_SIZES if asked.small else tuple(map(int, asked.sizes.split(",")))
    kept = Kept(asked.keep)
    if asked.part != "exchanges":
        try_works(trial, sizes, kept)
    if asked.part != "files":
        try_exchanges(trial, sizes, tuple(asked.provider or FORMATS), kept)
    lines = {name: own for name, grown in trial.grown.items() if (own := list(grown.lines()))}
    text = "\n".join(page(lines, len(trial.grown)))
    if asked.page:
        PAGE.write_text(text, "utf-8", newline="\n")
    else:
        sys.stdout.write(text + "\n")
    return int(asked.check and any(max(own).slope > AIM for own in lines.values()))


if __name__ == "__main__":
    sys.exit(main())
