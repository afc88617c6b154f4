"""What a language must be able to say in a program, and what all of them lay out alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.adapters.served import HttpAnswer

WIDTH = 100
"""How many columns a line has."""


@dataclass(frozen=True, slots=True)
class Source:
    """Source of the program among data."""

    text: str


@dataclass(frozen=True, slots=True)
class Construction:
    """A call of a constructor or a function among data. JavaScript gets the options as one object."""

    constructor: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]


class Language(Protocol):
    """Writes the parts of a program. Each method returns source without a line end."""

    @property
    def comment(self) -> str:
        """What a line begins with that is not run."""

    @property
    def imports(self) -> Sequence[str]:
        """The imports of the part that plays the provider."""

    @property
    def imports_to_show(self) -> Sequence[str]:
        """What `shown` needs."""

    def provider(self, answers: Sequence[HttpAnswer], path: str) -> str:
        """The part that plays the provider, with ``ANSWERS``, and says where as ``BASE_URL``.

        URLs of model calls have ``path`` in them.
        """

    @property
    def end(self) -> Sequence[str]:
        """What comes after the last model call, if the provider was started."""

    def imported(self, lines: Iterable[str]) -> str:
        """The imports in order, what is the language's own first."""

    def answers(self, answers: Sequence[HttpAnswer], *, dense: bool) -> str:
        """``ANSWERS``: status, headers and chunks of each answer. Events begin a line, unless it must be ``dense``."""

    def literal(self, value: Any, depth: int = 0, used: int = 0) -> str:
        """Data as source: in one line where there is room beside what is ``used``, else an item a line."""

    def assigned(self, name: str, value: Any) -> str:
        """Gives a value, or the result of a call, a name."""

    def call(self, value: Any) -> str:
        """The last step, if its result is of no interest."""

    def shown(self, name: str) -> str:
        """What prints the result called ``name``."""


KEPT_HEADERS = ("content-type", "retry-after")
"""The headers of an answer that clients go by."""


def kept_headers(answer: HttpAnswer) -> dict[str, str]:
    """The headers that a program sends."""
    return {name: value for name, value in answer.headers.items() if name.lower() in KEPT_HEADERS}


def is_chunked(answers: Iterable[HttpAnswer]) -> bool:
    """Whether an answer comes in several parts, or its end can be missed."""
    return any(len(answer.chunks) > 1 or answer.lost for answer in answers)


def is_lost(answers: Iterable[HttpAnswer]) -> bool:
    """Whether the connection is lost after an answer."""
    return any(answer.lost for answer in answers)


def laid_out(start: str, items: Iterable[str], end: str, depth: int, unit: str) -> str:
    """Items between brackets, ``depth`` levels deep: as many in a line as there is room for."""
    lines: list[str] = []
    margin = unit * (depth + 1)
    for item in items:
        single = "\n" not in item
        if lines and single and "\n" not in lines[-1] and len(f"{margin}{lines[-1]} {item},") <= WIDTH:
            lines[-1] += f" {item},"
        else:
            lines.append(f"{item},")
    inner = "".join(f"{margin}{line}\n" for line in lines)
    return f"{start}\n{inner}{unit * depth}{end}"


def pieces(value: Any, width: int, written: Callable[[Any], str], *, dense: bool = False) -> list[str]:
    """A long text, or bytes, in parts of which each is written in ``width`` columns.

    Breaks follow line ends, unless it must be ``dense``.
    """
    parts: list[Any] = []
    for line in [value] if dense else value.splitlines(keepends=True):
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
