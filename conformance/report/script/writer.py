"""The library's side of a program, in the order in which it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from string import Template
from textwrap import indent
from typing import Any

from conformance.adapters.libraries.calls import provider_name
from conformance.adapters.libraries.calls.contract import (
    Call,
    CallStep,
    Construction,
    ConversationGrowth,
    Fields,
    Source,
    Way,
)
from conformance.adapters.libraries.calls.neutral import base_url
from conformance.model import AssistantTurn
from conformance.report.script.language import SHORT, WIDTH, Language
from conformance.report.script.replay import ReferenceCall


@dataclass(frozen=True)
class ProgramWriter:
    """Writes how a library makes the model calls of a case. ``raises`` is whether the last one ends the program."""

    call: Call
    language: Language
    provider: str
    streamed: bool
    played: list[ReferenceCall]
    raises: bool

    @cached_property
    def _way(self) -> Way:
        return self.call.streaming if self.streamed else self.call.blocking

    # --- before the first call ---------------------------------------------------------------------------------------

    def helpers(self) -> str:
        """What stands before the client, functions with room around them."""
        helpers = self._way.helpers
        return f"\n{helpers}\n" if helpers.startswith("def ") else helpers

    def client(self) -> str:
        """The library's client, or its model."""
        return self._filled(self.call.client)

    def data(self) -> str:
        """The arguments that have a name of their own."""
        changing = self.call.changing if len(self.played) > 1 else ()
        return "\n".join(
            self.language.variable(self.language.name(name), value, changing=name in changing)
            for name, value in self._fields.items()
            if name in self._named
        )

    def ask(self) -> str:
        """The function that makes a model call."""
        return self.language.function(self._filled(self._way.ask))

    # --- call by call ------------------------------------------------------------------------------------------------

    def conversation(self) -> Iterator[str]:
        """The model calls, and between them what the tools and the user say."""
        known: set[str] = set()
        for place, answered in enumerate(self.played):
            last = place + 1 == len(self.played)
            fails = answered.fails and not (last and self.raises)
            yield self.language.asking(self._way.shown, first=place == 0, fails=fails)
            if not last:
                yield from self._between(place, known)

    def _between(self, place: int, known: set[str]) -> Iterator[str]:
        """What follows an answer. ``known`` are the names that earlier answers had use for."""
        answered, way = self.played[place], self._way
        if not answered.fails and way.own:
            yield way.own
        if way.calls and self._expressions(place):
            yield self.language.calls(way.calls, first=_new("calls", known))
            if way.set_id and answered.own_ids is not None:
                keep = not any(call.id for call in answered.offered.calls)
                yield self.language.own_ids(answered.own_ids, way.set_id, first=_new("ids", known), keep=keep)
        for step in self._steps(place):
            if written := self.language.step(step):
                yield written

    def _steps(self, place: int) -> list[CallStep]:
        before, after = (self.played[number].intent for number in (place, place + 1))
        ids = self._expressions(place)
        grown = ConversationGrowth(
            self.provider, self.streamed, before, after, lambda call_id: ids.get(call_id, call_id)
        )
        return list(self.call.grow(self.call, grown))

    def _expressions(self, place: int) -> dict[str, Any]:
        """How the program says the ids of an answer's calls, by the ids that the reference adapter has for them."""
        answered, way = self.played[place], self._way
        if answered.fails or not way.call_id:
            return {}
        turns = [turn for turn in self.played[place + 1].intent.turns if isinstance(turn, AssistantTurn)]
        template = way.call_id
        if answered.own_ids is not None:
            template = "ids[$n]" if way.set_id else way.missing_id or way.call_id
        return {call.id: Source(Template(template).substitute(n=n)) for n, call in enumerate(turns[-1].calls)}

    # --- templates ---------------------------------------------------------------------------------------------------

    @cached_property
    def _fields(self) -> Fields:
        """The arguments of the first call."""
        return {**self.call.fields(self.provider, self.played[0].intent, self.streamed), **self._way.also}

    @cached_property
    def _named(self) -> list[str]:
        """The arguments that are variables: what changes, and what is long."""
        own = (self.call.history, *self.call.changing)
        return [name for name, value in self._fields.items() if name in own or self._is_long(value)]

    def _is_long(self, value: Any) -> bool:
        limit = 2 * SHORT if isinstance(value, str) else SHORT
        return isinstance(value, str | dict | list | Construction) and len(self.language.literal(value)) > limit

    def _filled(self, template: str) -> str:
        """A template with its arguments, those of a call a line each where they are too long."""
        lines = []
        for line in template.split("\n"):
            text = self._substituted(line, block=False)
            if len(text) > WIDTH:
                margin = line[: len(line) - len(line.lstrip())]
                text = indent(self._substituted(line.lstrip(), block=True).replace(", \n", ",\n"), margin)
            lines.append(text)
        return "\n".join(lines)

    def _substituted(self, line: str, *, block: bool) -> str:
        asked, intent = self._fields, self.played[0].intent
        bound = {name: value for name, value in asked.items() if name != self.call.history}
        rest = {name: value for name, value in bound.items() if name != "tools"}
        given = {"arguments": asked, "bound": bound, "rest": rest}
        texts = {name: self.language.arguments(fields, self._named, block=block) for name, fields in given.items()}
        return Template(line).substitute(
            texts,
            rest=texts["rest"] and f", {texts['rest']}",
            options=self.language.arguments(self.call.options(self.provider, intent), (), block=block),
            url=base_url(self.provider).text,
            model=intent.model,
            name=provider_name(self.provider),
        )


def _new(name: str, known: set[str]) -> bool:
    """Whether a name was not known. From now on it is."""
    new = name not in known
    known.add(name)
    return new
