"""The reference gateway, wrong in one way each, and the rules that tell it.

Those in `LATER` were written when the rules were done, and no rule was changed for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.gateways.reference import ReferenceGateway
from conformance.http import Request, Response, StreamEvent
from conformance.model import AssistantTurn, Conversation, ImagePart, ResultsTurn, Turn, Usage, UserTurn


@dataclass(frozen=True)
class WrongGateway:
    """One of them: what it is made of, the rules of which one tells it, and where it is played."""

    make: type[ReferenceGateway]
    told_by: tuple[str, ...]
    scenario: str = "parallel_calls.three_calls"
    inbound: str = "openai-chat"
    outbound: str = "anthropic"


def _turns(conversation: Conversation, change: Callable[[Turn], Turn | None]) -> Conversation:
    changed = (change(turn) for turn in conversation.turns)
    return replace(conversation, turns=tuple(turn for turn in changed if turn is not None))


def _results(conversation: Conversation, change: Callable[[ResultsTurn], ResultsTurn]) -> Conversation:
    return _turns(conversation, lambda turn: change(turn) if isinstance(turn, ResultsTurn) else turn)


def _edited(request: Request, edit: Callable[[dict[str, Any]], None]) -> Request:
    document = json.loads(request.body)
    edit(document)
    return replace(request, body=json.dumps(document).encode())


class DropsTheSecondCall(ReferenceGateway):
    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=turn.calls[:1])


class MergesParallelCalls(ReferenceGateway):
    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        if len(turn.calls) < 2:
            return turn
        text = "".join(json.dumps(call.arguments) for call in turn.calls)
        return replace(turn, calls=(replace(turn.calls[0], arguments=None, raw=text, invalid=True),))


class SwapsTwoCalls(ReferenceGateway):
    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=turn.calls[::-1])


class RepeatsIds(ReferenceGateway):
    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(replace(call, id="call_1") for call in turn.calls))


class RewritesIdsEachTime(ReferenceGateway):
    """Ids are made anew in each request, on calls and results alike."""

    count = 0

    def asks(self, conversation: Conversation) -> Conversation:
        self.count += 1
        ids = {call.id: f"toolu_{self.count}_{call.id[-8:]}" for turn in conversation.turns
               if isinstance(turn, AssistantTurn) for call in turn.calls}  # fmt: skip

        def renamed(turn: Turn) -> Turn:
            if isinstance(turn, AssistantTurn):
                calls = tuple(replace(call, id=ids[call.id]) for call in turn.calls)
                return replace(turn, calls=calls, opaque=None)
            if isinstance(turn, ResultsTurn):
                return ResultsTurn(tuple(replace(one, call_id=ids[one.call_id]) for one in turn.results))
            return turn

        return _turns(conversation, renamed)


class Buffers(ReferenceGateway):
    streams_at_once = False


class DropsTheTerminalEvent(ReferenceGateway):
    def streams(self, events: Iterator[StreamEvent]) -> Iterator[StreamEvent]:
        kept = None
        for event in events:
            if kept is not None:
                yield kept
            kept = event


class FlattensCalls(ReferenceGateway):
    def asks(self, conversation: Conversation) -> Conversation:
        def flat(turn: Turn) -> Turn | None:
            if isinstance(turn, AssistantTurn) and turn.calls:
                words = "; ".join(f"Calling {call.name}({json.dumps(call.arguments)})" for call in turn.calls)
                return AssistantTurn(words)
            if isinstance(turn, ResultsTurn):
                return UserTurn("\n".join(f"Result: {one.content}" for one in turn.results))
            return turn

        return _turns(conversation, flat)


class SwapsResults(ReferenceGateway):
    def asks(self, conversation: Conversation) -> Conversation:
        def swapped(turn: ResultsTurn) -> ResultsTurn:
            contents = [one.content for one in turn.results][::-1]
            pairs = zip(turn.results, contents, strict=True)
            return ResultsTurn(tuple(replace(one, content=its) for one, its in pairs))

        return _results(conversation, swapped)


class LosesTheErrorFlag(ReferenceGateway):
    def asks(self, conversation: Conversation) -> Conversation:
        return _results(
            conversation, lambda turn: ResultsTurn(tuple(replace(one, is_error=False) for one in turn.results))
        )


class TurnsALimitIntoAnAnswer(ReferenceGateway):
    def responds(self, response: Response) -> Response:
        return replace(response, status=200)


class TellsALimitAsAFault(ReferenceGateway):
    def responds(self, response: Response) -> Response:
        return replace(response, status=500) if response.status == 429 else response


class TellsACutAsAnEnd(ReferenceGateway):
    def tells_a_break(self) -> bool:
        return False


class TriesABrokenStreamAgain(ReferenceGateway):
    def times(self, *, broke: bool) -> int:
        return 2 if broke else 1


class GoesOnWhenTheClientIsGone(ReferenceGateway):
    hangs_up = False

    def streams(self, events: Iterator[StreamEvent]) -> Iterator[StreamEvent]:
        return iter(list(events))


class LosesUsage(ReferenceGateway):
    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, usage=Usage(0, 0))


WRONG: Mapping[str, WrongGateway] = {
    one.make.__name__: one
    for one in (
        WrongGateway(DropsTheSecondCall, ("gateway.answer.calls-kept",)),
        WrongGateway(MergesParallelCalls, ("gateway.answer.calls-kept",)),
        WrongGateway(SwapsTwoCalls, ("gateway.answer.calls-kept",)),
        WrongGateway(RepeatsIds, ("gateway.answer.ids",)),
        WrongGateway(RewritesIdsEachTime, ("gateway.request.ids-stable",), "multi_turn.sequential_chain"),
        WrongGateway(Buffers, ("gateway.stream.incremental",), "multi_turn.hello"),
        WrongGateway(DropsTheTerminalEvent, ("chat.stream.done-sentinel",), "multi_turn.hello"),
        WrongGateway(FlattensCalls, ("gateway.request.not-flattened",)),
        WrongGateway(SwapsResults, ("gateway.request.result-of-its-call",)),
        WrongGateway(
            LosesTheErrorFlag, ("gateway.request.error-kept",), "read_file.missing_file", "anthropic", "gemini"
        ),
        WrongGateway(TurnsALimitIntoAnAnswer, ("gateway.error.status-kept",), "errors.rate_limit"),
        WrongGateway(TellsALimitAsAFault, ("gateway.error.status-kept",), "errors.rate_limit"),
        WrongGateway(TellsACutAsAnEnd, ("gateway.stream.cut-is-told",), "errors.cut_within_text"),
        WrongGateway(TriesABrokenStreamAgain, ("gateway.stream.not-tried-again",), "errors.cut_within_text"),
        WrongGateway(GoesOnWhenTheClientIsGone, ("gateway.stream.hang-up",), "multi_turn.hello"),
        WrongGateway(LosesUsage, ("gateway.answer.usage-kept",), "multi_turn.hello"),
    )
}
"""The first ones, by which the rules were made."""


class RenamesATool(ReferenceGateway):
    def sends(self, request: Request) -> Request:
        def renamed(document: dict[str, Any]) -> None:
            for tool in document.get("tools", ()):
                tool["name"] = f"mcp__{tool['name']}"

        return _edited(request, renamed)


class ForgetsWhatIsRequired(ReferenceGateway):
    def sends(self, request: Request) -> Request:
        def loosened(document: dict[str, Any]) -> None:
            for tool in document.get("tools", ()):
                tool["input_schema"].pop("required", None)

        return _edited(request, loosened)


class DropsTheChoice(ReferenceGateway):
    def sends(self, request: Request) -> Request:
        return _edited(request, lambda document: document.pop("tool_choice", None))


class DropsTheGuidance(ReferenceGateway):
    def asks(self, conversation: Conversation) -> Conversation:
        return replace(conversation, system=None)


class DropsPictures(ReferenceGateway):
    def asks(self, conversation: Conversation) -> Conversation:
        def plain(turn: ResultsTurn) -> ResultsTurn:
            return ResultsTurn(tuple(
                replace(one, content=tuple(part for part in one.content if not isinstance(part, ImagePart)))
                for one in turn.results
            ))  # fmt: skip

        return _results(conversation, plain)


class SaysThatItStoppedByItself(ReferenceGateway):
    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, stop="end") if turn.stop == "length" else turn


class AnswersInWords(ReferenceGateway):
    """Calls become words of the answer."""

    def answers(self, turn: AssistantTurn) -> AssistantTurn:
        words = "".join(f"<tool>{call.name}</tool>" for call in turn.calls)
        return replace(turn, calls=(), text=turn.text + words, stop="end")


class ForgetsHowLongToWait(ReferenceGateway):
    def responds(self, response: Response) -> Response:
        return replace(response, headers={"content-type": "application/json"})


class TellsFailuresInAFormOfItsOwn(ReferenceGateway):
    def responds(self, response: Response) -> Response:
        if response.status < 400:
            return response
        return Response.of_json(response.status, {"detail": "upstream failed"})


class SpeaksMoreFreely(ReferenceGateway):
    def sends(self, request: Request) -> Request:
        return _edited(request, lambda document: document.update(temperature=0.7))


LATER: Mapping[str, WrongGateway] = {
    one.make.__name__: one
    for one in (
        WrongGateway(RenamesATool, ("gateway.request.tools-kept",), "shell.success"),
        WrongGateway(ForgetsWhatIsRequired, ("gateway.request.schemas-kept",), "shell.success"),
        WrongGateway(DropsTheChoice, ("gateway.request.choice-kept",), "tool_choice.required"),
        WrongGateway(DropsTheGuidance, ("gateway.request.text-kept",), "multi_turn.system_prompt"),
        WrongGateway(
            DropsPictures, ("gateway.request.picture-kept",), "binary_image.caption_and_image", "anthropic", "gemini"
        ),
        WrongGateway(SaysThatItStoppedByItself, ("gateway.answer.stop-kept",), "errors.length_in_text"),
        WrongGateway(AnswersInWords, ("gateway.answer.calls-kept", "gateway.answer.text-kept"), "shell.success"),
        WrongGateway(ForgetsHowLongToWait, ("gateway.error.wait-kept",), "errors.rate_limit"),
        WrongGateway(TellsFailuresInAFormOfItsOwn, ("gateway.error.in-its-format",), "errors.server"),
        WrongGateway(SpeaksMoreFreely, ("gateway.request.nothing-made-up",), "multi_turn.hello"),
    )
}
"""Those that were written when the rules were done."""
