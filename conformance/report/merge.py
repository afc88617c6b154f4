"""Several results as one matrix: adapters side by side."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.causes.ranking import importance
from conformance.documents import Document
from conformance.wording import LineError

EXIT_CODES = (0, 4, 5, 1, 2, 3, 130)
"""From best to worst: a matrix has the worst exit code of its results."""


class MergeError(LineError):
    """A result whose parts do not fit together, or several that do not. The message says which part, and why."""


def merged_results(documents: list[Document], *, beside: bool = False) -> Document:
    """One document with the adapters and cells of all. Raises `MergeError` when they do not make one matrix.

    ``beside``: results of one version of an adapter, such as before and after a change, stand beside each other.
    """
    for document in documents:
        _check_references(document)
    first, *rest = documents
    if not rest:
        return first
    _check_same(documents)
    documents = _told_apart(documents, beside)
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
        "evidence": _evidence([document["evidence"] for document in documents]),
    }


def _evidence(parts: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The evidence of all. What is on disk stays there."""
    if all(isinstance(part, dict) for part in parts):
        return {name: item for part in parts for name, item in part.items()}
    return ChainMap(*reversed([dict(part) if isinstance(part, dict) else part for part in parts]))


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


def _told_apart(documents: list[Document], beside: bool) -> list[Document]:
    """The documents, in which adapters that come in several versions have the version in their names, as in one run."""
    versions: dict[str, list[str]] = {}
    for adapter in (adapter for document in documents for adapter in document["adapters"]):
        versions.setdefault(adapter["id"], []).append(adapter["version"])
    again = _played_again(documents) if beside else frozenset()
    several = {name for name, found in versions.items() if len(set(found)) > 1 or name in again}
    if not several:
        return documents
    alike = {name for name in again if len(set(versions[name])) < len(versions[name])}
    return [_renamed(document, several, alike, number) for number, document in enumerate(documents, 1)]


def _played_again(documents: list[Document]) -> frozenset[str]:
    """Adapters of which two results have the same cell."""
    places = (
        {(cell["adapter"], cell["provider"], cell["rule"]) for cell in document["cells"]} for document in documents
    )
    counts = Counter(place for own in places for place in own)
    return frozenset(adapter for (adapter, _, _), count in counts.items() if count > 1)


def _renamed(document: Document, several: set[str], alike: set[str], number: int) -> Document:
    """A document with other names for some adapters: those that are ``alike`` by version have the result's number too.

    Its evidence and its causes get names of their own: two versions at one address have the same ones.
    """
    names = {
        adapter["id"]: f"{adapter['id']} {adapter['version']}{f' ({number})' if adapter['id'] in alike else ''}"
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
        "evidence": _with_suffix(document["evidence"], f"-{number}"),
    }
    if "causes" in document:
        told["causes"] = [
            {**named(one, "adapter"), "id": f"{one['id']}-{number}", "such_as": failure(one["such_as"])}
            for one in document["causes"]
        ]
    return told


def _with_suffix(evidence: Mapping[str, Any], suffix: str) -> Mapping[str, Any]:
    if isinstance(evidence, dict):
        return {f"{name}{suffix}": item for name, item in evidence.items()}
    return _Suffixed(evidence, suffix)


class _Suffixed(Mapping[str, Any]):
    """Items under longer names."""

    def __init__(self, items: Mapping[str, Any], suffix: str) -> None:
        self._items = items
        self._suffix = suffix

    def __getitem__(self, name: str) -> Any:
        own = name.removesuffix(self._suffix)
        if own == name:
            raise KeyError(name)
        return self._items[own]

    def __iter__(self) -> Iterator[str]:
        return (f"{name}{self._suffix}" for name in self._items)

    def __len__(self) -> int:
        return len(self._items)


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
