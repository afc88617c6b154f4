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
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import INTERRUPTED, UsageError
from conformance.cli.answering import by_provider, live_arguments
from conformance.cli.selecting import selection_arguments, selection_of

if TYPE_CHECKING:
    from conformance.engine.cases import Group, Selection
    from conformance.engine.pool import Probed, Warm
    from conformance.responders.kinds import Answering

MAX_CALLS = 100
NO_KEY = "set "
"""How the reason begins that a provider cannot be asked yet: with the variable to set."""
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
    what.add_argument("--check", action="store_true", help="record anew, elsewhere, and say what is different")


def _number(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return count


def main(options: argparse.Namespace) -> int:
    """Record, plan or check. Returns the exit code: 0 when everything is recorded, 1 when something is not."""
    from conformance.cli.run_command import probed_adapters
    from conformance.engine.pool import Warm

    if not options.provider:
        raise UsageError("--provider P is needed: recording costs money, so nothing is recorded by default")
    if options.rule:
        raise UsageError("--rule does not fit here: what is recorded is for all rules")
    selection = selection_of(options)
    with contextlib.ExitStack() as stack:
        warm = stack.enter_context(Warm())
        [adapter] = probed_adapters([options.adapter], warm)
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="conformance-"))
        origin, base_urls = stack.enter_context(_source(options))
        selection = replace(selection, answering=_answering(options, adapter, origin, base_urls, Path(scratch)))
        planned = _planned(adapter, selection)
        if options.plan:
            return _plan(planned, selection)
        _refuse_without_key(planned)
        if options.check:
            from conformance.cli.record_check import check

            return check(planned, selection, options.to, options.timeout, warm)
        return _record(planned, selection, options, warm)


@contextlib.contextmanager
def _source(options: argparse.Namespace) -> Iterator[tuple[str, dict[str, str]]]:
    """Whom to record: the origin that provenance names, and base URLs by provider."""
    from conformance.responders.kinds import SERVED

    if not options.serve:
        yield "live", by_provider("--base-url", options.base_url, options.provider)
        return
    if options.base_url or options.model:
        raise UsageError("--serve needs neither --base-url nor --model")
    from conformance.server.running import serving
    from conformance.wires import card

    with serving(root=options.scenarios and options.scenarios.resolve()) as server:
        urls = {name: server.url(name, "SCENARIO") for name in options.provider}
        own = {name: url.removesuffix(card(name).base_path) for name, url in urls.items()}
        yield SERVED, {name: url.replace("SCENARIO", "{scenario}") for name, url in own.items()}


def _answering(
    options: argparse.Namespace, adapter: Probed, origin: str, base_urls: dict[str, str], scratch: Path
) -> Answering:
    from conformance.responders.kinds import Answering

    return Answering(
        "record",
        cassettes=scratch / "cassettes" if options.check else _folder(options.to, make=not options.plan),
        models=by_provider("--model", options.model, options.provider),
        base_urls=base_urls,
        allow_shell=options.allow_shell,
        recording={
            "adapter": f"{adapter.info.name} {adapter.info.version}",
            "origin": origin,
            "budget": str(scratch / "calls"),
            "limit": str(options.max_calls),
            "again": "yes" if options.again else "",
        },
    )


def _folder(path: Path, *, make: bool) -> Path:
    try:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        return path.resolve()
    except OSError as problem:
        raise UsageError(f"--to {path}: {problem.strerror}") from None


def _planned(adapter: Probed, selection: Selection) -> list[Group]:
    """What the adapter can play of what is not recorded yet, also where there is no key."""
    from conformance.engine.cases import groups
    from conformance.scenarios import load_scenarios

    planned = groups(adapter.address, adapter.info, load_scenarios(selection.root), selection, adapter.kind)
    return [group for group in planned if not group.unsupported or group.unsupported.startswith(NO_KEY)]


def _refuse_without_key(planned: list[Group]) -> None:
    lacks = {f"{group.provider}: {group.unsupported}" for group in planned if group.unsupported}
    if lacks:
        raise UsageError(f"{'; '.join(sorted(lacks))}, or record --serve")


def _plan(planned: list[Group], selection: Selection) -> int:
    from conformance.engine.estimate import estimates
    from conformance.report.printing import say

    if not planned:
        say(NOTHING)
        return 0
    for one in estimates(planned, selection):
        say(
            f"{one.provider}: {one.cases} cases, {one.calls} calls, "
            f"about {one.tokens_in:,} tokens in and {one.tokens_out:,} out"
        )
    return 0


def _record(planned: list[Group], selection: Selection, options: argparse.Namespace, warm: Warm) -> int:
    from conformance.engine.recorded import Tally, record
    from conformance.report.printing import say
    from conformance.report.progress import Progress

    if not planned:
        say(NOTHING)
        return 0
    tally = Tally()
    try:
        with Progress(sum(len(group.deliveries) for group in planned)) as progress:
            for failed in record(planned, selection, tally, timeout=options.timeout, warm=warm):
                progress.advance(failed)
    except KeyboardInterrupt:
        tally.stopped = "interrupted: record again to go on"
    for line in tally.lines(options.to):
        say(line)
    if tally.stopped.startswith("interrupted"):
        return INTERRUPTED
    return 0 if tally.all_well else 1
