"""A wrong adapter fails on the rule that names its fault, and not on a dozen others.

Of each family of scenarios the first ones are played, and those that are for the rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
import wrong_adapters

from conformance.adapters.addresses import LocatedAdapter
from conformance.adapters.bound import BoundTranslator
from conformance.adapters.contract import Translator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import Group, Selection, groups, scenarios_of, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.outcomes import FAILURES
from conformance.responders import ScriptedResponder
from conformance.scenarios import load_scenarios
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat

USUAL = ("blocking", "stream:per-event")
SELECTIONS = {
    "SplitsUtf8": Selection(deliveries=("blocking", "stream:utf8-split")),
    "TakesCutStreamsForComplete": Selection(deliveries=("stream:per-event",)),
}
"""Where a lie can be seen, if not in a blocking answer and a stream of whole events."""

LIES = [
    ("DropsIds", "common.ids.unique-in-conversation"),
    ("SwapsParallelResults", "common.ids.same-name-parallel-distinct"),
    ("StringifiesTwice", "common.result.structured-output-serialised-as-json"),
    ("LosesTextBesideCalls", "common.parse.text-and-calls-both-kept"),
    ("SplitsUtf8", "common.stream.utf8-split-across-reads"),
    ("KeysDeltasByPosition", "chat.stream.accumulate-by-index"),
    ("TakesCutStreamsForComplete", "common.stream.truncated-stream-not-complete"),
]
PROVIDERS = {"KeysDeltasByPosition": ["openai-chat"]}
ALLOWED_BESIDE = 5
FIRST = 2
"""How many scenarios of each family are played at least."""


@cache
def chosen(rule: str) -> tuple[str, ...]:
    """The scenarios to play: the first of each family, and those that are for a rule."""
    scenarios = load_scenarios().values()
    families = Counter[str]()
    first = []
    for scenario in scenarios:
        families[scenario.family] += 1
        first += [scenario.id] if families[scenario.family] <= FIRST or rule in scenario.rules else []
    return tuple(first)


def doings(adapter: Translator, group: Group) -> list[object]:
    """What an adapter sends and understands in all cases of a group."""
    scenario, provider = load_scenarios()[group.scenario], group.provider
    found: list[object] = []
    for delivery in group.deliveries:
        seat = TranslatorSeat(BoundTranslator(adapter, provider))
        play = Play(scenario, provider, "portable", DELIVERIES[delivery], seat, ScriptedResponder(scenario, provider))
        found += [(exchange.request, exchange.understood) for exchange in play.run()]
    return found


@cache
def right_doings(group: Group) -> list[object]:
    """What the reference adapter does there, with which nothing is wrong."""
    return doings(ReferenceAdapter(), group)


def failing_rules(name: str, provider: str, rule: str) -> set[str]:
    """The rules that an adapter breaks on a provider. Where it does what the reference adapter does, it breaks none."""
    selection = replace(SELECTIONS.get(name, Selection(deliveries=USUAL)), scenarios=chosen(rule))
    make = getattr(wrong_adapters, name)
    info = make().info
    found = LocatedAdapter(name, info, "translator", make)
    scenarios, rules = scenarios_of(selection), selected_rules(selection)
    failed: set[str] = set()
    for group in groups(name, info, scenarios, selection):
        same = replace(group, address="")
        if group.provider != provider or group.unsupported or doings(make(), same) == right_doings(same):
            continue
        play = GroupPlay(found, group, scenarios[group.scenario], selection, rules)
        reports = [play.case(delivery) for delivery in group.deliveries]
        failed |= {one for item in reports for one, entry in item.rules.items() if entry.outcome in FAILURES}
    return failed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rule", "provider"),
    [
        pytest.param(name, rule, provider, id=f"{name}-{provider}")
        for name, rule in LIES
        for provider in PROVIDERS.get(name, ["openai-responses", "anthropic", "gemini", "ollama"])
    ],
)
def test_the_lie_is_named(name: str, rule: str, provider: str) -> None:
    failed = failing_rules(name, provider, rule)
    assert rule in failed
    assert len(failed) <= 1 + ALLOWED_BESIDE, sorted(failed)
