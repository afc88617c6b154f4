"""Mutate real source and play the scenarios: does any case fail?

    python tools/mutate_source.py                                 all files of all wires
    python tools/mutate_source.py conformance/wires/gemini        one room; a file works, too
    python tools/mutate_source.py openai anthropic                libraries: their accumulators and message builders
    python tools/mutate_source.py openai --scenario 'web.*' --again   what survived, in some scenarios
    python tools/mutate_source.py --report                        nothing but the report, of what was played

The mutants are those of cosmic-ray's operators. Each is played in a fork of this process, in which everything is loaded
and it is known what the original does, and stops at the first case that fails. What was played is kept in
``.mutation`` and not played again while the file, the rules and the scenarios are the same. reports/mutation.md says
what came of it; judgements/mutation explains the mutants that are no fault.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mutation import forks, hundred, report
from mutation.judge import Judge
from mutation.library import NAMED, LibraryFile, LibraryJudge, files_of
from mutation.mutants import Mutant
from mutation.recorded import record
from mutation.results import Mutated, Results, mutants_kept
from mutation.shadow import Target

ROOT = Path(__file__).resolve().parents[1]
WIRES = "conformance/wires"
HALF = ("client", "assemble", "history", "stream", "partial")
"""What modules of a client half are called. Some wires assemble in ``client``, one in ``stream`` and ``partial``."""
ROOMS = sorted(path for path in (ROOT / WIRES).iterdir() if path.is_dir())
FILES = tuple(f"{room.name}/{name}" for room in ROOMS for name in HALF if (room / f"{name}.py").is_file())
"""The client half of all wires."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="*", metavar="FILE|LIBRARY", help="files or folders of wires, or libraries")
    parser.add_argument("--jobs", type=int, default=2, help="how many mutants at a time (2)")
    parser.add_argument("--sample", type=int, help="only so many mutants of each file, chosen by hash")
    parser.add_argument("--again", action="store_true", help="play again what survived")
    parser.add_argument("--scenario", action="append", metavar="GLOB", help="of a library: play no others (repeatable)")
    parser.add_argument("--report", action="store_true", help="nothing but the report")
    asked = parser.parse_args()
    targets = _targets(asked.wanted)
    libraries = [name for name in asked.wanted if name in NAMED]
    if not targets and not libraries:
        parser.error(f"no file of a wire's client half and no library is named by {' '.join(asked.wanted)}")
    if not asked.report:
        for room in dict.fromkeys(target.room for target in targets):
            _play_room([target for target in targets if target.room == room], asked)
        for name in libraries:
            _play_library(files_of(name), asked)
    if not asked.sample and not asked.scenario:
        everything = _targets(())
        report.write(everything, [file for name in NAMED for file in files_of(name)])
        hundred.choose(everything)
    return 0


def _targets(wanted: Sequence[str]) -> list[Target]:
    found = [Target(f"{WIRES}/{name}.py") for name in FILES]
    names = [str(Path(name)).removesuffix(".py") for name in wanted]
    return [one for one in found if not names or any(one.path.removesuffix(".py").startswith(name) for name in names)]


def _play_room(targets: list[Target], asked: argparse.Namespace) -> None:
    """Play the mutants of one room that were not played before."""
    if not any(_left(target, asked) for target in targets):
        return
    started = time.monotonic()
    room = targets[0]
    recorded = record(room.providers, [target.path for target in targets], also_generated=[room.provider])
    _say(f"{room.provider}: {len(recorded.groups)} groups, {len(recorded.calls)} calls", started)
    for target in targets:
        judge = Judge(target, recorded, Results(target).earlier_kills())
        _play(target, judge.executes, judge.answer, asked=asked)


def _play_library(files: list[LibraryFile], asked: argparse.Namespace) -> None:
    """Play the mutants of one library that were not played before."""
    if not any(_left(file, asked) for file in files):
        return
    started = time.monotonic()
    judge = LibraryJudge(files, tuple(asked.scenario or ("*",)))
    _say(f"{files[0].library}: {len(judge.cases)} cases", started)
    for file in files:
        known = Results(file).known()
        for mutant in mutants_kept(file):
            if mutant.key in known:
                judge.learn(file, mutant, known[mutant.key])
    for file in files:
        answer, learn = partial(judge.answer, file), partial(judge.learn, file)
        _play(file, partial(judge.executes, file), answer, learn, asked=asked)


def _play(
    target: Mutated,
    executes: Callable[[Mutant], bool],
    answer_of: Callable[[Mutant], dict[str, Any]],
    learn: Callable[[Mutant, dict[str, Any]], object] = lambda mutant, answer: None,
    *,
    asked: argparse.Namespace,
) -> None:
    started, results, mutants = time.monotonic(), Results(target), _left(target, asked)
    played = [mutant for mutant in mutants if executes(mutant)]
    for mutant in mutants:
        if mutant not in played and not asked.scenario:
            results.enter(mutant, {"outcome": "not executed"})
    known = results.known() if asked.scenario else {}  # what survived more cases says more than what survives a few
    for number, (mutant, answer) in enumerate(forks.forked(played, answer_of, asked.jobs), start=1):
        if mutant.key not in known or answer["outcome"] in report.KILLED:
            results.enter(mutant, answer)
        learn(mutant, answer)
        if number % 100 == 0:
            _say(f"  {target.path}: {number} of {len(played)}", started)
    _say(f"{target.path}: {len(played)} played, {len(mutants) - len(played)} that no case runs", started)


def _left(target: Mutated, asked: argparse.Namespace) -> list[Mutant]:
    known = Results(target).known()
    again = {"survived", "warned", "not executed", "broken"} if asked.again else set()
    mutants = mutants_kept(target)[: asked.sample]
    return [one for one in mutants if one.key not in known or known[one.key]["outcome"] in again]


def _say(text: str, started: float) -> None:
    print(f"{text} ({time.monotonic() - started:.0f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
