"""docs/pytest.md: its example is written to files, block by block, and does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text("utf-8")
FILES = dict(re.findall(r"^```\w+ (\S+\.\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
SHOWN = re.search(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_example(pytester: pytest.Pytester) -> None:
    assert FILES.keys() == {"mylib.py", "test_mine.py", "known.yaml", "test_client.py", "test_weather.py"}
    for name, text in FILES.items():
        (pytester.path / name).write_text(text, "utf-8")
    for _ in range(2):  # recorded, then played
        result = pytester.runpytest_inprocess("-q", "-rx")
        found = result.parseoutcomes()
        assert found.keys() <= {"passed", "xfailed", "skipped"} and found["xfailed"] == 1
        result.stdout.fnmatch_lines(["XFAIL*two_reads*the last result is lost*issues/12*"])
    assert (pytester.path / "cassettes" / "test_weather" / "test_weather.json").is_file()


def test_the_failure_is_what_is_shown(pytester: pytest.Pytester) -> None:
    for name in ("mylib.py", "test_mine.py", "known.yaml"):
        (pytester.path / name).write_text(FILES[name], "utf-8")
    told = pytester.runpytest_inprocess("-q", "-k", "two_reads", "--conformance-no-baseline").stdout.str()
    assert SHOWN is not None
    for line in SHOWN[1].splitlines():
        assert line.partition("…")[0].strip("- ") in told


def test_all_options_are_told() -> None:
    plugin = (Path(__file__).parents[2] / "conformance" / "pytest" / "plugin.py").read_text("utf-8")
    options = set(re.findall(r'"(--conformance-[\w-]+)"', plugin))
    assert options == set(re.findall(r"^\| `(--conformance-[\w-]+)", PAGE, re.MULTILINE))
