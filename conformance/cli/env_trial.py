"""A new environment is tried: a library that fails as it is installed is told, and mended with what it documents.

Each shim of the library makes its first request to each provider with just what users install. One that fails gets, one
after another, the extras that the library documents and that may help, the smallest first, and then what is known to
hold another package back. If it runs with one of them, the failure was the installation's: one finding, with a program
that was run where it fails.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, Library
from conformance.adapters.libraries.table import is_pin
from conformance.adapters.stdio.faces import line_of_error
from conformance.environments.kinds import kind
from conformance.environments.places import InstalledEnvironment, InstallFinding, mark
from conformance.files.scratch import scratch
from conformance.masking.environment import without_keys
from conformance.processes.running import run_kept

PROGRAM_SECONDS = 120.0


def tried(made: InstalledEnvironment, say: Callable[[str], None]) -> InstalledEnvironment:
    """The environment after all shims of its library made a first request there, mended where that was needed."""
    if made.tried or not _is_plain(made):
        return made
    findings: list[InstallFinding] = []
    for name, library in LIBRARIES.items():
        if library.distribution == made.distribution:
            findings += _of_shim(name, library, made, say)
    made = replace(made, tried=True, findings=tuple(findings))
    mark(made)
    return made


def _is_plain(made: InstalledEnvironment) -> bool:
    """Whether it holds just what its library documents: one of an earlier version may hold all that mends."""
    from conformance.environments.finding import requirements_of

    libraries = [one for one in LIBRARIES.values() if one.distribution == made.distribution]
    return any(made.requirements == requirements_of(one) for one in libraries)


def _of_shim(
    name: str, library: Library, made: InstalledEnvironment, say: Callable[[str], None]
) -> Iterator[InstallFinding]:
    from conformance.report.script.first_request import first_failure

    address = f"env:{name}@{made.version}"
    failed = first_failure(name, made.version, address)
    if failed is None:
        return
    program = failed.program if _shows(failed.program, failed.error, library, made) else ""
    say(f"{name} {made.version} fails as it is installed: {failed.error}")
    mended = ""
    for extra in _candidates(library, made, failed.error):
        say(f"installing what may mend it: {extra}")
        try:
            wanted = kind(library.kind).wanted(made.distribution, made.version, extra)
            kind(library.kind).add(made.folder, [wanted], made.date)
        except AdapterError as problem:
            say(str(problem))
            continue
        if first_failure(name, made.version, address) is None:
            mended = extra
            break
    if mended or failed.is_known:
        first = made.requirements[0]
        yield InstallFinding(name, f"{first}=={made.version}", failed.error, mended, program)


def _candidates(library: Library, made: InstalledEnvironment, error: str) -> list[str]:
    """What may help: extras that bring a package which the error names, the smallest first; then what is known."""
    from conformance.environments.virtual import normalized

    documented = kind(library.kind).extras(made.folder, made.distribution)
    words = {normalized(word.strip("'\".,").partition(".")[0]) for word in error.split()}
    bringing = [name for name, brought in documented.items() if words & set(brought)]
    known = [name for name in library.mends if name in documented or is_pin(name)]
    return list(dict.fromkeys([*sorted(bringing, key=lambda name: len(documented[name])), *known]))


def _shows(program: str, error: str, library: Library, made: InstalledEnvironment) -> bool:
    """Whether a program shows the error where the library is as it was installed."""
    with scratch() as folder:
        file = folder / f"program{kind(library.kind).suffix}"
        file.write_text(program, "utf-8")
        command = kind(library.kind).runs(made.folder, file)
        if not program or command is None:
            return False
        try:
            done = run_kept(command, environment=without_keys(), seconds=PROGRAM_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return False
    said = " ".join(line_of_error(done.stderr).split())
    return done.returncode != 0 and error.partition(": ")[2] in said
