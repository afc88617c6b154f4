"""What is counted, and what is excused: ``scope.yaml`` and ``reasons.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

import yaml

from conformance.coverage.forms import Reason, side_of
from conformance.wires import card

RefusalEvidence = Literal["refused", "documented", "placed"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Forms that a provider refuses, and how that is known; what the words mean stands in ``scope.yaml``."""

    forms: tuple[str, ...]
    evidence: RefusalEvidence
    source: str
    quote: str | None = None

    def __post_init__(self) -> None:
        if self.evidence not in get_args(RefusalEvidence):
            words = ", ".join(get_args(RefusalEvidence))
            raise ValueError(f"{self.evidence!r} is no evidence of a refusal: use one of {words}")


@dataclass(frozen=True, slots=True)
class Excuse:
    """Why some forms are not covered."""

    forms: tuple[str, ...]
    reason: Reason
    link: str | None = None

    def __post_init__(self) -> None:
        if self.reason not in get_args(Reason):
            raise ValueError(f"{self.reason!r} is no reason: use one of {', '.join(get_args(Reason))}")
        if (self.reason == "deprecated") != (self.link is not None):
            raise ValueError(f"{self.forms[0]}: 'deprecated' has a link, and nothing else has")


def is_counted(provider: str, form: str) -> bool:
    """Whether a form counts: of requests only what is about tools, and what the provider does not refuse."""
    if side_of(form) != "request":
        return True
    scope = _read("scope")[card(provider).format]
    return matches(form, scope["in"]) and not matches(form, scope["not"]) and not is_refused(provider, form)


def is_refused(provider: str, form: str) -> bool:
    """Whether a provider refuses a form."""
    return any(matches(form, refusal.forms) for refusal in refusals(provider))


@cache
def refusals(provider: str) -> Sequence[Refusal]:
    """What a provider refuses in its format, group by group."""
    return [
        Refusal(tuple(entry["forms"]), entry["evidence"], entry["source"], entry.get("quote"))
        for entry in _read("scope")[card(provider).format].get("refused", ())
    ]


def reason_for(provider: str, form: str) -> Reason | None:
    """The reason why a form is not covered, if one is given."""
    return next((excuse.reason for excuse in excuses(provider) if matches(form, excuse.forms)), None)


@cache
def excuses(provider: str) -> Sequence[Excuse]:
    """The reasons that are given for a provider's format."""
    return [
        Excuse(tuple(entry["forms"]), entry["reason"], entry.get("link"))
        for entry in _read("reasons").get(card(provider).format, ())
    ]


def matches(form: str, globs: Iterable[str]) -> bool:
    """Whether one of the globs matches. Brackets mean themselves."""
    return any(_pattern(glob).fullmatch(form) for glob in globs)


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, glob.split("*"))))


@cache
def _read(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml.safe_load((resources.files(__package__) / f"{name}.yaml").read_text("utf-8"))
    return found
