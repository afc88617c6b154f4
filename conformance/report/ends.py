"""Why a turn may end, word by word, what each means, and where it is known from.

Nothing is typed by hand: places are where an answer that was cut differs from one that was not, words come from the
types at these places, from scenarios and from the provider's card, and meanings are what the wire's own reader makes of
them.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.model import Json, Stop
from conformance.scenarios import written_scenarios
from conformance.schemas import schema
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.wires import card, wire
from conformance.wires.facts import pointer, value_at

VOICE = Voice("test-model", {}, "fields")
SAID = ScriptTurn("Rain, 7 degrees.")
CALLED = ScriptTurn(calls=(ScriptCall("get_weather", {"city": "Oslo"}),))
TYPED, PLAYED = "the official types of its format", "what the harness answers"
"""Where words are known from, if neither the provider's card nor a scenario says it."""
OTHERS = (ScriptTurn(SAID.text, stop="length"), ScriptTurn(stop="refusal"))
"""Turns that end otherwise: at the limit, and before anything was said."""


@dataclass(frozen=True, slots=True)
class End:
    """A word for why a turn ended, the place where it stands, and what it means: beside text, and beside calls.

    Beside calls it may mean nothing else: ``None`` is where the place is not there then. ``known_from`` says who told
    the word.
    """

    at: str
    word: str
    stop: Stop
    beside_calls: Stop | None
    known_from: str


def ends(provider: str) -> list[End]:
    """All ends of a provider or host that are known, place by place."""
    own = wire(provider)
    plain, called = own.render(SAID, VOICE), own.render(CALLED, VOICE)
    words: dict[str, dict[str, str]] = {}
    bases: dict[str, Json] = {}
    for body in (own.render(turn, VOICE) for turn in OTHERS):
        for at in _words_apart(plain, body):
            bases.setdefault(at, plain if at in dict(_leaves(plain)) else body)
            typed = _typed(schema(f"wires/{card(provider).format}.response"), at) if card(provider).schemas else ()
            told = card(provider).ends if at in dict(_leaves(plain)) else {}
            seen = filter(None, (dict(_leaves(known)).get(at) for known in (plain, called, body)))
            _learn(words.setdefault(at, {}), dict.fromkeys(typed, TYPED), told, dict.fromkeys(seen, PLAYED))
    for at, word, scenario in _said_in_scenarios(provider):
        _learn(words.get(at, {}), {word: f"scenario {scenario}"})
    return [
        End(at, word, _read(provider, bases[at], at, word), _read_beside_calls(provider, called, at, word), known_from)
        for at, known in words.items()
        if _matters(provider, bases[at], at, known)
        for word, known_from in known.items()
    ]


def _learn(words: dict[str, str], *more: Mapping[str, str]) -> None:
    """Take up words and where they are known from. Who tells a word first is believed."""
    for known in more:
        for word, known_from in known.items():
            words.setdefault(word, known_from)


def _matters(provider: str, body: Json, at: str, words: Iterable[str]) -> bool:
    """Whether what stands at a place says anything: that a word means something else than nothing."""
    bare = copy.deepcopy(body)
    outer, _, key = at.rpartition("/")
    del value_at(bare, outer)[key]
    return {wire(provider).read(bare, None).stop} != {_read(provider, body, at, word) for word in words}


def _read(provider: str, body: Json, at: str, word: str) -> Stop:
    """What a word means at a place of an answer."""
    changed = copy.deepcopy(body)
    outer, _, key = at.rpartition("/")
    value_at(changed, outer)[key] = word
    return wire(provider).read(changed, None).stop


def _read_beside_calls(provider: str, called: Json, at: str, word: str) -> Stop | None:
    return _read(provider, called, at, word) if at in dict(_leaves(called)) else None


def _words_apart(plain: Json, other: Json) -> Iterator[str]:
    """Where the other document has a word that this one has not there. An empty text is none."""
    known = dict(_leaves(plain))
    yield from (at for at, value in _leaves(other) if isinstance(value, str) and value and known.get(at) != value)


def _leaves(document: Json, at: str = "") -> Iterator[tuple[str, Json]]:
    """All values that hold no others, with their pointers."""
    inside = enumerate(document) if isinstance(document, list) else ()
    for key, value in document.items() if isinstance(document, dict) else inside:
        if isinstance(value, dict | list):
            yield from _leaves(value, at + pointer(key))
        else:
            yield at + pointer(key), value


def _said_in_scenarios(provider: str) -> Iterator[tuple[str, str, str]]:
    """Where the provider's own words for an end stand in scenarios that are about it, the word, and the scenario."""
    for scenario in written_scenarios().values():
        for turn in scenario.turns if provider in (scenario.providers or ()) else ():
            if turn.finish is not None and not turn.finish.startswith("x_"):
                body = wire(provider).render(replace(turn, changes=()), VOICE)
                yield from ((at, turn.finish, scenario.id) for at, value in _leaves(body) if value == turn.finish)


# --- official types --------------------------------------------------------------------------------------------------


def _typed(whole: dict[str, Any], at: str) -> Iterator[str]:
    """The words that a schema allows at a place."""
    nodes = list(_alternatives(whole, whole))
    for part in at.split("/")[1:]:
        inner = [node["items"] for node in nodes if "items" in node] if part.isdigit() else []
        inner += [node["properties"][part] for node in nodes if part in node.get("properties", {})]
        nodes = [found for node in inner for found in _alternatives(whole, node)]
    yield from (word for node in nodes for word in node.get("enum", ()) if isinstance(word, str))


def _alternatives(whole: dict[str, Any], node: Any) -> Iterator[dict[str, Any]]:
    """A schema and all those that it refers to, or is put together from."""
    if not isinstance(node, dict):
        return
    yield node
    if "$ref" in node:
        yield from _alternatives(whole, value_at(whole, node["$ref"].removeprefix("#")))
    parts = [part for key in ("anyOf", "oneOf", "allOf") for part in node.get(key, ())]
    for part in [*parts, node.get("then")]:
        yield from _alternatives(whole, part)
