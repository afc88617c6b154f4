"""From the prompt to the first case: what ``conformance run`` takes until its first case has ended, beside ``--help``.

``python benchmarks/first_case.py`` takes both, pair by pair: as processor time of the process that supervises (its
workers load the adapter beside it), as processor time with the workers that it ended, and by the clock; ratios are
medians. Aim: at most 20 times ``--help``. Then it says where the processor time goes. What is kept of scenarios and
rules (`conformance.files.packs`) is made before. ``--check`` fails when the aim is missed, ``--small`` only sees that
it works.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

AIM = 20.0
PAIRS = 1 if "--small" in sys.argv else 5

HELP = [sys.executable, "-m", "conformance", "--help"]
FIRST = [sys.executable, __file__, "--first"]


def taken(command: list[str]) -> tuple[float, float, str]:
    """Seconds of processor time and of the clock that a command takes, and what it says."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    said = process.stdout.read().decode()
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return used.ru_utime + used.ru_stime, time.perf_counter() - started, said


def supervising(said: str) -> float:
    """The seconds until the first case had ended, of what the process said of each step."""
    return sum(float(line.rsplit(" ", 2)[1]) for line in said.splitlines())


def first() -> None:
    """In a process of its own: run until the first case has ended, and say what each step took."""
    marks = [("Python", time.process_time())]
    from conformance.cli import main  # noqa: F401
    from conformance.runner.entry import run

    marks.append(("imports", time.process_time()))
    going = run()
    marks.append(("written scenarios and rules are read", time.process_time()))
    next(going)
    marks.append(("generated scenarios are read, cases are planned", time.process_time()))
    next(going)
    marks.append(("the first case", time.process_time()))
    before = 0.0
    for name, at in marks:
        print(f"  {name}: {at - before:.3f} s")
        before = at
    sys.stdout.flush()
    going.close()


def main() -> int:
    import statistics  # not in the processes that are measured

    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed was compiled
    taken(FIRST)
    pairs = [(taken(FIRST), taken(HELP)) for _ in range(PAIRS)]
    ratio = statistics.median(supervising(one[2]) / help_[0] for one, help_ in pairs)
    whole = statistics.median(one[0] / help_[0] for one, help_ in pairs)
    clock = statistics.median(one[1] / help_[1] for one, help_ in pairs)
    print(f"first case / --help, processor time: {ratio:.0f}   aim <= {AIM:g}")
    print(f"first case / --help, processor time, with the workers that were ended: {whole:.0f}")
    print(f"first case / --help, by the clock: {clock:.0f}")
    print(f"where it goes:\n{pairs[0][0][2]}", end="")
    return 1 if "--check" in sys.argv and ratio > AIM else 0


if __name__ == "__main__":
    if "--first" in sys.argv:
        first()
    else:
        sys.exit(main())
