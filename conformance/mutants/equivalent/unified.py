"""Mutants of the gateway's own API that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence

EQUIVALENT = (
    Equivalence(
        ("unified",),
        r"request:(drop|rename):/input/:(system|user|assistant|tool)(/tool_calls/:tool_call)?/type",
        "The specification lets the type of a message or a call be left out.",
    ),
    Equivalence(
        ("unified",), r"request:(drop|rename|empty|in-array):/input/:tool/tool_call_id",
        "Results without ids answer the calls by order, and they stand in call order.",
    ),
    Equivalence(
        ("unified",), r"request:reversed:/input/:assistant/(tool_calls|content)",
        "Ids tie results to calls, whatever their order; reasoning comes back, whatever stands before it.",
    ),
    Equivalence(
        ("unified",), r"answer:\S+:/output/:assistant/content/:refusal(/type|/text)?",
        "That the model refused is told by the reason why it stopped.",
    ),
)  # fmt: skip
