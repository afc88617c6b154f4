"""Makes reports/agents: coding agents, run by one command, and every finding read and judged.

    python tools/pages/coding_agents.py                  run all agents on all their providers, write the page
    python tools/pages/coding_agents.py --from FILE      write the page of verdicts made apart (``run ... --out FILE``)
    python tools/pages/coding_agents.py --no-run         write the page of the verdicts that are there

What was found is judged in ``judgements/agents.yaml``; a finding without a judgement makes this exit 1, and so does a
judgement that nothing needs. Agents must be installed (``conformance env agent:NAME``), which needs a package index.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from judged import ROOT, Judgement, Verdict, conformance, judgements_of, unjudged

HERE = ROOT / "reports" / "agents"
RESULT, PAGE = HERE / "result.json", HERE / "README.md"
OF_THIS_MACHINE = re.compile(r"/[^\s\"']*?/(conformance-[\w.-]+|conformance/envs/[^/\s\"']+)")
"""The folder of a run, which is another one each time, and that of an agent's installation."""

INTRO = """\
# Coding agents

Each agent played its script to the end by one command, without a hand on it: `conformance run agent:NAME`
([how](../../docs/agents.md)). The server played the model; agent and server had a network of their own. Every finding
was read against the requests, and is judged in [agents.yaml](../../judgements/agents.yaml).

Made by `python tools/pages/coding_agents.py` on {date}, suite {version}.

✓ nothing was found · ! oddities, limits, and what should be otherwise · ✗ a fault: a rule that must hold was broken ·
– not run
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="files", action="append", type=Path, metavar="FILE", help="verdicts to take in")
    parser.add_argument("--no-run", action="store_true", help="run nothing")
    asked = parser.parse_args()
    if asked.files:
        _keep([json.loads(file.read_text("utf-8")) for file in asked.files])
    elif not asked.no_run:
        _keep([_run()])
    document = json.loads(RESULT.read_text("utf-8"))
    PAGE.write_text("\n".join(_lines(document, judgements_of("agents", "agent"))) + "\n", "utf-8")
    wrong = unread()
    print("\n".join(wrong) or f"{PAGE.relative_to(ROOT)}: every finding is judged")
    return 1 if wrong else 0


def _run() -> dict[str, Any]:
    fresh = RESULT.with_suffix(".new.json")
    names = json.loads(conformance("list", "agents", "--format", "json"))
    every = [f"agent:{one['name']}" for one in names]
    conformance("run", *every, "--provider", "all", "--format", "json", "--out", str(fresh))
    document: dict[str, Any] = json.loads(fresh.read_text("utf-8"))
    fresh.unlink()
    return document


def _keep(documents: Sequence[dict[str, Any]]) -> None:
    """Write the verdicts down, the later ones in the place of earlier ones, without names of this machine."""
    verdicts = {_key(verdict): verdict for document in documents for verdict in document["verdicts"]}
    kept = {**documents[-1], "verdicts": [verdicts[key] for key in sorted(verdicts)]}
    HERE.mkdir(exist_ok=True)
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    RESULT.write_text(OF_THIS_MACHINE.sub("${folder}", text) + "\n", "utf-8")


def _key(verdict: Verdict) -> tuple[str, str, str]:
    return verdict["agent"], verdict["provider"], verdict["script"]


def unread() -> list[str]:
    """What is published and not judged, and what is judged and not there."""
    verdicts: list[Verdict] = json.loads(RESULT.read_text("utf-8"))["verdicts"]
    found = {(one["agent"], finding["rule"]) for one in verdicts for finding in one["findings"]}
    return unjudged(found, judgements_of("agents", "agent"))


# --- the page --------------------------------------------------------------------------------------------------------


def _lines(document: dict[str, Any], judgements: Sequence[Judgement]) -> Iterator[str]:
    verdicts = document["verdicts"]
    yield INTRO.format(date=datetime.date.today(), version=document["version"])
    yield "| agent | version | provider | script | | answers | requests, beside the task | others asked |"
    yield "|---|---|---|---|---|--:|--:|---|"
    yield from (_row(verdict, mark(verdict, judgements)) for verdict in verdicts)
    yield from ("", "## What was found", "", "| agent | rule | where | | why |", "|---|---|---|---|---|")
    for one in sorted(judgements, key=lambda one: (one.subject, one.rule)):
        where = sorted({f"{v['script']} on {v['provider']}" for v in verdicts if _breaks(v, one)})
        yield f"| {one.subject} | `{one.rule}` | {', '.join(where)} | {one.kind} | {one.because} |"


def mark(verdict: Verdict, judgements: Sequence[Judgement]) -> str:
    """How a run is shown, by what its findings were judged to be. One that nobody has judged yet counts as a fault."""
    if verdict["outcome"] == "not run":
        return "–"
    harmless = {one.rule for one in judgements if one.subject == verdict["agent"] and one.kind != "fault"}
    faults = [one for one in verdict["findings"] if one["level"] == "must" and one["rule"] not in harmless]
    return "✗" if faults else "!" if verdict["findings"] else "✓"


def _row(verdict: Verdict, mark: str) -> str:
    answers, others = verdict["answers"], ", ".join(sorted({one["host"] for one in verdict["outsiders"]}))
    cells = (
        verdict["title"], verdict["version"], verdict["provider"], verdict["script"], mark,
        f"{answers['played']} of {answers['of']}", f"{verdict['requests']}, {verdict['aside']}",
        verdict["reason"] or others,
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _breaks(verdict: Verdict, judgement: Judgement) -> bool:
    broken = {finding["rule"] for finding in verdict["findings"]}
    return verdict["agent"] == judgement.subject and judgement.rule in broken


if __name__ == "__main__":
    sys.exit(main())
