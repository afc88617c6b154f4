"""Prove the rules about subjects: a proxy before the served provider changes one thing, and a rule must tell.

    python tools/proxied_mutants.py codex claude-code pi --keep FILE --out reports/agents/mutants.md

Each mutant (`conformance.mutants.between.requests`) is played on each agent, in its own script. *Told* is a mutant
where a rule that fits it tells something that is not told of the agent itself. One that changes nothing in what an
agent sends is left out for it. FILE keeps what was played, so that a run that was ended goes on.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.agents.job import CHANGED, RunJob
from conformance.agents.recipe import load_recipe
from conformance.agents.running import RunFailedError, verdict_of_run
from conformance.mutants.between.requests import REQUEST_MUTANTS, RequestMutant

NOTHING = "nothing"
FOLDER = re.compile(r"conformance-[\w-]+?-\w{8}(?=/)")
AGENTS = ("codex", "claude-code", "pi")
Kept = dict[str, Any]


def main() -> None:
    """Play what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=AGENTS, metavar="AGENT[=PROVIDER]")
    parser.add_argument("--keep", type=Path, required=True, help="what was played, as JSON")
    parser.add_argument("--out", type=Path, help="the page")
    parser.add_argument("--mutant", action="append", default=[], help="only this one (again)")
    options = parser.parse_args()
    kept: Kept = json.loads(options.keep.read_text("utf-8")) if options.keep.exists() else {}
    for agent in options.agents:
        for mutant, script in _wanted(options.mutant):
            _play(agent, mutant, script, kept, again=bool(options.mutant) and mutant in options.mutant)
            options.keep.write_text(json.dumps(kept, indent=1), "utf-8")
    if options.out is not None:
        options.out.write_text(page(options.agents, kept), "utf-8")


