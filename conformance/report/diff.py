"""Two results of the same adapters, cell by cell: what is worse, what is better, and what could not be compared."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Literal

from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report.summary import counted, titled
from conformance.rules import names_of
from conformance.schemas import schema

CellPlace = tuple[str, str, str]
"""Adapter, provider, rule."""

KINDS = {
    "regressions": "Regressions",
    "fixes": "Fixes",
    "unseen": "No longer exercised",
    "seen": "Newly exercised",
}
"""What can have become of a cell that both results have, and its heading."""
ALONE = {"only_before": "Only before", "only_after": "Only after"}
"""What only one result has, and its heading."""
LineKind = Literal["about", "heading", "item", "blank", "verdict"]
"""What a line for people is."""


class DiffError(ValueError):
    """Two results that cannot be compared. The message says why."""


def difference(before: Document, after: Document) -> Document:
    """What changed, as a document that conforms to ``diff.schema.json``. Raises `DiffError`."""
    old, new = before["run"]["profile"], after["run"]["profile"]
    if old != new:
        raise DiffError(f"results of two profiles cannot be compared: {old} and {new}")
    cells, others = _by_place(before), _by_place(after)
    both = [place for place in cells if place in others]
    found: dict[str, list[Document]] = {kind: [] for kind in KINDS}
    for place in both:
        if kind := _kind(cells[place], others[place]):
            found[kind].append(_change(place, cells[place], others[place]))
    return {
        "schema": schema("diff")["$id"],
        "before": _about(before),
        "after": _about(after),
        "compared": sum(_rank(cells[place]) is not None and _rank(others[place]) is not None for place in both),
        **found,
        "only_before": _alone(before, others, after),
        "only_after": _alone(after, cells, before),
    }


def _by_place(document: Document) -> dict[CellPlace, Document]:
    return {(cell["adapter"], cell["provider"], names_of(cell["rule"])[0]): cell for cell in document["cells"]}


def _about(document: Document) -> Document:
    adapters = [{"id": adapter["id"], "version": adapter["version"]} for adapter in document["adapters"]]
    run = {name: document["run"][name] for name in ("started", "command", "profile")}
    return {**run, "suite": document["suite"]["version"], "adapters": adapters}


def _kind(old: Document, new: Document) -> str | None:
    """What became of a cell; ``None`` when nothing did."""
    before, after = _rank(old), _rank(new)
    if after is None:
        return None if before is None else "unseen"
    if before is None:
        return "regressions" if after else "seen"
    if before != after:
        return "regressions" if after > before else "fixes"
    if _cases(new) - _cases(old):
        return "regressions"
    return "fixes" if _cases(old) - _cases(new) else None


def _rank(cell: Document) -> int | None:
    """How bad a cell is; ``None`` when its rule examined nothing."""
    if cell["outcome"] in FAILURES:
        return 2
    return {"pass": 0, "warn": 1}.get(cell["outcome"])


def _cases(cell: Document) -> set[str]:
    return set(cell.get("failed_cases", []))


def _change(place: CellPlace, old: Document, new: Document) -> Document:
    change: Document = dict(zip(("adapter", "provider", "rule"), place, strict=True))
    change |= {"before": old["outcome"], "after": new["outcome"]}
    for name, cases in (("failing", _cases(new) - _cases(old)), ("passing", _cases(old) - _cases(new))):
        if cases:
            change[name] = sorted(cases)
    return change


def _alone(document: Document, others: Container[CellPlace], other: Document) -> list[Document]:
    """The cells that only one result has, by rule or by column: whole rules and columns are told once."""
    alone = [cell for place, cell in _by_place(document).items() if place not in others]
    columns = {(cell["adapter"], cell["provider"]) for cell in other["cells"]}
    groups: dict[tuple[str, str], list[Document]] = {}
    for cell in alone:
        column = (cell["adapter"], cell["provider"])
        name = ("rule", cell["rule"]) if column in columns else ("column", " on ".join(column))
        groups.setdefault(name, []).append(cell)
    return [{"what": what, "name": name, "outcomes": _counts(cells)} for (what, name), cells in groups.items()]


def _counts(cells: Iterable[Document]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for cell in cells:
        counts[cell["outcome"]] = counts.get(cell["outcome"], 0) + 1
    return counts


# --- for people ------------------------------------------------------------------------------------------------------

SHOWN_CASES = 3
"""How many cases of a cell are named."""


def diff_lines(document: Document) -> Iterator[str]:
    """The difference as lines of text."""
    for kind, text in _lines(document):
        yield f"  {text}" if kind == "item" else text


def _lines(document: Document) -> Iterator[tuple[LineKind, str]]:
    """Each line with what it is, the verdict last."""
    for name in ("before", "after"):
        about = document[name]
        adapters = ", ".join(titled({"name": adapter["id"], **adapter}) for adapter in about["adapters"])
        yield "about", f"{name:<7} {adapters}, {about['started'][:16].replace('T', ' ')} UTC, suite {about['suite']}"
    for kind, head in KINDS.items():
        yield from _section(head, (_line(change) for change in document[kind]))
    for kind, head in ALONE.items():
        yield from _section(head, (_alone_line(item) for item in document[kind]))
    yield "blank", ""
    if not document["compared"] and not document["regressions"]:
        yield "verdict", "nothing was compared: no cell was examined in both results"
        return
    changed = (counted(len(document[kind]), word) for kind, word in (("regressions", "regression"), ("fixes", "fix")))
    yield "verdict", f"{', '.join(changed)} — {counted(document['compared'], 'cell')} compared"


def _section(head: str, lines: Iterable[str]) -> Iterator[tuple[LineKind, str]]:
    for number, line in enumerate(lines):
        if number == 0:
            yield from (("blank", ""), ("heading", head))
        yield "item", line


def _line(change: Document) -> str:
    was, now = (change[name].replace("_", " ") for name in ("before", "after"))
    outcome = now if was == now else f"{was} → {now}"
    told = [
        f"{word} now: {_names(change[name])}"
        for name, word in (("failing", "fails"), ("passing", "passes"))
        if name in change
    ]
    return f"{change['adapter']} on {change['provider']}: {change['rule']}: {'; '.join([outcome, *told])}"


def _names(cases: list[str]) -> str:
    more = len(cases) - SHOWN_CASES
    return ", ".join(cases[:SHOWN_CASES]) + (f" and {more} more" if more > 0 else "")


def _alone_line(item: Document) -> str:
    counts = ", ".join(f"{count} {outcome.replace('_', ' ')}" for outcome, count in item["outcomes"].items())
    return f"{item['what']} {item['name']}: {counts}"


def diff_markdown(document: Document) -> str:
    """The difference as Markdown, for a comment on a change."""
    from conformance.report.markdown import escaped

    *lines, (_, verdict) = _lines(document)
    text = [f"**{escaped(verdict)}**", ""]
    for kind, line in lines:
        match kind:
            case "item":
                text.append(f"- {escaped(line)}")
            case "heading":
                text += [f"### {line}", ""]
            case "about":
                text += [escaped(line), ""]
            case _:
                text.append("")
    return "\n".join(text).rstrip() + "\n"
