"""One mutant of a reference adapter, played: is it killed, and by what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from conformance.adapters.bound import BoundTranslator
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import Group
from mutation import forks
from mutation.mutants import IMPORT, Mutant
from mutation.recorded import PER_EVENT, Call, Kill, PlannedGroup, Player, Recorded, reference_player, scenarios
from mutation.shadow import MutatedAdapter, Target, is_apart, mutated_wire

Answer = dict[str, Any]
"""What became of a mutant: ``outcome``, and what belongs to it."""


@dataclass
class Judge:
    """Judges the mutants of one file. ``recorded`` is what the reference adapter does."""

    target: Target
    recorded: Recorded
    earlier: Mapping[tuple[str, str, str], Answer] = field(default_factory=dict)
    """How the same changes were killed in earlier texts of the file."""
    _bound: dict[str, BoundTranslator] = field(default_factory=dict)

    def executes(self, mutant: Mutant) -> bool:
        """Whether any case runs the statement."""
        return mutant.place == IMPORT or bool(self.recorded.running(self.target.path, *mutant.place))

    def answer(self, mutant: Mutant) -> Answer:
        """Play a mutant, in a fork. It is played where it answers a call in another way, until a case fails.

        ``survived`` says in how many groups it was played: with none, it did nothing else than the original.
        """
        try:
            adapter = adapter_of(self.target, mutant.source(self.target.source), mutant.operator)
        except Exception as problem:
            return {"outcome": "unloadable", "why": f"{type(problem).__name__}: {problem}"[:200]}
        player, played = reference_player(adapter), []
        if (case := self.earlier.get(mutant.change)) is not None and (kill := _as_before(player, case)) is not None:
            return {"outcome": "killed", **asdict(kill)}
        for place, deliveries in self._differing(mutant, adapter):
            played.append(place)
            for delivery in deliveries:
                forks.clock()
                kill = player.kill(self.recorded.groups[place], delivery)
                if kill is not None:
                    return {"outcome": "killed", **asdict(kill)}
        if player.warned is not None:
            return {"outcome": "warned", **asdict(player.warned)}
        return {"outcome": "survived", "groups": len(played), **self._example(played)}

    def _example(self, played: list[int]) -> Answer:
        return {"example": self.recorded.groups[min(played)].group.scenario} if played else {}

    def _differing(self, mutant: Mutant, adapter: MutatedAdapter) -> Iterator[tuple[int, list[str]]]:
        """The groups in which a call is answered in another way, and the deliveries to play.

        Of deliveries whose bytes are the same, one tells it all, but for rules that go by the delivery (`_looks`).
        Where only requests are others, the plainest tell it.
        """
        running = None if mutant.place == IMPORT else self.recorded.running(self.target.path, *mutant.place)
        different: dict[int, bool] = {}

        def differs(number: int) -> bool:
            if running is not None and number not in running:
                return False
            if number not in different:
                forks.clock()
                different[number] = self._differs(self.recorded.calls[number], adapter)
            return different[number]

        for place in self.recorded.order:
            calls = self.recorded.calls_of(place)
            operations = {
                self.recorded.calls[number].operation
                for number in dict.fromkeys(number for numbers in calls.values() for number in numbers)
                if differs(number)
            }
            if operations:
                deliveries = self.recorded.groups[place].group.deliveries
                firsts = {(calls.get(name), _looks(name)): name for name in reversed(deliveries)}
                told = [name for name in deliveries if firsts[calls.get(name), _looks(name)] == name]
                yield place, told if operations != {"build_request"} else list(_plainest(told))

    def _differs(self, call: Call, adapter: MutatedAdapter) -> bool:
        bound = self._bound.setdefault(call.provider, BoundTranslator(adapter, call.provider))
        bound.changes = ()
        result: object
        if call.operation == "build_request":
            result = bound.build_request(call.given, **call.options)
        elif call.operation == "parse_response":
            result = bound.parse_response(call.given, **call.options)
        elif call.operation == "stream_news":
            result = bound.hear(call.given, due=(), **call.options)
        else:
            result = bound.parse_stream(call.given, **call.options)
        return bool(bound.changes) or result != call.result or repr(result) != call.shown


def _as_before(player: Player, case: Answer) -> Kill | None:
    """How a mutant fails the case that the same change failed before, if there is that case and it does."""
    if case["scenario"] not in scenarios() or case["delivery"] not in DELIVERIES:
        return None
    group = Group("reference", case["provider"], case["scenario"], (case["delivery"],))
    return player.kill(PlannedGroup(group, case["profile"]), case["delivery"])


def _looks(delivery: str) -> tuple[bool, bool]:
    """What rules see of a delivery beside its bytes: some go by events one by one, some by how they are framed."""
    return delivery == PER_EVENT, DELIVERIES[delivery].reframes


def _plainest(deliveries: Sequence[str]) -> Iterator[str]:
    """The first blocking delivery, the first streamed one, and event by event."""
    for streaming in (False, True):
        yield from [name for name in deliveries if DELIVERIES[name].streaming is streaming][:1]
    yield from {PER_EVENT} & set(deliveries)


def adapter_of(target: Target, source: str, operator: str) -> MutatedAdapter:
    """The adapter whose wire is made of another text of a file. Whatever importing that text raises is raised."""
    room_wire = mutated_wire(target, source)
    assert is_apart(target, room_wire)
    adapter = MutatedAdapter(target, room_wire, distant=operator.endswith(("_Is", "_IsNot")))
    for provider in target.providers:
        adapter.wire(provider)
    return adapter


def fails(target: Target, source: str, operator: str, case: Answer) -> bool:
    """Whether a mutated file fails a case: the one that a mutant failed before."""
    try:
        adapter = adapter_of(target, source, operator)
    except Exception:
        return False
    player = reference_player(adapter)
    return (_as_before(player, case) or player.warned) is not None
