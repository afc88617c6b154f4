"""How fast ``conformance --help`` starts, beside ``python -c pass``, and how many modules it imports.

``python benchmarks/start.py`` prints both; ``--small`` (``--check``) only counts, and fails when more than 120 modules
are imported. The ratio is
taken pair by pair, because machines drift; the aim is at most 3.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

PAIRS = 15
MODULE_LIMIT = 120

HELP = [sys.executable, "-m", "conformance", "--help"]
PASS = [sys.executable, "-c", "pass"]
COUNT = "import sys; from conformance.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
COUNT += "sys.stderr.write(str(len(sys.modules)))"


def seconds(command: list[str]) -> float:
    """The wall time of one run of a command."""
    started = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - started


def modules() -> int:
    """How many modules are loaded when the help has been printed."""
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    return int(done.stderr)


def main() -> int:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed was compiled
    count = modules()
    print(f"modules imported by conformance --help: {count} (limit {MODULE_LIMIT})")
    if {"--check", "--small"} & set(sys.argv):
        return 0 if count <= MODULE_LIMIT else 1
    seconds(HELP), seconds(PASS)
    ratios = [seconds(HELP) / seconds(PASS) for _ in range(PAIRS)]
    print(f"time beside python -c pass: median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
