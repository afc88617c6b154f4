"""Prove the rules about gateways and servers: a proxy changes one thing on either side, and a rule must tell.

    python tools/proxied_subjects.py gateways --keep FILE --out reports/gateways/mutants.md
    python tools/proxied_subjects.py servers [URL=PROVIDER=MODEL=TITLE...] --keep FILE --out reports/servers/mutants.md

Mutants of answers, and of requests on their way, stand in `conformance.mutants.between`. *Told* is a mutant where a
rule that fits it tells something that is not told of the subject itself. One that changes nothing of what a subject
sends is left out for it. FILE keeps what was played, so that a run that was ended goes on. ``conformance serve`` is
started for the servers; others must run.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.gateways import PREFIX
from conformance.gateways.mutated import gateway_bench, wanted
from conformance.gateways.playing import running_gateway
from conformance.gateways.recipe import load_gateway
from conformance.gateways.surroundings import GatewaySurroundings, free_port
from conformance.mutants.between.answers import AnswerMutant
from conformance.mutants.between.requests import RequestMutant
from conformance.mutants.between.tables import ANSWER_MUTANTS, OUTGOING_MUTANTS, UNSEEING_MUTANTS
from conformance.recipes.installing import program_at
from conformance.sealed.contained import contain
from conformance.server.running import serving
from conformance.servers.address import AskedServer
from conformance.servers.mutated import ServerBench

GATEWAYS = ("reference=anthropic=gemini", "reference=openai-chat=anthropic", "portkey=openai-chat=gemini")
SERVED = ("openai-chat", "anthropic")
MODEL = "conformance/any"
Kept = dict[str, Any]
Mutant = RequestMutant | AnswerMutant


@dataclass(frozen=True)
class Row:
    """A mutant, what it changes, and the rules that fit it in a kind of subject."""

    mutant: Mutant
    side: str
    fits: tuple[str, ...]

    @property
    def name(self) -> str:
        """As the page names it."""
        return f"{self.side}/{self.mutant.name}"

    @property
    def scenario(self) -> str:
        """Where it is played in a gateway."""
        return self.mutant.script if isinstance(self.mutant, RequestMutant) else self.mutant.scenario

    @property
    def watched(self) -> bool:
        """Whether the client watches words come."""
        return isinstance(self.mutant, AnswerMutant) and self.mutant.watched


def gateway_rows() -> list[Row]:
    """What a gateway may do wrong."""
    asked = [Row(one, "asks", one.told_by) for one in OUTGOING_MUTANTS.values()]
    return [*asked, *(Row(one, "answers", one.gateway) for one in ANSWER_MUTANTS.values() if one.gateway)]


def server_rows() -> list[Row]:
    """What a server may do wrong."""
    seen = [Row(one, "sees", one.told_by) for one in UNSEEING_MUTANTS.values()]
    return [*seen, *(Row(one, "answers", one.server) for one in ANSWER_MUTANTS.values() if one.server)]


def main() -> None:
    """Play what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("gateways", "servers"))
    parser.add_argument("subjects", nargs="*", metavar="GATEWAY=INBOUND=OUTBOUND, URL=PROVIDER=MODEL=TITLE")
    parser.add_argument("--keep", type=Path, required=True, help="what was played, as JSON")
    parser.add_argument("--out", type=Path, help="the page")
    options = parser.parse_args()
    kept: Kept = json.loads(options.keep.read_text("utf-8")) if options.keep.exists() else {}
    play, rows = (_gateways, gateway_rows()) if options.kind == "gateways" else (_servers, server_rows())
    for name, found in play(options.subjects, rows, kept):
        kept[name] = found
        options.keep.write_text(json.dumps(kept, indent=1), "utf-8")
        told = ", ".join(dict.fromkeys(rule for rule, *_ in found["told"])) or "nothing"
        sys.stderr.write(f"{name}: {told if found['changed'] or not found['told'] else told + ' (unchanged)'}\n")
    if options.out is not None:
        options.out.write_text(page(options.kind, rows, kept), "utf-8")


# --- playing ---------------------------------------------------------------------------------------------------------

Played = Iterator[tuple[str, dict[str, Any]]]


def _found(told: Any, *, changed: bool = False) -> dict[str, Any]:
    return {"told": sorted(map(list, told)), "changed": changed}


