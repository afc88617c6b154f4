"""An audit as JSON Lines: each finding as soon as it is there, so that memory does not grow with the traffic."""

from __future__ import annotations

import dataclasses

from conformance.masking.door import Mask
from conformance.model import Json, compact_json
from conformance.traffic.audit import Audit


class AuditLines:
    """Takes from an audit what it found since it was asked last.

    Each line has a ``kind``: ``finding``, ``unreadable``, ``broken``, and at last ``summary``. Secrets are hidden that
    the exchange of a finding, or one before it, gives away.
    """

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._mask = Mask()
        self.musts = 0
        """How many findings are of rules that say must."""
        self.broken = 0
        """How often a rule broke down."""

    def taken(self) -> str:
        """The lines since this was asked last. The audit keeps none of what they tell."""
        audit, lines = self._audit, []
        for finding in audit.findings:
            finding.tell(self._mask)
            lines.append(_line("finding", finding.document(self._mask)))
            self.musts += finding.rule.level == "must"
        lines += [_line("unreadable", self._mask.json(dataclasses.asdict(one))) for one in audit.unreadable]
        lines += [_line("broken", self._mask.json(dataclasses.asdict(one))) for one in audit.broken]
        self.broken += len(audit.broken)
        for told in (audit.findings, audit.unreadable, audit.broken):
            told.clear()
        return "".join(lines)

    def summary(self) -> str:
        """The last line: how many exchanges there were, and what each rule examined."""
        rules = {rule: dataclasses.asdict(tally) for rule, tally in self._audit.tallies.items()}
        return _line("summary", {"exchanges": self._audit.exchanges, "judged": self._audit.judged, "rules": rules})


def _line(kind: str, document: dict[str, Json]) -> str:
    return compact_json({"kind": kind, **document}) + "\n"
