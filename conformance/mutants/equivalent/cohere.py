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
        ("cohere",),
        r"request:(first-lost|reversed):/messages/:assistant/content|answer:(first-lost:/message/content|(drop|as-text):/message/content/:thinking)"
        r"|answer:(drop|empty|halved|in-array):/message/content/:thinking/type"
        r"|stream:(ignored|read-late):content-start",
        "Nothing asks for the thinking back, or says where it stands: requests without it are answered.",
    ),
)  # fmt: skip
