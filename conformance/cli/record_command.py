"""Record real traffic: play scenarios against a provider through an adapter, and keep the answers as cassettes.

Keys come from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, …) and never reach a file. See what
it would cost first with --plan. What is recorded already is left alone, so a recording that was broken off goes on
where it stopped. Cassettes are in vcrpy's format, scrubbed of secrets before they are written.

  conformance record --provider anthropic --plan
  conformance record --provider anthropic --scenario 'parallel_calls.*' --max-calls 20
  conformance record --provider openai-chat --adapter openai --serve      # from 'conformance serve', without a key
  conformance record --provider anthropic --check                         # has the provider changed since?
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import INTERRUPTED, UsageError
from conformance.cli.answering import by_provider, live_arguments
from conformance.cli.following import follow_run
from conformance.cli.selecting import selection_arguments, selection_options

if TYPE_CHECKING:
    from conformance.recordings.interaction import Origin
    from conformance.runner.comparison import CaseChanges
    from conformance.runner.events import RunPlan
    from conformance.runner.runs import Run
    from conformance.runner.tally import RecordingTally

MAX_CALLS = 100
SHOWN = 10
"""How many cases are named of those that are recorded and break a rule."""
NOTHING = "nothing to record: it is all there (--again records it anew)"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    selection_arguments(parser)
    group = parser.add_argument_group("how to record")
    group.add_argument("--adapter", default="reference", metavar="A", help="who makes the calls (default: reference)")
    live_arguments(group)
    group.add_argument("--serve", action="store_true", help="record our own strict server instead of a provider")
    group.add_argument("--to", type=Path, default=Path("cassettes"), metavar="DIR", help="default: ./cassettes")
    group.add_argument("--again", action="store_true", help="also what is recorded already")
    group.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds for a case (default: 300)")
    group.add_argument(
        "--max-calls", type=_number, default=MAX_CALLS, metavar="N", help="never make more (default: %(default)s)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--plan", action="store_true", help="only say how many calls and tokens it would take")
    what.add_argument(
        "--check", action="store_true", help="record anew, say what is different, verdicts too, and keep it as NAME.new"
    )


def _number(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return count


def main(options: argparse.Namespace) -> int:
    """Record, plan or check. Returns the exit code: 0 when everything is recorded, 1 when something is not."""
    with _source(options) as (origin, base_urls):
        run = _run(options, origin, base_urls)
        if options.plan:
            return _plan(run)
        if options.check:
            return _check(run, options.to)
        return _record(run, options.to)


@contextlib.contextmanager
def _source(options: argparse.Namespace) -> Iterator[tuple[Origin, dict[str, str]]]:
    """Whom to record: the origin that provenance names, and base URLs by provider."""
    if not options.serve:
        yield "live", by_provider("--base-url", options.base_url, options.provider)
        return
    if options.base_url or options.model:
        raise UsageError("--serve needs neither --base-url nor --model")
    from conformance.runner.selection import checked_providers, scenario_ids
    from conformance.server.running import serving
    from conformance.wires import card

    providers = checked_providers(options.provider)
    scenario_ids(options.scenarios)
    with serving(root=options.scenarios and options.scenarios.resolve()) as server:
        urls = {name: server.url(name, "SCENARIO") for name in providers}
        own = {name: url.removesuffix(card(name).base_path) for name, url in urls.items()}
        yield "conformance serve", {name: url.replace("SCENARIO", "{scenario}") for name, url in own.items()}


def _run(options: argparse.Namespace, origin: Origin, base_urls: dict[str, str]) -> Run:
    from conformance.runner.entry import run

    return run(
        options.adapter,
        **selection_options(options),
        responder="record",
        cassettes=options.to,
        models=by_provider("--model", options.model, options.provider),
        base_urls=base_urls,
        allow_shell=options.allow_shell,
        max_calls=options.max_calls,
        again=options.again,
        origin=origin,
        timeout=options.timeout,
        command=shlex.join(["conformance", *sys.argv[1:]]),
    )


def _plan(run: Run) -> int:
    from conformance.engine.estimate import estimates
    from conformance.report.printing import say

    with run:
        plan = _planned(run)
    if not plan.groups:
        say(NOTHING)
    for one in estimates(plan.groups, run.settings.selection):
        say(
            f"{one.provider}: {one.cases} cases, {one.calls} calls, "
            f"about {one.tokens_in:,} tokens in and {one.tokens_out:,} out"
        )
    return 0


def _planned(run: Run) -> RunPlan:
    from conformance.runner import events

    plan = next(run)
    assert isinstance(plan, events.RunPlan)
    return plan


def _check(run: Run, known: Path) -> int:
    """Record into a folder of its own, and say what is different."""
    from conformance.files.scratch import scratch
    from conformance.report.printing import say
    from conformance.runner.comparison import case_changes, like
    from conformance.runner.runs import Run
    from conformance.runner.tally import RecordingTally

    tally = RecordingTally()
    with scratch() as folder:
        settings = like(run.settings, known, folder)
        with Run(settings) as again:
            if not _planned(again).groups:
                say(f"nothing to check: {known} has no cassette of these cases")
                return 0
            for event in again:
                tally.enter(event)
        different = list(case_changes(tally, settings, known))
        for one in different:
            _keep(one)
    for one in different:
        kept = [f"as it is now: {one.beside}"] if one.beside is not None else []
        say("\n  ".join([one.case, *one.lines, *kept]))
    for case, why in tally.failed:
        say(f"{case}: {why}")
    if tally.stop:
        say(tally.stop.words)
    say(f"{len(tally.recorded)} recorded anew, {len(different)} different")
    return 1 if different or not tally.all_well else 0


def _keep(one: CaseChanges) -> None:
    try:
        one.keep()
    except OSError as problem:
        raise UsageError(f"--to {one.beside}: {problem.strerror}: cannot keep the new cassette") from None


def _record(run: Run, to: Path) -> int:
    from conformance.report.printing import say
    from conformance.runner.tally import RecordingTally

    tally = RecordingTally()
    follow_run(run, tally.enter)
    if not run.result.document["run"]["cases"]["planned"]:
        say(NOTHING)
        return 0
    interrupted = run.result.exit_code == INTERRUPTED
    for line in _lines(tally, to):
        say(line)
    if interrupted:
        say("interrupted: record again to go on")
        return INTERRUPTED
    return 0 if tally.all_well else 1


def _lines(tally: RecordingTally, to: Path) -> Iterator[str]:
    """The summary for people."""
    yield f"recorded {len(tally.recorded)} cases in {to}"
    for case in tally.findings[:SHOWN]:
        yield f"  {case}: recorded, and a rule is broken: see conformance run --responder cassette"
    if len(tally.findings) > SHOWN:
        yield f"  and {len(tally.findings) - SHOWN} more like these"
    for case, why in tally.failed:
        yield f"  {case}: {why}"
    if tally.stop:
        yield tally.stop.words
