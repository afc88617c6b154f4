"""There is one door: no other part of the tool prints, or writes a file, but for the few that are named here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import conformance

ROOT = Path(conformance.__file__).parent

DOORS = {
    "report/printing.py": "all screens: what it prints is masked",
    "cli/saying.py": "what Python itself says on standard error: masked",
    "result.py": "results, reports and pages: what it writes is checked",
    "cli/scaffolding.py": "new adapters, scenarios and rules: checked",
    "cli/coverage_command.py": "coverage: checked",
    "scenario_files.py": "scenarios: checked",
    "environments/places.py": "what is known of an environment: masked",
    "recordings/atomic.py": "cassettes: scanned by the recorder before",
}
"""Where files and screens are written, and why nothing secret gets out there."""

OTHERS = {
    "cli/__init__.py": "the help and the version",
    "cli/env_trial.py": "our own program, in a folder that is removed",
    "environments/bundle.py": "our own modules",
    "environments/node.py": "an empty package",
    "responders/recording.py": "a count of calls, and an empty lock",
    "session/workspace.py": "the folder in which a model works, which is removed",
    "engine/pool.py": "a pipe from the worker, which is removed: see docs/secrets.md, Limits",
    "adapters/stdio/serve.py": "in the child: its parent masks it",
    "adapters/stdio/guard.py": "a number, to a shell",
    "adapters/stdio/pipes.py": "requests to the child",
    "adapters/stdio/channel.py": "answers to the parent, which masks them",
    "adapters/loopback.py": "answers to the library in the child",
    "adapters/capture/program.py": "the program of a failing case, in the child: its parent masks it",
}
"""What else writes, and what."""

WRITING = frozenset({"write", "writelines", "write_text", "write_bytes", "print_exc", "print_exception", "fdopen"})


def _writes(call: ast.Call) -> bool:
    called = call.func
    if isinstance(called, ast.Name):
        return called.id in ("print", "open")
    if not isinstance(called, ast.Attribute):
        return False
    if called.attr == "open":
        modes = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        return any(set(mode) & set("wax+") and len(mode) <= 3 for mode in modes)
    return called.attr in WRITING and ast.unparse(called.value) != "result"


def _writing() -> Iterator[str]:
    for path in ROOT.rglob("*.py"):
        if any(isinstance(node, ast.Call) and _writes(node) for node in ast.walk(ast.parse(path.read_text("utf-8")))):
            yield path.relative_to(ROOT).as_posix()


def test_nothing_else_writes() -> None:
    assert sorted(_writing()) == sorted(DOORS | OTHERS)
