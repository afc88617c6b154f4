"""Makes reports/performance.md: what the benchmarks measure, each figure a ratio in one run or a count, with its aim.

    python tools/pages/performance.py [--traffic FILE] [--quick] [--keep FOLDER]

``--traffic`` is JSON Lines packed with gzip: recorded traffic; without it traffic is made. ``--quick`` leaves out what
takes long: the replay, and memory for 300,000 exchanges (40,000 instead). ``--keep`` keeps what each benchmark said in
a folder, and does not run again what is there: so the page may be made step by step.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "reports" / "performance.md"
SECONDS = 1800


@dataclass(frozen=True)
class Measurement:
    """A benchmark. ``figures`` are what its lines begin with, in words, and the largest that is aimed at. ``why`` says
    where the time goes, for whom the aim is missed."""

    title: str
    words: tuple[str, ...]
    figures: tuple[tuple[str, float | None], ...]
    of_traffic: bool = False
    shown: bool = False
    """Whether all that it says is shown: where the time goes."""
    why: str = ""


ALL = (
    Measurement(
        "Audit", ("audit.py",), (("audit / reading", 6.0),), of_traffic=True, shown=True,
        why="The profile below is flat: no function takes a twentieth. Over a third goes to some 35 rules for each "
            "request, of which two thirds find nothing to examine; a fifth to reading answers, an eighth to grammars, "
            "a twelfth to lines, of which the aim's reading is a part. To reach 6 nearly half would have to go.",
    ),
    Measurement("Audit: where the time goes", ("audit.py", "--profile"), (), of_traffic=True, shown=True),
    Measurement("Audit: cores", ("audit.py", "--cores"), (("all cores / one process", None),), of_traffic=True),
    Measurement(
        "Audit: a cluster", ("audit.py", "--engines"),
        (("dask / pool", 1.15), ("dask / pool, start-up taken out", 1.15)), of_traffic=True, shown=True,
        why="The two run one after the other, by the clock: on a machine that others use, the figure says little. By "
            "processor time one worker of dask takes 1.17 times as long for a shard as a process here (1.67 s to 1.43 "
            "s), of which 1.06 is the judging itself and the rest its event loop. What a shard comes to is less than "
            "300 kB. Start-up is told apart.",
    ),
    Measurement("Audit: memory", ("audit.py", "--memory"), (), shown=True),
    Measurement(
        "A case of a run", ("before.py",), (("processor time of a case / 2cac839", 0.55),), shown=True,
        why="A case is more than it was then: rules that compare ask for a call again with one thing changed, and read "
            "a stream again beside another, and generated scenarios have more turns than written ones. Of a run's "
            "processor time the worker takes 62 %, the adapter's process 26 %, the supervisor 11 %. In the worker "
            "some 10,000 calls of functions make a case, of which none takes a twentieth: rules take a third (some 160 "
            "are asked, a quarter of them find something to examine), what goes to the adapter's process and comes "
            "back a quarter, requests in neutral words and the provider's part an eighth.",
    ),
    Measurement(
        "From the prompt to the first case", ("first_case.py",),
        (("first case / --help, processor time", 20.0),
         ("first case / --help, processor time, with the workers that were ended", None)), shown=True,
    ),
    Measurement(
        "A library's start", ("library_start.py",),
        (("seconds beyond the library's import before the first case", 1.0),), shown=True,
        why="Three processes of ours import what they need: in the worker some 0.2 s the wires and what asks the "
            "adapter's process, 0.1 s each what plays and all checks; in the adapter's process 0.2 s what serves it. "
            "Each reads the hosts' files (0.05 s).",
    ),
    Measurement("Help", ("start.py",), (("time beside python -c pass: median", 3.0),)),
    Measurement(
        "Replay", ("replay.py",),
        (("httpx: replay ÷ mock transport, as recorded", 1.3),
         ("httpx: replay ÷ mock transport, members in another order", 1.3),
         ("httpx2: replay ÷ mock transport, members in another order", 1.3),
         ("load ÷ orjson, file of 10 interactions", 2.0),
         ("seconds of the first unmatched request, 10,000 recordings", 0.1)), shown=True,
        why="In another order: of some 13 µs a request, 5 parse the body, 3 write it with its members sorted, and 2 "
            "make its digest, beside 65 (httpx2) and 100 (httpx) for the whole call; playing it takes 2. Ten "
            "interactions: 4 µs for each make its request, its headers and itself, beside 3 in which orjson reads it.",
    ),
)  # fmt: skip


def run(words: tuple[str, ...]) -> str:
    """What a benchmark says."""
    program, *options = words
    command = [sys.executable, str(ROOT / "benchmarks" / program), *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as problem:
        said = problem.stdout or b""
        return (said.decode() if isinstance(said, bytes) else said) + f"not ended after {SECONDS} seconds\n"
    return done.stdout + (f"ended with {done.returncode}\n{done.stderr[-500:]}" if done.returncode > 1 else "")


def kept(folder: Path | None, title: str, words: tuple[str, ...]) -> str:
    """What a benchmark says, or said when it ran before."""
    if folder is None:
        return run(words)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{title}.txt"
    if not file.exists():
        file.write_text(run(words), "utf-8")
    return file.read_text("utf-8")


def figure(said: str, words: str) -> float | None:
    """The number after words at the beginning of a line."""
    found = re.search(rf"^{re.escape(words)}:?\s+([\d.]+)", said, re.MULTILINE)
    return float(found[1].rstrip(".")) if found else None


def page(measured: list[tuple[Measurement, str]], traffic: str, *, kept: bool) -> Iterator[str]:
    """The page, line by line."""
    yield "# Performance"
    yield ""
    yield "Made by `python tools/publish.py performance`. Each figure is a ratio of two measurements in one run, side"
    yield f"by side, or a count. Audited: {traffic}. The machine has {os.cpu_count()} cores; its load was"
    yield f"{os.getloadavg()[2]:.0f} when the run ended (average of 15 minutes): what is measured by the clock, or in"
    yield "little time, is as noisy as that. A file of less than 64 MB, unpacked, is one stretch: cores and clusters"
    yield "show nothing there but what starting them costs. Benchmarks are in `benchmarks/`; what they extrapolate to"
    yield "is in [scale](../docs/scale.md)."
    if kept:
        yield ""
        yield "It was put together from outputs that were kept (`--keep`): the benchmarks ran one by one."
    yield ""
    yield "| figure | measured | aim | |"
    yield "|---|---|---|---|"
    for one, said in measured:
        for words, aim in one.figures:
            value = figure(said, words)
            met = "" if aim is None or value is None else "met" if value <= aim else "**missed**"
            shown, wanted = "not measured" if value is None else value, "" if aim is None else f"≤ {aim:g}"
            yield f"| {words} | {shown} | {wanted} | {met} |"
    missed = [one for one, said in measured if one.why and any(_is_missed(said, *aimed) for aimed in one.figures)]
    if missed:
        yield from ("", "## What is missed, and why", "")
        yield from (f"- *{one.title}*: {one.why}" for one in missed)
    for one, said in measured:
        if one.shown:
            yield from ("", f"## {one.title}", "", f"`python benchmarks/{' '.join(one.words)}`", "")
            yield from ("```text", *said.rstrip().splitlines(), "```")


def _is_missed(said: str, words: str, aim: float | None) -> bool:
    value = figure(said, words)
    return aim is not None and value is not None and value > aim


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traffic", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    asked = parser.parse_args()
    measured = []
    for one in ALL:
        if asked.quick and one.title == "Replay":
            measured.append((one, "left out with --quick\n"))
            continue
        more = (str(asked.traffic.resolve()),) if one.of_traffic and asked.traffic else ()
        more += ("10000", "40000") if asked.quick and one.title == "Audit: memory" else ()
        said = kept(asked.keep, one.title, (*one.words, *more))
        print(f"{one.title}: {' '.join(one.words)}\n{said}", flush=True)
        measured.append((one, said))
    traffic = f"`{asked.traffic.name}`" if asked.traffic else "4,000 exchanges that were made"
    PAGE.write_text("\n".join(page(measured, traffic, kept=asked.keep is not None)) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
