"""Adapters that are broken in ways that the suite's own lies do not have.

Each was written from a kind of bug that libraries have, without looking for a rule that names it. A third of them is
held out, by a hash of their names: `is_held_out`. No rule or scenario may be written for those.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

from conformance.http import StreamEvent
from conformance.model import AssistantTurn, Conversation, Json, ToolCall, compact_json
from conformance.mutants.liar import Liar
from conformance.mutants.lies.chat import deltas, rewritten
from conformance.mutants.lies.results import each_text
from conformance.wires import PROVIDERS

NOT_CHAT = ("openai-responses", "anthropic", "gemini", "ollama")
USUAL = ("openai-chat", *NOT_CHAT)


class Unlisted(Liar):
    """A broken adapter."""

    thread: ClassVar[str] = ""
    """Where somebody published a bug of its kind, where that was looked up."""
    providers: ClassVar[tuple[str, ...]] = USUAL


# --- what is asked ---------------------------------------------------------------------------------------------------


class ForgetsWhatIsRequired(Unlisted):
    """Parameters are declared without the list of those that must be there."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, lambda node: {key: node[key] for key in node if key != "required"})


class WritesChoicesAsText(Unlisted):
    """The values of an enum are texts, whatever the type says."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(
            conversation,
            lambda node: {**node, "enum": [str(value) for value in node["enum"]]} if "enum" in node else node,
        )


class DescribesOnlyTools(Unlisted):
    """What a parameter means is not declared."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, _undescribed)


class MarksAllForTheCache(Unlisted):
    """Every block is marked for the cache, and not four at most."""

    thread = "https://github.com/continuedev/continue/issues/6937"
    providers = ("anthropic",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            if isinstance(message["content"], list):
                for block in message["content"]:
                    block["cache_control"] = {"type": "ephemeral"}
        return body


class SpeaksAsTheSystem(Unlisted):
    """The guidance is the first message, under the role of the system."""

    providers = ("anthropic", "gemini")

    def sends(self, body: Json) -> Json:
        if "system" in body:
            body["messages"].insert(0, {"role": "system", "content": body.pop("system")})
        if "systemInstruction" in body:
            body["contents"].insert(0, {**body.pop("systemInstruction"), "role": "system"})
        return body


# --- what goes back --------------------------------------------------------------------------------------------------


class KeepsTheLastMessages(Unlisted):
    """Of a long conversation only the last messages are sent, wherever that cuts."""

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, turns=conversation.turns[-2:])


class TrimsResults(Unlisted):
    """Blanks at the ends of a result mean nothing."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_text(conversation, str.strip)


class SignsTwice(Unlisted):
    """The signature of thinking is put together of its fragments and of the whole."""

    providers = ("anthropic",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block.get("signature"):
                    block["signature"] *= 2
        return body


class ForgetsThePhase(Unlisted):
    """Whether a message was a comment or the answer is not sent back."""

    thread = "https://github.com/vercel/ai/issues/12860"
    providers = ("openai-responses",)

    def sends(self, body: Json) -> Json:
        for item in body["input"]:
            item.pop("phase", None)
        return body


class WritesArgumentsAsPython(Unlisted):
    """Arguments go back as the language prints them."""

    providers = ("openai-chat", "openai-responses")

    def sends(self, body: Json) -> Json:
        for called in called_in(body):
            called["arguments"] = str(json.loads(called["arguments"] or "{}"))
        return body


class LeavesTheKindOfCallsOut(Unlisted):
    """A call that goes back does not say that it calls a function."""

    providers = ("openai-chat",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            for call in message.get("tool_calls") or ():
                call.pop("type", None)
        return body


class PlansAsContent(Unlisted):
    """What Cohere's model says beside calls goes back as content."""

    thread = "https://github.com/vercel/ai/issues/5794"
    providers = tuple(PROVIDERS)  # the others have no plans, and lose nothing

    def sends(self, body: Json) -> Json:
        for message in body.get("messages", ()):
            if "tool_plan" in message:
                message["content"] = message.pop("tool_plan")
        return body


# --- what is understood ----------------------------------------------------------------------------------------------


class StopsAtTheFinish(Unlisted):
    """What comes after the chunk with a reason to finish is not read."""

    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        ends = (place for place, event in enumerate(events) if re.search(r'"finish_reason": ?"', event.data))
        return events[: next(ends, len(events)) + 1]


