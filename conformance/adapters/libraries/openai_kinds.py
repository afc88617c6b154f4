"""The openai SDK: calls of tools that OpenAI defined and the application runs, shells and patches, and their outputs.

Sources: https://platform.openai.com/docs/guides/tools-shell and https://platform.openai.com/docs/guides/tools-apply-patch;
openai 3.57.0 ``openai.types.responses.response_input_item_param``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.model import AssistantTurn, Conversation, Json, JsonPart, ToolCall, ToolResult, result_text

MEMBERS: Mapping[str, str] = {"local_shell_call": "action", "shell_call": "action", "apply_patch_call": "operation"}
"""The member of an item that holds what is to be run, by the item's type."""


def declared_kind(kind: str) -> Json:
    """A tool of one of the kinds, to be run here."""
    return {"type": "shell", "environment": {"type": "local"}} if kind == "shell" else {"type": kind}


def is_kind_call(item: Any) -> bool:
    """Whether an item of the SDK's is a call for the application. What has a container is run by OpenAI."""
    environment = getattr(item, "environment", None)
    return item.type in MEMBERS and getattr(environment, "type", None) != "container_reference"


def kind_name(item: Any, conversation: Conversation) -> str:
    """The application's name of the tool that an item calls."""
    kind: str = item.type.removesuffix("_call")
    return next((tool.name for tool in conversation.tools if tool.kind == kind), kind)


def kind_call_of(item: Any, conversation: Conversation) -> ToolCall:
    """The call that an item of the SDK's is."""
    given = getattr(item, MEMBERS[item.type]).to_dict()
    return ToolCall(item.call_id, kind_name(item, conversation), given)


def kind_call_item(kind: str, call_id: str, call: ToolCall) -> Json:
    """A call of another model's, as an item."""
    own = {"id": f"lsh_{call_id}"[:64]} if kind == "local_shell" else {}
    given = {MEMBERS[f"{kind}_call"]: call.arguments or {}}
    return {"type": f"{kind}_call", **own, "call_id": call_id, "status": "completed", **given}


def kind_output(kind: str, call_id: str, result: ToolResult, conversation: Conversation) -> Json:
    """The item that answers a call."""
    answer: dict[str, Json] = {"type": f"{kind}_call_output", "call_id": call_id}
    text = result_text(result)
    if kind == "apply_patch":
        return {**answer, "status": "failed" if result.is_error else "completed", "output": text}
    if kind == "local_shell":
        return {**answer, "id": call_id, "output": text}
    limit = _limit(result.call_id, conversation)
    limited = {} if limit is None else {"max_output_length": limit}
    match result.content:
        case (JsonPart(list() as outcomes),):
            return {**answer, **limited, "output": outcomes}
    outcome = {"type": "exit", "exit_code": int(result.is_error)}
    streams = {"stdout": "", "stderr": text} if result.is_error else {"stdout": text, "stderr": ""}
    return {**answer, **limited, "output": [{**streams, "outcome": outcome}]}


def _limit(call_id: str, conversation: Conversation) -> Json:
    turns = (turn for turn in reversed(conversation.turns) if isinstance(turn, AssistantTurn))
    calls = (call for turn in turns for call in turn.calls if call.id == call_id)
    return next(((call.arguments or {}).get("max_output_length") for call in calls), None)
