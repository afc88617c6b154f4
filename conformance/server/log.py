"""What was asked and answered: the last exchanges in full, and counts of all.

Only the event loop writes here. An answer that is given again is counted later, when somebody asks (`Log.settle`),
so that giving it stays cheap.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter, deque
from dataclasses import dataclass, field
from itertools import islice

from conformance.engine.evidence import bounded, evidence_id, shortened, shown_request
from conformance.engine.report import CaseReport, Failure, RuleReport
from conformance.masking.door import Mask
from conformance.masking.words import SHOWN
from conformance.model import Json
from conformance.outcomes import worst
from conformance.schemas import schema
from conformance.server.judging import words
from conformance.server.served import ServedExchange
from conformance.server.settings import Settings
from conformance.version import VERSION

MAX_CASES = 5_000
MAX_CLIENTS = 50
OTHERS = "other clients"
"""What clients are called after the first `MAX_CLIENTS`."""
MAX_BYTES = 64_000_000
"""How many bytes the remembered exchanges may have."""
MAX_WARNINGS = 100
"""How many different warnings are kept."""
MAX_FAILURES = 2
"""How many findings of a rule are kept for a case."""
_CLIENT = re.compile(r"[^ -~]")
LoggedCase = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One exchange, with its number from 1 and the time of its answer."""

    number: int
    time: float
    client: str
    served: ServedExchange


@dataclass
class Log:
    """The memory of what happened."""

    settings: Settings
    started: datetime.datetime = field(default_factory=lambda: datetime.datetime.now(datetime.UTC))
    total: int = 0
    entries: deque[LogEntry] = field(default_factory=deque)
    cases: dict[LoggedCase, CaseReport] = field(default_factory=dict)
    clients: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    warnings: dict[str, int] = field(default_factory=dict)
    """What was warned of, and how often."""
    found: dict[str, str] = field(default_factory=dict)
    """The first finding of each rule, in words."""
    mask: Mask = field(default_factory=Mask)
    """Knows what is secret: what one request carries as a credential is hidden in all."""
    _size: int = 0
    _unsettled: dict[tuple[str, ServedExchange], int] = field(default_factory=dict)
    _closed: bool = False

    def close(self) -> None:
        """Nothing more is written down."""
        self._closed = True

    def enter(self, served: ServedExchange, agent: str, now: float) -> None:
        """Write down one exchange. ``agent`` is what the client calls itself."""
        if self._closed:
            return
        self.total += 1
        if served.times == 0:
            request, told = served.request, served.problem or served.judgement.told
            self.mask.learn_request(request.url, request.headers, request.body if told else b"")
            for item in served.judgement.told:
                if item.rule.id not in self.found:
                    self.found[item.rule.id] = shortened(self.mask.text(words(item)), 1000)
        self._warn(served.warning)
        client = self.settings.name or self.clients.get(agent) or self._client(agent)
        self.entries.append(LogEntry(self.total, now, client, served))
        if served.times == 0:
            self._size += served.size
        served.times += 1
        key = (client, served)
        self._unsettled[key] = self._unsettled.get(key, 0) + 1
        while len(self.entries) > self.settings.keep or self._size > MAX_BYTES:
            self._forget()
        if len(self._unsettled) > 1000:
            self.settle()

    def _warn(self, warning: str) -> None:
        text = shortened(self.mask.text(warning), 1000)
        if text in self.warnings or (text and len(self.warnings) < MAX_WARNINGS):
            self.warnings[text] = self.warnings.get(text, 0) + 1

    def _client(self, agent: str) -> str:
        name = _CLIENT.sub("?", self.mask.text(agent).replace(SHOWN, "..."))[:80].strip() or "a client without a name"
        if len(self.clients) >= MAX_CLIENTS:
            return OTHERS
        self.clients[agent] = name
        return name

    def _forget(self) -> None:
        served = self.entries.popleft().served
        served.times -= 1
        if served.times == 0:
            self._size -= served.size

    def settle(self) -> None:
        """Count what was put off."""
        unsettled, self._unsettled = self._unsettled, {}
        for (client, served), times in unsettled.items():
            self._count(client, served, times)

    def _count(self, client: str, served: ServedExchange, times: int) -> None:
        self.counts["streams"] += times * served.streaming
        self.counts["errors"] += times * (served.status >= 400)
        self.counts["refused"] += times * served.refused
        self.counts["faults"] += times * bool(served.fault)
        self.counts["with_findings"] += times * bool(served.judgement.found)
        for rule, checked in served.judgement.checked.items():
            self.checked[rule] += times * checked
        for item in served.judgement.found:
            self.failed[item.rule.id] += times
        if served.scenario is not None:
            self._count_case(client, served, times)

    def _count_case(self, client: str, served: ServedExchange, times: int) -> None:
        mode = "stream" if served.streaming else "blocking"
        case = (client, served.provider, served.scenario or "", mode)
        report = self.cases.get(case)
        if report is None:
            if len(self.cases) >= MAX_CASES:
                return
            report = self.cases[case] = CaseReport(client, served.provider, served.scenario or "", mode)
        for rule, checked in served.judgement.checked.items():
            report.rules.setdefault(rule, RuleReport("pass")).checked += times * checked
        for item in served.judgement.found:
            entry = report.rules[item.rule.id]
            entry.outcome = worst((entry.outcome, "warn" if item.rule.level == "should" else "fail"))
            if len(entry.failures) < MAX_FAILURES:
                name = evidence_id([*case, served.place, item.rule.id])
                report.evidence[name] = _evidence(served, self.mask)
                entry.failures.append(Failure(item.at, item.expected, item.found, "request", name))

    # --- documents ---------------------------------------------------------------------------------------------------

    def document(self, since: int = 0, limit: int = 100) -> dict[str, Json]:
        """What was found so far: see ``findings.schema.json``. Of the exchanges after number ``since``, the last."""
        self.settle()
        newer = [entry for entry in self.entries if entry.number > since]
        return {
            "schema": schema("findings")["$id"],
            "server": {
                "version": VERSION,
                "started": _utc(self.started),
                "profile": self.settings.profile,
                "lenient": self.settings.lenient,
            },
            "counts": {
                "exchanges": self.total,
                **{name: self.counts[name] for name in ("streams", "errors", "refused", "faults", "with_findings")},
            },
            "warnings": [{"text": text, "times": times} for text, times in self.warnings.items()],
            "rules": {rule: {"checked": self.checked[rule], "failed": self.failed[rule]} for rule in self.checked},
            "exchanges": [_shown(entry, self.mask) for entry in islice(reversed(newer), limit)],
        }


