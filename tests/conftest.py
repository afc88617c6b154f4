"""Processor time: what the tests took is said at the end, and what all of them need is paid once.

Wall time depends on what else the machine does. The seconds that a processor worked hardly do: of this process, of its
workers and of all children that were waited for. One line always tells them; ``pytest --cpu`` tells which files and
tests they went to. The budgets stand in ``docs/notes/tests.md``.
"""

from __future__ import annotations

import os
import ssl
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
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
# millions of objects, in each worker: a twelfth of the whole. It looks less often (`audit` does so too).

PHASE = "processor seconds"
"""The property of a test's report that holds what its phase (setup, call or teardown) took."""
LAST = pytest.StashKey[float]()
"""In the session's stash: what this process had spent when the last phase ended."""


def spent() -> float:
    """Seconds of processor time, user and system, of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_addoption(parser: pytest.Parser) -> None:
    help_ = "say at the end which N files took most processor time (25 unless said), and which tests more than a second"
    parser.addoption("--cpu", type=int, nargs="?", default=0, const=25, metavar="N", help=help_)


def pytest_configure(config: pytest.Config) -> None:
    ssl.create_default_context = cache(ssl.create_default_context)  # see TLS
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # see BYTECODE
    sys.dont_write_bytecode = False
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Bill(config.getoption("--cpu")), "processor-time")


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was spent until now was not for a test, and what was loaded until now stays."""
    collect_less()  # see GARBAGE
    session.stash[LAST] = spent()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[Any]:
    """Put what a phase took into its report: reports travel from xdist's workers to the process that prints."""
    report = yield
    before, now = item.session.stash[LAST], spent()
    item.session.stash[LAST] = now
    report.user_properties = [*report.user_properties, (PHASE, now - before)]  # beside what the test itself tells
    return report


class Bill:
    """Adds up what reports say, by file and by test, and prints it."""

    def __init__(self, files: int) -> None:
        self.files = files
        self.by_file: Counter[str] = Counter()
        self.by_test: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = dict(report.user_properties)[PHASE]
        self.by_file[report.nodeid.split("::")[0]] += seconds
        self.by_test[report.nodeid] += seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        tests, whole = sum(self.by_file.values()), spent()
        print_line = terminalreporter.write_line
        print_line(f"processor seconds: {whole:.0f} in all, {tests:.0f} of them in {len(self.by_test)} tests")
        if not self.files:
            return
        for name, seconds in self.by_file.most_common(self.files):
            print_line(f"{seconds:8.1f}  {name}")
        over = [(test, seconds) for test, seconds in self.by_test.most_common() if seconds > 1]
        print_line(f"tests of more than one second: {len(over)}")
        for name, seconds in over:
            print_line(f"{seconds:8.1f}  {name}")
