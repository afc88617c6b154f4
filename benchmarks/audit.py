"""``conformance audit`` beside the least that reading its file takes.

``python benchmarks/audit.py [PATH]`` takes, round by round and side by side, the processor time of the command and of
reading the same file: unpacking it, and orjson of each line and of each event of the streams in it. What the command
needs to start, measured on a file of one exchange, is taken out. Aim: at most 6 times as long. Without PATH, traffic is
made: conversations of all providers, as our own wires send and answer them.

``--memory [COUNT...]`` tells how much memory the command takes at most, as JSON Lines in one process, for 10,000 and
300,000 exchanges, or so many. ``--cores`` tells what the command takes by the clock in one process and in one a core,
``--engines`` in two processes and in two workers of dask.distributed. ``--profile`` tells where the processor time
goes.
``--findings FILE`` writes what was found, so that two versions can be compared byte by byte. ``--check`` fails when the
aim is missed, ``--small`` only sees that it works.
"""

from __future__ import annotations

import argparse
import cProfile
import gzip
import io
import json
import os
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from conformance.http import Request, frame, unframe
from conformance.model import Conversation, ResultsTurn, TextPart, Tool, ToolResult, UserTurn
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.wires import PROVIDERS, wire
from conformance.wires.naming import wire_names

AIM = 6.0
ROUNDS = 3
MADE = 4_000
"""How many exchanges are made, where no file is named."""
MEMORY_SIZES = (10_000, 300_000)

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (Tool("read_file", "Reads a file.", SCHEMA), Tool("list_files", "Lists the files of a folder.", SCHEMA))
WORDS = "The file says what it says, and a little more than that. " * 8


# --- traffic that is made ---------------------------------------------------------------------------------------------


def conversation(provider: str, number: int, *, stream: bool) -> Iterator[dict[str, Any]]:
    """The exchanges of one conversation: two calls, their results, and a last word."""
    speaker, names = wire(provider), wire_names(TOOLS)
    paths = (f"/{number}/a", f"/{number}/b")
    turns = (ScriptTurn(WORDS, tuple(ScriptCall("read_file", {"path": path}) for path in paths)), ScriptTurn(WORDS))
    current = Conversation((UserTurn(f"Read what is in {number}."),), TOOLS, model="made-1")
    for turn in turns:
        request, voice = speaker.build(current, stream=stream), Voice("made-1", names, f"audit/{number}")
        if stream:
            answer = b"".join(frame(speaker.render_stream(turn, voice), speaker.card.framings[0]))
            read = speaker.read_stream([answer], current)
        else:
            answer = speaker.respond(turn, voice).body
            read = speaker.read(json.loads(answer), current)
        yield record(request, answer, stream=stream)
        results = tuple(ToolResult(call.id, call.name, (TextPart(WORDS),)) for call in read.calls)
        current = current.then(read, ResultsTurn(results))


def record(request: Request, answer: bytes, *, stream: bool) -> dict[str, Any]:
    """An exchange as a line of JSON Lines has it."""
    parts = urlsplit(request.url)
    answered = {"response_raw": _text(answer)} if stream else {"response": json.loads(answer)}
    return {
        "method": "POST", "host": parts.netloc, "path": parts.path, "query": parts.query, "stream": stream,
        "request": json.loads(request.body), "status": 200, **answered,
    }  # fmt: skip


def _text(answer: bytes) -> str:
    """A stream as a recorder keeps it: of AWS' frames, which are no text, the events as lines of JSON."""
    if answer.startswith(b"\0"):
        return "".join(f"{event.data}\n" for event in unframe([answer], "aws-event-stream"))
    return answer.decode()


