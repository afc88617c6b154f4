"""Play scenarios through gateways, from both sides: what they ask, what they answer and what they carry is judged.

A GATEWAY is gateway:NAME (see 'conformance list gateways'), or gateway:./mine.yaml for a recipe of your own:

  conformance run gateway:litellm
  conformance run gateway:portkey --inbound openai-chat --outbound anthropic --scenario 'parallel_calls.*'
  conformance run gateway:./mine.yaml --keep
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable
from conformance.cli.verdict_output import EXIT_CODES, exit_code, output_options, put_out

if TYPE_CHECKING:
    from conformance.gateways.job import GatewayJob



def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.epilog = EXIT_CODES
    parser.add_argument("gateway", nargs="+", metavar="GATEWAY")
    parser.add_argument(
        "--inbound", action="append", default=[], metavar="P", help="a format that clients talk (default: all it takes)"
    )
    parser.add_argument(
        "--outbound", action="append", default=[], metavar="P", help="a provider behind it (default: all it talks to)"
    )
    parser.add_argument(
        "--scenario", action="append", default=[], metavar="S", help="play these alone; * and ? are wildcards"
    )
    parser.add_argument("--version", default="", metavar="V", help="the gateway's version (default: the newest here)")
    parser.add_argument("--network", action="store_true", help="let the gateway reach others, too")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the run, and all that was said in it")
    output_options(parser.add_argument_group("output"))


def main(options: argparse.Namespace) -> int:
    """Run, and say what came of it. Returns the exit code."""
    from conformance.documents import DocumentError
    from conformance.gateways.running import GatewayRunError, verdict_of_gateway
    from conformance.report.printing import say_to

    check_writable(options.out)
    verdicts: list[dict[str, Any]] = []
    try:
        for job in [_job(word, options) for word in options.gateway]:
            say_to(sys.stderr, f"conformance: {job.recipe}\n")
            verdicts.append(verdict_of_gateway(job, options.version))
            if options.format == "table":
                _say(verdicts[-1])
    except DocumentError as problem:
        raise UsageError(str(problem)) from None
    except GatewayRunError as problem:
        say_to(sys.stderr, f"conformance: {problem}\n")
        return 3
    put_out(options, "gateway_verdicts", verdicts)
    return exit_code([verdict["outcome"] for verdict in verdicts])


# --- what is run -----------------------------------------------------------------------------------------------------


def _job(word: str, options: argparse.Namespace) -> GatewayJob:
    from conformance.gateways import PREFIX
    from conformance.gateways.job import GatewayJob
    from conformance.gateways.recipe import load_gateway

    if not word.startswith(PREFIX):
        raise UsageError(f"{word!r} is no gateway: write {PREFIX}NAME, or {PREFIX}./FILE.yaml")
    name = word.removeprefix(PREFIX)
    recipe = load_gateway(name)
    for option, asked, has in (
        ("--inbound", options.inbound, recipe.inbound),
        ("--outbound", options.outbound, recipe.outbound),
    ):
        _check(option, asked, has, recipe.id)
    return GatewayJob(
        name, inbound=tuple(options.inbound), outbound=tuple(options.outbound), scenarios=_scenarios(options.scenario),
        network=options.network, keep=options.keep,
    )  # fmt: skip


def _check(option: str, asked: list[str], has: Mapping[str, object], name: str) -> None:
    from conformance.hints import nearest

    for one in asked:
        if one not in has:
            raise UsageError(f"{option} {one}: {name} has none of that name{nearest(one, has)}")


def _scenarios(asked: list[str]) -> tuple[str, ...]:
    from fnmatch import fnmatchcase

    from conformance.gateways.plan import all_cases
    from conformance.hints import nearest

    known = list(dict.fromkeys(case.scenario for case in all_cases()))
    found = []
    for pattern in asked:
        fitting = [name for name in known if fnmatchcase(name, pattern)]
        if not fitting:
            hint = nearest(pattern, known)
            raise UsageError(f"--scenario {pattern}: none of that name is played through gateways{hint}")
        found += fitting
    return tuple(dict.fromkeys(found))


# --- what is said ----------------------------------------------------------------------------------------------------


def _say(verdict: dict[str, Any]) -> None:
    from conformance.gateways.telling import verdict_lines
    from conformance.report.printing import say

    for line in verdict_lines(verdict):
        say(line)
