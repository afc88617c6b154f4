"""What came out of a library through a door: its own dictionaries are its own affair when they go back."""

from __future__ import annotations

from typing import Any

MOST = 200_000
"""How many dictionaries are remembered."""

_known: dict[int, Any] = {}


def remember(value: Any) -> None:
    """Remember the dictionaries in what a door gave back."""
    queue = [value]
    for one in queue:
        if isinstance(one, dict):
            if len(_known) < MOST:
                _known[id(one)] = one
            queue += one.values()
        elif isinstance(one, list | tuple):
            queue += one


def is_handed(value: Any) -> bool:
    """Whether this very dictionary came out of a door."""
    return _known.get(id(value)) is value
