"""Which ids tell an answer: those that one answer alone gave out.

Makers of fixtures and some hosts count (``call_1``, ``functions.read_file:0``), and recorders write one placeholder for
all: such an id is in many conversations, and belongs to none. One that looks like nobody else's may still be shared,
which shows as soon as a second answer that says something else has it, too.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from conformance.model import Json
from conformance.traffic.redaction import is_placeholder
from conformance.transcript import Exchange
from conformance.wires.facts import obj

MAX_IDS = 50_000
"""How many ids are remembered; those that were given out or seen again last."""

IssuedId = tuple[str, str]
"""An id, and whose it is: a call's, or a response's."""

_USUAL = frozenset({
    "a", "abc", "abcdef", "b", "bar", "c", "call", "calls", "chatcmpl", "completion", "custom", "dummy",
    "example", "fake", "fc", "first", "foo", "fs", "func", "function", "functions", "gen", "id", "item",
    "message", "mock", "msg", "resp", "response", "result", "rs", "second", "srvtoolu", "step", "test", "third",
    "tool", "tooluse", "toolu", "use", "x", "xyz",
})  # fmt: skip
"""The words of which ids are made by hand."""
_WORDS = re.compile(r"[a-z]+|\d+")
_LONGEST_NUMBER = 4


@lru_cache(maxsize=10_000)
def counts(value: str, tool: str = "") -> bool:
    """Whether an id, of a call of ``tool``, is only a number, or usual words, or the tool's, with a number."""
    *words, last = _WORDS.findall(value.lower()) or [""]
    known = {*_USUAL, *_WORDS.findall(tool.lower())}
    return known.issuperset(words) and (last in known or (last.isdigit() and len(last) <= _LONGEST_NUMBER))


def tells(value: Json, tool: str = "") -> bool:
    """Whether an id can belong to one conversation alone, as far as it shows itself."""
    return isinstance(value, str) and value != "" and not is_placeholder(value) and not counts(value, tool)


def issued_ids(exchange: Exchange) -> Iterator[IssuedId]:
    """The ids that an answer gives out and that can tell it."""
    response = obj(exchange.answer).get("id")
    if isinstance(response, str) and tells(response):
        yield ("response", response)
    for call in exchange.offered.calls if exchange.offered is not None else ():
        if tells(call.id, call.name):
            yield ("call", call.id)


@dataclass(slots=True)
class IssuedIds:
    """The ids that the answers of one file gave out, each with what its answer said, or that answers differ."""

    _said: OrderedDict[IssuedId, int | None] = field(default_factory=OrderedDict)

    def add(self, exchange: Exchange) -> None:
        """Note the ids of an answer, those that tell nothing too."""
        said = _digest(exchange)
        calls = exchange.offered.calls if exchange.offered is not None else ()
        for one in {*issued_ids(exchange), *(("call", call.id) for call in calls if call.id)}:
            self._said[one] = said if self._said.get(one, said) == said else None
            self._said.move_to_end(one)
        while len(self._said) > MAX_IDS:
            self._said.popitem(last=False)

    def knows(self, call_id: Json) -> bool:
        """Whether an answer gave a call this id."""
        return isinstance(call_id, str) and ("call", call_id) in self._said

    def shared(self, one: IssuedId) -> bool:
        """Whether answers that differ gave this id out."""
        return one in self._said and self._said[one] is None


def _digest(exchange: Exchange) -> int:
    """What an answer says, and who says it. The same answer may be recorded twice."""
    offered = exchange.offered
    calls = [[call.id, call.name, call.arguments, call.raw] for call in offered.calls] if offered is not None else []
    text = offered.text if offered is not None else ""
    return hash((exchange.provider, exchange.host, exchange.asked_model, text, repr(calls)))
