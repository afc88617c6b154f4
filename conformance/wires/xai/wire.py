"""xAI: calls whole in one delta, chunks without a finish reason, and errors that are text beside a code.

Sources: docs.x.ai (REST API reference; "Function calling": with streaming a call comes whole in one chunk; a tool's
``parameters`` are required and its ``strict`` is ignored); recorded traffic of api.x.ai. For a message with calls and
null content, clients met 400 "Each message must have at least one content element" (github.com/langchain-ai/langchain
issue 34140).
"""

from __future__ import annotations

from conformance.model import Json
from conformance.script import ScriptError, ScriptTurn
from conformance.wires.openai_chat.deviations import Deviations
from conformance.wires.openai_chat.wire import chat_wire
from conformance.wires.xai.card import CARD


def _without_logprobs(body: dict[str, Json], turn: ScriptTurn) -> None:
    del body["choices"][0]["logprobs"]


def _error(error: ScriptError) -> Json:
    """``code`` is the description of a gRPC status, ``error`` the text."""
    codes = {
        "invalid_request": "Client specified an invalid argument",
        "authentication": "The request does not have valid authentication credentials",
        "rate_limit": "Some resource has been exhausted",
        "server": "Internal error",
        "overloaded": "The service is currently unavailable",
    }
    return {"code": codes[error.kind], "error": error.message}


DEVIATIONS = Deviations(
    card=CARD,
    parameters_required=True,
    id_length=8,
    no_content="",
    reasoning_field="reasoning_content",
    finish_null=False,
    adjust=_without_logprobs,
    error_body=_error,
)

WIRE = chat_wire(DEVIATIONS)
