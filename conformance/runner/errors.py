"""What is wrong with what was asked for, told in the caller's own words: as Python names, or as options.

Imports nothing, because the command line needs it before it knows what to do.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing, see conformance/__init__.py

if TYPE_CHECKING:
    from collections.abc import Callable


class Option:
    """A setting that a message names, with the value that it should have, or with a letter for any (``metavar``)."""

    def __init__(self, name: str, value: str | None = None, metavar: str | None = None) -> None:
        self.name, self.value, self.metavar = name, value, metavar

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class UsageError(ValueError):
    """Something that the caller must put right. The message is one line: what, where, and what to do."""

    def __init__(self, *parts: str | Option) -> None:
        self.parts = parts
        super().__init__(self.words(str))

    def words(self, spelled: Callable[[Option], str]) -> str:
        """The message, with settings as ``spelled`` writes them."""
        return "".join(part if isinstance(part, str) else spelled(part) for part in self.parts)
