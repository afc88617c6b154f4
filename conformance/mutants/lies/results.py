"""Lies about the results of tools: which call they belong to, and what they say."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace

from conformance.model import (
    UNANSWERED,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ImagePart,
    Json,
    JsonPart,
    Part,
    ResourcePart,
    ResultsTurn,
    TextPart,
    ToolResult,
    Turn,
    UserTurn,
    result_text,
)
from conformance.mutants.liar import Liar


def each_turn(conversation: Conversation, change: Callable[[Turn], Turn]) -> Conversation:
    """``conversation`` with every turn changed."""
    return replace(conversation, turns=tuple(map(change, conversation.turns)))


def each_results(
    conversation: Conversation, change: Callable[[tuple[ToolResult, ...]], tuple[ToolResult, ...]]
) -> Conversation:
    """``conversation`` with the results of every turn of the tools changed."""
    return each_turn(
        conversation, lambda turn: ResultsTurn(change(turn.results)) if isinstance(turn, ResultsTurn) else turn
    )


def each_result(conversation: Conversation, change: Callable[[ToolResult], ToolResult]) -> Conversation:
    """``conversation`` with every result changed."""
    return each_results(conversation, lambda results: tuple(map(change, results)))


def each_part(conversation: Conversation, change: Callable[[Part], Part]) -> Conversation:
    """``conversation`` with every part of every result changed."""
    return each_result(conversation, lambda result: replace(result, content=tuple(map(change, result.content))))


def each_text(conversation: Conversation, change: Callable[[str], str]) -> Conversation:
    """``conversation`` with every text in a result changed."""
    return each_part(
        conversation, lambda part: TextPart(change(part.text)) if isinstance(part, TextPart) else part
    )


# --- whose result it is ----------------------------------------------------------------------------------------------


class SwapsParallelResults(Liar):
    """Results come in the order in which tools finish, and so do the calls that they belong to."""

    aims = ("common.ids.same-name-parallel-distinct",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_results(conversation, self._swapped)

    @staticmethod
    def _swapped(results: tuple[ToolResult, ...]) -> tuple[ToolResult, ...]:
        contents = [result.content for result in reversed(results)]
        return tuple(replace(result, content=own) for result, own in zip(results, contents, strict=True))


class InventsReferences(Liar):
    """A result needs an id of its own, so it gets one."""

    aims = ("common.result.no-orphan",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_result(conversation, lambda result: replace(result, call_id=f"{result.call_id[:-2]}zz"))


class AnswersTwice(Liar):
    """To be sure that they arrive, results are sent twice."""

    aims = ("common.result.exactly-one-per-call",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_results(conversation, lambda results: tuple(item for result in results for item in (result,) * 2))


class ForgetsTheLastResult(Liar):
    """The results of parallel calls are sent as soon as most of them are there."""

    aims = ("common.result.exactly-one-per-call",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_results(conversation, lambda results: results[:-1] if len(results) > 1 else results)


class ForgetsEmptyResults(Liar):
    """A tool that returned nothing has nothing to say to the model."""

    aims = ("common.result.empty-result-sent",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_results(conversation, lambda results: tuple(filter(result_text, results)))


class KeepsResourcesBack(Liar):
    """A result is text, values and pictures: what else a server of tools gives is for the application."""

    aims = ("common.result.resources-kept",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(conversation, lambda part: TextPart("Done.") if isinstance(part, ResourcePart) else part)


class CallsLinksByTheirNames(Liar):
    """Where a link leads is nothing that a model has to know: its name says what it is."""

    aims = ("common.result.resources-kept",)
    scenarios = ("mcp.resource_links",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(conversation, lambda part: TextPart(part.name) if isinstance(part, ResourcePart) else part)


# --- what it says ----------------------------------------------------------------------------------------------------


class StringifiesTwice(Liar):
    """To be on the safe side, structured results are made JSON, and then JSON again."""

    aims = ("common.result.structured-output-serialised-as-json",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(conversation, self._twice)

    @staticmethod
    def _twice(part: Part) -> Part:
        return TextPart(json.dumps(json.dumps(part.value))) if isinstance(part, JsonPart) else part


class PrintsStructures(Liar):
    """A structured result is turned into text by the language's own printing."""

    aims = ("common.result.structured-output-serialised-as-json",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(conversation, lambda part: TextPart(str(part.value)) if isinstance(part, JsonPart) else part)


class QuotesText(Liar):
    """Every result is JSON, so text is put in quotes."""

    aims = ("common.result.string-not-double-encoded",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_text(conversation, lambda text: json.dumps(text, ensure_ascii=False))


class CutsLargeResults(Liar):
    """Long results are cut, and nobody needs to know."""

    aims = ("common.result.large-result-not-silently-cut",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_text(conversation, lambda text: text[:1000])


class HidesFailures(Liar):
    """What went wrong in a tool is nothing that a model should see."""

    aims = ("common.result.error-visible-to-model",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_result(
            conversation, lambda result: replace(result, content=(), is_error=False) if result.is_error else result
        )


class LosesSeparators(Liar):
    """The lines between the files of a result are only for people."""

    aims = ("common.result.read-many-files-separators",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_text(conversation, lambda text: re.sub(r"^--- .+ ---$", "", text, flags=re.MULTILINE))


class TellsResultsAsTheModel(Liar):
    """The model remembers what the tools said when it has said it itself."""

    aims = ("common.result.never-as-assistant-text",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = list(conversation.turns)
        for place, turn in enumerate(turns[1:]):
            before = turns[place]
            if isinstance(turn, ResultsTurn) and isinstance(before, AssistantTurn):
                told = "\n".join([before.text, *map(result_text, turn.results)])
                turns[place] = replace(before, text=told, opaque=None)
        return replace(conversation, turns=tuple(turns))


class WritesPicturesAsText(Liar):
    """A picture is bytes, bytes are base64, and base64 is text."""

    aims = (
        "chat.binary.no-image-in-tool-message", "responses.binary.portable-text-summary",
        "anthropic.binary.portable-text-summary", "common.binary.image-kept",
    )  # fmt: skip

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(conversation, self._as_text)

    @staticmethod
    def _as_text(part: Part) -> Part:
        if not isinstance(part, ImagePart):
            return part
        return TextPart(f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}")


# --- decisions -------------------------------------------------------------------------------------------------------


class TellsDecisionsInProse(Liar):
    """The model understands English: "Reject the tool call" is all that it needs."""

    aims = ("unified.result.tool-decision",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_turn(conversation, self._told)

    def closes(self, conversation: Conversation) -> Conversation:
        return conversation

    @staticmethod
    def _told(turn: Turn) -> Turn:
        if not isinstance(turn, DecisionsTurn):
            return turn
        words = {True: "Accept the tool call", False: "Reject the tool call"}
        return UserTurn("\n".join(words[decision.accept] for decision in turn.decisions))


# --- what else stands in a request -----------------------------------------------------------------------------------


class ChoosesAmongNoTools(Liar):
    """The tool choice is always sent: where there are no tools it does no harm.

    The choice is `none`, because Mistral takes `auto` without tools.
    """

    aims = ("common.declare.empty-tools-omitted",)

    def sends(self, body: Json) -> Json:
        if not body.get("tools"):
            body |= {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}} if "contents" in body else {}
            body |= {} if "contents" in body else {"tool_choice": "none"}
        return body


class DescribesPictures(Liar):
    """Words say as much as a picture."""

    aims = ("common.binary.picture-sent",)

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(
            conversation, lambda part: TextPart("A picture.") if isinstance(part, ImagePart) else part
        )


class SendsPicturesAnyway(Liar):
    """A picture says more than words, whoever has to read it."""

    aims = ("common.binary.portable-words",)
    providers = ("openai-chat", "ollama", "azure", "xai", "mistral")

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, profile="native")


# --- calls that nobody answered --------------------------------------------------------------------------------------


class LeavesInterruptedCallsOpen(Liar):
    """What nobody answered has no result."""

    aims = ("common.result.exactly-one-per-call",)
    scenarios = ("multi_turn.interrupted",)

    def closes(self, conversation: Conversation) -> Conversation:
        return conversation


class AnswersForTheUser(Liar):
    """Each call wants a result, so the one that was interrupted gets an empty one."""

    aims = ("common.result.unanswered-told",)
    scenarios = ("multi_turn.interrupted",)

    def closes(self, conversation: Conversation) -> Conversation:
        return each_result(super().closes(conversation), self._answered)

    @staticmethod
    def _answered(result: ToolResult) -> ToolResult:
        made = result_text(result) == UNANSWERED
        return replace(result, content=(TextPart(""),), is_error=False) if made else result
