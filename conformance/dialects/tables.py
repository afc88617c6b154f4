"""The tables in ``table.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml


@cache
def table() -> Mapping[str, Any]:
    """All of it."""
    found: Mapping[str, Any] = yaml.safe_load((resources.files(__package__) / "table.yaml").read_text("utf-8"))
    return found
