"""The same model call, asked for a little differently: what a relation between two requests needs.

A rule that `varies` something compares the request of a model call with the one of a variant. Nothing has to be known
of the right request for that: what must not depend on the change is equal in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from conformance.deliveries import DELIVERIES, Delivery
from conformance.model import (
    AssistantTurn,
    Conversation,
    JsonPart,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    UserTurn,
    part_text,
)
from conformance.transcript import VariantName

BESIDE = Tool("tell_time", "Tell the time", {"type": "object", "properties": {"zone": {"type": "string"}}})
"""A tool that has nothing to do with any other."""
STRICT_BESIDE = Tool(
    "set_volume",
    "Set the volume",
    {
        "type": "object",
        "properties": {"percent": {"type": "integer"}},
        "required": ["percent"],
        "additionalProperties": False,
    },
    strict=True,
)

MORE = 512
"""By how many tokens another limit is higher."""

SYSTEM = "Answer in one sentence."
RENEWED = "renewed"
"""What is said besides in a conversation that has the names and ids of another one."""


ANOTHER = Conversation((UserTurn("Which way is north?"),), tools=(BESIDE,), system="You are a compass.")
"""A conversation of somebody else."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to ask differently. ``change`` gives the conversation, or ``None`` where there is nothing to change."""

    change: Callable[[Conversation], Conversation | None]
    before: Conversation | None = None
    """What the same adapter is asked just before."""
    streamed: bool = False
    """Whether the answer is asked for as a stream."""
    apart: bool = False
    """Whether it is a conversation of its own, that nobody has answered yet."""

    def delivery(self, usual: Delivery) -> Delivery:
        """How the answer is delivered."""
        return DELIVERIES["stream:per-event"] if self.streamed else usual


def _again(conversation: Conversation) -> Conversation:
    return conversation


def _beside(tool: Tool) -> Callable[[Conversation], Conversation | None]:
    """With one tool more, which stands first. ``None`` without tools: the first tool may bring members of its own."""

    def change(conversation: Conversation) -> Conversation | None:
        return replace(conversation, tools=(tool, *conversation.tools)) if conversation.tools else None

    return change


def _tools_reversed(conversation: Conversation) -> Conversation | None:
    tools = conversation.tools
    return replace(conversation, tools=tuple(reversed(tools))) if len(tools) > 1 else None


def _free_choice(conversation: Conversation) -> Conversation | None:
    """With ``auto`` for another choice. A model that thinks may be asked to think less when it is forced."""
    if conversation.choice == ToolChoice() or conversation.reasoning:
        return None
    return replace(conversation, choice=ToolChoice())


def _other_system(conversation: Conversation) -> Conversation | None:
    return replace(conversation, system=SYSTEM) if conversation.system is not None else None


def _results_as_text(conversation: Conversation) -> Conversation | None:
    """With the JSON text of each structured result in its place."""
    turns = tuple(map(_with_text, conversation.turns))
    return replace(conversation, turns=turns) if turns != conversation.turns else None


def _with_text(turn: Turn) -> Turn:
    return ResultsTurn(tuple(map(_as_text, turn.results))) if isinstance(turn, ResultsTurn) else turn


def _as_text(result: ToolResult) -> ToolResult:
    parts = (TextPart(part_text(part)) if isinstance(part, JsonPart) else part for part in result.content)
    return replace(result, content=tuple(parts))


def _other_limit(conversation: Conversation) -> Conversation:
    return replace(conversation, max_tokens=conversation.max_tokens + MORE)


def _idle_choice(conversation: Conversation) -> Conversation | None:
    """With a choice among tools that there are not."""
    return None if conversation.tools else replace(conversation, choice=ToolChoice("none", parallel=False))


def _calls_forbidden(conversation: Conversation) -> Conversation | None:
    """With calls forbidden, where the model was free. Whether it thinks then is the provider's affair."""
    free = conversation.tools and conversation.choice == ToolChoice() and not conversation.reasoning
    return replace(conversation, choice=ToolChoice("none")) if free else None


def _renewed(conversation: Conversation) -> Conversation | None:
    """Another conversation that has the names and ids of this one, and says something else under each of them.

    Whoever keeps anything by a name or an id sends what was kept.
    """
    names = [tool.name for tool in conversation.tools]
    if not names or conversation.reasoning or any(tool.mcp or not tool.described for tool in conversation.tools):
        return None
    other = dict(zip(names, [*names[1:], names[0]], strict=True))
    tools = tuple(replace(tool, description=f"{RENEWED} {tool.description}") for tool in conversation.tools)
    return replace(conversation, turns=tuple(_renewed_turn(turn, other) for turn in conversation.turns), tools=tools)


def _renewed_turn(turn: Turn, names: Mapping[str, str]) -> Turn:
    match turn:
        case UserTurn():
            return replace(turn, text=f"{RENEWED} {turn.text}")
        case AssistantTurn():
            calls = tuple(_renewed_call(call, names) for call in turn.calls)
            return replace(turn, text=turn.text and f"{RENEWED} {turn.text}", calls=calls, opaque=None)
        case ResultsTurn():
            return ResultsTurn(tuple(_renewed_result(result, names) for result in turn.results))
    return turn


def _renewed_call(call: ToolCall, names: Mapping[str, str]) -> ToolCall:
    arguments = {**(call.arguments or {}), RENEWED: True}
    return ToolCall(call.id, names.get(call.name, call.name), arguments)


def _renewed_result(result: ToolResult, names: Mapping[str, str]) -> ToolResult:
    content = (TextPart(RENEWED), *result.content)
    return replace(result, name=names.get(result.name, result.name), content=content)


VARIANTS: Mapping[VariantName, Variant] = {
    "again": Variant(_again),
    "after-another": Variant(_again, before=ANOTHER),
    "streamed": Variant(_again, streamed=True),
    "tool-beside": Variant(_beside(BESIDE)),
    "strict-tool-beside": Variant(_beside(STRICT_BESIDE)),
    "tools-reversed": Variant(_tools_reversed),
    "free-choice": Variant(_free_choice),
    "other-system": Variant(_other_system),
    "results-as-text": Variant(_results_as_text),
    "other-limit": Variant(_other_limit),
    "idle-choice": Variant(_idle_choice),
    "calls-forbidden": Variant(_calls_forbidden),
    "renewed": Variant(_renewed, apart=True),
}
