"""What hosts refuse by the look of a request: the JSON Schemas in their files, and how much they take of something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.shared.measures import COUNTS, Amounts, amounts_asked, amounts_sent, limits_of
from conformance.rules.shared.shape import misfits
from conformance.transcript import Exchange
from conformance.wires import host_file
from conformance.wires.facts import obj
from conformance.wires.host import Entry


@check("compat.shape.taken-by-its-host")
def taken_by_its_host(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    for entry, validator in _asked_of(x.speaker) if document else ():
        if entry.is_of(x.asked_model):
            wrong = next(misfits(validator, document), None)
            yield wrong and replace(wrong, expected=_refused(entry))
    limits = [entry for entry in limits_of(x.speaker) if entry.is_of(x.asked_model)] if document else []
    if limits:
        yield from _beyond(limits, amounts_sent(x), amounts_asked(x))


def _beyond(limits: list[Entry], found: Amounts, meant: Amounts) -> Iterator[Finding | None]:
    """What a request has too much of. What the application itself asks for is not the adapter's doing."""
    for entry in limits:
        for name, most in entry.most.items():
            allowed = max([most, *(number for _, number in COUNTS[name](meant))])
            for at, number in COUNTS[name](found):
                yield None if number <= allowed else Finding(at, _refused(entry), number)


def _refused(entry: Entry) -> str:
    return f"not what this host refuses: {entry.what}"


@cache
def _asked_of(host: str) -> tuple[tuple[Entry, Any], ...]:
    """What a host refuses by its look, and the validators that find it."""
    import jsonschema_rs

    file = host_file(host)
    entries = file.entries if file is not None else ()
    return tuple((one, jsonschema_rs.validator_for(dict(one.request))) for one in entries if one.request is not None)
