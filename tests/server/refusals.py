"""By which rule each provider refuses each mistake; ``None`` where it takes the request, which is reported instead.

``chat`` stands for the providers of the chat format that are not named themselves. The gateway's rules of its own and
Ollama's reject little: what they pass over is lost, and told as a finding.
"""

from __future__ import annotations

from collections.abc import Mapping

REFUSED: Mapping[str, Mapping[str, str | None]] = {
    "orphan_result": {
        "chat": "common.result.no-orphan",
        "openai-responses": "common.result.no-orphan",
        "anthropic": "anthropic.result.references-tool-use-id",
        "gemini": "gemini.result.count-equals-calls",
        "ollama": "common.result.exactly-one-per-call",
        "unified": "common.result.no-orphan",
    },
    "missing_result": {
        "chat": "chat.result.adjacent-and-complete",
        "openai-responses": "common.result.exactly-one-per-call",
        "anthropic": "common.result.exactly-one-per-call",
        "gemini": "gemini.result.count-equals-calls",
        "ollama": "common.result.exactly-one-per-call",
        "unified": "common.result.exactly-one-per-call",
    },
    "no_results": {
        "chat": "chat.result.adjacent-and-complete",
        "openai-responses": "common.result.exactly-one-per-call",
        "anthropic": "common.result.exactly-one-per-call",
        "gemini": None,
        "ollama": "common.result.exactly-one-per-call",
        "unified": "common.result.exactly-one-per-call",
    },
    "result_twice": {
        "chat": "common.result.exactly-one-per-call",
        "openai-responses": "common.result.exactly-one-per-call",
        "anthropic": "common.result.exactly-one-per-call",
        "gemini": "gemini.result.count-equals-calls",
        "ollama": "common.result.exactly-one-per-call",
        "unified": "common.result.exactly-one-per-call",
    },
    "wrong_reference": {
        "chat": "common.result.no-orphan",
        "openai-responses": "common.result.no-orphan",
        "anthropic": "anthropic.result.references-tool-use-id",
        "unified": "common.result.no-orphan",
    },
    "result_with_the_wrong_role": {
        "chat": "chat.result.adjacent-and-complete",
        "openai-responses": "responses.history.no-chat-tool-role",
        "anthropic": "anthropic.history.user-assistant-roles",
        "gemini": "gemini.result.role-user",
        "ollama": "common.result.exactly-one-per-call",
        "unified": "common.result.exactly-one-per-call",
    },
    "something_between_the_results": {
        "chat": "chat.result.adjacent-and-complete",
        "openai-responses": None,
        "anthropic": None,
        "gemini": "gemini.result.count-equals-calls",
        "ollama": None,
        "unified": None,
    },
    "wrong_type_of_result": {
        "chat": "chat.result.content-string-or-text-parts",
        "openai-responses": "responses.result.output-string",
        "anthropic": "anthropic.shape.request-types",
        "gemini": "gemini.result.response-is-object",
        "ollama": "ollama.history.content-is-string-images-separate",
        "unified": None,
    },
    "wrong_type_of_arguments": {
        "chat": "chat.history.arguments-json-string",
        "mistral": None,
        "openai-responses": "responses.history.function-call-item",
        "anthropic": "anthropic.shape.request-types",
        "gemini": "gemini.shape.request-types",
        "ollama": "ollama.history.arguments-object",
        "unified": None,
    },
    "call_without_a_name": {
        "chat": "chat.history.assistant-call-fields",
        "openai-responses": "responses.history.function-call-item",
        "anthropic": "anthropic.shape.request-types",
        "gemini": None,
        "ollama": "ollama.shape.request-types",
        "unified": None,
    },
    "id_that_is_too_long": {
        "chat": "chat.ids.max-length",
        "openai-responses": "responses.ids.call-id-length-64",
        "anthropic": "anthropic.ids.pattern-and-uniqueness",
    },
    "same_id_twice": {
        "chat": None,
        "openai-responses": None,
        "anthropic": "anthropic.ids.pattern-and-uniqueness",
        "unified": None,
    },
    "bad_name": {
        "chat": "chat.naming.pattern-64",
        "openai-responses": "responses.naming.pattern",
        "anthropic": "anthropic.naming.pattern-128",
        "gemini": "gemini.naming.pattern",
        "ollama": None,
        "unified": None,
    },
    "name_that_is_too_long": {
        "chat": "chat.naming.pattern-64",
        "openai-responses": "responses.naming.pattern",
        "anthropic": "anthropic.naming.pattern-128",
        "gemini": "gemini.naming.pattern",
        "ollama": None,
        "unified": None,
    },
    "two_tools_of_one_name": {
        "chat": "common.naming.no-collision",
        "openai-responses": "common.naming.no-collision",
        "anthropic": "common.naming.no-collision",
        "gemini": "common.naming.no-collision",
        "ollama": "common.naming.no-collision",
        "unified": "common.naming.no-collision",
    },
    "schema_that_is_no_object": {
        "chat": "chat.declare.parameters-is-object-schema",
        "openai-responses": "responses.declare.flat-function",
        "anthropic": "anthropic.declare.input-schema",
        "gemini": None,
        "ollama": "ollama.declare.function-wrapper",
        "unified": None,
    },
    "schema_of_an_array": {
        "chat": "chat.declare.parameters-is-object-schema",
        "openai-responses": "responses.declare.flat-function",
        "anthropic": "anthropic.declare.schema-type-object",
        "gemini": None,
        "ollama": "ollama.shape.request-types",
        "unified": None,
    },
    "tool_of_another_provider": {
        "chat": "chat.declare.function-wrapper",
        "openai-responses": "responses.declare.flat-function",
        "anthropic": "anthropic.declare.input-schema",
        "gemini": "gemini.declare.function-declarations-array",
        "ollama": "ollama.declare.function-wrapper",
        "unified": None,
    },
    "both_schema_fields": {
        "gemini": "gemini.declare.one-schema-field",
    },
    "tools_that_are_no_list": {
        "chat": "common.declare.empty-tools-omitted",
        "openai-responses": "responses.shape.request-types",
        "anthropic": "common.declare.empty-tools-omitted",
        "gemini": "gemini.shape.request-types",
        "ollama": "ollama.shape.request-types",
        "unified": "common.declare.empty-tools-omitted",
    },
    "empty_list_of_tools": {
        "chat": None,
        "openai-chat": "common.declare.empty-tools-omitted",
        "azure": "common.declare.empty-tools-omitted",
        "openai-responses": None,
        "anthropic": None,
        "gemini": None,
        "unified": None,
    },
    "unknown_tool_choice": {
        "chat": "chat.choose.mode-mapping",
        "openai-responses": "responses.choose.mode-mapping",
        "anthropic": "anthropic.choose.object-mapping",
        "gemini": "gemini.choose.mode-mapping",
        "unified": None,
    },
    "forced_tool_of_another_provider": {
        "chat": "chat.shape.request-types",
        "openai-responses": "responses.choose.mode-mapping",
        "anthropic": "anthropic.choose.object-mapping",
        "unified": None,
    },
    "the_models_own_words_at_the_end": {
        "anthropic": "anthropic.history.no-prefill",
    },
    "conversation_that_is_no_list": {
        "chat": "chat.shape.request-types",
        "anthropic": "anthropic.shape.request-types",
        "gemini": "gemini.history.contents-container",
        "ollama": "ollama.shape.request-types",
    },
    "unknown_role": {
        "chat": "chat.shape.request-types",
        "openai-responses": "responses.shape.request-types",
        "anthropic": "anthropic.history.user-assistant-roles",
        "gemini": None,
        "ollama": None,
        "unified": None,
    },
    "no_key": {
        "chat": "chat.http.endpoint-and-auth",
        "azure": "azure.http.endpoint-and-auth",
        "openai-responses": "responses.http.endpoint-and-error",
        "anthropic": "anthropic.http.headers",
        "gemini": "gemini.http.endpoint-and-auth",
    },
}


def refused_by(mistake: str, provider: str) -> str | None:
    """The rule that a refusal must name."""
    rules = REFUSED[mistake]
    return rules[provider] if provider in rules else rules["chat"]
