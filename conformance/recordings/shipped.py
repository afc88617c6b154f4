"""The cassettes that come with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def cassette_root() -> Path:
    """Their folder."""
    packaged = Path(str(resources.files("conformance"))) / "cassettes_data"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "cassettes"
