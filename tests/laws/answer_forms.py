"""Losses of answers as functions: what two turns have in common after a declared loss, each with an example.

See `request_forms`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import NamedTuple

from examples import OPEN

from conformance.model import AssistantTurn, Json, compact_json
from conformance.script import ScriptCall, ScriptTurn

Form = Callable[[AssistantTurn], AssistantTurn]


class AnswerLoss(NamedTuple):
    """What is left after a loss, and a turn that has it."""

    form: Form
    example: ScriptTurn


ANSWER_FORMS: dict[str, AnswerLoss] = {}


def answer_loss(name: str, example: ScriptTurn) -> Callable[[Form], None]:
    """Bind a function and an example to a declared loss."""

    def bind(form: Form) -> None:
        ANSWER_FORMS[name] = AnswerLoss(form, example)

    return bind


def common_turn(turn: AssistantTurn, losses: Collection[str]) -> str:
    """What is left of ``turn`` after ``losses``, as text in which ``1``, ``1.0`` and ``True`` differ."""
    for name, loss in ANSWER_FORMS.items():
        if name in losses:
            turn = loss.form(turn)
    calls = [f"call {call.id!r} {call.name!r} {compact_json(call.arguments)} {call.raw!r}" for call in turn.calls]
    return "\n".join([f"{turn.stop} {turn.text!r} {turn.refusal!r}", *calls])


def _with_arguments(turn: AssistantTurn, change: Callable[[Json], Json]) -> AssistantTurn:
    calls = [replace(call, arguments=change(call.arguments)) for call in turn.calls]
    return replace(turn, calls=tuple(calls))


def _numbers(value: Json, change: Callable[[float], Json]) -> Json:
    if isinstance(value, dict):
        return {key: _numbers(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item, change) for item in value]
    return change(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


@answer_loss("wide-integers", ScriptTurn(calls=(ScriptCall("t", {"a": 2**53 + 1}),)))
def _wide_integers(turn: AssistantTurn) -> AssistantTurn:
    def rounded(number: float) -> Json:
        return float(number) if isinstance(number, int) and abs(number) > 2**53 else number

    return _with_arguments(turn, lambda value: _numbers(value, rounded))


@answer_loss("whole-floats", ScriptTurn(calls=(ScriptCall("t", {"a": 5.0}),)))
def _whole_floats(turn: AssistantTurn) -> AssistantTurn:
    def whole(number: float) -> Json:
        return int(number) if isinstance(number, float) and number.is_integer() else number

    return _with_arguments(turn, lambda value: _numbers(value, whole))


@answer_loss("ids-never-given", ScriptTurn(calls=(OPEN,), quirks=frozenset({"missing_ids"})))
def _ids_never_given(turn: AssistantTurn) -> AssistantTurn:
    return replace(turn, calls=tuple(replace(call, id=f"number {place}") for place, call in enumerate(turn.calls)))


@answer_loss("argument-text", ScriptTurn(calls=(ScriptCall("t", raw="{"),)))
def _argument_text(turn: AssistantTurn) -> AssistantTurn:
    return replace(turn, calls=tuple(
        replace(call, arguments=call.arguments if not call.invalid else {}, raw=None, invalid=False)
        for call in turn.calls
    ))  # fmt: skip


@answer_loss("refusal-is-text", ScriptTurn(refusal="No."))
def _refusal_is_text(turn: AssistantTurn) -> AssistantTurn:
    return replace(turn, text=turn.text or turn.refusal or "", refusal=None, stop="end")


@answer_loss("refusal-in-text", ScriptTurn(refusal="No."))
def _refusal_in_text(turn: AssistantTurn) -> AssistantTurn:
    words = turn.text if turn.refusal in (None, turn.text) else turn.text + (turn.refusal or "")
    return replace(turn, text=words, refusal=words if turn.stop == "refusal" else turn.refusal)


@answer_loss("refusal-words", ScriptTurn(refusal="No."))
def _refusal_words(turn: AssistantTurn) -> AssistantTurn:
    return replace(turn, refusal=None)
