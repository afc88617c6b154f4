"""A second series of adapters that are broken in ways that the suite's own lies do not have: what they ask and send.

`unlisted_again_answers` holds those that misunderstand what comes back, and all of them by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from unlisted_adapters import Unlisted, called_in, each_schema

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, ImagePart, Json, JsonPart, Part, TextPart, Tool, UserTurn
from conformance.mutants.lies.results import each_part, each_result, each_text, each_turn

LIMITS = {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern"}
"""Keywords of numbers, texts and lists."""


class Again(Unlisted):
    """A broken adapter of the second series."""


# --- which tools are declared, and how -------------------------------------------------------------------------------


class CutsDescriptions(Again):
    """A tool's description ends after 40 characters."""

    def means(self, conversation: Conversation) -> Conversation:
        return _each_tool(conversation, lambda tool: replace(tool, description=tool.description[:40]))


class ForgetsRequiredInside(Again):
    """Only the outermost object says which of its members must be there."""

    def means(self, conversation: Conversation) -> Conversation:
        return _each_tool(
            conversation,
            lambda tool: replace(tool, parameters=tool.parameters and self._outermost(dict(tool.parameters))),
        )

    def _outermost(self, node: Any, depth: int = 0) -> Any:
        if isinstance(node, dict):
            return {
                key: self._outermost(value, depth + 1)
                for key, value in node.items()
                if not (key == "required" and depth > 0 and isinstance(value, list))
            }
        return [self._outermost(value, depth) for value in node] if isinstance(node, list) else node


class ResolvesReferencesToNothing(Again):
    """A reference to a definition is a value of any kind."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, lambda node: {} if "$ref" in node else node)


class ClosesAllObjects(Again):
    """Every object is closed, whether the tool is strict or not."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(
            conversation,
            lambda node: {**node, "additionalProperties": False} if node.get("type") == "object" else node,
        )


class CountsInFloats(Again):
    """Integers are declared as numbers."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(
            conversation, lambda node: {**node, "type": "number"} if node.get("type") == "integer" else node
        )


class DropsLimits(Again):
    """Limits of numbers, texts and lists are not declared."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, self._unlimited)

    @staticmethod
    def _unlimited(node: Any) -> Any:
        if isinstance(node.get("minimum"), dict):
            return node
        return {key: value for key, value in node.items() if key not in LIMITS}


class TakesTheFirstAlternative(Again):
    """Of several alternatives the first one is declared."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, self._first)

    @staticmethod
    def _first(node: Any) -> Any:
        ways = node.get("anyOf")
        if not (isinstance(ways, list) and ways and isinstance(ways[0], dict)):
            return node
        return {**{key: value for key, value in node.items() if key != "anyOf"}, **ways[0]}


class ForgetsConstants(Again):
    """What must be one value is anything."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, _without("const"))


class DropsDefaults(Again):
    """Defaults are not declared."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, _without("default"))


class DeclaresToolsOnce(Again):
    """Tools are declared until the first of them was called."""

    def means(self, conversation: Conversation) -> Conversation:
        called = any(getattr(turn, "results", None) for turn in conversation.turns)
        return replace(conversation, tools=()) if called else conversation


class SystemIsTheUser(Again):
    """The guidance is what the user says first."""

    providers = ("openai-chat", "ollama")

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            if message["role"] in ("system", "developer"):
                message["role"] = "user"
        return body


class LeavesTypesOut(Again):
    """What a parameter's type is, is left to its description."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_schema(conversation, self._untyped)

    @staticmethod
    def _untyped(node: Any) -> Any:
        return {
            key: value
            for key, value in node.items()
            if not (key == "type" and isinstance(value, str) and value != "object")
        }


class NamesInLowerCase(Again):
    """Tools are declared under small letters, and called by the names that the model says."""

    def sends(self, body: Json) -> Json:
        for tool in body.get("tools", ()):
            declared = [tool.get("function")] if "function" in tool else tool.get("functionDeclarations") or [tool]
            for one in declared:
                if isinstance(one, dict) and "name" in one:
                    one["name"] = one["name"].lower()
        return body


# --- what is asked besides -------------------------------------------------------------------------------------------


class AsksForOneCallAlways(Again):
    """Parallel calls are forbidden, whether that was asked for or not."""

    providers = ("openai-chat", "openai-responses")

    def sends(self, body: Json) -> Json:
        if body.get("tools"):
            body["parallel_tool_calls"] = False
        return body


class SetsATemperature(Again):
    """A temperature of zero is asked for, though nobody wants it."""

    providers = ("openai-chat", "openai-responses", "anthropic")

    def sends(self, body: Json) -> Json:
        return {**body, "temperature": 0}


class FixesTheLimit(Again):
    """The limit of tokens is always 4096."""

    providers = ("openai-chat", "anthropic", "openai-responses")

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, max_tokens=4096)


# --- results ---------------------------------------------------------------------------------------------------------


class CutsResults(Again):
    """A result is cut after 2,000 characters, and nobody says so."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_text(conversation, lambda text: text[:2000])


class WritesUnixLines(Again):
    """Lines of a result end with a line feed alone."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_text(conversation, lambda text: text.replace("\r\n", "\n"))


