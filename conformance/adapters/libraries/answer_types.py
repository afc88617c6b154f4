"""The type by which an application asks for an answer in JSON, as the SDKs' documentation shows: a class of pydantic's.

A class says only what plain schemas say, so it is made of those alone: an object whose members are all there, each of a
plain type. Other schemas are asked for as they are.
"""

from __future__ import annotations

from typing import Any

from conformance.adapters.capture import door
from conformance.model import Conversation, Json, Parsed

KINDS = ("string", "integer", "number", "boolean")


def answer_type(conversation: Conversation) -> Any:
    """The class for the answer that a conversation asks for; ``None`` where it asks for none, or no class says it."""
    schema = conversation.output
    return new_type(schema) if schema is not None and _is_plain(schema) else None


def _is_plain(schema: Json) -> bool:
    members = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(members)
    return closed and all(member in ({"type": kind} for kind in KINDS) for member in members.values())


@door
def new_type(schema: Any) -> Any:
    """A class like ``class Answer(BaseModel): pieces: int``."""
    from pydantic import ConfigDict, create_model

    kinds: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool}
    members: Any = {name: (kinds[one["type"]], ...) for name, one in schema["properties"].items()}
    return create_model("Answer", __config__=ConfigDict(extra="forbid"), **members)


def parsed(value: Any) -> Parsed:
    """What the SDK made of the text: an object of the class, or nothing."""
    return Parsed(value.model_dump() if hasattr(value, "model_dump") else value)