def make(path: Path, count: int) -> None:
    """Write about ``count`` exchanges. Made once, conversations are repeated with numbers of their own."""
    samples = [
        json.dumps(one, ensure_ascii=False) + "\n"
        for provider in PROVIDERS
        for stream in (False, True)
        for one in conversation(provider, 1_000_000_007, stream=stream)
    ]
    with gzip.open(path, "wt", compresslevel=1) as file:
        for number in range(-(-count // len(samples))):
            file.writelines(sample.replace("1000000007", str(number)) for sample in samples)


# --- measuring --------------------------------------------------------------------------------------------------------


def read_only(path: Path) -> float:
    """The seconds that reading takes at least."""
    started = time.process_time()
    with io.BufferedReader(gzip.open(path, "rb"), 1 << 18) as file:  # type: ignore[type-var]
        for line in file:
            stream = orjson.loads(line).get("response_raw")
            for part in stream.splitlines() if isinstance(stream, str) else ():
                data = part.removeprefix("data:").strip()
                if data.startswith("{"):
                    read_event(data)
    return time.process_time() - started


def read_event(data: str) -> None:
    """Read one event, which a recorder may have cut off."""
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return


@dataclass(frozen=True)
class Ran:
    """What a command took, with all its processes: seconds of processor time, megabytes at most in one process."""

    seconds: float
    megabytes: float
    output: bytes


def audit(path: Path, *options: str) -> Ran:
    """Audit a file with the command."""
    command = [sys.executable, "-m", "conformance", "audit", str(path), *(options or ("--format", "json", "-j", "1"))]
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            raise SystemExit(f"the audit ended with {child.returncode}")
        output.seek(0)
        return Ran(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, output.read())


def first_line_of(path: Path, folder: Path) -> Path:
    """A file with the first exchange of another one."""
    single = folder / "first.jsonl"
    with gzip.open(path, "rb") as file:
        single.write_bytes(file.readline())
    return single


def tell(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def compare(path: Path, folder: Path, rounds: int, findings: Path | None) -> float:
    """Tell how many times as long as reading the audit takes."""
    single, ratios = first_line_of(path, folder), []
    for _ in range(rounds):
        least, start, whole = read_only(path), audit(single), audit(path)
        ratios.append((whole.seconds - start.seconds) / least)
        tell(f"reading {least:.2f} s, start {start.seconds:.2f} s, audit {whole.seconds:.2f} s: {ratios[-1]:.1f} x")
        if findings is not None:
            findings.write_bytes(whole.output)
    ratio = statistics.median(ratios)
    tell(f"audit / reading: {ratio:.1f}   aim <= {AIM:g}")
    return ratio


def tell_memory(folder: Path, sizes: tuple[int, ...]) -> None:
    """Tell the memory for traffic of several sizes."""
    for size in sizes:
        path = folder / f"{size}.jsonl.gz"
        make(path, size)
        ran = audit(path, "--format", "jsonl", "-j", "1")
        tell(f"{size:,} exchanges: {ran.megabytes:.0f} MB, {ran.seconds:.1f} s")


def by_the_clock(path: Path, *options: str) -> tuple[float, bytes]:
    """The seconds that an audit takes, and what it finds."""
    started = time.perf_counter()
    output = audit(path, "--format", "json", *options).output
    return time.perf_counter() - started, output


def tell_side_by_side(path: Path, what: str, first: tuple[str, ...], second: tuple[str, ...]) -> None:
    """Tell how many times as long the second way takes as the first, and that both find the same."""
    (one, found), (two, again) = by_the_clock(path, *first), by_the_clock(path, *second)
    tell(f"{' '.join(first)} {one:.1f} s, {' '.join(second)} {two:.1f} s by the clock")
    tell(f"{what}: {two / one:.2f}")
    if found != again:
        raise SystemExit("they do not find the same")


def tell_engines(path: Path, folder: Path) -> None:
    """Tell how many times as long a cluster of two workers takes as two processes, with its start and without."""
    pool, dask = ("-j", "2"), ("-j", "2", "--engine", "dask")
    single = first_line_of(path, folder)
    starts = [by_the_clock(single, *how)[0] for how in (pool, dask)]
    (one, found), (two, again) = (by_the_clock(path, *how) for how in (pool, dask))
    tell(f"by the clock: pool {one:.1f} s, of it start {starts[0]:.1f} s; dask {two:.1f} s, of it {starts[1]:.1f} s")
    tell(f"dask / pool: {two / one:.2f}")
    tell(f"dask / pool, start-up taken out: {(two - starts[1]) / (one - starts[0]):.2f}")
    if found != again:
        raise SystemExit("they do not find the same")


PARTS = {
    "unpacking, reading lines": ("stretches.py", "placed_records"),
    "whose exchange it is": ("recognise.py", "recognise"),
    "reading answers and streams": ("exchanges.py", "exchange_in"),
    "reading requests": ("transcript.py", "facts"),
    "linking: what it continues": ("linking.py", "previous"),
    "linking: what is remembered": ("linking.py", "keep"),
    "rules about requests": ("audit.py", "_judged"),
    "which ids a recorder replaced": ("redaction.py", "has_kept_ids"),
    "grammars of streams and bodies": ("audit.py", "_on_answer"),
    "masking findings": ("audit.py", "told"),
}
"""The parts of an audit, each by the function that does it."""


def tell_profile(path: Path) -> None:
    """Tell where the time goes: part by part, and the rules that take most of it."""
    from conformance.rules import load_checks
    from conformance.traffic.shards import judged_stretches, order_of

    load_checks()
    profile = cProfile.Profile()
    profile.runcall(list, judged_stretches(order_of([path])))
    stats: dict[Any, Any] = pstats.Stats(profile).strip_dirs().stats  # type: ignore[attr-defined]
    whole = sum(own for _, _, own, _, _ in stats.values())
    tell("share  part (the profiler's seconds; a part may hold what another one asks for first)")
    for title, (file, function) in PARTS.items():
        seconds = sum(stat[3] for key, stat in stats.items() if key[0] == file and key[2] == function)
        tell(f"{seconds / whole:5.1%}  {title}")
    tell("share  of the functions that take most themselves")
    for (file, line, function), stat in sorted(stats.items(), key=lambda item: -item[1][2])[:8]:
        tell(f"{stat[2] / whole:5.1%}  {function} ({file}:{line})" if line else f"{stat[2] / whole:5.1%}  {function}")


def main() -> int:
    """Measure, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", nargs="?", type=Path, help="JSON Lines, packed with gzip")
    parser.add_argument("--findings", type=Path, metavar="FILE")
    parser.add_argument("--memory", nargs="*", type=int, metavar="COUNT")
    parser.add_argument("--cores", action="store_true")
    parser.add_argument("--engines", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--small", action="store_true")
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed was compiled
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.memory is not None:
            tell_memory(folder, tuple(asked.memory) or ((100, 200) if asked.small else MEMORY_SIZES))
            return 0
        path = asked.path or folder / "made.jsonl.gz"
        if asked.path is None:
            make(path, 100 if asked.small else MADE)
        if asked.cores:
            every = str(os.cpu_count() or 1)
            tell_side_by_side(path, "all cores / one process", ("-j", "1"), ("-j", every))
        if asked.engines:
            tell_engines(path, folder)
        if asked.profile:
            tell_profile(path)
        if asked.cores or asked.engines or asked.profile:
            return 0
        ratio = compare(path, folder, 1 if asked.small else ROUNDS, asked.findings)
    return 1 if asked.check and not asked.small and ratio > AIM else 0


if __name__ == "__main__":
    sys.exit(main())
