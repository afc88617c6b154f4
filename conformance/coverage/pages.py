"""Coverage for people: as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.coverage.document import excused_share, total
from conformance.coverage.forms import SIDES
from conformance.documents import Document

AIMS: Sequence[tuple[str, str, tuple[str, ...], float]] = (
    ("what own hosts were recorded to send", "recorded", ("response", "stream"), 1.0),
    ("unions of answers and events", "unions", ("response", "stream"), 0.95),
    ("unions of requests, about tools", "unions", ("request",), 0.9),
)
"""What shall be covered, and how much of it."""

EXCUSED = 0.05
"""Which share of all forms may have a reason for not being covered."""

INTRO = """\
# Coverage by form

Every member, union branch and closed value of the official SDKs' types, and every structural path, value, null, absence
and order of events that providers' own hosts were recorded to send, or to take with success. *Covered*: a scenario
renders it, or the reference adapter sends it. *Looked at*: taken out, or made another, in an exchange that has it, it
is told by a rule, or by a grammar. [docs/coverage.md](../docs/coverage.md) defines both. Made by
`python tools/publish.py coverage`.
"""

COLUMNS = ("provider", "side", "types", "covered", "looked at", "recorded", "covered", "looked at", "unions", "covered")


def coverage_text(document: Document) -> str:
    """The counts as a table of plain text, then what is not covered."""
    rows = [list(COLUMNS), *_rows(document)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    for provider, sides in document["providers"].items():
        for side in SIDES:
            lines += _listed(provider, side, sides[side]["uncovered"])
    return "\n".join(lines) + "\n"


def _listed(provider: str, side: str, uncovered: Mapping[str, Document]) -> Iterator[str]:
    if uncovered:
        yield ""
        yield f"not covered on {provider}, {side} (with what is below):"
        yield from (f"  {form}{_words(entry)}" for form, entry in _by_weight(uncovered))


def coverage_markdown(document: Document) -> str:
    """The page."""
    return "\n".join(_page(document)) + "\n"


def _page(document: Document) -> Iterator[str]:
    yield from INTRO.splitlines()
    yield ""
    yield from ("| aim | of | covered | is | looked at |", "|---|--:|--:|--:|--:|")
    for title, share, sides, aim in AIMS:
        counts = total(document, share, sides)
        yield _row(
            [f"{title}: {aim:.0%}", str(counts["forms"]), str(counts["covered"]),
             *(_percent(counts[name], counts["forms"]) for name in ("covered", "looked_at"))]
        )  # fmt: skip
    yield ""
    yield f"With a reason for not being covered: {excused_share(document):.1%} of all forms (at most {EXCUSED:.0%})."
    yield ""
    yield from (_row(COLUMNS), f"|---|---|{'--:|' * (len(COLUMNS) - 2)}")
    yield from (_row(row) for row in _rows(document))
    for provider, sides in document["providers"].items():
        yield from ("", f"## {provider}")
        for side in SIDES:
            yield from _details(side, sides[side])


def _details(side: str, counts: Document) -> Iterator[str]:
    uncovered, unseen = counts["uncovered"], counts["not_looked_at"]
    if uncovered:
        yield from ("", f"<details><summary>{side}: {len(uncovered)} places that are not covered</summary>", "")
        yield from (f"- `{form}`{_words(entry)}" for form, entry in _by_weight(uncovered))
        yield from ("", "</details>")
    if unseen:
        yield from ("", f"<details><summary>{side}: {len(unseen)} covered forms that nothing looks at</summary>", "")
        yield from (f"- `{form}`" for form in unseen)
        yield from ("", "</details>")


def _rows(document: Document) -> Iterator[list[str]]:
    for provider, sides in document["providers"].items():
        for side in SIDES:
            counts = sides[side]
            if counts["all"]["forms"]:
                cells = [*_three(counts["types"]), *_three(counts["recorded"]), *_three(counts["unions"])[:2]]
                yield [provider, side, *cells]


def _three(counts: Mapping[str, int]) -> list[str]:
    every = counts["forms"]
    return [str(every), *(_percent(counts[name], every) for name in ("covered", "looked_at"))] if every else [""] * 3


def _percent(part: int, every: int) -> str:
    return f"{part / every:.0%}" if every else ""


def _by_weight(uncovered: Mapping[str, Document]) -> list[tuple[str, Document]]:
    """What was recorded most comes first, then what has most below it."""
    return sorted(uncovered.items(), key=lambda item: (-item[1].get("recorded", 0), -item[1]["forms"], item[0]))


def _words(entry: Document) -> str:
    below = f", {entry['forms']} forms" if entry["forms"] > 1 else ""
    recorded = f", recorded in {entry['recorded']}" if "recorded" in entry else ""
    reason = f" ({entry['reason']})" if "reason" in entry else ""
    return f"{below}{recorded}{reason}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
