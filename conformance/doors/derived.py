"""The doors of an installed release, asked of the Python where it is."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, installed
from conformance.doors.table import KnownLibrary
from conformance.environments import bundle, find
from conformance.environments.node import types_told
from conformance.masking.environment import without_keys
from conformance.processes.running import run_kept

SECONDS = 300.0

_PROGRAM = """
import sys
sys.path[:0] = [sys.argv[1]]
from conformance.adapters.inventory.telling import main
main(sys.argv[2])
"""


@dataclass(frozen=True, slots=True)
class DerivedDoors:
    """What the child told: the version, the methods, and the providers, where the library lists them."""

    version: str
    methods: tuple[dict[str, Any], ...]
    providers: tuple[str, ...] | None


def derived_address(name: str) -> str:
    """Where a library is played: here where it is installed, else in its newest environment. Raises `AdapterError`."""
    if name.startswith("env:"):
        return name
    try:
        installed(LIBRARIES[name].distribution, name)
    except AdapterError:
        there = find(f"env:{name}")
        return f"env:{name}@{there.version}"
    return name


def derive(address: str, library: KnownLibrary) -> DerivedDoors:
    """The doors of the release at an address. Raises `AdapterError` when the library cannot be read."""
    request = {
        "distribution": library.distribution, "roots": library.roots, "packages": library.packages,
        "providers": library.providers, "first": library.first_door,
    }  # fmt: skip
    there = find(address) if address.startswith("env:") else None
    try:
        if there is not None and there.python is None:
            answer = types_told(there.folder, library.distribution, request, SECONDS)
        else:
            answer = _annotations_told(Path(sys.executable) if there is None else there.python, request)
    except (AdapterError, OSError, subprocess.TimeoutExpired) as problem:
        raise AdapterError(f"{address}: its doors cannot be read: {problem}") from None
    listed = answer["providers"]
    return DerivedDoors(answer["version"], tuple(answer["methods"]), None if listed is None else tuple(listed))


def _annotations_told(python: Path | None, request: dict[str, Any]) -> dict[str, Any]:
    """What a Python library says of itself, in its own interpreter."""
    command = [str(python), "-P", "-c", _PROGRAM, str(bundle.folder()), json.dumps(request)]
    done = run_kept(command, environment=without_keys(), seconds=SECONDS)
    if done.returncode:
        raise AdapterError((done.stderr.strip().splitlines() or ["?"])[-1])
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
