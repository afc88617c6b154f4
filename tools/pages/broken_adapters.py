"""Makes reports/broken-adapters.md: broken adapters that no rule was written for, and which rule tells them.

    python tools/pages/broken_adapters.py [NAME ...]

The adapters are those of ``tests/unlisted_adapters.py``. Each is played until a case fails, in the portable profile and
then in the native one. ``broken-adapters.json`` holds what came of it. With names only those are played again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from unlisted_adapters import UNLISTED, Unlisted, is_held_out

from conformance.adapters.addresses import LocatedAdapter
from conformance.engine.cases import Group, Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.model import Profile
from conformance.outcomes import FAILURES
from conformance.scenarios import load_scenarios

REPORT, DATA = ROOT / "reports" / "broken-adapters.md", ROOT / "reports" / "broken-adapters.json"
DELIVERIES = ("blocking", "stream:per-event")
PROFILES: tuple[Profile, ...] = ("portable", "native")

INTRO = """\
# Broken adapters that no rule was written for

The reference adapter, broken in ways that the suite's own lies do not have
([`tests/unlisted_adapters.py`](../tests/unlisted_adapters.py)). They were written before they were played. A third is
held out by a hash of the names, chosen before the first run: no rule and no scenario may be written for those. *Told*
is one that fails a case which the reference adapter passes; the first such case is shown. Two of those that are told
are told by luck: StopsAtTheFinish loses the end of the stream, too, and nobody counts the marks of
MarksAllForTheCache, of which Anthropic takes four; one stands on a block that has none.

Made by `python tools/pages/broken_adapters.py`.

| adapter | what is wrong | held out | told by | in |
| --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class Told:
    """The first case that an adapter fails: ``rules`` are those that it breaks there."""

    rules: Sequence[str]
    profile: Profile
    provider: str
    scenario: str
    delivery: str

    def __str__(self) -> str:
        native = ", native" if self.profile == "native" else ""
        return f"`{self.scenario}/{self.delivery}` on {self.provider}{native}"


def told(name: str) -> Told | None:
    """The first case that an adapter fails; ``None`` where it fails none."""
    for profile, group in _groups(UNLISTED[name]):
        for delivery in group.deliveries:
            if rules := broken_rules(name, group, profile, delivery):
                return Told(rules, profile, group.provider, group.scenario, delivery)
    return None


def broken_rules(name: str, group: Group, profile: Profile, delivery: str) -> list[str]:
    """The rules that an adapter breaks in a case."""
    make, selection = UNLISTED[name], Selection(profile=profile)
    found = LocatedAdapter(name, make().info, "translator", make)
    play = GroupPlay(found, group, load_scenarios()[group.scenario], selection, selected_rules(selection))
    return [rule for rule, entry in play.case(delivery).rules.items() if entry.outcome in FAILURES]


def _groups(make: type[Unlisted]) -> Iterator[tuple[Profile, Group]]:
    for profile in PROFILES:
        for provider in make.providers:
            selection = Selection(providers=(provider,), deliveries=DELIVERIES, profile=profile)
            for group in groups(make.__name__, make().info, load_scenarios(), selection):
                if not group.unsupported:
                    yield profile, group


def page(results: dict[str, Any]) -> str:
    """The report."""
    rows = [_row(name, results[name] and Told(**results[name])) for name in UNLISTED if name in results]
    return INTRO + "\n".join(rows) + "\n\n" + "\n".join(_figures(results)) + "\n"


def _row(name: str, found: Told | None) -> str:
    what, held = str(UNLISTED[name].__doc__).strip(), "held out" if is_held_out(name) else ""
    rules = ", ".join(f"`{rule}`" for rule in found.rules) if found else "**nothing**"
    return f"| {name} | {what} | {held} | {rules} | {found or ''} |"


def _figures(results: dict[str, Any]) -> Iterator[str]:
    for held, words in ((False, "Looked at"), (True, "Held out")):
        names = [name for name in results if is_held_out(name) is held]
        yield f"{words}: {sum(results[name] is not None for name in names)} of {len(names)} told.  "


def main(names: Sequence[str]) -> int:
    """Play the adapters and write the report."""
    results = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    for name in names or UNLISTED:
        found = told(name)
        print(f"{name}: {found}: {found.rules if found else ''}", flush=True)
        results[name] = asdict(found) if found else None
        DATA.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8")
        REPORT.write_text(page(results), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
