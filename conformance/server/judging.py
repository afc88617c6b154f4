"""Judging a request, and refusing it as the provider would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

from conformance.engine.evidence import bounded
from conformance.http import Response
from conformance.model import Conversation, Json, Profile, compact_json, to_json
from conformance.rules import Rule, catalogue
from conformance.rules.check import Finding
from conformance.rules.evidence import ShownConsequence
from conformance.rules.hosts import FindingWeight, weight
from conformance.rules.judge import judge
from conformance.rules.shared.shape import request_findings
from conformance.server.failures import failure
from conformance.transcript import Exchange

REFUSED: frozenset[ShownConsequence] = frozenset({"rejected", "presumed"})
"""What a strict server turns away: what is refused for certain, and probably."""
MOST = 20
"""How many findings of one rule are kept."""
SHOWN = 200
"""How many characters of an expected or found value an error message shows."""


@dataclass(frozen=True, slots=True)
class RequestFinding:
    """One thing that is wrong with a request. ``at`` is a JSON pointer into its body.

    ``refused`` says that the provider would not take it: it sees this itself, without knowing what the client meant.
    ``about_key`` says that no key was sent: providers look for it before they look at anything else.
    """

    rule: Rule
    at: str
    expected: Json
    found: Json
    weight: FindingWeight
    refused: bool = False
    about_key: bool = False

    def document(self) -> dict[str, Json]:
        """As JSON."""
        return {
            "rule": self.rule.id,
            "level": self.rule.level,
            **self.weight.members(),
            "refused": self.refused,
            "at": self.at,
            "expected": self.expected,
            "found": self.found,
        }


@dataclass(frozen=True, slots=True)
class RequestJudgement:
    """What all rules say: how many things each examined, and what is wrong.

    ``unseen`` is what the provider rejects too, though no rule tells it: another one has named the mistake.
    """

    checked: dict[str, int]
    found: tuple[RequestFinding, ...] = ()
    unseen: tuple[RequestFinding, ...] = ()

    @property
    def rejected(self) -> list[RequestFinding]:
        """What the provider rejects, the most telling first: rules about one thing say more than whole shapes."""
        return sorted((item for item in (*self.found, *self.unseen) if item.refused), key=_telling)

    @property
    def told(self) -> list[RequestFinding]:
        """All that is wrong, what the provider rejects first."""
        return [*self.rejected, *(item for item in self.found if not item.refused)]


def _telling(item: RequestFinding) -> tuple[bool, bool, bool]:
    return not item.about_key, item.rule.stage == "shape", item.rule.family == "common"


@cache
def build_rules(provider: str, profile: Profile) -> tuple[Rule, ...]:
    """The rules about building requests."""
    rules = catalogue().values()
    return tuple(
        rule for rule in rules if rule.side == "build" and rule.check is not None and rule.applies_to(provider, profile)
    )


KNOWN_BY_CALLS = frozenset({"common.history.calls-kept", "common.naming.wire-name-in-history"})
"""Rules that compare nothing but calls with their replays: what was called is known, whatever else was meant."""


def judged(exchange: Exchange, meant: Conversation, issued: Conversation | None = None) -> RequestJudgement:
    """Judge the request of an exchange. Of a rule that compares, the provider rejects what is still wrong when nobody
    knows what was meant.

    ``meant`` is what the scenario would have the client say. Rules about HTTP take it for the exchange's intent: that
    this is a request of the client's own, and no recording, is all that they want to know. ``issued`` holds the calls
    that the request replays, as they were given out, where the rest of what was meant is not known.
    """
    checked: dict[str, int] = {}
    found: list[RequestFinding] = []
    unseen: list[RequestFinding] = []
    for rule in build_rules(exchange.provider, exchange.profile):
        subject = exchange
        if rule.stage == "http" and exchange.intent is None:
            subject = replace(exchange, intent=meant)
        elif rule.id in KNOWN_BY_CALLS and exchange.intent is None:
            subject = replace(exchange, intent=issued)
        verdicts = judge(rule, subject)
        wrong = [item for item in verdicts if item is not None]
        if verdicts:
            checked[rule.id] = len(verdicts)
        if rule.compares and subject.intent is not None:
            seen = [item for item in judge(rule, replace(exchange, intent=None)) if item is not None]
            places = {item.at for item in seen}
            found += [_of(rule, item, exchange, item.at in places) for item in wrong[:MOST]]
            unseen += [_of(rule, item, exchange, True) for item in seen[:MOST] if item not in wrong]
        else:
            found += [_of(rule, item, exchange, True) for item in wrong[:MOST]]
    return RequestJudgement(checked, tuple(found), (*unseen, *_misshapen(exchange, found)))


def _misshapen(exchange: Exchange, found: list[RequestFinding]) -> Iterator[RequestFinding]:
    """What has not the type that it should have, where the rule about that leaves the telling to another rule, and
    that one's breach is only lost."""
    own = next((rule for rule in build_rules(exchange.provider, exchange.profile) if rule.stage == "shape"), None)
    lost, refused = ([item.at for item in found if item.at and item.refused is state] for state in (False, True))
    if own is None or not lost:
        return
    for item in islice(request_findings(exchange.provider, exchange.facts.document), MOST):
        if _touches(item.at, lost) and not _touches(item.at, refused):
            yield _of(own, item, exchange, True)


def _touches(at: str, places: list[str]) -> bool:
    """Whether a pointer leads to, into or around one of the places."""
    return any(_inside(at, place) or _inside(place, at) for place in places)


def _inside(inner: str, outer: str) -> bool:
    return f"{inner}/".startswith(f"{outer}/")


def _of(rule: Rule, item: Finding, exchange: Exchange, seen: bool) -> RequestFinding:
    """A finding. ``seen`` says that the provider sees the mistake, and refuses what it does not take."""
    told = weight(rule, item, exchange)
    refused = seen and told.consequence in REFUSED
    return RequestFinding(rule, item.at, _plain(item.expected), _plain(item.found), told, refused, item.about_key)


def _plain(value: Json) -> Json:
    return bounded(to_json(value))


def refusal(provider: str, rejected: list[RequestFinding]) -> Response:
    """The provider's own error, with the rules' ids and the place of the first finding in its message.

    401 when there is no key, else 400. Paths that are wrong do not come this far.
    """
    status = 401 if rejected[0].about_key else 400
    return failure(provider, status, " ".join(_words(rejected)))


def _words(rejected: list[RequestFinding]) -> Iterator[str]:
    first = rejected[0]
    yield words(first)
    if first.weight.consequence == "presumed":
        yield "(Probably refused: no record says that the provider does.)"
    others = dict.fromkeys(item.rule.id for item in rejected if item.rule is not first.rule)
    if others:
        yield f"Also: {', '.join(others)}."


def words(item: RequestFinding) -> str:
    """A finding in one line: the rule and the place, what was expected and found, and the rule's sentence."""
    expected, found = _short(item.expected), _short(item.found)
    return f"{item.rule.id} at {item.at or '/'}: expected {expected}, found {found}. {item.rule.statement}"


def _short(value: Json) -> str:
    text = value if isinstance(value, str) else compact_json(value)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
