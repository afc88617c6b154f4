"""What is no fault of a library: a shim that does not fit, an installation that lacks a package, the network."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.adapters import network, obstructed
from conformance.adapters.libraries.features import has, lacking
from conformance.adapters.network import NetworkWatch, is_providers
from conformance.adapters.obstructed import obstacle_of
from conformance.obstacles import Obstacle

LIBRARY = '''
    import functools
    from dataclasses import dataclass

    @dataclass
    class Message:
        text: str
        calls: list | None

    @dataclass
    class Chunk:
        delta: str

    def required(*names):
        def decorated(function):
            @functools.wraps(function)
            def wrapper(*given, **options):
                return function(*given, **options)
            return wrapper
        return decorated

    class Client:
        def create(self, model): return Message("", None)
        def swallows(self, **options): return self._send(**options)
        def _send(self, model): return None
        def broken(self, tools): return self._send(tools=tools)
        def wrong(self, model): return Chunk("")
        def nothing(self, model): return None
        def careless(self): return undefined_name
        @required("model")
        def wrapped(self, model): return Message("", None)
        def needs_more(self): import acme_extra
        def needs_newer(self): from json import no_such_name_there
        def hidden(self):
            try: import acme_extra
            except ImportError as problem: raise RuntimeError(f"failed: {problem}") from problem
        def forgiving(self):
            try: import acme_extra
            except ImportError: raise ValueError("the model said nonsense")
        def connects(self):
            raise ConnectionRefusedError("nobody there")
'''
SHIM = '''
    import acme
    client = acme.Client()
    def unknown_argument(): client.create(model="m", tools=[])
    def missing_argument(): client.create()
    def decorated_argument(): client.wrapped(model="m", tools=[])
    def unknown_method(): client.make()
    def unknown_name(): acme.Session
    def unknown_field(): client.create("m").provider_fields
    def unknown_import(): from acme import Session
    def unknown_module(): import acme.streaming
    def swallowed_argument(): client.swallows(model="m", tools=[])
    def passed_on_wrongly(): client.broken(tools=[])
    def another_class(): client.wrong("m").text
    def answer_of_none(): client.nothing("m").text
    def empty_calls(): list(client.create("m").calls)
    def careless(): client.careless()
    def needs_more(): client.needs_more()
    def hidden(): client.hidden()
    def forgiving(): client.forgiving()
    def needs_newer(): client.needs_newer()
    def connects(): client.connects()
'''


@pytest.fixture
def raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Obstacle | None]:
    """What a call of the shim met, with a small library beside it."""
    for folder, name, text in (("library/acme", "__init__", LIBRARY), ("shims", "acme_shim", SHIM)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / f"{name}.py").write_text(textwrap.dedent(text), "utf-8")
    for folder in ("library", "shims"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    monkeypatch.setattr(obstructed, "OURS", (f"{tmp_path / 'shims'}/",))
    for name in ("acme", "acme_shim"):
        monkeypatch.delitem(sys.modules, name, raising=False)

    def met(function: str) -> Obstacle | None:
        import acme_shim  # type: ignore[import-not-found]

        with pytest.raises(Exception) as caught:
            getattr(acme_shim, function)()
        return obstacle_of(caught.value)

    yield met
    for name in ("acme", "acme_shim"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "function",
    ["unknown_argument", "missing_argument", "decorated_argument", "unknown_method", "unknown_name", "unknown_field",
     "unknown_import", "unknown_module"],
)  # fmt: skip
def test_what_our_own_frame_asks_for_and_is_not_there_is_a_misfit(
    raised: Callable[[str], Obstacle | None], function: str
) -> None:
    met = raised(function)
    assert met is not None
    assert met.kind == "misfit"
    assert met.asked.startswith("def " + function)


@pytest.mark.parametrize(
    "function",
    ["swallowed_argument", "passed_on_wrongly", "another_class", "answer_of_none", "empty_calls", "careless",
     "forgiving", "needs_newer", "connects"],
)  # fmt: skip
def test_what_is_raised_inside_of_the_library_is_the_librarys(
    raised: Callable[[str], Obstacle | None], function: str
) -> None:
    assert raised(function) is None


@pytest.mark.parametrize("function", ["needs_more", "hidden"])
def test_a_package_that_was_not_installed_is_the_installation(
    raised: Callable[[str], Obstacle | None], function: str
) -> None:
    met = raised(function)
    assert met is not None
    assert (met.kind, "acme_extra" in met.error) == ("installation", True)


def test_a_host_that_is_asked_for_makes_a_lost_connection_the_networks(
    raised: Callable[[str], Obstacle | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network.watch, "asked", ["prices.example"])
    met = raised("connects")
    assert met is not None and met.kind == "network"
    monkeypatch.setattr(network.watch, "asked", ["api.openai.com"])
    assert raised("connects") is None
    monkeypatch.setattr(network.watch, "asked", ["prices.example"])
    assert raised("careless") is None


def test_somebody_elses_adapter_is_not_asked(tmp_path: Path) -> None:
    with pytest.raises(ImportError) as caught:
        __import__("acme_that_is_nowhere")
    assert obstacle_of(caught.value) is None


# --- the network -----------------------------------------------------------------------------------------------------


def test_a_watch_hears_hosts_but_not_this_machine() -> None:
    watch = NetworkWatch()
    for host in ("127.0.0.1", "localhost", b"prices.example", "::1", None, "api.anthropic.com"):
        watch._hear("socket.getaddrinfo", (host,))
    watch._hear("open", ("prices.txt",))
    assert watch.asked == ["prices.example", "api.anthropic.com"]
    assert watch.strangers() == ["prices.example"]
    watch.begin()
    assert (watch.asked, list(watch.hosts)) == ([], ["prices.example", "api.anthropic.com"])


def test_providers_hosts_are_known() -> None:
    assert is_providers("api.openai.com")
    assert not is_providers("raw.githubusercontent.com")


# --- features of releases --------------------------------------------------------------------------------------------


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        from typing import TypedDict
        class Options(TypedDict): strict: bool
        class Model:
            temperature: float
            def create(self, model, *, tools=None): ...
            def loose(self, **options): ...
    """
    (tmp_path / "acme_release.py").write_text(textwrap.dedent(text), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "acme_release", raising=False)
    has.cache_clear()


@pytest.mark.parametrize(
    ("need", "there"),
    [("acme_release", True), ("acme_release:Model", True), ("acme_release:Model.create(tools)", True),
     ("acme_release:Model(temperature)", True), ("acme_release:Options(strict)", True), ("acme_old", False),
     ("acme_release:Session", False), ("acme_release:Model.create(strict)", False),
     ("acme_release:Model.loose(options)", False), ("acme_release:Model.loose(tools)", False)],
)  # fmt: skip
def test_needs_are_looked_up_in_what_is_installed(acme: None, need: str, there: bool) -> None:
    assert has(need) is there


def test_what_a_release_lacks_is_told_with_the_first_need(acme: None) -> None:
    needs = {"strict": ("acme_release:Model.create(strict)", "acme_old"), "tool_choice": ("acme_release:Model",)}
    assert lacking(needs) == {"strict": "acme_release:Model.create(strict)"}


def test_a_need_in_no_form_is_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match="is no need"):
        has("acme release")
