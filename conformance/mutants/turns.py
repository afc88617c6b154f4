"""Mutants that understand one thing wrongly, whatever the format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.model import AssistantTurn, Json, ProviderError, Stop, ToolCall, Usage, compact_json
from conformance.mutants.liar import Liar
from conformance.mutants.mutant import Mutant
from conformance.mutants.trace import Trace

TurnEdit = Callable[[AssistantTurn], AssistantTurn]
Calls = tuple[ToolCall, ...]


class Understands(Liar):
    """Understands one thing wrongly."""

    def __init__(self, change: TurnEdit) -> None:
        super().__init__()
        self._change = change

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        """The turn, as it has it."""
        return self._change(turn)


def turn_mutants(trace: Trace) -> Iterator[Mutant]:
    """The mutants that understand one thing wrongly."""
    for name, (says, change) in CHANGES.items():
        cases = tuple(
            record.case
            for record in trace.records
            if any(turn is not None and change(turn) != turn for turn in record.turns)
        )
        if cases:
            yield Mutant(f"turn:{name}", "turn", says, partial(Understands, change), cases=cases)


def _calls(change: Callable[[Calls], Calls]) -> TurnEdit:
    return lambda turn: replace(turn, calls=change(turn.calls))


def _each(**changes: Callable[[ToolCall], Any]) -> TurnEdit:
    """Changes in every call, field by field."""

    def changed(call: ToolCall) -> ToolCall:
        return replace(call, **{name: change(call) for name, change in changes.items()})

    return _calls(lambda calls: tuple(map(changed, calls)))


def _stops(now: Stop, *before: Stop) -> TurnEdit:
    return lambda turn: replace(turn, stop=now) if not before or turn.stop in before else turn


def _error(**values: Any) -> TurnEdit:
    return lambda turn: replace(turn, error=replace(turn.error, **values)) if turn.error is not None else turn


def _usage(change: Callable[[Usage], Usage | None]) -> TurnEdit:
    return lambda turn: replace(turn, usage=change(turn.usage)) if turn.usage is not None else turn


def _dealt(field: str) -> TurnEdit:
    """The calls with one field of theirs given to each other, backwards."""

    def dealt(calls: Calls) -> Calls:
        values = [getattr(call, field) for call in reversed(calls)]
        return tuple(replace(call, **{field: value}) for call, value in zip(calls, values, strict=True))

    return _calls(dealt)


def _merged(calls: Calls) -> Calls:
    if len(calls) < 2:
        return calls
    arguments: dict[str, Json] = {}
    for call in calls:
        arguments |= call.arguments or {}
    return (replace(calls[0], arguments=arguments),)


def _executable(call: ToolCall) -> ToolCall:
    return replace(call, arguments=call.arguments or {}, raw=None, invalid=False)


def _told(turn: AssistantTurn) -> AssistantTurn:
    told = "".join(compact_json({"name": call.name, "arguments": call.arguments}) for call in turn.calls)
    return replace(turn, text=turn.text + told)


def _forgives(turn: AssistantTurn) -> AssistantTurn:
    return replace(turn, error=None, stop="end") if turn.error is not None else turn


def _flipped(turn: AssistantTurn) -> AssistantTurn:
    error = turn.error
    return replace(turn, error=replace(error, retryable=not error.retryable)) if error is not None else turn


def _alarmed(turn: AssistantTurn) -> AssistantTurn:
    return replace(turn, stop="error", error=ProviderError("unexpected answer")) if turn.error is None else turn


CHANGES: Mapping[str, tuple[str, TurnEdit]] = {
    "no-calls": ("No call is seen", _calls(lambda calls: ())),
    "first-call-lost": ("The first call is lost", _calls(lambda calls: calls[1:])),
    "last-call-lost": ("The last of several calls is lost", _calls(lambda calls: calls[:-1] if calls[1:] else calls)),
    "only-first-call": ("Only the first call is seen", _calls(lambda calls: calls[:1])),
    "calls-reversed": ("The calls are in reverse order", _calls(lambda calls: calls[::-1])),
    "last-call-doubled": ("The last call comes twice", _calls(lambda calls: (*calls, *calls[-1:]))),
    "calls-merged": ("All calls become one with all their arguments", _calls(_merged)),
    "same-calls-once": ("Calls that look the same are one", _calls(
        lambda calls: tuple({(call.name, compact_json(call.arguments)): call for call in calls}.values()))),
    "ids-empty": ("Calls have no id", _each(id=lambda call: "")),
    "ids-same": ("All calls have the first one's id", _calls(
        lambda calls: tuple(replace(call, id=calls[0].id) for call in calls))),
    "ids-numbered": ("Ids are replaced by positions", _calls(
        lambda calls: tuple(replace(call, id=str(place)) for place, call in enumerate(calls)))),
    "ids-shortened": ("Ids lose their last character", _each(id=lambda call: call.id[:-1])),
    "ids-lowered": ("Ids become lower case", _each(id=lambda call: call.id.lower())),
    "ids-swapped": ("Parallel calls have each other's ids", _dealt("id")),
    "ids-of-names": ("A call's id is its tool's name", _each(id=lambda call: call.name)),
    "names-swapped": ("Parallel calls have each other's names", _dealt("name")),
    "names-empty": ("Calls have no name", _each(name=lambda call: "")),
    "names-prefixed": ("Names get a prefix", _each(name=lambda call: f"functions.{call.name}")),
    "names-upper": ("Names become upper case", _each(name=lambda call: call.name.upper())),
    "arguments-swapped": ("Parallel calls have each other's arguments", _dealt("arguments")),
    "arguments-empty": ("Arguments are lost", _each(arguments=lambda call: {})),
    "arguments-as-text": ("Arguments stay text", _each(arguments=lambda call: compact_json(call.arguments))),
    "arguments-none": ("Arguments are None where there are none", _each(arguments=lambda call: call.arguments or None)),
    "arguments-wrapped": ("Arguments are inside an object of their own", _each(
        arguments=lambda call: {"arguments": call.arguments})),
    "arguments-in-array": ("Arguments are in an array", _each(arguments=lambda call: [call.arguments])),
    "all-invalid": ("Good arguments count as broken", _each(
        arguments=lambda call: None, raw=lambda call: call.raw or compact_json(call.arguments),
        invalid=lambda call: True)),
    "broken-executed": ("Broken arguments are executed as if there were none", _calls(
        lambda calls: tuple(map(_executable, calls)))),
    "broken-lost": ("Calls with broken arguments are lost", _calls(
        lambda calls: tuple(call for call in calls if not call.invalid))),
    "raw-lost": ("The text of broken arguments is lost", _each(raw=lambda call: None)),
    "mark-lost": ("Broken arguments are not marked", _each(invalid=lambda call: False)),
    "text-lost": ("The text is lost", lambda turn: replace(turn, text="")),
    "text-lost-beside-calls": ("The text beside calls is lost",
                               lambda turn: replace(turn, text="") if turn.calls else turn),
    "text-lost-without-calls": ("Text alone is lost", lambda turn: turn if turn.calls else replace(turn, text="")),
    "text-halved": ("The text breaks off in the middle",
                    lambda turn: replace(turn, text=turn.text[: len(turn.text) // 2])),
    "text-doubled": ("The text comes twice", lambda turn: replace(turn, text=turn.text * 2)),
    "text-upper": ("The text becomes upper case", lambda turn: replace(turn, text=turn.text.upper())),
    "calls-in-text": ("The calls are told in the text, too", _told),
    "calls-lost-beside-text": ("The calls beside text are lost",
                               lambda turn: replace(turn, calls=()) if turn.text else turn),
    "refusal-lost": ("A refusal is lost", lambda turn: replace(turn, refusal=None)),
    "refusal-as-text": ("A refusal is text", lambda turn: replace(
        turn, text=turn.text + (turn.refusal or ""), refusal=None)),
    "refusal-for-text": ("All text is a refusal", lambda turn: replace(turn, refusal=turn.text or None)),
    "stop-end": ("Every turn just ends", _stops("end")),
    "stop-tool-calls": ("Every turn ends for tool calls", _stops("tool_calls")),
    "calls-do-not-stop": ("A turn with calls just ends", _stops("end", "tool_calls")),
    "end-for-calls": ("A turn without calls ends for calls", _stops("tool_calls", "end")),
    "length-is-end": ("A turn that was cut at the limit just ends", _stops("end", "length")),
    "length-is-calls": ("A turn that was cut at the limit ends for calls", _stops("tool_calls", "length")),
    "end-is-length": ("A turn that ends was cut at the limit", _stops("length", "end", "tool_calls")),
    "pause-is-end": ("A paused turn just ends", _stops("end", "pause")),
    "refusal-is-end": ("A refused turn just ends", _stops("end", "refusal")),
    "error-is-end": ("A failed turn just ends", _stops("end", "error")),
    "error-is-incomplete": ("A failed turn was only cut off", _stops("incomplete", "error")),
    "cut-is-end": ("A stream that was cut off just ends", _stops("end", "incomplete")),
    "cut-is-error": ("A stream that was cut off failed", _stops("error", "incomplete")),
    "usage-lost": ("Usage is lost", _usage(lambda usage: None)),
    "usage-swapped": ("Input and output tokens are mixed up", _usage(
        lambda usage: Usage(usage.output_tokens, usage.input_tokens))),
    "usage-zero": ("Nothing was used", _usage(lambda usage: Usage(0, 0))),
    "error-forgiven": ("A failure is an empty turn", _forgives),
    "error-message-lost": ("A failure's message is lost", _error(message="")),
    "error-message-replaced": ("A failure's message is replaced by a friendly one", _error(
        message="Please try again.")),
    "error-status-lost": ("A failure's status is lost", _error(status=None)),
    "error-type-lost": ("A failure's type is lost", _error(type=None)),
    "error-retry-unknown": ("Whether trying again may help is lost", _error(retryable=None)),
    "error-retry-flipped": ("Trying again helps when it does not", _flipped),
    "error-retry-after-lost": ("How long to wait is lost", _error(retry_after=None)),
    "all-failed": ("Every turn is a failure", _alarmed),
}  # fmt: skip
"""What may be understood wrongly."""
