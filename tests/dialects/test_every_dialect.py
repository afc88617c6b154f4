"""All that is said in dialects, in all scenarios: no rule minds it, and no less is covered with it than was published.

Both are asked in one test, because both need every conversation in every spelling.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from spellings import minded

from conformance.coverage.document import worse
from conformance.coverage.measure import measure, packaged
from conformance.dialects.tables import table
from conformance.dialects.trying import conversations, is_right
from conformance.transcript import Exchange
from conformance.wires import cards

FORMATS = [one.id for one in cards() if one.format == one.id]
"""Hosts of another's format are left to the command: `conformance coverage --against reports/coverage.json`."""

SHARE = 8
"""Of one form in so many it is asked whether a rule looks at it. The command asks of all."""

PUBLISHED = Path(__file__).resolve().parents[2] / "reports" / "coverage.json"

NEVER = {"openai-chat": {"null content beside calls"}}
"""Dialects of a table that say what the reference adapter says anyway: they are there for hosts."""


@dataclass
class Listener:
    """Hears all conversations of a provider in dialects, and asks the rules."""

    said: set[str] = field(default_factory=set)
    minded: list[str] = field(default_factory=list)

    def heard(self, provider: str) -> Iterator[Sequence[Exchange]]:
        for name, exchanges in conversations(provider):
            self.said.add(name)
            self.minded += [f"{name}: {one}" for one in minded(exchanges)]
            yield exchanges


@pytest.mark.slow
@pytest.mark.parametrize("provider", FORMATS)
def test_no_rule_minds_a_dialect_and_nothing_covered_got_worse(provider: str) -> None:
    listener = Listener()
    said = listener.heard(provider)
    found = measure(provider, packaged().get(provider, {}), share=SHARE, beside=said, is_right=is_right)
    for _ in said:
        pass  # of a format without types nothing is measured, and nothing was heard yet
    assert not listener.minded
    wanted = {entry["name"] for entry in table().get(provider, ())} - NEVER.get(provider, set())
    assert wanted <= listener.said
    assert list(worse(json.loads(PUBLISHED.read_text("utf-8")), [found])) == []
