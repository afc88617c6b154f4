"""The rules, by family: words (``<family>/<topic>.yaml``) beside checks (``<family>/<topic>.py``), bound by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from types import ModuleType
from typing import Any, Literal

from conformance.model import Json, Profile
from conformance.rules.check import CHECKS, Check
from conformance.rules.evidence import (
    Consequence,
    Evidence,
    EvidenceClass,
    ShownConsequence,
    error_words,
    read_evidence,
    shown_consequence,
)
from conformance.rules.families import families, prefixes
from conformance.rules.groups import members
from conformance.rules.pairs import Words, bound_words, import_checks, import_family, switch_words
from conformance.transcript import ReadingName, Switch, VariantName
from conformance.wires import card, host_file

Level = Literal["must", "should", "may"]
Side = Literal["build", "parse"]
Stage = Literal[
    "declare", "naming", "choose", "history", "result", "binary", "ids", "continuation", "http", "shape",
    "parse", "error", "stream", "contract",
]  # fmt: skip
"""What of a request or an answer a rule is about."""
PER_DELIVERY: frozenset[Stage] = frozenset({"stream", "contract"})
"""The stages of rules on reading whose verdict depends on how the bytes of an answer were cut."""
PLAYED: Mapping[Profile, tuple[Profile, ...]] = {"native": ("native",), "portable": ("portable", "native")}
"""The profiles of conversations in a run: the portable one plays what makes sense only natively as it is."""
OTHER_PROFILE = "the conversations that show it are portable ones in this run: see a run of the native profile"

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
    evidence: Mapping[str, Evidence]
    """By provider. For one that is not in it, nothing was found or looked up."""
    not_observed: Mapping[str, str]
    """Why no scenario of ours shows the rule at work, for each provider of which that is so (``all``: everywhere)."""
    compares: bool = False
    varies: VariantName | None = None
    """What is changed in the conversation for a second request, with which the first is compared."""
    near: ReadingName | None = None
    """Near which other conversation a stream is read once more, to be compared with the same stream alone."""
    hears_news: bool = False
    """Whether it is about what an adapter tells while a stream is open."""
    excused_after: frozenset[Switch] = frozenset()
    """The switches after which the rule asks for nothing of what was said before: ``after_switch`` in its words."""

    def evidence_data(self) -> dict[str, dict[str, str]]:
        """The evidence by provider, as JSON."""
        return {provider: one.as_data() for provider, one in self.evidence.items()}

    def evidence_class(self, provider: str) -> EvidenceClass | None:
        """What the rule rests on at a provider. Nothing known counts as presumed where the rule says rejected."""
        one = self.evidence.get(provider)
        return one.class_ if one else "presumed" if self.consequence == "rejected" else None

    def shown_consequence(self, provider: str) -> ShownConsequence:
        """What is told of a finding at a provider: what it refuses for certain is ``rejected``."""
        return shown_consequence(self.consequence, self.evidence.get(provider)) or self.consequence

    def is_told(self, provider: str) -> bool:
        """Whether a finding is told at the provider: not where it accepts what the rule asks, and nothing is lost."""
        known = self.evidence.get(provider)
        return provider in self.providers and shown_consequence(self.consequence, known) is not None

    def predicts(self, error: Json) -> bool:
        """Whether a provider's error gives breaking this rule as its reason."""
        words = error_words(error)
        return any(one.error.matches(words) for one in self.evidence.values() if one.error is not None)

    @property
    def check(self) -> Check | None:
        """What finds out whether the rule holds. ``None`` for a rule that is not one of ours."""
        load_checks()
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
        """Whether the rule is about this provider or host, in this profile: not where the provider accepts it.

        A rule of another provider is about a host, too, if its file says that it refuses the same.
        """
        return bool(rules_about([self], provider, profile))

    def is_played_in(self, provider: str, run: Profile) -> bool:
        """Whether a run in this profile has conversations that the rule is about: see `PLAYED`."""
        return any(self.applies_to(provider, profile) for profile in PLAYED[run])

    def why_idle(self, provider: str, run: Profile) -> str | None:
        """Why a run in this profile may show nothing of the rule, where that is known. ``provider`` is a format's."""
        known = self.not_observed.get(provider) or self.not_observed.get("all")
        return known or (OTHER_PROFILE if self.profile not in ("any", run) else None)


def rules_about(rules: Iterable[Rule], provider: str, profile: Profile) -> list[Rule]:
    """The rules that apply to a provider or host, in a profile."""
    told_as, file = card(provider).provider, host_file(provider)
    own = [rule for rule in rules if rule.profile in ("any", profile)]
    return [rule for rule in own if rule.is_told(told_as) or (file is not None and file.names(rule.id))]


@cache
def catalogue() -> Mapping[str, Rule]:
    """Every rule by id, in the order in which rules are listed.

    Raises `conformance.rules.pairs.PairError` for words without a check and for a check without words.
    """
    return {words["id"]: _rule(words) for words in bound_words(_families())}


@cache
def load_checks() -> None:
    """Import the modules of all checks, which takes longer than reading the words of the rules."""
    for family in _families():
        import_checks(family)


def load_checks_of(rules: Iterable[Rule]) -> None:
    """Import the modules with the checks of these rules, and with those that hold for all: on one provider a third."""
    known = {"compat": "compatible", **{first: one.family for first, one in prefixes().items()}}
    for family in dict.fromkeys(["common", *(known[rule.family] for rule in rules if rule.family in known)]):
        import_checks(import_family(f"{__name__}.{family}"))


def find_rule(name: str) -> Rule | None:
    """The rule with this id, or with this former id."""
    rules = catalogue()
    return rules.get(name) or next((rule for rule in rules.values() if name in rule.aliases), None)


def rule_names() -> list[str]:
    """The ids of all rules, former ids after those of today."""
    rules = catalogue()
    return [*rules, *(alias for rule in rules.values() for alias in rule.aliases)]


@cache
def names_of(name: str) -> tuple[str, ...]:
    """All names of the rule called ``name``: its id, then its former ids. ``name`` alone if no rule has it."""
    rule = find_rule(name)
    return (rule.id, *rule.aliases) if rule is not None else (name,)


def is_called(name: str, globs: Iterable[str]) -> bool:
    """Whether one of the globs matches the rule's id or one of its former ids."""
    return any(fnmatchcase(known, glob) for glob in globs for known in names_of(name))


def _families() -> list[ModuleType]:
    return [import_family(f"{__name__}.{family}") for family in families()]


def _rule(words: Words) -> Rule:
    return Rule(
        id=words["id"],
        level=words["level"],
        consequence=words["consequence"],
        profile=words["profile"],
        stage=words["stage"],
        side=words["side"],
        providers=members(words["providers"]),
        statement=words["statement"],
        source=tuple(words["source"]),
        since=words["since"],
        aliases=tuple(words.get("aliases", ())),
        example=words["pass"],
        violation=tuple(words["violate"]),
        notes=words.get("notes", ""),
        evidence=dict(_evidence(words.get("evidence", ()))),
        not_observed=words.get("not_observed", {}),
        compares=words.get("compares", False),
        varies=words.get("varies"),
        near=words.get("near"),
        hears_news=words.get("hears_news", False),
        excused_after=frozenset(switch for switch, word in switch_words(words).items() if word == "excused"),
    )


def _evidence(records: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, Evidence]]:
    """One record may be about several providers."""
    for record in records:
        one = read_evidence(record)
        yield from ((provider, one) for provider in members(record["providers"]))
