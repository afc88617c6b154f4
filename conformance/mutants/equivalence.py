"""One reason why mutants may survive."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Mutants that mean the same as the reference adapter, on some providers, and why.

    ``name`` is a regular expression for whole names of mutants.
    """

    providers: tuple[str, ...]
    name: str
    why: str

    def covers(self, mutant: str, provider: str) -> bool:
        """Whether this is about a mutant on a provider."""
        return provider in self.providers and re.fullmatch(self.name, mutant) is not None
