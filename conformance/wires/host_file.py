"""Places in a host's file, what must stand there, and settings by the names of fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from conformance.model import Json
from conformance.script import STATUS
from conformance.wording import LineError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file. Its methods give what stands there, and raise `HostError` if that is missing or wrong."""

    file: str
    at: str = ""

    def __str__(self) -> str:
        return f"{self.file}: {self.at}" if self.at else self.file

    def text(self, table: Mapping[str, Any], name: str, default: str | None = None) -> str:
        """A text that is not empty."""
        value = table.get(name, default)
        if value is None:
            raise HostError(self, f"{name} is missing: add {name} = \"...\"")
        if not isinstance(value, str) or (value == "" and default is None):
            raise HostError(self, f"{name} is {value!r}: it must be a text that is not empty")
        return value

    def texts(self, table: Mapping[str, Any], name: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """A list of texts."""
        value = table.get(name, default)
        if value is None:
            raise HostError(self, f"{name} is missing: add {name} = [...], empty if there are none")
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise HostError(self, f"{name} is {value!r}: it must be a list of texts")
        return tuple(value)

    def pattern(self, table: Mapping[str, Any], name: str) -> str:
        """A regular expression."""
        value = self.text(table, name)
        try:
            re.compile(value)
        except re.error as problem:
            raise HostError(self, f"{name} is no regular expression: {problem}") from None
        return value

    def table(self, table: Mapping[str, Any], name: str, default: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """A table."""
        value = table.get(name, default)
        if value is None:
            raise HostError(self, f"{name} is missing: add the table {name}")
        if not isinstance(value, Mapping):
            raise HostError(self, f"{name} must be a table")
        return value

    def tables(self, table: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
        """A list of tables; empty if there is none."""
        value = table.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise HostError(self, f"{name} must be a list of tables: write [[{name}]]")
        return value

    def only(self, table: Mapping[str, Any], names: Iterable[str]) -> None:
        """Nothing but ``names`` may stand there."""
        known = list(names)
        if unknown := [name for name in table if name not in known]:
            raise HostError(self, f"there is no {unknown[0]!r} here: use some of {', '.join(known)}")


HostSettings = Sequence[tuple[Place, Mapping[str, Json]]]
"""Settings by name, as a host's file has them, each table with its place."""


class HostError(LineError):
    """A host's file cannot be used. The message is one line: file, place, what to do."""

    def __init__(self, place: Place, problem: str) -> None:
        super().__init__(f"{place}: {' '.join(problem.split())}")

    def __reduce__(self) -> tuple[Any, ...]:
        return ValueError, self.args


def check_json_object(place: Place, name: str, text: Json, *, lists: bool = False) -> None:
    """Raise `HostError` unless a setting is the text of a JSON object, or of a list where ``lists`` allows that."""
    try:
        if isinstance(text, str) and isinstance(json.loads(text), dict | list if lists else dict):
            return
    except ValueError:
        pass
    raise HostError(place, f"{name} is {text!r}: it must be the text of a JSON object")


def check_errors(place: Place, errors: Mapping[str, Json]) -> None:
    """Raise `HostError` unless each is the body of a kind of error, as JSON text."""
    place.only(errors, STATUS)
    for text in errors.values():
        check_json_object(place, "errors", text, lists=True)


def with_message(template: Json, message: str) -> Json:
    """A template with an error's message in the place of ``"$message"``."""
    if isinstance(template, dict):
        return {name: with_message(value, message) for name, value in template.items()}
    if isinstance(template, list):
        return [with_message(value, message) for value in template]
    return message if template == "$message" else template


def changed(start: T, changes: Iterable[tuple[Place, Mapping[str, Json]]]) -> T:
    """A dataclass with some of its fields set by name.

    Lists, sets and tables join what is there. Raises `HostError` for a field that there is not, for a value of another
    type, and for one that is set twice.
    """
    assert is_dataclass(start) and not isinstance(start, type)
    known, told = [one.name for one in fields(start)], set[str]()
    found: dict[str, Any] = {}
    for place, settings in changes:
        place.only(settings, known)
        for name, value in settings.items():
            before = found.get(name, getattr(start, name))
            if name in told and not isinstance(before, tuple | frozenset | Mapping):
                raise HostError(place, f"{name} is set a second time: keep one")
            told.add(name)
            found[name] = _joined(before, value, place, name)
    return replace(start, **found)


def _joined(before: Any, value: Json, place: Place, name: str) -> Any:
    """A value of a file as one of the type of what is there already. Where there is nothing, text or a table."""
    wanted: type | tuple[type, ...]
    match before:
        case tuple() | frozenset():
            wanted = list
        case re.Pattern():
            wanted = str
        case None:
            wanted = (str, dict)
        case Mapping():
            wanted = dict
        case _:
            wanted = type(before)
    if not isinstance(value, wanted) or (isinstance(value, bool) and not isinstance(before, bool)):
        raise HostError(place, f"{name} is {value!r}: it must be {_words(before)}")
    if isinstance(before, frozenset) and not all(isinstance(item, str) for item in value):
        raise HostError(place, f"{name} is {value!r}: it must be a list of texts")
    match before:
        case tuple():
            return (*before, *(item for item in value if item not in before))
        case frozenset():
            return before | frozenset(value)
        case re.Pattern():
            return re.compile(value, re.DOTALL)
        case Mapping():
            assert isinstance(value, dict)
            return {**before, **{int(key) if key.isdecimal() else key: item for key, item in value.items()}}
    return value


def _words(before: Any) -> str:
    match before:
        case tuple() | frozenset():
            return "a list"
        case Mapping():
            return "a table"
        case bool():
            return "true or false"
        case int():
            return "a whole number"
    return "a text"
