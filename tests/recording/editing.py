"""Changing cassettes as a provider, or a careless hand, would."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Document = dict[str, Any]


def edited(path: Path, edit: Callable[[Document], None]) -> None:
    """Change a cassette file's document."""
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_text(json.dumps(document), "utf-8")


def answer_edited(path: Path, number: int, edit: Callable[[str], str]) -> None:
    """Change the body of an answer, as text. Its chunks become one."""

    def change(document: Document) -> None:
        interaction = document["interactions"][number]
        body = edit(interaction["response"]["body"]["string"])
        interaction["response"]["body"]["string"] = body
        interaction["conformance"]["chunks"] = [len(body.encode())]

    edited(path, change)


def in_json(edit: Callable[[Document], None]) -> Callable[[str], str]:
    """A change of a body's document as a change of its text."""

    def change(body: str) -> str:
        document = json.loads(body)
        edit(document)
        return json.dumps(document)

    return change
