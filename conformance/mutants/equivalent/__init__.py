"""Mutants that do something else and yet nothing wrong: why no rule names them. Each family of rules has a module.

An entry that matches a mutant that dies, or none that survives, is stale, and the selftest says so.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from conformance.mutants.equivalence import Equivalence
from conformance.rules.families import families


@cache
def equivalences() -> tuple[Equivalence, ...]:
    """All of them, family by family. A family without survivors has no module."""
    names = [f"{__name__}.{family}" for family in families()]
    return tuple(one for name in names if find_spec(name) is not None for one in import_module(name).EQUIVALENT)


def explanation(mutant: str, provider: str) -> Equivalence | None:
    """Why a mutant may survive on a provider, if there is a reason."""
    return next((entry for entry in equivalences() if entry.covers(mutant, provider)), None)
