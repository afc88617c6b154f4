"""What a provider that speaks "OpenAI-compatible" chat does differently. The defaults are OpenAI itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.model import Conversation, Json
from conformance.script import ScriptError, ScriptTurn
from conformance.wires.card import Card


def openai_error(error: ScriptError) -> Json:
    """OpenAI's error body: OpenAPI ``ErrorResponse``. A rate limit's type says what ran out."""
    kinds = {
        "invalid_request": "invalid_request_error",
        "authentication": "invalid_request_error",
        "rate_limit": "requests",
        "server": "server_error",
        "overloaded": "server_error",
    }
    codes = {"authentication": "invalid_api_key", "rate_limit": "rate_limit_exceeded"}
    return {
        "error": {"message": error.message, "type": kinds[error.kind], "param": None, "code": codes.get(error.kind)}
    }


@dataclass(frozen=True, slots=True)
class Deviations:
    """One compatible provider, as its differences from OpenAI's chat completions."""

    card: Card
    path: str = "/chat/completions"
    """What follows the base URL; ``{model}`` stands for the model's name."""

    # --- requests
    model_in_body: bool = True
    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    stream_options: bool = True
    """Whether usage in streams is asked for with ``stream_options``."""
    parameters_required: bool = False
    """Whether a tool without parameters must still declare an empty object."""
    more_fields: Callable[[Conversation], Mapping[str, Json]] | None = None
    """Fields of the provider's own that a request needs."""
    images: bool = True
    """Whether the image of a tool result may follow in a user message."""
    after_results: str | None = None
    """What the assistant must say between tool results and a user message, if the provider wants it to speak there."""

    # --- ids: what the provider takes, and the shape of its own
    id_pattern: re.Pattern[str] = re.compile(r".{1,64}", re.DOTALL)
    id_length: int = 24
    id_prefix: str = "call_"

    # --- messages, both ways
    no_content: Json = None
    """The content of a message that holds calls and no text."""
    refusal_field: bool = True
    """Whether messages have ``refusal``; otherwise a refusal is a filtered answer."""
    reasoning_field: str | None = None
    """The message field that carries the model's thinking."""
    reasoning_replayed: bool = False
    """Whether thinking must be sent back: with turns that have calls even when there was none."""

    # --- responses
    finish_on_last_delta: bool = False
    """Whether the finish reason stands on the last chunk that says something, not on one of its own."""
    finish_null: bool = True
    """Whether the chunks before carry ``finish_reason: null``."""
    usage_chunk: bool = True
    """Whether usage comes in a chunk without choices, not beside the finish reason."""
    first_chunk: Mapping[str, Json] | None = None
    """A chunk that comes before all others."""
    adjust: Callable[[dict[str, Json], ScriptTurn], None] | None = None
    """A last touch on the blocking body; streams follow it."""
    error_body: Callable[[ScriptError], Json] = openai_error

    @property
    def endpoint(self) -> str:
        """The URL of a call."""
        return self.card.base_url + self.path


def index_calls(body: dict[str, Json], turn: ScriptTurn) -> None:
    """For `Deviations.adjust`: number the calls, as some providers do in blocking bodies too."""
    for place, call in enumerate(body["choices"][0]["message"].get("tool_calls") or []):
        call["index"] = place
