"""A baseline made of a result: what fails today is expected to, until a day that is not far away.

Who keeps the file says of each entry what is done about it: the reason that stands there tells only what was seen.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from glob import escape

from conformance.baseline import BaselineEntry
from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report.summary import contrast, counted

DAYS = 90
"""How long a failure is expected that nobody has looked at."""
UNSAID = "https://issues.invalid/say-where-it-is-worked-on"
"""The link of an adapter that has no address for issues."""
HEAD = """\
# Failures that are known (docs/running.md, "Baselines"): a run is green while these fail, and red when one passes.
# Say of each why it is here, and where it is being worked on.
"""


def known_failures(
    document: Document, kept: Sequence[BaselineEntry], today: datetime.date, *, whole: bool = True
) -> str:
    """The text of a baseline for all that fails in a result: the entries that it has been held against and that are
    needed still, as they are, and an entry for each other cell that fails.

    ``whole``: all scenarios were played in all deliveries. Otherwise nobody knows what is needed, and all are kept.
    """
    from json import dumps

    failing = [cell for cell in document["cells"] if cell["outcome"] in FAILURES]
    entries = [_as_written(entry) for entry in kept if not whole or any(_needed(entry, cell) for cell in failing)]
    several = len(document["adapters"]) > 1
    links = {one["id"]: one.get("issues") or UNSAID for one in document["adapters"]}
    expires = (today + datetime.timedelta(days=DAYS)).isoformat()
    for cell in failing:
        if cell.get("flag") != "expected_fail":
            entries.append({**_named(cell, several=several), "link": links[cell["adapter"]], "expires": expires})
    lines = [
        f"  {'-' if place == 0 else ' '} {name}: {dumps(value, ensure_ascii=False)}"
        for entry in entries
        for place, (name, value) in enumerate(entry.items())
    ]
    return HEAD + "\n".join(["expected_failures:" if lines else "expected_failures: []", *lines]) + "\n"


def _as_written(entry: BaselineEntry) -> dict[str, str]:
    globs = {name: getattr(entry, name) for name in ("adapter", "provider", "case")}
    chosen = {name: value for name, value in globs.items() if value != "*"}
    told = {"reason": entry.reason, "link": entry.link, "expires": entry.expires.isoformat()}
    return {"rule": entry.rule, **chosen, **told}


def _needed(entry: BaselineEntry, cell: Document) -> bool:
    return entry.is_about(cell["adapter"], cell["provider"], cell["rule"]) and any(map(entry.covers, _failed(cell)))


def _failed(cell: Document) -> list[str]:
    lightened = set(cell.get("lightened_cases", ()))
    return [case for case in cell["failed_cases"] if case not in lightened]


def _named(cell: Document, *, several: bool) -> dict[str, str]:
    adapter = {"adapter": escape(cell["adapter"])} if several else {}
    case = {"case": shared} if (shared := _shared(_failed(cell))) else {}
    return {"rule": cell["rule"], **adapter, "provider": cell["provider"], **case, "reason": _seen(cell)}


def _shared(cases: Sequence[str]) -> str:
    """The narrowest glob that covers cases by their case, scenario or family; ``""`` where they share none."""
    for glob in _globs(cases[0]):
        if all(case.startswith(glob.removesuffix("*")) if glob.endswith("*") else case == glob for case in cases):
            return glob
    return ""


def _globs(case: str) -> Iterator[str]:
    yield case
    yield f"{case.partition('/')[0]}/*"
    yield f"{case.partition('.')[0]}.*"


def _seen(cell: Document) -> str:
    """What was seen, in one line."""
    count = counted(len(_failed(cell)), "case")
    light = set(cell.get("lightened_cases", ()))
    shown = next((failure for failure in cell["failures"] if failure["case"] not in light), None)
    if shown is None:
        return f"{cell['outcome']} in {count}"
    expected, found = contrast(shown, 100)
    return f"{count}: expected {expected}, found {found}"
