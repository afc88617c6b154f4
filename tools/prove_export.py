"""Does the export bite? Mutants of the self-test, played by the runner in Node, which has nothing but the files.

    python tools/prove_export.py EXPORT [--provider P]... [--each N] [--page FILE]

EXPORT is what `conformance export` wrote. Of each provider N mutants of building and N of reading are drawn, always the
same ones, that the self-test kills; and as many that do nothing wrong (`conformance/mutants/equivalent`). A mutant is
found if the runner says that it breaks a rule by which the self-test kills it. One that does nothing wrong must pass.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path

from conformance.dialects.trying import dialects_of, spoken
from conformance.environments.node import runnable
from conformance.environments.places import root
from conformance.export.records import record_of
from conformance.export.relations import broken
from conformance.export.tables import request_assertions
from conformance.mutants.catalogue import mutants
from conformance.mutants.equivalent import explanation
from conformance.mutants.mutant import BUILD_HOOKS, Mutant, hooks
from conformance.mutants.trace import Trace
from conformance.mutants.trial import play
from conformance.rules import catalogue
from conformance.rules.judge import judge
from conformance.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT / "clients" / "node" / "runner" / "run.ts"
DECIDED, FOUND = 0.6, 0.9
"""The aims: of the rules that must be kept those that the export decides, and of the mutants that count those found."""
PROVIDERS = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama")


@dataclass(frozen=True)
class Proof:
    """A mutant as the runner saw it. ``kills`` are the rules of the self-test that name it; none: it is legal."""

    provider: str
    mutant: str
    side: str
    kills: frozenset[str]
    broken: frozenset[str]
    decided: frozenset[str]

    @property
    def counts(self) -> bool:
        """Whether the export decides a rule by which it is killed."""
        return bool(self.kills & self.decided)

    @property
    def right(self) -> bool:
        """Whether it is found by such a rule; one that is legal: whether nothing is found."""
        return bool(self.kills & self.broken) if self.kills else not self.broken


def proofs(folder: Path, provider: str, each: int) -> Iterator[Proof]:
    """The drawn mutants of a provider, played."""
    trace = Trace(provider)
    known = list(mutants(trace))
    random.Random(provider).shuffle(known)
    asserted = json.loads((folder / provider / "assertions.json").read_bytes())
    decided = frozenset(one["rule"] for one in asserted)
    for side in ("building", "reading"):
        drawn = (one for one in known if _side(one) == side)
        yield from _killed(folder, trace, drawn, side, each, decided)
    legal = [one for one in known if explanation(one.name, provider) is not None]
    survivors = (one for one in legal if play(one, trace).outcome == "survived")
    for one in islice(survivors, 2 * each):
        wrong = broken_by(folder, provider, one.name, condemning=True)
        yield Proof(provider, one.name, _side(one), frozenset(), wrong, decided)


SPOKEN = 25
"""In how many requests each other spelling is tried."""


def spellings(trace: Trace) -> Iterator[tuple[str, str]]:
    """Requests in other spellings that mean the same (`conformance/dialects`): which, and the rule that is said to be
    broken though it has nothing against it, or nothing."""
    rules = {rule.id: rule for rule in trace.rules}
    number: Counter[str] = Counter()
    for record in trace.records:
        own = [rule for rule in trace.rules if rule.applies_to(trace.provider, record.case.profile)]
        for exchange in record.exchanges:
            for dialect in dialects_of(trace.provider):
                other = spoken(dialect, [exchange]) if number[dialect.name] < SPOKEN else None
                if other:
                    number[dialect.name] += 1
                    asserted = request_assertions(exchange, [rule for rule in own if rule.side == "build"])
                    told = {str(one["rule"]) for one in broken(asserted, record_of(other[0]))}
                    yield dialect.name, next((name for name in told if not any(judge(rules[name], other[0]))), "")


def _side(mutant: Mutant) -> str:
    return "building" if hooks(mutant.make()) & BUILD_HOOKS else "reading"


def _killed(
    folder: Path, trace: Trace, drawn: Iterator[Mutant], side: str, each: int, decided: frozenset[str]
) -> Iterator[Proof]:
    must = frozenset(rule.id for rule in catalogue().values() if rule.level == "must")
    number = 0
    for one in drawn:
        kills = frozenset(kill.rule for kill in play(one, trace).kills) & must
        if kills and number < each:
            number += 1
            yield Proof(trace.provider, one.name, side, kills, broken_by(folder, trace.provider, one.name), decided)
        if number == each:
            return


def broken_by(folder: Path, provider: str, mutant: str, *, condemning: bool = False) -> frozenset[str]:
    """The rules that the runner says a mutant breaks; if ``condemning``, only those by which it does not conform: rules
    that must be kept, in cases that the provider itself shows."""
    address = [sys.executable, "-m", "conformance.adapters.stdio.serve", "python:served_mutant:adapter"]
    variables = {**os.environ, "CONFORMANCE_MUTANT": f"{provider} {mutant}", "PYTHONPATH": str(Path(__file__).parent)}
    words = [*runnable(RUNNER, root()), str(folder), "--provider", provider, "--json", "--", *address]
    done = subprocess.run(words, capture_output=True, env=variables, cwd=ROOT, timeout=600, check=False)
    if done.returncode > 1:
        raise SystemExit(f"{provider} {mutant}: {done.stderr.decode()[-2000:]}")
    failed = json.loads(done.stdout)["failed"]
    return frozenset(
        rule
        for rule, faults in failed.items()
        if not condemning or (catalogue()[rule].level == "must" and not all(one["elsewhere"] for one in faults))
    )


def page(found: Sequence[Proof], spelled: Sequence[tuple[str, str]], manifest: dict[str, dict[str, int]]) -> str:
    """The report as Markdown."""
    faulty = [one for one in found if one.kills]
    counted = [one for one in faulty if one.counts]
    legal = [one for one in found if not one.kills]
    decided = manifest["decided"]
    lines = [
        "# The export, tried on mutants",
        "",
        f"Suite {VERSION}, {date.today().isoformat()}. Made by `python tools/prove_export.py`.",
        "",
        f"The export decides {decided['must']} of {decided['of']} rules that must be kept. Of {len(faulty)} mutants "
        f"that the self-test kills, {len(counted)} are killed by a rule that it decides; the runner in Node found "
        f"{sum(one.right for one in counted)} of these by the same rule. Of {len(legal)} that do nothing wrong, "
        f"{sum(one.right for one in legal)} pass. Of {len(spelled)} requests in other spellings that providers take, "
        f"{sum(not rule for _, rule in spelled)} break no assertion wrongly.",
        "",
        "| provider | mutant | side | found by the same rule | rules |",
        "|---|---|---|---|---|",
    ]
    for one in found:
        answer = ("yes" if one.right else "**no**") if one.counts else "not decided" if one.kills else "legal: "
        if not one.kills:
            answer += "passes" if one.right else "**accused**"
        shown = sorted(one.kills & one.broken or one.kills) if one.kills else sorted(one.broken)
        lines.append(f"| {one.provider} | `{one.mutant}` | {one.side} | {answer} | {', '.join(shown[:2])} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Prove, and print the page. Returns 1 where an aim is missed, or something legal is accused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="EXPORT")
    parser.add_argument("--provider", action="append", default=[], metavar="P")
    parser.add_argument("--each", type=int, default=3, metavar="N")
    parser.add_argument("--page", type=Path, metavar="FILE")
    options = parser.parse_args()
    found = [one for name in options.provider or PROVIDERS for one in proofs(options.folder, name, options.each)]
    spelled = [one for name in options.provider or PROVIDERS for one in spellings(Trace(name))]
    manifest = json.loads((options.folder / "manifest.json").read_bytes())
    text = page(found, spelled, manifest)
    if options.page is not None:
        options.page.write_text(text, "utf-8")
    print(text)
    counted = [one for one in found if one.counts]
    well = sum(one.right for one in counted) >= FOUND * len(counted)
    enough = manifest["decided"]["must"] >= DECIDED * manifest["decided"]["of"]
    legal = all(one.right for one in found if not one.kills) and not any(rule for _, rule in spelled)
    return 0 if well and enough and legal else 1


if __name__ == "__main__":
    sys.exit(main())
