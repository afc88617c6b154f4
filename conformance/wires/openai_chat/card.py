"""OpenAI Chat Completions: the card, and what all providers of the format share."""

from __future__ import annotations

from conformance.capabilities import ANTHROPIC_ONLY, CAPABILITIES, OWN_KINDS, SWITCHED_ON
from conformance.wires.answer_layout import OPENAI_ERROR, AnswerLayout
from conformance.wires.card import NOT_RECORDED, ApiKey, Card, Forms, Marks, Takes
from conformance.wires.volatile import KEYS, Volatile

CHAT_QUIRKS = frozenset({
    "missing_ids", "empty_ids", "repeated_id", "id_repeated_in_deltas", "id_emptied_in_deltas", "missing_index",
    "index_zero", "interleaved", "empty_choices", "finish_stop", "no_finish", "arguments_empty", "arguments_null",
    "arguments_missing", "content_missing", "content_empty", "unknown_fields", "usage_only_at_end",
    "split_escapes", "empty_deltas", "calls_in_many_chunks", "calls_before_text", "legacy_function_call",
    "signed_calls", "call_with_role", "sparse_answers", "role_in_deltas", "whole_deltas",
    "text_beside_calls", "nulls_in_deltas", "choice_without_delta", "logprobs", "logprobs_in_lumps",
    "fragments_together",
})  # fmt: skip
"""Seen on api.openai.com or on hosts that speak its format."""

CHAT_ELSEWHERE = {
    "missing_ids": "Hugging Face's router (wires/hosts/huggingface.toml)",
    "empty_ids": "Gemini's endpoint of this format in 2025 (wires/hosts/gemini-openai.toml)",
    "repeated_id": "a server that gives all calls one id https://github.com/xorbitsai/inference/issues/4237",
    "id_repeated_in_deltas": "a gateway that sends id and name again https://github.com/NousResearch/hermes-agent/pull/3468",
    "id_emptied_in_deltas": "later pieces with id \"\" https://github.com/AstrBotDevs/AstrBot/issues/6661",
    "missing_index": "Gemini's endpoint of this format https://github.com/openai/openai-python/issues/2806",
    "index_zero": "Ollama's endpoint of this format https://github.com/ollama/ollama/issues/15457; Gemini's, without "
    "ids https://github.com/NousResearch/hermes-agent/pull/67507",
    "interleaved": "a library's reading of the format https://github.com/strands-agents/harness-sdk/pull/3950",
    "empty_choices": "Azure, whose first chunk has no choices (wires/hosts/azure.toml)",
    "no_finish": "a model that Novita serves (wires/hosts/openrouter.toml)",
    "arguments_empty": "a host behind OpenRouter https://github.com/Lexus2016/hermes-agent-evolution/pull/1170; others "
    "https://github.com/vercel/ai/issues/6687",
    "arguments_null": "vLLM https://github.com/pipecat-ai/pipecat/pull/4060",
    "arguments_missing": "OpenRouter, of Claude https://github.com/OpenRouterTeam/ai-sdk-provider/issues/287",
    "content_missing": NOT_RECORDED,
    "content_empty": "xAI and DeepSeek (wires/hosts/xai.toml, deepseek.toml); api.openai.com says null",
    "empty_deltas": NOT_RECORDED,
    "fragments_together": "vLLM, which decodes several tokens at once https://github.com/openai/openai-python/issues/3203",
    "calls_in_many_chunks": "xAI, each call whole (wires/hosts/xai.toml)",
    "calls_before_text": "SGLang, words after a call https://github.com/pydantic/pydantic-ai/issues/8208",
    "legacy_function_call": "api.openai.com answers so only to requests that declare `functions`; none here does",
    "role_in_deltas": "xAI, OpenRouter, Ollama's endpoint of this format (wires/hosts/xai.toml)",
    "text_beside_calls": "a server https://github.com/waybarrios/vllm-mlx/pull/690; what became of it in a library "
    "https://github.com/genkit-ai/genkit/pull/6282",
    "choice_without_delta": "Azure (wires/hosts/azure.toml) https://github.com/microsoft/autogen/issues/6465",
    "nulls_in_deltas": "SGLang https://github.com/pydantic/pydantic-ai/issues/8208, Together "
    "https://github.com/togethercomputer/together-python/pull/454, Cloudflare "
    "https://github.com/Effect-TS/effect/pull/8333",
    "whole_deltas": "Mistral, Groq and xAI, for arguments (wires/hosts/mistral.toml, groq.toml, xai.toml)",
    "logprobs": "api.openai.com sends them to requests that ask for `logprobs`; none here does",
    "logprobs_in_lumps": "Bedrock's endpoint of this format, asked for `logprobs` (llamastack/llama-stack "
    "tests/integration/responses/recordings/a423d4acb53fe385bb72f99a6e99d9485cd985b0dfbf1db5e446090aebd9d65e.json)",
    "signed_calls": "Gemini's endpoint of this format https://ai.google.dev/gemini-api/docs/thought-signatures",
}
"""Of 526 answers with calls that api.openai.com was recorded to send, not more than one shows any of these."""

