"""`ConformanceSuite`: one test for each provider and scenario, and one for each entry of the baseline."""

from __future__ import annotations

import bdb
import sys
import warnings
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from conformance.adapters.bound import LET_THROUGH
from conformance.adapters.contract import AdapterError
from conformance.baseline import BaselineEntry
from conformance.engine.cases import Generation
from conformance.model import Profile
from conformance.pytest.failing import BrokenRulesError, BrokenRulesWarning
from conformance.pytest.plan import SuiteCase, SuitePlan
from conformance.runner.answering import ResponderSettings
from conformance.runner.errors import Option, UsageError
from conformance.runner.selection import selection_of
from conformance.runner.settings import checked_addresses, checked_baseline

PLANS = pytest.StashKey[dict[type, SuitePlan]]()
"""In the configuration's stash: the plans of the suites of this process."""


class ConformanceSuite:
    """An adapter held against the rules, as tests. Subclass it in a test module, under a name that pytest collects::

        class TestMine(ConformanceSuite):
            adapter = "python:mylib:Adapter"
            providers = ["anthropic"]

    ``adapter`` is an address, as on the command line. ``python:`` adapters, installed ones and libraries by their names
    live in the process of the tests; ``stdio:`` and ``env:`` ones in a child.

    The rest is as `conformance.run` has it: ``providers`` (all that the adapter declares), ``scenarios``, ``rules`` and
    ``deliveries`` (globs; all), ``profile``, ``generated`` and ``seed``, ``scenario_folder``, ``cassettes`` (a folder
    of recordings that answer instead of the script) and ``baseline`` (a file with failures that are known). Relative
    paths begin at the folder of the test module.
    """

    adapter: ClassVar[str] = ""
    providers: ClassVar[Sequence[str]] = ()
    scenarios: ClassVar[Sequence[str]] = ()
    rules: ClassVar[Sequence[str]] = ()
    deliveries: ClassVar[Sequence[str]] = ()
    profile: ClassVar[Profile] = "native"
    generated: ClassVar[Generation] = "pairs"
    seed: ClassVar[int | None] = None
    scenario_folder: ClassVar[Path | str | None] = None
    cassettes: ClassVar[Path | str | None] = None
    baseline: ClassVar[Path | str | None] = None

    __test__ = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__test__ = True
        cls.test_baseline = ConformanceSuite.test_baseline if cls.baseline else None  # type: ignore[method-assign, assignment]

    def test_scenario(self, conformance_case: SuiteCase, request: pytest.FixtureRequest) -> None:
        """The adapter holds the conversation of a scenario with a provider, in all deliveries."""
        __tracebackhide__ = _raised_within
        played = _plan(request.config, type(self)).play(conformance_case)
        for rule in played.warned:
            warnings.warn(BrokenRulesWarning(rule), stacklevel=2)
        if played.hindered:
            pytest.fail(played.hindered, pytrace=False)
        if played.idle:
            pytest.skip(played.idle)
        if played.known and not played.broken:
            pytest.xfail("; ".join(played.known))
        if played.fails:
            raise BrokenRulesError(played)

    def test_baseline(self, conformance_entry: BaselineEntry, request: pytest.FixtureRequest) -> None:
        """An entry of the baseline has not expired, and something that it is about still fails."""
        if complaints := _plan(request.config, type(self)).complaints(conformance_entry):
            pytest.fail("\n".join(complaints), pytrace=False)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make the tests of a suite. pytest calls it."""
        if "conformance_case" in metafunc.fixturenames:
            cases = _plan_or_error(metafunc).cases
            metafunc.parametrize("conformance_case", [_parameter(case) for case in cases])
        if "conformance_entry" in metafunc.fixturenames:
            entries = _plan_or_error(metafunc).entries
            named = [pytest.param(entry, id=f"{entry.number}-{entry.rule}") for entry in entries]
            metafunc.parametrize("conformance_entry", named)


def _parameter(case: SuiteCase) -> Any:
    mark = pytest.mark.conformance(provider=case.provider, family=case.family, scenario=case.scenario)
    return pytest.param(case, id=f"{case.provider}-{case.scenario}", marks=mark)


def _plan_or_error(metafunc: pytest.Metafunc) -> SuitePlan:
    """The plan of a suite. What is wrong with its settings, or with the adapter, is an error of collecting."""
    assert metafunc.cls is not None
    try:
        return _plan(metafunc.config, metafunc.cls)
    except (UsageError, AdapterError) as problem:
        raise pytest.Collector.CollectError(f"{metafunc.cls.__name__}: {problem}") from problem


def _plan(config: pytest.Config, suite: type[ConformanceSuite]) -> SuitePlan:
    plans = config.stash.setdefault(PLANS, {})
    if suite not in plans:
        plugins = config.pluginmanager
        if not plugins.has_plugin(_Sections.NAME):
            plugins.register(_Sections(), _Sections.NAME)
        plans[suite] = _made(suite, config)
        config.add_cleanup(plans[suite].close)
    return plans[suite]


class _Sections:
    """Puts the rules that a test broke into its report, a section each."""

    NAME = "conformance-sections"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        report = yield
        problem = call.excinfo.value if call.excinfo is not None else None
        if isinstance(problem, BrokenRulesError) and hasattr(report.longrepr, "addsection"):
            for title, text in problem.sections(details=item.config.get_verbosity() > 1):
                report.longrepr.addsection(title, text)
        return report


# --- from a class and options ----------------------------------------------------------------------------------------


def _made(suite: type[ConformanceSuite], config: pytest.Config) -> SuitePlan:
    """The plan of a suite, with the options of the command line. Raises `UsageError` and `AdapterError`."""
    LET_THROUGH.update((pytest.exit.Exception, pytest.skip.Exception, bdb.BdbQuit))
    if not suite.adapter:
        raise UsageError(Option("adapter"), " is missing: write adapter = 'python:package.module:Adapter'")
    [address] = checked_addresses([suite.adapter])
    here = Path(str(sys.modules[suite.__module__].__file__)).parent

    def option(name: str) -> Any:
        return config.getoption(f"conformance_{name}", None)

    def placed(path: Path | str | None) -> Path | None:
        return None if path is None else here / path

    selection = selection_of(
        suite.providers,
        suite.scenarios,
        option("rule") or suite.rules,
        option("delivery") or suite.deliveries,
        option("profile") or suite.profile,
        placed(suite.scenario_folder),
        _answering(placed(suite.cassettes)).answering(),
        option("generated") or suite.generated,
        suite.seed,
    )
    entries = checked_baseline(placed(suite.baseline) or ())
    return SuitePlan(address, selection, entries, expects=not option("no_baseline"))


def _answering(cassettes: Path | None) -> ResponderSettings:
    return ResponderSettings(
        responder="scripted" if cassettes is None else "cassette",
        cassettes=cassettes,
        models="",
        base_urls="",
        repeat=1,
        allow_shell=False,
        max_calls=None,
        again=False,
        origin="live",
    )


def _raised_within(excinfo: pytest.ExceptionInfo[BaseException]) -> bool:
    """Whether what is told was raised by the adapter: then only its own lines are shown."""
    return bool(getattr(excinfo.value, "pytrace", False))
