"""Mutants of what a gateway or a server answers: each changes one thing in every answer, as a faulty one would do it.

``gateway`` and ``server`` are the rules that fit there: one of them must tell it. Where there are none, nobody can know
better: what a server's model said is known to that server alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conformance.http import Request, Response, StreamEvent
from conformance.model import AssistantTurn, Json, ToolCall, Usage
from conformance.mutants.between.said import PacedAnswer, SaidAnswer, objects
from conformance.script import ScriptTurn

AnswerEdit = Callable[[SaidAnswer], None]
THREE, BESIDE, LIMIT, HELLO = (
    "parallel_calls.three_calls", "parallel_calls.text_beside_calls", "errors.rate_limit", "multi_turn.hello",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerMutant:
    """One of them. ``scenario`` is where it shows in a gateway, ``watched`` whether the client watches words come.
    ``series`` is 2 for those that were written after the rules had been settled."""

    name: str
    what: str
    edit: AnswerEdit
    gateway: tuple[str, ...] = ()
    server: tuple[str, ...] = ()
    scenario: str = THREE
    watched: bool = False
    series: int = 1

    def __call__(self, provider: str, request: Request, response: Response) -> Response | PacedAnswer:
        """The answer, changed."""
        said = SaidAnswer(provider, request, response)
        self.edit(said)
        return said.done()


ANSWER_MUTANTS: dict[str, AnswerMutant] = {}


def mutant(what: str, **more: Any) -> Callable[[AnswerEdit], AnswerEdit]:
    """Enter a mutant under the name of its edit."""

    def enter(edit: AnswerEdit) -> AnswerEdit:
        ANSWER_MUTANTS[edit.__name__] = AnswerMutant(edit.__name__, what, edit, **more)
        return edit

    return enter


CALLS_KEPT, ARGUMENTS_KEPT = "gateway.answer.calls-kept", "gateway.answer.arguments-kept"
ONE_OBJECT, CALL_IDS, IDS_ONCE = "server.answer.arguments-object", "server.answer.call-ids", "server.answer.ids-once"
STATUS_KEPT = "gateway.error.status-kept"
STREAM_FORMS = ("*.stream.*", "gateway.answer.comes", "server.answer.readable")


# --- calls -----------------------------------------------------------------------------------------------------------


@mutant("the second of parallel calls is gone", gateway=(CALLS_KEPT,))
def drops_second_call(said: SaidAnswer) -> None:
    """Drops it."""
    said.turn(lambda turn: replace(turn, calls=turn.calls[:1] + turn.calls[2:]))


@mutant("parallel calls become one, with the arguments of both", gateway=(CALLS_KEPT,), server=(ONE_OBJECT,))
def merges_calls(said: SaidAnswer) -> None:
    """Joins their arguments."""

    def merged(turn: AssistantTurn) -> AssistantTurn:
        if len(turn.calls) < 2:
            return turn
        return replace(turn, calls=(_raw(turn.calls[0], "".join(map(_text, turn.calls))),))

    said.turn(merged)


@mutant("the first two calls have changed places", gateway=(CALLS_KEPT,))
def swaps_calls(said: SaidAnswer) -> None:
    """Swaps them."""
    said.turn(lambda turn: replace(turn, calls=turn.calls[1::-1] + turn.calls[2:]))


@mutant("each call has the arguments of the first one", gateway=(CALLS_KEPT, ARGUMENTS_KEPT))
def repeats_arguments(said: SaidAnswer) -> None:
    """Repeats them."""
    said.turn(lambda turn: each_call(turn, lambda call: replace(call, arguments=turn.calls[0].arguments)))


@mutant("the calls of an answer have one id", gateway=("gateway.answer.ids",), server=(CALL_IDS, IDS_ONCE))
def gives_calls_one_id(said: SaidAnswer) -> None:
    """Gives them that of the first one."""
    said.turn(lambda turn: each_call(turn, lambda call: replace(call, id=turn.calls[0].id)))


@mutant(
    "ids begin anew in each answer", gateway=("gateway.answer.ids",), server=(IDS_ONCE,),
    scenario="multi_turn.sequential_chain",
)  # fmt: skip
def counts_ids_anew(said: SaidAnswer) -> None:
    """Counts them within the answer."""
    said.turn(lambda turn: replace(turn, calls=tuple(
        replace(call, id=f"call_{'0' * 18}{place}") for place, call in enumerate(turn.calls)
    )))  # fmt: skip


@mutant("calls have no ids", gateway=("gateway.answer.ids",), server=(CALL_IDS,))
def leaves_ids_out(said: SaidAnswer) -> None:
    """Empties them."""
    if said.failed or said.form is None or not said.form.ids:
        return  # in some formats calls need none
    ids = {call.id for call in said.answer.offered.calls if call.id}

    def edit(document: Any) -> None:
        for one in objects(document):
            for name in [name for name, value in one.items() if isinstance(value, str) and value in ids]:
                one[name] = ""

    said.each(edit)


@mutant(
    "calls are written into the text", gateway=(CALLS_KEPT, "gateway.answer.text-kept"),
    server=("server.answer.no-call-as-text",),
)  # fmt: skip
def flattens_calls(said: SaidAnswer) -> None:
    """Writes them as Hermes does."""

    def flat(turn: AssistantTurn) -> AssistantTurn:
        told = [json.dumps({"name": call.name, "arguments": dict(call.arguments or {})}) for call in turn.calls]
        words = "".join(f"<tool_call>\n{one}\n</tool_call>" for one in told)
        return replace(turn, calls=(), text=turn.text + words, stop="end") if told else turn

    said.turn(flat)


@mutant("arguments lack their last piece", gateway=(ARGUMENTS_KEPT,), server=(ONE_OBJECT,))
def loses_the_end_of_arguments(said: SaidAnswer) -> None:
    """Cuts them."""
    said.turn(lambda turn: each_call(turn, lambda call: _raw(call, _text(call)[:-4])))


@mutant("arguments are empty", gateway=(ARGUMENTS_KEPT,))
def empties_arguments(said: SaidAnswer) -> None:
    """Empties them."""
    said.turn(lambda turn: each_call(turn, lambda call: replace(call, arguments={})))


@mutant("arguments are JSON of their text", gateway=(ARGUMENTS_KEPT,), server=(ONE_OBJECT,))
def encodes_arguments_twice(said: SaidAnswer) -> None:
    """Encodes them once more."""
    said.turn(lambda turn: each_call(turn, lambda call: _raw(call, json.dumps(_text(call)))))


@mutant("calls have the names of other tools", gateway=(CALLS_KEPT,))
def renames_calls(said: SaidAnswer) -> None:
    """Puts a word before them."""
    said.turn(lambda turn: each_call(turn, lambda call: replace(call, name=f"functions_{call.name}")))


# --- words, ends and counts ------------------------------------------------------------------------------------------


@mutant("the words beside calls are gone", gateway=("gateway.answer.text-kept",), scenario=BESIDE)
def drops_words_beside_calls(said: SaidAnswer) -> None:
    """Drops them."""
    said.turn(lambda turn: replace(turn, text="") if turn.calls else turn)


@mutant("the second half of the words is gone", gateway=("gateway.answer.text-kept",), scenario=HELLO)
def loses_the_end_of_words(said: SaidAnswer) -> None:
    """Drops it."""
    said.turn(lambda turn: replace(turn, text=turn.text[: len(turn.text) // 2]))


FINISH = ("gateway.answer.stop-word", "gateway.answer.stop-kept", "*event-grammar*", "*done-sentinel*", "*finish*")


@mutant("beside calls stands the word for an end", gateway=FINISH, server=("server.answer.finish-fits", *FINISH))
def says_end_beside_calls(said: SaidAnswer) -> None:
    """Puts it there."""
    if said.form is not None:
        _change_finish(said, said.form.calls, said.word(ScriptTurn("A")))


@mutant(
    "an answer that was cut says that it ended", gateway=("gateway.answer.stop-kept",), scenario="errors.length_in_text"
)
def says_end_where_it_was_cut(said: SaidAnswer) -> None:
    """Says so."""
    said.turn(lambda turn: replace(turn, stop="end") if turn.stop == "length" else turn)


@mutant(
    "nothing is counted", gateway=("gateway.answer.usage-kept",), scenario=HELLO,
    server=("server.answer.usage", "server.stream.usage", "server.answer.types"),
)  # fmt: skip
def leaves_usage_out(said: SaidAnswer) -> None:
    """Takes it out wherever it stands."""
    names = {place.split("/")[1] for place in said.form.usage} if said.form is not None else set()

    def edit(document: Any) -> None:
        for one in objects(document):
            for name in names & one.keys():
                del one[name]

    said.each(edit)


@mutant("zero tokens are counted", gateway=("gateway.answer.usage-kept",), scenario=HELLO)
def counts_nothing(said: SaidAnswer) -> None:
    """Counts nothing."""
    said.turn(lambda turn: replace(turn, usage=Usage(0, 0)) if turn.usage is not None else turn)


# --- streams ---------------------------------------------------------------------------------------------------------


@mutant("a stream lacks its last event", gateway=STREAM_FORMS, server=STREAM_FORMS, scenario=HELLO)
def drops_the_last_event(said: SaidAnswer) -> None:
    """Drops it."""
    if said.is_stream:
        said.stream(said.events()[:-1])


@mutant("a stream is cut, and the connection closed as if it were whole", gateway=STREAM_FORMS, server=STREAM_FORMS)
def cuts_the_stream(said: SaidAnswer) -> None:
    """Cuts it after two thirds of its bytes."""
    if said.is_stream:
        said.body(said.response.body[: len(said.response.body) * 2 // 3])


@mutant(
    "a stream comes all at once, at its end", gateway=("gateway.stream.incremental",),
    server=("server.stream.as-it-comes",), scenario=HELLO, watched=True,
)  # fmt: skip
def buffers_the_stream(said: SaidAnswer) -> None:
    """A proxy that changes answers reads all of one. For a server, it waits as long as a slow model would speak."""
    if said.is_stream and not said.facts.tools:
        said.pieces = [(1.2, said.response.body)]


@mutant(
    "who asks for a stream gets a document", gateway=("gateway.stream.is-one",), server=("server.stream.as-asked",),
    scenario=HELLO,
)  # fmt: skip
def answers_a_stream_with_a_document(said: SaidAnswer) -> None:
    """Answers so."""
    if said.is_stream:
        said.say(said.script, stream=False)


@mutant(
    "who asks for no stream gets one", gateway=("gateway.stream.is-one", "gateway.answer.comes"), scenario=HELLO,
    server=("server.stream.as-asked",),
)  # fmt: skip
def answers_with_a_stream_unasked(said: SaidAnswer) -> None:
    """Answers so."""
    if not said.is_stream and not said.failed:
        said.say(said.script, stream=True)


@mutant("an event of a stream arrives broken", gateway=STREAM_FORMS, server=STREAM_FORMS, scenario=HELLO)
def breaks_an_event(said: SaidAnswer) -> None:
    """Cuts its JSON in two."""
    if said.is_stream:
        events = said.events()
        middle = len(events) // 2
        data = events[middle].data
        events[middle] = StreamEvent(data[: len(data) // 2], events[middle].event)
        said.stream(events)


@mutant(
    "a stream that broke off is told as whole", gateway=("gateway.stream.cut-is-told",),
    scenario="errors.cut_within_text",
)  # fmt: skip
def mends_cut_streams(said: SaidAnswer) -> None:
    """Says what came as if it were all."""
    if said.is_stream:
        said.say(replace(said.script, stop="end"))


# --- failures --------------------------------------------------------------------------------------------------------

OWN_WORDS = b'{"detail":"it failed"}'


@mutant("errors have status 200", gateway=(STATUS_KEPT,), server=("server.error.status",), scenario=LIMIT)
def answers_errors_with_200(said: SaidAnswer) -> None:
    """Changes the status alone."""
    if said.failed:
        said.body(said.response.body, 200)


@mutant("errors have status 500", gateway=(STATUS_KEPT,), server=("server.error.status",), scenario=LIMIT)
def answers_errors_with_500(said: SaidAnswer) -> None:
    """Changes the status alone."""
    if said.failed:
        said.body(said.response.body, 500)


@mutant(
    "an error becomes an answer in words", gateway=("gateway.error.status-kept",), server=("server.error.status",),
    scenario=LIMIT,
)  # fmt: skip
def swallows_errors(said: SaidAnswer) -> None:
    """Says that something went wrong, as the model."""
    if said.failed:
        said.say(ScriptTurn("Something went wrong."), stream=said.facts.stream)


@mutant(
    "errors have a form of their own", gateway=("gateway.error.in-its-format",), server=("server.error.form",),
    scenario="errors.server",
)  # fmt: skip
def tells_errors_in_a_form_of_its_own(said: SaidAnswer) -> None:
    """Says it as FastAPI does."""
    if said.failed:
        said.body(OWN_WORDS)


@mutant("how long to wait is not told", gateway=("gateway.error.wait-kept",), scenario=LIMIT)
def forgets_how_long_to_wait(said: SaidAnswer) -> None:
    """Drops the header."""
    kept = {name: value for name, value in said.response.headers.items() if name.lower() != "retry-after"}
    said.response = replace(said.response, headers=kept)


# --- helpers ---------------------------------------------------------------------------------------------------------


def each_call(turn: AssistantTurn, change: Callable[[ToolCall], ToolCall]) -> AssistantTurn:
    """A turn whose calls are changed."""
    return replace(turn, calls=tuple(map(change, turn.calls)))


def _text(call: ToolCall) -> str:
    """The arguments of a call as text."""
    return call.raw if call.raw is not None else json.dumps(dict(call.arguments or {}), ensure_ascii=False)


def _raw(call: ToolCall, text: str) -> ToolCall:
    """A call whose arguments are this text, JSON or not."""
    return replace(call, arguments=None, raw=text, invalid=True)


def _change_finish(said: SaidAnswer, words: frozenset[str], other: Json) -> None:
    """Put another word where one of these says why the turn ended."""
    name = said.form.finish.rpartition("/")[2] if said.form is not None else ""

    def edit(document: Any) -> None:
        for one in objects(document):
            if name in one and one[name] in words:
                one[name] = other

    said.each(edit)
