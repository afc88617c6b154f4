"""Show the doors of a library: what the installed release offers that is about tools, and which of it is played.

Doors are derived from signatures and types, where the library is: in this interpreter, else in its newest environment
(`conformance env LIBRARY`). What is played is measured: the library's shims play the scenarios, and what they call is
written down. Arguments that do not fit the library's own types are told at the end.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from conformance.cli import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("library", metavar="LIBRARY", help="a name, or env:NAME@VERSION; see 'conformance list adapters'")
    parser.add_argument("--scenario", action="append", default=[], metavar="GLOB", help="play only these scenarios")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it to a file")


def main(options: argparse.Namespace) -> int:
    """Derive, play and show. Returns 1 where an argument of a shim does not fit the library's types."""
    from conformance.adapters.contract import AdapterError
    from conformance.doors.asking import inventory_of
    from conformance.doors.pages import as_markdown, as_text
    from conformance.report.printing import say

    try:
        found = inventory_of(options.library, options.scenario)
    except AdapterError as problem:
        raise UsageError(str(problem)) from None
    shown = {"text": as_text, "markdown": as_markdown, "json": lambda one: json.dumps(one.document(), indent=1)}
    text = shown[options.format](found)
    if options.out is not None:
        options.out.write_text(text + "\n", "utf-8")
    else:
        say(text)
    return 1 if found.wrong else 0
