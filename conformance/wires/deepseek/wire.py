"""DeepSeek: thinking that must come back with the calls that it led to, and that rules out forced calls.

Sources: api-docs.deepseek.com (``/api/create-chat-completion``: no switch for parallel calls; ``strict`` only under
``/beta``; ``/guides/thinking_mode``: on unless switched off, ``reasoning_content`` of turns with calls must be passed
back in all later requests); recorded traffic of api.deepseek.com, with its 400 "Thinking mode does not support this
tool_choice". Messages hold text only: content with an image is a 422.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.model import Conversation, Json
from conformance.script import ScriptError
from conformance.wires.deepseek.card import CARD
from conformance.wires.openai_chat.deviations import Deviations, index_calls
from conformance.wires.openai_chat.wire import chat_wire


def _thinking(conversation: Conversation) -> Mapping[str, Json]:
    """The switch of the thinking mode. Whoever forces a call has to do without."""
    thinks = conversation.reasoning and conversation.choice.mode in ("auto", "none")
    return {"thinking": {"type": "enabled" if thinks else "disabled"}}


def _error(error: ScriptError) -> Json:
    """OpenAI's shape, with another set of words."""
    types = {
        "invalid_request": "invalid_request_error",
        "authentication": "authentication_error",
        "rate_limit": "rate_limit_error",
        "server": "server_error",
        "overloaded": "service_unavailable_error",
    }
    code = "service_unavailable_error" if error.kind == "overloaded" else "invalid_request_error"
    return {"error": {"message": error.message, "type": types[error.kind], "param": None, "code": code}}


DEVIATIONS = Deviations(
    card=CARD,
    max_tokens_field="max_tokens",
    more_fields=_thinking,
    images=False,
    id_prefix="call_00_",
    no_content="",
    refusal_field=False,
    reasoning_field="reasoning_content",
    reasoning_replayed=True,
    usage_chunk=False,
    adjust=index_calls,
    error_body=_error,
)

WIRE = chat_wire(DEVIATIONS)
