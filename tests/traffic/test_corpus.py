"""The promises of reports/real-traffic.md, on the recorded traffic that lies beside the repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from refused_words import Refusals

from conformance.traffic.audit import Audit, AuditedExchange
from conformance.wires import card

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "traffic.jsonl.gz"

DAMAGED = {"825558e9fe27cc49", "02b6b7f77d0c15e8"}
"""Fixtures that were broken on purpose: a stream cut inside a call, and one that a proxy spliced."""
JOINED = {"7bb9b2292b129649", "c8f73a83c277dd5b", "02b6b7f77d0c15e8"}
"""Fixtures in which several streams with calls were joined to one."""
SAME = {"openai-chat": {"openai-chat", "azure", "xai", "deepseek"}, "anthropic-messages": {"anthropic"},
        "bedrock-converse": {"bedrock"}}
"""The recorder's names for providers, and ours."""
AT_LEAST_TOLD = 0.6
"""Of recorded refusals about tools: a rule finds the fault beforehand, and knows the words of the refusal."""
WORDS_WITHOUT_A_FINDING: dict[tuple[str, str], str] = {}
"""Recorded refusals in the words of a rule that finds nothing, by rule and host, and why."""


@dataclass
class Seen:
    """What is looked at in each exchange."""

    count_calls: Callable[[str, bytes], int]
    refusals: Refusals = field(default_factory=Refusals)
    judged: int = 0
    calls: int = 0
    linked: Counter[bool] = field(default_factory=Counter)
    switched: Counter[str] = field(default_factory=Counter)
    taken_for_another: set[str | None] = field(default_factory=set)
    unequal: set[str | None] = field(default_factory=set)
    wrongly_rejected: list[tuple[str | None, str, str]] = field(default_factory=list)
    refused_answers: set[str | None] = field(default_factory=set)

    def look(self, one: AuditedExchange) -> None:
        """Note what is wrong with our judgement of one exchange."""
        record, said = one.record, str(one.record.provider)
        self.judged += 1
        self.refusals.add(one)
        if said != "other" and one.who.provider not in SAME.get(said, {said}):
            self.taken_for_another.add(record.id)
        if record.previous is not None:
            self.linked[one.exchange.previous is not None] += 1
        if one.exchange.switched is not None:
            self.switched[one.exchange.switched] += 1
        for finding in one.findings:
            if finding.side == "response":
                self.refused_answers.add(record.id)
            elif finding.rule.consequence == "rejected" and record.status < 400:
                self.wrongly_rejected.append((record.id, finding.rule.id, finding.at))
        if record.status < 400 and record.body is not None and one.exchange.offered is not None:
            counted = self.count_calls(card(one.who.provider).format, record.body)
            self.calls += counted
            if counted != len(one.exchange.offered.calls):
                self.unequal.add(record.id)


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded traffic does not lie beside the repository")
def test_the_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    """One test, because reading everything once takes a quarter of a minute."""
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "pages"))
    from naive_calls import count_calls

    seen = Seen(count_calls)
    audit = Audit(watch=seen.look)
    for _ in audit.read(CORPUS):
        pass

    assert audit.exchanges == seen.judged + len(audit.unreadable) == 6654
    assert {item.why.split(":")[0] for item in audit.unreadable} == {"not a provider we know"}
    assert seen.taken_for_another == set()
    assert seen.wrongly_rejected == []
    assert seen.refused_answers == DAMAGED
    assert seen.unequal == JOINED
    assert seen.calls > 3_000
    assert seen.linked[True] > 100 * seen.linked[False]
    assert seen.switched == {"host": 14, "model": 1}
    without = {(rule, one.host) for one in seen.refusals.all for rule in one.meant - one.found}
    assert without == WORDS_WITHOUT_A_FINDING.keys()
    assert seen.refusals.told() >= AT_LEAST_TOLD
