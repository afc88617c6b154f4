"""Count the faults that were survived: run the tests about faults, and write reports/faults.md from what they report.

    python tools/publish.py faults

A test says by ``record_property`` how often it did what. Exit code: 0 when all of them passed.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "fuzz"), str(ROOT / "tests" / "server")]

from fuzz_playing import findings
from targets import TARGETS

TESTS = (
    "tests/server/test_faults.py", "tests/recording/test_interrupted.py", "tests/recording/test_live.py",
    "tests/fuzz/test_fuzz.py",
)  # fmt: skip
FUZZ_TIMES = 5
"""How many times as many inputs as in CI are played for the report."""

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
        environment = {**os.environ, "FUZZ_TIMES": str(FUZZ_TIMES)}
        code = subprocess.run(command, cwd=ROOT, check=False, env=environment).returncode
        cases = list(ET.parse(report).getroot().iter("testcase"))
    text = "\n".join(_lines(cases)) + "\n"
    (ROOT / "reports" / "faults.md").write_text(text, "utf-8", newline="\n")
    return code


def _lines(cases: list[ET.Element]) -> Iterator[str]:
    passed, failed, how = Counter[str](), Counter[str](), Counter[str]()
    for case in cases:
        into = failed if _failed(case) else passed
        for item in case.iter("property"):
            into[item.get("name", "")] += _count(item.get("value", "0"))
            how.update(_ways(item.get("name", ""), item.get("value", "0")))
    bad = sum(map(_failed, cases))
    yield "# Faults survived"
    yield ""
    yield "Made by `python tools/publish.py faults` from the outcomes of these tests:"
    yield f"{', '.join(f'`{path}`' for path in TESTS)}. {len(cases)} tests, {bad} failed."
    yield ""
    yield "| fault | times | survived | what surviving means |"
    yield "|---|---:|---:|---|"
    for name, (fault, meaning) in MEANING.items():
        yield f"| {fault} | {passed[name] + failed[name]:,} | {passed[name]:,} | {meaning} |"
    yield from _fuzzed(passed, how, broken=[case.get("name", "") for case in cases if _failed(case)])


def _fuzzed(passed: Counter[str], how: Counter[str], broken: list[str]) -> Iterator[str]:
    """What was made for each reader. A test that fails stops at its first fault, and its inputs are not counted."""
    yield ""
    yield "## Fuzzing"
    yield ""
    yield "Right inputs with something wrong in their bytes or values, inputs that Hypothesis makes, and all that once"
    yield "was not survived (`tests/fuzz/findings`); the same ones each time. Survived is what is read, or refused by"
    yield "the error that is documented, in one line; in bounded time and memory; and nothing outside the folder is"
    yield "touched. What is written and read again says the same. The server answers below 500 or closes the"
    yield "connection, and then answers the next good request."
    yield ""
    yield "| target | what is read | tried | survived | read | refused | kept findings |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for name, target in TARGETS.items():
        faults = sum(f"[{name}]" in case or f"[{name}-" in case for case in broken)
        counts = (passed[f"fuzz {name}"] + faults, passed[f"fuzz {name}"], how[f"{name} read"], how[f"{name} refused"])
        numbers = " | ".join(f"{count:,}" for count in (*counts, len(findings(name))))
        yield f"| `{name}` | {target.about} | {numbers} |"


def _failed(case: ET.Element) -> bool:
    return case.find("failure") is not None or case.find("error") is not None


def _ways(name: str, value: str) -> dict[str, int]:
    """How inputs were survived, by target and way."""
    found = ast.literal_eval(value) if name.startswith("fuzz ") else {}
    return {f"{name.removeprefix('fuzz ')} {way}": count for way, count in found.items()}


def _count(value: str) -> int:
    """A number, or the sum of the numbers of several kinds."""
    found = ast.literal_eval(value)
    return sum(found.values()) if isinstance(found, dict) else int(found)


if __name__ == "__main__":
    sys.exit(main())
