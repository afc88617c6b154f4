"""A mutated wire beside the real one: the adapter speaks by the mutant, and the judge by the code that there is.

The mutated module is loaded a second time, and so are the modules of its room that use it, up to the room's wire. All
others are shared. When the second wire stands, the first modules have their names again: who imported them before, or
asks for them later, has the code without the fault.
"""

from __future__ import annotations

import ast
import pickle
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import conformance
from conformance.adapters.reference import ReferenceAdapter
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, News
from conformance.wires import PROVIDERS, card, host_file, host_ids, wire
from conformance.wires.base import Wire

T = TypeVar("T")
ROOT = Path(conformance.__file__).parents[1]


@dataclass(frozen=True)
class Target:
    """A file of a room's client half. ``path`` is relative to the project."""

    path: str

    @property
    def module(self) -> str:
        """The module's name."""
        return self.path.removesuffix(".py").replace("/", ".")

    @property
    def room(self) -> str:
        """The package of its room."""
        return self.module.rpartition(".")[0]

    @property
    def name(self) -> str:
        """What its results are called."""
        return "-".join(self.module.split(".")[-2:])

    @property
    def provider(self) -> str:
        """The provider whose room it is."""
        return self.room.rpartition(".")[2].replace("_", "-")

    @cached_property
    def source(self) -> str:
        """The text of the file."""
        return (ROOT / self.path).read_text("utf-8")

    @cached_property
    def providers(self) -> list[str]:
        """The providers that speak by it, and the hosts that are needed beside them (`_needed_hosts`)."""
        own = [name for name in PROVIDERS if _base(name) == self.provider]
        return [*own, *_needed_hosts(own, [name for name in host_ids() if _base(name) == self.provider])]

    @cached_property
    def dependents(self) -> list[str]:
        """The modules of the room that use it, each after those that it uses itself. The last is the room's wire."""
        uses = {f"{self.room}.{path.stem}": set(_used(path, self.room)) for path in self._files()}
        found = {self.module}
        while more := {name for name, used in uses.items() if used & found} - found:
            found |= more
        ordered: list[str] = [self.module]
        while left := found - set(ordered):
            ordered += sorted(name for name in left if not uses[name] & left)
        return ordered[1:]

    def _files(self) -> list[Path]:
        return [path for path in (ROOT / self.path).parent.glob("*.py") if path.stem != "__init__"]


def _needed_hosts(providers: Iterable[str], hosts: Iterable[str]) -> Iterator[str]:
    """The fewest hosts, so that each setting of the wire's own that a host's file has is played: a branch that only
    such a host needs runs nowhere else. Those with the most settings come first."""
    played = set[str]().union(*map(_settings, providers))
    left = {name: found for name in hosts if (found := _settings(name) - played)}
    while left:
        name = max(left, key=lambda host: (len(left[host]), host))
        yield name
        played |= left[name]
        left = {host: rest for host, found in left.items() if (rest := found - played)}


def _settings(provider: str) -> set[str]:
    host = host_file(provider)
    return set() if host is None else {name for _, table in host.section("deviations") for name in table}


def _base(provider: str) -> str:
    host = host_file(provider)
    return provider if host is None or host.is_provider_itself else _base(host.wire)


def _used(path: Path, room: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            if node.module == room:
                yield from (f"{room}.{alias.name}" for alias in node.names)


def mutated_wire(target: Target, source: str) -> Wire:
    """The room's wire with another text of one file. Whatever importing that text raises is raised."""
    with _names_kept([target.module, *target.dependents]):
        made = _load(target.module, source)
        for name in target.dependents:
            made = _load(name, Path(str(sys.modules[name].__file__)).read_text("utf-8"))
    found: Wire = made.WIRE
    return found


@contextmanager
def _names_kept(names: list[str]) -> Iterator[None]:
    before = {name: import_module(name) for name in names}
    try:
        yield
    finally:
        for name, module in before.items():
            _enter(name, module)


def _enter(name: str, module: ModuleType) -> None:
    package, _, leaf = name.rpartition(".")
    sys.modules[name] = module
    setattr(sys.modules[package], leaf, module)


def _load(name: str, source: str) -> ModuleType:
    real = sys.modules[name]
    module = ModuleType(name)
    module.__file__, module.__package__ = real.__file__, real.__package__
    with warnings.catch_warnings(action="ignore"):
        code = compile(source, str(real.__file__), "exec", dont_inherit=True)
    _enter(name, module)
    exec(code, module.__dict__)
    return module


class MutatedAdapter(ReferenceAdapter):
    """The reference adapter, which speaks by a mutated wire on the providers of its room.

    ``distant``: what it is given is a copy without one object of ours, as an adapter in a process of its own has it.
    There ``is`` tells two equal texts apart.
    """

    def __init__(self, target: Target, room_wire: Wire, *, distant: bool = False) -> None:
        super().__init__()
        self._distant = distant
        self._wires = {target.provider: room_wire}

    def wire(self, provider: str) -> Wire:
        """The mutated wire of a provider or host."""
        if provider not in self._wires:
            host = host_file(provider)
            assert host is not None
            self._wires[provider] = self.wire(host.wire).at(card(provider), host.section("deviations"))
        return self._wires[provider]

    def _given(self, conversation: T) -> T:
        copy: T = pickle.loads(pickle.dumps(conversation)) if self._distant else conversation
        return copy

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        return self.wire(provider).build(self._given(conversation), stream=stream)

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        return self.wire(provider).read_response(response, self._given(conversation))

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        return self.wire(provider).read_stream(chunks, self._given(conversation))

    def stream_news(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> Iterator[News]:
        return self.wire(provider).news(chunks, self._given(conversation))


def is_apart(target: Target, mutated: Wire) -> bool:
    """Whether the judge's wire is another one than the mutated one."""
    return wire(target.provider) is not mutated
