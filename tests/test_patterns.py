"""No regular expression of ours takes long, whatever it is given: each is tried with texts that are made against it.

What others wrote is read with Python's engine, which can blow up, and with patterns that cannot: a new pattern is tried
here without being asked for. Patterns that others wrote run elsewhere (docs/limits.md).
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import importlib
import pkgutil
import re
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hostile_texts import hostile_texts

import conformance
from conformance.arguments import NoArgumentsError, arguments_for

ROOT = Path(conformance.__file__).parent
SIZE = 24_000
SECONDS = 0.04
"""What grows as the square of it takes more. What other programs do makes no difference to processor time."""
FUNCTIONS = frozenset({"compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
FROM_THE_START = frozenset({"match", "fullmatch"})

OF_OURS: Mapping[str, str] = {
    "mutants": "documents that we make ourselves",
    "derivation": "forms that we make ourselves from recordings, some hundred characters long",
    "wires/places": "forms of ours, some hundred characters long",
    "files/leftovers": "names of files, at most 255 characters long",
    "generated": "names of ours",
    "coverage": "forms of ours",
    "environments": "what installers print, of packages that the table of libraries names",
    "adapters/stdio/reading": "messages of msgspec's",
    "arguments/strings": "patterns of at most 2,000 characters",
    "masking/forms:1": "the table of forms itself",
}
"""What is given something else than texts of others, or such as are short: by the beginning of its module."""

MADE: Mapping[str, str] = {
    "agents/effects.py": "ours, put together; and a number of the script's",
    "server/discovery.py": "paths of ours, with an end",
    "certificates/issuing.py": "our own key",
    "parsers/rules.py": "of scripted texts, escaped",
    "parsers/writing.py": "the special tokens of our grammars, escaped",
    "report/rule_page.py": "two patterns of ours, which are tried",
    "arguments/strings.py": "the categories of a pattern, one letter each",
    "export/relations.py": "of assertions of the export, which are ours",
    "recordings/views.py": "a boundary, escaped",
    "recordings/addresses.py": "what users give to take out of their own recordings' paths",
    "rules/evidence.py": "the patterns of the records of evidence, which are ours",
    "session/file_tools.py": "a model's: in a process of its own, which is ended when its time is up",
    "masking/named.py": "ours: they are in a table, and tried",
    "masking/patterns.py": "ours: they are in a table, and tried",
    "masking/forms.py": "ours: classes of characters with bounds, after a beginning",
    "wires/routing.py": "of cards of hosts",
    "wires/host_file.py": "of cards of hosts",
    "wires/host.py": "of cards of hosts",
    "adapters/paths.py": "ours: they are in a table, and tried",
    "adapters/network.py": "of cards of hosts",
    "coverage/scope.py": "of ours, over forms of ours",
    "derivation/values.py": "of ours, over names of members",
    "derivation/candidates.py": "a beginning, escaped",
    "mutants/documents.py": "of ours, over names of mutants",
    "mutants/equivalence.py": "of ours, over names of mutants",
}
"""Where patterns are not written down, but made, by the module; and of what."""


def module_of(where: str) -> str:
    """Its path inside of the package, without the suffix."""
    return where.removeprefix("conformance.").replace(".", "/")


@dataclasses.dataclass(frozen=True)
class Tried:
    """A pattern, where it stands, and whether it is only looked for at the start of a text."""

    where: str
    pattern: re.Pattern[Any]
    from_start: bool

    def takes(self, text: str) -> float:
        """How many seconds of processor time it takes for a text."""
        given: Any = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        started = time.process_time()
        if self.from_start:
            self.pattern.match(given)
            self.pattern.fullmatch(given)
        else:
            for _ in self.pattern.finditer(given):
                pass
        return time.process_time() - started


@cache
def calls() -> tuple[tuple[str, str, ast.Call], ...]:
    """All calls of ``re``, and of what may be a pattern: the module, the name before the dot, the call."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        module = path.relative_to(ROOT).as_posix()
        if not module.startswith("adapters/libraries/"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FUNCTIONS:
                    found.append((module, ast.unparse(node.func.value), node))
    return tuple(found)


def written() -> Iterator[Tried]:
    """Patterns that are written where they are used."""
    for module, name, call in calls():
        pattern = call.args[0] if call.args else None
        if name == "re" and isinstance(pattern, ast.Constant):
            where = f"{module.removesuffix('.py')}:{call.lineno}"
            if call.func.attr != "compile":  # type: ignore[attr-defined]
                yield Tried(where, re.compile(pattern.value), call.func.attr in FROM_THE_START)  # type: ignore[attr-defined]


def kept() -> Iterator[Tried]:
    """Patterns in the variables of modules, and in tables there."""
    uses: defaultdict[str, set[str]] = defaultdict(set)
    for module, name, call in calls():
        own = name.rpartition(".")[2]
        uses[f"{module} {own}" if own.startswith("_") else own].add(call.func.attr)  # type: ignore[attr-defined]
    for found in pkgutil.walk_packages(conformance.__path__, "conformance."):
        if ".adapters.libraries" in found.name or found.name.endswith("__main__"):
            continue
        file = f"{module_of(found.name)}{'/__init__' if found.ispkg else ''}.py"
        for name, value in vars(importlib.import_module(found.name)).items():
            used = uses[f"{file} {name}" if name.startswith("_") else name]
            only_start = bool(used) and used <= FROM_THE_START
            for pattern in _patterns(value, 4):
                yield Tried(f"{module_of(found.name)}:{name}", pattern, only_start or not isinstance(value, re.Pattern))


def _patterns(value: Any, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, Mapping):
        yield from (one for item in (*value, *value.values()) for one in _patterns(item, depth - 1))
    elif depth and isinstance(value, list | tuple | set | frozenset):
        yield from (one for item in value for one in _patterns(item, depth - 1))
    elif depth and dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = (getattr(value, field.name, None) for field in dataclasses.fields(value))
        yield from (one for item in own for one in _patterns(item, depth - 1))


class TooLongError(BaseException):
    """It took too long."""


def too_long(number: int, frame: object) -> None:
    raise TooLongError


def hostile_to(tried: Tried) -> str | None:
    """The beginning of a text that takes too long."""
    before = signal.signal(signal.SIGPROF, too_long)
    try:
        for text in hostile_texts(tried.pattern, SIZE):
            signal.setitimer(signal.ITIMER_PROF, 4 * SECONDS)
            if tried.takes(text) > SECONDS and tried.takes(text) > SECONDS:
                return f"{text[:60]!r} … {text[-5:]!r}"
    except TooLongError:
        return f"{text[:60]!r} … {text[-5:]!r}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return None


@pytest.mark.slow
def test_no_pattern_takes_long() -> None:
    everything = {(one.pattern, one.from_start): one for one in (*written(), *kept())}
    assert len(everything) > 150
    theirs = [one for one in everything.values() if not one.where.startswith(tuple(OF_OURS))]
    assert {one.where: text for one in theirs if (text := hostile_to(one))} == {}


BLOWING_UP = [r"\s*\n", r"(a|a)*b", r"(?i:<[^>a]*>)", r"([^&=]*)=([^&]*)", r"\w+\d+!", r"^(a+)+$"]


@pytest.mark.parametrize("pattern", BLOWING_UP)
def test_a_pattern_that_blows_up_is_told(pattern: str) -> None:
    assert hostile_to(Tried("here", re.compile(pattern), from_start=False)) is not None


@pytest.mark.slow
def test_what_is_made_has_a_reason() -> None:
    made = {
        module for module, name, call in calls()
        if name == "re" and call.args and not isinstance(call.args[0], ast.Constant)
    }  # fmt: skip
    assert made - set(MADE) == set()
    assert set(MADE) - made == set()


HOSTILE = (r"^(a+)+$", r"^(?=a)(a+)+\1$", r"(?=.*a)(.*b){12}.*c", r"(a{1000}){1000}", r"[\a" * 50_000, "(" * 50_000)
"""Patterns that a tool may declare for its parameters."""


@pytest.mark.parametrize("pattern", HOSTILE, ids=lambda text: text[:20])
@pytest.mark.parametrize("key", ["pattern", "patternProperties"])
def test_patterns_of_others_are_bounded(pattern: str, key: str) -> None:
    inner: Any = {"type": "string", "pattern": pattern, "minLength": 3_000}
    if key == "patternProperties":
        inner = {"type": "object", "patternProperties": {pattern: {"type": "string"}}, "minProperties": 2}
    schema = {"type": "object", "properties": {"p": inner}, "required": ["p"]}
    started = time.process_time()
    with contextlib.suppress(NoArgumentsError):
        arguments_for(schema, "full")
    assert time.process_time() - started < 1.5
