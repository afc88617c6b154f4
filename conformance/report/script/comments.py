"""What a program says about itself, in no language: what it shows, what it leaves out, and what should have been."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

from conformance.adapters.libraries.application import OWN
from conformance.adapters.libraries.calls import installation
from conformance.documents import Document
from conformance.report.script.language import WIDTH
from conformance.report.summary import contrast, plain, reproduction

OWN_ID = re.compile(rf"\b{OWN}\d{{6}}\b")
LIMIT = 2000
"""How much is told of a value."""


def introduction(adapter: Document, cell: Document, failure: Document) -> Iterator[str]:
    """What to install, and what this is."""
    yield installation(adapter["name"], adapter["version"], cell["provider"])
    yield f"{plain(failure['case'])} on {cell['provider']}, without the harness: this program is the provider, too."


def conclusion(document: Document, cell: Document, failure: Document) -> Iterator[str]:
    """The rule, and how it is broken."""
    rule = next(item for item in document["rules"] if item["id"] == cell["rule"])
    expected, found = contrast(failure, LIMIT)
    yield from wrap(f"{rule['id']}: {plain(rule['statement'])}", WIDTH, subsequent_indent="  ",
                    break_long_words=False, break_on_hyphens=False)  # fmt: skip
    yield f"  at:       {plain(failure['at']) or '(whole)'} in {_where(document, failure)}"
    yield f"  expected: {expected}"
    yield f"  found:    {found}"
    if OWN_ID.search(found):
        yield f"            ({OWN}… is an id of the application's own, for a call that comes without one)"
    yield f"  harness:  {plain(reproduction(document, failure))}"


def _where(document: Document, failure: Document) -> str:
    number = document["evidence"][failure["evidence"]].get("model_call")
    which = f" {number}" if number else ""
    return f"request{which}" if failure["in"] == "request" else f"what the library makes of answer{which}"
