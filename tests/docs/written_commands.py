"""The commands that pages show, in blocks of code and in inline code, as words of a command line: ``conformance ...``,
and those of other programs.

A page may write less than a command line needs: ``…`` for more of the same, ``[--version V]`` for what may be left out,
``table|json`` for one of several, and a word in capitals for what the reader puts there.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GLOBS = (
    "*.md", "docs/*.md", "docs/site/*.md", "docs/fields/*.md", "[a-z]*/README.md", "reports/*/README.md",
    "conformance/rules/CORRECTIONS.md", "conformance/export/INTERPRETING.md",
)  # fmt: skip
PAGES = sorted(page for glob in GLOBS for page in ROOT.glob(glob) if page.name != "CHANGELOG.md")
"""Pages for users. Notes say what is not there yet, and the changelog says what was there once."""

MADE_UP = frozenset({
    "mylib", "acme", "my-agent", "chat.declare.described", "parallel_calls.two_cities",
})  # fmt: skip
"""Names of what the reader makes, as pages write them."""
CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z][A-Z0-9_]*(?![a-z])")
"""A word that stands for what the reader puts there: ``NAME``, ``agent:NAME``, ``RESULT.json``, ``P``."""

INDENTED = re.compile(r"^ {4}(?:\$|conformance|npx|python|pip) .*$", re.MULTILINE)
"""A command in a block that is indented."""
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`(?!`)([^`]+)`(?!`)")
START = re.compile(r"(?<![\w./\"'-])(?<!from )(?<!import )conformance (?=\S)")
"""Where a command begins. A sentence of Python that imports the package is none."""
END = re.compile(r"&&|\|\||;(?= )|(?<=\s)\|(?=\s)|(?<=\s)#|(?<=\s)2?>|`|\n|$")
"""Where it ends: at what a shell reads next, or with its line."""
SHELL, PLAIN = ("sh", "bash", "console"), ("", "text")
"""Languages of a block that is a shell's, and of one that may also show what a program prints."""
PROMPT = re.compile(r"^\s*(?:\$ )?")


@dataclass(frozen=True)
class WrittenCommand:
    """A command as a page has it: where, its words after the program, and whether it stands in a sentence. Blocks have
    a language."""

    place: str
    words: tuple[str, ...]
    inline: bool
    program: str = "conformance"
    language: str = ""

    @property
    def line(self) -> str:
        """The whole of it, as a shell reads it."""
        return shlex.join((self.program, *self.words))

    def __str__(self) -> str:
        return f"{self.place}: {self.line}"


def written_commands(page: Path, text: str) -> Iterator[WrittenCommand]:
    """All of a page, one for each of the alternatives between ``|``. Raises `ValueError` where quotes do not end."""
    for start, code, inline in _shown(text):
        joined = code.replace("\\\n", "  ")
        for found in START.finditer(joined):
            line = text.count("\n", 0, start) + (0 if inline else joined.count("\n", 0, found.start())) + 1
            ended = END.search(joined, found.end())
            assert ended is not None
            for words in _alternatives(joined[found.end() : ended.start()]):
                yield WrittenCommand(f"{named(page)}:{line}", words, inline, language=_language(code, inline))


def other_commands(
    page: Path, text: str, programs: Collection[str], steps: Collection[str] = ()
) -> Iterator[WrittenCommand]:
    """Those of other programs. In a block of a shell each line is one; elsewhere it is what begins with a program that
    is known. ``steps`` change the shell alone, and are none. A name alone in a sentence is none."""
    for start, code, inline in _shown(text):
        language = _language(code, inline)
        if language not in (*SHELL, *PLAIN):
            continue
        fenced = code.lstrip().startswith("```")
        first_line = text.count("\n", 0, start) + 1 + fenced
        for number, line in enumerate(code.split("\n")[1:-1] if fenced else [code] if inline else code.split("\n")):
            shown = PROMPT.sub("", line, count=1)
            first = shown.split(" ")[0]
            if (first in (*programs, *steps) or language in SHELL) and not (inline and " " not in shown):
                for words in _parts(shown):
                    if words[0] not in ("conformance", *steps):
                        place = f"{named(page)}:{first_line + number}"
                        yield WrittenCommand(place, tuple(words[1:]), inline, words[0], language)


def _parts(shown: str) -> Iterator[list[str]]:
    """The commands of a line, up to what a shell reads beside them. A remark is none."""
    bare = re.sub(r"…|\.\.\.(?=\])|\[(?=[A-Z-])|(?<=[A-Z.])\](?=\s|$)", "", shown)
    bare = re.sub(r"\.\.(?=\s|$)", "", bare) if "[" in shown else bare
    reader = shlex.shlex(bare, posix=True, punctuation_chars="&|;<>")
    reader.whitespace_split = True
    is_command = True
    for is_between, found in itertools.groupby(reader, lambda word: set(word) <= set("&|;<>")):
        words = list(found)
        if is_between:
            is_command = words[-1] in ("&&", "||", ";")
        elif is_command:
            yield words


def named(page: Path) -> str:
    """A page's path in the repository, or its name where it is none of ours."""
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def _shown(text: str) -> Iterator[tuple[int, str, bool]]:
    """Blocks of code and inline code: where each begins, what it is, and whether it stands in a sentence."""
    yield from ((found.start(), found[0], False) for found in FENCE.finditer(text))
    prose = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    yield from ((found.start(), found[0], False) for found in INDENTED.finditer(prose))
    yield from ((found.start(), " ".join(found[1].split()), True) for found in INLINE.finditer(prose))


def _language(code: str, inline: bool) -> str:
    found = None if inline else re.match(r" *```(\w*)", code)
    return found[1] if found else ""


def _alternatives(shown: str) -> Iterator[tuple[str, ...]]:
    """The words of a command, with each choice of what may stand in one place."""
    bare = re.sub(r"…|\.\.\.(?=\s|$|\])|(?<=[A-Z])\.\.\.|[\[\]]", "", shown.replace("\\|", "|"))
    words = shlex.split(bare)
    yield from itertools.product(*(word.split("|") if re.fullmatch(r"[\w|=-]+", word) else [word] for word in words))
