"""Mutants of Gemini's generateContent that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence

EQUIVALENT = (
    Equivalence(("gemini",), r"request:drop:/contents/:user/role", "A content without a role is the user's."),
    Equivalence(
        ("gemini",), r"request:alone:/systemInstruction/parts", "Gemini takes one element for a list of one.",
    ),
    Equivalence(
        ("gemini",),
        r"request:last-doubled:/toolConfig/functionCallingConfig/allowedFunctionNames",
        "A name that is allowed twice is allowed.",
    ),
    Equivalence(
        ("gemini",), r"request:integers-as-floats:.*/functionCall/args",
        "Arguments are a protobuf Struct, whose only number is the double.",
    ),
    Equivalence(
        ("gemini",), r"request:(nested-as-text|member-added):/contents/:user/parts/:/functionResponse/response",
        "The model reads JSON text as well, and a response may say more than the output.",
    ),
    Equivalence(
        ("gemini",),
        r"request:(alone|first-lost|last-lost|reversed):/contents/:user/parts/:/functionResponse/parts",
        "The output has words for the picture.",
    ),
    Equivalence(
        ("gemini",),
        r"answer:in-array:/candidates/:/finishMessage"
        r"|answer:(halved|in-array):/promptFeedback/blockReason",
        "In which words a refusal or a failed call is told is the reader's own.",
    ),
    Equivalence(
        ("gemini",), r"answer:(drop|rename|empty):/error/status|stream:drop:error:/error/status",
        "The numeric code classes the failure as well.",
    ),
    Equivalence(
        ("gemini",),
        r"stream:read-late:content\+text|stream:doubled:content\+finishReason",
        "Where text stands before or after calls is not carried; parts of unknown kinds and thoughts are not read.",
    ),
    Equivalence(
        ("gemini",), r"stream:(drop|zeroed):(functionCall\+content|content\+text):/usageMetadata(/\w+)?",
        "The last chunk has all counts. Only of a stream that failed they are missing.",
    ),
)  # fmt: skip
