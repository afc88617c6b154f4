"""Mutants of public libraries' own source: accumulators of streams and builders of messages.

The libraries are those of the tests, in this interpreter. A mutated file is compiled, and its code is put in the place
of the code that the library's functions have: whoever holds them, holds the mutant. Nothing of the judge's uses them.

What these files do does not depend on how the bytes of a stream were cut, so two deliveries are played. Nor does it
depend on whose host speaks a format: `PLAYED` names one provider of each format. All ways into a library are played
(`conformance.adapters.libraries.ways`). A library may fail cases; a mutant is killed by a rule that the library does
not break in the same case.
"""

from __future__ import annotations

import ast
import asyncio
import types
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from conformance.adapters.addresses import find_adapter
from conformance.adapters.libraries import LIBRARIES, looping
from conformance.adapters.libraries.ways import ways_of
from conformance.engine.cases import Selection, groups
from conformance.scenarios import load_scenarios
from mutation import forks
from mutation.mutants import IMPORT, Mutant
from mutation.operators import tree
from mutation.recorded import PROFILES, Line, PlannedGroup, Player, Tracer, broken, play_of
from mutation.watched import watched

NAMED: Mapping[str, tuple[str, ...]] = {
    "openai": ("openai.lib.streaming.chat._completions", "openai.lib.streaming._deltas"),
    "anthropic": ("anthropic.lib.streaming._messages",),
    "openai-agents": ("agents.models.chatcmpl_converter", "agents.models.chatcmpl_stream_handler"),
}
"""The libraries and their modules, named before the first run: SDKs and a framework that are pure Python there."""

PLAYED: Mapping[str, tuple[str, ...]] = {
    "openai": ("openai-chat", "deepseek"),
    "anthropic": ("anthropic",),
    "openai-agents": ("openai-chat", "deepseek", "openrouter"),
}
"""The providers on which each is played. DeepSeek and OpenRouter are there for thinking, which has two fields."""

DELIVERIES = ("blocking", "stream:per-event")
NEAR = 8
"""So many cases that killed mutants near by are played first."""
AROUND = 15
"""So many lines before and after a mutant say of which kind a case is."""


@dataclass(frozen=True)
class LibraryFile:
    """A module of a library."""

    library: str
    module: str

    @property
    def path(self) -> str:
        """The file, as it is called in reports."""
        return f"{self.module.replace('.', '/')}.py"

    @property
    def name(self) -> str:
        """What its results are called."""
        return f"{self.library}-{version(LIBRARIES[self.library].distribution)}-{self.module}"

    @cached_property
    def file(self) -> str:
        """Where it is."""
        return str(import_module(self.module).__file__)

    @cached_property
    def source(self) -> str:
        """The text of the file."""
        return Path(self.file).read_text("utf-8")


def files_of(library: str) -> list[LibraryFile]:
    """The files of a library that are mutated."""
    return [LibraryFile(library, module) for module in NAMED[library]]


@dataclass(frozen=True, slots=True)
class LibraryCase:
    """A case, and what the library as it is does in it."""

    planned: PlannedGroup
    delivery: str
    lines: frozenset[Line]
    shown: str
    """What comes out, without judgement."""

    @property
    def name(self) -> tuple[str, str, str, str]:
        """What tells it from others."""
        return self.planned.group.address, self.planned.group.scenario, self.planned.profile, self.delivery


