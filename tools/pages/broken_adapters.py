"""Makes reports/broken-adapters.md: broken adapters that no rule was written for, and which rule tells them.

    python tools/pages/broken_adapters.py [NAME ...]

The adapters are those of ``tests/unlisted_adapters.py`` and ``tests/unlisted_again*.py``. Each is played until a case
fails, in the portable profile and then in the native one; where none fails, the first that warns counts. Where none
warns either, it is played as streams that are written otherwise. ``broken-adapters.json`` holds what came of it. With
names only those are played again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from unlisted_adapters import UNLISTED, Unlisted, is_held_out
from unlisted_again_answers import AGAIN

from conformance.adapters.addresses import LocatedAdapter
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import Group, Selection, groups, selected_rules
from conformance.engine.group_play import GroupPlay
from conformance.model import Profile
from conformance.outcomes import FAILURES, Outcome
from conformance.scenarios import load_scenarios

REPORT, DATA = ROOT / "reports" / "broken-adapters.md", ROOT / "reports" / "broken-adapters.json"
PLAIN = ("blocking", "stream:per-event")
OTHERWISE = tuple(delivery.name for delivery in DELIVERIES.values() if delivery.reframes)
"""Streams whose lines and events are written otherwise."""
PLAYED: tuple[tuple[tuple[Profile, ...], tuple[str, ...]], ...] = (
    (("portable", "native"), PLAIN),
    (("portable",), OTHERWISE),
)
"""The profiles and deliveries that an adapter is played in, and those for one that nothing tells there."""
FINDINGS: frozenset[Outcome] = FAILURES | {"warn"}
"""A rule that says ``should`` warns, which is a finding too."""
BROKEN: Mapping[str, type[Unlisted]] = {**UNLISTED, **AGAIN}
"""Both series."""
SEEN = ("EndsAtDoneAnywhere",)
"""Those of the third that were looked at when something was made that tells them."""

INTRO = """\
# Broken adapters that no rule was written for

The reference adapter, broken in ways that the suite's own lies do not have
([`tests/unlisted_adapters.py`](../tests/unlisted_adapters.py)). They were written before they were played. A third is
held out by a hash of the names, chosen before the first run: no rule and no scenario may be written for those. *Told*
is one that fails a case which the reference adapter passes; the first such case is shown. Two of those that are told
are told by luck: StopsAtTheFinish loses the end of the stream, too, and nobody counts the marks of
MarksAllForTheCache, of which Anthropic takes four; one stands on a block that has none.

Made by `python tools/pages/broken_adapters.py`.
"""

SECOND = """
## A second series

Written on 2026-11-26 before they were played, too: what they ask and send
([`tests/unlisted_again.py`](../tests/unlisted_again.py)), and what they understand
([`tests/unlisted_again_answers.py`](../tests/unlisted_again_answers.py)). Again a third is held out by a hash of the
names, among these alone. *Told* counts warnings, too: a rule that says `should` is a finding, and so is one in a
scenario of what only others than the provider do. Where no case fails, the first that warns is shown, and the row says
*warned*. Those that nothing tells, blocking or as a stream of one chunk an event, are played as streams that are
written otherwise: with other ends of lines, comments, data of several lines.

First figures: of the 41 that were played before the first change that followed, nothing told DropsDefaults,
AsksForOneCallAlways, SetsATemperature, RoundsNumbers, AnswersInTheOrderOfNames, PrintsTheError, DropsTheFirstWords and
EndsAtDoneAnywhere. Of these PrintsTheError, RoundsNumbers and EndsAtDoneAnywhere were held out.

What followed: the rules `common.declare.limits-kept` and `common.choose.parallel-unless-forbidden`, for the kind "what
was asked besides", and the scenarios `quirks.role_in_deltas` and `quirks.whole_deltas`, for the kind "which members
come together in a chunk, and in how many pieces". `quirks.whole_deltas` was made after EndsAtDoneAnywhere was seen to
pass, so that one no longer counts as held out. A temperature is policy (notes of
`common.http.nothing-costly-unasked`), and an error's message may stand in more words.

DropsLimits fails by luck: it drops a parameter that is called `pattern`. Of limits, `common.declare.limits-kept` warns.
At first nothing told HidesThinkingTags, as no scenario had such a tag in a text, nor SendsTheKeyTwice, as rules asked
whether the key is where it belongs, and not whether it is elsewhere, too; nor WritesChoicesAsText of the first series,
as all choices were texts. `multi_turn.tags_in_text`, `common.http.key-once` and `declare.choices_of_other_types` came
of them. Nothing tells StripsText, as `common.parse.text-kept` leaves blanks open.

