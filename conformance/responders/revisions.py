"""Telling a recording of a scenario as it is from one of the scenario as it was."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from conformance.model import compact_json, to_json
from conformance.recordings.interaction import Provenance
from conformance.scenarios import Scenario


def revision(scenario: Scenario) -> str:
    """A digest of all in a scenario that decides what is sent and answered: neither its title nor its rules do."""
    told = compact_json(to_json(replace(scenario, id="", title="", rules=())))
    return hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def is_stale(provenance: Provenance | None, scenario: Scenario) -> bool:
    """Whether a scenario says something else than when it was recorded. Of others' cassettes nobody knows."""
    return provenance is not None and provenance.scenario_revision != revision(scenario)
