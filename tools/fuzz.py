"""Fuzz our readers for a while, and keep each new finding as a test.

    python tools/fuzz.py                                   all targets, each for a minute
    python tools/fuzz.py TARGET... --seconds N --seed S    these targets, each for N seconds, with this chance

What is not survived is made small and written to ``tests/fuzz/findings/TARGET``, and ``tests/fuzz`` plays it from then
on. Exit code: 0 when all was survived, 1 when there were findings.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fuzz"), str(ROOT / "tests" / "server")]

from fuzz_playing import FINDINGS, FaultError, Target, smallest
from targets import TARGETS

MAX_FINDINGS = 20
"""After how many different findings a target is left."""


def fuzz(target: Target, seconds: float, seed: int) -> tuple[Counter[str], list[Path]]:
    """Play made inputs for a while. What they came to, and the files of new findings."""
    chance, until = Random(f"{target.name} {seed}"), time.monotonic() + seconds
    came: Counter[str] = Counter()
    found: dict[str, Path] = {}
    while time.monotonic() < until and len(found) < MAX_FINDINGS:
        data = target.mutator.made(chance)
        try:
            came[target.play(data)] += 1
        except FaultError as fault:
            came["fault"] += 1
            if fault.where not in found:
                found[fault.where] = keep(target, smallest(target, data, fault), fault)
                print(f"  {target.name}: {fault}\n    {found[fault.where].relative_to(ROOT)}", flush=True)
    return came, list(found.values())


def keep(target: Target, data: bytes, fault: FaultError) -> Path:
    """Write a finding: its file is named by the fault and by what is in it."""
    folder = FINDINGS / target.name
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", fault.where.lower()).strip("-")[:60]
    path = folder / f"{name}-{hashlib.sha256(data).hexdigest()[:8]}"
    path.write_bytes(data)
    return path


def main() -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="for each target (60)")
    parser.add_argument("--seed", type=int, default=int(time.time()), metavar="S", help="what chance starts from (now)")
    asked = parser.parse_args()
    if unknown := set(asked.targets) - set(TARGETS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    print(f"seed {asked.seed}")
    findings = 0
    for name in asked.targets or TARGETS:
        came, found = fuzz(TARGETS[name], asked.seconds, asked.seed)
        findings += len(found)
        print(f"{name}: {came.total():,} tried, {came['read']:,} read, {came['refused']:,} refused, "
              f"{len(found)} findings", flush=True)  # fmt: skip
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
