"""Why providers refused recorded requests with tools, and why no rule says so where none does.

The first pattern that is found in the error's message decides. Messages are cut down to the words that tell the kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of refusal. ``why`` says why no rule tells it beforehand; empty where a rule should."""

    pattern: str
    words: str
    why: str = ""


KINDS = (
    Kind(r"unexpected `tool_use_id`", "a result whose id no call has"),
    Kind(r"Input should be 'function'|type must be one of \[function", "a tool of a type that the host does not have"),
    Kind(r"Invalid schema for function", "a strict schema that is not closed"),
    Kind(r"input_schema", "a schema that is no object"),
    Kind(r"Too many strict tools|too many (optional )?parameters", "strict tools beyond the limits"),
    Kind(r"Circular reference", "a strict schema that refers to itself"),
    Kind(
        r"too complex for compilation|For 'object' type",
        "a strict schema that is not taken",
        "what makes a schema too complex, or which parts of one are taken, is not public",
    ),
    Kind(
        r"[Tt]hinking mode",
        "a forced tool while the model thinks",
        "Alibaba's models, whose switch for thinking is `enable_thinking`; no provider here speaks for that host",
    ),
    Kind(
        r"No tool output found",
        "a message between parallel calls",
        "OpenAI itself takes messages there; DeepSeek's endpoint of this format does not",
    ),
    Kind(
        r"not supported with this model|function calling not support|does not support function",
        "a model without tools",
        "the request is right, the model is not",
    ),
    Kind(
        r"Extra inputs are not permitted",
        "a field that this host does not know",
        "`chat.declare.schema-under-parameters` finds it, as `lost`: other hosts ignore the field and answer 200",
    ),
    Kind(
        r"Tool call validation failed|did not call a tool",
        "the model called wrongly",
        "the fault is the model's: this host checks its calls and answers 400",
    ),
    Kind(
        r"Content blocks are expected|file_data|file type|Cannot fetch content",
        "a file, or a kind of content, that the model does not take",
        "about attachments, not about tools",
    ),
    Kind(r"context length|Context size", "too many tokens", "not about tools"),
    Kind(r"Web search options", "an option that the model does not have", "not about tools"),
    Kind(
        r"Provider returned error",
        "an error of a provider behind the host",
        "the host does not say what was wrong",
    ),
)

OTHER = Kind(r"", "others", "not about tools")


def kind_of(message: str) -> Kind:
    """The kind of a refusal, by its message."""
    return next((kind for kind in KINDS if re.search(kind.pattern, message)), OTHER)
