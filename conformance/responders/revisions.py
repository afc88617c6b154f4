"""Telling a recording of a scenario as it is from one of the scenario as it was."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from conformance.model import Json, compact_json, to_json
from conformance.recordings.interaction import Provenance
from conformance.scenarios import Scenario


def revision(scenario: Scenario) -> str:
    """A digest of all in a scenario that decides what is sent and answered: neither its title nor its rules do."""
    said = _since_then(to_json(replace(scenario, id="", title="", rules=(), elsewhere=None)))
    return hashlib.sha256(compact_json(said).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _since_then(value: Json) -> Json:
    """A value without what scenarios had not when the first were recorded, where it is not used."""
    if isinstance(value, dict):
        later: dict[str, Json] = {"takes_text": False, "undeclared": False, "caching": False, "output": None}
        later |= {"quirks": []} if {"kind", "message"} <= value.keys() else {}
        return {key: _since_then(item) for key, item in value.items() if key not in later or later[key] != item}
    return [_since_then(item) for item in value] if isinstance(value, list) else value


def is_stale(provenance: Provenance | None, scenario: Scenario) -> bool:
    """Whether a scenario says something else than when it was recorded. Of others' cassettes nobody knows."""
    return provenance is not None and provenance.scenario_revision != revision(scenario)
