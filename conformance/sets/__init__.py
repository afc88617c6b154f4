"""Requirement sets: what a certificate is about, frozen on a day (docs/certificates.md).

A set is a file of ours, ``<name>.json``: the ids of its rules, and its scenarios, each with a hash of what it plays. A
set never changes. An *erratum* (``errata.yaml``) removes a false accusation from all sets at once, and says why.
Anything else waits for the next set.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from conformance.files.packs import made_once
from conformance.scenarios import SHARED, packaged_files, packaged_meaning, readers, scenario_root
from conformance.wording import LineError

HERE = Path(__file__).parent
ERRATA = "errata.yaml"


class SetError(LineError):
    """A set that there is not, or that cannot be used."""


@dataclass(frozen=True, slots=True)
class Erratum:
    """A false accusation that was removed. ``rule`` or ``scenario`` is no part of any set any more.

    ``mended`` is the hash of a scenario that was put right: it is played as it is now.
    """

    id: str
    date: str
    reason: str
    link: str
    rule: str = ""
    scenario: str = ""
    mended: str = ""


@dataclass(frozen=True, slots=True)
class Requirements:
    """A set as it was frozen. ``scenarios`` are hashes by id, ``suite`` is the version that froze it."""

    name: str
    frozen: str
    suite: str
    rules: tuple[str, ...]
    scenarios: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PlayableRequirements:
    """What of a set this version plays. ``changed`` are scenarios that are not what they were, or are gone: they are
    not played, so the set is not whole. ``errata`` are those that apply."""

    name: str
    frozen: str
    suite: str
    rules: frozenset[str]
    scenarios: frozenset[str]
    changed: tuple[str, ...]
    errata: tuple[str, ...]


def set_names() -> list[str]:
    """The names of all sets, the oldest first."""
    return sorted(path.stem for path in HERE.glob("*.json"))


def requirement_set(name: str) -> Requirements:
    """The set of this name. Raises `SetError`."""
    from conformance.hints import nearest
    from conformance.schemas import problems

    if name not in set_names():
        raise SetError(f"there is no set {name!r}{nearest(name, set_names())}")
    document: Any = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    for at, complaint in problems("set", document):
        raise SetError(f"set {name}: at {at or '/'}: {complaint}")
    scenarios = {
        f"{family}.{stem}": mark for family, own in document["scenarios"].items() for stem, mark in own.items()
    }
    return Requirements(name, document["frozen"], document["suite"], tuple(document["rules"]), scenarios)


def errata() -> tuple[Erratum, ...]:
    """All errata, the oldest first. Raises `SetError`."""
    from conformance.documents import read_yaml
    from conformance.schemas import problems

    document = read_yaml(HERE / ERRATA)
    for at, complaint in problems("errata", document):
        raise SetError(f"{ERRATA}: at {at or '/'}: {complaint}")
    return tuple(Erratum(**one) for one in document["errata"])


@cache
def playable_set(name: str) -> PlayableRequirements:
    """What of a set this version plays. Raises `SetError`."""
    return with_errata(requirement_set(name), errata(), hashes())


def with_errata(one: Requirements, known: Iterable[Erratum], now: Mapping[str, str]) -> PlayableRequirements:
    """What is left of a set. ``now`` are the hashes of the scenarios of today."""
    applied = [item for item in known if item.rule in one.rules or item.scenario in one.scenarios]
    rules = frozenset(one.rules) - {item.rule for item in applied}
    mended = {item.scenario: item.mended for item in applied if item.mended}
    gone = {item.scenario for item in applied if not item.mended}
    wanted = {key: mended.get(key, mark) for key, mark in one.scenarios.items() if key not in gone}
    same = frozenset(key for key, mark in wanted.items() if now.get(key) == mark)
    return PlayableRequirements(
        one.name, one.frozen, one.suite, rules, same, tuple(sorted(wanted.keys() - same)),
        tuple(item.id for item in applied),
    )  # fmt: skip


def hashes() -> Mapping[str, str]:
    """The hashes of all scenarios that come with the package, by id: of what is played, not of how that is written."""
    shared = [scenario_root() / f"{name}.yaml" for name in SHARED]
    files = [*readers(), *shared, *packaged_files().values()]
    made: Mapping[str, str] = made_once("hashes", files, lambda: {name: hash_of(name) for name in packaged_files()})
    return made


def hash_of(name: str) -> str:
    """128 bits of SHA-256 over what a scenario plays, as JSON: all but its title, and the rules that it names."""
    text = json.dumps(packaged_meaning(name), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
