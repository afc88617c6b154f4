"""Says what in ``conformance`` nothing uses: no other code of ours, and none of `KEPT`. Tests do not count.

    python tools/unused.py
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent

KEPT: Mapping[str, str] = {
    # by the rules of others
    "conformance/__init__.py: __getattr__": "Python asks for names that are not there",
    "conformance/adapters/capture/source.py: visit_* returns": "fields and methods of the standard library's trees",
    "conformance/adapters/libraries/*: *": "shims are named in tables, as text; they set fields of their libraries",
    "conformance/parsers/callers/*: *": "a table names them, as text; they set fields of their servers",
    "conformance/adapters/loopback.py: *": "the standard library's server asks for them",
    "conformance/adapters/stdio/messages.py: jsonrpc": "a member of a message",
    "conformance/adapters/stdio/serve.py: breakpointhook": "Python asks for it",
    "conformance/gateways/reference.py: *": "the standard library's server asks for them",
    "conformance/gateways/upstream.py: *": "the standard library's server asks for them",
    "conformance/cli/saying.py: _print_message _check_value": "argparse calls them",
    "conformance/pytest/__init__.py: __getattr__": "Python asks for names that are not there",
    "conformance/pytest/*: pytest_* conformance_* __test__ test_scenario": "pytest asks for them",
    "conformance/scenario_files.py: ignore_aliases": "PyYAML asks for it",
    "conformance/traffic/files.py: readable readinto": "Python's buffered reader asks for them",
    "conformance/engine/worker.py: tempdir": "the standard library asks for it",
    "conformance/server/running.py: should_exit capture_signals": "uvicorn asks for them",
    "conformance/wires/base.py: __call__": "says what a function takes",
    # found by their base class
    "conformance/mutants/lies/*: *": "every subclass of `Liar` is a lie",
    # fields of data, read as a whole
    "conformance/recordings/interaction.py: api_version scrub_version": "written into cassettes",
    "conformance/wires/host.py: repository commit": "listed with the host",
    # of the public surface
    "conformance/adapters/contract.py: CONTRACT_VERSION": "the version of what adapters import",
    "conformance/runner/conclusion.py: conforms": "for those who call `conformance.run`",
    # what tests prove our wires with
    "conformance/rules/losses.py: losses_of": "the laws allow these losses and no others",
}
"""``file: names`` that nothing of ours uses by name, and why they are there."""


def unused() -> list[str]:
    """What nothing uses, a line each; and what is kept and needs no more keeping."""
    finder = Vulture(ignore_decorators=["@check*", "@_mutant*", "@mutant*", "@later*", "@outgoing*", "@unseeing*"])
    finder.scavenge([str(ROOT / name) for name in ("conformance", "tools", "benchmarks")])
    needed = set()
    lines = []
    for item in finder.get_unused_code(min_confidence=60):
        path = Path(item.filename).relative_to(ROOT).as_posix()
        reasons = {entry for entry in KEPT if _is_about(entry, path, item.name)}
        needed |= reasons
        if path.startswith("conformance/") and not reasons:
            lines.append(f"{path}:{item.first_lineno}: nothing uses {item.typ} {item.name}")
    return [*lines, *(f"tools/unused.py: {entry!r} is used, or gone" for entry in KEPT if entry not in needed)]


def _is_about(entry: str, path: str, name: str) -> bool:
    file, names = re.split(": ", entry, maxsplit=1)
    return fnmatch(path, file) and any(fnmatch(name, one) for one in names.split())


if __name__ == "__main__":
    found = unused()
    print("\n".join(found) or "everything is used")
    sys.exit(bool(found))
