"""Running an adapter of any kind in this process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conformance.adapters.addresses import find_adapter
from conformance.engine.cases import Selection, groups, scenarios_of, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.engine.report import Failure

EVERYTHING = Selection(generated="none")


@dataclass
class Played:
    """What all cases came to: outcomes by (provider, rule), and the failures of each rule."""

    cells: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    failures: dict[str, list[Failure]] = field(default_factory=dict)

    @property
    def failed(self) -> set[str]:
        """The rules that something broke."""
        return set(self.failures)


def play(address: str, selection: Selection = EVERYTHING) -> Played:
    """Play the selected cases."""
    found = find_adapter(address)
    scenarios, rules, played = scenarios_of(selection), selected_rules(selection), Played()
    for group in groups(address, found.info, scenarios, selection, found.kind):
        if group.unsupported:
            continue
        play = GroupPlay(found, group, scenarios[group.scenario], selection, rules)
        for delivery in group.deliveries:
            for rule, entry in play.case(delivery).rules.items():
                played.cells.setdefault((group.provider, rule), Counter())[entry.outcome] += 1
                if entry.failures:
                    played.failures.setdefault(rule, []).extend(entry.failures)
    return played
