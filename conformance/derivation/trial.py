"""Whether a change may be made: played on a scripted turn, read again, and compared with what the turn says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from conformance.answers import answer_of_events, answer_of_response
from conformance.coverage.documents import FormDocument, forms_in, orders
from conformance.http import Response, StreamEvent
from conformance.model import AssistantTurn, Conversation, Json
from conformance.script import Change, ScriptTurn, Voice
from conformance.wires import card, wire
from conformance.wires.changes import UnfitChangeError, changed_body, changed_events
from conformance.wires.grammar import follow_events

VOICE = Voice("a-model", {}, "answers")


@dataclass(frozen=True)
class AnswerTrial:
    """One scripted turn of a provider, as it goes out with some changes: blocking, or as a stream."""

    provider: str
    turn: ScriptTurn
    streaming: bool
    before: AnswerTrial | None = None
    more: tuple[Change, ...] = ()

    @cached_property
    def body(self) -> dict[str, Json]:
        """The blocking body. Raises `UnfitChangeError`."""
        if self.before is None:
            return wire(self.provider).render(self.turn, VOICE)
        return changed_body(self.before.body, self.more)

    @cached_property
    def events(self) -> list[StreamEvent]:
        """The events of the stream. Raises `UnfitChangeError`."""
        speaker = wire(self.provider)
        if self.before is None:
            return speaker.render_stream(self.turn, VOICE)
        return changed_events(speaker, self.before.events, self.more)

    @cached_property
    def order(self) -> frozenset[str]:
        """Which events follow which."""
        return frozenset(form for form, _ in orders(self.events, self.provider))

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms that it has."""
        found = {each.form for document in self._documents() for each in forms_in(document, self.provider)}
        if self.streaming:
            found |= self.order
        return frozenset(found)

    def _documents(self) -> Iterator[FormDocument]:
        if not self.streaming:
            yield FormDocument("response", self.body)
            return
        for number, event in enumerate(self.events):
            try:
                yield FormDocument("stream", json.loads(event.data), number)
            except ValueError:
                continue

    @cached_property
    def read(self) -> AssistantTurn:
        """What the reference reader understands."""
        speaker, reader = wire(self.provider), Conversation((), ())
        if self.streaming:
            answer = answer_of_events(speaker, self.events, reader)
        else:
            answer = answer_of_response(speaker, Response.of_json(200, self.body), reader)
        return replace(answer.offered, opaque=None)

    @cached_property
    def lawful(self) -> bool:
        """Whether the provider's grammar has nothing against it."""
        speaker = wire(self.provider)
        if self.streaming:
            grammar = speaker.grammar
            if grammar is None:
                return True
            own = grammar.with_liberties(card(self.provider).stream_liberties)
            return follow_events(own, self.events).violation is None
        return speaker.body_grammar is None or all(look.right for look in speaker.body_grammar.looks(self.body))

    def with_changes(self, more: Sequence[Change]) -> AnswerTrial:
        """The same with more changes."""
        return AnswerTrial(self.provider, self.turn, self.streaming, self, tuple(more))

    def refusal(self, plain: AnswerTrial) -> str | None:
        """Why it may not go out instead of ``plain``, in a word; ``None`` if it may."""
        try:
            read = self.read
        except UnfitChangeError:
            return "unfit"
        except Exception as problem:  # a reader that fails is a fault to mend
            return f"the reader fails: {type(problem).__name__}: {problem}"
        if replace(read, usage=plain.read.usage) != plain.read:
            return "another meaning"
        return None if self.lawful else "against the grammar"


def same_usage(one: AnswerTrial, other: AnswerTrial) -> bool:
    """Whether both say the same of tokens."""
    return one.read.usage == other.read.usage
