"""Every ``conformance ...`` command that a page shows can be given: the command, its options, and the names in it.

Nothing is run here (``test_docs_run``). What is written is read by the parser that reads a user's words.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from written_commands import CAPITALS, MADE_UP, PAGES, ROOT, WrittenCommand, written_commands

from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.ways import ways_of
from conformance.agents.named_files import known_files
from conformance.cli import COMMANDS, UsageError, parser_of
from conformance.deliveries import DELIVERIES
from conformance.gateways.recipe import FILES as GATEWAYS
from conformance.parsers.grammar import known_grammars
from conformance.parsers.known import known_parsers
from conformance.result import read_result
from conformance.rules import catalogue, find_rule
from conformance.scenarios import load_scenarios
from conformance.sets import set_names
from conformance.wires import known_ids

EXAMPLES = {"N": "1", "S": "1", "D": "2026-01-31"}
"""What is put for such a word, where something else than a text is wanted."""

Known = Callable[[], Collection[str]]


@cache
def _scenarios() -> Collection[str]:
    return load_scenarios()


def _adapters() -> Collection[str]:
    return {*LIBRARIES, "reference"}


SUBJECTS: Mapping[str, Known] = {
    "agent": lambda: known_files("recipe"),
    "gateway": GATEWAYS.known,
    "parser": known_parsers,
    "env": _adapters,
}
"""Kinds of subjects that are called by name, as ``KIND:NAME``."""
FREE = ("python:", "stdio:", "server:", "./", "http:", "https:")
"""Subjects that are called by what they are: a module, a program, an address, a file."""

NAMES: Mapping[str, Known] = {
    "provider": known_ids, "upstream": known_ids, "inbound": known_ids, "outbound": known_ids,
    "scenario": _scenarios, "rule": catalogue, "delivery": lambda: DELIVERIES, "grammar": known_grammars,
    "script": lambda: known_files("script"), "requirement_set": set_names,
}  # fmt: skip
"""What the value of an option must be one of, or match, by the name of the option. ``all`` is everything."""
WRITES = {("bisect", "script"), ("explain", "script")}
"""Options of those names that mean something else there."""
LIBRARY_OR_SUBJECT = ("adapter", "agent", "gateway", "parser", "library", "name")


def _commands() -> list[WrittenCommand]:
    return [one for page in PAGES for one in written_commands(page, page.read_text("utf-8"))]


def complaint(command: WrittenCommand) -> str:
    """What is wrong with a command that is written; nothing where it can be given."""
    name, *words = command.words
    if CAPITALS.search(name) or name in ("--help", "--version"):
        return ""
    if name not in COMMANDS:
        return f"there is no command {name!r}"
    if "--" in words:
        words = [*words[: words.index("--")], "--", "my-agent"]
    if "--help" in words:
        words.remove("--help")
        command = WrittenCommand(command.place, command.words, inline=True)
    try:
        parser = parser_of(name, words)[1]
        if command.inline:
            words += _nothing_missing(parser, words)
        options = parser.parse_args(list(_with_values(parser, words)))
    except UsageError as problem:
        return str(problem)
    except SystemExit:
        return "the command line refuses it"
    if name == "record" and not (options.provider or command.inline):
        return "record asks nobody without --provider"
    return "; ".join(filter(None, (_unknown(name, key, value) for key, value in vars(options).items())))


def _with_values(parser: argparse.ArgumentParser, words: list[str]) -> Iterator[str]:
    """The words, with an example where a page says that a number or a day goes."""
    typed = {flag for action in parser._actions if action.type not in (None, Path) for flag in action.option_strings}
    for before, word in itertools.pairwise(["", *words]):
        yield EXAMPLES.get(word, word) if before in typed else word


def _nothing_missing(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """Let a command in a sentence leave out what a whole one needs. Gives the value that its last option lacks."""
    for one in _parsers(parser):
        for action in one._actions:
            action.required = False
            if not action.option_strings and not action.choices:
                action.nargs = "*" if action.nargs in ("+", "*") else "?"
    last = next((a for one in _parsers(parser) for a in one._actions if words and words[-1] in a.option_strings), None)
    if last is None or last.nargs is not None:
        return []
    return [next(iter(last.choices)) if last.choices else EXAMPLES["N"] if last.type is int else "VALUE"]


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    below = [one for action in parser._actions if isinstance(action.choices, dict) for one in action.choices.values()]
    return [parser, *below]


def _unknown(command: str, key: str, value: Any) -> str:
    """What the value of an option names that is not there."""
    values = [part for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)
              for part in (one.split(",") if key == "provider" else [one])]  # fmt: skip
    if (command, key) in WRITES or (command, key) == ("new", "name"):
        return ""
    if (command, key) == ("explain", "what"):
        return _first(values, _is_explained)
    if key in LIBRARY_OR_SUBJECT:
        return _first(values, _is_subject)
    if key == "way":
        return _first(values, lambda way: any(one.name == way for name in LIBRARIES for one in ways_of(name)))
    if key in NAMES:
        return _first(values, lambda one: _is_known(one.partition("=")[0], NAMES[key]()))
    return ""


def _first(values: list[str], is_there: Callable[[str], bool]) -> str:
    wrong = [one for one in values if one not in ("", "all", *MADE_UP) and not CAPITALS.search(one)]
    return next((f"{one!r} is not there" for one in wrong if not is_there(one)), "")


def _is_known(glob: str, known: Collection[str]) -> bool:
    return any(fnmatchcase(name, glob) for name in known) or glob.endswith((".yaml", ".yml"))


def _is_explained(what: str) -> bool:
    if "/" not in what:
        return find_rule(what) is not None or what in _scenarios()
    if what.startswith("docs/"):
        return (ROOT / what).is_file()
    adapter, provider, rule = what.split("/")
    return adapter in _adapters() and provider in known_ids() and find_rule(rule) is not None


def _is_subject(address: str) -> bool:
    if address.startswith(FREE) or address.endswith(".py"):
        return True
    kind, colon, name = address.partition(":")
    if kind in SUBJECTS and colon:
        return name.startswith(FREE) or _is_known(name.partition("@")[0], SUBJECTS[kind]())
    library, _, way = address.partition(":")
    return library in _adapters() and (not way or any(one.name == way for one in ways_of(library)))


def test_every_command_of_a_page_can_be_given() -> None:
    commands = _commands()
    assert len(commands) > 200
    assert [f"{one}: {why}" for one in commands if (why := complaint(one))] == []


def test_cells_that_pages_explain_fail_in_what_is_published() -> None:
    """Of a cell that passes there is nothing to explain."""
    cells = {one.words[1] for one in _commands() if one.words[0] == "explain" and "/" in "".join(one.words[1:2])}
    named = {cell for cell in cells if not cell.startswith("docs/") and not CAPITALS.search(cell)}
    document = read_result(ROOT / "reports" / "libraries" / "result.json")
    failing = {f"{one['adapter']}/{one['provider']}/{one['rule']}" for one in document["cells"] if one["failures"]}
    assert named
    assert named - failing == set()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("```\n$ conformance list rules   # all\n```", [("list", "rules")]),
        ("```sh\npip install . && conformance run a \\\n  -x | tee f\n```", [("run", "a", "-x")]),
        ("So:\n\n    $ conformance list sets\n    one", [("list", "sets")]),
        ("```python\nfrom conformance import run\n```", []),
        ("Say `conformance list\ngateways|servers`.", [("list", "gateways"), ("list", "servers")]),
        ("`conformance run [ADAPTER…] [--provider P]… [-v]`", [("run", "ADAPTER", "--provider", "P", "-v")]),
        ("`conformance run gateway:NAME...`", [("run", "gateway:NAME")]),
        ('`"origin": "conformance serve"`', []),
    ],
)
def test_commands_are_found_in_a_page(text: str, words: list[tuple[str, ...]]) -> None:
    assert [one.words for one in written_commands(Path("page.md"), text)] == words


@pytest.mark.parametrize(
    "wrong",
    [
        "rum", "run --rume", "run opnai", "run openai:no_way", "run env:opnai@1", "run agent:codec",
        "run gateway:litelm", "run --provider openai-chad", "run --scenario shell.sucess",
        "run --rule common.nothing.*",
        "run --model gpt", "run --delivery stream:per-bite", "run --set 1999-01", "list agent",
        "new adapter --language cobol",
        "explain common.result.no-orphen", "explain litellm/anthropic/no.rule.there", "explain docs/no-page.md",
        "run agent:codex --script no_script", "run parser:no-parser", "run parser:./m.py:P --grammar klingon",
        "serve --record DIR --upstream openai-chad", "env opnai", "doors opnai", "history opnai", "record -j 2",
        "record --check",
    ],
)  # fmt: skip
def test_what_is_not_there_is_told(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = written_commands(Path("page.md"), f"```\nconformance {wrong}\n```")
    assert complaint(command)


def test_a_whole_command_has_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    """A block is copied as it is. A sentence may name a part of a command."""
    (block,) = written_commands(Path("page.md"), "```\nconformance audit\n```")
    (inline,) = written_commands(Path("page.md"), "`conformance audit`")
    assert complaint(block)
    assert not complaint(inline)
