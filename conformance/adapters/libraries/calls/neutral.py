"""What the libraries' arguments have in common: what is declared, chosen and said, and how a history grows."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from conformance.adapters.libraries.application import Utterance, declared_names, function_schema, utterances
from conformance.adapters.libraries.calls.contract import (
    Call,
    CallStep,
    ConversationGrowth,
    Extend,
    Fields,
    Reference,
    Source,
)
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    Part,
    TextPart,
    Tool,
    ToolCall,
    ToolResult,
    compact_json,
    result_text,
)
from conformance.wires import card, wire


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a turn is said: to which provider, in which conversation, and what stands for the ids of its calls."""

    provider: str
    conversation: Conversation
    reference: Reference

    def name(self, tool: str) -> str:
        """The name under which a tool is declared."""
        return declared(tool, self.conversation)


Write = Callable[[Utterance, Scene], Iterable[Any]]
"""Writes a turn as the library's messages."""

ID_KEYS = ("tool_call_id", "call_id", "tool_use_id", "id")
"""Under these names the providers' own formats have the ids of calls."""


# --- tools -----------------------------------------------------------------------------------------------------------


def declarations(conversation: Conversation) -> list[tuple[str, Tool]]:
    """The tools, with the names under which they are declared."""
    names = declared_names(conversation.tools)
    return [(names[tool.name], tool) for tool in conversation.tools]


def functions(conversation: Conversation) -> list[tuple[str, Tool]]:
    """Those of them that the application runs."""
    return [(name, tool) for name, tool in declarations(conversation) if tool.builtin is None]


def builtins(conversation: Conversation) -> list[str]:
    """The tools that the provider runs."""
    return [tool.builtin for tool in conversation.tools if tool.builtin is not None]


def openai_function(name: str, tool: Tool) -> Json:
    """A tool in OpenAI's format."""
    function: Json = {"name": name, "description": tool.description, "parameters": function_schema(tool)}
    return {"type": "function", "function": function | strictness(tool)}


def strictness(tool: Tool) -> dict[str, bool]:
    """The option ``strict``, if the tool says anything about it."""
    return {} if tool.strict is None else {"strict": tool.strict}


def chosen(conversation: Conversation) -> str | None:
    """The declared name of the tool that must be called, or else the mode; ``None`` for ``auto``."""
    choice = conversation.choice
    if choice.mode == "tool":
        return declared(choice.name or "", conversation)
    return None if choice.mode == "auto" else choice.mode


def declared(name: str, conversation: Conversation) -> str:
    """The name under which a tool is declared."""
    return declared_names(conversation.tools).get(name, name)


# --- what is said ----------------------------------------------------------------------------------------------------


def error_text(result: ToolResult) -> str:
    """A result as text, for formats that have no word for a failure."""
    text = result_text(result)
    return compact_json({"error": text}) if result.is_error else text


def call_of(result: ToolResult, conversation: Conversation) -> ToolCall:
    """The call that a result answers."""
    turns = [turn for turn in conversation.turns if isinstance(turn, AssistantTurn)]
    return next(call for turn in reversed(turns) for call in turn.calls if call.id == result.call_id)


def itself(call_id: str) -> str:
    """The `Reference` to calls of another provider."""
    return call_id


def pictured(result: ToolResult, scene: Scene) -> list[Part] | None:
    """The parts of a result that is sent with its images; ``None`` for one that is sent as text or as a value.

    In the portable profile images are summed up in words. Gemini's format wants those of a lone result beside them.
    """
    images = [part for part in result.content if isinstance(part, ImagePart)]
    if not images:
        return None
    if scene.conversation.profile == "native":
        return list(result.content)
    lone = (result,) in utterances(scene.conversation)
    return [TextPart(result_text(result)), *images] if scene.provider == "gemini" and lone else None


def data_url(image: ImagePart) -> str:
    """An image as a URL."""
    return f"data:{image.media_type};base64,{base64.b64encode(image.data).decode()}"


def history(write: Write, provider: str, conversation: Conversation) -> list[Any]:
    """All that was said, as the library's messages."""
    scene = Scene(provider, conversation, itself)
    return [message for item in utterances(conversation) for message in write(item, scene)]


def by_turns(write: Write) -> Callable[[Call, ConversationGrowth], Iterator[CallStep]]:
    """Growth of a history of the library's own objects: of what was said since, all but the model's own turn."""

    def grow(call: Call, grown: ConversationGrowth) -> Iterator[CallStep]:
        scene = Scene(grown.provider, grown.after, grown.reference)
        yield Extend(call.history, [new for item in said_since(grown) for new in write(item, scene)])

    return grow


def said_since(grown: ConversationGrowth) -> list[Utterance]:
    """What was said since the library answered."""
    since = list(utterances(grown.after))[len(list(utterances(grown.before))) :]
    return list(dropwhile(lambda item: isinstance(item, AssistantTurn), since))


# --- the providers' own formats --------------------------------------------------------------------------------------


def base_url(provider: str) -> Source:
    """The base URL as the provider's own SDK wants it, in either language."""
    path = card(provider).base_path
    return Source(f'BASE_URL + "{path}"' if path else "BASE_URL")


def wire_fields(provider: str, conversation: Conversation, stream: bool) -> Fields:
    """The body that the reference wire sends, as the SDK's arguments."""
    fields: Fields = json.loads(wire(provider).build(conversation, stream=stream).body)
    return {name: value for name, value in fields.items() if name not in ("stream", "stream_options")}


def by_difference(call: Call, grown: ConversationGrowth) -> Iterator[CallStep]:
    """Growth of a history that is JSON: what a request has more than the one before, without the model's own turn."""
    before, after = (
        call.fields(grown.provider, conversation, grown.streamed)[call.history]
        for conversation in (grown.before, grown.after)
    )
    new = dropwhile(_is_models, after[len(before) :])
    yield Extend(call.history, [_referring(item, grown.reference) for item in new])


def _is_models(item: Json) -> bool:
    """Whether a message, or an item of Responses, is the model's own."""
    if "role" in item:
        return str(item["role"]) in ("assistant", "model")
    return str(item.get("type")) != "function_call_output"


def _referring(value: Any, reference: Reference) -> Any:
    """``value`` with the ids of calls as expressions: the library says what they are."""
    if isinstance(value, list):
        return [_referring(item, reference) for item in value]
    if isinstance(value, dict):
        return {
            key: reference(item) if key in ID_KEYS and isinstance(item, str) else _referring(item, reference)
            for key, item in value.items()
        }
    return value
