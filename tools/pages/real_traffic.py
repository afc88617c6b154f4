"""Makes reports/real-traffic.md: what the audit says about recorded traffic.

    python tools/pages/real_traffic.py [TRAFFIC.jsonl.gz [REPORT.md]]

Without an argument the corpus that lies beside the repository is read.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from naive_calls import count_calls
from refusals import kind_of

from conformance.traffic.audit import Audit, AuditedExchange, AuditFinding
from conformance.wires import PROVIDERS, card
from conformance.wires.hosts import hosts

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "traffic.jsonl.gz"
CONSEQUENCES = ("rejected", "lost", "degraded")
NO_ANSWER_ABOUT_TOOLS = (401, 403, 404, 429)
"""Statuses that say nothing about what was sent: keys, models that do not exist, limits."""

INTRO = """\
# Recorded traffic

Every rule that needs no adapter, on real traffic of public projects: requests that clients sent, answers that providers
gave. Made by `python tools/publish.py real-traffic`; nothing here is written by hand but the reasons.

Two promises stand behind the rules, and both are checked here. A rule that says `rejected` does not fire on a request
that the provider itself answered with 2xx. And every answer is read: each stream follows its provider's grammar, and
each call in it is found. Recordings in which an SDK or a maker of fixtures wrote down what was in a message are counted
as *retold*; the others are what went over the wire.
"""

FIXTURES = {
    "anthropic.stream.event-grammar": "two fixtures that were made on purpose: one cut inside a call, one in which a "
    "proxy spliced a second answer onto the first",
}
"""Why a grammar refuses what is in the corpus."""

FINDINGS = {
    "gemini.ids.synthetic-not-on-wire": "clients send ids that they made up; Gemini ignores them",
    "responses.declare.strict-explicit": "clients leave `strict` out; Responses then makes the schema strict",
    "common.ids.verbatim-round-trip": "clients that replay item ids or ids of their own; turns of a conversation that "
    "were recorded at different times",
    "anthropic.history.assistant-content-replayed": "clients that drop the text beside calls, or replay another run's",
    "anthropic.history.thinking-blocks-verbatim": "clients that replay thinking changed, or not at all",
    "gemini.history.thought-signature-verbatim": "clients that do not send signatures back",
    "gemini.history.model-turn-verbatim": "clients that change or drop parts of the model's turn",
    "responses.history.own-items-unchanged": "clients that change the model's own items, such as a search of tools, or "
    "drop what is in them",
    "responses.history.marks-kept": "clients that do not send the phase of a message back",
    "gemini.ids.echoed-when-present": "clients that drop the ids that Gemini gave",
    "responses.history.reasoning-items-passed-back": "clients that drop reasoning between calls",
    "ollama.history.thinking-replayed": "clients that replay the call without the thinking before it",
    "gemini.result.one-content": "clients that spread the results of one turn over several contents",
    "ollama.result.tool-message": "a client that does not say whose result it is",
    "chat.declare.schema-under-parameters": "a client that puts the schema of a function under `arguments`",
    "chat.history.no-legacy-function-role": "a client that mixes both generations of the format",
    "chat.result.tool-role-with-id": "a client that leaves ids out on a host that has none",
}
"""What stands behind the findings on requests that were accepted."""


@dataclass
class Numbers:
    """What is counted for one provider."""

    exchanges: int = 0
    own: int = 0
    retold: int = 0
    requests: int = 0
    bodies: int = 0
    streams: int = 0
    refused: int = 0
    linked: int = 0
    read: int = 0
    counted: int = 0
    unequal: int = 0
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass
class Refused:
    """A request with tools that was answered 4xx."""

    provider: str
    host: str
    message: str
    predicted: list[str]


@dataclass
class Collected:
    """Everything that the report tells."""

    numbers: dict[str, Numbers] = field(default_factory=lambda: {provider: Numbers() for provider in PROVIDERS})
    refused: list[Refused] = field(default_factory=list)
    rejected: list[AuditFinding] = field(default_factory=list)
    """Findings that say "rejected" on what the provider's own host answered 2xx."""
    accepted: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Findings on accepted requests: rule, consequence, whose host."""
    broken: Counter[str] = field(default_factory=Counter)
    """Answers that a grammar refuses, by rule."""

    def add(self, one: AuditedExchange) -> None:
        """Count an exchange."""
        numbers = self.numbers[one.who.provider]
        numbers.exchanges += 1
        numbers.own += one.who.own
        numbers.retold += not one.record.framed
        numbers.requests += one.exchange.request is not None
        numbers.linked += one.exchange.previous is not None
        if one.record.status >= 400:
            numbers.refused += 1
            self._refused(one)
        elif one.record.body is not None:
            self._answered(one, numbers)
        for finding in one.findings:
            self._finding(one, finding, numbers)

    def _answered(self, one: AuditedExchange, numbers: Numbers) -> None:
        assert one.record.body is not None and one.exchange.offered is not None
        counted, read = count_calls(card(one.who.provider).format, one.record.body), len(one.exchange.offered.calls)
        numbers.streams += one.exchange.streamed
        numbers.bodies += not one.exchange.streamed
        numbers.counted += counted
        numbers.read += read
        numbers.unequal += counted != read

    def _finding(self, one: AuditedExchange, finding: AuditFinding, numbers: Numbers) -> None:
        whose = "own" if one.who.own else "compatible"
        if finding.side == "response":
            self.broken[finding.rule.id] += 1
        elif one.record.status < 400:
            numbers.findings[finding.rule.consequence, whose] += 1
            self.accepted[finding.rule.id, finding.rule.consequence, whose] += 1
            if finding.rule.consequence == "rejected" and one.who.own and one.record.framed:
                self.rejected.append(finding)

    def _refused(self, one: AuditedExchange) -> None:
        facts, status, offered = one.exchange.facts, one.record.status, one.exchange.offered
        with_tools = facts.tools or facts.calls or facts.results
        if status >= 500 or status in NO_ANSWER_ABOUT_TOOLS or not with_tools or offered is None:
            return
        message = offered.error.message if offered.error is not None else ""
        rules = sorted({item.rule.id for item in one.findings if item.predicted})
        self.refused.append(Refused(one.who.provider, one.who.host, message, rules))


# --- writing ---------------------------------------------------------------------------------------------------------


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """A Markdown table."""
    names = list(head)
    yield f"| {' | '.join(names)} |"
    yield "|" + "---|" * len(names)
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""


def report(audit: Audit, found: Collected) -> Iterator[str]:
    """The lines of the report."""
    yield from INTRO.splitlines()
    yield ""
    yield from _traffic(found)
    yield from _promises(found)
    yield from _accepted(found)
    yield from _refusals(found)
    yield from _hosts()
    yield from _not_judged(audit)


def _traffic(found: Collected) -> Iterator[str]:
    yield "## What was judged"
    yield ""
    rows = [
        (name, one.exchanges, one.own, one.exchanges - one.own, one.retold, one.requests, one.linked, one.bodies,
         one.streams, one.refused)
        for name, one in found.numbers.items() if one.exchanges
    ]  # fmt: skip
    totals = [sum(row[place] for row in rows) for place in range(1, 10)]
    head = ("provider", "exchanges", "own hosts", "compatible hosts", "retold", "requests", "continue another",
            "answers", "streams", "errors")  # fmt: skip
    yield from table(head, [*rows, ("**all**", *totals)])


def _promises(found: Collected) -> Iterator[str]:
    yield "## What holds"
    yield ""
    yield f"- findings `rejected` on requests that the provider itself answered 2xx: **{len(found.rejected)}**"
    yield f"- answers and streams that a grammar refuses: **{sum(found.broken.values())}**"
    yield from (f"    - `{rule}` ({count}): {FIXTURES.get(rule, '')}" for rule, count in sorted(found.broken.items()))
    yield ""
    yield "Calls in answers, counted by a program that knows none of our readers, and read by them:"
    yield ""
    rows = [(name, one.counted, one.read, one.unequal) for name, one in found.numbers.items() if one.exchanges]
    yield from table(("provider", "counted", "read", "answers that differ"), rows)
    yield (
        "The answers that differ are fixtures in which several streams were joined to one: the reader takes the first "
        "message, or the last one where a proxy began anew."
    )
    yield ""


def _accepted(found: Collected) -> Iterator[str]:
    yield "## What is wrong with requests that were accepted"
    yield ""
    head = ("provider", *(f"{consequence}, {whose}" for consequence in CONSEQUENCES for whose in ("own", "compatible")))
    rows = [
        (name, *(one.findings[consequence, whose] for consequence in CONSEQUENCES for whose in ("own", "compatible")))
        for name, one in found.numbers.items()
        if one.exchanges
    ]
    yield from table(head, rows)
    yield "Providers put up with these; something is lost all the same:"
    yield ""
    by_rule = Counter[tuple[str, str]]()
    for (rule, consequence, _), count in found.accepted.items():
        by_rule[rule, consequence] += count
    told = [(f"`{rule}`", what, count, FINDINGS.get(rule, "")) for (rule, what), count in by_rule.most_common()]
    yield from table(("rule", "consequence", "findings", "who"), told)


def _refusals(found: Collected) -> Iterator[str]:
    predicted = sum(bool(one.predicted) for one in found.refused)
    yield "## What providers refused"
    yield ""
    yield (
        f"{len(found.refused)} requests with tools were answered 4xx, other than for a wrong key, an unknown model or "
        f"a limit. For {predicted} of them a rule says so beforehand, for the reason that the provider gave."
    )
    yield ""
    groups: dict[tuple[str, str], list[Refused]] = {}
    for one in found.refused:
        groups.setdefault((kind_of(one.message).words, one.host), []).append(one)
    rows = [
        (words, host, len(ones), sum(bool(one.predicted) for one in ones), _by(ones))
        for (words, host), ones in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    ]
    yield from table(("refused because of", "host", "requests", "predicted", "by, or why not"), rows)


def _by(ones: list[Refused]) -> str:
    rules = sorted({rule for one in ones for rule in one.predicted})
    why = kind_of(ones[0].message).why if not all(one.predicted for one in ones) else ""
    return "; ".join([*(f"`{rule}`" for rule in rules), *([why] if why else [])])


def _hosts() -> Iterator[str]:
    yield "## Hosts that take more"
    yield ""
    yield "Seen in this traffic: requests that break a rule, answered 2xx. Only there it is not held against them."
    yield ""
    rows = [
        (host.title, f"`{entry.rule}`", entry.what)
        for host in hosts().values()
        for entry in host.of("takes", "sends")
        if entry.rule
    ]
    yield from table(("host", "rule", "why"), rows)


def _not_judged(audit: Audit) -> Iterator[str]:
    kinds = Counter(_kind(item.why) for item in audit.unreadable)
    yield "## What was not judged"
    yield ""
    yield from table(("why", "exchanges"), kinds.most_common())


def _kind(why: str) -> str:
    """Whose it is, without the account and the model."""
    _, _, address = why.partition("POST ")
    host, _, path = address.partition("/")
    last = path.rpartition("/")[2]
    return f"not a provider we know: {host}, …/{last}" if host and "/ai/run/" not in path else why.partition("/")[0]


def main(arguments: list[str]) -> None:
    """Read the traffic and write the report."""
    found = Collected()
    audit = Audit(watch=found.add)
    traffic = Path(arguments[0]) if arguments else CORPUS
    if not traffic.exists():
        sys.exit(f"no such file: {traffic}")
    for _ in audit.read(traffic):
        pass
    page = Path(arguments[1]) if len(arguments) > 1 else ROOT / "reports" / "real-traffic.md"
    page.write_text("\n".join(report(audit, found)).rstrip() + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
