"""The documentation that comes with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def docs_root() -> Path:
    """The folder of its pages."""
    packaged = Path(str(resources.files("conformance"))) / "docs_data"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "docs"
