"""What a language must be able to say in a program, and what all of them lay out alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Protocol

from conformance.adapters.libraries.calls.contract import CallStep, Fields
from conformance.report.script.replay import ReferenceCall

WIDTH = 110
SHORT = 40
"""An argument that takes no more is written where it is used; a longer one gets a name."""


class Language(Protocol):
    """Writes the parts of a program. Each method returns source without a line end."""

    comment: str
    """What a line begins with that is not run."""
    server: str
    """The imports of the part that plays the provider, a line each."""
    provider: str
    """The part that plays the provider, with ``ANSWERS``, and says where as ``BASE_URL``."""
    end: str
    """What comes after the last model call."""

    def imports(self, lines: Iterable[str], names: Collection[str]) -> str:
        """The imports, in order, as far as they give ``names`` that the program uses."""

    def answers(self, played: list[ReferenceCall]) -> str:
        """``ANSWERS``: status, headers and chunks of each answer."""

    def literal(self, value: Any, depth: int = 0, used: int = 0) -> str:
        """Data as source: in one line where there is room beside what is ``used``, else an item a line."""

    def name(self, argument: str) -> str:
        """The name of the variable for an argument."""

    def variable(self, name: str, value: Any, *, changing: bool) -> str:
        """A new variable. ``changing`` is one that gets other values later."""

    def arguments(self, fields: Fields, named: Iterable[str], *, block: bool) -> str:
        """What stands between the parentheses of a call. Those ``named`` are variables; ``block`` is an item a line."""

    def function(self, body: str) -> str:
        """The function that makes a model call."""

    def asking(self, shown: str, *, first: bool, fails: bool) -> str:
        """A model call, and what comes of it printed. Where the provider ``fails``, that is an exception."""

    def calls(self, expression: str, *, first: bool) -> str:
        """The name ``calls`` for the calls of an answer."""

    def own_ids(self, ids: list[str], set_id: str, *, first: bool, keep: bool) -> str:
        """The name ``ids`` for ids of the application's own; ``keep`` uses those that the library gave."""

    def step(self, step: CallStep) -> str:
        """What changes between two model calls."""


def names_in(program: str) -> set[str]:
    """The names that a program uses outside of strings and comments."""
    return set(re.findall(r"[A-Za-z_]\w*", _STRING.sub('""', program)))


_STRING = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|^ *(?:#|//).*""", re.MULTILINE)


def laid_out(start: str, items: Iterable[str], end: str, depth: int, unit: str) -> str:
    """Items between brackets, a line each, ``depth`` levels deep."""
    inner = "".join(f"{unit * (depth + 1)}{item},\n" for item in items)
    return f"{start}\n{inner}{unit * depth}{end}"


def pieces(value: Any, width: int, written: Callable[[Any], str]) -> list[str]:
    """A long text, or bytes, in parts of which each is written in ``width`` columns; breaks follow line ends."""
    parts: list[Any] = []
    for line in value.splitlines(keepends=True):
        while line:
            size = max(1, width - 2)
            while size > 1 and len(written(line[:size])) > width:
                size -= max(1, (len(written(line[:size])) - width) // 6)
            parts.append(line[:size])
            line = line[size:]
    return [written(part) for part in _joined(parts, width, written)]


def _joined(parts: list[Any], width: int, written: Callable[[Any], str]) -> list[Any]:
    """Parts put together as far as there is room."""
    joined: list[Any] = []
    for part in parts:
        if joined and len(written(joined[-1] + part)) <= width:
            joined[-1] += part
        else:
            joined.append(part)
    return joined
