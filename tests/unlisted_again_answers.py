"""The second series of adapters that are broken in ways that the suite's own lies do not have: what they understand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from unlisted_adapters import each_arguments
from unlisted_again import Again

from conformance.http import StreamEvent
from conformance.model import AssistantTurn, Conversation, Json, ToolCall
from conformance.mutants.lies.chat import deltas, rewritten

# --- why a turn ends -------------------------------------------------------------------------------------------------


class TakesCutCallsForWhole(Again):
    """A turn that the limit cut has calls, so it stops for calls."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, stop="tool_calls") if turn.calls and turn.stop in ("length", "incomplete") else turn


class BelievesTheReason(Again):
    """A turn that stops without saying that it is for calls, has none."""

    providers = ("openai-chat",)

    def reads(self, body: Json) -> Json:
        for choice in body.get("choices", ()):
            if choice.get("finish_reason") == "stop" and isinstance(choice.get("message"), dict):
                choice["message"].pop("tool_calls", None)
        return body


class CountsTheOpening(Again):
    """Of Anthropic's usage the one in the opening is told."""

    providers = ("anthropic",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return [self._uncounted(event) if '"message_delta"' in event.data else event for event in events]

    @staticmethod
    def _uncounted(event: StreamEvent) -> StreamEvent:
        document = json.loads(event.data)
        document.pop("usage", None)
        return replace(event, data=json.dumps(document))


class ReadsNoRefusal(Again):
    """A refusal is an answer without text."""

    providers = ("openai-chat", "openai-responses")

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, stop="end", text="") if turn.stop == "refusal" else turn


class TakesMalformedForTheEnd(Again):
    """A call that Gemini could not write is the end of its turn."""

    providers = ("gemini",)

    def reads(self, body: Json) -> Json:
        for candidate in body.get("candidates", ()):
            if candidate.get("finishReason") in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"):
                candidate["finishReason"] = "STOP"
        return body


class EndsAtAPause(Again):
    """A pause is the end."""

    providers = ("anthropic",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, stop="end") if turn.stop == "pause" else turn


class FiltersAreLimits(Again):
    """An answer that a filter cut was cut by the limit."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, stop="length") if turn.stop == "refusal" else turn


# --- errors ----------------------------------------------------------------------------------------------------------


class NeverRetries(Again):
    """No failure may be tried again."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, error=replace(turn.error, retryable=False)) if turn.error else turn


class AlwaysRetries(Again):
    """Every failure may be tried again."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, error=replace(turn.error, retryable=True)) if turn.error else turn


class WaitsInMilliseconds(Again):
    """The time to wait is in milliseconds."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        if turn.error is None or not turn.error.retry_after:
            return turn
        return replace(turn, error=replace(turn.error, retry_after=turn.error.retry_after * 1000))


class PrintsTheError(Again):
    """An error is told by its whole document."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        if turn.error is None:
            return turn
        printed = f"{{'error': {{'message': '{turn.error.message}'}}}}"
        return replace(turn, error=replace(turn.error, message=printed))


class FailsAreEnds(Again):
    """An error in the middle of a stream is its end."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, stop="end", error=None) if turn.error and turn.error.status is None else turn


# --- streams ---------------------------------------------------------------------------------------------------------


class JoinsNames(Again):
    """The name of a call is put together of all that fragments say."""

    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        names: dict[Any, str] = {}
        return [self._joined(event, names) for event in events]

    @staticmethod
    def _joined(event: StreamEvent, names: dict[Any, str]) -> StreamEvent:
        document: Any = deltas(event)[0]
        if document is None:
            return event
        for choice in document.get("choices") or ():
            for call in choice.get("delta", {}).get("tool_calls") or ():
                function, index = call.get("function") or {}, call.get("index")
                if function.get("name"):
                    function["name"] = names[index] = names.get(index, "") + function["name"]
        return rewritten(event, document)


class DropsTheFirstWords(Again):
    """The chunk that says the role says nothing else."""

    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return [self._silenced(event) for event in events]

    @staticmethod
    def _silenced(event: StreamEvent) -> StreamEvent:
        document: Any = deltas(event)[0]
        if document is None:
            return event
        for choice in document.get("choices") or ():
            if choice.get("delta", {}).get("role"):
                choice["delta"].pop("content", None)
        return rewritten(event, document)


class EndsAtDoneAnywhere(Again):
    """A stream ends where the word [DONE] stands."""

    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        ends = (place for place, event in enumerate(events) if "[DONE]" in event.data)
        return events[: next(ends, len(events)) + 1]


