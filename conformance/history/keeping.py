"""What came of releases, kept in the user's cache: a history goes on where it was ended, and asks nothing twice.

It counts for the same suite, byte by byte, the same release and the same settings.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import conformance
from conformance.documents import bytes_read
from conformance.files.whole import write_text
from conformance.history.playing import PlayedRelease
from conformance.history.record import ReleaseRecord
from conformance.result import MAX_RESULT
from conformance.scenarios import packaged_files

SILENT = ("cli", "report", "history", "pytest")
"""The parts of the package that judge nothing."""
SOURCES = (".py", ".yaml", ".toml", ".json", ".ts", ".mjs", ".js")
ASIDE = ("jobs", "engine")
"""Settings that change nothing of what comes out."""
KEPT_SECONDS = 60 * 86_400.0


def folder() -> Path:
    """Where it is kept: ``conformance/history`` in the user's cache."""
    known = os.environ.get("XDG_CACHE_HOME")
    return (Path(known) if known else Path.home() / ".cache") / "conformance" / "history"


@cache
def suite_mark() -> str:
    """What changes whenever anything changes that judges, or is played."""
    package = Path(conformance.__file__).parent
    mark = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        if path.suffix in SOURCES and inside.parts[0] not in SILENT:
            mark.update(f"{inside.as_posix()}\0".encode() + path.read_bytes())
    for name, path in sorted(packaged_files().items()):
        mark.update(f"{name}\0".encode() + path.read_bytes())
    return mark.hexdigest()


def _mark_of(scenarios: Path) -> str:
    """What changes with somebody's own scenarios."""
    mark = hashlib.sha256()
    for path in sorted(path for path in scenarios.rglob("*") if path.is_file()):
        mark.update(f"{path.relative_to(scenarios).as_posix()}\0".encode() + path.read_bytes())
    return mark.hexdigest()


class KeptReleases:
    """What is kept of one library, played by some settings. Where nothing can be kept, all works as well."""

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        self._name = name
        asked = {key: value for key, value in settings.items() if key not in ASIDE}
        own = _mark_of(Path(asked["scenario_folder"])) if asked.get("scenario_folder") else ""
        self._settings = json.dumps({"suite": suite_mark(), "own": own, **asked}, sort_keys=True, default=str)

    def taken(self, version: str) -> PlayedRelease | None:
        """What came of a release, if that is kept."""
        with contextlib.suppress(OSError, RuntimeError, ValueError, TypeError, LookupError, AttributeError):
            kept = json.loads(bytes_read(self._file(version), MAX_RESULT))
            return PlayedRelease(ReleaseRecord.of(kept["record"]), kept["result"])
        return None

    def keep(self, played: PlayedRelease) -> None:
        """Keep what came of a release. What stood against it may be gone next time, unless it is the shim."""
        record = played.record
        if record.standing not in ("played", "lacking", "misfit"):
            return
        text = json.dumps({"record": record.data(), "result": played.result})
        with contextlib.suppress(OSError, RuntimeError):
            write_text(self._file(record.version), text)
            _sweep(self._file(record.version).parent)

    def _file(self, version: str) -> Path:
        mark = hashlib.sha256(f"{version}\0{self._settings}".encode()).hexdigest()[:24]
        return folder() / f"{self._name}-{mark}.json"


def _sweep(at: Path) -> None:
    """Remove what nobody can want any more."""
    for other in at.iterdir():
        if time.time() - other.stat().st_mtime > KEPT_SECONDS:
            other.unlink(missing_ok=True)
