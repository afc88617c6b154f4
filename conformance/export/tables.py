"""Assertions about requests, from the tables in ``assertions/``: words beside each other, by rule.

``assertions/common.yaml`` speaks of the places of every format by the names in ``assertions/fields.yaml``. An entry:

| word | what it says |
|---|---|
| ``each`` | the places: a JSON pointer below the request, several, or a name of a place |
| ``where`` | pointer → value: of these places only those where this is so |
| ``of`` | the pointer from each place to what is looked at, maybe in parts |
| ``must`` | the relation, or relation → value |
| ``any`` | one place suffices |
| ``when``, ``only``, ``but`` | in which conversations, and on which providers or formats |
| ``for`` | once for each of these; ``$name`` is what one has |
| ``if`` | conditions on the request, in the same words |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from conformance.export.records import record_of
from conformance.export.relations import Assertion, is_kept, places_of
from conformance.export.settings import EACH, FLAGS, AskedCall, Variables, constants
from conformance.rules import Rule
from conformance.rules.judge import LONE_SURROGATE, judge
from conformance.transcript import Exchange
from conformance.wires import card

TableEntry = Mapping[str, Any]
_FOLDER = resources.files("conformance.export") / "assertions"


class _UnknownPlaceError(Exception):
    """A format does not have a place."""


def table_of(provider: str) -> str | None:
    """The name of the table of a provider's format, which is that of its rules; ``None`` where there is none."""
    name = card(card(provider).format).family
    return name if (_FOLDER / f"{name}.yaml").is_file() else None


@cache
def table(name: str) -> Mapping[str, Any]:
    """A file in ``assertions/``."""
    text = (_FOLDER / f"{name}.yaml").read_text("utf-8")
    loaded: Mapping[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


def request_assertions(exchange: Exchange, rules: Sequence[Rule]) -> list[Assertion]:
    """What ``rules`` assert of the request of an exchange that the reference adapter played.

    Only rules that find something to examine there, and only what holds of the reference adapter's request.
    """
    own = card(exchange.provider)
    own_table = table_of(own.id)
    if own_table is None:
        return []
    asked, record = AskedCall(exchange), record_of(exchange)
    writer = _Writer(own.format, asked)
    found: list[Assertion] = []
    for rule in rules:
        entries = [*table("common").get(rule.id, ()), *table(own_table).get(rule.id, ())]
        known = [
            one
            for entry in entries
            if _is_meant(entry, own.format, own.id, asked)
            for one in writer.told(entry)
            if not _has_half_pair(one) and ("for" not in entry or places_of(one, record))
        ]
        if known and (verdicts := judge(rule, exchange)) and not any(verdicts):
            found += [{"rule": rule.id, **one} for one in known if is_kept(one, record)]
    return found


def _has_half_pair(assertion: Assertion) -> bool:
    """Whether an assertion names half of a pair of surrogates: what is sent for that is nobody's fault."""
    return LONE_SURROGATE.search(str(assertion)) is not None


def _is_meant(entry: TableEntry, format_: str, provider: str, asked: AskedCall) -> bool:
    only, but = entry.get("only"), entry.get("but", ())
    here = (format_, provider)
    if (only is not None and not set(here) & set(only)) or set(here) & set(but):
        return False
    return all(FLAGS[flag](asked) for flag in entry.get("when", ()))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes entries of tables as assertions about one model call."""

    format: str
    asked: AskedCall

    def told(self, entry: TableEntry) -> Iterator[Assertion]:
        """The assertions that an entry amounts to: one for each that it goes through."""
        rounds: Iterable[Variables] = EACH[entry["for"]](self.asked) if "for" in entry else ({},)
        for one in rounds:
            try:
                yield self._guarded(entry, {**constants(self.asked), **one})
            except _UnknownPlaceError:
                return

    def _guarded(self, entry: TableEntry, variables: Variables) -> Assertion:
        written = self._assertion(entry, variables)
        guards = [self._assertion(one, variables) for one in [*self._guards(entry), *entry.get("if", ())]]
        return {**written, "if": guards} if guards else written

    def _assertion(self, entry: TableEntry, variables: Variables) -> dict[str, Any]:
        named = self._place(entry["each"])
        written: dict[str, Any] = {"at": named["at"]}
        where = [*named.get("where", ()), *self._where(entry.get("where", {}), variables)]
        if where:
            written["where"] = where
        if "of" in entry:
            written["of"] = "".join(self._step(step, variables) for step in _listed(entry["of"]))
        written |= self._relation(entry["must"], variables)
        if entry.get("any"):
            written["any"] = True
        return written

    def _guards(self, entry: TableEntry) -> Sequence[TableEntry]:
        """What must be so in this format for entries about every format."""
        return self._fields.get("if", ()) if "@" in str(entry["each"]) or entry["each"] == "/body" else ()

    @property
    def _fields(self) -> Mapping[str, Any]:
        fields: Mapping[str, Any] = table("fields")[self.format]
        return fields

    def _place(self, each: str | list[str]) -> dict[str, Any]:
        if isinstance(each, str) and each.startswith("@"):
            return self._place_of(self._named(each))
        return {"at": _below_request(each)}

    def _place_of(self, place: TableEntry) -> dict[str, Any]:
        where = list(self._where(place.get("where", {}), {}))
        return {"at": _below_request(place["each"]), **({"where": where} if where else {})}

    def _named(self, name: str) -> Any:
        if name[1:] not in self._fields:
            raise _UnknownPlaceError(name)
        return self._fields[name[1:]]

    def _step(self, step: str, variables: Variables) -> str:
        return str(variables[step[1:]]) if step.startswith("$") else self._pointer(step)

    def _pointer(self, at: str) -> str:
        return str(self._named(at)) if at.startswith("@") else at

    def _where(self, conditions: Mapping[str, Any], variables: Variables) -> Iterator[Assertion]:
        for at, wanted in conditions.items():
            plain = not isinstance(wanted, dict) and wanted not in ("present", "absent")
            yield {"at": self._pointer(at), **self._relation({"equals": wanted} if plain else wanted, variables)}

    def _relation(self, must: str | Mapping[str, Any], variables: Variables) -> dict[str, Any]:
        if isinstance(must, str):
            value = {"value": self.asked.exchange.provider} if must == "valid" else {}
            return {"relation": must, **value}
        ((relation, value),) = must.items()
        if relation == "among":
            place, inner = value
            return {"relation": relation, "value": _joined(self._place(place)["at"], self._pointer(inner))}
        return {"relation": relation, "value": _filled(value, variables)}


def _listed(steps: str | list[str]) -> list[str]:
    return [steps] if isinstance(steps, str) else steps


def _filled(value: Any, variables: Variables) -> Any:
    if not (isinstance(value, str) and value.startswith("$")):
        return value
    filled = variables[value[1:]]
    if filled is None:
        raise _UnknownPlaceError(value)
    return filled


def _joined(at: str | list[str], inner: str) -> str | list[str]:
    return at + inner if isinstance(at, str) else [one + inner for one in at]


def _below_request(each: str | list[str]) -> str | list[str]:
    return _joined("/request", each) if isinstance(each, str) else [f"/request{one}" for one in each]
