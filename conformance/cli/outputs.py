"""Where a command writes to, looked at before the work that it would lose."""

from __future__ import annotations

from pathlib import Path

from conformance.cli import UsageError


def check_writable(path: Path | None, option: str = "--out") -> None:
    """Raises `UsageError` where ``path`` cannot be written."""
    from conformance.files.whole import unwritable

    if path is not None and (why := unwritable(path)):
        raise UsageError(f"{option} {path}: {why}: cannot write there")
