"""Writers of a result by format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from conformance.documents import Document
from conformance.engine.cases import Group
from conformance.report.junit import junit
from conformance.report.markdown import markdown
from conformance.result import as_text


def formatted_result(document: Document, kind: str, *, verbose: bool = False) -> str:
    """The result in one of the formats ``table``, ``json``, ``jsonl``, ``markdown`` and ``junit``."""
    if kind == "table":
        return _table(document, verbose)
    writers: dict[str, Callable[[Document], str]] = {
        "json": as_text,
        "jsonl": json_lines,
        "markdown": markdown,
        "junit": junit,
    }
    return writers[kind](document)


def json_lines(document: Document) -> str:
    """One object a line, each with a ``type``: the run, then adapters, rules, cells and evidence."""
    return "".join(json.dumps(line, ensure_ascii=True) + "\n" for line in _lines(document))


def _lines(document: Document) -> Iterator[Document]:
    yield {"type": "run", "schema": document["schema"], "suite": document["suite"], **document["run"]}
    for kind, name in (("adapter", "adapters"), ("rule", "rules"), ("cell", "cells")):
        yield from ({"type": kind, **item} for item in document[name])
    yield from ({"type": "evidence", "id": name, **item} for name, item in document["evidence"].items())


def planned_cases(groups: Iterable[Group]) -> Iterator[Document]:
    """The cases of a plan, each an object: ``plan.schema.json``."""
    for group in groups:
        for delivery in group.deliveries:
            case = {
                "id": f"{group.address} {group.provider} {group.scenario}/{delivery}",
                "adapter": group.address,
                "provider": group.provider,
                "scenario": group.scenario,
                "delivery": delivery,
            }
            yield {**case, "unsupported": str(group.unsupported)} if group.unsupported else case


def planned_text(cases: list[Document], kind: str) -> str:
    """The cases of a plan as one array (``json``), or an object a line."""
    if kind == "json":
        return as_text(cases)
    return "".join(json.dumps(case, ensure_ascii=True) + "\n" for case in cases)


def _table(document: Document, verbose: bool) -> str:
    import io

    from rich.console import Console

    from conformance.report.terminal import render

    stream = io.StringIO()
    render(document, Console(file=stream, highlight=False), verbose=verbose)
    return stream.getvalue()


