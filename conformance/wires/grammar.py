"""Stream grammars as tables, and the one machine that follows them.

A stream is a conversation of several voices at once: the stream as a whole, the choices or items in it, the calls or
parts in those. Each voice is a *lane* with a state of its own, and lanes of one kind share a *level*: a table that says
which *kind* of event may come in which state, and which state follows. One event often speaks on several levels: a
content block that starts is news for the stream and for the block.

                    stream      START ──message_start──▶ OPEN ──block_start──▶ BLOCK ──block_stop──▶ OPEN …
                    block 0                              ABSENT ──text──▶ TEXT ──stop──▶ CLOSED

Three things are not in the tables, because they hold between lanes:

- A lane that opens has the next number within its parent: blocks are 0, 1, 2 …, never 0, 2.
- Some events end a parent, and then its lanes must be at their ends: a response is not completed around an open item.
- When the stream stops, every lane must be at its end.

A grammar is what the provider itself sends. What hosts of the same format do differently are *liberties*: named sets of
additional edges and ends. A stream is judged with the liberties of the host that sent it. The tables are plain data,
so the same ones can be walked to make streams, legal and illegal.

Only the first violation of a stream is told: what comes after an event that should not be there means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from conformance.http import StreamEvent
from conformance.model import Json

State = str
EventKind = str
Table = Mapping[State, Mapping[EventKind, State]]
LaneKey = tuple[int, ...]
"""Which lane of a level: the numbers of its parents and its own. ``()`` is the stream itself."""

START = "START"
"""The state of a lane of which nothing was seen."""


class Token(NamedTuple):
    """What one event says on one level. ``at`` is the place in the event, ``found`` what is shown in a finding."""

    level: str
    key: LaneKey
    kind: EventKind
    at: str = ""


@dataclass(frozen=True, slots=True)
class GrammarLevel:
    """One kind of lane. ``rule`` is the rule that a violation breaks, ``ends`` the states in which a stream may stop.

    ``closes`` names the kinds that end the lane, and the levels whose lanes must be at their ends then. In a ``broken``
    state of the stream, all that is still open may stay open: an error came.
    """

    name: str
    rule: str
    table: Table
    ends: frozenset[State]
    numbered: bool = True
    closes: Mapping[EventKind, tuple[str, ...]] = field(default_factory=dict)
    broken: frozenset[State] = frozenset()


@dataclass(frozen=True, slots=True)
class GrammarLiberty:
    """What some hosts do beyond the grammar: more edges, more ends, or numbers as they like, on one level."""

    level: str
    edges: tuple[tuple[State, EventKind, State], ...] = ()
    ends: frozenset[State] = frozenset()
    any_number: bool = False


SpeakerFactory = Callable[[], Callable[[StreamEvent, Json], Iterable[Token]]]
"""Makes, for one stream, the function from an event and its JSON to tokens."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of one provider's streams."""

    levels: tuple[GrammarLevel, ...]
    speak: SpeakerFactory
    liberties: Mapping[str, tuple[GrammarLiberty, ...]] = field(default_factory=dict)

    def with_liberties(self, names: Iterable[str]) -> Grammar:
        """This grammar with some of its liberties taken. Names of other grammars' liberties change nothing."""
        taken = [liberty for name in sorted(names) for liberty in self.liberties.get(name, ())]
        return replace(self, levels=tuple(_loosened(level, taken) for level in self.levels))


def _loosened(level: GrammarLevel, taken: list[GrammarLiberty]) -> GrammarLevel:
    own = [liberty for liberty in taken if liberty.level == level.name]
    table = {state: dict(edges) for state, edges in level.table.items()}
    for liberty in own:
        for state, kind, after in liberty.edges:
            table.setdefault(state, {})[kind] = after
    ends = level.ends.union(*(liberty.ends for liberty in own))
    return replace(level, table=table, ends=ends, numbered=level.numbered and not any(one.any_number for one in own))


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong: which rule it breaks, the event's number with the place in it, what might come, and what came."""

    rule: str
    at: str
    expected: Json
    found: Json


@dataclass(frozen=True, slots=True)
class StreamVerdict:
    """A stream that was followed: the rules that had something to examine, and what broke one of them, if anything."""

    rules: frozenset[str]
    violation: Violation | None


def follow_events(grammar: Grammar, events: Iterable[StreamEvent]) -> StreamVerdict:
    """Follow a stream to its end, or to its first violation."""
    run = _Run({level.name: level for level in grammar.levels})
    violation = next(_violations(run, grammar.speak(), events), None)
    return StreamVerdict(frozenset(run.levels[name].rule for name, _ in run.states), violation)


