"""Mutants of several formats that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence
from conformance.rules.groups import group
from conformance.wires import PROVIDERS

NESTED_ERRORS = tuple(provider for provider in PROVIDERS if provider not in ("xai", "ollama", "mistral"))

EQUIVALENT = (
    Equivalence(
        (*group("chat"), "ollama", "unified"), r"answer:squeezed:.*/content(/:text/text)?",
        "How several blocks of text are joined is left open, so white space is not compared.",
    ),
    *(
        Equivalence(providers, name, "A reader may put words, or brackets, around the provider's message.")
        for providers, name in (
            (NESTED_ERRORS, "answer:in-array:/error/message"),
            (("xai", "ollama"), "answer:in-array:/error"),
            (("mistral",), r"answer:in-array:/(message|detail)"),
        )
    ),
    Equivalence(
        ("anthropic", "gemini", "unified"), r"turn:refusal-lost",
        "That the model refused is told by the reason why it stopped.",
    ),
    Equivalence(
        ("ollama",), "turn:(broken-executed|broken-lost|raw-lost|mark-lost)",
        "Arguments come whole here. They are broken only where the stream failed, and then nothing is executed.",
    ),
    Equivalence(
        PROVIDERS, r"stream:the-end:damaged",
        "Who meets an event that cannot be read may stop there, and tell an unfinished turn.",
    ),
    Equivalence(PROVIDERS, r"request:reversed:/tools(/:/functionDeclarations)?", "Tools have no order."),
)  # fmt: skip
