"""The commands that pages show: ``conformance ...`` in blocks of code and in inline code, as words of a command line.

A page may write less than a command line needs: ``…`` for more of the same, ``[--version V]`` for what may be left out,
``table|json`` for one of several, and a word in capitals for what the reader puts there.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

INDENTED = re.compile(r"^ {4}\$ .*$", re.MULTILINE)
"""A line of a terminal, in a block that is indented."""
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`(?!`)([^`]+)`(?!`)")
START = re.compile(r"(?<![\w./\"'-])(?<!from )(?<!import )conformance (?=\S)")
"""Where a command begins. A sentence of Python that imports the package is none."""
END = re.compile(r"&&|\|\||;(?= )|(?<=\s)\|(?=\s)|(?<=\s)#|(?<=\s)2?>|`|\n|$")
"""Where it ends: at what a shell reads next, or with its line."""


@dataclass(frozen=True)
class WrittenCommand:
    """A command as a page has it: where, its words without ``conformance``, and whether it stands in a sentence."""

    place: str
    words: tuple[str, ...]
    inline: bool

    def __str__(self) -> str:
        return f"{self.place}: conformance {shlex.join(self.words)}"


def written_commands(page: Path, text: str) -> Iterator[WrittenCommand]:
    """All of a page, one for each of the alternatives between ``|``. Raises `ValueError` where quotes do not end."""
    blocks = [(found.start(), found[0], False) for form in (FENCE, INDENTED) for found in form.finditer(text)]
    prose = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    spans = [(found.start(), " ".join(found[1].split()), True) for found in INLINE.finditer(prose)]
    for start, code, inline in [*blocks, *spans]:
        joined = code.replace("\\\n", "  ")
        for found in START.finditer(joined):
            line = text.count("\n", 0, start) + (0 if inline else joined.count("\n", 0, found.start())) + 1
            ended = END.search(joined, found.end())
            assert ended is not None
            for words in _alternatives(joined[found.end() : ended.start()]):
                yield WrittenCommand(f"{page.name}:{line}", words, inline)


def _alternatives(shown: str) -> Iterator[tuple[str, ...]]:
    """The words of a command, with each choice of what may stand in one place."""
    bare = re.sub(r"…|\.\.\.(?=\s|$|\])|(?<=[A-Z])\.\.\.|[\[\]]", "", shown.replace("\\|", "|"))
    words = shlex.split(bare)
    yield from itertools.product(*(word.split("|") if re.fullmatch(r"[\w|=-]+", word) else [word] for word in words))
