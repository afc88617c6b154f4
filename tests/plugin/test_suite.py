"""`ConformanceSuite`, as pytest's users use it: an inner pytest plays a suite, mostly in this process."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from suites import BASELINE, suite, written

pytest_plugins = ["pytester"]

SNAPSHOTS = Path(__file__).parent / "snapshots"
ONE = ["parallel_calls.two_reads"]
SEVERAL = ["parallel_calls.*", "multi_turn.hello"]


def outcomes(result: pytest.RunResult) -> dict[str, str]:
    """The outcome of each test, by its name."""
    found = re.findall(r"^test_mine\.py::\w+::(\S+) (\w+)", result.stdout.str(), re.MULTILINE)
    parallel = re.findall(r"\] (\w+) test_mine\.py::\w+::(\S+)", result.stdout.str())
    return dict(found) | {name: outcome for outcome, name in parallel}


def replaced(pytester: pytest.Pytester, old: str, new: str) -> None:
    """Change the library."""
    library = pytester.path / "mylib.py"
    library.write_text(library.read_text("utf-8").replace(old, new), "utf-8")


def test_one_test_for_each_provider_and_scenario(pytester: pytest.Pytester) -> None:
    written(pytester, suite(scenarios=SEVERAL))
    result = pytester.runpytest_inprocess("-v")
    played = outcomes(result)
    assert set(played.values()) == {"PASSED"}
    assert "test_scenario[anthropic-multi_turn.hello]" in played
    assert len(played) > 5


def test_a_failure_tells_the_rule(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    written(pytester, suite("Broken", scenarios=ONE))
    result = pytester.runpytest_inprocess("-q")
    result.assert_outcomes(failed=1)
    text = re.sub(r"in \d+\.\d+s", "in 1.0s", result.stdout.str()).strip() + "\n"
    path = SNAPSHOTS / "failure.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text, "utf-8", newline="\n")
    assert text == path.read_text("utf-8")


def test_what_the_adapter_raises_keeps_its_traceback(pytester: pytest.Pytester) -> None:
    written(pytester, suite("Raises", scenarios=ONE))
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines([
        ">*return self.understood(first)", "mylib.py:*", ">*return {}*content*",
        "E*BrokenRulesError: parse_stream raised KeyError: 'content': mylib breaks common.adapter.completes",
        "mylib.py:*: BrokenRulesError",
        "*common.adapter.completes (must, error)*",
        "delivery:  stream:whole, stream:per-event, stream:per-byte",
        "reproduce: conformance run python:mylib:Raises --provider anthropic --scenario parallel_calls.two_reads *",
        "*Captured stdout call*", "mylib reads a stream",
    ])  # fmt: skip
    assert "site-packages" not in result.stdout.str() and "bound.py" not in result.stdout.str()


@pytest.mark.slow
def test_prints_and_debuggers_work(pytester: pytest.Pytester) -> None:
    """Subprocesses: an inner pytest that reads standard input, and one that prints past this one."""
    written(pytester, suite("Raises", scenarios=ONE))
    result = pytester.run(sys.executable, "-m", "pytest", "-q", "-s", "--pdb", stdin=b"p 'data is', data[:7]\nq\n")
    result.stdout.fnmatch_lines(["mylib reads a stream*", "*> *mylib.py(*)understood()", "*('data is', b'event: ')"])


def test_leaving_a_debugger_ends_the_tests(pytester: pytest.Pytester) -> None:
    """What `breakpoint` raises when it is left is no failure of the adapter."""
    written(pytester, suite("Raises"))
    replaced(pytester, 'return {}["content"]', '__import__("pytest").exit("left")')
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*_pytest.outcomes.Exit: left*"])
    assert not result.parseoutcomes().get("failed")


def test_choosing_and_stopping(pytester: pytest.Pytester) -> None:
    written(pytester, suite("Broken", scenarios=SEVERAL))
    chosen = outcomes(pytester.runpytest_inprocess("-v", "-k", "two_reads or hello"))
    assert chosen == {
        "test_scenario[anthropic-parallel_calls.two_reads]": "FAILED",
        "test_scenario[anthropic-multi_turn.hello]": "PASSED",
    }
    again = pytester.runpytest_inprocess("-v", "--lf")
    assert outcomes(again) == {"test_scenario[anthropic-parallel_calls.two_reads]": "FAILED"}
    stopped = pytester.runpytest_inprocess("-x")
    assert stopped.parseoutcomes()["failed"] == 1
    marked = pytester.runpytest_inprocess("-v", "--strict-markers", "-m", "conformance(family='multi_turn')")
    assert [*outcomes(marked)] == ["test_scenario[anthropic-multi_turn.hello]"]


def test_options(pytester: pytest.Pytester) -> None:
    written(pytester, suite("Broken", scenarios=ONE))
    other = pytester.runpytest_inprocess("--conformance-rule", "common.ids.*", "--conformance-delivery", "blocking")
    other.assert_outcomes(passed=1)
    unknown = pytester.runpytest_inprocess("--conformance-rule", "common.idz.*")
    unknown.stdout.fnmatch_lines(["TestMine: no rule matches 'common.idz.*'*"])
    helped = pytester.runpytest_inprocess("--help").stdout.str().partition("conformance of LLM")[2]
    group = helped.partition("\n\n")[0] if "\n\n" in helped else helped
    assert set(re.findall(r"^  (--[\w-]+)", group, re.MULTILINE)) == {
        f"--conformance-{name}" for name in ("rule", "delivery", "profile", "generated", "no-baseline", "record")
    }


def test_what_is_not_declared_is_skipped(pytester: pytest.Pytester) -> None:
    written(pytester, suite("Blocking", scenarios=["parallel_calls.two_reads", "errors.cut_after_call"]))
    result = pytester.runpytest_inprocess("-rs", "-v")
    played = outcomes(result)
    assert played["test_scenario[anthropic-parallel_calls.two_reads]"] == "PASSED"
    assert "SKIPPED" in played.values()
    result.stdout.fnmatch_lines(["SKIPPED*unsupported: the adapter does not declare *"])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"adapter": ""}, "TestMine: adapter is missing*"),
        ({"adapter": "python:mylib:Adaptor"}, "TestMine: python:mylib:Adaptor: mylib has no 'Adaptor'; did you mean*"),
        ({"providers": ["gemini"]}, "TestMine: mylib does not declare gemini: it declares anthropic"),
        ({"scenarios": ["nothing.*"]}, "TestMine: no scenario matches 'nothing.*'*"),
        ({"baseline": "none.yaml"}, "TestMine: *none.yaml*"),
    ],
)
def test_wrong_settings_are_one_line(pytester: pytest.Pytester, settings: dict[str, object], words: str) -> None:
    written(pytester, suite(**settings))
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines([words])
    result.assert_outcomes(errors=1)


# --- baselines -------------------------------------------------------------------------------------------------------


def test_known_failures_are_expected(pytester: pytest.Pytester) -> None:
    known = BASELINE.format(case="parallel_calls.two_reads/*", expires="2099-01-31")
    written(pytester, suite("Broken", scenarios=SEVERAL, baseline="known.yaml"), known_yaml=known)
    result = pytester.runpytest_inprocess("-v", "-rx", "-k", "two_reads or baseline or hello")
    played = outcomes(result)
    assert played == {
        "test_scenario[anthropic-parallel_calls.two_reads]": "XFAIL",
        "test_scenario[anthropic-multi_turn.hello]": "PASSED",
        "test_baseline[1-common.result.exactly-one-per-call]": "PASSED",
    }
    result.stdout.fnmatch_lines(["XFAIL*the last result is lost (https://github.com/example/mylib/issues/12)*"])
    pytester.runpytest_inprocess("-k", "two_reads", "--conformance-no-baseline").assert_outcomes(failed=1, deselected=9)
    shown = pytester.runpytest_inprocess("-k", "two_reads", "--runxfail")
    shown.stdout.fnmatch_lines(["*common.result.exactly-one-per-call (must, fail)*"])


@pytest.mark.parametrize(
    ("adapter", "case", "expires", "words"),
    [
        ("Adapter", "*", "2099-01-31", "*passes unexpectedly (anthropic common.result.*): remove it"),
        ("Broken", "parallel_calls.two_rides/*", "2099-01-31", "*covers none of the failing cases*"),
        ("Broken", "*", "2020-01-31", "*expired on 2020-01-31: the last result is lost"),
    ],
)
def test_what_passes_unexpectedly_fails(
    pytester: pytest.Pytester, adapter: str, case: str, expires: str, words: str
) -> None:
    known = BASELINE.format(case=case, expires=expires)
    written(pytester, suite(adapter, scenarios=ONE, baseline="known.yaml"), known_yaml=known)
    result = pytester.runpytest_inprocess("-v")
    assert outcomes(result)["test_baseline[1-common.result.exactly-one-per-call]"] == "FAILED"
    result.stdout.fnmatch_lines([words])
    alone = pytester.runpytest_inprocess("-k", "baseline")  # plays what it needs itself
    alone.assert_outcomes(failed=1, deselected=1)
    alone.stdout.fnmatch_lines([words])


# --- other processes -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_several_workers_give_the_same(pytester: pytest.Pytester) -> None:
    known = BASELINE.format(case="parallel_calls.two_reads/*", expires="2099-01-31")
    written(pytester, suite("Broken", scenarios=SEVERAL, baseline="known.yaml"), known_yaml=known)
    alone = outcomes(pytester.runpytest_inprocess("-v"))
    together = outcomes(pytester.runpytest_inprocess("-v", "-n", "2"))
    assert alone == together
    assert set(alone.values()) == {"PASSED", "FAILED", "XFAIL"}


@pytest.mark.slow
def test_adapters_in_children(pytester: pytest.Pytester) -> None:
    """What speaks the protocol, or lives in an environment of its own, cannot be in the process of the tests."""
    address = f"stdio:{sys.executable} -m conformance.adapters.stdio.serve python:mylib:Raises"
    written(pytester, suite(address, scenarios=ONE))
    result = pytester.runpytest_inprocess("-q")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*common.adapter.completes (must, error)*", "*in understood", "*reproduce: *stdio:*"])


def test_secrets_do_not_get_into_what_is_told(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYLIB_API_KEY", "a0b1c2d3e4f5-only-for-this-test")
    written(pytester, suite("Raises", scenarios=ONE))
    replaced(pytester, '{}["content"]', '{}[__import__("os").environ["MYLIB_API_KEY"]]')
    result = pytester.runpytest_inprocess("-vv")
    result.stdout.fnmatch_lines(["*parse_stream raised KeyError: '…'*"])
    assert "only-for-this-test" not in result.stdout.str()
