"""Judge recorded traffic by every rule that needs no adapter.

A PATH is a file or a folder: cassettes of vcrpy (.yaml, .json), JSON Lines (.jsonl), HTTP archives (.har), each also
with .gz or .zst. Requests are judged by the rules about building them, streams and answers by the providers' grammars,
and turns that belong together by what must be kept between them. See docs/auditing.md.

Much traffic is judged by all cores. One machine is not enough: --shard I/N --out PART judges a share of it, and
'conformance merge PART...' tells what all shards found. See docs/scale.md.

With --secrets nothing is judged: the same files are searched for keys, tokens, cookies and account ids. What is found
is told by its place, and never shown. See docs/recording.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import UsageError
from conformance.cli.auditing import check_out, check_rates, output_arguments, told
from conformance.cli.selecting import engine_argument

if TYPE_CHECKING:
    from conformance.traffic.parts import PartWriter
    from conformance.traffic.shards import AuditOrder, JudgedStretch, StretchPlace


NOTHING_JUDGED = 4
"""The exit code where there was nothing to judge."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("path", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--rule", action="append", default=[], metavar="GLOB", help="such as 'common.result.*'")
    parser.add_argument(
        "--profile", choices=("portable", "native"), default="native",
        help="native: what each provider can do; portable: also what all providers share (default: %(default)s)",
    )  # fmt: skip
    output_arguments(parser)
    parser.add_argument("--secrets", action="store_true", help="search for secrets instead of judging")
    parser.add_argument(
        "--allow-nothing", action="store_true", help="exit with 0 where there was nothing to judge, as hooks want it"
    )
    how = parser.add_argument_group("how")
    how.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="processes (default: one a core, for much traffic)")
    engine_argument(how)
    how.add_argument("--checkpoint", type=Path, metavar="FILE", help="what was judged; the next audit goes on from it")
    how.add_argument("--shard", type=_shard, metavar="I/N", help="judge a share of N; --out names its part")


def _jobs(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least one process is needed")
    return count


def _shard(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text!r} is not I/N, with I from 1 to N")
    return int(number), int(of)


def main(options: argparse.Namespace) -> int:
    """Audit and report. Returns the exit code: 1 when a must is broken, 3 when a rule broke down, 4 when there was
    nothing to judge."""
    from conformance.clusters import ClusterError
    from conformance.traffic.parts import PartError
    from conformance.traffic.shards import order_of

    for path in options.path:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
    if options.secrets:
        return _secrets(options)
    _check(options)
    order = order_of(options.path, options.profile, _globs(options.rule), rates=bool(options.rates))
    try:
        if options.shard:
            return _judge_shard(order, options)
        code = told(order, _stretches(order, options), options)
        return 0 if code == NOTHING_JUDGED and options.allow_nothing else code
    except ClusterError as problem:
        raise UsageError(f"--engine: {problem}") from None
    except PartError as problem:
        raise UsageError(str(problem)) from None


def _check(options: argparse.Namespace) -> None:
    """Raises `UsageError` for options that do not fit together."""
    check_rates(options)
    if options.engine != "pool" and options.checkpoint is not None:
        raise UsageError("--checkpoint does not fit --engine: shards have parts, which are kept (--shard)")
    if options.shard is None:
        check_out(options.out)
        return
    if options.engine != "pool":
        raise UsageError("--engine does not fit --shard: an engine deals shards itself")
    if options.out is None:
        raise UsageError("--shard needs --out PART, for 'conformance merge'")
    if options.checkpoint is not None:
        raise UsageError("--checkpoint does not fit --shard: a part that is not whole is gone on with")
    if options.jobs is not None:
        raise UsageError("--jobs does not fit --shard: a shard is one process")


def _judge_shard(order: AuditOrder, options: argparse.Namespace) -> int:
    """Judge one shard, and write its part. Returns 0: what was found is told when the parts are merged."""
    from conformance.report.printing import say_to
    from conformance.traffic.pool import pooled_stretches

    number, of = options.shard
    part = _writer(options.out, order.shards(of)[number - 1], "--out")
    count = sum(1 for _ in part.adding(pooled_stretches(part.order, 1, part.after)))
    say_to(sys.stderr, f"conformance: shard {number}/{of}: {count} stretches, in {options.out}\n")
    return 0


def _stretches(order: AuditOrder, options: argparse.Namespace) -> Iterator[JudgedStretch]:
    """The judged stretches: those of the checkpoint, and then the others."""
    if options.checkpoint is None:
        return _judged(order, options)
    return _gone_on(_writer(options.checkpoint, order, "--checkpoint"), options)


def _gone_on(part: PartWriter, options: argparse.Namespace) -> Iterator[JudgedStretch]:
    yield from part.earlier()
    yield from part.adding(_judged(part.order, options, part.after))


def _judged(
    order: AuditOrder, options: argparse.Namespace, after: StretchPlace | None = None
) -> Iterator[JudgedStretch]:
    from conformance.traffic.pool import pooled_stretches
    from conformance.traffic.shards import BEFORE_ALL, useful_shards

    if options.engine != "pool":
        from conformance.traffic.distributed import distributed_stretches

        return distributed_stretches(order, options.engine, options.jobs or os.cpu_count() or 1)
    jobs = options.jobs or useful_shards(order, os.cpu_count() or 1)
    return pooled_stretches(order, jobs, after or BEFORE_ALL)


def _writer(path: Path, order: AuditOrder, option: str) -> PartWriter:
    from conformance.traffic.parts import PartWriter

    try:
        return PartWriter(path, order)
    except OSError as problem:
        raise UsageError(f"{option} {path}: {problem.strerror}") from None


def _secrets(options: argparse.Namespace) -> int:
    """Search for secrets. Returns the exit code: 1 when there are some, 4 when there was nothing to search."""
    from conformance.masking.door import own_mask
    from conformance.report.printing import say_document, say_to
    from conformance.report.sarif import sarif_text, secrets_sarif
    from conformance.report.secrets_table import secrets_lines
    from conformance.traffic.files import find_files
    from conformance.traffic.secrets import SecretAudit

    audit = SecretAudit()
    for path in find_files(options.path):
        for _ in audit.read(path):
            pass
    document = own_mask().json(audit.document())
    if options.format == "json":
        say_document(json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    elif options.format == "sarif":
        say_document(sarif_text(secrets_sarif(document)))
    else:
        say_to(sys.stdout, "".join(f"{line}\n" for line in secrets_lines(document)))
    if audit.found:
        return 1
    return 0 if audit.exchanges or options.allow_nothing else NOTHING_JUDGED


def _globs(globs: list[str]) -> tuple[str, ...]:
    from fnmatch import fnmatchcase

    from conformance.hints import nearest
    from conformance.rules import rule_names

    for glob in globs:
        if not any(fnmatchcase(name, glob) for name in rule_names()):
            raise UsageError(f"no rule matches {glob!r}{nearest(glob, rule_names())}")
    return tuple(globs)