Two of the 63 that were written are not wrong after all, by any provider's documentation, and are not in the table:

- AnswersInTheOrderOfNames sorted results by the names of their tools, on Gemini and Ollama. Both match by name, and a
  stable order by names is still in order for each name.
- RoundsNumbers wrote 1.0 in a structured result as 1. In JSON both are the same number.
"""

TABLE = """
| adapter | what is wrong | held out | told by | in |
| --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class Told:
    """The case that tells an adapter: ``rules`` are those that it breaks there."""

    rules: Sequence[str]
    profile: Profile
    provider: str
    scenario: str
    delivery: str
    warned: bool = False
    """Whether they only warn."""

    def __str__(self) -> str:
        native = ", native" if self.profile == "native" else ""
        return f"`{self.scenario}/{self.delivery}` on {self.provider}{native}"


def told(name: str) -> Told | None:
    """The first case that an adapter fails, or the first that warns where it fails none; ``None`` where none does."""
    return next(filter(None, (_told(name, *played) for played in PLAYED)), None)


def _told(name: str, profiles: tuple[Profile, ...], deliveries: tuple[str, ...]) -> Told | None:
    warning = None
    for profile, group in _groups(BROKEN[name], profiles, deliveries):
        for delivery in group.deliveries:
            if broken := broken_rules(name, group, profile, delivery):
                warned = FAILURES.isdisjoint(broken.values())
                found = Told(list(broken), profile, group.provider, group.scenario, delivery, warned)
                if not warned:
                    return found
                warning = warning or found
    return warning


def broken_rules(name: str, group: Group, profile: Profile, delivery: str) -> dict[str, Outcome]:
    """The rules that an adapter breaks in a case, each with how it is told."""
    make, selection = BROKEN[name], Selection(profile=profile)
    found = LocatedAdapter(name, make().info, "translator", make)
    play = GroupPlay(found, group, load_scenarios()[group.scenario], selection, selected_rules(selection))
    return {rule: entry.outcome for rule, entry in play.case(delivery).rules.items() if entry.outcome in FINDINGS}


def _groups(
    make: type[Unlisted], profiles: tuple[Profile, ...], deliveries: tuple[str, ...]
) -> Iterator[tuple[Profile, Group]]:
    for profile in profiles:
        for provider in make.providers:
            selection = Selection(providers=(provider,), deliveries=deliveries, profile=profile)
            for group in groups(make.__name__, make().info, load_scenarios(), selection):
                if not group.unsupported:
                    yield profile, group


def page(results: dict[str, Any]) -> str:
    """The report."""
    return INTRO + _table(results, UNLISTED) + SECOND + _table(results, AGAIN)


def _table(results: dict[str, Any], series: Mapping[str, type[Unlisted]]) -> str:
    found = {name: results[name] and Told(**results[name]) for name in series if name in results}
    held = {name for name in found if is_held_out(name, series) and name not in SEEN}
    rows = [_row(name, one, "held out" if name in held else "") for name, one in found.items()]
    figures = [
        _figures("Looked at", [one for name, one in found.items() if name not in held]),
        _figures("Held out", [one for name, one in found.items() if name in held]),
    ]
    return TABLE + "\n".join(rows) + "\n\n" + "\n".join(figures) + "\n"


def _row(name: str, found: Told | None, held: str) -> str:
    rules = ", ".join(f"`{rule}`" for rule in found.rules) if found else "**nothing**"
    warned = ", warned" if found and found.warned else ""
    return f"| {name} | {str(BROKEN[name].__doc__).strip()} | {held} | {rules}{warned} | {found or ''} |"


def _figures(words: str, found: list[Told | None]) -> str:
    warned = sum(one is not None and one.warned for one in found)
    beside = f" ({warned} of them warned)" if warned else ""
    return f"{words}: {sum(one is not None for one in found)} of {len(found)} told{beside}.  "


def main(names: Sequence[str]) -> int:
    """Play the adapters and write the report."""
    results = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    for name in names or BROKEN:
        found = told(name)
        print(f"{name}: {found}: {found.rules if found else ''}", flush=True)
        results[name] = asdict(found) if found else None
        DATA.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8")
        REPORT.write_text(page(results), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
