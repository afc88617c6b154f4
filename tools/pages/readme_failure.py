"""One failure of a public library for the README, out of the published result: as a terminal tells it, and as it went
over the wire.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

from rich.console import Console

from conformance.documents import Document
from conformance.report.terminal import render

CELL = ("litellm", "mistral", "common.result.exactly-one-per-call")
"""Adapter, provider and rule of the failure that is shown. If the next run does not find it, choose another one."""
WIDTH = 100


def failure(document: Document) -> str:
    """What a terminal tells of it, and the messages of the request. Raises `LookupError` where it did not fail."""
    cell = next((one for one in document["cells"] if (one["adapter"], one["provider"], one["rule"]) == CELL), None)
    if cell is None or not cell["failures"]:
        raise LookupError(f"{'/'.join(CELL)} does not fail any more: choose another failure in {__file__}")
    body = document["evidence"][cell["failures"][0]["evidence"]]["request"]["body"]
    told = ["```text", *_told(document, cell), "```", "", "The messages of that request:", "", "```json"]
    return "\n".join([*told, *_messages(body["messages"]), "```"])


def _told(document: Document, cell: Document) -> Iterator[str]:
    """What the terminal says of this cause alone. Prose is wrapped; what is copied stays in one line."""
    adapter, provider, rule = CELL
    own = [
        cause for cause in document["causes"]
        if (cause["adapter"], cause["rules"][0], cause["providers"]) == (adapter, rule, [provider])
    ]  # fmt: skip
    only = {**document, "adapters": [one for one in document["adapters"] if one["id"] == adapter]}
    only |= {"cells": [cell], "causes": own}
    stream = io.StringIO()
    console = Console(file=stream, width=WIDTH, highlight=False, force_terminal=True, color_system=None)
    render(only, console, verbose=False)
    yield f"$ conformance run env:{adapter} --provider {provider}"
    paragraphs = [part.strip("\n") for part in stream.getvalue().split("\n\n")]
    first = next(place for place, part in enumerate(paragraphs) if part.startswith("1. "))
    yield from ("...", *(line.rstrip() for line in paragraphs[first].splitlines()), "...")


def _messages(messages: list[Document]) -> Iterator[str]:
    """A message a line."""
    lines = [json.dumps(one, ensure_ascii=False) for one in messages]
    yield f'"messages": [{lines[0]},'
    yield from (f"             {line}," for line in lines[1:-1])
    yield f"             {lines[-1]}]"
