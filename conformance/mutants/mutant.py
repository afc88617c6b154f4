"""What a mutant is, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from conformance.mutants.liar import Liar
from conformance.mutants.trace import BLOCKING, STREAM, TraceCase

MutantKind = Literal["adapter", "request", "answer", "stream", "turn"]
"""``adapter`` is written by hand. The others bend what is sent, what is read, a stream's events, what is understood."""

BUILD_HOOKS = frozenset({"means", "closes", "sends", "posts", "build_request"})
STREAM_HOOKS = frozenset({"hears", "collects", "parse_stream", "stream_news"})
READ_HOOKS = frozenset({"receives", "reads", "understands", "parse_response"})


@dataclass(frozen=True, slots=True)
class Mutant:
    """An adapter with one thing wrong.

    ``says`` is its lie in a sentence. ``aims`` are the rules that a mutant written by hand is to break. Such a mutant
    must die; the others may turn out to be no mutants at all. ``deliveries`` are those in which it is played, in the
    scenarios that ``scenarios`` names by globs; or ``cases`` are the only ones in which it can make a difference.
    """

    name: str
    kind: MutantKind
    says: str
    make: Callable[[], Liar]
    aims: tuple[str, ...] = ()
    deliveries: tuple[str, ...] = (BLOCKING, STREAM)
    scenarios: tuple[str, ...] = ()
    cases: tuple[TraceCase, ...] | None = None


def hooks(liar: Liar) -> set[str]:
    """The hooks and operations in which an adapter differs from the truth."""
    names = BUILD_HOOKS | STREAM_HOOKS | READ_HOOKS
    return {name for name in names if getattr(type(liar), name) is not getattr(Liar, name)}
