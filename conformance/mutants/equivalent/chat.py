"""Mutants of Chat Completions that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence

OPENAI_IMAGES = ("openai-chat", "azure", "xai", "mistral")

EQUIVALENT = (
    Equivalence(
        OPENAI_IMAGES,
        r"request:(as-text|first-lost|last-lost|reversed|last-doubled):/messages/:user/content"
        r"|request:drop:/messages/:user/content/:(text|image_url)"
        r"|request:(empty|halved|encoded-twice):/messages/:user/content/:text/text",
        "The tool message has words for the picture. The picture itself, and what is said about it, may follow.",
    ),
    Equivalence(
        ("mistral",),
        r"request:as-text:/messages/:user/content/:(text|image_url(/image_url)?)"
        r"|request:(empty|halved):/messages/:user/content/:image_url/image_url/url",
        "Mistral documents no pictures after results, so no rule looks at them.",
    ),
    Equivalence(
        ("mistral",),
        r"request:(drop|rename):(/tools/:function|/messages/:assistant/tool_calls/:function|/tool_choice)/type",
        "Mistral's types let the type be left out.",
    ),
    Equivalence(
        ("mistral",), r"request:decoded:/messages/:assistant/tool_calls/:function/function/arguments",
        "Mistral's types take arguments as an object, too.",
    ),
    Equivalence(
        ("mistral",),
        r"stream:(ignored|doubled):tool_calls|stream:drop:tool_calls:/choices(?!.*/function(/arguments)?$).*",
        "Calls stand on the chunk that ends the stream. Only where the stream fails do they come alone, and nobody may "
        "execute them.",
    ),
    Equivalence(
        ("deepseek",), r"answer:(drop|rename|empty):/error/type",
        "The code classes the failure as well.",
    ),
    Equivalence(
        ("mistral",), r"turn:error-is-(end|incomplete)",
        "Only HTTP errors are published here. Nothing came before them, and the turn's error says what they are.",
    ),
)  # fmt: skip
