"""Servers for the tests, and the way to the SDKs' tests, whose truths are used here too."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "sdk"))

from conformance.adapters.libraries import google_genai
from conformance.server import Running, serving


@pytest.fixture(autouse=True)
def _google_shim_as_it_was() -> Iterator[None]:
    """Undoes `wired.lead_google_to`: other tests of this process call the shim too."""
    before = google_genai._on_a_line
    yield
    google_genai._on_a_line = before


@pytest.fixture(scope="session")
def strict() -> Iterator[Running]:
    """A strict server."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def lenient() -> Iterator[Running]:
    """A lenient server."""
    with serving(lenient=True) as server:
        yield server


@pytest.fixture
def fresh() -> Iterator[Running]:
    """A strict server that nobody asked yet."""
    with serving() as server:
        yield server
