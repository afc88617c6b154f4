"""The verdicts of all rules on an exchange, without asking twice.

The deliveries of a scenario differ only in how the bytes of the answers are cut. So the adapter mostly builds the same
requests and understands the same turns again, and verdicts are used again when everything that they depend on is
equal. Only rules about streams look at the cuts themselves and are asked every time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json, Profile
from conformance.rules import Rule, rules_about
from conformance.rules.check import Finding
from conformance.rules.judge import judge
from conformance.transcript import Exchange


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says about one exchange: how many things it examined, and which of them are wrong."""

    rule: Rule
    checked: int
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Built:
    """What verdicts on a request depend on."""

    request: Request
    intent: Conversation | None
    answer_before: Json
    streaming: bool
    turns: list[tuple[AssistantTurn | None, bool]]
    """What was understood of the answers before, and whether they were streams."""
    fate: tuple[object, ...]
    """How it was taken by a real provider, or by recordings."""
    verdicts: list[Verdict]


@dataclass(slots=True)
class _Read:
    """What verdicts on the reading of an answer depend on."""

    answer: Json
    turns: list[AssistantTurn | None]
    """What was understood, this turn's blocking twin first, then this turn and all before it."""
    verdicts: list[Verdict]


@dataclass
class GroupJudge:
    """Judges the exchanges of one group: one provider, one scenario."""

    rules: list[Rule]
    provider: str
    profile: Profile
    _build: list[Rule] = field(init=False)
    _read: list[Rule] = field(init=False)
    _stream: list[Rule] = field(init=False)
    _built: dict[int, list[_Built]] = field(default_factory=dict)
    _seen: dict[int, list[_Read]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = rules_about(self.rules, self.provider, self.profile)
        self._build = [rule for rule in own if rule.side == "build"]
        self._stream = [rule for rule in own if rule.per_delivery]
        self._read = [rule for rule in own if rule.side == "parse" and not rule.per_delivery]

    def of(self, exchange: Exchange, place: int) -> Iterator[Verdict]:
        """The verdicts on the model call number ``place``. Rules that examined nothing are left out."""
        if isinstance(exchange.request, Request):
            yield from self._on_request(exchange, exchange.request, place)
        yield from self._on_reading(exchange, place)
        yield from _ask(self._stream, exchange)

    def _on_request(self, exchange: Exchange, request: Request, place: int) -> list[Verdict]:
        known = self._built.setdefault(place, [])
        before = exchange.previous.answer if exchange.previous is not None else None
        streaming = exchange.delivery is not None and exchange.delivery.streaming
        turns = [(earlier.turn, earlier.streamed) for earlier in exchange.earlier]
        fate = (exchange.response and exchange.response.status, exchange.unanswered, exchange.unused)
        for one in known if not exchange.variants else ():
            same = one.request == request and one.intent == exchange.intent and one.streaming == streaming
            if same and one.fate == fate and one.answer_before == before and one.turns == turns:
                return one.verdicts
        verdicts = list(_ask(self._build, exchange))
        known.append(_Built(request, exchange.intent, before, streaming, turns, fate, verdicts))
        return verdicts

    def _on_reading(self, exchange: Exchange, place: int) -> list[Verdict]:
        turns = [exchange.twin, exchange.turn, *(earlier.turn for earlier in exchange.earlier)]
        known = self._seen.setdefault(place, [])
        for one in known:
            if one.answer is exchange.answer and one.turns == turns:
                return one.verdicts
        verdicts = list(_ask(self._read, exchange))
        if exchange.turn is not None:
            known.append(_Read(exchange.answer, turns, verdicts))
        return verdicts


def _ask(rules: list[Rule], exchange: Exchange) -> Iterator[Verdict]:
    for rule in rules:
        verdicts = judge(rule, exchange)
        if verdicts:
            yield Verdict(rule, len(verdicts), tuple(item for item in verdicts if item is not None))
