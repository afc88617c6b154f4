"""What a scenario can be made of: factors and their levels, derived from the fields of scenarios.

The levels of a factor follow from the type of its field: a text has the classes of text, a choice its values, a list
none, one, several or equal elements, what is optional is absent too. What a field has beyond its type stands here as
data. `FIELDS` says for each field of a scenario which factor varies it, or why none does; a test holds that none is
forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_type_hints

from conformance.deliveries import AS_SENT, DELIVERIES
from conformance.generated.keywords import VOCABULARIES
from conformance.generated.texts import TEXTS, taken
from conformance.model import ToolChoice
from conformance.script import STATUS, ScriptTurn
from conformance.wires import PROVIDERS

ABSENT = "absent"
PLAIN = "plain"
FactorGroup = Literal["base", "settings", "strict", "parallel", "reasoning", "refusal", "search", "decisions"]
"""``base``: what every provider and adapter can do. ``settings``: what most can. The others: what only some can."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One thing that can be in several ways. The first level is the usual one. ``of`` is the field that it varies."""

    name: str
    levels: tuple[str, ...]
    group: FactorGroup = "base"


def _hint(owner: type, field: str) -> Any:
    return get_type_hints(owner)[field]


def _values(owner: type, field: str) -> tuple[str, ...]:
    """The values of a closed set."""
    return tuple(str(value) for value in _closed(_hint(owner, field)))


def _closed(hint: Any) -> Iterator[Any]:
    for part in get_args(hint):
        if isinstance(part, str):
            yield part
        elif part is not type(None):
            yield from _closed(part)


def _texts(field: str, *more: str) -> tuple[str, ...]:
    """The classes of text that every provider takes in this field."""
    return (*more, *(name for name in TEXTS if all(taken(name, field, provider) for provider in PROVIDERS)))


def _optional(*levels: str) -> tuple[str, ...]:
    return (ABSENT, *(level for level in levels if level != ABSENT))


JSON_VALUES = (
    "null", "true", "negative", "beyond 2^53", "beyond 2^64", "fraction", "exponent", "empty list", "list",
    "empty object", "object",
)  # fmt: skip
"""The kinds of JSON values (RFC 8259 §3), and the limits of the numbers that programs keep them in (§6)."""
MANY = ("one", "none", "several", "equal")
TOOL_NAMES = (
    PLAIN, "underscore first", "digit first", "dot", "upper case", "64 characters", "65 characters", "space",
    "beyond ASCII", "of a server", "of a server, long",
)  # fmt: skip
"""The characters and lengths that providers' documentation tells apart."""

FACTORS: tuple[Factor, ...] = (
    Factor("delivery", tuple(name for name, one in DELIVERIES.items()
                             if "sse" in one.framings and name != AS_SENT and not one.loses)),
    Factor("system", _optional(*_texts("Scenario.system"))),
    Factor("user text", _texts("UserStep.text")),
    Factor("second question", (ABSENT, "equal", "another")),
    Factor("tools", ("one", "several", "equal")),
    Factor("tool description", _texts("Tool.description")),
    Factor("parameters", ("object", ABSENT, "empty", *VOCABULARIES)),
    Factor("schema place", ("property", "nested", "items", "reference", "union")),
    Factor("schema emptiness", ("given", "empty")),
    Factor("property name", _texts("property.name")),
    Factor("property description", _optional(*_texts("property.description"))),
    Factor("enum value", _optional(*_texts("property.enum"))),
    Factor("turn text", _texts("ScriptTurn.text")),
    Factor("calls", MANY),
    Factor("arguments", ("some", "none")),
    Factor("argument value", JSON_VALUES),
    Factor("argument text", _texts("ScriptCall.arguments")),
    Factor("results order", ("as called", "reversed")),
    Factor("result parts", ("one", "several", "equal")),
    Factor("result text", _texts("TextPart.text")),
    Factor("rounds", ("one", "equal", "changed")),
    Factor("last text", _texts("last text")),
    Factor("tool name", TOOL_NAMES, "settings"),
    Factor("strict", (ABSENT, "false", "true"), "strict"),
    Factor("tool choice", _values(ToolChoice, "mode"), "settings"),
    Factor("parallel", (ABSENT, "false", "true"), "parallel"),
    Factor("history", ("none", "one", "several"), "settings"),
    Factor("result kind", ("text", "json", "image", "mixed"), "settings"),
    Factor("result value", JSON_VALUES, "settings"),
    Factor("result error", ("false", "true"), "settings"),
    Factor("ending", ("end", *(f"error {kind}" for kind in STATUS), "retried", "length", "unknown finish",
                      *(f"cut {place}" for place in _values(ScriptTurn, "cut")),
                      *(f"fails {kind}" for kind in ("server", "overloaded"))), "settings"),
    Factor("reasoning", (ABSENT, *_texts("ScriptTurn.reasoning")), "reasoning"),
    Factor("refusal", (ABSENT, *_texts("ScriptTurn.refusal")), "refusal"),
    Factor("search", (ABSENT, "given"), "search"),
    Factor("decisions", (ABSENT, "accept", "reject"), "decisions"),
)  # fmt: skip

