"""Which call a result answers, when not every result says so."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.model import Json
from conformance.wires.facts import items, obj, pointer


class CorrelationError(ValueError):
    """The results without an id cannot be matched to calls.

    Raised when they are fewer or more than the calls that wait for an answer, or when a call that waits has no id
    itself. Guessing would hand a result to the wrong call.
    """


@dataclass(slots=True)
class _Round:
    """The calls of one assistant message and what answers them. ``None`` stands for an id that was not sent."""

    calls: list[str | None] = field(default_factory=list)
    rejected: set[str] = field(default_factory=set)
    results: list[tuple[str, str | None]] = field(default_factory=list)

    def pairs(self) -> list[tuple[str, str]]:
        """Each result with the call that it answers, in the order of the results."""
        waiting = iter(self._waiting())
        return [(at, ref if ref is not None else next(waiting)) for at, ref in self.results]

    def _waiting(self) -> list[str]:
        """The calls that the results without an id answer, one each."""
        unnamed = [at for at, ref in self.results if ref is None]
        if not unnamed:
            return []
        answered = self.rejected | {ref for _, ref in self.results if ref is not None}
        waiting = [call for call in self.calls if call not in answered]
        if len(unnamed) != len(waiting):
            raise CorrelationError(f"{len(unnamed)} results without an id at {unnamed}, for {len(waiting)} open calls")
        named = [call for call in waiting if call is not None]
        if len(named) != len(waiting):
            raise CorrelationError(f"the results at {unnamed} answer calls that have no id either")
        return named


def answered_call_ids(document: Json) -> list[tuple[str, str]]:
    """``(JSON pointer of a tool message, id of the call that it answers)`` for every tool message of a request.

    A result with a ``tool_call_id`` keeps it, whatever its place. The results without one that follow an assistant
    message answer, by order, those of its calls that were neither rejected nor answered by id. Raises
    `CorrelationError` when that is ambiguous. Source: ``docs/unified.md`` §6.
    """
    pairs: list[tuple[str, str]] = []
    current = _Round()
    for place, item in items(obj(document).get("input")):
        entry = obj(item)
        ref = _id(entry.get("tool_call_id"))
        if entry.get("type") == "tool_decision":
            if entry.get("decision") == "reject" and ref is not None:
                current.rejected.add(ref)
        elif entry.get("role") == "tool":
            current.results.append((pointer("input", place), ref))
        else:
            pairs += current.pairs()
            current = _Round([_id(obj(call).get("id")) for _, call in items(entry.get("tool_calls"))])
    return pairs + current.pairs()


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None
