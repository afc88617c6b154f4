"""Mutants of what a gateway or a server answers, written when the rules had been settled by those before."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from conformance.model import Json, ToolCall, Usage
from conformance.mutants.between.answers import (
    ARGUMENTS_KEPT,
    CALLS_KEPT,
    FINISH,
    HELLO,
    LIMIT,
    ONE_OBJECT,
    STATUS_KEPT,
    STREAM_FORMS,
    each_call,
    mutant,
)
from conformance.mutants.between.said import SaidAnswer, objects
from conformance.script import ScriptError

later = partial(mutant, series=2)
TEXT_KEPT, TYPES, OWN_TYPES = "gateway.answer.text-kept", "gateway.answer.fits-its-types", "server.answer.types"
ERROR_FORM = "gateway.error.in-its-format"
COMES, READABLE = "gateway.answer.comes", "server.answer.readable"


# --- what the model said ---------------------------------------------------------------------------------------------


@later("a call comes that the model did not make", gateway=(CALLS_KEPT,))
def makes_up_a_call(said: SaidAnswer) -> None:
    """Repeats the first one under another id."""
    said.turn(lambda turn: replace(
        turn, calls=(*turn.calls, *(replace(call, id=f"{call.id[:-3]}new") for call in turn.calls[:1]))
    ))  # fmt: skip


@later("calls have an argument more", gateway=(ARGUMENTS_KEPT,))
def adds_an_argument(said: SaidAnswer) -> None:
    """Adds it."""
    said.turn(lambda turn: each_call(turn, lambda call: _arguments(call, {**dict(call.arguments or {}), "more": 1})))


@later("numbers in arguments become texts", gateway=(ARGUMENTS_KEPT,), scenario="arguments.nested")
def writes_numbers_as_texts(said: SaidAnswer) -> None:
    """Writes them so."""
    said.turn(lambda turn: each_call(turn, lambda call: _arguments(call, _as_texts(dict(call.arguments or {})))))


@later("texts in arguments come in capital letters", gateway=(ARGUMENTS_KEPT,), scenario="shell.quoted_command")
def shouts_arguments(said: SaidAnswer) -> None:
    """Writes them so."""

    def shouted(call: ToolCall) -> ToolCall:
        given = dict(call.arguments or {})
        return _arguments(call, {name: one.upper() if isinstance(one, str) else one for name, one in given.items()})

    said.turn(lambda turn: each_call(turn, shouted))


@later("words of its own follow those of the model", gateway=(TEXT_KEPT,), scenario=HELLO)
def adds_words(said: SaidAnswer) -> None:
    """Adds them."""
    said.turn(lambda turn: replace(turn, text=f"{turn.text} That is all."))


@later("the model's words come twice", gateway=(TEXT_KEPT,), scenario=HELLO)
def repeats_words(said: SaidAnswer) -> None:
    """Repeats them."""
    said.turn(lambda turn: replace(turn, text=turn.text * 2))


@later("what the model thought is gone", gateway=("gateway.answer.thinking-kept",), scenario="reasoning.one_call")
def drops_thinking(said: SaidAnswer) -> None:
    """Drops it."""
    if not said.failed and said.script.reasoning:
        said.say(replace(said.script, reasoning=None))


@later(
    "a refusal is an answer like any other", gateway=("gateway.answer.stop-kept", TEXT_KEPT), scenario="errors.refusal"
)
def hides_refusals(said: SaidAnswer) -> None:
    """Says its words, and that the turn ended."""
    said.turn(
        lambda turn: replace(turn, stop="end", refusal=None, text=turn.text or turn.refusal or "")
        if turn.stop == "refusal" else turn
    )  # fmt: skip


@later("all tokens are counted twice", gateway=("gateway.answer.usage-kept",), scenario=HELLO)
def counts_twice(said: SaidAnswer) -> None:
    """Doubles the counts."""

    def doubled(usage: Usage | None) -> Usage | None:
        return usage and Usage((usage.input_tokens or 0) * 2, (usage.output_tokens or 0) * 2)

    said.turn(lambda turn: replace(turn, usage=doubled(turn.usage)))


# --- the form of an answer -------------------------------------------------------------------------------------------


@later(
    "nothing says why a turn ended", gateway=(*FINISH, TYPES),
    server=("server.answer.finish-fits", OWN_TYPES, *FINISH),
)  # fmt: skip
def leaves_the_finish_out(said: SaidAnswer) -> None:
    """Says ``null`` there."""
    name = said.form.finish.rpartition("/")[2] if said.form is not None else ""

    def edit(document: Any) -> None:
        for one in objects(document):
            if one.get(name):
                one[name] = None

    said.each(edit)


@later(
    "counts of tokens are texts", gateway=(TYPES, "gateway.answer.usage-kept"), scenario=HELLO,
    server=(OWN_TYPES, "server.answer.usage"),
)  # fmt: skip
def counts_in_texts(said: SaidAnswer) -> None:
    """Writes them so."""
    names = {place.rpartition("/")[2] for place in said.form.usage} if said.form is not None else set()

    def edit(document: Any) -> None:
        for one in objects(document):
            one.update({name: str(one[name]) for name in names & one.keys() if isinstance(one[name], int)})

    said.each(edit)


@later("answers do not name their model", gateway=(TYPES,), server=(OWN_TYPES,), scenario=HELLO)
def leaves_the_model_out(said: SaidAnswer) -> None:
    """Drops the name."""

    def edit(document: Any) -> None:
        for one in objects(document):
            one.pop("model", None)

    said.each(edit)


@later(
    "JSON is called plain text", gateway=("gateway.answer.*",), server=("server.answer.content-type",), scenario=HELLO
)
def calls_json_text(said: SaidAnswer) -> None:
    """Changes the header."""
    if not said.is_stream:
        said.body(said.response.body, kind="text/plain")


@later("an answer is empty", gateway=(COMES,), server=(READABLE,), scenario=HELLO)
def answers_nothing(said: SaidAnswer) -> None:
    """Sends no byte of it."""
    if not said.failed:
        said.body(b"")


@later(
    "a document comes in a list", gateway=(COMES, TYPES, "gateway.stream.is-one"), scenario=HELLO,
    server=(READABLE, OWN_TYPES, "server.stream.as-asked"),
)  # fmt: skip
def answers_in_a_list(said: SaidAnswer) -> None:
    """Puts it there."""
    if not said.is_stream and not said.failed:
        said.body(b"[" + said.response.body + b"]")


@later(
    "a request that forbids calls is refused", gateway=(COMES,), server=("server.request.taken",),
    scenario="tool_choice.none",
)  # fmt: skip
def refuses_what_is_right(said: SaidAnswer) -> None:
    """Refuses it."""
    if said.facts.choice is not None and said.facts.choice.mode == "none":
        said.fail(ScriptError("invalid_request", "Only auto is supported."))


# --- streams ---------------------------------------------------------------------------------------------------------

SHUFFLED = (*STREAM_FORMS, TEXT_KEPT, OWN_TYPES, ONE_OBJECT)


@later("every event of a stream comes twice", gateway=SHUFFLED, server=SHUFFLED, scenario=HELLO)
def repeats_events(said: SaidAnswer) -> None:
    """Repeats them."""
    if said.is_stream:
        said.stream([event for one in said.events() for event in (one, one)])


@later("two events of a stream have changed places", gateway=SHUFFLED, server=SHUFFLED, scenario=HELLO)
def swaps_events(said: SaidAnswer) -> None:
    """Swaps those in the middle that differ."""
    if said.is_stream:
        events = said.events()
        place = next((at for at in range(len(events) // 2, len(events) - 1) if events[at] != events[at + 1]), None)
        if place is not None:
            events[place], events[place + 1] = events[place + 1], events[place]
            said.stream(events)


@later("a stream lacks its first event", gateway=SHUFFLED, server=SHUFFLED, scenario=HELLO)
def drops_the_first_event(said: SaidAnswer) -> None:
    """Drops it."""
    if said.is_stream:
        said.stream(said.events()[1:])


@later("a stream goes on after its end", gateway=SHUFFLED, server=SHUFFLED, scenario=HELLO)
def goes_on_after_the_end(said: SaidAnswer) -> None:
    """Says the second event again, last of all."""
    if said.is_stream:
        said.stream([*said.events(), *said.events()[1:2]])


@later(
    "a failure inside a stream is told as an end", gateway=("gateway.stream.failure-is-told",),
    scenario="errors.stream_error_before_call",
)  # fmt: skip
def mends_failed_streams(said: SaidAnswer) -> None:
    """Says what came before it as if it were all."""
    if said.is_stream and (said.answer.offered.error is not None or not said.answer.complete):
        said.say(replace(said.script, calls=(), stop="end"))


# --- failures --------------------------------------------------------------------------------------------------------


@later("a limit is told as the client's mistake", gateway=(STATUS_KEPT,), scenario=LIMIT)
def tells_limits_as_mistakes(said: SaidAnswer) -> None:
    """Changes the status."""
    if said.response.status == 429:
        said.body(said.response.body, 400)


@later("a wrong key is told as a failure of the server", gateway=(STATUS_KEPT,), scenario="errors.authentication")
def tells_wrong_keys_as_failures(said: SaidAnswer) -> None:
    """Changes the status."""
    if said.response.status == 401:
        said.body(said.response.body, 502)


@later("errors say nothing", gateway=(ERROR_FORM,), server=("server.error.form",), scenario="errors.server")
def says_nothing_of_errors(said: SaidAnswer) -> None:
    """Empties them."""
    if said.failed:
        said.body(b"")


@later("errors are pages for people", gateway=(ERROR_FORM,), server=("server.error.form",), scenario=LIMIT)
def tells_errors_as_a_page(said: SaidAnswer) -> None:
    """Says it as proxies do."""
    if said.failed:
        said.body(b"<html><body><h1>Bad Gateway</h1></body></html>", kind="text/html")


# --- helpers ---------------------------------------------------------------------------------------------------------


def _arguments(call: ToolCall, arguments: dict[str, Json]) -> ToolCall:
    return replace(call, arguments=arguments)


def _as_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _as_texts(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_as_texts(one) for one in value]
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
