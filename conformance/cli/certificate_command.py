"""Play a subject and write a certificate: one archive that holds what is needed to make the same result again.

    conformance certificate openai --set 2026-11 --provider openai-chat --out openai.zip
    conformance verify openai.zip

The archive holds the result, a lock file of what was installed, the transcript of all that was said to the subject and
by it, and the versions and hashes of all that. 'conformance verify' plays the subject again (docs/certificates.md).

Exits as 'conformance run' does. Where nothing could be judged, nothing is written.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable
from conformance.cli.selecting import selection_arguments, selection_options


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("adapter", metavar="ADAPTER", help="as for 'conformance run'; best env:NAME@VERSION")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the archive to write: mine.zip")
    parser.add_argument(
        "--set", default="", dest="requirement_set", metavar="NAME",
        help="what it is about: a set that was frozen ('conformance list sets'; default: what was written by hand)",
    )  # fmt: skip
    selection_arguments(parser)
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="worker processes (default: one a core)")


def main(options: argparse.Namespace) -> int:
    """Play and write. Returns the exit code."""
    from conformance.adapters.contract import AdapterError
    from conformance.certificates.archive import ArchiveError, write_archive
    from conformance.certificates.issuing import certificate_of
    from conformance.files.whole import write_whole
    from conformance.report.printing import say
    from conformance.runner.conclusion import CONFORMS, FAILS

    check_writable(options.out)
    if options.scenarios is not None:
        raise UsageError("certificate: --scenarios: who verifies has our scenarios, and not yours")
    command = shlex.join(["conformance", *sys.argv[1:]])
    try:
        code, contents = certificate_of(options.adapter, _selection(options), command, options.jobs)
        if code not in (CONFORMS, FAILS):
            say(f"no certificate: nothing was judged that one could be about (exit code {code})")
            return code
        data = write_archive(contents)
        write_whole(options.out, data)
    except (AdapterError, ArchiveError) as problem:
        raise UsageError(f"certificate: {problem}") from None
    except OSError as problem:
        raise UsageError(f"--out {options.out}: {problem.strerror}") from None
    verdict = "conforms" if code == CONFORMS else "a rule failed"
    say(f"{options.out}: {verdict}; {len(data)} bytes")
    return code


def _selection(options: argparse.Namespace) -> dict[str, Any]:
    """What of `conformance.run` a certificate holds."""
    told: dict[str, Any] = {**selection_options(options)}
    chosen = {name: told[name] for name in ("providers", "scenarios", "rules", "deliveries") if told[name]}
    if options.requirement_set:
        return {**chosen, "profile": told["profile"], "requirement_set": options.requirement_set}
    return {**chosen, "profile": told["profile"], "generated": "none"}
