"""The rules: words from ``catalogue/*.yaml``, checks from the modules in ``checks/``, bound by id."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

from conformance.model import Profile
from conformance.rules import checks
from conformance.rules.check import CHECKS, Check
from conformance.wires import PROVIDERS

Level = Literal["must", "should", "may"]
Consequence = Literal["rejected", "lost", "degraded"]
Side = Literal["build", "parse"]
Stage = Literal[
    "declare", "naming", "choose", "history", "result", "binary", "ids", "continuation", "http", "shape",
    "parse", "error", "stream", "contract",
]  # fmt: skip
"""What of a request or an answer a rule is about."""
PER_DELIVERY: frozenset[Stage] = frozenset({"stream", "contract"})
"""The stages of rules on reading whose verdict depends on how the bytes of an answer were cut."""

GROUPS: Mapping[str, tuple[str, ...]] = {
    "all": PROVIDERS,
    "chat": ("openai-chat", "azure", "xai", "deepseek", "mistral"),
}
"""Names for several providers at once, in a rule's ``providers``."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its words, and the check that finds out whether they hold.

    ``side`` says what is judged: the request that an adapter builds, or the turn that it reads. ``example`` is a small
    document that conforms, ``violation`` a JSON Patch (RFC 6902) on it that does not. ``profile`` is ``any``, or the
    only profile in which the rule applies. ``compares`` says that the provider rejects what breaks the rule, though the
    check compares the request with what the application meant, which no provider can know.
    """

    id: str
    level: Level
    consequence: Consequence
    profile: Literal["any", "portable", "native"]
    stage: Stage
    side: Side
    providers: tuple[str, ...]
    statement: str
    source: tuple[str, ...]
    since: str
    aliases: tuple[str, ...]
    example: Mapping[str, Any]
    violation: tuple[Mapping[str, Any], ...]
    notes: str
    not_observed: Mapping[str, str]
    """Why no scenario of ours shows the rule at work, for each provider of which that is so (``all``: everywhere)."""
    compares: bool = False

    @property
    def check(self) -> Check | None:
        """What finds out whether the rule holds, if its module is loaded."""
        return CHECKS.get(self.id)

    @property
    def family(self) -> str:
        """The wires that the rule is about: the first part of its id."""
        return self.id.partition(".")[0]

    @property
    def per_delivery(self) -> bool:
        """Whether the verdict depends on how the bytes of an answer were cut."""
        return self.side == "parse" and self.stage in PER_DELIVERY

    def applies_to(self, provider: str, profile: Profile) -> bool:
        """Whether the rule is about this provider, in this profile."""
        return provider in self.providers and self.profile in ("any", profile)


@cache
def catalogue() -> Mapping[str, Rule]:
    """Every rule by id, in the catalogue's order: ``common`` first, then provider by provider."""
    load_checks()
    order = ["common", "chat", "responses", "anthropic", "gemini", "ollama", "compatible", "unified"]
    files = resources.files("conformance.rules") / "catalogue"
    entries = [entry for name in order for entry in _load((files / f"{name}.yaml").read_bytes())]
    return {entry["id"]: _rule(entry) for entry in entries}


def load_checks() -> None:
    """Import the modules of all checks."""
    for module in pkgutil.iter_modules(checks.__path__):
        importlib.import_module(f"{checks.__name__}.{module.name}")


def find_rule(name: str) -> Rule | None:
    """The rule with this id, or with this former id."""
    rules = catalogue()
    return rules.get(name) or next((rule for rule in rules.values() if name in rule.aliases), None)


def _load(text: bytes) -> list[dict[str, Any]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    entries: list[dict[str, Any]] = yaml.load(text, Loader=loader)
    return entries


def _rule(entry: dict[str, Any]) -> Rule:
    providers = [provider for name in entry["providers"] for provider in GROUPS.get(name, (name,))]
    return Rule(
        id=entry["id"],
        level=entry["level"],
        consequence=entry["consequence"],
        profile=entry["profile"],
        stage=entry["stage"],
        side=entry["side"],
        providers=tuple(providers),
        statement=entry["statement"],
        source=tuple(entry["source"]),
        since=entry["since"],
        aliases=tuple(entry["aliases"]),
        example=entry["pass"],
        violation=tuple(entry["violate"]),
        notes=entry.get("notes", ""),
        not_observed=entry.get("not_observed", {}),
        compares=entry.get("compares", False),
    )
