"""What the commands that run agents, gateways, servers and parsers share: how verdicts are printed, kept."""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from conformance.cli import UsageError

NOTHING_RAN = 4
EXIT_CODES = """exit codes:
  0 no rule that must hold was broken   1 one was   2 wrong usage   3 the harness failed   4 nothing ran
"""


def output_options(parser: argparse._ActionsContainer) -> None:
    """``--format`` and ``--out``."""
    parser.add_argument("--format", choices=("table", "json"), default="table", help="what to print (default: table)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the verdicts too, as JSON")


def put_out(options: argparse.Namespace, kind: str, verdicts: list[dict[str, Any]], **more: Any) -> None:
    """Print and keep the document of a kind of verdicts, such as ``agent_verdicts``, where ``options`` ask for it.

    Raises `UsageError` where it cannot be kept. Lone surrogates, which a subject may tell, become JSON's escapes.
    """
    from conformance.report.printing import say_document
    from conformance.schemas import schema
    from conformance.version import VERSION

    document = {"schema": schema(kind)["$id"], "version": VERSION, "verdicts": verdicts, **more}
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if options.format == "json":
        say_document(text)
    if options.out is not None:
        _write(options.out, text)


def _write(path: Path, text: str) -> None:
    from conformance.files.whole import write_text
    from conformance.masking.door import own_mask

    try:
        write_text(path, own_mask().text(text))
    except OSError as problem:
        raise UsageError(f"--out {path}: {problem.strerror}") from None


def exit_code(outcomes: Collection[str]) -> int:
    """1 where one failed; 4 where none was run; else 0."""
    if "fail" in outcomes:
        return 1
    return NOTHING_RAN if set(outcomes) <= {"not run"} else 0
