"""The way to the server's tests, whose requests are used here too, and a cache that holds what is made of our files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "server"))


@pytest.fixture(autouse=True, scope="session")
def kept_files() -> None:
    """What our own files say is kept in the cache once: later no reader touches it, so whoever writes is told."""
    from conformance.rules import catalogue
    from conformance.scenarios.outlines import packaged_outlines

    catalogue()
    packaged_outlines()
