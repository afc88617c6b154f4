"""What the fixture `conformance_cassette` is."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Generator, Iterator, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import pytest

from conformance.hints import nearest
from conformance.masking.door import own_mask
from conformance.pytest.forwarding import Forwarder
from conformance.recordings.interception import intercepted
from conformance.recordings.modes import CassetteInUse, RecordMode
from conformance.recordings.player import Repeat
from conformance.recordings.replaying import UnusedPolicy
from conformance.recordings.volatile import BUILT_IN
from conformance.wires.volatile import Volatile

MODES: tuple[RecordMode, ...] = get_args(RecordMode)
OPTION = "--conformance-record"
MAX_NAME = 120
"""How long the name of a test may be in that of its cassette."""

_OF_TEST = pytest.StashKey["ConformanceCassette"]()
_UNSAFE = re.compile(r"[^\w.\-\[\]]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CassetteSettings:
    """What may be said of a cassette, by the marker and by ``conformance_cassette_settings``.

    ``folder`` is where cassettes are, and ``path`` is the one to use, in ``folder``. ``volatile``, ``any_host`` and
    ``repeat`` are as for `conformance.recordings.player.Player`, ``known`` are secrets to be removed as for
    `conformance.recordings.recorder.Recorder`. ``unused`` says what becomes of recordings that were not played.
    Requests to ``ignore_hosts`` (``host`` or ``host:port``) are neither played nor recorded.
    """

    mode: RecordMode = "once"
    folder: Path | str = "cassettes"
    path: Path | str | None = None
    unused: UnusedPolicy = "warn"
    ignore_hosts: Collection[str] = ()
    volatile: Volatile = BUILT_IN
    any_host: bool = False
    repeat: Repeat = "never"
    known: Collection[str] = ()


@dataclass
class ConformanceCassette:
    """The cassette of a test. What clients of httpx and httpx2 send is played from it or recorded into it; clients of
    other libraries are given a `url`."""

    settings: CassetteSettings
    cassette: CassetteInUse

    @property
    def path(self) -> Path:
        """The file."""
        return self.cassette.path

    @property
    def mode(self) -> RecordMode:
        """The mode that counts."""
        return self.cassette.mode

    def url(self, upstream: str) -> str:
        """A base URL on loopback that stands for ``upstream``: for clients of any HTTP library and any language."""
        return Forwarder.shared().url(upstream)

    def check(self) -> None:
        """Raise what went wrong, though the library may have swallowed it; tell recordings that were not played.

        It is called when the test has passed.
        """
        self.cassette.check(self.settings.unused)

    def spares(self, host: str, port: int | None) -> bool:
        """Whether requests to a host are none of the cassette's."""
        ours = host == "127.0.0.1" and port in Forwarder.ports
        ignored = self.settings.ignore_hosts
        return ours or host in ignored or f"{host}:{port}" in ignored


@contextlib.contextmanager
def cassette_of(request: pytest.FixtureRequest, given: Mapping[str, Any]) -> Iterator[ConformanceCassette]:
    """The cassette of the test that asks for it, for as long as it runs."""
    settings, path = _settled(request, given)
    options = {name: getattr(settings, name) for name in ("volatile", "any_host", "repeat")}
    cassette = ConformanceCassette(settings, CassetteInUse(path, settings.mode, known=settings.known, **options))
    plugins = request.config.pluginmanager
    if not plugins.has_plugin(_Checks.NAME):
        plugins.register(_Checks(), _Checks.NAME)
    request.node.stash[_OF_TEST] = cassette
    with intercepted(cassette.cassette, cassette.spares):
        yield cassette


class _Checks:
    """Has a test fail when its cassette could not answer, also where the library swallowed that."""

    NAME = "conformance-cassettes"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        cassette = item.stash.get(_OF_TEST, None)
        try:
            result = yield
        except Exception as problem:
            if cassette is not None:
                _explain(problem, cassette)
            raise
        if cassette is not None:
            cassette.check()
        return result


def _explain(problem: Exception, cassette: ConformanceCassette) -> None:
    """Add to what a library made of it what the cassette said."""
    said = cassette.cassette.problem
    if said is None:
        return
    if said is not problem:
        problem.add_note(own_mask().text(f"conformance_cassette: {said}"))
    problem.add_note(f"conformance_cassette: mode {cassette.mode}; {OPTION} all records anew")


# --- settings --------------------------------------------------------------------------------------------------------


def _settled(request: pytest.FixtureRequest, given: Mapping[str, Any]) -> tuple[CassetteSettings, Path]:
    """The settings, and the file. The command line goes before the marker, and the marker before the fixture."""
    marker = request.node.get_closest_marker("conformance_cassette")
    marked = dict(marker.kwargs) if marker is not None else {}
    if marker is not None and marker.args:
        [marked["path"]] = marker.args
    chosen = request.config.getoption("conformance_record", None)
    said = {**given, **marked, **({"mode": chosen} if chosen else {})}
    known = [item.name for item in fields(CassetteSettings)]
    for name in said:
        if name not in known:
            raise pytest.UsageError(f"conformance_cassette has no setting {name!r}{nearest(name, known)}")
    if (mode := said.get("mode", "once")) not in MODES:
        raise pytest.UsageError(f"conformance_cassette: unknown mode {mode!r}{nearest(str(mode), MODES)}")
    settings = CassetteSettings(**said)
    folder = request.path.parent / settings.folder
    return settings, folder / (settings.path or Path(request.path.stem) / f"{_name(request.node)}.json")


def _name(node: Any) -> str:
    """The name of a test as that of a file."""
    name = f"{node.cls.__name__}.{node.name}" if getattr(node, "cls", None) is not None else str(node.name)
    safe = _UNSAFE.sub("-", name)
    if safe == name and len(safe) <= MAX_NAME:
        return safe
    return f"{safe[:MAX_NAME]}-{sha256(name.encode()).hexdigest()[:8]}"
