"""One cell of a result in all that is known of it: for people as text, and as data."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

from conformance.documents import Document, bytes_read
from conformance.report.explain import SIDES
from conformance.report.summary import CONSEQUENCES, clipped, consequence, contrast, cut_words, plain, titled, words
from conformance.result import MAX_RESULT
from conformance.rules import names_of

SHOWN_LINES = 24
"""How many lines of each body are shown."""
DEFAULT = Path("result.json")
REPORTS = Path("reports")


class NoCellError(ValueError):
    """There is no such cell, or no result. The message says what is there instead."""


def result_file(cell: str) -> Path:
    """The result to read for a cell when none is named: ``./result.json``, or the one below ``reports`` that fits best.

    That is the newest run of those that know the cell's adapter. Times of files say nothing: a checkout makes them all
    at once. Raises `NoCellError` when there is no result.
    """
    if DEFAULT.is_file():
        return DEFAULT
    found = list(REPORTS.rglob("result.json"))
    if not found:
        raise NoCellError("no result.json here or in reports/: name one with --result FILE")
    return max(found, key=lambda path: (*_fitness(path, cell), str(path)))


def _fitness(path: Path, cell: str) -> tuple[bool, str]:
    """Whether a result knows the adapter of a cell, and when it was made. What cannot be read fits worst."""
    try:
        document = json.loads(bytes_read(path, MAX_RESULT))
        known = {adapter["id"] for adapter in document["adapters"]}
        return cell.rsplit("/", 2)[0] in known, str(document["run"]["started"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return False, ""


def find_cell(document: Document, name: str, path: Path) -> Document:
    """The cell called ``ADAPTER/PROVIDER/RULE``. Raises `NoCellError` with the nearest name."""
    parts = name.rsplit("/", 2)
    if len(parts) != 3:
        raise NoCellError(f"a cell is ADAPTER/PROVIDER/RULE, not {name!r}")
    cells: list[Document] = document["cells"]
    for key, wanted in zip(("adapter", "provider", "rule"), parts, strict=True):
        known = list(dict.fromkeys(cell[key] for cell in cells))
        names = names_of(wanted) if key == "rule" else (wanted,)
        cells = [cell for cell in cells if cell[key] in names]
        if not cells:
            raise NoCellError(f"{path}: no {key} {wanted!r} in {name!r}{_nearest(wanted, known)}")
    return cells[0]


def _nearest(name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; there are {', '.join(known)}" if len(known) < 20 else ""


def cell_data(document: Document, cell: Document) -> dict[str, Any]:
    """The cell with its rule, its adapter, and the evidence in each failure, as a JSON document."""
    rule, adapter = _rule(document, cell), _adapter(document, cell)
    failures = [{**item, "evidence": document["evidence"][item["evidence"]]} for item in cell["failures"]]
    return {**cell, "adapter": adapter, "rule": rule, "failures": failures}


def _rule(document: Document, cell: Document) -> Document:
    rule: Document = next(item for item in document["rules"] if item["id"] == cell["rule"])
    return rule


def _adapter(document: Document, cell: Document) -> Document:
    adapter: Document = next(item for item in document["adapters"] if item["id"] == cell["adapter"])
    return adapter


def cell_text(document: Document, cell: Document, width: int) -> str:
    """Everything as text. Prose and bodies keep to ``width`` columns; what must be copied stays in one line."""
    return "\n".join(_text(document, cell, width)) + "\n"


def _text(document: Document, cell: Document, width: int) -> Iterator[str]:
    rule, adapter = _rule(document, cell), _adapter(document, cell)
    name = f"{cell['adapter']}/{cell['provider']}/{cell['rule']}"
    yield plain(name)
    yield from _prose(rule["statement"], "  ", width)
    yield ""
    yield from _field("outcome", " ".join(filter(None, (words(cell["outcome"]), _flag(cell)))), width)
    yield from _field("cases", ", ".join(f"{count} {words(kind)}" for kind, count in cell["cases"].items()), width)
    yield from _field("adapter", titled(adapter), width)
    yield from _field("level", rule["level"], width)
    shown = consequence(rule, [cell])
    yield from _field("consequence", f"{shown}: {CONSEQUENCES[shown]}", width)
    if cell.get("evidence"):
        yield from _field("evidence", cell["evidence"], width)
    if rule.get("side") in SIDES:
        yield from _field("judges", f"{SIDES[rule['side']]} ({rule['stage']})", width)
    if cell.get("why"):
        yield from _field("why", cell["why"], width)
    for finding in cell.get("judged", []):
        yield from _judged(finding, width)
    yield from ("", "  source")
    for source in rule["source"]:
        yield from _prose(source, "    ", width, hanging="      ")
    for number, failure in enumerate(cell["failures"], 1):
        yield ""
        yield from _failure(document, number, failure, width)
    told = {failure["case"] for failure in cell["failures"]}
    if others := [case for case in cell.get("failed_cases", []) if case not in told]:
        yield from ("", f"  failed too, without evidence here: {len(others)}")
        yield from _prose(clipped(", ".join(others), 6 * width), "    ", width)
    if cell["failures"]:
        yield from ("", "  as a program that needs only the library", f"    conformance explain {plain(name)} --script")


def _flag(cell: Document) -> str:
    return f"({words(cell['flag'])})" if "flag" in cell else ""


def _judged(finding: Document, width: int) -> Iterator[str]:
    """What somebody found who read the failures."""
    yield ""
    yield from _field("judged", f"{finding['title']} ({finding['consequence']}, {finding['judgement']})", width)
    yield from _prose(finding["why"], " " * 15, width)
    for thread in finding.get("issues", ()):
        yield f"{' ' * 15}{plain(thread['url'])} ({thread['state']}, {thread['date']})"


def _failure(document: Document, number: int, failure: Document, width: int) -> Iterator[str]:
    evidence = document["evidence"][failure["evidence"]]
    expected, found = contrast(failure)
    yield f"  {number}. {plain(failure['case'])}" + (
        f", model call {evidence['model_call']}" if "model_call" in evidence else ""
    )
    for name, value in (("at", f"{failure['at'] or '(whole)'} in the {failure['in']}"),
                        ("expected", expected), ("found", found)):  # fmt: skip
        yield from _prose(value, f"     {name:<10}", width, hanging=" " * 15)
    if cut := cut_words(evidence):
        yield from _prose(cut, f"     {'cut':<10}", width, hanging=" " * 15)
    yield from _evidence(evidence, width)
    yield f"     reproduce {plain(evidence['reproduce'])}"


def _evidence(evidence: Document, width: int) -> Iterator[str]:
    if request := evidence.get("request"):
        yield from _body(f"request   {request['method']} {request['url']}", request["body"], width)
    if response := evidence.get("response"):
        chunks = response.get("chunk_count")
        more = f", {chunks} chunks, {response['bytes']} bytes, together" if chunks is not None else ""
        yield from _body(f"response  {response['status']}{more}", response.get("body", response.get("answer")), width)
    if understood := evidence.get("understood"):
        shown = {key: value for key, value in understood.items() if key != "opaque"}
        yield from _body("understood", shown, width)
    if failed := evidence.get("failure"):
        yield from _prose(failed["message"], f"     {'failure':<10}", width, hanging=" " * 15)


def _body(title: str, body: Any, width: int) -> Iterator[str]:
    """A document under its title: its first lines."""
    yield f"     {plain(title)}"
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, indent=1)
    lines = text.split("\n")
    for line in lines[:SHOWN_LINES]:
        yield f"       {clipped(plain(line), max(20, width - 7))}"
    if (left := len(lines) - SHOWN_LINES) > 0:
        yield f"       … {left} more lines: all with --format json"


def _field(name: str, value: str, width: int) -> Iterator[str]:
    yield from _prose(value, f"  {name:<13}", width, hanging=" " * 15)


def _prose(text: str, first: str, width: int, *, hanging: str | None = None) -> Iterator[str]:
    """Words, broken between them. What has none to break at stays whole, so that it can be copied."""
    after = first if hanging is None else hanging
    yield from wrap(
        plain(text), width, initial_indent=first, subsequent_indent=after,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
