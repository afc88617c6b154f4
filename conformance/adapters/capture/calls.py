"""A call of a door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(eq=False)
class DoorCall:
    """A door that was gone through: its function, the arguments as expressions, and what came out."""

    function: Callable[..., Any]
    arguments: list[Any]
    options: dict[str, Any]
    result: Any = None
    model_call: int = 1
    """In which model call it was gone through, from 1."""
    asked: bool = False
    """Whether it called the provider."""
    raised: bool = False
    """Whether it raised an exception."""
