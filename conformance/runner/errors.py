"""What is wrong with what was asked for, told in the caller's own words: as Python names, or as options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that a message names, with the value that it should have, or with a letter for any (``metavar``)."""

    name: str
    value: str | None = None
    metavar: str | None = None

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
