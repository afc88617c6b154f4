"""Processor time: what the tests took is said at the end, and what all of them need is paid once.

Wall time depends on what else the machine does. The seconds that a processor worked hardly do: of this process, of its
workers and of all children that were waited for. One line always tells them; ``pytest --cpu`` tells which files and
tests they went to. `BUDGETS` says what they may be: ``pytest --cpu-budget`` fails above them, and so does ``pytest``
where `LIMITED` is set. That is how `.ci/run` asks, whose commands are the README's: only the first pytest hears it.
"""

from __future__ import annotations

import gc
import os
import ssl
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.traffic.pool import collect_less

# TLS: every HTTP client makes a TLS context when it is made, from some 140 certificates: 30 ms, thousands of times, and
# no test speaks TLS. Those who ask for the same context share it. What runs in other processes is as it is.
#
# BYTECODE: where PYTHONDONTWRITEBYTECODE is set, each of the hundreds of processes that tests start compiles all of our
# modules again, which is half of what it costs. Processes that are started from here keep what they compile.
#
# GARBAGE: scenarios, rules and schemas are kept for all tests, so what Python looks through for garbage grows to
# millions of objects, in each worker: a twelfth of the whole. It looks less often (`audit` does so too). The product
# collects garbage itself to see whether a client hangs up: up to a second each time, so what was loaded until a file
# begins is left out.

PHASE = "processor seconds"
"""The property of a test's report that holds what its phase (setup, call or teardown) took."""
WHOLE, QUICK = "pytest", "pytest -m 'not slow'"
BUDGETS = {WHOLE: 720, QUICK: 120}
"""Processor seconds of a command on two quiet cores. Of the quick selection it is the time in its tests that counts."""
SLACK = 1.5
"""How many times the budget is forgiven: where other work contends for the caches, a second does two thirds as much."""
LIMITED = "CONFORMANCE_CPU_BUDGET"
"""The variable that asks as ``--cpu-budget`` does. It is taken away, so that no pytest that a test starts hears it.
Where it is a number, that is how many seconds ``conformance run`` just took here."""
QUIET_RUN = 89
"""Seconds that ``conformance run`` took on the two quiet cores that the budgets are for (2026-11-25). A machine on
which it takes twice as long has twice the budget: the code that took 89 took 241 seconds a day later
(docs/notes/tests.md)."""
LAST = pytest.StashKey[float]()
"""In the session's stash: what this process had spent when the last phase ended."""
FILE = pytest.StashKey[Path]()
"""In the session's stash: the file whose test began last."""


def spent() -> float:
    """Seconds of processor time, user and system, of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "say at the end which N files took most processor time (25 unless said), and which tests more than a second"
    budget = f"fail where more than {SLACK} times the budget of processor seconds was taken"
    environments = "run also what needs environments of libraries (`conformance env`), which takes minutes"
    parser.addoption("--cpu-budget", action="store_true", help=budget)
    parser.addoption("--environments", action="store_true", help=environments)
    parser.addoption("--cpu", type=int, nargs="?", default=0, const=25, metavar="N", help=help_)


def pytest_configure(config: pytest.Config) -> None:
    ssl.create_default_context = cache(ssl.create_default_context)  # see TLS
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # see BYTECODE
    sys.dont_write_bytecode = False
    if not hasattr(config, "workerinput"):
        asked = os.environ.pop(LIMITED, "")
        bill = Bill(config.getoption("--cpu"), bool(asked) or config.getoption("--cpu-budget"), slowness(asked))
        config.pluginmanager.register(bill, "processor-time")


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was spent until now was not for a test, and what was loaded until now stays."""
    collect_less()  # see GARBAGE
    session.stash[LAST] = spent()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Where a file begins: what is there stays."""
    if item.session.stash.get(FILE, None) != item.path:
        item.session.stash[FILE] = item.path
        gc.collect(1)
        gc.freeze()  # see GARBAGE


@pytest.fixture
def environments_asked(request: pytest.FixtureRequest) -> None:
    """What needs environments of libraries runs where they are named, or asked for. Else it would depend on what
    somebody once made in his cache how long the tests take, and what they say."""
    if not (request.config.getoption("--environments") or os.environ.get("CONFORMANCE_ENVS")):
        pytest.skip("asked for by --environments, or by CONFORMANCE_ENVS, which says where they are")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[Any]:
    """Put what a phase took into its report: reports travel from xdist's workers to the process that prints."""
    report = yield
    before, now = item.session.stash[LAST], spent()
    item.session.stash[LAST] = now
    report.user_properties = [*report.user_properties, (PHASE, now - before)]  # beside what the test itself tells
    return report


def slowness(asked: str) -> float:
    """How many times longer this machine takes than the one that the budgets are for, by what the variable says."""
    return max(1.0, float(asked) / QUIET_RUN) if asked.replace(".", "", 1).isdigit() else 1.0


def over_budget(taken: Mapping[str, float], slow: float = 1.0) -> list[str]:
    """A line for each command that took too many processor seconds on a machine that is ``slow`` times as slow."""
    most = {command: budget * SLACK * slow for command, budget in BUDGETS.items()}
    return [
        f"over budget: `{command}` took {seconds:.0f} processor seconds of {BUDGETS[command]}, and {most[command]:.0f} "
        "fail: see docs/notes/tests.md"
        for command, seconds in taken.items()
        if seconds > most[command]
    ]


class Bill:
    """Adds up what reports say, by file and by test, and prints it."""

    def __init__(self, files: int, is_limited: bool, slow: float) -> None:
        self.files = files
        self.is_limited = is_limited
        self.slow = slow
        self.by_file: Counter[str] = Counter()
        self.by_test: Counter[str] = Counter()
        self.quick = 0.0
        self.is_over = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = dict(report.user_properties)[PHASE]
        self.by_file[report.nodeid.split("::")[0]] += seconds
        self.by_test[report.nodeid] += seconds
        self.quick += 0 if "slow" in report.keywords else seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tests, whole = sum(self.by_file.values()), spent()
        print_line = terminalreporter.write_line
        print_line(
            f"processor seconds: {whole:.0f} in all, {tests:.0f} of them in {len(self.by_test)} tests, "
            f"{self.quick:.0f} in those that are not slow"
        )
        self.tell_dearest(print_line)
        for line in over_budget({WHOLE: whole, QUICK: self.quick}, self.slow) if self.is_limited else ():
            self.is_over = True
            print_line(line, red=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """After the summary: too much is a failure."""
        yield
        if self.is_over and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def tell_dearest(self, print_line: Callable[[str], None]) -> None:
        """Print which files and tests took most, where that is asked."""
        if not self.files:
            return
        for name, seconds in self.by_file.most_common(self.files):
            print_line(f"{seconds:8.1f}  {name}")
        over = [(test, seconds) for test, seconds in self.by_test.most_common() if seconds > 1]
        print_line(f"tests of more than one second: {len(over)}")
        for name, seconds in over:
            print_line(f"{seconds:8.1f}  {name}")