def _utc(time: datetime.datetime) -> str:
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _shown(entry: LogEntry, mask: Mask) -> dict[str, Json]:
    served = entry.served
    request = shown_request(served.request, mask)
    shown: dict[str, Json] = {
        "number": entry.number,
        "time": _utc(datetime.datetime.fromtimestamp(entry.time, datetime.UTC)),
        "client": entry.client,
        "provider": served.provider,
        "scenario": served.scenario,
        "session": None if served.session is None else shortened(mask.text(served.session), 200),
        "answer": None if served.place is None else served.place + 1,
        "streaming": served.streaming,
        "status": served.status,
        "refused": served.refused,
        "problem": shortened(mask.text(served.problem), 1000),
        "fault": served.fault,
        "warning": shortened(mask.text(served.warning), 1000),
        "findings": mask.json([item.document() for item in served.judgement.told]),
        "request": request,
        "response": _response(served, mask),
    }
    return shown


def _response(served: ServedExchange, mask: Mask) -> dict[str, Json]:
    body = b"".join(served.chunks)
    return {
        "bytes": len(body),
        "chunks": len(served.chunks),
        "text": shortened(mask.text(body[:20_000].decode("utf-8", "backslashreplace")), 4000),
    }


def _evidence(served: ServedExchange, mask: Mask) -> dict[str, Json]:
    return {
        "model_call": (served.place or 0) + 1,
        "request": shown_request(served.request, mask),
        "response": {"status": served.status, "body": bounded(_response(served, mask)["text"])},
    }
