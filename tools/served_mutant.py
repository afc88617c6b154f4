"""A mutant of the self-test as an adapter: ``python:served_mutant:adapter``, with this folder on the path.

``CONFORMANCE_MUTANT`` has the provider and the mutant's name, as ``anthropic request:drop:/messages/:tool``.
"""

from __future__ import annotations

import os

from conformance.mutants.catalogue import mutants
from conformance.mutants.liar import Liar
from conformance.mutants.trace import Trace


def mutant(provider: str, name: str) -> Liar:
    """The mutant's adapter. Raises `LookupError` where there is no such mutant."""
    found = next((one for one in mutants(Trace(provider)) if one.name == name), None)
    if found is None:
        raise LookupError(f"{provider} has no mutant {name!r}")
    return found.make()


adapter = mutant(*os.environ["CONFORMANCE_MUTANT"].split(" ", 1))
