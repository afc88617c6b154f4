"""Mutants of Cohere's chat that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence

EQUIVALENT = (
    Equivalence(
        ("cohere",), r"answer:squeezed:.*/content(/:text/text)?",
        "How several blocks of text are joined is left open, so white space is not compared.",
    ),
    Equivalence(
        ("cohere",), r"request:reversed:/messages/:assistant/tool_calls",
        "Ids tie results to calls, whatever their order.",
    ),
    Equivalence(
        ("cohere",), r"request:reversed:/messages/:assistant/content",
        "Nothing says in which order stand what was thought and what was said.",
    ),
)  # fmt: skip
