"""Hunt for conversations that an adapter gets wrong: make them up, play them, shrink what fails, write it to a file.

    python tools/hunt.py                                          the reference adapter
    python tools/hunt.py python:mylib.adapter:Adapter --provider gemini --seconds 120

Every conversation is a scenario (tests/laws/strategies.py) that is played and judged as ``conformance run`` does it.
The smallest one that breaks a rule becomes a scenario file, and the command that plays it again is printed. Part of it
may have happened with another provider before. Exit code: 0 nothing found, 1 found something, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests" / "laws")]

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky
from strategies import scenarios

from conformance.adapters.addresses import LocatedAdapter, find_adapter
from conformance.adapters.contract import AdapterError
from conformance.engine.cases import Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.outcomes import FAILURES
from conformance.scenario_files import write_scenario
from conformance.scenarios import Scenario, ScenarioError
from conformance.wires import PROVIDERS

DELIVERIES = ("blocking", "stream:whole", "stream:per-event", "stream:random-1", "stream:utf8-split")
"""Enough for a hunt; the file that it writes is played in all of them."""


BATCH = 10
"""How many conversations are made up before the clock is looked at."""
PATIENCE = 200
"""How many smaller ones are tried in the place of one that was found."""


@dataclass(frozen=True)
class Breach:
    """A rule that is broken, and where."""

    rule: str
    provider: str
    delivery: str


class PreyError(AssertionError):
    """A scenario, and what it breaks. ``made_up`` is the scenario as it was drawn."""

    def __init__(self, scenario: Scenario, breach: Breach) -> None:
        super().__init__(f"{breach.rule} on {breach.provider}, {breach.delivery}")
        title = f"Found by hunting: it breaks {breach.rule} on {breach.provider}"
        self.made_up = scenario
        self.scenario = replace(scenario, rules=(breach.rule,), providers=(breach.provider,), title=title[:120])
        self.breach = breach


@dataclass
class Hunt:
    """A hunt with one adapter. After the first breach only that one counts, while its scenario is made smaller."""

    found: LocatedAdapter
    providers: tuple[str, ...]
    played: int = 0
    tries: int = 0
    prey: PreyError | None = None

    def run(self, seconds: float, start: int) -> PreyError | None:
        """The smallest scenario that breaks a rule, if one that breaks any is made up within ``seconds``."""
        until = time.monotonic() + seconds
        for number in itertools.count(start):
            if self.prey is not None or time.monotonic() > until:
                return self.prey
            with contextlib.suppress(PreyError, Flaky):  # flaky is also who is not played again, see _tired
                self._batch(number)
        return None

    def _batch(self, number: int) -> None:
        @settings(max_examples=BATCH, database=None, deadline=None, suppress_health_check=list(HealthCheck),
                  phases=(Phase.generate, Phase.shrink))  # fmt: skip
        @seed(number)
        @given(scenarios(files=True))
        def search(scenario: Scenario) -> None:
            if self.prey is not None and self._tired(scenario):
                return
            self.played += 1
            for breach in self._breaches(scenario):
                if self.prey is None or self.prey.breach == breach:
                    self.prey = PreyError(scenario, breach)
                    raise self.prey

        search()

    def _tired(self, scenario: Scenario) -> bool:
        """Whether enough has been tried, so that only the smallest scenario so far is still looked at."""
        self.tries += 1
        return self.tries > PATIENCE and self.prey is not None and scenario != self.prey.made_up

    def _breaches(self, scenario: Scenario) -> Iterator[Breach]:
        known = self.prey.breach if self.prey else None
        selection = Selection(
            (known.provider,) if known else self.providers,
            rules=(known.rule,) if known else (),
            deliveries=(known.delivery,) if known else DELIVERIES,
        )
        rules = selected_rules(selection)
        for group in groups(self.found.address, self.found.info, {scenario.id: scenario}, selection):
            play = GroupPlay(self.found, group, scenario, selection, rules)
            for delivery in group.deliveries if not group.unsupported else ():
                for name, entry in play.case(delivery).rules.items():
                    if entry.outcome in FAILURES:
                        yield Breach(name, group.provider, delivery)


def main() -> int:
    """Parse the options, hunt, write."""
    options = _options()
    try:
        found = find_adapter(options.adapter)
    except AdapterError as problem:
        print(f"hunt: {problem}", file=sys.stderr)
        return 2
    hunt = Hunt(found, tuple(options.provider))
    prey = hunt.run(options.seconds, options.seed)
    print(f"{hunt.played} conversations played")
    if prey is None:
        return 0
    try:
        write_scenario(prey.scenario, options.out)
    except (ScenarioError, OSError) as problem:
        print(f"hunt: {problem}", file=sys.stderr)
        return 2
    name = f"{options.out.parent.name}.{options.out.stem}"
    words = ["conformance", "run", options.adapter, "--scenarios", str(options.out.parent.parent), "--scenario", name]
    print(f"{prey}\n{options.out}\n{shlex.join(words)}")
    return 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adapter", nargs="?", default="reference", metavar="ADAPTER")
    parser.add_argument("--provider", action="append", default=[], choices=PROVIDERS, metavar="P")
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="how long to look (default: 60)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="where to begin (default: 0)")
    parser.add_argument(
        "--out", type=Path, default=Path("scenarios-found/found/example.yaml"), metavar="FILE",
        help="<folder>/<family>/<name>.yaml (default: %(default)s)",
    )  # fmt: skip
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
