"""Results that were written before they had causes, and before they said whose doing a failing case is: made complete.

What such a result does not hold is not made up. It kept at most ten failures a cell, so a cause is counted in the cases
that are kept, and in the others of a cell only where all that is kept has one cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from conformance.causes.book import CauseBook, breaches_of
from conformance.causes.ranking import ranked
from conformance.documents import Document
from conformance.environments.finding import with_version
from conformance.outcomes import FAILURES


def completed(document: Document) -> Document:
    """The result with its causes, and with what only others than the providers do taken for a warning."""
    if "causes" in document:
        causes = list(_told_causes(document))
        return document if len(causes) == len(document["causes"]) else {**document, "causes": causes}
    cells = [_lightened(cell) for cell in document["cells"]]
    run = document["run"]
    if run["exit_code"] == 1 and not _fails(cells, document["adapters"]) and not run.get("baseline"):
        run = {**run, "exit_code": 0}
    told = {**document, "cells": cells, "run": run}
    rules = {rule["id"]: rule for rule in document["rules"]}
    weighed = [{"consequence": rules[cell["rule"]]["consequence"], **cell} for cell in cells if cell["rule"] in rules]
    told = {**told, "evidence": _with_versions(told)}
    return {**told, "causes": ranked(_book(told).causes.values(), weighed, _played(cells))}


def _told_causes(document: Document) -> Iterator[Document]:
    """The causes of which the result holds what they name. Parts of a result may have been taken out."""
    rules = {rule["id"] for rule in document["rules"]}
    adapters = {adapter["id"] for adapter in document["adapters"]}
    for cause in document["causes"]:
        shown = cause["such_as"]["evidence"] in document["evidence"]
        if shown and cause["adapter"] in adapters and rules.issuperset(cause["rules"]):
            yield cause


def _with_versions(document: Document) -> Document:
    """The evidence, whose commands name the version that was judged, where an environment is asked for its newest."""
    versions = {adapter["id"]: adapter["version"] for adapter in document["adapters"]}
    found = dict(document["evidence"])
    for cell in document["cells"]:
        for name in {failure["evidence"] for failure in cell["failures"]} & found.keys():
            start, address, rest = (found[name]["reproduce"].split(" ", 3) + [""] * 4)[1:4]
            if start == "run":
                words = ["conformance", "run", with_version(address, versions.get(cell["adapter"], "")), rest]
                found[name] = {**found[name], "reproduce": " ".join(words).rstrip()}
    return found


def _lightened(cell: Document) -> Document:
    from conformance.scenarios import is_elsewhere

    failed = cell.get("failed_cases", [])
    light = [case for case in failed if is_elsewhere(case, cell["provider"])]
    if not light:
        return cell
    if len(light) < len(failed):
        return {**cell, "lightened_cases": light}
    return {**cell, "outcome": "warn", "word": "oddity", "lightened_cases": light}


def _fails(cells: Iterable[Document], adapters: Iterable[Document]) -> bool:
    hindered = any(met["kind"] == "installation" for adapter in adapters for met in adapter.get("obstacles", ()))
    return hindered or any(cell["outcome"] in FAILURES and cell.get("flag") != "expected_fail" for cell in cells)


def _book(document: Document) -> CauseBook:
    book = CauseBook()
    found: dict[tuple[str, str, str], set[str]] = {}
    for breach, failure in breaches_of(document):
        name, _ = book.enter(breach, failure)
        found.setdefault((breach.adapter, breach.provider, breach.rule), set()).add(name)
    for cell in document["cells"]:
        causes = found.get((cell["adapter"], cell["provider"], cell["rule"]), set())
        if len(causes) == 1:
            (name,) = causes
            book.causes[name].cells[cell["provider"], cell["rule"]].update(cell.get("failed_cases", ()))
    return book


def _played(cells: Iterable[Document]) -> Mapping[tuple[str, str], int]:
    """At least how many cases there were by adapter and provider: the most that one rule saw."""
    found: dict[tuple[str, str], int] = {}
    for cell in cells:
        place = (cell["adapter"], cell["provider"])
        seen = sum(count for outcome, count in cell["cases"].items() if outcome != "unsupported")
        found[place] = max(found.get(place, 0), seen)
    return found
