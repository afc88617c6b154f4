"""The proof that our wires are true, by those who know the providers best: their official SDKs.

Every scenario is played on every provider that has an SDK, with the SDK as the adapter. It builds the requests, is
given the bytes that our wire renders, and what it understood is held against the script itself: the text, the calls
with their ids and arguments, how the turn ended, what it cost, the errors with their status and message. Streams are
read whole, and cut inside characters; one of each family event by event; a few in every delivery there is. The
requests that the SDK builds are read by our wire: no rule whose breach a provider rejects may find anything in them,
and what they were built from must be found in them again.

Hosts that imitate OpenAI are called by the same SDK, and answered by the same code, as OpenAI itself: they play what
hosts say each in their own way, and the first scenario of every other family.

What does not work, and why, is in `sdk_expected`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache

import pytest
from every import every
from sdk_expected import EXPECTED, Expected
from sdk_truth import reading_problems, request_problems

from conformance.adapters.bound import BoundClient
from conformance.adapters.contract import Client
from conformance.adapters.libraries import LIBRARIES, load_shim
from conformance.capabilities import UNCLAIMED
from conformance.deliveries import DELIVERIES, Delivery
from conformance.engine.cases import fits
from conformance.http import frame
from conformance.model import Profile
from conformance.responders import ScriptedResponder
from conformance.rules import Rule, catalogue
from conformance.scenarios import Scenario, load_scenarios
from conformance.session.client import ClientSeat
from conformance.session.play import Play
from conformance.transcript import Exchange
from conformance.wires import cards, wire

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings", "ignore:.* is not a valid FinishReason"),
]

SDKS = {one.id: one.sdk for one in cards() if one.sdk is not None}
"""For each provider the name of the shim around its SDK."""
PACKAGES = {"google-genai": "google.genai"}
"""The packages that are not called as their distribution is."""

THOROUGH = ("parallel_calls.text_beside_calls", "write_file.emoji")
"""The scenarios whose streams are read in every delivery."""

FIRST = {scenario.family: scenario.id for scenario in reversed(load_scenarios().values())}
"""The first scenario of each family: its streams are read event by event."""

PROFILES: tuple[Profile, ...] = ("portable", "native")


def profiles(scenario: Scenario, provider: str) -> list[Profile]:
    """The profiles in which to play: the native one too where it makes another request."""
    fitting = [profile for profile in PROFILES if fits(scenario, provider, profile)]
    return fitting if "image_results" in scenario.needs else fitting[:1]


DIFFERING = ("errors", "quirks", "reasoning")
"""The families of what hosts say each in their own way."""


def is_played(scenario: Scenario, provider: str) -> bool:
    """Whether a host plays a scenario, or it is no host's copy of what its format's provider says."""
    is_own = SDKS[provider] != "openai" or provider == "openai-chat"
    return is_own or scenario.family in DIFFERING or scenario.id in FIRST.values()


CASES = [
    (provider, scenario)
    for provider in SDKS
    for scenario in load_scenarios().values()
    if profiles(scenario, provider) and not scenario.has_changes and not scenario.needs & UNCLAIMED
    and is_played(scenario, provider)
]


FAMILIES: dict[str, tuple[str, list[Scenario]]] = {}
"""The scenarios of one family on one provider are one test."""
for _provider, _scenario in CASES:
    FAMILIES.setdefault(f"{_provider}-{_scenario.family}", (_provider, []))[1].append(_scenario)


@cache
def shim(name: str) -> Client:
    """The shim around an SDK, made once; its tests are skipped where the SDK is not installed."""
    distribution = LIBRARIES[name].distribution
    pytest.importorskip(PACKAGES.get(distribution, distribution))
    made: Client = load_shim(name)()
    return made


@dataclass
class Trial:
    """One scenario on one provider in one profile, with the problems found in what was sent and read, by delivery."""

    provider: str
    scenario: Scenario
    profile: Profile
    sdk: Client
    problems: dict[str, list[str]] = field(default_factory=dict)

    def play(self) -> None:
        """Play it blocking and as a stream, and read the stream again in other cuts."""
        responder = ScriptedResponder(self.scenario, self.provider)
        for name in ("blocking", "stream:whole"):
            if name == "blocking" and self.scenario.streams_only:
                continue
            if not any(name.partition(":")[0] == one.partition(":")[0] for one in self.scenario.deliveries or (name,)):
                continue
            play = Play(self.scenario, self.provider, self.profile, DELIVERIES[name], self._seat(), responder)
            play.run()
            self._judge(name, play.exchanges)
            if name != "blocking":
                self._read_again(play.exchanges)

    def _seat(self) -> ClientSeat:
        return ClientSeat(BoundClient(self.sdk, self.provider), self.provider)

    def _judge(self, delivery: str, exchanges: list[Exchange]) -> None:
        """Judge the exchanges. Those after one that was misread are about something else, and left out."""
        sent: list[str] = []
        read: list[str] = []
        self.problems |= {f"sent:{delivery}": sent, f"read:{delivery}": read}
        rules = rejecting(self.provider, self.profile)
        for place, exchange in enumerate(exchanges):
            sent += request_problems(exchange, rules)
            read += self._misread(place, exchange)
            if read:
                return

    def _misread(self, place: int, exchange: Exchange) -> Iterator[str]:
        says, seed = self.scenario.answers[place], f"{self.scenario.id}/{place}"
        yield from reading_problems(exchange, says, seed)

    def _read_again(self, exchanges: list[Exchange]) -> None:
        for place, exchange in enumerate(exchanges):
            for delivery in self._other_deliveries(exchange):
                assert exchange.events is not None
                assert exchange.intent is not None
                assert delivery.cut is not None
                chunks = delivery.cut(frame(exchange.events, wire(self.provider).card.framings[0], delivery.style))
                understood = self._seat().read(chunks, exchange.intent, delivery)
                found = self._misread(place, replace(exchange, understood=understood))
                self.problems.setdefault(f"read:{delivery.name}", []).extend(found)

    def _other_deliveries(self, exchange: Exchange) -> Iterator[Delivery]:
        """The deliveries in which the answer is read again. Of a stream without multi-byte characters none are cut."""
        if exchange.events is None or exchange.request is None:
            return
        framing = wire(self.provider).card.framings[0]
        for delivery in DELIVERIES.values():
            if not delivery.streaming or delivery.framing is not None or framing not in delivery.framings:
                continue
            cuts = delivery.name == "stream:utf8-split" and not all(event.data.isascii() for event in exchange.events)
            by_event = delivery.name == "stream:per-event" and self.scenario.id in FIRST.values()
            if cuts or by_event or self.scenario.id in THOROUGH:
                yield delivery


@cache
def rejecting(provider: str, profile: Profile) -> list[Rule]:
    """The rules on requests whose breach the provider rejects."""
    rules = catalogue().values()
    return [
        rule
        for rule in rules
        if rule.side == "build" and rule.consequence == "rejected" and rule.applies_to(provider, profile)
    ]


@pytest.mark.parametrize(("provider", "scenarios"), FAMILIES.values(), ids=FAMILIES)
def test_the_sdk_understands_what_the_script_says(provider: str, scenarios: list[Scenario]) -> None:
    sdk = shim(SDKS[provider])
    every({scenario.id: (sdk, provider, scenario) for scenario in scenarios}, is_understood)


def is_understood(sdk: Client, provider: str, scenario: Scenario) -> None:
    wrong: list[str] = []
    for profile in profiles(scenario, provider):
        trial = Trial(provider, scenario, profile, sdk)
        trial.play()
        for mode, problems in trial.problems.items():
            expected = [entry for entry in EXPECTED if entry.covers(provider, scenario.id, mode)]
            seen = [entry for entry in expected if any(entry.says in problem for problem in problems)]
            stale = [entry for entry in expected if entry not in seen]
            new = [problem for problem in problems if not any(entry.says in problem for entry in expected)]
            wrong += [f"{profile} {mode}: {problem}" for problem in new]
            wrong += [f"{profile} {mode}: works now, so it is no more to be expected: {entry.why}" for entry in stale]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("entry", EXPECTED, ids=[f"{entry.provider}-{entry.scenario}" for entry in EXPECTED])
def test_every_expectation_is_about_something(entry: Expected) -> None:
    modes = [f"{side}:{delivery}" for side in ("sent", "read") for delivery in DELIVERIES]
    assert any(entry.covers(provider, scenario.id, mode) for provider, scenario in CASES for mode in modes)


@pytest.mark.parametrize("provider", SDKS)
def test_there_are_rules_to_hold_the_requests_against(provider: str) -> None:
    rules = rejecting(provider, "portable")
    assert len(rules) >= 8
    assert all(rule.check is not None for rule in rules)
