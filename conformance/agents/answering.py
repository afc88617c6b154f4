"""Which answer of a script an agent has tools for, and the calls of its own tools that it becomes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from conformance.agents.binding import Binder, RecipeTool
from conformance.agents.script import CHANGING, FINISHING, AgentScript, Effect, RoleAnswer, RoleCall
from conformance.script import ScriptCall
from conformance.wires import card
from conformance.wires.facts import Facts

UNSURE_INSIDE = frozenset({"gemini"})
"""Formats of which it is not known for sure how the provider reports a failure inside of a stream: Google was seen to
send it without an event's frame (https://github.com/vercel/ai/issues/5217, 2025-03). No agent is asked to read it."""
LAST_WORDS = "Everything is done."


class ChosenAnswer(NamedTuple):
    """An answer of the script, by its number, and its calls: what is meant, and what is sent."""

    number: int
    says: RoleAnswer
    calls: Sequence[tuple[RoleCall, ScriptCall]] = ()

    @property
    def ends(self) -> bool:
        """Whether the agent may end after it: last words, or a call that finishes."""
        return not self.says.fails and (not self.calls or any(call.role == FINISHING for call, _ in self.calls))


@dataclass
class AnswerChooser:
    """The answers of a script, for one agent. ``answers`` have one call each where the client wants no more at once."""

    script: AgentScript
    bindings: Mapping[str, RecipeTool]
    workspace: Path
    answers: tuple[RoleAnswer, ...] = ()
    not_played: dict[str, str] = field(default_factory=dict)
    """Roles that no declared tool has, with the tools that were declared."""
    skipped: set[int] = field(default_factory=set)
    """The numbers of answers that the provider's format is left out of."""
    unmade: set[str] = field(default_factory=set)
    """Files that a call was to change which no tool could make."""

    def __post_init__(self) -> None:
        self.answers = self.script.answers

    def narrow(self) -> None:
        """Give one call at a time."""
        self.answers = tuple(_one_by_one(self.script.answers))

    @property
    def last(self) -> int:
        """The number of the last answer."""
        return len(self.answers) - 1

    @property
    def left_out(self) -> int:
        """How many answers the agent has no tools for."""
        return len(self.skipped) + sum(
            bool(answer.calls) and all(call.role in self.not_played for call in answer.calls)
            for answer in self.answers
        )

    def chosen(self, number: int, provider: str, facts: Facts, passed: Collection[int] = ()) -> ChosenAnswer | None:
        """The first answer from a number on that the agent has tools for; ``passed`` are not for now any more."""
        binder = Binder(self.bindings, self.workspace, own_language=card(provider).forms.own_schema_language)
        for place in range(number, len(self.answers)):
            says = self.answers[place]
            if place in passed:
                continue
            if says.inside is not None and card(provider).format in UNSURE_INSIDE:
                self.skipped.add(place)
                continue
            if says.error is not None:
                return ChosenAnswer(place, says)
            calls = self._calls(says, binder, facts)
            if calls or not says.calls:
                return ChosenAnswer(place, says, calls)
        return None

    def _calls(self, says: RoleAnswer, binder: Binder, facts: Facts) -> list[tuple[RoleCall, ScriptCall]]:
        if not says.calls and facts.choice is not None and facts.choice.mode == "required":
            finish = RoleCall(FINISHING, {"text": says.text or LAST_WORDS}, Effect())
            bound = binder.bound(finish, facts)
            return [] if bound is None else [(finish, bound)]
        found = [(self._meant(call), self._bound(call, binder, facts)) for call in says.calls]
        return [(call, bound) for call, bound in found if bound is not None]

    def _meant(self, call: RoleCall) -> RoleCall:
        """A call as it is meant: what the shell shows of a file that is no text is the shell's."""
        by_shell = call.role in self.bindings and self.bindings[call.role].command
        return replace(call, effect=replace(call.effect, binary=False)) if by_shell and call.effect.binary else call

    def _bound(self, call: RoleCall, binder: Binder, facts: Facts) -> ScriptCall | None:
        bound = binder.bound(call, facts)
        if bound is None and call.role in CHANGING:
            self.unmade.add(str(call.values["path"]))
        if bound is None and call.role not in self.not_played:
            self.not_played[call.role] = ", ".join(sorted(str(tool.name) for tool in facts.client_tools))
        return bound


def _one_by_one(answers: Sequence[RoleAnswer]) -> Iterator[RoleAnswer]:
    """The answers with one call each at most."""
    for answer in answers:
        yield replace(answer, calls=answer.calls[:1])
        yield from (RoleAnswer((call,)) for call in answer.calls[1:])
