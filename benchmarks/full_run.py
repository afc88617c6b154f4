"""A full run of the reference adapters in this one process: cases a second, and the harness's share of the time.

Prints the time outside adapter calls ÷ the time inside them (aim: at most 2), for all providers and deliveries. The
two are measured in the same run, so the ratio holds whatever else the machine does.

Usage: python benchmarks/full_run.py [--small] [PROVIDER ...]      (--small: one family, to see that it works)
"""

from __future__ import annotations

import argparse
import sys
import time

from conformance.adapters.addresses import find_adapter
from conformance.engine.cases import Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.scenarios import load_scenarios


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("providers", nargs="*", metavar="PROVIDER")
    parser.add_argument("--small", action="store_true", help="one family of scenarios")
    asked = parser.parse_args()
    selection = Selection(providers=tuple(asked.providers), scenarios=("parallel_calls.*",) if asked.small else ())
    found, scenarios = find_adapter("reference"), load_scenarios()
    rules = selected_rules(selection)
    planned = [item for item in groups(found.address, found.info, scenarios, selection) if not item.unsupported]
    cases, inside, started = 0, 0.0, time.perf_counter()
    by_provider: dict[str, list[float]] = {}
    for group in planned:
        play = GroupPlay(found, group, scenarios[group.scenario], selection, rules)
        for delivery in group.deliveries:
            report = play.case(delivery)
            cases += 1
            inside += report.adapter_seconds
            shares = by_provider.setdefault(group.provider, [0.0, 0.0])
            shares[0] += report.seconds - report.adapter_seconds
            shares[1] += report.adapter_seconds
    total = time.perf_counter() - started
    print(f"{cases} cases in {total:.1f} s: {cases / total:.0f} cases a second")
    print(f"harness ÷ adapter: {(total - inside) / inside:.2f}")
    for provider, (harness, adapter) in by_provider.items():
        print(f"  {provider:<17} {harness / adapter:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
