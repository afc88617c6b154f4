"""The methods of a library that are about tools, and which of them a shim goes through."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.adapters.inventory import VARIABLE, reading
from conformance.adapters.inventory.walk import method_at, methods
from conformance.adapters.inventory.watching import REQUEST, watch_if_asked

LIBRARY = '''
from __future__ import annotations
import functools
from typing import TYPE_CHECKING, Iterator, Literal, TypedDict, overload
from warnings import warn

if TYPE_CHECKING:
    from acme.later import Tool

class Omit: ...
omit = Omit()

class Answer(TypedDict):
    tool_calls: list[str]

class Stream:
    def __enter__(self) -> Opened: return Opened()
    def __exit__(self, *problem: object) -> None: ...

class Opened:
    def final(self) -> Answer: return {"tool_calls": []}
    def closed(self) -> bool: return True

class Runs:
    def run(self) -> Answer: raise NotImplementedError

class _Bound(Runs):
    def run(self) -> Answer: return {"tool_calls": []}

def checked(function):
    @functools.wraps(function)
    def wrapper(*arguments, **options):
        return function(*arguments, **options)
    return wrapper

class Chats:
    @overload
    def create(self, tools: list[Tool] | Omit = omit, *, stream: Literal[False] = False) -> Answer: ...
    @overload
    def create(self, tools: list[Tool] | Omit = omit, *, stream: Literal[True]) -> Stream: ...
    def create(self, tools: list[Tool] | Omit = omit, *, stream=False, _inner: Tool | None = None) -> Answer | Stream:
        return Stream() if stream else {"tool_calls": []}

    @checked
    def all(self, tools: list[Tool]) -> Answer:
        return self.create(tools)

    async def later(self, tools: list[Tool]) -> Answer:
        return self.create(tools)

    def bound(self, tools: list[Tool]) -> Runs: return _Bound()
    def models(self, name: str) -> Answer: return {"tool_calls": []}
    def _private(self, tools: list[Tool]) -> None: ...

class Client:
    def __init__(self, key: str = "") -> None: ...
    @functools.cached_property
    def chats(self) -> Chats: return Chats()
'''
LATER = """
from typing import NotRequired, TypedDict

class Tool(TypedDict):
    name: str
    strict: NotRequired[bool]
"""
SHIM = """
import asyncio
from acme import Client

def blocking(tools): return Client().chats.create(tools)
def streamed(tools):
    with Client().chats.create(tools=tools, stream=True) as opened: return opened.final()
def decorated(tools): return Client().chats.all(tools)
def bound(tools): return Client().chats.bound(tools).run()
def awaited(tools): return asyncio.run(Client().chats.later(tools))
"""
CHATS = "acme:Chats"


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    package = tmp_path / "acme"
    package.mkdir()
    (package / "__init__.py").write_text(LIBRARY)
    (package / "later.py").write_text(LATER)
    monkeypatch.syspath_prepend(str(tmp_path))
    reading._names.cache_clear()  # each test has a module of its own under the name
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme"]:
        del sys.modules[name]


def test_methods_about_tools_are_found_from_a_root(acme: Path) -> None:
    found = {method.name: method for method in methods(["acme:Client"])}
    chats = [f"Client.chats.{name}" for name in ("all", "bound", "create", "later")]
    assert sorted(found) == [*chats, "Opened.final", "Runs.run"]
    create = found["Client.chats.create"]
    assert list(create.outputs) == ["Answer", "Stream"]
    assert [one.name for one in create.about_tools] == ["tools"]
    assert [one.__name__ for one in create.parameters["tools"].absent] == ["Omit"]


def test_what_is_shown_first_is_found_whatever_its_signature_says(acme: Path) -> None:
    assert [method.name for method in methods(["acme:Opened"])] == []
    assert [method.name for method in methods(["acme:Opened"], first="Opened.closed")] == ["Opened.closed"]


def shim(monkeypatch: pytest.MonkeyPatch, folder: Path, watched: list[str]) -> ModuleType:
    """A module that calls like a shim, while methods are watched."""
    (folder / REQUEST).write_text(json.dumps({"acme": watched}))
    monkeypatch.setenv(VARIABLE, str(folder))
    watch_if_asked("acme")
    module = ModuleType("conformance.adapters.libraries.acme")
    exec(SHIM, vars(module))
    return module


def seen(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for path in folder.glob("seen-*") for line in path.read_text().splitlines()]


CALLED: list[tuple[str, list[str]]] = [
    ("blocking", ["create"]),
    ("streamed", ["create", "final"]),
    ("decorated", ["all"]),
    ("awaited", ["later"]),
    ("bound", ["bound", "run"]),
]


@pytest.mark.parametrize(("way", "called"), CALLED, ids=[way for way, _ in CALLED])
def test_what_a_shim_calls_is_noted_and_what_the_library_calls_is_not(
    acme: Path, monkeypatch: pytest.MonkeyPatch, way: str, called: list[str]
) -> None:
    watched = [f"{CHATS}.{name}" for name in ("create", "all", "later", "bound")]
    watched += ["acme:Opened.final", "acme:Runs.run"]
    assert getattr(shim(monkeypatch, acme, watched), way)([{"name": "f"}]) == {"tool_calls": []}
    noted = seen(acme)
    assert sorted({one["method"].rpartition(".")[2] for one in noted}) == called
    assert not any("wrong" in one for one in noted)
    gave = {"streamed": "acme:Opened.final", "bound": "acme:Runs.run"}.get(way, f"{CHATS}.{called[0]}")
    assert {"method": gave, "output": "Answer"} in noted


def test_a_coroutine_function_is_one_still(acme: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim(monkeypatch, acme, [f"{CHATS}.later", f"{CHATS}.create"])
    chats = importlib.import_module("acme").Chats
    assert inspect.iscoroutinefunction(chats.later)
    assert inspect.iscoroutinefunction(chats().later)
    assert not inspect.iscoroutinefunction(chats.create)


def test_an_argument_that_does_not_fit_is_told(acme: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools: Any = [{"name": "f", "strict": True}, {"name": "g", "type": "function"}]
    shim(monkeypatch, acme, [f"{CHATS}.create"]).blocking(tools)
    assert {"method": f"{CHATS}.create", "wrong": "tools[1]: Tool has no 'type'"} in seen(acme)


def test_options_that_a_call_uses_are_noted(acme: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim(monkeypatch, acme, [f"{CHATS}.create"]).blocking([{"name": "f", "strict": True}])
    assert [one["option"] for one in seen(acme) if "option" in one] == ["Tool.strict", "Tool.strict: True"]


def test_a_method_that_a_release_lacks_is_an_error_of_its_own(acme: Path) -> None:
    importlib.import_module("acme")
    with pytest.raises(AttributeError):
        method_at(f"{CHATS}.gone")
