"""Gemini generateContent, client half: build a request; read a response.

Sources: google/ai/generativelanguage v1beta ``GenerateContentRequest`` and ``GenerateContentResponse``;
``google.genai.types``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    ProviderError,
    Stop,
    Tool,
    ToolCall,
    ToolChoice,
    Usage,
    compact_json,
)
from conformance.wires.base import parse_arguments
from conformance.wires.errors import error_document, provider_error
from conformance.wires.facts import items, obj
from conformance.wires.gemini.history import OPAQUE, contents
from conformance.wires.gemini.keys import get
from conformance.wires.gemini.numbers import narrow
from conformance.wires.ids import unique_ids
from conformance.wires.naming import application_name, names_in

MODELS = "https://generativelanguage.googleapis.com/v1beta/models"
AUTH = {"x-goog-api-key": "test-key"}
BUILTINS = {"web_search": "googleSearch", "web_fetch": "urlContext", "code_execution": "codeExecution"}
MODES = {"none": "NONE", "required": "ANY", "tool": "ANY"}


def build(conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``."""
    names = names_in(conversation)
    body: dict[str, Json] = {"contents": contents(conversation, names)}
    if conversation.system:
        body["systemInstruction"] = {"parts": [{"text": conversation.system}]}
    if conversation.tools:
        body |= _tools(conversation.tools, conversation.choice, names)
    body["generationConfig"] = {"maxOutputTokens": conversation.max_tokens}
    if conversation.output is not None:
        asked = {"responseMimeType": "application/json", "responseJsonSchema": conversation.output}
        body["generationConfig"] |= asked  # beside functions from Gemini 3 on
    if conversation.reasoning:
        body["generationConfig"]["thinkingConfig"] = {"includeThoughts": True}
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return Request.post_json(f"{MODELS}/{quote(conversation.model, safe='')}:{method}", body, AUTH)


def _tools(tools: tuple[Tool, ...], choice: ToolChoice, names: Mapping[str, str]) -> dict[str, Json]:
    """The tools and what is allowed with them. The calling config is refused where no function is declared."""
    functions = [_declaration(tool, names) for tool in tools if tool.builtin is None]
    words = [tool.builtin for tool in tools if tool.builtin is not None]
    builtins: list[Json] = [{BUILTINS.get(word, word): {}} for word in words]
    config: dict[str, Json] = {}
    if functions and choice.mode in MODES:
        calling: dict[str, Json] = {"mode": MODES[choice.mode]}
        if choice.mode == "tool":
            calling["allowedFunctionNames"] = [names.get(choice.name or "", choice.name)]
        config["functionCallingConfig"] = calling
    if functions and builtins:
        config["includeServerSideToolInvocations"] = True  # both kinds together need it, from Gemini 3 on
    declared = [*([{"functionDeclarations": functions}] if functions else []), *builtins]
    return {"tools": declared, **({"toolConfig": config} if config else {})}


def _declaration(tool: Tool, names: Mapping[str, str]) -> Json:
    declaration: dict[str, Json] = {"name": names[tool.name], "description": tool.description}
    if tool.parameters is not None:
        declaration["parametersJsonSchema"] = tool.parameters
    return declaration


# --- reading ---------------------------------------------------------------------------------------------------------

CUT_OFF = frozenset({"MAX_TOKENS", "CONTINUATION"})
"""Finish reasons that say a token limit, the request's or the server's, ended the answer."""

REFUSALS = frozenset({
    "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "ESCALATION", "PUP_LIMITED_DISABLED", "MODEL_ARMOR",
})  # fmt: skip
"""Finish reasons that say the answer was filtered."""

FAILURE_REASONS = frozenset({
    "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
    "MALFORMED_RESPONSE", "OTHER", "IMAGE_OTHER", "NO_IMAGE",
})  # fmt: skip
"""Finish reasons that say the turn failed. All three: ``google.genai.types.FinishReason``; others are tolerated."""


