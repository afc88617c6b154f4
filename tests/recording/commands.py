"""Running commands in this process, as the command line does, and reading what they wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main

Document = dict[str, Any]


def run(*words: object) -> int:
    """Run a command and return its exit code."""
    return main([str(word) for word in words])


def result_of(path: Path, *words: object) -> tuple[int, Document]:
    """``conformance run`` with these words: exit code and result."""
    code = run("run", *words, "--out", path)
    document: Document = json.loads(path.read_text("utf-8"))
    return code, document


def replayed(folder: Path, *words: object) -> tuple[int, Document]:
    """``conformance run`` with the cassettes in ``folder``."""
    return result_of(folder.parent / "result.json", "--responder", "cassette", "--cassettes", folder, *words)


def cell(document: Document, rule: str, provider: str | None = None) -> Document:
    """The cell of a rule, on a provider or the only one that there is."""
    found = [
        one for one in document["cells"] if one["rule"] == rule and provider in (None, one["provider"])
    ]
    assert len(found) == 1, found
    return dict(found[0])


def outcomes(document: Document) -> dict[str, str]:
    """The outcomes of all rules that were exercised."""
    return {one["rule"]: one["outcome"] for one in document["cells"] if one["outcome"] != "not_applicable"}


def lines(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed."""
    return capsys.readouterr().out
