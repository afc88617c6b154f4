"""Mutants of Ollama's chat that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence

EQUIVALENT = (
    Equivalence(
        ("ollama",), r"request:(drop|rename|empty|in-array):/messages/:assistant/tool_calls/:/id",
        "Ids are optional: results are matched by name and order.",
    ),
    Equivalence(
        ("ollama",), r"stream:doubled:damaged",
        "Half a line before another is damage, so the call before it is not trusted. Nothing is executed anyway.",
    ),
    Equivalence(("ollama",), r"request:reversed:/messages/:tool/images", "Pictures have no order."),
)  # fmt: skip
