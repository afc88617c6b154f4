"""One failure of a public library for the README, out of the published result, as a terminal tells it."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console

from conformance.documents import Document
from conformance.report.terminal import render

CELL = ("llama-index", "openai-responses", "responses.choose.mode-mapping")
"""Adapter, provider and rule of the failure that is shown. If the next run does not find it, choose another one."""
WIDTH = 100


def failure(document: Document) -> str:
    """What a terminal tells of it, as a block of Markdown. Raises `LookupError` where it did not fail."""
    cell = next((one for one in document["cells"] if (one["adapter"], one["provider"], one["rule"]) == CELL), None)
    if cell is None or not cell["failures"]:
        raise LookupError(f"{'/'.join(CELL)} does not fail any more: choose another failure in {__file__}")
    return "\n".join(["```text", *_told(document, cell), "```"])


def _told(document: Document, cell: Document) -> Iterator[str]:
    """What the terminal says of this cause alone. Prose is wrapped; what is copied stays in one line."""
    name, provider, rule = CELL
    adapter = next(one for one in document["adapters"] if one["id"] == name)
    own = [
        cause for cause in document["causes"]
        if (cause["adapter"], cause["rules"][0], cause["providers"]) == (name, rule, [provider])
    ]  # fmt: skip
    stream = io.StringIO()
    console = Console(file=stream, width=WIDTH, highlight=False, force_terminal=True, color_system=None)
    render({**document, "adapters": [adapter], "cells": [cell], "causes": own}, console, verbose=False)
    paragraphs = [part.strip("\n") for part in stream.getvalue().split("\n\n")]
    told = next(part for part in paragraphs if part.startswith("1. "))
    yield f"$ conformance run env:{name}@{adapter['version']} --provider {provider}"
    yield from ("...", *(line.rstrip() for line in told.splitlines()), "...")
