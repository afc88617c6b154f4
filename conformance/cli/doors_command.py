"""Show the doors of a library: what the installed release offers that is about tools, and which of it is played.

Doors are derived from signatures and types, where the library is: in this interpreter, else in its newest environment
(`conformance env LIBRARY`). What is played is measured: the library's shims play the scenarios, and what they call is
written down. Arguments that do not fit the library's own types are told at the end.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from conformance.cli import UsageError

TYPE_CHECKING = False  # see conformance/cli/__init__.py

if TYPE_CHECKING:
    from conformance.doors.inventory import DoorInventory


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("library", metavar="LIBRARY", help="a name ('conformance list adapters'), or env:NAME@VERSION")
    parser.add_argument("--scenario", action="append", default=[], metavar="GLOB", help="play only these scenarios")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it to a file")


def main(options: argparse.Namespace) -> int:
    """Derive, play and show. Returns 1 where an argument of a shim does not fit the library's types."""
    from conformance.adapters.contract import AdapterError
    from conformance.doors.asking import inventory_of
    from conformance.doors.pages import inventory_markdown, inventory_text
    from conformance.report.printing import say

    try:
        found = inventory_of(options.library, options.scenario)
    except AdapterError as problem:
        raise UsageError(str(problem)) from None
    shown: dict[str, Callable[[DoorInventory], str]] = {
        "text": inventory_text, "markdown": inventory_markdown, "json": _as_json,
    }  # fmt: skip
    text = shown[options.format](found)
    if options.out is not None:
        _write(options.out, text + "\n")
    else:
        say(text)
    return 1 if found.wrong else 0


def _as_json(found: DoorInventory) -> str:
    return json.dumps(found.document(), indent=1)


def _write(path: Path, text: str) -> None:
    from conformance.files.whole import write_text
    from conformance.masking.door import SecretRemainsError

    try:
        write_text(path, text)
    except OSError as problem:
        raise UsageError(f"--out {path}: {problem.strerror}") from None
    except SecretRemainsError as problem:
        raise UsageError(f"--out {path}: {problem}") from None
