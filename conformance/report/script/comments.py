"""What a program says about itself, in no language: what to install, which rule is broken, and how."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from conformance.adapters.libraries.application import OWN
from conformance.documents import Document
from conformance.engine.report import Failure
from conformance.report.script.installation import installation
from conformance.report.script.language import WIDTH
from conformance.report.summary import clipped, contrast, plain

OWN_ID = ", an id of the application's own, because the library gave none"
LIMIT = 80
"""How much is told of a value."""


def introduction(adapter: Document, cell: Document, case: str) -> Iterator[str]:
    """What to install, and where the failure was seen."""
    found = adapter.get("installs")
    mends = None if found is None else [one["mended"] for one in found if one["mended"]]
    yield from in_lines(installation(adapter["name"], adapter["version"], cell["provider"], mends))
    yield _clipped(f"{plain(case)} on {cell['provider']}, made smaller; the provider is here, too")


def in_lines(command: str) -> Iterator[str]:
    """A command, in as many lines as it needs."""
    *begin, end = wrap(command, WIDTH - 5, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    yield from (*(f"{line} \\" for line in begin), end)


def conclusion(rule: Document, failure: Failure) -> Iterator[str]:
    """The rule, and how it is broken."""
    shown: dict[str, Any] = {"expected": failure.expected, "found": failure.found}
    expected, found = contrast(shown, LIMIT)
    where = "the last request" if failure.document == "request" else "what the library makes of the last answer"
    yield _clipped(f"{rule['id']}: {plain(rule['statement'])}")
    yield _clipped(f"  at {plain(failure.at) or '(whole)'} in {where}")
    yield _clipped(f"  expected: {expected}")
    yield _clipped(f"  found:    {found}{OWN_ID if found.startswith(OWN) else ''}")


def _clipped(text: str) -> str:
    return clipped(text, WIDTH - 3)