@dataclass
class LibraryJudge:
    """Judges the mutants of one library's files: all cases are played once with the library as it is."""

    files: list[LibraryFile]
    globs: tuple[str, ...] = ("*",)
    """Which scenarios are played."""
    cases: list[LibraryCase] = field(default_factory=list)
    _kills: list[tuple[str, int, int]] = field(default_factory=list)
    """Which cases killed: the file, the line of the mutant, the number of the case."""

    _now: tuple[LibraryFile, Mutant] = field(init=False)
    """What is played, in a fork."""

    def __post_init__(self) -> None:
        library = self.files[0].library
        self._found = {name: find_adapter(name) for name in addresses_of(library)}
        tracer = Tracer({one.file: one.path for one in self.files})
        for planned in self._planned(PLAYED[library]):
            play = play_of(self._found[planned.group.address], planned)
            for delivery in planned.group.deliveries:
                shown, ran = tracer.lines(lambda play=play, delivery=delivery: watched(play, delivery))  # type: ignore[misc]
                if ran:
                    self.cases.append(LibraryCase(planned, delivery, ran, shown))
        self._places = {case.name: number for number, case in enumerate(self.cases)}
        self._order = sorted(range(len(self.cases)), key=lambda number: self.cases[number].planned.rank)
        self._ran = frozenset[Line]().union(*(case.lines for case in self.cases))
        for one in self.files:
            tree(one.source)  # forks have it then

    def _planned(self, providers: tuple[str, ...]) -> Iterator[PlannedGroup]:
        """The groups. Profiles differ in how pictures are sent: the second one plays these, by the usual way, and what
        the first one does not."""
        scenarios, usual = load_scenarios(), self.files[0].library
        scenarios = {name: one for name, one in scenarios.items() if any(fnmatch(name, glob) for glob in self.globs)}
        known: set[str] = set()
        for found, profile in product(self._found.values(), PROFILES):
            if found.address != usual and profile != PROFILES[0]:
                continue
            named = () if self.globs == ("*",) else self.globs  # what is named, all ways play
            selection = Selection(providers, named, deliveries=DELIVERIES, profile=profile)
            for group in groups(found.address, found.info, scenarios, selection, found.kind):
                new = group.scenario not in known or "image_results" in scenarios[group.scenario].needs
                if not group.unsupported and (profile == PROFILES[0] or new):
                    known.add(group.scenario)
                    yield PlannedGroup(group, profile)

    def running(self, one: LibraryFile, mutant: Mutant) -> list[int]:
        """The numbers of the cases that run a mutant's statement, in the order of play.

        First come those that killed another mutant near by; then one of each kind, by the lines near the mutant that
        they run; then one of each kind by each way; then the others.
        """
        around = {(one.path, line) for line in range(mutant.line - AROUND, mutant.line + AROUND + 1)}
        met: Counter[object] = Counter()
        turns: dict[int, tuple[bool, int]] = {}
        for number in self._order:
            case = self.cases[number]
            if mutant.place == IMPORT or not _statement(one, mutant).isdisjoint(case.lines):
                kind = case.lines & around
                by_way = kind, case.planned.group.address
                turns[number] = met[kind] > 0, met[by_way]
                met[kind] += 1
                met[by_way] += 1
        near = sorted(self._kills, key=lambda kill: (kill[0] != one.path, abs(kill[1] - mutant.line)))
        first = [number for _, _, number in near if number in turns]
        return list(dict.fromkeys([*list(dict.fromkeys(first))[:NEAR], *sorted(turns, key=turns.__getitem__)]))

    def executes(self, one: LibraryFile, mutant: Mutant) -> bool:
        """Whether any case runs the statement."""
        return mutant.place == IMPORT or not _statement(one, mutant).isdisjoint(self._ran)

    def learn(self, one: LibraryFile, mutant: Mutant, answer: Mapping[str, Any]) -> None:
        """Remember which case killed a mutant, for those near by."""
        if answer["outcome"] == "killed":
            name = answer["by"], answer["scenario"], answer["profile"], answer["delivery"]
            if name in self._places:
                self._kills.append((one.path, mutant.line, self._places[name]))

    def answer(self, one: LibraryFile, mutant: Mutant) -> dict[str, Any]:
        """Play a mutant, in a fork, until a case fails. An event loop cannot be shared with the parent."""
        looping.LOOP = asyncio.new_event_loop()
        try:
            replace_code(one.module, mutant.source(one.source))
        except Exception as problem:
            return {"outcome": "unloadable", "why": f"{type(problem).__name__}: {problem}"[:200]}
        self._now = one, mutant
        players = {address: Player(found, self._own) for address, found in self._found.items()}
        differs: list[LibraryCase] = []
        for number in self.running(one, mutant):
            forks.clock()
            case = self.cases[number]
            if self._shows_the_same(case):
                continue
            differs.append(case)
            kill = players[case.planned.group.address].kill(case.planned, case.delivery)
            if kill is not None:
                return {"outcome": "killed", "by": case.planned.group.address, **asdict(kill)}
        for player in players.values():
            if player.warned is not None:
                return {"outcome": "warned", **asdict(player.warned)}
        example = " ".join(differs[0].name) if differs else ""
        return {"outcome": "survived", "groups": len(differs), "example": example}

    def _shows_the_same(self, case: LibraryCase) -> bool:
        """Whether the same comes out as with the library as it is."""
        play = play_of(self._found[case.planned.group.address], case.planned)
        try:
            return watched(play, case.delivery) == case.shown
        except Exception:  # the harness cannot stand what comes out
            return False

    def _own(self, planned: PlannedGroup, delivery: str) -> Iterable[str]:
        """The rules that the library as it is breaks in a case: the fork has its code back for a while."""
        one, mutant = self._now
        replace_code(one.module, one.source)
        own = broken(play_of(self._found[planned.group.address], planned), delivery)
        replace_code(one.module, mutant.source(one.source))
        return own


