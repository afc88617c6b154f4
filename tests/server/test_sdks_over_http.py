"""The official SDKs, unmodified, play every scenario against the server over real sockets, blocking and streaming.

Each play is a session of a strict server. What the SDK understood is held against the script itself, as in the tests of
the wires, and the server must have had nothing to reject. Where an SDK is known to send back an oddity of a host that
imitates its provider (`sdk_expected`), the server is lenient, and that is all that it may report.

Over sockets, providers play as a stream what is said in a provider's own way, and the first scenarios of every other
family; blocking what is said in an own way, and the first one. Hosts that imitate OpenAI are called by the same SDK as
OpenAI itself: they play their quirks, and the first of each family. All of it is played in both ways by
`sdk/test_sdks`, by hosts what may differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from every import every
from sdk_expected import EXPECTED
from sdk_truth import reading_problems
from wired import SHIMS, WiredSeat

from conformance.capabilities import UNCLAIMED
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import fits
from conformance.model import Profile
from conformance.responders import ScriptedResponder
from conformance.scenarios import Scenario, load_scenarios
from conformance.server import Running
from conformance.session.play import Play

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings", "ignore:.* is not a valid FinishReason"),
]

STREAMED = ("stream:per-event",)
DIFFERING = ("errors", "quirks", "reasoning")
"""The families of what hosts say each in their own way."""
IMITATORS = [provider for provider, shim in SHIMS.items() if shim == "openai" and provider != "openai-chat"]


FEW = 3
"""How many scenarios of each other family providers play."""


def scenarios_of(provider: str) -> Iterator[tuple[Scenario, tuple[str, ...]]]:
    """What to play on a provider, and in which deliveries."""
    families: Counter[str] = Counter()
    own = ("quirks",) if provider in IMITATORS else DIFFERING
    for scenario in load_scenarios().values():
        if fits(scenario, provider, scenario.profile or "native") and not (
            scenario.needs & UNCLAIMED or scenario.has_changes
        ):
            families[scenario.family] += 1
            place = families[scenario.family]
            if scenario.family in own or place == 1:
                yield scenario, STREAMED if scenario.streams_only else ("blocking", *STREAMED)
            elif place <= FEW and provider not in IMITATORS:
                yield scenario, STREAMED


FAMILIES: dict[str, tuple[str, dict[str, tuple[Scenario, tuple[str, ...]]]]] = {}
"""The scenarios of one family on one provider are one test."""
for _provider in SHIMS:
    for _scenario, _deliveries in scenarios_of(_provider):
        _own = FAMILIES.setdefault(f"{_provider}-{_scenario.family}", (_provider, {}))[1]
        _own[_scenario.id] = (_scenario, _deliveries)


def played(server: Running, provider: str, scenario: Scenario, delivery: str) -> Iterator[str]:
    """Play a scenario, and say what is wrong: ``sent: ...`` or ``read: ...``."""
    profile: Profile = scenario.profile or "native"
    session = f"{provider}/{delivery}".replace("/", "-")
    seat = WiredSeat(provider, server, scenario.id, f"{session}-{scenario.id}")
    before = server.log.total
    play = Play(scenario, provider, profile, DELIVERIES[delivery], seat, ScriptedResponder(scenario, provider))
    exchanges = play.run()
    for entry in list(server.log.entries)[before - server.log.total :]:
        yield from (f"sent: {item.rule.id} at {item.at}" for item in entry.served.judgement.rejected)
    for place, exchange in enumerate(exchanges):
        found = list(reading_problems(exchange, scenario.answers[place], f"{scenario.id}/{place}"))
        yield from (f"read: {problem}" for problem in found)
        if found:
            return


@pytest.mark.parametrize(("provider", "scenarios"), FAMILIES.values(), ids=FAMILIES)
def test_the_sdk_completes_the_scenario(
    strict: Running, lenient: Running, provider: str, scenarios: dict[str, tuple[Scenario, tuple[str, ...]]]
) -> None:
    every({name: (strict, lenient, provider, *one) for name, one in scenarios.items()}, is_completed)


def is_completed(
    strict: Running, lenient: Running, provider: str, scenario: Scenario, deliveries: tuple[str, ...]
) -> None:
    wrong: list[str] = []
    sends_odd = any(entry.covers(provider, scenario.id, "sent:blocking") for entry in EXPECTED)
    server = lenient if sends_odd else strict
    for delivery in deliveries:
        known = [entry.says for entry in EXPECTED if any(
            entry.covers(provider, scenario.id, f"{side}:{delivery}") for side in ("sent", "read")
        )]  # fmt: skip
        problems = played(server, provider, scenario, delivery)
        wrong += [f"{delivery} {problem}" for problem in problems if not any(says in problem for says in known)]
    assert not wrong, "\n".join(wrong)
