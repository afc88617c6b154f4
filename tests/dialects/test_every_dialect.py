"""All that is said in dialects, in all scenarios: no rule minds it, and no less is covered with it than was published.

Both are asked in one test, because both need every conversation in every spelling. The rules hear a fixed sample of
these: the first of each dialect, and one in four of the others. ``DIALECTS=every`` has them hear all, and asks of every
form whether a rule looks at it; ``python tools/publish.py coverage`` does so.
"""

from __future__ import annotations

import json
import os
from collections import Counter
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

IS_WHOLE = os.environ.get("DIALECTS") == "every"
FIRST, SHARE = 8, 1 if IS_WHOLE else 4
"""The rules hear the first conversations of a dialect, and of all conversations one in so many."""
ASKED = 1 if IS_WHOLE else 16
"""Of one form in so many it is asked whether a rule looks at it."""

PUBLISHED = Path(__file__).resolve().parents[2] / "reports" / "coverage.json"

NEVER = {"openai-chat": {"null content beside calls"}}
"""Dialects of a table that say what the reference adapter says anyway: they are there for hosts."""


@dataclass
class Listener:
    """Hears all conversations of a provider in dialects, and asks the rules about some of them, each once."""

    said: Counter[str] = field(default_factory=Counter)
    minded: list[str] = field(default_factory=list)
    _right: bool | None = None
    """Whether no rule minds the conversation that was heard last; ``None`` where nobody was asked."""

    def heard(self, provider: str) -> Iterator[Sequence[Exchange]]:
        for number, (name, exchanges) in enumerate(conversations(provider)):
            self.said[name] += 1
            self._right = None
            if self.said[name] <= FIRST or number % SHARE == 0:
                found = minded(exchanges)
                self.minded += [f"{name}: {one}" for one in found]
                self._right = not found
            yield exchanges

    def is_right(self, exchanges: Sequence[Exchange]) -> bool:
        """Whether no rule minds the conversation that was heard last, which is asked for."""
        return is_right(exchanges) if self._right is None else self._right


@pytest.mark.slow
@pytest.mark.parametrize("provider", FORMATS)
def test_no_rule_minds_a_dialect_and_nothing_covered_got_worse(provider: str) -> None:
    listener = Listener()
    said = listener.heard(provider)
    recorded = packaged().get(provider, {})
    found = measure(provider, recorded, share=ASKED, beside=said, is_right=listener.is_right)
    for _ in said:
        pass  # of a format without types nothing is measured, and nothing was heard yet
    assert not listener.minded
    wanted = {entry["name"] for entry in table().get(provider, ())} - NEVER.get(provider, set())
    assert wanted <= listener.said.keys()
    assert list(worse(json.loads(PUBLISHED.read_text("utf-8")), [found])) == []
