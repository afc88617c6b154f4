"""Faults on demand, in a small language: ``status=429,retry-after=2,times=1``.

They are asked for by the header ``x-conformance-fault``, by the path's prefix ``/fault/<fault>``, or for all requests
by ``--fault``. A delivery stands for itself: ``stream:per-byte``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.deliveries import DELIVERIES
from conformance.hints import nearest
from conformance.script import STATUS

FAULTS: Mapping[str, str] = {
    "status": "answer with this HTTP status and the provider's own error body, such as status=429",
    "retry-after": "with status: ask to wait this many seconds",
    "latency": "wait this many seconds before answering",
    "trickle": "wait this many seconds before each chunk of the answer",
    "cut": "close the connection after this many bytes of the answer",
    "error": f"end the stream with an error of the provider's: {', '.join(STATUS)}",
    "delivery": "cut the stream as this delivery does, such as delivery=stream:per-byte",
    "times": "only this many times: for the first requests of a session, or with the same conversation",
}
MAX_SECONDS = 3600.0


class FaultError(ValueError):
    """A fault that cannot be understood. The message says why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong. Nothing does, by default."""

    text: str = ""
    status: int | None = None
    retry_after: int | None = None
    latency: float = 0.0
    trickle: float = 0.0
    cut: int | None = None
    error: str | None = None
    delivery: str | None = None
    times: int | None = None


NONE = Fault()


def fault_of(text: str) -> Fault:
    """The fault that ``text`` names. Raises `FaultError`."""
    values: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in text.replace(";", ",").split(","))):
        name, given, value = item.partition("=")
        if not given and name in DELIVERIES:
            name, value = "delivery", name
        if name not in FAULTS:
            known = f"faults: {', '.join(FAULTS)}, and deliveries"
            raise FaultError(f"unknown fault {name!r}{nearest(name, [*FAULTS, *DELIVERIES])}; {known}")
        values[name.replace("-", "_")] = _read(name, value)
    return Fault(text, **values)


def _read(name: str, value: str) -> object:
    try:
        return _READERS[name](value)
    except ValueError:
        raise FaultError(f"fault {name}={value}: {FAULTS[name]}") from None


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise ValueError
        return number

    return read


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds <= MAX_SECONDS:
        raise ValueError
    return seconds


def _one_of(names: Mapping[Any, object]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return read


_READERS: Mapping[str, Callable[[str], object]] = {
    "status": _whole(400, 599),
    "retry-after": _whole(0, 86_400),
    "latency": _seconds,
    "trickle": _seconds,
    "cut": _whole(0, 2**40),
    "error": _one_of(STATUS),
    "delivery": _one_of({name: item for name, item in DELIVERIES.items() if item.streaming and not item.loses}),
    "times": _whole(1, 1_000_000),
}
