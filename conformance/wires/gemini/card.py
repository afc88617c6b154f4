"""Gemini generateContent: the card.

Sources: google.rpc.Code for the words of errors; protobuf.dev/programming-guides/json for the two names of fields.
"""

from __future__ import annotations

from conformance.capabilities import ACCUMULATED, ANTHROPIC_ONLY, CAPABILITIES, OPENAI_ONLY, OWN_KINDS
from conformance.wires.answer_layout import TEXT, AnswerLayout, has
from conformance.wires.card import ApiKey, Card, Forms, Marks, Takes
from conformance.wires.volatile import KEYS, Volatile

ANSWER_SCHEMAS = tuple(
    f"/{config}/{name}"
    for name in ("responseJsonSchema", "response_json_schema", "responseSchema", "response_schema")
    for config in ("generationConfig", "generation_config")
)
"""In either spelling. The first is the usual one."""

GEMINI_VOLATILE = KEYS | Volatile(
    ("/labels",),
    ("/contents/*/parts/*/functionCall/id", "/contents/*/parts/*/functionResponse/id"),
    # Protobuf's JSON has two names for each field, and parsers take both.
    spellings=(
        ("/system_instruction", "systemInstruction"),
        ("/generation_config", "generationConfig"),
        ("/tool_config", "toolConfig"),
        ("/tools/*/function_declarations", "functionDeclarations"),
        ("/tools/*/functionDeclarations/*/parameters_json_schema", "parametersJsonSchema"),
        ("/contents/*/parts/*/function_call", "functionCall"),
        ("/contents/*/parts/*/function_response", "functionResponse"),
        ("/contents/*/parts/*/inline_data", "inlineData"),
        ("/contents/*/parts/*/thought_signature", "thoughtSignature"),
        ("/contents/*/parts/*/inlineData/mime_type", "mimeType"),
        ("/generationConfig/max_output_tokens", "maxOutputTokens"),
        ("/generationConfig/response_mime_type", "responseMimeType"),
        ("/generationConfig/response_json_schema", "responseJsonSchema"),
        ("/generationConfig/response_schema", "responseSchema"),
        ("/generationConfig/thinking_config", "thinkingConfig"),
        ("/generationConfig/thinkingConfig/include_thoughts", "includeThoughts"),
        ("/toolConfig/function_calling_config", "functionCallingConfig"),
        ("/toolConfig/functionCallingConfig/allowed_function_names", "allowedFunctionNames"),
    ),
    defaults=(("/contents/*/parts/*", {"text": ""}),),  # how streams end; the SDK sends it back
    base64=("/contents/*/parts/*/thoughtSignature", "/contents/*/parts/*/inlineData/data"),
    # google-genai went from v1beta to v1: the same method, and the same tools.
    paths=((r"/v1(?:alpha|beta)/(?=models/[^/]+:(?:streamG|g)enerateContent$)", "/v1/"),),
)

CARD = Card(
    id="gemini",
    title="Gemini generateContent",
    format="gemini",
    provider="gemini",
    family="gemini",
    base_url="https://generativelanguage.googleapis.com",
    own_hosts=r"generativelanguage\.googleapis\.com|([a-z0-9-]+-)?aiplatform\.googleapis\.com",
    any_base=False,
    paths=(r"(/v1[^/]*)?/(models|tunedModels|projects)/.+:(streamG|g)enerateContent",),
    path_ends=(r"(/|:)(streamG|g)enerateContent",),
    key=ApiKey(("GEMINI_API_KEY", "GOOGLE_API_KEY"), "x-goog-api-key", ""),
    url_variable=None,
    sdk="google-genai",
    address_rule="gemini.http.endpoint-and-auth",
    own_headers=("x-goog-api-key",),
    version_header=None,
    model="gemini-2.5-flash",
    capabilities=frozenset(
        CAPABILITIES.keys() - {"parallel_switch", "strict"} - OPENAI_ONLY - ANTHROPIC_ONLY - OWN_KINDS - ACCUMULATED
    ),
    # ``error_in_array``: https://github.com/google-gemini/gemini-cli/issues/6454 (2025-08). ``wait_in_body``:
    # https://github.com/dcdpr/jp/pull/1061 (2026-09-03); no recorded error of Google's has a header ``retry-after``.
    # The others were seen in recorded traffic, but for two: no recording shows ``integral_floats``, which a Struct
    # allows and one client library produced, and ``unknown_fields`` stands for what the format will gain.
    quirks=frozenset({
        "hosted_items", "sparse_answers", "arguments_in_pieces",
        "missing_ids", "unknown_fields", "integral_floats", "calls_in_many_chunks", "calls_before_text",
        "arguments_missing", "error_in_array", "wait_in_body",
    }),
    elsewhere={
        "error_in_array": "who streams without alt=sse, or by a proxy; the ten errors recorded with it are objects",
        "hosted_items": "Gemini sends such parts to requests that ask for its own tools; none here does",
        "integral_floats": "hosts between; the API writes whole numbers without a fraction, as a Struct need not",
    },
    framings=("sse", "json-array"),
    framing_by_query=("alt=sse", "json-array"),
    chunks_are_responses=True,
    stream_liberties=frozenset(),
    ends={},
    id_pattern=None,
    schemas=True,
    error_words={
        403: {"status": "PERMISSION_DENIED"}, 404: {"status": "NOT_FOUND"}, 504: {"status": "DEADLINE_EXCEEDED"},
    },
    error_status="code",
    volatile=GEMINI_VOLATILE,
    apart=False,
    marks=Marks(requests=({"contents": list},), answers=({"candidates": list},)),
    answer=AnswerLayout(
        "/candidates/0/finishReason", frozenset({"STOP"}),
        ("/usageMetadata/promptTokenCount", "/usageMetadata/totalTokenCount"),
        has(error=has(code={"type": "integer"}, message=TEXT, status=TEXT)),
        cut=frozenset({"MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "SAFETY"}), ids=False,
    ),
    forms=Forms(
        conversation="contents",
        replayed="candidates/*/content",
        replay_role=None,
        arguments="object",
        stream_in="path",
        calls_in_stream="fragments",
        url_safe_base64=True,
        typed_images=True,
        own_schema_language=True,
        doubles=True,
        tools_elsewhere=False,
        tools_beside_history=False,
        strictness=None,
        thinks_unasked="silently",  # "Thought signatures", ai.google.dev, 2026-11-23
        answer_schemas=ANSWER_SCHEMAS,
        json_switch=("/generationConfig/responseMimeType", "application/json"),
        honest_stop=False,
    ),
    takes=Takes(
        empty_tools=True,
        tool_types=(),
        untyped=False,
        choice_words={},
        flat_choice=False,
        modes_without_tools=(),
        choice_without_tools=False,
        results_by_name=True,  # ids are optional there
        empty_schemas=True,
        calls_passed_over=True,
        object_arguments=False,
        null_results=False,
    ),
)  # fmt: skip
