"""What a library's run costs before its first case, beside what the library's own import costs.

``python benchmarks/library_start.py [NAME ...]`` (anthropic): each library's run is begun and broken off after its
first case, in turns with a process that imports its shim after all that is ours. Both are processor time of all
processes, so that other work on the machine counts little; the least of each is taken. Aim: at most one second more.
The library needs its environment (``conformance env NAME``). ``--check`` fails where the aim is missed, ``--small``
measures once, and takes the library that is installed here where it has no environment.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from pytest_suite import spent

from conformance.adapters.libraries.table import LIBRARIES
from conformance.adapters.problems import AdapterError
from conformance.environments import bundle, find

ROOT = Path(__file__).resolve().parent.parent
AIM = 1.0
TIMES = 1 if "--small" in sys.argv else 3

FIRST = """
import sys
from conformance.runner.entry import run
from conformance.runner.events import CaseResult
going = run(sys.argv[1], jobs=1)
for event in going:
    if isinstance(event, CaseResult):
        break
going.close()
"""

IMPORT = """
import json, sys, time
sys.path[:0] = json.loads(sys.argv[2])
import conformance.adapters.stdio.serve, conformance.adapters.libraries.application
from importlib import import_module
started = time.process_time()
import_module("conformance.adapters.libraries." + sys.argv[1])
print(time.process_time() - started)
"""


def place(name: str) -> tuple[str, str]:
    """A library's address, and the interpreter that it is installed for."""
    try:
        python = find(f"env:{name}").python
    except AdapterError:
        if "--small" not in sys.argv:
            raise
        return name, sys.executable
    assert python is not None, f"{name} is no library of Python"
    return f"env:{name}", str(python)


def importing(name: str) -> float:
    """The seconds in which a library is imported by its shim, where it lives."""
    _, python = place(name)
    module = LIBRARIES[name].shim.partition(":")[0]
    said = subprocess.check_output([python, "-P", "-c", IMPORT, module, json.dumps([str(bundle.folder())])])
    return float(said)


def main() -> int:
    """Measure, and tell."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed was compiled
    most = 0.0
    for name in [word for word in sys.argv[1:] if not word.startswith("--")] or ["anthropic"]:
        first = [sys.executable, "-c", FIRST, place(name)[0]]
        spent(first, ROOT)  # bytecode, and what is kept of scenarios and rules, is there then
        pairs = [(spent(first, ROOT), importing(name)) for _ in range(TIMES)]
        whole, own = (min(column) for column in zip(*pairs, strict=True))
        most = max(most, whole - own)
        print(f"{name}: {whole:.2f} s until the first case, {own:.2f} s of it its own import: {whole - own:.2f} s more")
    print(f"seconds beyond the library's import before the first case: {most:.2f}   aim <= {AIM:g}")
    return int("--check" in sys.argv and most > AIM)


if __name__ == "__main__":
    sys.exit(main())
