"""Put the parts of an audit together that was made in shards.

Each PART was written by 'conformance audit PATH... --shard I/N --out PART', on any machine. All N must be there, and of
the same files and rules. What is told, and the exit code, are those of one audit of all files. See docs/scale.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from conformance.cli import UsageError
from conformance.cli.auditing import check_out, check_rates, output_arguments, told


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("part", nargs="+", type=Path, metavar="PART")
    output_arguments(parser)


def main(options: argparse.Namespace) -> int:
    """Merge and report. Returns the exit code of the audit."""
    from conformance.traffic.parts import PartError, merged_parts

    check_out(options.out)
    check_rates(options)
    try:
        order, stretches = merged_parts(options.part)
        if options.rates and not order.rates:
            raise UsageError("--rates: the parts have none; they were judged without --rates")
        return told(order, stretches, options)
    except PartError as problem:
        raise UsageError(str(problem)) from None
    except OSError as problem:
        raise UsageError(f"{problem.filename}: {problem.strerror}") from None