def read(body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in a response. Calls count by their presence: the finish reason of a tool turn is ``STOP``."""
    body = unwrap(body)
    error = obj(body).get("error")
    if error:
        return AssistantTurn(stop="error", error=read_error(None, error))
    candidate = _candidate(body)
    parts = _parts(candidate)
    calls = _calls(parts, conversation)
    stop, refusal, failure = _ending(body, candidate, bool(calls))
    return AssistantTurn(
        text="".join(str(part.get("text") or "") for part in parts if not part.get("thought")),
        calls=calls,
        stop=stop,
        refusal=refusal,
        usage=_usage(get(body, "usageMetadata")),
        error=failure,
        opaque={OPAQUE: parts},
    )


def answered_ids(body: Json) -> list[Json]:
    """The ids of the calls in a response, as they came; ``None`` for those without."""
    return [call.get("id") for call in _sent_calls(_parts(_candidate(unwrap(body))))]


def unwrap(body: Json) -> Json:
    """``body``, or the document in an array: so the streaming endpoint sends its errors."""
    return body[0] if isinstance(body, list) and body else body


def read_error(status: int | None, error: Json, headers: Mapping[str, str] | None = None) -> ProviderError:
    """The failure in an error object (google.rpc.Status). The time to wait may also stand in its ``RetryInfo``."""
    read = provider_error(status, error, type_key="status", headers=headers)
    wait = read.retry_after if read.retry_after is not None else _retry_delay(error)
    return ProviderError(read.message, read.status, read.type, read.retryable, wait)


def read_failure(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The failure in an error response."""
    document = unwrap(error_document(body))
    return read_error(status, obj(document).get("error", document), headers)


SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")
"""A ``google.protobuf.Duration`` as JSON."""


def _retry_delay(error: Json) -> float | None:
    """The time to wait. Other details, such as the quota that was used up, may stand before it."""
    told = (SECONDS.fullmatch(str(obj(detail).get("retryDelay"))) for _, detail in items(obj(error).get("details")))
    return next((float(found[1]) for found in told if found is not None), None)


def _candidate(body: Json) -> Json:
    return next((candidate for _, candidate in items(obj(body).get("candidates"))), None)


def _parts(candidate: Json) -> list[dict[str, Json]]:
    return [part for _, part in items(get(get(candidate, "content"), "parts")) if isinstance(part, dict)]


def _sent_calls(parts: list[dict[str, Json]]) -> list[Mapping[str, Json]]:
    return [obj(get(part, "functionCall")) for part in parts if get(part, "functionCall") is not None]


def _calls(parts: list[dict[str, Json]], conversation: Conversation | None) -> tuple[ToolCall, ...]:
    sent = _sent_calls(parts)
    ids = unique_ids((call.get("id") for call in sent), conversation)
    return tuple(_call(call_id, call, conversation) for call_id, call in zip(ids, sent, strict=True))


def _call(call_id: str, call: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    name = application_name(str(call.get("name") or ""), conversation)
    arguments, raw, invalid = parse_arguments(call.get("args"))
    if get(call, "willContinue"):
        return ToolCall(call_id, name, None, compact_json(call.get("args")), True)
    tool = conversation.tool(name) if conversation is not None else None
    if tool is not None and tool.parameters is not None:
        arguments = narrow(arguments, tool.parameters)
    return ToolCall(call_id, name, arguments, raw, invalid)


def _ending(body: Json, candidate: Json, calls: bool) -> tuple[Stop, str | None, ProviderError | None]:
    """Why the turn ended, with the words of a refusal or the failure."""
    feedback = get(body, "promptFeedback")
    blocked = get(feedback, "blockReason")
    if blocked and candidate is None:
        return "refusal", str(get(feedback, "blockReasonMessage") or blocked), None
    reason, message = str(get(candidate, "finishReason")), get(candidate, "finishMessage")
    if reason in CUT_OFF:
        return "length", None, None
    if reason in REFUSALS:
        return "refusal", str(message or reason), None
    if reason in FAILURE_REASONS:
        failed = ProviderError(str(message or f"the model's turn ended with {reason}"), type=reason)
        return "error", None, failed
    return ("tool_calls" if calls else "end"), None, None


def _usage(usage: Json) -> Usage | None:
    """Token counts. A count of zero may be left out, so only the prompt's must be there."""
    sent, received = get(usage, "promptTokenCount"), get(usage, "candidatesTokenCount")
    return Usage(sent, received if isinstance(received, int) else 0) if isinstance(sent, int) else None
