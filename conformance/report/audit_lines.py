"""An audit as JSON Lines: the lines of each stretch as soon as it is judged, so that memory does not grow with the
traffic. Each line has a ``kind``: ``finding``, ``unreadable``, ``broken``, and at last ``summary``."""

from __future__ import annotations

from conformance.model import Json, compact_json
from conformance.traffic.gathered import GatheredAudit
from conformance.traffic.shards import JudgedStretch


def lines_of_stretch(stretch: JudgedStretch) -> str:
    """The lines of what was found in a stretch."""
    kinds = {"finding": stretch.findings, "unreadable": stretch.unreadable, "broken": stretch.broken}
    return "".join(_line(kind, one) for kind, found in kinds.items() for one in found)


def summary_line(gathered: GatheredAudit) -> str:
    """The last line: how many exchanges there were, and what each rule examined."""
    return _line(
        "summary", {"exchanges": gathered.exchanges, "judged": gathered.judged, "rules": dict(gathered.rules)}
    )


def _line(kind: str, document: dict[str, Json]) -> str:
    return compact_json({"kind": kind, **document}) + "\n"
