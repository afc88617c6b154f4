"""Write the suite down as plain files, for a runner in any language: cases, assertions as data, schemas, and a guide.

The folder must be new or empty. INTERPRETING.md in it says what a runner does; manifest.json has the hash of each file,
and says of every rule whether the files decide it. The same suite gives the same bytes.

'conformance export hosts' writes another thing: all that is known of hosts, as one JSON document for adapters to read:
addresses, keys, and what each takes, refuses, sends and limits, with sources. See docs/hosts.md.

  conformance export hosts --out hosts.json
  conformance export --out suite
  conformance export --out suite --provider anthropic --scenario 'parallel_calls.*'
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from conformance.cli import UsageError


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("what", nargs="?", choices=("suite", "hosts"), default="suite", help="default: suite")
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="suite: a folder that is new, or empty; hosts: a file (default: print)"
    )
    parser.add_argument("--provider", action="append", default=[], metavar="P", help="a provider, such as gemini")
    parser.add_argument("--scenario", action="append", default=[], metavar="GLOB", help="such as 'parallel_calls.*'")
    parser.add_argument(
        "-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: one a core)"
    )


def main(options: argparse.Namespace) -> int:
    """Write the files. Returns the exit code."""
    return _hosts(options) if options.what == "hosts" else _suite(options)


def _hosts(options: argparse.Namespace) -> int:
    from conformance.export.hosts import hosts_document
    from conformance.files.whole import write_text
    from conformance.report.printing import say, say_document

    if options.provider or options.scenario:
        raise UsageError("export hosts takes neither --provider nor --scenario: it writes every host")
    document = hosts_document()
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    if options.out is None:
        say_document(text)
        return 0
    try:
        write_text(options.out, text)
    except OSError as problem:
        raise UsageError(f"--out {options.out}: {problem.strerror}") from None
    say(f"{len(document['hosts'])} hosts in {options.out}")
    return 0


def _suite(options: argparse.Namespace) -> int:
    from conformance.export.writing import MANIFEST, ExportSelection, NothingExportedError, exported, write_export
    from conformance.report.printing import say
    from conformance.responders.kinds import ResponderChoice
    from conformance.runner.selection import selection_of

    if options.out is None:
        raise UsageError("export needs --out DIR: a folder that is new, or empty")
    _check_folder(options.out)
    chosen = selection_of(options.provider, options.scenario, (), (), "native", None, ResponderChoice(), "none")
    try:
        files = exported(ExportSelection(chosen.providers, chosen.scenarios), jobs=options.jobs)
        write_export(files, options.out)
    except NothingExportedError as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"--out {options.out}: {problem.strerror}") from None
    told = json.loads(files[MANIFEST])
    cases = sum(one["cases"] for one in told["providers"].values())
    decided, of = told["decided"]["must"], told["decided"]["of"]
    size = sum(map(len, files.values())) / 1e6
    say(f"{cases} cases in {options.out} ({size:.1f} MB); they decide {decided} of {of} rules that must be kept")
    return 0


def _check_folder(folder: Path) -> None:
    try:
        used = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as problem:
        raise UsageError(f"--out {folder}: {problem.strerror}") from None
    if used:
        raise UsageError(f"--out {folder}: it is there and not empty: choose a new folder")
