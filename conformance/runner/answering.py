"""Who answers: the script, recordings, the real provider, or the real provider with a recorder between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from conformance.hints import nearest
from conformance.recordings.interaction import Origin
from conformance.responders.kinds import ResponderChoice, ResponderName
from conformance.responders.order import RecordingOrder
from conformance.runner.errors import Option, UsageError
from conformance.runner.selection import checked_providers

ORIGINS: tuple[Origin, ...] = get_args(Origin)
RESPONDERS: tuple[ResponderName, ...] = get_args(ResponderName)
MAX_REPEAT = 1000
MAX_CALLS = 100
"""How many calls a recording makes at most, unless more are asked for."""

Values = str | Mapping[str, str]
"""One value for all providers, or a value for each provider that is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponderSettings:
    """Who answers, as asked for: see `conformance.run`."""

    responder: ResponderName
    cassettes: Path | str | None
    models: Values
    base_urls: Values
    repeat: int
    allow_shell: bool
    max_calls: int | None
    again: bool
    origin: Origin

    def answering(self) -> ResponderChoice:
        """The same, checked. Raises `UsageError` for settings that do not fit together."""
        self._check()
        recording = None
        if self.responder == "record":
            limit = MAX_CALLS if self.max_calls is None else self.max_calls
            recording = RecordingOrder("", Path(), limit, self.origin, self.again)
        return ResponderChoice(
            self.responder,
            self._folder(),
            _by_provider("models", self.models),
            _by_provider("base_urls", self.base_urls),
            self.repeat,
            self.allow_shell,
            recording,
        )

    def _check(self) -> None:
        kind = self.responder
        if kind not in RESPONDERS:
            raise UsageError(Option("responder"), f": unknown responder {kind!r}{nearest(kind, RESPONDERS)}")
        if self.origin not in ORIGINS:
            raise UsageError(Option("origin"), f": unknown origin {self.origin!r}{nearest(self.origin, ORIGINS)}")
        _check_number("repeat", self.repeat, 1, MAX_REPEAT)
        if self.max_calls is not None:
            _check_number("max_calls", self.max_calls, 0)
        asks = kind in ("live", "record")
        for name in ("models", "base_urls", "allow_shell"):
            if getattr(self, name) and not asks:
                raise UsageError(Option(name), " needs ", Option("responder", "live"))
        if self.repeat > 1 and kind != "live":
            needed = Option("responder", "live")
            raise UsageError(Option("repeat"), " needs ", needed, ": the others always answer the same")
        if self.cassettes and kind not in ("cassette", "record"):
            raise UsageError(Option("cassettes"), " needs ", Option("responder", "cassette"))
        for name, given in (("max_calls", self.max_calls is not None), ("again", self.again)):
            if given and kind != "record":
                raise UsageError(Option(name), " needs ", Option("responder", "record"))

    def _folder(self) -> Path | None:
        """The folder of the recordings. That of new ones is made when the first is."""
        if self.responder == "record":
            return Path(self.cassettes or "cassettes").resolve()
        if self.responder != "cassette":
            return None
        from conformance.recordings.shipped import cassette_root

        own = Path("cassettes")
        root = Path(self.cassettes) if self.cassettes else own if own.is_dir() else cassette_root()
        if not root.is_dir():
            raise UsageError(Option("cassettes"), f" {root}: no such folder; make one with conformance record")
        return root.resolve()


def _by_provider(option: str, values: Values) -> dict[str, str]:
    from conformance.wires import known_ids

    found = dict.fromkeys(known_ids(), values) if isinstance(values, str) and values else dict(values or {})
    checked_providers(found)
    for value in found.values():
        if "@" in value and "://" in value:
            raise UsageError(Option(option), ": no user and password there: keys come from the environment")
    return found


def _check_number(name: str, number: int, least: int, most: int | None = None) -> None:
    if isinstance(number, bool) or not isinstance(number, int):
        raise UsageError(Option(name), f" must be a whole number, found {number!r}")
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        raise UsageError(Option(name), f" must be {bounds}")
