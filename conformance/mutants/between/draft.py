"""A request that is being changed: neutral facts say where things stand, pointers lead there."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.http import Request
from conformance.model import Json
from conformance.wires import card, wire
from conformance.wires.facts import Facts, Round, SentCall, SentResult, value_at

_SAID = ("content", "parts", "tool_calls", "type")
"""Members that a message says something by."""


@dataclass
class Draft:
    """A request's document, to be changed in place. What is removed or inserted waits until all is decided, because
    pointers count."""

    provider: str
    document: Any
    facts: Facts
    _edits: list[tuple[tuple[str | int, ...], str, Any]] = field(default_factory=list)

    @property
    def format(self) -> str:
        """Whose format it is."""
        return card(self.provider).format

    @property
    def history(self) -> list[Any]:
        """The messages, contents or items."""
        found = self.document.get(card(self.provider).forms.conversation)
        return found if isinstance(found, list) else []

    @property
    def rounds(self) -> list[Round]:
        """Calls with their results, turn by turn."""
        return [one for one in self.facts.rounds if one.calls]

    def value(self, at: str) -> Any:
        """What stands at a pointer; ``None`` where nothing does."""
        try:
            return value_at(self.document, at)
        except (LookupError, TypeError, ValueError):
            return None

    def item(self, at: str) -> Any:
        """The item of a list that a pointer leads to, or into."""
        found = self.document
        for part in _item_parts(at):
            found = found[part]
        return found

    def put_item(self, at: str, value: Json) -> None:
        """Put something else in place of such an item."""
        *above, last = _item_parts(at)
        holder = self.document
        for part in above:
            holder = holder[part]
        holder[last] = value

    def put(self, at: str, value: Json) -> None:
        """Put something else at a pointer."""
        *above, last = _parts(at)
        holder = self.document
        for part in above:
            holder = holder[part]
        holder[last] = value

    def remove(self, at: str) -> None:
        """Take an item of a list out, and what says nothing without it."""
        self._edits.append((_item_parts(at), "remove", None))

    def insert(self, at: str, value: Json) -> None:
        """Put something into a list, before the item that is at a pointer now."""
        self._edits.append((_item_parts(at), "insert", value))

    def span(self, one: Round) -> tuple[int, int]:
        """From which to which message of the history a round goes; the second is the first one after it."""
        pointers = [call.at for call in one.calls] + [result.at for result in one.results]
        places = [int(_parts(at)[1]) for at in pointers]
        return min(places), max(places) + 1

    def result_of(self, one: Round, call: SentCall) -> SentResult | None:
        """The result of a call: by its id, else by its order."""
        named = next((result for result in one.results if result.ref is not None and result.ref == call.id), None)
        place = one.calls.index(call)
        return named or (one.results[place] if call.id is None and place < len(one.results) else None)

    def texts(self, result: SentResult, change: Callable[[str], str]) -> None:
        """Change all texts of a result."""
        self.put(result.content_at, mapped(self.value(result.content_at), change))

    def done(self) -> Any:
        """The document with everything done."""
        for path, what, value in sorted(self._edits, key=lambda edit: tuple(map(_order, edit[0])), reverse=True):
            holder = self.document
            for part in path[:-1]:
                holder = holder[part]
            if what == "insert":
                holder.insert(path[-1], value)
            else:
                del holder[path[-1]]
        if any(what == "remove" for _, what, _ in self._edits):
            self._prune()
        return self.document

    def _prune(self) -> None:
        """Take out what says nothing any more."""
        for message in self.history:
            if isinstance(message, dict) and message.get("tool_calls") == []:
                del message["tool_calls"]
        self.history[:] = [one for one in self.history if not isinstance(one, dict) or any(map(one.get, _SAID))]


def draft_of(provider: str, request: Request) -> Draft | None:
    """A draft of a request; ``None`` where its body is no JSON object."""
    facts = wire(provider).facts(request)
    if not isinstance(facts.document, dict):
        return None
    return Draft(provider, copy.deepcopy(facts.document), facts)


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A result's content with its texts changed: a text, parts that have one, or an object of the client's own."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    if isinstance(value, dict) and "type" in value:
        return {**value, "text": change(value["text"])} if isinstance(value.get("text"), str) else value
    if isinstance(value, dict):
        return {name: mapped(item, change) for name, item in value.items()}
    return value


def with_arguments(call: SentCall, change: Callable[[Mapping[str, Json]], Mapping[str, Json]]) -> Json:
    """The arguments of a call, changed, in the form that they had."""
    if call.takes_text or call.arguments is None:
        return call.raw
    made = dict(change(call.arguments))
    return json.dumps(made, ensure_ascii=False) if isinstance(call.raw, str) else made


def _parts(at: str) -> tuple[str | int, ...]:
    parts = (part.replace("~1", "/").replace("~0", "~") for part in at.split("/")[1:])
    return tuple(int(part) if part.isdecimal() else part for part in parts)


def _item_parts(at: str) -> tuple[str | int, ...]:
    """The parts of a pointer, up to the last that counts."""
    parts = list(_parts(at))
    while parts and not isinstance(parts[-1], int):
        parts.pop()
    return tuple(parts)


def _order(part: str | int) -> tuple[int, str]:
    return (part, "") if isinstance(part, int) else (0, part)