class MindsLineFeedsOnly(Again):
    """An event ends with two line feeds, and nothing else."""

    providers = ("openai-chat", "anthropic", "openai-responses", "gemini")

    def hears(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield b"".join(chunks).replace(b"\r\n", b"\r ")


class TakesCommentsForData(Again):
    """A line that begins with a colon is data."""

    providers = ("openai-chat", "anthropic")

    def hears(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield re.sub(rb"(?m)^: ?", b"data: ", b"".join(chunks))


class WantsABlankAfterData(Again):
    """A line of data has a blank after its colon, or is none."""

    providers = ("openai-chat", "anthropic", "gemini")

    def hears(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield re.sub(rb"(?m)^data:(?! )", b"x:", b"".join(chunks))


class NoCallsBesideText(Again):
    """A turn that says something calls nothing, when it streams."""

    providers = ("openai-chat", "anthropic", "gemini")

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        turn = super().parse_stream(provider, chunks, conversation=conversation)
        return replace(turn, calls=(), stop="end") if turn.text and turn.calls else turn


# --- what is said ----------------------------------------------------------------------------------------------------


class StripsText(Again):
    """What the model says has no blanks at its ends."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, text=turn.text.strip())


class HidesThinkingTags(Again):
    """What stands between <think> tags was never said, and a lone tag hides the rest."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, text=re.sub(r"<think>.*?(</think>|$)", "", turn.text, flags=re.DOTALL))


class TellsThoughts(Again):
    """Gemini's thoughts are what it says."""

    providers = ("gemini",)

    def reads(self, body: Json) -> Json:
        for candidate in body.get("candidates", ()):
            for part in candidate.get("content", {}).get("parts", []):
                part.pop("thought", None)
        return body


# --- calls and their arguments ---------------------------------------------------------------------------------------


class RepairsArguments(Again):
    """Arguments that are cut are closed, and called."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(map(self._closed, turn.calls)))

    @staticmethod
    def _closed(call: ToolCall) -> ToolCall:
        for tail in ("}", '"}', '"}}', "]}", '"]}', "") if call.invalid and call.raw else ():
            try:
                values = json.loads(f"{call.raw}{tail}")
            except ValueError:
                continue
            if isinstance(values, dict):
                return replace(call, arguments=values, raw=None, invalid=False)
        return call


class TakesListsForNothing(Again):
    """Arguments that are no object are an empty object."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        calls = (
            replace(call, arguments={}, raw=None, invalid=False) if call.invalid else call for call in turn.calls
        )
        return replace(turn, calls=tuple(calls))


class NamesTheNearestTool(Again):
    """A tool that is not there is the first one that is."""

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()

    def means(self, conversation: Conversation) -> Conversation:
        self._names = tuple(tool.name for tool in conversation.tools)
        return conversation

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(map(self._near, turn.calls)))

    def _near(self, call: ToolCall) -> ToolCall:
        return call if call.name in self._names or not self._names else replace(call, name=self._names[0])


class CutsIds(Again):
    """Ids are no longer than twenty characters."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(replace(call, id=call.id[:20]) for call in turn.calls))


class EvaluatesEscapes(Again):
    """Escapes in texts of arguments are read a second time."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return each_arguments(turn, lambda values: {key: self._read(value) for key, value in values.items()})

    @staticmethod
    def _read(value: Any) -> Any:
        return value.replace("\\n", "\n").replace("\\t", "\t") if isinstance(value, str) else value


class CountsBooleans(Again):
    """True is one, and false is nought."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return each_arguments(
            turn,
            lambda values: {key: int(value) if isinstance(value, bool) else value for key, value in values.items()},
        )


class FillsDefaultsIn(Again):
    """Where the model left an optional argument out, it is null."""

    def __init__(self) -> None:
        super().__init__()
        self._tools: dict[str, Mapping[str, Any]] = {}

    def means(self, conversation: Conversation) -> Conversation:
        self._tools = {tool.name: tool.parameters or {} for tool in conversation.tools}
        return conversation

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(map(self._filled, turn.calls)))

    def _filled(self, call: ToolCall) -> ToolCall:
        if call.arguments is None:
            return call
        properties = self._tools.get(call.name, {}).get("properties") or {}
        return replace(call, arguments={**dict.fromkeys(properties), **call.arguments})


class ReordersCalls(Again):
    """Calls of a turn are sorted by their tools' names."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(sorted(turn.calls, key=lambda call: call.name)))


AGAIN: dict[str, type[Again]] = {one.__name__: one for one in Again.__subclasses__()}
"""The second series, by name."""