def _gateways(subjects: Sequence[str], rows: Sequence[Row], kept: Kept) -> Played:
    contain()
    for subject in subjects or GATEWAYS:
        named, inbound, outbound = subject.split("=")
        recipe = load_gateway(named)
        program = program_at(recipe.install, f"{PREFIX}{recipe.id}")
        title = f"{' '.join(filter(None, (recipe.title, program.version)))}, {inbound} to {outbound}"
        folder = Path(tempfile.mkdtemp(prefix=f"conformance-{recipe.id}-"))

        @contextlib.contextmanager
        def start(upstream: str) -> Iterator[Mapping[str, str]]:
            around = GatewaySurroundings(recipe, folder, upstream, free_port(), program.programs)  # noqa: B023
            around.made()
            with running_gateway(around):
                yield around.values

        with gateway_bench(recipe, start) as bench:
            for scenario, watched in dict.fromkeys((row.scenario, row.watched) for row in rows):
                if not any(one.suits(inbound, outbound) for one in wanted(scenario, watched=watched)):
                    continue
                place = f"{scenario} watched" if watched else scenario
                for way, direct in (("", True), ("through", False)):
                    if (name := f"{title}: {place}: {way}") not in kept:
                        yield name, _found(bench.told(scenario, inbound, outbound, watched=watched, direct=direct))
                for row in rows:
                    name = f"{title}: {place}: {row.name}"
                    if (row.scenario, row.watched) == (scenario, watched) and name not in kept:
                        told = bench.told(scenario, inbound, outbound, row.mutant, watched=watched)
                        yield name, _found(told, changed=bench.changed)
        shutil.rmtree(folder, ignore_errors=True)


def _servers(subjects: Sequence[str], rows: Sequence[Row], kept: Kept) -> Played:
    for subject in subjects:
        url, provider, model, title = subject.split("=")
        yield from _server(AskedServer(url, provider, model, "key"), f"{title}, {provider}", rows, kept)
    with serving() as running:
        for provider in SERVED:
            server = AskedServer(running.url(provider), provider, MODEL, "key")
            yield from _server(server, f"conformance serve, {provider}", rows, kept)


def _server(server: AskedServer, title: str, rows: Sequence[Row], kept: Kept) -> Played:
    bench = ServerBench(server)
    for way, direct in (("", True), ("through", False)):
        if (name := f"{title}: all: {way}") not in kept:
            yield name, _found(bench.told(direct=direct))
    for row in rows:
        if (name := f"{title}: all: {row.name}") not in kept:
            told = bench.told(row.mutant, rejects=row.side == "sees")
            yield name, _found(told, changed=bench.changed)


# --- what was told ---------------------------------------------------------------------------------------------------


def state(title: str, row: Row, place: str, kept: Kept) -> tuple[str, list[str]]:
    """Whether a mutant was told of a subject (``told``, ``other``: by no rule that fits, ``missed``, ``no change``,
    ``itself``: the subject does not look there either, ``not played``), and the rules that tell more than of the
    subject itself."""
    found, base = kept.get(f"{title}: {place}: {row.name}"), kept.get(f"{title}: {place}: ")
    if found is None or base is None:
        return "not played", []
    if not found["changed"]:
        return "no change", []
    rules = list(dict.fromkeys(one[0] for one in found["told"] if one not in base["told"]))
    fitting = [rule for rule in rules if any(fnmatch.fnmatch(rule, form) for form in row.fits)]
    if rules:
        return ("told", fitting) if fitting else ("other", rules)
    own = any(fnmatch.fnmatch(one[0], form) for one in base["told"] for form in row.fits)
    return ("itself", []) if own and row.side == "sees" else ("missed", [])


def _place(kind: str, row: Row) -> str:
    return "all" if kind == "servers" else f"{row.scenario} watched" if row.watched else row.scenario