CHAT_CAPABILITIES = frozenset(CAPABILITIES) - {"reasoning", "server_tools"} - SWITCHED_ON - ANTHROPIC_ONLY - OWN_KINDS

CHAT_VOLATILE = KEYS | Volatile(
    (
        "/user",
        "/metadata",
        "/safety_identifier",
        "/prompt_cache_key",
        "/idempotency_key",
        "/messages/*/tool_calls/*/index",  # calls are in a list, so their order says it
    ),
    ("/messages/*/tool_calls/*/id", "/messages/*/tool_call_id"),
    defaults=(
        # the openai SDK sends the model's message back with all its fields
        ("/messages/*/refusal", None),
        ("/messages/*/annotations", None),
        ("/messages/*/annotations", []),
        ("/messages/*/audio", None),
        ("/messages/*/function_call", None),
        ("/messages/*/tool_calls/*/function/parsed_arguments", None),
        ("/messages/*/tool_calls/*/type", "function"),  # which Mistral leaves out
        ("/tool_choice", "auto"),
    ),
)

OPENAI_ERROR_WORDS = {404: {"code": "model_not_found"}}
"""Source: OpenAI's "Error codes" guide."""

CARD = Card(
    id="openai-chat",
    title="OpenAI Chat Completions",
    format="openai-chat",
    provider="openai-chat",
    family="chat",
    base_url="https://api.openai.com/v1",
    own_hosts=r"api\.openai\.com",
    any_base=True,
    paths=(r"/v1/chat/completions",),
    path_ends=(r"/chat/completions",),
    key=ApiKey(("OPENAI_API_KEY",)),
    url_variable=None,
    sdk="openai",
    address_rule="chat.http.endpoint-and-auth",
    own_headers=(),
    version_header="openai-version",
    model="gpt-4.1-mini",
    capabilities=CHAT_CAPABILITIES,
    quirks=CHAT_QUIRKS,
    elsewhere=CHAT_ELSEWHERE,
    framings=("sse",),
    framing_by_query=None,
    chunks_are_responses=False,
    stream_liberties=frozenset(),
    ends={},
    id_pattern=None,
    schemas=True,
    error_words=OPENAI_ERROR_WORDS,
    error_status=None,
    volatile=CHAT_VOLATILE,
    apart=False,
    marks=Marks(answers=({"object": ("chat.completion", "chat.completion.chunk")},)),
    answer=AnswerLayout(
        "/choices/0/finish_reason", frozenset({"tool_calls"}),
        ("/usage/prompt_tokens", "/usage/completion_tokens", "/usage/total_tokens"), OPENAI_ERROR,
        forced=frozenset({"stop"}), cut=frozenset({"length", "content_filter"}), summed=True,
    ),
    forms=Forms(
        conversation="messages",
        replayed="choices/*/message",
        replay_role=None,
        arguments="text",
        stream_in="body",
        calls_in_stream="fragments",
        url_safe_base64=False,
        typed_images=True,
        own_schema_language=False,
        doubles=False,
        tools_elsewhere=False,
        tools_beside_history=False,
        strictness="tool",
        thinks_unasked="no",
        answer_schemas=("/response_format/json_schema/schema",),
        json_switch=("/response_format/type", "json_object"),
        honest_stop=False,
    ),
    takes=Takes(
        empty_tools=False,
        tool_types=("custom",),
        untyped=False,
        choice_words={},
        flat_choice=False,
        modes_without_tools=(),
        choice_without_tools=False,
        results_by_name=False,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=False,
        null_results=False,
    ),
)
