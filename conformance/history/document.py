"""A history as data that conforms to ``history.schema.json``. Everything that is shown comes from this document."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from conformance.adapters.libraries import Library
from conformance.documents import Document
from conformance.environments.virtual import normalized
from conformance.history.keeping import suite_mark
from conformance.history.record import ReleaseRecord
from conformance.history.turns import package_changes, places, since, turns
from conformance.rules import catalogue
from conformance.schemas import schema
from conformance.version import VERSION


def history_document(
    name: str, library: Library, records: Sequence[ReleaseRecord], settings: Mapping[str, Any], command: str
) -> Document:
    """The history of a library, from records in the order of their releases."""
    by_version = {record.version: record for record in records}
    own = normalized(library.distribution)
    return {
        "schema": schema("history")["$id"],
        "suite": {"version": VERSION, "mark": suite_mark()},
        "library": name,
        "distribution": library.distribution,
        "made": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "command": command,
        "selection": {key: list(value) if isinstance(value, tuple) else value for key, value in settings.items()},
        "releases": [_release(record) for record in records],
        "rules": list(_rules(records)),
        "turns": [
            {
                **{key: list(value) if isinstance(value, tuple) else value for key, value in asdict(turn).items()},
                "packages": [
                    asdict(one) for one in package_changes(by_version[turn.before], by_version[turn.after], own)
                ],
            }
            for turn in turns(records)
        ],
    }


def _release(record: ReleaseRecord) -> Document:
    counted = Counter(outcome for outcomes in record.cells.values() for outcome in outcomes.values())
    lacks = Counter(words for cases in record.lacks.values() for words in cases.values())
    return {
        "version": record.version,
        "uploaded": record.uploaded,
        "standing": record.standing,
        "why": record.why,
        "exit_code": record.exit_code,
        "cases": sum(map(len, record.cases.values())),
        "cells": dict(sorted(counted.items())),
        "lacks": dict(lacks.most_common()),
        "packages": dict(record.packages),
    }


def _rules(records: Sequence[ReleaseRecord]) -> Iterator[Document]:
    judged = [record for record in records if record.is_judged]
    known = catalogue()
    for provider, rule in places(judged):
        yield {
            "provider": provider,
            "rule": rule,
            "level": known[rule].level if rule in known else "",
            "outcomes": [
                record.cells.get(provider, {}).get(rule, "not_applicable") if record.is_judged else None
                for record in records
            ],
            "since": asdict(since(records, provider, rule)),
        }
