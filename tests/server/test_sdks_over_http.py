"""The official SDKs, unmodified, play every scenario against the server over real sockets, blocking and streaming.

Each play is a session of a strict server. What the SDK understood is held against the script itself, as in the tests of
the wires, and the server must have had nothing to reject. Where an SDK is known to send back an oddity of a host that
imitates its provider (`sdk_expected`), the server is lenient, and that is all that it may report.

Hosts that imitate OpenAI are called by the same SDK as OpenAI itself. Over sockets they play what differs from host to
host, and the first scenario of every other family; `sdk/test_sdks` plays all of them on every host.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sdk_expected import EXPECTED
from sdk_truth import reading_problems
from wired import SHIMS, WiredSeat

from conformance.capabilities import SWITCHED_ON
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

DIFFERING = ("errors", "quirks", "reasoning")
"""The families of what hosts say each in their own way."""
IMITATORS = [provider for provider, shim in SHIMS.items() if shim == "openai" and provider != "openai-chat"]


def scenarios_of(provider: str) -> Iterator[Scenario]:
    """What to play on a provider."""
    families: set[str] = set()
    for scenario in load_scenarios().values():
        if fits(scenario, provider, scenario.profile or "native") and not (
            scenario.needs & SWITCHED_ON or scenario.has_changes
        ):
            if provider not in IMITATORS or scenario.family in DIFFERING or scenario.family not in families:
                yield scenario
            families.add(scenario.family)


CASES = [(provider, scenario) for provider in SHIMS for scenario in scenarios_of(provider)]


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


@pytest.mark.parametrize(("provider", "scenario"), CASES, ids=[f"{provider}-{item.id}" for provider, item in CASES])
def test_the_sdk_completes_the_scenario(
    strict: Running, lenient: Running, provider: str, scenario: Scenario
) -> None:
    wrong: list[str] = []
    sends_odd = any(entry.covers(provider, scenario.id, "sent:blocking") for entry in EXPECTED)
    server = lenient if sends_odd else strict
    for delivery in ("blocking", "stream:per-event"):
        if delivery == "blocking" and scenario.streams_only:
            continue
        known = [entry.says for entry in EXPECTED if any(
            entry.covers(provider, scenario.id, f"{side}:{delivery}") for side in ("sent", "read")
        )]  # fmt: skip
        problems = played(server, provider, scenario, delivery)
        wrong += [f"{delivery} {problem}" for problem in problems if not any(says in problem for says in known)]
    assert not wrong, "\n".join(wrong)
