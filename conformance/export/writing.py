"""The suite as plain files: cases, assertions, schemas, and a manifest with the hash of each file.

The same suite gives the same bytes. Everything is made before anything is written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import resources
from multiprocessing import get_context
from pathlib import Path

from conformance.engine.cases import is_selected
from conformance.export.asked import is_lone
from conformance.export.cases import CUT_OTHERWISE, AssertionShelf, case_document, exported_profiles
from conformance.export.relations import RELATIONS
from conformance.export.tables import table_of
from conformance.files.whole import write_whole
from conformance.model import Json
from conformance.rules import Rule, catalogue
from conformance.rules.shared.shape import shape
from conformance.scenarios import written_scenarios
from conformance.schemas import schema
from conformance.version import VERSION
from conformance.wires import PROVIDERS, card

FORMAT = 1
"""The version of the files' form. It grows when a runner for the version before would misread them."""
MANIFEST, GUIDE = "manifest.json", "INTERPRETING.md"
SAFE = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
"""What a part of a path may be: names of ours are such, and nothing that leads out of the folder is."""

Files = dict[str, bytes]


class NothingExportedError(ValueError):
    """No scenario is played on any of the providers. The message says so."""


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """What to write down. Empty means everything; scenarios are globs."""

    providers: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProviderPart:
    """What is written for one provider: files by path, and how often each rule asserts something."""

    provider: str
    files: Files
    cases: int
    asserted: Mapping[str, int]


def exported(selection: ExportSelection, *, jobs: int = 1) -> Files:
    """Every file of the export, by its path. Raises `NothingExportedError`."""
    providers = list(dict.fromkeys(selection.providers or PROVIDERS))
    parts = [part for part in _parts(providers, selection.scenarios, jobs) if part.cases]
    if not parts:
        raise NothingExportedError("no written scenario that is asked for is played on these providers")
    files: Files = {GUIDE: (resources.files("conformance.export") / GUIDE).read_bytes()}
    files["schemas/stdio.schema.json"] = _text(schema("stdio"))
    for part in parts:
        files |= part.files
    files[MANIFEST] = _text(_manifest(parts, files))
    return files


def _parts(providers: Sequence[str], scenarios: tuple[str, ...], jobs: int) -> Iterator[ProviderPart]:
    if jobs <= 1 or len(providers) <= 1:
        yield from (provider_part(name, scenarios) for name in providers)
        return
    with ProcessPoolExecutor(min(jobs, len(providers)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(provider_part, providers, [scenarios] * len(providers))


def provider_part(provider: str, scenarios: tuple[str, ...]) -> ProviderPart:
    """What is written for a provider, of the scenarios that match."""
    shelf, files = AssertionShelf(), Files()
    for scenario in written_scenarios().values():
        if not is_selected(scenario.id, scenarios):
            continue
        for profile in exported_profiles(scenario, provider):
            document = case_document(scenario, provider, profile, shelf)
            files[_path(provider, "cases", f"{scenario.id}.{profile}.json")] = _line(document)
    cases = len(files)
    files[_path(provider, "assertions.json")] = _text(list(shelf.assertions))
    if (known := shape(provider, "request")) is not None:
        files[_path("schemas", f"{provider}.request.schema.json")] = _text(in_ecmascript(known))
    return ProviderPart(provider, files, cases, Counter(str(one["rule"]) for one in shelf.assertions))


def _path(*parts: str) -> str:
    for part in parts:
        if SAFE.fullmatch(part) is None:
            raise ValueError(f"{part!r} cannot be a part of a path")
    return "/".join(parts)


IGNORES_CASE = "(?i)"
"""Begins a pattern that takes letters of either case. ECMAScript, by which JSON Schema reads patterns, has none."""


def in_ecmascript(known: Json) -> Json:
    """A schema whose patterns every reader takes."""
    if isinstance(known, list):
        return [in_ecmascript(one) for one in known]
    if not isinstance(known, dict):
        return known
    inner = {name: in_ecmascript(one) for name, one in known.items()}
    pattern = inner.get("pattern")
    if isinstance(pattern, str) and pattern.startswith(IGNORES_CASE):
        bare = pattern.removeprefix(IGNORES_CASE)
        inner["pattern"] = re.sub("[A-Za-z]", lambda found: f"[{found[0].upper()}{found[0].lower()}]", bare)
    return inner


def _text(document: Json) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode("ascii")


def _line(document: Json) -> bytes:
    return (json.dumps(document, separators=(",", ":")) + "\n").encode("ascii")


def _manifest(parts: Sequence[ProviderPart], files: Files) -> Json:
    asserted: Counter[str] = Counter()
    on: dict[str, list[str]] = {}
    for part in parts:
        asserted.update(part.asserted)
        for rule in part.asserted:
            on.setdefault(rule, []).append(part.provider)
    providers = {part.provider for part in parts}
    rules = [rule for rule in catalogue().values() if providers & set(rule.providers)]
    must = [rule for rule in rules if rule.level == "must"]
    return {
        "format": FORMAT,
        "suite": {"name": "toolcall-conformance", "version": VERSION},
        "relations": list(RELATIONS),
        "deliveries": ["blocking", "stream:per-event", *CUT_OTHERWISE],
        "providers": {part.provider: {"cases": part.cases, "format": card(part.provider).format} for part in parts},
        "decided": {"must": sum(rule.id in on for rule in must), "of": len(must)},
        "rules": {rule.id: _told_of(rule, on.get(rule.id, ()), asserted[rule.id]) for rule in rules},
        "files": {path: hashlib.sha256(files[path]).hexdigest() for path in sorted(files)},
    }


def _told_of(rule: Rule, on: Collection[str], assertions: int) -> dict[str, Json]:
    told: dict[str, Json] = {
        "level": rule.level,
        "side": rule.side,
        "consequence": rule.consequence,
        "statement": " ".join(rule.statement.split()),
        "decided": bool(on),
    }
    return {**told, "providers": list(on), "assertions": assertions} if on else {**told, "why": why_undecided(rule)}


def why_undecided(rule: Rule) -> str:
    """Why the export does not decide a rule."""
    if rule.not_observed:
        return "no scenario shows it"
    if not is_lone(rule):
        return "it compares two model calls, or is about news of a stream"
    if not any(table_of(provider) for provider in rule.providers):
        return "its format has no table of assertions"
    return "it asks for more than one of the relations says"


def write_export(files: Files, folder: Path) -> None:
    """Write the files into a folder, the manifest last: without one an export is not whole."""
    for path in sorted(files.keys() - {MANIFEST}):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(files[path])
    write_whole(folder / MANIFEST, files[MANIFEST])
