"""One mutant of a reference adapter, played: is it killed, and by what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from conformance.adapters.bound import BoundTranslator
from mutation import forks
from mutation.mutants import IMPORT, Mutant
from mutation.recorded import Call, Kill, Player, Recorded
from mutation.shadow import MutatedAdapter, Target, is_apart, mutated_wire

Answer = dict[str, Any]
"""What became of a mutant: ``outcome``, and what belongs to it."""


@dataclass
class Judge:
    """Judges the mutants of one file. ``recorded`` is what the reference adapter does."""

    target: Target
    recorded: Recorded
    _bound: dict[str, BoundTranslator] = field(default_factory=dict)

    def executes(self, mutant: Mutant) -> bool:
        """Whether any case runs the statement."""
        return mutant.place == IMPORT or bool(self.recorded.running(self.target.path, *mutant.place))

    def answer(self, mutant: Mutant) -> Answer:
        """Play a mutant, in a fork. It is played where it answers a call in another way, until a case fails.

        ``survived`` says in how many groups it was played: with none, it did nothing else than the original.
        """
        try:
            room_wire = mutated_wire(self.target, mutant.source(self.target.source))
            adapter = MutatedAdapter(self.target, room_wire)
            for provider in self.target.providers:
                adapter.wire(provider)
        except Exception as problem:
            return {"outcome": "unloadable", "why": f"{type(problem).__name__}: {problem}"[:200]}
        assert is_apart(self.target, room_wire)
        player, played = Player(adapter), set[int]()
        for place in self._differing(mutant, adapter):
            if place in played:
                continue
            played.add(place)
            planned = self.recorded.groups[place]
            for delivery in planned.group.deliveries:
                forks.clock()
                kill = player.kill(planned, delivery)
                if kill is not None:
                    return {"outcome": "killed", **asdict(kill)}
        if player.warned is not None:
            return {"outcome": "warned", **asdict(player.warned)}
        return {"outcome": "survived", "groups": len(played), **self._example(played)}

    def _example(self, played: set[int]) -> Answer:
        return {"example": self.recorded.groups[min(played)].group.scenario} if played else {}

    def replayed(self, mutant: Mutant, case: Answer) -> bool:
        """Whether a mutant fails a case that it failed before."""
        try:
            adapter = MutatedAdapter(self.target, mutated_wire(self.target, mutant.source(self.target.source)))
        except Exception:
            return False
        wanted = tuple(case[name] for name in ("provider", "scenario", "profile"))
        for planned in self.recorded.groups:
            if (planned.group.provider, planned.group.scenario, planned.profile) == wanted:
                return Player(adapter).kill(planned, case["delivery"]) is not None
        return False

    def _differing(self, mutant: Mutant, adapter: MutatedAdapter) -> Iterator[int]:
        """The places of the groups in which a call is answered in another way."""
        calls = self.recorded.calls
        if mutant.place != IMPORT:
            calls = self.recorded.running(self.target.path, *mutant.place)
        for call in calls:
            forks.clock()
            if self._differs(call, adapter):
                yield from (place for place, _ in call.cases)

    def _differs(self, call: Call, adapter: MutatedAdapter) -> bool:
        bound = self._bound.setdefault(call.provider, BoundTranslator(adapter, call.provider))
        bound.changes = ()
        result: object
        if call.operation == "build_request":
            result = bound.build_request(call.given, **call.options)
        elif call.operation == "parse_response":
            result = bound.parse_response(call.given, **call.options)
        else:
            result = bound.parse_stream(call.given, **call.options)
        return bool(bound.changes) or result != call.result or repr(result) != call.shown
