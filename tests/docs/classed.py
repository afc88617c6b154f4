"""What each command of a page needs to be run, by the table ``classes.toml``: the first row that fits is its class.

A command without a row, a reason that is not true, a word in capitals without a value: each is one line that says what
to write.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from written_commands import CAPITALS, MADE_UP, PAGES, ROOT, WrittenCommand, other_commands, written_commands

from conformance.cli import COMMANDS, UsageError, parser_of

TABLE = Path(__file__).with_name("classes.toml")
HOW = ("ends", "serves", "watches", "instead", "held", "not")
"""What becomes of a command. The table says what each means."""
RUN = ("ends", "serves", "watches", "instead")


@dataclass(frozen=True)
class Thing:
    """What may be in a room. ``made``: commands that make it. ``same``: a file under another name. ``copies`` and
    ``links``: out of the checkout. ``shown``: a block of a page, by a word in it."""

    needs: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    codes: tuple[int, ...] = (0,)
    texts: Mapping[str, str] = field(default_factory=dict)
    copies: Mapping[str, str] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A class of commands, as ``classes.toml`` says."""

    words: tuple[str, ...]
    how: str
    where: str = ""
    inline: bool | None = None
    room: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    add: str = ""
    codes: tuple[int, ...] = (0,)
    beside: str = ""
    instead: str = ""
    by: str = ""
    says: str = ""
    reason: str = ""

    def fits(self, command: WrittenCommand) -> bool:
        """Whether a command is of this class."""
        if self.inline is not None and self.inline is not command.inline:
            return False
        page, _, language = self.where.partition(" ")
        if page and page != command.place.partition(":")[0]:
            return False
        if language and (command.inline or (command.language or "plain") != language):
            return False
        return any(words_fit(shlex.split(pattern), (command.program, *command.words)) for pattern in self.words)


@dataclass(frozen=True)
class Table:
    """All of ``classes.toml``."""

    rows: tuple[Row, ...]
    things: Mapping[str, Thing]
    reasons: Mapping[str, str]
    values: Mapping[str, str]
    programs: tuple[str, ...]
    steps: tuple[str, ...]
    libraries: tuple[str, ...]


@cache
def table() -> Table:
    """The table. Raises `TypeError` for a word that none of its parts has."""
    document = tomllib.loads(TABLE.read_text("utf-8"))
    return Table(
        tuple(_made(Row, {**row, "words": _several(row["words"])}) for row in document["commands"]),
        {name: _made(Thing, thing) for name, thing in document["things"].items()},
        document["reasons"], document["values"],
        *(tuple(document[name]) for name in ("programs", "steps", "libraries")),
    )  # fmt: skip


def _several(one: str | list[str]) -> list[str]:
    return [one] if isinstance(one, str) else one


def _made(kind: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def words_fit(pattern: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words are as a pattern says. ``**`` is any number of words."""
    if not pattern:
        return not words
    if pattern[0] == "**":
        return any(words_fit(pattern[1:], words[at:]) for at in range(len(words) + 1))
    return bool(words) and fnmatchcase(words[0], pattern[0]) and words_fit(pattern[1:], words[1:])


@cache
def all_commands() -> tuple[WrittenCommand, ...]:
    """Every command of every page for users."""
    return tuple(command for page in PAGES for command in commands_of(page, page.read_text("utf-8")))


def commands_of(page: Path, text: str) -> Iterator[WrittenCommand]:
    """Every command of a page."""
    yield from written_commands(page, text)
    yield from other_commands(page, text, table().programs, table().steps)


def row_of(command: WrittenCommand) -> Row | None:
    """The class of a command."""
    return next((row for row in table().rows if row.fits(command)), None)


def to_run(command: WrittenCommand, row: Row) -> tuple[str, ...]:
    """The words that are run for a command: with values for what stands in capitals, and with what makes it small."""
    words = (command.program, *command.words)
    if row.instead:
        whole = row.instead.replace("{command}", shlex.join(words)).replace("{script}", shlex.join(words[:2]))
        words = tuple(shlex.split(whole))
    return (*(_filled(word, {**table().values, **row.values}) for word in words), *shlex.split(row.add))


def _filled(word: str, values: Mapping[str, str]) -> str:
    return CAPITALS.sub(lambda found: values.get(found[0], found[0]), word) if _is_of_the_reader(word) else word


def _is_of_the_reader(word: str) -> bool:
    """Files of a room may be called so (``RESULT.json``), and variables of a shell are (``$OUT``)."""
    return not word.endswith((".md", ".json", ".mjs")) and "$" not in word


def wrong_with(command: WrittenCommand) -> str:
    """What to write, where a command has no class or one that is not true; nothing where all is well."""
    row = row_of(command)
    where = f"tests/docs/{TABLE.name}"
    if row is None:
        said = f"words = {command.line!r}, and how ({', '.join(HOW)})"
        return f"{command}: no row of {where} fits. Write one there: {said}"
    if row.how in RUN:
        if left := [found[0] for word in to_run(command, row) if _is_of_the_reader(word)
                    for found in CAPITALS.finditer(word) if command.program == "conformance" and not row.instead]:
            return f"{command}: write a value for {', '.join(left)} in {where}, under [values] or in its row"
    elif row.how == "held":
        said = row.says.replace("{start}", " ".join((command.program, *command.words)[:2]))
        if said not in (ROOT / row.by).read_text("utf-8"):
            return f"{command}: {row.by} does not say {said!r}, so it does not run it"
    elif not REASONS[row.reason](command):
        return f"{command}: it is not true that {table().reasons[row.reason]}. Write another class in {where}"
    return ""


def parser_takes(command: WrittenCommand) -> bool:
    """Whether the command line takes a command as it stands."""
    name, *words = command.words
    if name not in COMMANDS:
        return name in ("--help", "--version")
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            parser_of(name, words)[1].parse_args(words)
        except (SystemExit, UsageError):
            return False
    return True


def _begin(command: WrittenCommand, *starts: str) -> bool:
    return any(word.startswith(starts) for word in command.words)


def _of_an_index(command: WrittenCommand) -> bool:
    name = command.words[0] if command.words else ""
    if command.program != "conformance":
        return command.program in ("pip", "npm", "npx", "uvx", "buildah") or command.words[:2] == ("-m", "build")
    library = next(iter(command.words[1:]), "").partition(":")[0]
    return (
        name in ("env", "history", "bisect", "verify") or _begin(command, "env:", "stdio:node")
        or (name == "run" and library not in table().libraries) or "--script" in command.words
    )  # fmt: skip


def _to_be_installed(command: WrittenCommand) -> bool:
    return _begin(command, "agent:", "gateway:", "server:", "parser:")


def _asks_a_provider(command: WrittenCommand) -> bool:
    return (command.words[0] == "record" and "--plan" not in command.words) or "live" in command.words


def _on_machines(command: WrittenCommand) -> bool:
    return _begin(command, "dask:tcp:")


def _of_the_reader(command: WrittenCommand) -> bool:
    return bool(MADE_UP & set(command.words)) or re.search(r"\./|:\./", command.line) is not None


def _is_a_part(command: WrittenCommand) -> bool:
    return command.inline and (command.program != "conformance" or not parser_takes(command))


REASONS: Mapping[str, Callable[[WrittenCommand], bool]] = {
    "index": _of_an_index, "installed": _to_be_installed, "key": _asks_a_provider, "machines": _on_machines,
    "made_up": _of_the_reader, "mention": _is_a_part,
}  # fmt: skip
"""Why a command is not run here, each with what can be seen of it."""
