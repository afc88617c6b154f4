"""Mistral: ids of nine letters and digits, all calls in one delta, and an order of roles that it insists on.

Sources: mistralai SDK models (``FunctionCall.arguments`` is text or an object; ``ToolCall.id`` is optional and defaults
to ``"null"``, its ``index`` to 0; ``Function.parameters`` is required; ``parallel_tool_calls``); recorded traffic of
api.mistral.ai. Errors that clients met: 400 code 3280 "Tool call id was ... but must be a-z, A-Z, 0-9, with a length of
9" (github.com/nearai/ironclaw issue 1241); 400 code 3230 "Unexpected role 'user' after role 'tool'"
(github.com/avante-corp/avante.nvim pull 2695); 422 "Extra inputs are not permitted" for ``stream_options``
(github.com/dnakov/anon-kode issue 53) and for ``max_completion_tokens`` (github.com/editor-code-assistant/eca issue
231).
"""

from __future__ import annotations

import re

from conformance.model import Json
from conformance.script import ScriptError, ScriptTurn
from conformance.wires.mistral.card import CARD
from conformance.wires.openai_chat.deviations import Deviations, index_calls
from conformance.wires.openai_chat.wire import chat_wire


def _mistral_body(body: dict[str, Json], turn: ScriptTurn) -> None:
    choice = body["choices"][0]
    del choice["logprobs"]
    choice["message"].setdefault("tool_calls", None)
    for call in choice["message"]["tool_calls"] or []:
        del call["type"]
    index_calls(body, turn)


def _error(error: ScriptError) -> Json:
    """Flat. A bad key is turned away earlier, by the framework, in its own words."""
    kinds = {
        "invalid_request": ("invalid_request_invalid_args", "3051"),
        "rate_limit": ("rate_limited", "1300"),
        "server": ("internal_server_error", "1000"),
        "overloaded": ("unreachable_backend", "1100"),
    }
    if error.kind == "authentication":
        return {"detail": error.message}
    kind, code = kinds[error.kind]
    return {"object": "error", "message": error.message, "type": kind, "param": None, "code": code}


DEVIATIONS = Deviations(
    card=CARD,
    max_tokens_field="max_tokens",
    stream_options=False,
    parameters_required=True,
    after_results="OK",
    id_pattern=re.compile("[a-zA-Z0-9]{9}"),
    id_length=9,
    id_prefix="",
    no_content="",
    refusal_field=False,
    finish_on_last_delta=True,
    usage_chunk=False,
    adjust=_mistral_body,
    error_body=_error,
)

WIRE = chat_wire(DEVIATIONS)
