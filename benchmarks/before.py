"""What a case costs the harness beside commit 2cac839: processor time of a whole run less the adapter's, per case.

    python benchmarks/before.py [--commit ID] [--small] [PROVIDER ...]

The commit's files are unpacked into a temporary folder and run by the same interpreter with the same libraries. Of each
tree two things are measured, in turns: ``conformance run -j 1`` with all processes that it starts, and the processor
time that the reference adapter takes for a case, of the written scenarios, played in one process. Aim: at most 0.55.
Needs Linux and git.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pytest_suite import spent

ROOT = Path(__file__).resolve().parent.parent
COMMIT = "2cac839"
AIM = 0.55

INSIDE = """
import json, sys, time
time.perf_counter = time.process_time  # by which the adapter's share is measured
from conformance.adapters.addresses import find_adapter
from conformance.engine.cases import Selection, groups, selected_rules
from conformance.scenarios import load_scenarios
try:
    from conformance.engine.group_play import GroupPlay
except ModuleNotFoundError:
    from conformance.engine.run import GroupRun as GroupPlay
asked = json.loads(sys.argv[1])
selection = Selection(providers=tuple(asked["providers"]), scenarios=tuple(asked["scenarios"]))
found, scenarios, cases, inside = find_adapter("reference"), load_scenarios(), 0, 0.0
for group in groups(found.address, found.info, scenarios, selection):
    if getattr(group, "missing", None) or getattr(group, "unsupported", None):
        continue
    play = GroupPlay(found, group, scenarios[group.scenario], selection, selected_rules(selection))
    for delivery in group.deliveries:
        inside += play.case(delivery).adapter_seconds
        cases += 1
print(cases, inside)
"""


@dataclass(frozen=True)
class Cost:
    """What a run takes: seconds of processor time in all, for so many cases; and what the adapter takes for one."""

    whole: float
    cases: int
    adapter: float

    @property
    def of_a_case(self) -> float:
        """The harness's seconds for a case."""
        return self.whole / self.cases - self.adapter


def unpacked(commit: str, folder: Path) -> Path:
    """The files of a commit."""
    data = subprocess.check_output(["git", "archive", commit], cwd=ROOT)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def cost(tree: Path, providers: list[str], scenarios: list[str]) -> Cost:
    """What a run of the reference adapter costs in a tree."""
    os.environ["PYTHONPATH"] = str(tree)
    words = [word for name in providers for word in ("--provider", name)]
    words += [word for name in scenarios for word in ("--scenario", name)]
    command = [sys.executable, "-m", "conformance", "run", "-j", "1", "--format", "table", *words]
    with tempfile.TemporaryFile("w+") as said:
        whole = spent(command, tree, said)
        said.seek(0)
        told = re.search(r"([\d,]+) cases in", said.read())
    assert told is not None
    asked = json.dumps({"providers": providers, "scenarios": scenarios})
    played, adapter = subprocess.check_output([sys.executable, "-c", INSIDE, asked], cwd=tree, text=True).split()
    return Cost(whole, int(told[1].replace(",", "")), float(adapter) / int(played))


def main() -> int:
    """Measure, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("providers", nargs="*", metavar="PROVIDER", default=["anthropic"])
    parser.add_argument("--commit", default=COMMIT)
    parser.add_argument("--small", action="store_true", help="one family of scenarios, once")
    parser.add_argument("--check", action="store_true", help="exit code 1 where the aim is missed")
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have theirs
    scenarios = ["parallel_calls.*"] if asked.small else []
    with tempfile.TemporaryDirectory() as folder:
        before = unpacked(asked.commit, Path(folder))
        costs = [
            (cost(before, asked.providers, scenarios), cost(ROOT, asked.providers, scenarios))
            for _ in range(1 if asked.small else 2)
        ]
    old, new = (min(column, key=lambda one: one.of_a_case) for column in zip(*costs, strict=True))
    for name, one in ((asked.commit, old), ("now", new)):
        print(f"{name}: {one.cases:,} cases in {one.whole:.1f} s; "
              f"of a case {one.adapter * 1000:.2f} ms in the adapter, {one.of_a_case * 1000:.2f} ms in the harness")
    ratio = new.of_a_case / old.of_a_case
    print(f"processor time of a case / {asked.commit}: {ratio:.2f}   aim <= {AIM:g}")
    return int(asked.check and not asked.small and ratio > AIM)


if __name__ == "__main__":
    sys.exit(main())
