"""List what there is: providers, hosts that speak their formats, scenarios, rules, adapters, deliveries; agents, and
the scripts that are played to them; servers; parsers, and the grammars that they read; requirement sets, and what was
removed from them since.
"""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conformance.model import Profile

ListRow = dict[str, Any]


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("what", choices=tuple(LISTS))
    parser.add_argument("--format", choices=("table", "json"), default="table", help="default: %(default)s")


def main(options: argparse.Namespace) -> int:
    """Print the list. Returns the exit code."""
    from conformance.report.printing import say_document, say_to

    rows = list(LISTS[options.what]())
    if options.format == "json":
        say_document(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return 0
    width = max(len(row["id"]) for row in rows)
    for row in rows:
        say_to(sys.stdout, f"{row['id']:<{width}}  {_note(row)}\n")
        for way in row.get("ways", ()):
            say_to(sys.stdout, f"{'':<{width}}    --way {way['id']}: {way['calls']}\n")
        for line in _can(row, width) if options.what == "providers" else ():
            say_to(sys.stdout, f"{line}\n")
    return 0


def _can(row: ListRow, width: int) -> list[str]:
    """What a provider can do, in the words that an adapter declares."""
    indent = " " * (width + 2)
    return textwrap.wrap(", ".join(row["capabilities"]), 118, initial_indent=indent, subsequent_indent=indent)


def _note(row: ListRow) -> str:
    for name in ("title", "statement", "problem"):
        if row.get(name):
            return f"{row['level']:<6} {row[name]}" if "level" in row else str(row[name])
    return str(row.get("version", ""))


def _providers() -> Iterator[ListRow]:
    from conformance.wires import cards

    for card in cards():
        yield {
            "id": card.id,
            "title": card.title,
            "base_url": card.base_url,
            "framings": list(card.framings),
            "capabilities": sorted(card.capabilities),
            "quirks": sorted(card.quirks),
            "elsewhere": dict(card.elsewhere),
        }


def _hosts() -> Iterator[ListRow]:
    from dataclasses import asdict

    from conformance.wires import card, host_file, host_ids

    for name in host_ids():
        one, file = card(name), host_file(name)
        assert file is not None
        yield {
            "id": name,
            "title": f"{one.title}, by the rules of {one.provider}",
            "wire": file.wire,
            "provider": one.provider,
            "base_url": one.base_url,
            "capabilities": sorted(one.capabilities),
            "quirks": sorted(one.quirks),
            "entries": [
                {"kind": entry.kind, "what": entry.what, "rule": entry.rule or None, "evidence": asdict(entry.evidence)}
                for entry in file.entries
            ],
        }


def _scenarios() -> Iterator[ListRow]:
    from conformance.engine.cases import fits
    from conformance.runner.selection import scenario_ids
    from conformance.scenarios import load_scenarios
    from conformance.wires import PROVIDERS

    scenario_ids()
    for scenario in load_scenarios().values():
        profiles: list[Profile] = [scenario.profile] if scenario.profile else ["portable", "native"]
        providers = [name for name in PROVIDERS if any(fits(scenario, name, profile) for profile in profiles)]
        others = {name: scenario.elsewhere_than(name) for name in providers}
        yield {
            "id": scenario.id,
            "title": scenario.title,
            "family": scenario.family,
            "rules": list(scenario.rules),
            "requires": sorted(scenario.needs),
            "profiles": profiles,
            "providers": providers,
            "elsewhere": {name: evidence for name, evidence in others.items() if evidence},
        }


def _rules() -> Iterator[ListRow]:
    from conformance.rules import catalogue

    for rule in catalogue().values():
        yield {
            "id": rule.id,
            "level": rule.level,
            "consequence": rule.consequence,
            "profile": rule.profile,
            "stage": rule.stage,
            "side": rule.side,
            "providers": list(rule.providers),
            "statement": rule.statement,
            "source": list(rule.source),
            "evidence": rule.evidence_data(),
            "since": rule.since,
        }


def _adapters() -> Iterator[ListRow]:
    from conformance.adapters.addresses import installed_adapters
    from conformance.adapters.contract import AdapterError
    from conformance.engine.pool import probe

    offered = installed_adapters()
    yield from (row for row in _libraries() if row["id"] not in offered)
    for name, entry in sorted(offered.items()):
        row: ListRow = {"id": name, "target": entry.value}
        try:
            probed = probe(name)
        except AdapterError as problem:
            yield {**row, "problem": str(problem)}
            continue
        info = probed.info
        providers = list(info.capabilities)
        title = f"{info.name} {info.version}, a {probed.kind} for {', '.join(providers)}"
        yield {**row, "title": title, "kind": probed.kind, "version": info.version, "providers": providers}


def _libraries() -> Iterator[ListRow]:
    """The libraries that there is a shim for. They are not loaded: many are slow, and most are not here."""
    from conformance.adapters.contract import AdapterError
    from conformance.adapters.libraries import LIBRARIES, installed
    from conformance.adapters.libraries.ways import ways_of

    for name, library in LIBRARIES.items():
        ways = [{"id": way.name, "calls": way.calls, "modes": list(way.modes)} for way in ways_of(name)]
        row: ListRow = {"id": name, "target": library.shim, "kind": "client", **({"ways": ways} if ways else {})}
        if library.kind != "python":
            yield {**row, "title": f"{library.distribution}, by conformance env {name}"}
            continue
        try:
            version = installed(library.distribution, name)
        except AdapterError:
            yield {**row, "problem": f"{library.distribution}, not installed here: conformance env {name}"}
            continue
        yield {**row, "title": f"{library.distribution} {version}", "version": version}


def _deliveries() -> Iterator[ListRow]:
    from conformance.deliveries import DELIVERIES

    for delivery in DELIVERIES.values():
        yield {
            "id": delivery.name, "title": delivery.title, "streaming": delivery.streaming,
            "everywhere": delivery.everywhere,
        }  # fmt: skip


def _agents() -> Iterator[ListRow]:
    from conformance.adapters.contract import AdapterError
    from conformance.agents.installing import agent_at
    from conformance.agents.named_files import known_files
    from conformance.agents.recipe import load_recipe
    from conformance.recipes.installing import missing

    for name in known_files("recipe"):
        recipe = load_recipe(name)
        row: ListRow = {"id": name, "name": recipe.title, "providers": list(recipe.providers)}
        row["deliveries"] = {provider: list(one.deliveries) for provider, one in recipe.providers.items()}
        row |= {"package": recipe.install.package, "kind": recipe.install.kind} if recipe.install is not None else {}
        on = ", ".join(recipe.providers)
        try:
            found = agent_at(recipe)
        except AdapterError as problem:
            needs = missing(recipe.install) if recipe.install is not None else ""
            yield {**row, "needs": needs, "problem": f"{recipe.title} on {on}: {problem}"}
            continue
        yield {**row, "title": f"{recipe.title} {found.version} on {on}".replace("  ", " "), "version": found.version}


def _gateways() -> Iterator[ListRow]:
    from conformance.adapters.contract import AdapterError
    from conformance.gateways import PREFIX
    from conformance.gateways.recipe import FILES, load_gateway
    from conformance.recipes.installing import missing, program_at

    for name in FILES.known():
        recipe = load_gateway(name)
        row: ListRow = {"id": name, "name": recipe.title, "inbound": list(recipe.inbound)}
        row["outbound"] = list(recipe.outbound)
        row |= {"package": recipe.install.package, "kind": recipe.install.kind} if recipe.install is not None else {}
        what = f"{', '.join(recipe.inbound)} to {', '.join(recipe.outbound)}"
        try:
            found = program_at(recipe.install, f"{PREFIX}{name}")
        except AdapterError as problem:
            needs = missing(recipe.install) if recipe.install is not None else ""
            yield {**row, "needs": needs, "problem": f"{recipe.title}, {what}: {problem}"}
            continue
        version = f" {found.version}" if found.version else ""
        yield {**row, "title": f"{recipe.title}{version}, {what}", "version": found.version}


def _scripts() -> Iterator[ListRow]:
    from conformance.agents.named_files import known_files
    from conformance.agents.script import load_script

    for name in known_files("script"):
        script = load_script(name)
        yield {"id": name, "title": script.title, "roles": script.roles, "answers": len(script.answers)}


def _parsers() -> Iterator[ListRow]:
    from conformance.parsers.known import known_parsers

    for name, one in known_parsers().items():
        title = f"{one.title} ({one.grammar}); pip install {' '.join(one.install)}"
        yield {
            "id": name, "title": title, "grammar": one.grammar, "install": list(one.install), "caller": one.caller,
            "note": one.note,
        }  # fmt: skip


def _grammars() -> Iterator[ListRow]:
    from conformance.parsers.grammar import known_grammars, load_grammar

    for name in known_grammars():
        grammar = load_grammar(name)
        evidence = [dict(one) for one in grammar.evidence]
        yield {"id": name, "title": grammar.title, "special": list(grammar.special), "evidence": evidence}


def _servers() -> Iterator[ListRow]:
    from conformance.servers.recipe import known_servers, load_server

    for name in known_servers():
        known = load_server(name)
        title = f"{known.title} at {known.url} ({', '.join(known.formats)}): {known.start}"
        yield {
            "id": name, "name": known.title, "title": title, "start": known.start, "url": known.url,
            "provider": known.provider, "model": known.model, "also": dict(known.also), "notes": known.notes,
            "source": known.source, "date": known.date,
        }  # fmt: skip


def _sets() -> Iterator[ListRow]:
    from dataclasses import asdict

    from conformance.sets import errata, playable_set, requirement_set, set_names

    for name in set_names():
        one, now = requirement_set(name), playable_set(name)
        counts = f"{len(one.rules)} rules, {len(one.scenarios)} scenarios"
        gone = f"; {len(now.changed)} scenarios are not what they were" if now.changed else ""
        without = f"; errata: {', '.join(now.errata)}" if now.errata else ""
        yield {
            "id": name, "title": f"frozen {one.frozen} by suite {one.suite}: {counts}{gone}{without}",
            "frozen": one.frozen, "suite": one.suite, "rules": list(one.rules), "scenarios": dict(one.scenarios),
            "changed": list(now.changed), "errata": list(now.errata),
        }  # fmt: skip
    for item in errata():
        about = item.rule or item.scenario
        told = {key: value for key, value in asdict(item).items() if value}
        yield {**told, "title": f"erratum of {item.date}: {about}: {item.reason} ({item.link})"}


LISTS: dict[str, Callable[[], Iterator[ListRow]]] = {
    "providers": _providers,
    "hosts": _hosts,
    "scenarios": _scenarios,
    "rules": _rules,
    "adapters": _adapters,
    "deliveries": _deliveries,
    "agents": _agents,
    "gateways": _gateways,
    "scripts": _scripts,
    "parsers": _parsers,
    "grammars": _grammars,
    "servers": _servers,
    "sets": _sets,
}
