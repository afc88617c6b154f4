"""Makes reports/known-bugs.md: published bugs of libraries, found on the release that has them, gone on the fixed one.

    python tools/pages/known_bugs.py [ID ...]

Each release gets an environment of its own (``conformance env``), which needs the package index; a run needs nothing.
``judgements/known-bugs.yaml`` says which rule names which fault, ``known-bugs.json`` holds what came of
it. With IDs only those bugs are tried again.
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance.environments.finding import find

ROOT = Path(__file__).resolve().parents[2]
HERE, KNOWN = ROOT / "reports", ROOT / "judgements" / "known-bugs.yaml"
FAILURES = frozenset({"fail", "error", "crash", "timeout", "protocol_error"})

INTRO = """\
# Published bugs, found again

Bugs of libraries that somebody else found and published. On the release that has the bug a rule must fail that names
the fault; on the release in which it is gone the same rule must pass, in every case of the scenarios that were tried.
Those are general ones, none written for one bug: all of them, or the family that
[`known-bugs.yaml`](../judgements/known-bugs.yaml) names, because a fixed release may break the same rule elsewhere, by
another fault. *Tolerance* stands beside rules that fail only in what other hosts than the provider do. *With* names the
packages that were put to what they were at that time, because the release does not start with today's.

Made by `python tools/publish.py known-bugs` on {date}.

| bug | library | rule | on the buggy release | on the fixed release |
| --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class Bug:
    """One published bug: ``rule`` names its fault on ``provider``. ``dates`` limit the resolution, by version.

    ``pins`` put other packages to what they were at that time, where today's break the release. ``tolerance`` says that
    only hosts that deviate from the provider do what the bug is about: a run has to be asked to fail for it.
    """

    id: str
    library: str
    buggy: str
    fixed: str
    provider: str
    rule: str
    url: str
    what: str
    dates: Mapping[str, str]
    scenarios: Sequence[str] = ()
    pins: Sequence[str] = ()
    tolerance: bool = False
    profile: str = "portable"


@dataclass(frozen=True)
class Seen:
    """What a rule said on one release."""

    outcome: str
    passed: int
    failed: int
    case: str = ""
    found: str = ""

    def __str__(self) -> str:
        if self.outcome in FAILURES:
            return f"{self.outcome}: {self.failed} of {self.passed + self.failed} cases, first `{self.case}`"
        return f"{self.outcome}: {self.passed} of {self.passed + self.failed} cases"


def bugs() -> list[Bug]:
    """All bugs of the file."""
    entries = yaml.safe_load(KNOWN.read_text("utf-8"))
    return [Bug(**{"dates": {}, **entry}) for entry in entries]


def seen(bug: Bug, version: str) -> Seen:
    """What the bug's rule says on a release of its library. Raises `SystemExit` when it cannot be run."""
    date = ["--date", bug.dates[version]] if version in bug.dates else []
    _command("env", bug.library, "--version", version, *date)
    if bug.pins:
        python = find(f"env:{bug.library}@{version}").python
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *bug.pins], check=True)
    document = json.loads(
        _command(
            "run", f"env:{bug.library}@{version}", "--provider", bug.provider, "--rule", bug.rule,
            "--delivery", "blocking", "--delivery", "stream:per-event", "--profile", bug.profile, "--format", "json",
            *(word for name in bug.scenarios for word in ("--scenario", name)),
            *(["--tolerance"] if bug.tolerance else []),
        )
    )  # fmt: skip
    if not document["cells"]:
        sys.exit(f"{bug.id}: nothing could be played on {bug.library} {version}")
    return _seen(document["cells"][0])


def _seen(cell: Mapping[str, Any]) -> Seen:
    cases, first = cell["cases"], next(iter(cell["failures"]), {})
    failed = sum(count for outcome, count in cases.items() if outcome in FAILURES)
    found = json.dumps(first.get("found"), ensure_ascii=False)
    return Seen(cell["outcome"], cases.get("pass", 0), failed, first.get("case", ""), found)


def _command(*words: str) -> str:
    """What ``conformance`` prints. Exit codes of its own are fine: failures are what is looked for."""
    done = subprocess.run(
        [sys.executable, "-m", "conformance", *words], capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        sys.exit(f"conformance {' '.join(words)}: exit {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def tried(bug: Bug) -> dict[str, Any]:
    """What both releases came to, and whether that is as it should be."""
    before, after = seen(bug, bug.buggy), seen(bug, bug.fixed)
    well = before.outcome in FAILURES and after.outcome == "pass"
    print(f"{'ok  ' if well else 'NOT '} {bug.id}: {before} | {after}", file=sys.stderr)
    return {"buggy": asdict(before), "fixed": asdict(after), "well": well}


def table(known: list[Bug], results: Mapping[str, Any]) -> str:
    """The report."""
    rows = [_row(bug, results[bug.id]) for bug in known if bug.id in results]
    found = sum(results[bug.id]["well"] for bug in known if bug.id in results)
    end = f"{found} of {len(known)} found, and gone where they are fixed."
    return INTRO.format(date=datetime.date.today().isoformat()) + "\n".join(rows) + f"\n\n{end}\n"


def _row(bug: Bug, result: Mapping[str, Any]) -> str:
    before, after = Seen(**result["buggy"]), Seen(**result["fixed"])
    pins = "".join(f", with `{pin}`" for pin in bug.pins)
    rule = f"`{bug.rule}`{', tolerance' if bug.tolerance else ''}"
    where = f"{bug.library}, {bug.provider}{pins}"
    return f"| [{bug.what}]({bug.url}) | {where} | {rule} | {bug.buggy}: {before} | {bug.fixed}: {after} |"


def main(names: list[str]) -> int:
    """Try the bugs. Returns 1 when one was not found, or was found on the fixed release."""
    known = bugs()
    if unknown := set(names) - {bug.id for bug in known}:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(bug.id for bug in known)}")
    data = HERE / "known-bugs.json"
    results = json.loads(data.read_text("utf-8")) if data.exists() else {}
    for bug in known:
        if not names or bug.id in names:
            results[bug.id] = tried(bug)
            data.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8")
            (HERE / "known-bugs.md").write_text(table(known, results), "utf-8")
    return 0 if all(bug.id in results and results[bug.id]["well"] for bug in known) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