def _statement(one: LibraryFile, mutant: Mutant) -> set[Line]:
    """The lines of a mutant's statement. A ``continue`` has no line of its own: it is compiled into the jump of the
    line before, where its condition is."""
    first = mutant.place[0] - (mutant.was == "continue")
    return {(one.path, line) for line in range(first, mutant.place[1] + 1)}


def addresses_of(library: str) -> list[str]:
    """The addresses of all ways into a library, the usual one first."""
    return [library, *(f"{library}:{way.name}" for way in ways_of(library)[1:])]


class _TextsApart(ast.NodeTransformer):
    """Compares with texts of their own wherever ``is`` stands before one."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """A comparison in which no text is another text's object."""
        self.generic_visit(node)
        told = zip(node.ops, node.comparators, strict=True)
        node.comparators = [_made_anew(one) if isinstance(by, ast.Is | ast.IsNot) else one for by, one in told]
        return node


def _made_anew(node: ast.expr) -> ast.expr:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or len(node.value) < 2:
        return node
    made = ast.parse(f"''.join(({node.value[:1]!r}, {node.value[1:]!r}))", mode="eval").body
    return ast.copy_location(made, node)


def texts_apart(source: str) -> ast.Module:
    """A module in which ``is`` says no of every text that is written in it.

    Whether equal texts are one object is up to the interpreter, and to how a library makes its values: no answer of a
    provider's decides it. So a mutant that says ``is`` where the original says ``==`` is played as it may go, too.
    """
    return ast.fix_missing_locations(_TextsApart().visit(ast.parse(source)))  # type: ignore[no-any-return]


def replace_code(module: str, source: str) -> None:
    """Give a module that is imported the code of another text of it."""
    real = import_module(module)
    made = types.ModuleType(module)
    made.__file__, made.__package__ = real.__file__, real.__package__
    with warnings.catch_warnings(action="ignore"):
        exec(compile(texts_apart(source), str(real.__file__), "exec", dont_inherit=True), made.__dict__)
    for name, new in list(vars(made).items()):
        if not name.startswith("__"):
            _replace(real, name, vars(real).get(name), new, module)


def _replace(owner: Any, name: str, old: Any, new: Any, module: str) -> None:
    old_code, new_code = _function(old), _function(new)
    if isinstance(old, type) and isinstance(new, type) and new.__module__ == module:
        for inner, value in list(vars(new).items()):
            if inner not in ("__dict__", "__weakref__", "__doc__", "__module__", "__slots__"):
                _replace(old, inner, vars(old).get(inner), value, module)
    elif old_code is not None and new_code is not None and type(old) is type(new):
        if new_code.__module__ == module and len(old_code.__code__.co_freevars) == len(new_code.__code__.co_freevars):
            old_code.__code__ = new_code.__code__
            old_code.__defaults__, old_code.__kwdefaults__ = new_code.__defaults__, new_code.__kwdefaults__
    elif isinstance(new, str | int | float | bool | None | dict | list | tuple | set | frozenset) or (
        new_code is not None and type(old) is not type(new)
    ):
        setattr(owner, name, new)


def _function(value: Any) -> types.FunctionType | None:
    """The function in a value: itself, a property's, or what a decorator wrapped."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, classmethod | staticmethod):
        value = value.__func__
    value = getattr(value, "__wrapped__", value)
    return value if isinstance(value, types.FunctionType) else None