def _violations(
    run: _Run, say: Callable[[StreamEvent, Json], Iterable[Token]], events: Iterable[StreamEvent]
) -> Iterator[Violation]:
    number = -1
    for number, event in enumerate(events):
        for token in say(event, event.document):
            if (violation := run.step(token, f"/{number}{token.at}")) is not None:
                yield violation
    if (violation := run.stop(number + 1)) is not None:
        yield violation


@dataclass(slots=True)
class _Run:
    """The states of all lanes, and how many lanes each parent has."""

    levels: Mapping[str, GrammarLevel]
    states: dict[tuple[str, LaneKey], State] = field(default_factory=dict)
    opened: dict[tuple[str, LaneKey], int] = field(default_factory=dict)
    open: dict[tuple[str, LaneKey], set[LaneKey]] = field(default_factory=dict)
    """The lanes of a level that are not at their ends, by the lane that they are in."""

    def step(self, token: Token, at: str) -> Violation | None:
        level, lane = self.levels[token.level], (token.level, token.key)
        state = self.states.setdefault(lane, START)
        after = level.table.get(state, {}).get(token.kind)
        if after == state and state != START and token.kind not in level.closes:
            return None  # it goes on as it was, like most of a stream
        if after is None:
            return Violation(level.rule, at, _words(level, state), token.kind)
        if state == START and token.key and not self._has_next_number(level, token.key):
            expected = self.opened.get((level.name, token.key[:-1]), 0)
            return Violation(level.rule, at, f"{level.name} number {expected}", token.key[-1])
        self._note(level, token.key, after)
        for inner in level.closes.get(token.kind, ()):
            if (violation := self._open_inside(self.levels[inner], token, at)) is not None:
                return violation
        return None

    def _note(self, level: GrammarLevel, key: LaneKey, state: State) -> None:
        """The state of a lane, and whether it is open inside each of its parents."""
        self.states[level.name, key] = state
        for depth in range(len(key)):
            inside = self.open.setdefault((level.name, key[:depth]), set())
            (inside.discard if state in level.ends else inside.add)(key)

    def _has_next_number(self, level: GrammarLevel, key: LaneKey) -> bool:
        parent = (level.name, key[:-1])
        number = self.opened.get(parent, 0)
        if level.numbered and key[-1] != number:
            return False
        self.opened[parent] = number + 1
        return True

    def _open_inside(self, level: GrammarLevel, token: Token, at: str) -> Violation | None:
        """What is still open inside a lane that ends: the first of it."""
        if not self.open.get((level.name, token.key)):
            return None
        depth = len(token.key)
        for (name, key), state in self.states.items():
            if name == level.name and key[:depth] == token.key and state not in level.ends:
                return Violation(level.rule, at, _words(level, state), f"{token.kind}, {_lane(name, key)} is open")
        return None

    def stop(self, number: int) -> Violation | None:
        """What is still open when the stream stops."""
        whole = next(iter(self.levels.values()))
        if self.states.setdefault((whole.name, ()), START) in whole.broken:
            return None
        for (name, key), state in self.states.items():
            level = self.levels[name]
            if state not in level.ends:
                found = f"the end of the stream, {_lane(name, key)} is open"
                return Violation(level.rule, f"/{number}", _words(level, state), found)
        return None


def _words(level: GrammarLevel, state: State) -> list[EventKind] | str:
    """What might come, without what is only tolerated: "... without event name"."""
    return sorted(kind for kind in level.table.get(state, {}) if " without " not in kind) or "nothing"


def _lane(name: str, key: LaneKey) -> str:
    return " ".join([name, ".".join(map(str, key))]).strip()


# --- blocking answers ------------------------------------------------------------------------------------------------

TEXT = "text that is not empty"


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that was looked at in a blocking answer: where, what should be there, what is, and whether it is right.

    ``own_hosts_only`` marks what hosts that imitate a format leave out.
    """

    right: bool
    at: str
    expected: Json
    found: Json
    own_hosts_only: bool = False


Looks = Iterator[Look]


@dataclass(frozen=True, slots=True)
class BodyGrammar:
    """What a blocking answer must have for its calls to be read. ``rule`` is the rule that a wrong one breaks.

    ``looks`` yields a `Look` at each thing that must be there. An answer that reports a failure has nothing to examine.
    """

    rule: str
    looks: Callable[[Json], Looks]


def named(fields: Mapping[str, Json], at: str, *names: str) -> Looks:
    """A look at each member that must be text."""
    for name in names:
        value = fields.get(name)
        yield Look(isinstance(value, str) and value != "", f"{at}/{name}", TEXT, value, name.endswith("id"))