class DropsNulls(Unlisted):
    """An argument that is null is an argument that is not there."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return each_arguments(turn, lambda values: {key: value for key, value in values.items() if value is not None})


class MergesEqualCalls(Unlisted):
    """Two calls of the same tool with the same arguments are one."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        told = {(call.name, compact_json(call.arguments), call.raw): call for call in reversed(turn.calls)}
        return replace(turn, calls=tuple(reversed(told.values())))


class ReadsTextsAsValues(Unlisted):
    """An argument that is a text of JSON is what that JSON is."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return each_arguments(turn, lambda values: {key: _decoded(value) for key, value in values.items()})


class ReadsEntities(Unlisted):
    """Entities of HTML in arguments are the characters that they stand for."""

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return each_arguments(
            turn,
            lambda values: {
                key: html.unescape(value) if isinstance(value, str) else value for key, value in values.items()
            },
        )


class ReadsOneText(Unlisted):
    """Of several texts in an answer the first is read."""

    providers = ("gemini",)

    def reads(self, body: Json) -> Json:
        for candidate in body.get("candidates", ()):
            parts, seen = candidate.get("content", {}).get("parts", []), False
            for part in list(parts):
                if "text" in part and not part.get("thought"):
                    if seen:
                        parts.remove(part)
                    seen = True
        return body


class CountsCallsFromZero(Unlisted):
    """Calls without ids are numbered, in each turn from 0."""

    providers = ("gemini", "ollama")

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(replace(one, id=f"call_{place}") for place, one in enumerate(turn.calls)))


class TakesSeparatorsForLines(Unlisted):
    """A line of a stream ends at every character that ends a line in some language."""

    providers = ("openai-chat", "openai-responses", "anthropic", "gemini")

    def hears(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        text = b"".join(chunks).decode("utf-8", "replace")
        yield "".join(f"{line}\n" for line in text.splitlines()).encode()


class StripsDeltas(Unlisted):
    """A fragment of text has no blanks at its ends."""

    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return [self._stripped(event) for event in events]

    def _stripped(self, event: StreamEvent) -> StreamEvent:
        document: Any = deltas(event)[0]
        if document is None:
            return event
        for choice in document.get("choices") or ():
            if isinstance(choice.get("delta", {}).get("content"), str):
                choice["delta"]["content"] = choice["delta"]["content"].strip()
        return rewritten(event, document)


# --- helpers ---------------------------------------------------------------------------------------------------------


def each_schema(conversation: Conversation, change: Callable[[Any], Any]) -> Conversation:
    """The conversation, with every object of its tools' schemas changed."""

    def changed(node: Any) -> Any:
        if isinstance(node, dict):
            return change({key: changed(value) for key, value in node.items()})
        return [changed(value) for value in node] if isinstance(node, list) else node

    tools = tuple(
        replace(tool, parameters=tool.parameters and changed(dict(tool.parameters))) for tool in conversation.tools
    )
    return replace(conversation, tools=tools)


def _undescribed(node: Any) -> Any:
    return {key: value for key, value in node.items() if key != "description" or not isinstance(value, str)}


def called_in(body: Any) -> Iterator[Any]:
    """What has arguments in a request of OpenAI's formats."""
    for message in body.get("messages", ()):
        yield from (call["function"] for call in message.get("tool_calls") or () if "function" in call)
    yield from (item for item in body.get("input", ()) if item.get("type") == "function_call")


def each_arguments(turn: AssistantTurn, change: Callable[[dict[str, Any]], dict[str, Any]]) -> AssistantTurn:
    """The turn, with the arguments of every call changed that has some."""

    def changed(call: ToolCall) -> ToolCall:
        return call if call.arguments is None else replace(call, arguments=change(dict(call.arguments)))

    return replace(turn, calls=tuple(map(changed, turn.calls)))


def _decoded(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


UNLISTED: dict[str, type[Unlisted]] = {one.__name__: one for one in Unlisted.__subclasses__()}
"""All of them, by name."""


def is_held_out(name: str, among: Iterable[str] = UNLISTED) -> bool:
    """Whether an adapter is among the third of its series with the smallest hashes."""
    ordered = sorted(among, key=lambda one: hashlib.sha256(one.encode()).hexdigest())
    return name in ordered[: len(ordered) // 3]
