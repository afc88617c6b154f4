"""Count the faults that were survived: run the tests about faults, and write reports/faults.md from what they report.

    python tools/publish.py faults

A test says by ``record_property`` how often it did what. Exit code: 0 when all of them passed.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("tests/server/test_faults.py", "tests/recording/test_interrupted.py", "tests/recording/test_live.py")

MEANING = {
    "cuts survived": (
        "a provider's stream cut off: near its ends, and at and beside every border of an event",
        "the client gets what came before, sees that the rest is missing, and reads no call that is not whole",
    ),
    "malformed requests survived": (
        "malformed bodies, headers and heads of requests",
        "an answer with a status, or a closed connection; the server goes on",
    ),
    "bodies of 100 MB survived": ("a request of 100 MB", "413, and not in memory"),
    "streams at once": ("streams at the same time", "each gets its own answer, whole"),
    "recordings broken off and gone on with": (
        "a recording broken off: SIGINT, SIGKILL, no calls left",
        "what was recorded is there, and no call is made twice",
    ),
    "disks full while recording": (
        "a disk that is full while recording",
        "one line says so, nothing is half-written, and no further call is made",
    ),
    "folders that cannot be written to": (
        "a folder that cannot be written to",
        "one line says so, and no call is made",
    ),
}
"""By the name of the property: the fault, and what surviving means."""


def main() -> int:
    """Run the tests and write the report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n0", f"--junitxml={report}", *TESTS]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        cases = list(ET.parse(report).getroot().iter("testcase"))
    text = "\n".join(_lines(cases)) + "\n"
    (ROOT / "reports" / "faults.md").write_text(text, "utf-8", newline="\n")
    return code


def _lines(cases: list[ET.Element]) -> Iterator[str]:
    passed, failed = Counter[str](), Counter[str]()
    for case in cases:
        into = passed if case.find("failure") is None and case.find("error") is None else failed
        for item in case.iter("property"):
            into[item.get("name", "")] += _count(item.get("value", "0"))
    bad = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
    yield "# Faults survived"
    yield ""
    yield "Made by `python tools/publish.py faults` from the outcomes of these tests:"
    yield f"{', '.join(f'`{path}`' for path in TESTS)}. {len(cases)} tests, {bad} failed."
    yield ""
    yield "| fault | times | survived | what surviving means |"
    yield "|---|---:|---:|---|"
    for name, (fault, meaning) in MEANING.items():
        yield f"| {fault} | {passed[name] + failed[name]:,} | {passed[name]:,} | {meaning} |"


def _count(value: str) -> int:
    """A number, or the sum of the numbers of several kinds."""
    found = ast.literal_eval(value)
    return sum(found.values()) if isinstance(found, dict) else int(found)


if __name__ == "__main__":
    sys.exit(main())
