"""Makes reports/libraries: the newest versions of public libraries, run, and every failure read and judged.

    python tools/pages/libraries.py [NAME ...]            make environments, run, write the reports
    python tools/pages/libraries.py --no-run              write the reports of the runs that are there
    python tools/pages/libraries.py --from FILE ...       the same, after taking in results of runs made apart
    python tools/pages/libraries.py --check [NAME ...] [--result FILE ...]
                                                      only hold the findings against results

The libraries are run in both profiles: natively for reports/libraries, in the conversations that suit all providers for
reports/libraries/portable. Findings are about both.

Each library gets an environment of its own with its newest version (``conformance env``), which needs a package index;
a run needs nothing. With NAMEs only those are run again, and the rest of the results stays. What was found is judged in
``judgements/libraries/NAME.yaml``; a failure without a judgement makes this exit 1. Programs that show findings are
made by ``tools/pages/programs.py``, after this.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from conformance.adapters.libraries import LIBRARIES
from conformance.documents import Document
from conformance.engine.shims import raised_in_shim
from conformance.judgements import read_judgements
from conformance.judgements.checks import complaints
from conformance.judgements.classes import complaints_of_causes
from conformance.report.merge import merged_results
from conformance.rules import find_rule

ROOT = Path(__file__).resolve().parents[2]
HERE, JUDGED = ROOT / "reports" / "libraries", ROOT / "judgements" / "libraries"
RESULT = HERE / "result.json"
RESULTS: Mapping[str, Path] = {"native": RESULT, "portable": HERE / "portable" / "result.json"}
"""The published result of each profile."""
EXERCISED_BY_ALL = "common.adapter.completes"
"""A rule that every scenario exercises."""
DELIVERIES = ("blocking", "stream:per-event", "stream:per-byte", "stream:lost")
"""One answer whole, one as its provider sends it, one as badly cut as can be, and, where a stream breaks off, one whose
connection is lost. Written scenarios only: the generated ones would double the half hour that this takes."""


def conformance(*words: str, fine: Iterable[int] = (0,), quiet: bool = False) -> str:
    """What a command prints. Raises `SystemExit` when it ends otherwise than it may."""
    done = subprocess.run(
        [sys.executable, "-m", "conformance", *words],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if quiet else None, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in fine:
        sys.exit(f"conformance {' '.join(words)}: exit {done.returncode}")
    return done.stdout


def run(addresses: Sequence[str], profile: str) -> Document:
    """The libraries, run in a profile."""
    deliveries = [word for delivery in DELIVERIES for word in ("--delivery", delivery)]
    fresh = RESULT.with_suffix(".new.json")
    options = ("--profile", profile, "--generated", "none", "--out", str(fresh))
    conformance("run", "--all", *addresses, *deliveries, *options, fine=(0, 1))
    document: Document = json.loads(fresh.read_text("utf-8"))
    fresh.unlink()
    return document


def keep(documents: Sequence[Document]) -> None:
    """Put fresh results into the published ones; what those say of other libraries stays."""
    for profile, path in RESULTS.items():
        own = [document for document in documents if document["run"]["profile"] == profile]
        if own:
            fresh = merged_results(own)
            names = {adapter["id"] for adapter in fresh["adapters"]}
            old = _without(_read(path), names) if path.exists() else []
            path.parent.mkdir(exist_ok=True)
            _write(merged_results([*old, fresh]), path)


def _read(path: Path) -> Document:
    document: Document = json.loads(path.read_text("utf-8"))
    return document


def _without(document: Document, names: set[str]) -> list[Document]:
    """The document without some adapters; nothing when no other is in it."""
    cells = [cell for cell in document["cells"] if cell["adapter"] not in names]
    used = {failure["evidence"] for cell in cells for failure in cell["failures"]}
    left = {
        **document,
        "adapters": [item for item in document["adapters"] if item["id"] not in names],
        "cells": cells,
        "evidence": {name: item for name, item in document["evidence"].items() if name in used},
    }
    return [left] if cells else []


def _write(document: Document, path: Path) -> None:
    """The result in the order of the table of libraries, as small as it can be, without where it was written."""
    order = {name: place for place, name in enumerate(LIBRARIES)}
    document["adapters"].sort(key=lambda adapter: order[adapter["id"]])
    document["cells"] = sorted(map(_thin, document["cells"]), key=lambda cell: order[cell["adapter"]])
    document["rules"] = list(map(_in_todays_words, document["rules"]))
    document["run"]["command"] = re.sub(r" --out \S+", "", document["run"]["command"])
    used = {failure["evidence"] for cell in document["cells"] for failure in cell["failures"]}
    document["evidence"] = {name: item for name, item in document["evidence"].items() if name in used}
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", "utf-8")


LOOSENED: Mapping[str, str] = {
    "common.declare.strict-as-asked": "2026-11-28: a schema beyond what strict mode takes may be sent without it, too",
}
"""Rules whose words changed between two runs that are published together, and that accuse nobody more than before."""


def _in_todays_words(rule: Document) -> Document:
    today = find_rule(rule["id"]) if rule["id"] in LOOSENED else None
    return {**rule, "statement": today.statement} if today else rule


def _thin(cell: Document) -> Document:
    """The cell with the first failure of each scenario: deliveries fail alike, and all failed cases are named still.

    Which scenarios exercised it is kept of the one rule that all of them exercise: so the page knows what was tried.
    What its rule does at the provider is told by the evidence of today, whenever the run was.
    """
    first = {failure["case"].partition("/")[0]: failure for failure in reversed(cell["failures"])}
    kept = [first[scenario] for scenario in sorted(first)]  # in whatever order workers told them
    shed = {"consequence", "evidence"} | (set() if cell["rule"] == EXERCISED_BY_ALL else {"scenarios"})
    left = {name: value for name, value in cell.items() if name not in shed}
    rule = find_rule(cell["rule"])
    assert rule is not None, f"{cell['rule']} is no rule any more: run the libraries again"
    weight = {"consequence": rule.shown_consequence(cell["provider"])}
    if evidence := rule.evidence_class(cell["provider"]):
        weight["evidence"] = evidence
    return left | weight | {"failures": kept}


def reports() -> None:
    """All that is made from the results, the findings and the programs.

    The command complains of one result; findings are about both, so `main` asks what is not judged.
    """
    for path in filter(Path.exists, RESULTS.values()):
        _write(_read(path), path)
        words = ("report", str(path), "--judgements", str(JUDGED), "--out", str(path.parent))
        conformance(*words, fine=(0, 1), quiet=True)
        _write(_read(path), path)
        (path.parent / "coverage.md").unlink()  # which scenarios exercise which rule is told of the reference adapters


def ours(document: Document, names: Sequence[str]) -> Iterator[str]:
    """What our own shims raised, a line each: nobody is to blame for it but us."""
    for cell in document["cells"]:
        for failure in cell["failures"] if cell["adapter"] in names else ():
            told = document["evidence"][failure["evidence"]].get("failure") or {}
            if raised_in_shim(told.get("traceback") or ""):
                yield f"{cell['adapter']}: raised in our shim: {failure['case']}: {failure['found']}"


def main() -> int:
    """Returns 1 when something is not judged, or judged and not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)}")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--no-run", action="store_true", help="run nothing")
    parser.add_argument("--from", dest="taken", type=Path, nargs="+", default=[], metavar="FILE", help="take these in")
    parser.add_argument("--result", type=Path, nargs="+", default=[*RESULTS.values()], help="the results to check")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(LIBRARIES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    names = asked.names or list(LIBRARIES)
    if asked.taken:
        keep(list(map(_read, asked.taken)))
    elif not (asked.check or asked.no_run):
        addresses = [conformance("env", name).strip() for name in names]
        keep([run(addresses, profile) for profile in RESULTS])
    there = [name for name in names if (JUDGED / f"{name}.yaml").exists()]
    every = [read_judgements(JUDGED / f"{name}.yaml")[0] for name in there]
    if not asked.check:
        reports()
    documents = list(map(_read, asked.result))
    problems = [f"{name}: has no file in {JUDGED.relative_to(ROOT)}" for name in names if name not in there]
    problems += [line for judged in every for line in complaints(judged, *documents)]
    problems += [line for document in documents for line in ours(document, names)]
    if not asked.names:
        problems += complaints_of_causes(every, *documents)
    print("\n".join(problems) or f"{len(every)} libraries, every failure is judged")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
