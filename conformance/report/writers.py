"""Writers of a result by format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from conformance.documents import Document
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


def _table(document: Document, verbose: bool) -> str:
    import io

    from rich.console import Console

    from conformance.report.terminal import render

    stream = io.StringIO()
    render(document, Console(file=stream, highlight=False), verbose=verbose)
    return stream.getvalue()