def _wanted(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The mutants, each with its script, after what each script shows unchanged: without a proxy, and through one."""
    mutants = [one for one in REQUEST_MUTANTS.values() if one.name != NOTHING and (not names or one.name in names)]
    for script in dict.fromkeys(one.script for one in mutants):
        yield "", script
        yield NOTHING, script
    yield from ((one.name, one.script) for one in mutants)


def _play(agent: str, mutant: str, script: str, kept: Kept, *, again: bool) -> None:
    name = f"{agent} {script} {mutant}"
    if name in kept and not again:
        return
    recipe, _, provider = agent.partition("=")
    provider = provider or next(iter(load_recipe(recipe).providers))
    try:
        verdict: Mapping[str, Any] = verdict_of_run(RunJob(recipe, script, provider, "", mutant=mutant), keep=True)
    except RunFailedError as problem:
        sys.stderr.write(f"{name}: {problem}\n")
        return
    told = [
        [rule, str(one["expected"])[:200], str(one["found"])[:200]]
        for one in verdict["findings"]
        for rule in (one["rule"], *one["also"])
    ]
    folder = Path(verdict.get("folder", ""))
    kept[name] = {
        "version": verdict["version"], "told": told, "reason": verdict["reason"],
        "changed": bool(verdict.get("folder")) and (folder / CHANGED).exists(),
    }  # fmt: skip
    if verdict.get("folder"):
        shutil.rmtree(folder, ignore_errors=True)
    sys.stderr.write(f"{name}: {', '.join(dict.fromkeys(rule for rule, *_ in told)) or 'nothing'}\n")


# --- what was told ---------------------------------------------------------------------------------------------------


def state(agent: str, mutant: RequestMutant, kept: Kept) -> tuple[str, list[str]]:
    """Whether a mutant was told on an agent (``told``, ``other``: by no rule that fits, ``missed``, ``no change``,
    ``not played``), and the rules that tell more than of the agent itself."""
    found = kept.get(f"{agent} {mutant.script} {mutant.name}")
    base = kept.get(f"{agent} {mutant.script} ")
    if found is None or base is None or found["reason"]:
        return "not played", []
    if not found["changed"]:
        return "no change", []
    known = {_what(one) for one in base["told"]}
    rules = list(dict.fromkeys(one[0] for one in found["told"] if _what(one) not in known))
    if not rules:
        return "missed", []
    fitting = [rule for rule in rules if any(fnmatch.fnmatch(rule, form) for form in mutant.told_by)]
    return ("told", fitting) if fitting else ("other", rules)


def _what(told: Sequence[str]) -> tuple[str, str]:
    """A rule and what it expected, without the folder of the run, which is another one each time."""
    return told[0], FOLDER.sub("", told[1])


def page(agents: Sequence[str], kept: Kept) -> str:
    """The page."""
    mutants = [one for one in REQUEST_MUTANTS.values() if one.name != NOTHING]
    titles = {agent: _title(agent, kept) for agent in agents}
    lines = ["# Mutants of coding agents", "", INTRODUCTION, ""]
    lines += ["| series | mutants | played | told by a rule that fits | | when first played |", f"|---|{'--:|' * 5}"]
    for series, words in SERIES.items():
        states = [state(agent, one, kept)[0] for agent in agents for one in mutants if one.series == series]
        played = [one for one in states if one not in ("not played", "no change")]
        told = played.count("told")
        share = f"{told / len(played):.0%}" if played else ""
        many, first = sum(one.series == series for one in mutants), FIRST if series == max(SERIES) else ""
        lines.append(f"| {words} | {many} | {len(played)} | {told} | {share} | {first} |")
    lines += ["", *_unchanged(agents, kept), ""]
    lines += [f"| mutant | script | {' | '.join(titles.values())} |", f"|---|---|{'---|' * len(agents)}"]
    for one in mutants:
        cells = [_cell(*state(agent, one, kept)) for agent in agents]
        lines.append(f"| {one.name}: {one.what} | {one.script} | {' | '.join(cells)} |")
    lines += ["", *HISTORY]
    return "\n".join(lines) + "\n"


INTRODUCTION = """A proxy between the agent and the served provider changes one thing in every request, as a faulty
agent would do it. A mutant is *told* where a rule that fits it tells something that is not told of the agent itself.
`python tools/proxied_mutants.py --keep FILE --out FILE` makes this page."""
HISTORY = (
    "*no change*: the agent sends nothing that the mutant could change. *by others*: a rule tells something, and none",
    "that was named for the mutant beforehand.",
    "",
    "2026-11-28. Six rules about histories were written with the first series, and a rule about pictures was",
    "mended by it (it took a word in a tool's declaration for a picture); a mutant that cuts results was made",
    "sharper, because words about an earlier cut excused it. The second series was written then. When it was",
    "first played, 42 of 48 were told. Of the other six, four were two kinds that rules tell now: results that",
    "are JSON of JSON of a text (`agent.result.says-what-the-tool-said`), and results that moved behind later",
    "calls (`agent.history.in-order`). One was told by a rule that had been left out of the mutant's list: on pi",
    "the second result that is lost is a failure. One is missed: words of the user's between calls and results,",
    "which that provider takes.",
)
FIRST = "42 of 48"
"""How many of the last series were told before any rule was mended for them."""
SERIES = {1: "written before the rules were settled", 2: "written after"}


def _unchanged(agents: Sequence[str], kept: Kept) -> Iterator[str]:
    """What is told of traffic that the proxy passes on as it is, and not without it."""
    pairs = {
        name.removesuffix(NOTHING): (one, kept[name.removesuffix(NOTHING)])
        for name, one in kept.items()
        if name.endswith(f" {NOTHING}") and name.split()[0] in agents and name.removesuffix(NOTHING) in kept
    }
    new = {
        name.strip(): sorted({one[0] for one in through["told"]} - {one[0] for one in base["told"]})
        for name, (through, base) in pairs.items()
    }
    told = {name: rules for name, rules in new.items() if rules}
    many = f"{len(told) or 'none'} with anything told that is not told without the proxy"
    yield f"Unchanged traffic: {len(new)} runs through the proxy, {many}."
    yield from (f"- {name}: {', '.join(rules)}" for name, rules in told.items())


def _title(agent: str, kept: Kept) -> str:
    recipe, _, provider = agent.partition("=")
    version = next((one["version"] for name, one in kept.items() if name.startswith(f"{agent} ")), "")
    return " ".join(filter(None, (load_recipe(recipe).title, version, provider and f"on {provider}")))


def _cell(word: str, rules: Sequence[str]) -> str:
    shown = ", ".join(f"`{rule}`" for rule in rules[:2])
    return {"told": shown, "other": f"by others: {shown}"}.get(word, word)


if __name__ == "__main__":
    main()
