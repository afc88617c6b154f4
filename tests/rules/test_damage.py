"""An event that arrives broken: who tells it is not charged, by any rule; who passes it over is, by one."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import fits
from conformance.http import StreamEvent
from conformance.model import AssistantTurn, Conversation, ProviderError
from conformance.mutants.lies.streams import PassesOverDamage
from conformance.mutants.trace import Trace, TraceCase
from conformance.responders.damage import damaged
from conformance.scenarios import load_scenarios
from conformance.script import ScriptTurn, Voice
from conformance.wires import PROVIDERS, wire
from conformance.wires.base import is_damaged

SCENARIOS = [scenario for scenario in load_scenarios().values() if scenario.is_damaged]
RULE = "common.stream.damage-not-passed-over"


class Raises(ReferenceAdapter):
    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        raise ValueError("that is no JSON")


class Fails(ReferenceAdapter):
    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        return AssistantTurn(stop="error", error=ProviderError("that is no JSON"))


def blaming(adapter: ReferenceAdapter, provider: str) -> set[str]:
    """The rules that blame the adapter in all scenarios with damage."""
    trace, found = Trace(provider, scenarios={scenario.id: scenario for scenario in SCENARIOS}), set()
    for scenario in SCENARIOS:
        if fits(scenario, provider, "portable"):
            case = TraceCase(scenario.id, "portable", "stream:per-event")
            exchanges = trace.play(adapter, case, ())
            assert any(exchange.damaged for exchange in exchanges)
            own = trace.verdicts(case, exchanges, [rule for rule in trace.rules if provider in rule.providers])
            found |= {verdict.rule.id for verdict in own if verdict.findings}
    return found


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("adapter", [ReferenceAdapter, Raises, Fails])
def test_who_tells_it_is_not_charged(provider: str, adapter: type[ReferenceAdapter]) -> None:
    assert blaming(adapter(), provider) == set()


@pytest.mark.parametrize("provider", PassesOverDamage.providers)
def test_who_passes_it_over_is_charged_once(provider: str) -> None:
    assert blaming(PassesOverDamage(), provider) == {RULE}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_event_is_broken_and_it_is_not_the_last(provider: str) -> None:
    speaker = wire(provider)
    for scenario in SCENARIOS:
        says = scenario.answers[0]
        assert isinstance(says, ScriptTurn)
        names = {tool.name: tool.name for tool in scenario.tools}
        events: list[StreamEvent] = speaker.render_stream(says, Voice("m", names, "x"))
        found = [place for place, event in enumerate(damaged(speaker, events)) if is_damaged(event)]
        assert len(found) == 1 and found[0] < len(events) - 1


def test_it_is_played_event_by_event_and_whole() -> None:
    assert {"stream:whole", "stream:per-event"} <= DELIVERIES.keys()
