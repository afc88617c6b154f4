"""Recorded refusals of requests with tools: which rules find the fault beforehand, and which know the words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from conformance.model import Json
from conformance.rules import catalogue
from conformance.traffic.audit import AuditedExchange

NOT_ABOUT_TOOLS = r"Content blocks are expected|file_data|file type|Cannot fetch content|context length"
"""Refusals of requests with tools for something else: sounds, files, addresses, length."""


@dataclass(frozen=True)
class Refusal:
    """A recorded answer 400 or 422 to a request with tools, for what is wrong with them."""

    host: str
    error: Json
    found: frozenset[str]
    """The rules with findings on the request."""
    meant: frozenset[str]
    """The rules whose refusal is told in these words."""

    @property
    def is_told(self) -> bool:
        """Whether a rule says beforehand that, and why, it is refused."""
        return bool(self.found & self.meant)


@dataclass
class Refusals:
    """Collects recorded refusals."""

    all: list[Refusal] = field(default_factory=list)

    def add(self, one: AuditedExchange) -> None:
        """Keep an exchange that was refused."""
        facts, body = one.exchange.facts, one.record.body
        if one.record.status not in (400, 422) or not (facts.tools or facts.calls or facts.results) or body is None:
            return
        error = _document(body)
        if re.search(NOT_ABOUT_TOOLS, json.dumps(error)):
            return
        found = frozenset(finding.rule.id for finding in one.findings if finding.side != "response")
        meant = frozenset(rule.id for rule in catalogue().values() if rule.predicts(error))
        self.all.append(Refusal(one.who.host, error, found, meant))

    def told(self) -> float:
        """The share that is told beforehand, and for the right reason."""
        return sum(one.is_told for one in self.all) / len(self.all)


def _document(body: bytes) -> Json:
    try:
        document: Json = json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")
    return document
