"""Each check of an answer, over the recorded answers of the formats' own hosts: one that accuses them is wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.servers.looking import CHECKS, content_type, verdicts
from conformance.traffic.audit import Audit, AuditedExchange

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
FILES = [CORPUS / "traffic.jsonl.gz", CORPUS / "traffic-2.jsonl.gz"]

EDITED = {
    "dbb07f799917fbae": "lmnr-ai/lmnr-python edited a fixture: its name says that it has no tokens",
    "3b13cb5a866f82dd": "DataDog/dd-trace-py put another answer under the headers of the first",
}
"""Recordings whose authors changed them."""

KNOWN = {("server.stream.usage", "14295d9e613e27df"), ("server.stream.usage", "c7981b0fe485012b")}
"""What OpenAI's own host was recorded to do against a rule, which only tells for that."""


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="the recorded traffic does not lie beside the repository")
def test_no_check_accuses_the_hosts_of_the_formats() -> None:
    found: set[tuple[str, str]] = set()
    looked: Counter[str] = Counter()
    answers: Counter[str] = Counter()

    def look(one: AuditedExchange) -> None:
        record, who, x = one.record, one.who, one.exchange
        if not who.own or not record.framed or not record.body or record.status >= 400 or record.id in EDITED:
            return
        answers[who.provider] += 1
        told = [*verdicts(record, who, x)]
        if not any("REDACTED" in value for value in record.headers.values()):
            told += [("server.answer.content-type", verdict) for verdict in content_type(record, x)]
        for rule, verdict in told:
            looked[rule] += 1
            if verdict is not None:
                found.add((rule, str(record.id)))

    audit = Audit(globs=("no.rule.at.all",), watch=look)
    for path in FILES:
        for _ in audit.read(path):
            pass
    assert found == KNOWN
    assert sum(answers.values()) > 3_900 and len(answers) >= 10
    assert all(looked[rule] > 500 for rule in CHECKS), looked
