"""What the same cases cost as a suite of pytest and as `conformance run -j 1`, and what pytest pays for the plugin.

Prints processor time (user and system, of all processes) of both, and their ratio (aim: at most 1.3); and the time in
which the plugin is imported, with the number of our modules (aim: at most 5 ms and 3). The two take turns and the least
of each counts, because other work on the machine makes processor time grow, too. Needs Linux: a run ends its workers
without waiting for them, so their times are read while they live. Exit code 1 where an aim is missed; at small size,
where starting is most of what is measured, only that of the plugin.

Usage: python benchmarks/pytest_suite.py [--small] [--times N] [PROVIDER ...]   (--small: one family, once)
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO
from uuid import uuid4

MARK = "CONFORMANCE_BENCHMARK"
"""The variable by which a command, and all that it starts, is found."""
TICK = 1 / os.sysconf("SC_CLK_TCK")
EVERY = 0.02
"""Seconds between two looks."""

MOST_OF_A_RUN, MOST_SECONDS, MOST_MODULES = 1.3, 0.005, 3
"""The aims."""

SUITE = """
from conformance.pytest import ConformanceSuite

class TestReference(ConformanceSuite):
    adapter = "reference"
    providers = {providers!r}
    scenarios = {scenarios!r}
"""

LOADING = """
import sys, time
import pytest
before, started = set(sys.modules), time.perf_counter()
import conformance.pytest.plugin
taken = time.perf_counter() - started
print(taken, sum(name.partition(".")[0] == "conformance" for name in set(sys.modules) - before))
"""


def spent(command: Sequence[str], folder: Path, said_to: IO[str] | int = subprocess.DEVNULL) -> float:
    """Processor seconds of a command and of all that it starts. What it prints goes to ``said_to``."""
    mark, times = uuid4().hex, dict[str, float]()
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, MARK: mark}, stdout=said_to, stderr=subprocess.PIPE
    )
    while process.poll() is None:
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if path.name in times or f"{MARK}={mark}".encode() in (path / "environ").read_bytes().split(b"\0"):
                    times[path.name] = _ticks(path) * TICK
        time.sleep(EVERY)
    said = process.stderr.read().decode() if process.stderr else ""
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {said}")
    return sum(times.values())


def _ticks(process: Path) -> int:
    """What a process has worked itself."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def loading() -> tuple[float, int]:
    """The least seconds that the plugin takes to import, and how many modules of ours that are."""
    found = []
    for _ in range(5):
        seconds, modules = subprocess.check_output([sys.executable, "-c", LOADING], text=True).split()
        found.append((float(seconds), int(modules)))
    return min(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("providers", nargs="*", metavar="PROVIDER", default=["anthropic"])
    parser.add_argument("--small", action="store_true", help="one family of scenarios, once")
    parser.add_argument("--times", type=int, default=2, help="how often each is run")
    asked = parser.parse_args()
    scenarios = ["parallel_calls.*"] if asked.small else []
    run = [sys.executable, "-m", "conformance", "run", "-j", "1"]
    run += [word for name in asked.providers for word in ("--provider", name)]
    run += [word for name in scenarios for word in ("--scenario", name)]
    with tempfile.TemporaryDirectory() as room:
        test = Path(room) / "test_reference.py"
        test.write_text(SUITE.format(providers=asked.providers, scenarios=scenarios), "utf-8")
        suite = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
        times = [(spent(suite, test.parent), spent(run, test.parent)) for _ in range(1 if asked.small else asked.times)]
    as_suite, as_run = (min(column) for column in zip(*times, strict=True))
    print(f"pytest {as_suite:.1f} s, conformance run -j 1 {as_run:.1f} s: {as_suite / as_run:.2f}")
    seconds, modules = loading()
    print(f"loading the plugin: {seconds * 1000:.1f} ms, {modules} modules")
    dear = as_suite > MOST_OF_A_RUN * as_run and not asked.small
    return 1 if dear or seconds > MOST_SECONDS or modules > MOST_MODULES else 0


if __name__ == "__main__":
    sys.exit(main())