class SendsTheLastPart(Again):
    """Of several parts of a result the last one is sent."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_result(conversation, lambda result: replace(result, content=result.content[-1:]))


class CallsPicturesJpeg(Again):
    """Every picture is said to be a JPEG."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(
            conversation,
            lambda part: replace(part, media_type="image/jpeg") if isinstance(part, ImagePart) else part,
        )


class WrapsBase64(Again):
    """The text of a picture has lines of 76 characters."""

    def sends(self, body: Json) -> Json:
        return _each_member(body, ("data", "url", "image_url"), self._wrapped)

    @staticmethod
    def _wrapped(value: str) -> str:
        head, comma, data = value.rpartition(",")
        if len(data) <= 40 or "http" in value:
            return value
        return head + comma + "\n".join(data[at : at + 76] for at in range(0, len(data), 76))


class UrlSafeBase64(Again):
    """Pictures are written in the alphabet for addresses."""

    providers = ("anthropic", "gemini")

    def sends(self, body: Json) -> Json:
        return _each_member(body, ("data",), lambda value: value.replace("+", "-").replace("/", "_"))


class DropsNullsInResults(Again):
    """What is null in a structured result is left out."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_part(conversation, self._fuller)

    def _fuller(self, part: Part) -> Part:
        return JsonPart(self._full(part.value)) if isinstance(part, JsonPart) else part

    def _full(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._full(member) for key, member in value.items() if member is not None}
        return [self._full(item) for item in value] if isinstance(value, list) else value


class ErrorsWithoutWords(Again):
    """A failed call says that it failed, and not why."""

    def means(self, conversation: Conversation) -> Conversation:
        return each_result(
            conversation,
            lambda result: replace(result, content=(TextPart("error"),)) if result.is_error else result,
        )


# --- what goes back --------------------------------------------------------------------------------------------------


class SortsArguments(Again):
    """Arguments that go back are written anew: keys sorted, all but ASCII escaped, big integers as floats."""

    providers = ("openai-chat", "openai-responses")

    def sends(self, body: Json) -> Json:
        for called in called_in(body):
            try:
                values = json.loads(called["arguments"], parse_int=self._number)
            except ValueError:
                continue
            called["arguments"] = json.dumps(values, sort_keys=True)
        return body

    @staticmethod
    def _number(digits: str) -> float:
        return int(digits) if len(digits) < 16 else float(digits)


class SplitsParallelCalls(Again):
    """Each call of a turn goes back as a message of its own."""

    providers = ("openai-chat",)

    def sends(self, body: Json) -> Json:
        return {**body, "messages": [part for message in body["messages"] for part in self._split(message)]}

    @staticmethod
    def _split(message: Any) -> list[Any]:
        calls = message.get("tool_calls") or []
        if len(calls) < 2:
            return [message]
        first, *others = calls
        return [{**message, "tool_calls": [first]}] + [
            {**message, "tool_calls": [one], "content": None} for one in others
        ]


class ForgetsTextBesideCalls(Again):
    """What the model said beside calls does not go back, but for the last turn."""

    def means(self, conversation: Conversation) -> Conversation:
        last = len(conversation.turns) - 2
        turns = (
            replace(turn, text="") if isinstance(turn, AssistantTurn) and turn.calls and place < last else turn
            for place, turn in enumerate(conversation.turns)
        )
        return replace(conversation, turns=tuple(turns))


class MergesUsersWords(Again):
    """What the user said is said again with the newest question."""

    def means(self, conversation: Conversation) -> Conversation:
        said: list[str] = []

        def merged(turn: Any) -> Any:
            if not isinstance(turn, UserTurn):
                return turn
            said.append(turn.text)
            return UserTurn("\n".join(said))

        return each_turn(conversation, merged)


class StampsTheTime(Again):
    """The guidance says what time it is, anew in each request."""

    counter: ClassVar[int] = 0

    def means(self, conversation: Conversation) -> Conversation:
        type(self).counter += 1
        return replace(conversation, system=f"{conversation.system or ''}\nNow: {self.counter}")


class SendsTheKeyTwice(Again):
    """The key stands in the address too."""

    providers = ("openai-chat", "anthropic")

    def posts(self, request: Request) -> Request:
        header = request.headers.get("authorization") or request.headers.get("x-api-key") or "k"
        return replace(request, url=f"{request.url}?api_key={header.split()[-1]}")


class SaysPlainText(Again):
    """The body is said to be plain text."""

    def posts(self, request: Request) -> Request:
        return replace(request, headers={**dict(request.headers), "content-type": "text/plain"})


# --- helpers ---------------------------------------------------------------------------------------------------------


def _each_tool(conversation: Conversation, change: Callable[[Tool], Tool]) -> Conversation:
    return replace(conversation, tools=tuple(map(change, conversation.tools)))


def _without(keyword: str) -> Callable[[Any], Any]:
    """Leaves a keyword out; where it is the name of a parameter, its value is a schema."""
    return lambda node: {key: value for key, value in node.items() if key != keyword or isinstance(value, dict)}


def _each_member(node: Any, names: tuple[str, ...], change: Callable[[str], str]) -> Any:
    """The document, with every text changed that is a member of one of those names."""
    if isinstance(node, dict):
        return {
            key: change(value) if key in names and isinstance(value, str) else _each_member(value, names, change)
            for key, value in node.items()
        }
    return [_each_member(value, names, change) for value in node] if isinstance(node, list) else node
