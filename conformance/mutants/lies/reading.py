"""Lies about what the model said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.http import Response
from conformance.model import AssistantTurn, Conversation, ToolCall
from conformance.mutants.liar import Liar
from conformance.wires import PROVIDERS


class DropsIds(Liar):
    """Calls need no ids: there is only one tool anyway."""

    aims = ("common.ids.unique-in-conversation",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(replace(call, id="") for call in turn.calls))


class LosesTextBesideCalls(Liar):
    """Either the model talks or it calls tools."""

    aims = ("common.parse.text-and-calls-both-kept",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, text="") if turn.calls else turn


class TakesCutStreamsForComplete(Liar):
    """When no more bytes come, the turn is over."""

    aims = ("common.stream.truncated-stream-not-complete",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        if turn.stop != "incomplete":
            return turn
        calls = tuple(replace(call, arguments=call.arguments or {}, raw=None, invalid=False) for call in turn.calls)
        return replace(turn, calls=calls, stop="tool_calls" if calls else "end")


class RaisesOnCalls(Liar):
    """A model that calls two tools at once must be a mistake."""

    aims = ("common.adapter.completes",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        if len(turn.calls) > 1:
            raise ValueError("too many calls")
        return turn


class MarksHeaders(Liar):
    """Notes beside the response that it was read, for the log."""

    aims = ("common.adapter.leaves-what-it-is-given",)
    deliveries = ("blocking",)

    def receives(self, response: Response) -> Response:
        headers: Any = response.headers
        headers["x-read"] = str(int(headers.get("x-read", "0")) + 1)
        return response


class RaisesErrors(Liar):
    """A failure of the provider is an exception."""

    aims = ("common.adapter.completes",)

    def receives(self, response: Response) -> Response:
        if response.status >= 400:
            raise ConnectionError(f"status {response.status}")
        return response


class RetriesEverything(Liar):
    """Whatever went wrong, trying again may help."""

    aims = ("common.error.retryable-classified",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return turn if turn.error is None else replace(turn, error=replace(turn.error, retryable=True))


class DistrustsCutStreams(Liar):
    """A stream that broke off said nothing that can be believed."""

    aims = ("common.stream.cut-turn-as-it-came",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        if turn.stop != "incomplete":
            return turn
        calls = tuple(replace(call, arguments=None, raw="", invalid=True) for call in turn.calls)
        return replace(turn, calls=calls)


class ForgetsWhatWasWrong(Liar):
    """Arguments that are no object are none."""

    aims = ("common.history.invalid-text-kept",)
    providers = tuple(provider for provider in PROVIDERS if provider not in ("gemini", "ollama"))

    def means(self, conversation: Conversation) -> Conversation:
        turns = (replace(turn, calls=tuple(map(_emptied, turn.calls)), opaque=None)
                 if isinstance(turn, AssistantTurn) and any(call.invalid for call in turn.calls) else turn
                 for turn in conversation.turns)  # fmt: skip
        return replace(conversation, turns=tuple(turns))


def _emptied(call: ToolCall) -> ToolCall:
    return replace(call, arguments={}, raw=None, invalid=False) if call.invalid else call


class DropsUnknownTools(Liar):
    """The model cannot call what is not there, so it did not."""

    aims = ("common.parse.args-decoded-object",)
    scenarios = ("multi_turn.made_up_tool",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(call for call in turn.calls if call.name != "open_file"))
