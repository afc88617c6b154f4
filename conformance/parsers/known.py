"""The real parsers that are known: how each is installed, which grammar it reads, and what calls it.

``known.yaml`` is the table. A *caller* is one file in ``callers``: it calls the parser as its own server does, runs in
the parser's interpreter, and imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from conformance.documents import DocumentError, read_yaml
from conformance.hints import nearest
from conformance.parsers import PREFIX


@dataclass(frozen=True, slots=True)
class KnownParser:
    """One of them. ``install`` is what pip is given; ``caller`` is the file and class that call it."""

    id: str
    title: str
    grammar: str
    caller: str
    install: Sequence[str] = field(default_factory=tuple)
    note: str = ""

    @property
    def address(self) -> str:
        """Where the caller is."""
        return str(_folder() / "callers" / self.caller)


def _folder() -> Path:
    return Path(str(resources.files("conformance.parsers")))


@cache
def known_parsers() -> Mapping[str, KnownParser]:
    """All of them, by name."""
    table = read_yaml(_folder() / "known.yaml")["parsers"]
    return {name: KnownParser(id=name, **one) for name, one in table.items()}


def parser_address(subject: str) -> tuple[str, KnownParser | None]:
    """The address of a subject, and the known parser that it is. Raises `DocumentError`."""
    name = subject.removeprefix(PREFIX)
    if name in known_parsers():
        return known_parsers()[name].address, known_parsers()[name]
    if name.startswith(("python:", "stdio:")) or ".py:" in name:
        return name, None
    hint = nearest(name, known_parsers(), "'conformance list parsers'")
    others = "python:package.module:Class, ./mine.py:Class, stdio:COMMAND"
    raise DocumentError(f"there is no parser {name!r}{hint}; or give an address: {others}")