def page(kind: str, rows: Sequence[Row], kept: Kept) -> str:
    """The page."""
    titles = list(dict.fromkeys(name.split(": ")[0] for name in kept))
    states = {(title, row): state(title, row, _place(kind, row), kept) for title in titles for row in rows}
    lines = [f"# Mutants of {kind}", "", INTRODUCTION[kind], ""]
    lines += ["| series | mutants | played | told by a rule that fits | | when first played |", f"|---|{'--:|' * 5}"]
    for series, words in SERIES.items():
        found = [states[title, row][0] for title in titles for row in rows if row.mutant.series == series]
        played = [one for one in found if one not in ("not played", "no change", "itself")]
        many, told = sum(row.mutant.series == series for row in rows), played.count("told")
        share = f"{told / len(played):.0%}" if played else ""
        first = FIRST[kind] if series == max(SERIES) else ""
        lines.append(f"| {words} | {many} | {len(played)} | {told} | {share} | {first} |")
    lines += ["", *_unchanged(kept), "", f"| mutant | {' | '.join(titles)} |", f"|---|{'---|' * len(titles)}"]
    for row in rows:
        cells = (_cell(*states[title, row]) for title in titles)
        lines.append(f"| {row.name}: {row.mutant.what} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *NOTES, *HISTORY[kind]]) + "\n"


def _unchanged(kept: Kept) -> Iterator[str]:
    """What is told of traffic that the proxies pass on as it is, and not without them."""
    pairs = {name: (found, kept[name.removesuffix("through")])
             for name, found in kept.items() if name.endswith(": through")}  # fmt: skip
    new = {name: [one[0] for one in found["told"] if one not in base["told"]] for name, (found, base) in pairs.items()}
    told = {name: rules for name, rules in new.items() if rules}
    many = f"{len(told) or 'none'} with anything told that is not told without the proxy"
    yield f"Unchanged traffic: {len(pairs)} runs through the proxy, {many}."
    yield from (f"- {name}: {', '.join(dict.fromkeys(rules))}" for name, rules in told.items())


def _cell(word: str, rules: Sequence[str]) -> str:
    shown = ", ".join(f"`{rule}`" for rule in rules[:2])
    return {"told": shown, "other": f"by others: {shown}"}.get(word, word)


INTRODUCTION = {
    "gateways": """A proxy before the gateway changes one thing in every answer, or one behind it in every request, as a
faulty gateway would do it. A mutant is *told* where a rule that fits it tells something that is not told of the gateway
itself. `python tools/proxied_subjects.py gateways --keep FILE --out FILE` makes this page.""",
    "servers": """A proxy before the server changes one thing in every answer, or in every request that the server gets,
as a faulty server would do it. A mutant is *told* where a rule that fits it tells something that is not told of the
server itself. `python tools/proxied_subjects.py servers --keep FILE --out FILE` makes this page.""",
}
FIRST = {"gateways": "83 of 87", "servers": "30 of 34"}
"""How many of the last series were told before any rule was mended for them."""
SERIES = {1: "written before the rules were settled", 2: "written after"}
NOTES = (
    "*no change*: the subject sends nothing that the mutant could change. *by others*: a rule tells something, and",
    "none that was named for the mutant beforehand. *itself*: the subject does not look at that either.", "",
)  # fmt: skip
HISTORY: Mapping[str, tuple[str, ...]] = {
    "gateways": (
        "2026-11-28. By the first series two rules were mended: ids that come twice are told in Gemini's form, too,",
        "and a stream that comes unasked as a list. When the second series was first played (on the first and the",
        "third way here), 83 of 87 were told. The four were two kinds, and two rules tell them now: guidance that",
        "nobody has (`gateway.request.nothing-made-up`), and JSON that is called plain text",
        "(`gateway.answer.content-type`). Portkey's streams from Gemini lack `[DONE]` anyway, so that a cut one",
        "lacks it, too, is told by other rules.",
    ),
    "servers": (
        "2026-11-28. When the second series was first played (on `conformance serve`), 30 of 34 were told. Then a",
        "body that is no object got told by `server.answer.readable`, a call whose arguments are of the wrong kind",
        "was added to the requests that must be refused, and the mutant that mends them was put right: it mended",
        "nothing. What Anthropic's format misses: the rule about that input compares it with what the model said.",
        "llama.cpp (the wheel `xllamacpp`, with a model of `tools/made_model.py`) was played after that. Our own",
        "server makes one call at a time, so what is wrong between two calls shows nowhere there. On llama.cpp,",
        "whoever takes any name also drops the tool choice that names it, and that alone is told.",
    ),
}


if __name__ == "__main__":
    main()
