"""Several results as one matrix: adapters side by side."""

from __future__ import annotations

from collections import Counter

from conformance.causes.ranking import importance
from conformance.documents import Document
from conformance.wording import LineError

EXIT_CODES = (0, 4, 5, 1, 2, 3, 130)
"""From best to worst: a matrix has the worst exit code of its results."""


class MergeError(LineError):
    """A result whose parts do not fit together, or several that do not. The message says which part, and why."""


def merged_results(documents: list[Document]) -> Document:
    """One document with the adapters and cells of all. Raises `MergeError` when they do not make one matrix."""
    for document in documents:
        _check_references(document)
    first, *rest = documents
    if not rest:
        return first
    _check_same(documents)
    documents = _told_apart(documents)
    first = documents[0]
    cells = [cell for document in documents for cell in document["cells"]]
    _check_once(cells)
    return {
        **first,
        "run": _run([document["run"] for document in documents]),
        "adapters": _unique([item for document in documents for item in document["adapters"]]),
        "rules": _unique([item for document in documents for item in document["rules"]]),
        **_causes(documents),
        "cells": cells,
        "evidence": {name: item for document in documents for name, item in document["evidence"].items()},
    }


def _check_references(document: Document) -> None:
    """Cells name adapters, rules and evidence, which the schema cannot check."""
    adapters, rules = ({item["id"] for item in document[name]} for name in ("adapters", "rules"))
    for cell in document["cells"]:
        where = f"the cell {cell['adapter']} / {cell['provider']} / {cell['rule']}"
        if cell["adapter"] not in adapters:
            raise MergeError(f"{where} is of an adapter that the result does not describe")
        if cell["rule"] not in rules:
            raise MergeError(f"{where} is of a rule that the result does not describe")
        if any(failure["evidence"] not in document["evidence"] for failure in cell["failures"]):
            raise MergeError(f"{where} has a failure whose evidence is not in the result")


def _check_same(documents: list[Document]) -> None:
    """Cells can be compared only when the same rules judged the same adapters."""
    for name, values in (
        ("profile", {document["run"]["profile"] for document in documents}),
        ("suite version", {document["suite"]["version"] for document in documents}),
    ):
        if len(values) > 1:
            raise MergeError(f"results do not make one matrix: {name} {' and '.join(sorted(values))}")


def _told_apart(documents: list[Document]) -> list[Document]:
    """The documents, in which adapters that come in several versions have the version in their names, as in one run."""
    versions: dict[str, set[str]] = {}
    for adapter in (adapter for document in documents for adapter in document["adapters"]):
        versions.setdefault(adapter["id"], set()).add(adapter["version"])
    several = {name for name, found in versions.items() if len(found) > 1}
    if not several:
        return documents
    return [_renamed(document, several, number) for number, document in enumerate(documents, 1)]


def _renamed(document: Document, several: set[str], number: int) -> Document:
    """A document with other names for some adapters. Its evidence and its causes get names of their own: two versions
    at one address have the same ones."""
    names = {
        adapter["id"]: f"{adapter['id']} {adapter['version']}"
        for adapter in document["adapters"]
        if adapter["id"] in several
    }

    def failure(item: Document) -> Document:
        own = {key: f"{item[key]}-{number}" for key in ("evidence", "cause") if item.get(key)}
        return {**item, **own}

    def named(item: Document, key: str) -> Document:
        return {**item, key: names.get(item[key], item[key])}

    told = {
        **document,
        "adapters": [named(named(one, "id"), "name") for one in document["adapters"]],
        "cells": [
            {**named(cell, "adapter"), "failures": [failure(item) for item in cell["failures"]]}
            for cell in document["cells"]
        ],
        "evidence": {f"{name}-{number}": item for name, item in document["evidence"].items()},
    }
    if "causes" in document:
        told["causes"] = [
            {**named(one, "adapter"), "id": f"{one['id']}-{number}", "such_as": failure(one["such_as"])}
            for one in document["causes"]
        ]
    return told


def _causes(documents: list[Document]) -> Document:
    """The causes of all, in one order. Where a result has none, they are looked for when they are told."""
    if not all("causes" in document for document in documents):
        return {}
    found = (cause for document in documents for cause in document["causes"])
    return {"causes": sorted(found, key=importance)}


def _check_once(cells: list[Document]) -> None:
    counts = Counter((cell["adapter"], cell["provider"], cell["rule"]) for cell in cells)
    for (adapter, provider, rule), count in counts.most_common(1):
        if count > 1:
            raise MergeError(f"two results have a cell for {adapter} on {provider}, rule {rule}: leave one of them out")


def _run(runs: list[Document]) -> Document:
    cases = {name: sum(run["cases"][name] for run in runs) for name in ("planned", "finished", "unsupported")}
    run = {
        **runs[0],
        "started": min(run["started"] for run in runs),
        "duration_s": round(sum(run["duration_s"] for run in runs), 3),
        "command": " && ".join(run["command"] for run in runs),
        "interrupted": any(run["interrupted"] for run in runs),
        "exit_code": max((run["exit_code"] for run in runs), key=EXIT_CODES.index),
        "cases": cases,
    }
    complaints = [line for run in runs for line in run.get("baseline", [])]
    return run | ({"baseline": complaints} if complaints else {})


def _unique(items: list[Document]) -> list[Document]:
    return list({item["id"]: item for item in items}.values())
