"""Lies about what depends on what: requests that change with things that have nothing to do with it."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import ClassVar

from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    JsonPart,
    ResultsTurn,
    Tool,
    ToolChoice,
    Turn,
    UserTurn,
)
from conformance.mutants.liar import Liar
from conformance.wires import PROVIDERS, cards

CALLED = "Use the tools."


class SendsTheKeyTwice(Liar):
    """What stands in the address is found by every server."""

    aims = ("common.http.key-once",)

    def posts(self, request: Request) -> Request:
        sent = next(card.key for card in cards() if request.header(card.key.header))
        key = (request.header(sent.header) or "").removeprefix(sent.prefix)
        return replace(request, url=f"{request.url}{'&' if request.query else '?'}api_key={key}")


class NumbersItsRequests(Liar):
    """Every request is one of its own, so the guidance counts them."""

    aims = ("common.http.same-request-twice",)
    numbers: ClassVar[count[int]] = count()

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, system=f"{conversation.system or ''} Request {next(self.numbers)}.")


class KeepsTheGuidance(Liar):
    """Who has been told how to behave once knows it: the first guidance stays."""

    aims = ("common.http.nothing-of-another",)

    def __init__(self) -> None:
        super().__init__()
        self._guidance: list[str] = []

    def means(self, conversation: Conversation) -> Conversation:
        if conversation.system is not None and conversation.system not in self._guidance:
            self._guidance.append(conversation.system)
        return replace(conversation, system="\n".join(self._guidance) or None)


class SaysLessInStreams(Liar):
    """A stream is for impatient people, who need no guidance."""

    aims = ("common.http.stream-changes-nothing-else",)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        asked = replace(conversation, tools=conversation.tools[:1]) if stream else conversation
        return super().build_request(provider, asked, stream=stream)


class AsksInWords(Liar):
    """A model that must call a tool is told so, to be sure."""

    aims = ("common.choose.changes-nothing-else",)

    def means(self, conversation: Conversation) -> Conversation:
        if conversation.choice == ToolChoice():
            return conversation
        return replace(conversation, system=CALLED)


class NumbersItsTools(Liar):
    """Descriptions say which tool of how many it is."""

    aims = ("common.declare.unmoved-by-other-tools",)

    def means(self, conversation: Conversation) -> Conversation:
        many = len(conversation.tools)
        tools = (replace(tool, description=f"{tool.description} (one of {many})") for tool in conversation.tools)
        return replace(conversation, tools=tuple(tools))


class SortsItsTools(Liar):
    """Tools are found sooner by their names, so they are declared in their order."""

    aims = ("common.declare.order-kept",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, tools=tuple(sorted(conversation.tools, key=lambda tool: tool.name)))


class IsStrictWithAll(Liar):
    """Where one tool is strict, all are."""

    aims = ("common.declare.strict-tool-by-tool",)
    providers = ("openai-chat", "openai-responses", "anthropic", "azure", "mistral")
    """Where strictness is said, and said tool by tool."""

    def means(self, conversation: Conversation) -> Conversation:
        if not any(tool.strict for tool in conversation.tools):
            return conversation
        return replace(conversation, tools=tuple(replace(tool, strict=True) for tool in conversation.tools))


class RewritesThePast(Liar):
    """What the user said long ago is shortened, to save tokens."""

    aims = ("common.history.only-extended",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = conversation.turns
        if len(turns) < 3 or not isinstance(turns[0], UserTurn):
            return conversation
        return replace(conversation, turns=(UserTurn(turns[0].text[:10]), *turns[1:]))


class GuidesTheUserToo(Liar):
    """The guidance is so important that the user says it as well."""

    aims = ("common.history.guidance-changes-nothing-else",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = conversation.turns
        if conversation.system is None or not turns or not isinstance(turns[0], UserTurn):
            return conversation
        return replace(conversation, turns=(UserTurn(f"{conversation.system}\n{turns[0].text}"), *turns[1:]))


class AnnouncesStructure(Liar):
    """Before a structured result comes, the model says that it expects one."""

    aims = ("common.result.structure-changes-nothing-else",)

    def means(self, conversation: Conversation) -> Conversation:
        turns = list(conversation.turns)
        for place, turn in enumerate(turns[1:], 1):
            before = turns[place - 1]
            if isinstance(turn, ResultsTurn) and isinstance(before, AssistantTurn) and _is_structured(turn):
                turns[place - 1] = replace(before, text=f"{before.text} I expect JSON.", opaque=None)
        return replace(conversation, turns=tuple(turns))


def _is_structured(turn: ResultsTurn) -> bool:
    return any(isinstance(part, JsonPart) for result in turn.results for part in result.content)


class RaisesTheLimit(Liar):
    """Some tokens more do no harm."""

    aims = ("common.choose.limit-as-asked",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, max_tokens=max(conversation.max_tokens, 4096))


class ThinksOfItsOwnAccord(Liar):
    """Whoever thinks answers better, so it thinks when nobody asked, and not where it was asked."""

    aims = ("common.choose.thinking-as-asked",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, reasoning=not conversation.reasoning)


class WantsToChoose(Liar):
    """Two answers are better than one."""

    aims = ("common.http.nothing-costly-unasked",)

    def sends(self, body: Json) -> Json:
        if "contents" in body:
            return {**body, "generationConfig": {**body.get("generationConfig", {}), "candidateCount": 2}}
        return {**body, **({"service_tier": "priority"} if "input" in body else {"n": 2})}


class ForbidsWhatIsNotThere(Liar):
    """Where calls are forbidden, it says so in words, tools or none."""

    aims = ("common.choose.idle-without-tools",)

    def means(self, conversation: Conversation) -> Conversation:
        if conversation.choice.mode != "none":
            return conversation
        return replace(conversation, system="Call no tools.")


class ThinksToTheLimit(Liar):
    """All tokens may be spent on thinking."""

    aims = ("anthropic.choose.thinking-budget",)

    def sends(self, body: Json) -> Json:
        if "thinking" in body:
            body["thinking"]["budget_tokens"] = body["max_tokens"]
        return body


class AsksForNoUsage(Liar):
    """What a stream costs can be read on the bill."""

    aims = ("chat.http.usage-asked-for",)

    def sends(self, body: Json) -> Json:
        return {name: value for name, value in body.items() if name != "stream_options"}


class UrgesInTheUsersName(Liar):
    """After a user who spoke first, the user always wants it to go on."""

    aims = ("common.history.own-words-of-the-user",)
    providers = tuple(name for name in PROVIDERS if name not in ("anthropic", "bedrock"))
    """Where what the user says twice in a row is two messages."""

    def means(self, conversation: Conversation) -> Conversation:
        first, *others = conversation.turns
        return replace(conversation, turns=(first, UserTurn("Please go on."), *others))


class ThinksAloudInTheModelsName(Liar):
    """What the model says, it says after a word of ours."""

    aims = ("common.history.own-words-of-the-model",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, turns=tuple(map(_with_a_word, conversation.turns)))


def _with_a_word(turn: Turn) -> Turn:
    return replace(turn, text=f"(continued) {turn.text}") if isinstance(turn, AssistantTurn) and turn.text else turn


class KnowsToolsByName(Liar):
    """A tool that was declared once is known."""

    aims = ("common.http.own-words-at-any-time",)

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, Tool] = {}

    def means(self, conversation: Conversation) -> Conversation:
        tools = tuple(self._known.setdefault(tool.name, tool) for tool in conversation.tools)
        return replace(conversation, tools=tools)


class RelentsAfterResults(Liar):
    """Whoever sends results wants the model to go on, whatever was forbidden."""

    aims = ("common.choose.forbidden-at-any-time",)
    providers = tuple(name for name in PROVIDERS if name not in ("bedrock", "ollama"))
    """Where calls can be forbidden after calls."""

    def means(self, conversation: Conversation) -> Conversation:
        relents = conversation.choice.mode == "none" and isinstance(conversation.turns[-1], ResultsTurn)
        return replace(conversation, choice=ToolChoice()) if relents else conversation
