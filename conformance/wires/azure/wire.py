"""Azure OpenAI: the same service behind another door, with its content filter's verdicts everywhere.

Sources: Azure/azure-rest-api-specs ``AzureOpenAI/inference/stable/2024-10-21`` (the deployment is in the path, its
chat request has ``max_tokens``); ``openai/lib/azure.py``; recorded traffic of ``*.openai.azure.com``.
"""

from __future__ import annotations

from conformance.model import Json
from conformance.script import STATUS, ScriptError, ScriptTurn
from conformance.wires.azure.card import CARD
from conformance.wires.openai_chat.deviations import Deviations
from conformance.wires.openai_chat.wire import chat_wire

SAFE: Json = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}
PROMPT_RESULTS: Json = [{"prompt_index": 0, "content_filter_results": SAFE}]


def _filter_results(body: dict[str, Json], turn: ScriptTurn) -> None:
    body["prompt_filter_results"] = PROMPT_RESULTS
    body["choices"][0]["content_filter_results"] = {} if turn.calls else SAFE


def _error(error: ScriptError) -> Json:
    """The gateway's error body: a code, which is mostly the status, and a message."""
    code = "BadRequest" if error.kind == "invalid_request" else str(STATUS[error.kind])
    return {"error": {"code": code, "message": error.message}}


DEVIATIONS = Deviations(
    card=CARD,
    path="/openai/deployments/{model}/chat/completions?api-version=2024-10-21",
    model_in_body=False,
    max_tokens_field="max_tokens",
    first_chunk={
        "id": "",
        "object": "",
        "created": 0,
        "model": "",
        "choices": [],
        "prompt_filter_results": PROMPT_RESULTS,
    },
    adjust=_filter_results,
    error_body=_error,
)

WIRE = chat_wire(DEVIATIONS)
