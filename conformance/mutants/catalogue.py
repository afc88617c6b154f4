"""Every mutant of a provider."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

from conformance.mutants import lies
from conformance.mutants.documents import answer_mutants, request_mutants
from conformance.mutants.liar import Liar
from conformance.mutants.mutant import Mutant
from conformance.mutants.streams import stream_mutants
from conformance.mutants.trace import BLOCKING, STREAM, Trace
from conformance.mutants.turns import turn_mutants
from conformance.rules import catalogue


def mutants(trace: Trace) -> Iterator[Mutant]:
    """The mutants that make sense on the provider of ``trace``: those written by hand, then those that are made."""
    yield from (_mutant(lie) for lie in all_lies() if trace.provider in told_on(lie))
    yield from request_mutants(trace)
    yield from answer_mutants(trace)
    yield from stream_mutants(trace)
    yield from turn_mutants(trace)


@cache
def all_lies() -> tuple[type[Liar], ...]:
    """Every lie written by hand, module by module."""
    modules = [importlib.import_module(f"{lies.__name__}.{item.name}") for item in pkgutil.iter_modules(lies.__path__)]
    found = [value for module in modules for value in vars(module).values() if _is_lie(value, module.__name__)]
    return tuple(found)


def _is_lie(value: object, module: str) -> bool:
    return isinstance(value, type) and issubclass(value, Liar) and value.__module__ == module and bool(value.aims)


def told_on(lie: type[Liar]) -> frozenset[str]:
    """The providers on which a lie is told."""
    aims = [catalogue()[name] for name in lie.aims]
    return frozenset(lie.providers or (name for rule in aims for name in rule.providers if rule.is_told(name)))


def _mutant(lie: type[Liar]) -> Mutant:
    says = " ".join((lie.__doc__ or "").split())
    deliveries = lie.deliveries or (BLOCKING, STREAM)
    return Mutant(f"adapter:{lie.__name__}", "adapter", says, lie, lie.aims, deliveries, lie.scenarios)