BY_NAME: Mapping[str, Factor] = {factor.name: factor for factor in FACTORS}
Row = Mapping[str, str]
"""A level for each factor, by name. A factor that is not in it has its usual level."""
USUAL: Row = {factor.name: factor.levels[0] for factor in FACTORS}

FIELDS: Mapping[str, tuple[str, ...] | str] = {
    "Scenario.id": "the name of the row",
    "Scenario.title": "for people",
    "Scenario.rules": "what is judged, not what is played",
    "Scenario.requires": "follows from the steps",
    "Scenario.providers": "follows from who takes the texts",
    "Scenario.profile": "the run has one",
    "Scenario.deliveries": ("delivery",),
    "Scenario.elsewhere": "says whose doing it is, and changes nothing",
    "Scenario.system": ("system",),
    "Scenario.reasoning": ("reasoning",),
    "Scenario.tools": ("tools",),
    "Scenario.choice": ("tool choice", "parallel"),
    "Scenario.history": ("history",),
    "Scenario.steps": ("rounds", "second question"),
    "Scenario.caching": "a setting that only Anthropic's format has; scenarios/caching has it",
    "Scenario.output": "what some formats refuse beside tools; scenarios/structured_output has it",
    "Scenario.model": "a name that libraries look at; scenarios/handoff and reasoning have it",
    "Tool.name": ("tool name",),
    "Tool.description": ("tool description",),
    "Tool.parameters": ("parameters", "schema place", "schema emptiness", "property name", "property description",
                        "enum value"),
    "Tool.strict": ("strict",),
    "Tool.mcp": ("tool name",),
    "Tool.builtin": ("search",),
    "Tool.kind": "what two providers define, each in its own way: scenarios/provider_kinds",
    "Tool.server": "what only Responses has: scenarios/provider_kinds",
    "Tool.text": "what only OpenAI's formats have: scenarios/text_tools",
    "ToolChoice.mode": ("tool choice",),
    "ToolChoice.name": ("tool choice",),
    "ToolChoice.parallel": ("parallel",),
    "UserStep.text": ("user text", "second question"),
    "AnswerStep.says": ("ending",),
    "AnswerStep.labels": "names inside of a scenario file",
    "AnswerStep.by": "who said it before: scenarios/handoff",
    "ScriptTurn.text": ("turn text", "last text"),
    "ScriptTurn.calls": ("calls",),
    "ScriptTurn.reasoning": ("reasoning",),
    "ScriptTurn.refusal": ("refusal",),
    "ScriptTurn.search": ("search",),
    "ScriptTurn.stop": ("ending",),
    "ScriptTurn.finish": ("ending",),
    "ScriptTurn.usage": "a scenario file cannot say it; every turn has one",
    "ScriptTurn.quirks": "what one provider does: scenarios/quirks, and the answers that are derived",
    "ScriptTurn.cut": ("ending",),
    "ScriptTurn.fails_with": ("ending",),
    "ScriptTurn.changes": "what one provider sends: scenarios/answers",
    "ScriptTurn.damaged": "no answer of a provider's; scenarios/errors",
    "ScriptError.kind": ("ending",),
    "ScriptError.message": "each provider's words; the kind decides",
    "ScriptError.retry_after": ("ending",),
    "ScriptError.quirks": "what one provider does: scenarios/gemini",
    "ScriptCall.tool": ("calls", "tools"),
    "ScriptCall.arguments": ("arguments", "argument value", "argument text", "property name"),
    "ScriptCall.raw": "text that is no JSON object: scenarios/arguments",
    "ScriptCall.takes_text": "follows from the tool",
    "ScriptCall.undeclared": "what a model makes up: scenarios/multi_turn",
    "ScriptCall.id": "who plays the model gives ids; scenarios/handoff has odd ones",
    "ServerSearch.query": ("search",),
    "ServerSearch.title": ("search",),
    "ServerSearch.url": ("search",),
    "ResultsStep.results": ("results order",),
    "ScriptResult.label": "names inside of a scenario file",
    "ScriptResult.content": ("result parts", "result kind"),
    "ScriptResult.is_error": ("result error",),
    "TextPart.text": ("result text",),
    "JsonPart.value": ("result value",),
    "ImagePart.media_type": ("result kind",),
    "ImagePart.data": ("result kind",),
    "DecisionsStep.accepted": ("decisions",),
}  # fmt: skip
"""Which factors vary a field of a scenario, or why none does."""

