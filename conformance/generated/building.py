"""From a row to a scenario: a conversation in which each factor has the level that the row says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from conformance.generated.factors import ABSENT, FACTORS, USUAL, Row
from conformance.generated.keywords import VOCABULARIES, definitions, placed, subschemas
from conformance.generated.texts import TEXTS
from conformance.model import ImagePart, Json, JsonPart, Part, TextPart, Tool, ToolChoice
from conformance.scenarios import AnswerStep, DecisionsStep, ResultsStep, Scenario, ScriptResult, Step, UserStep
from conformance.script import ScriptCall, ScriptError, ScriptTurn, ServerSearch

VALUES: Mapping[str, Json] = {
    "null": None, "true": True, "negative": -7, "beyond 2^53": 2**53 + 1, "beyond 2^64": 2**64 + 1, "fraction": 0.1,
    "exponent": 1.5e300, "empty list": [], "list": ["a", "", "é"], "empty object": {},
    "object": {"a": {"b": [{"c": 1}, {"c": 2}]}, "A": "", "": "nameless"},
}  # fmt: skip
"""The JSON values of the factors' levels."""
NAMES: Mapping[str, tuple[str, tuple[str, str] | None]] = {
    "plain": ("look_up", None), "underscore first": ("_look_up", None), "digit first": ("2look", None),
    "dot": ("look.up", None), "upper case": ("Look_Up", None), "64 characters": ("l" * 64, None),
    "65 characters": ("l" * 65, None), "space": ("look up", None), "beyond ASCII": ("größe", None),
    "of a server": ("srv/look_up", ("srv", "look_up")),
    "of a server, long": (f"{'s' * 40}/{'t' * 40}", ("s" * 40, "t" * 40)),
}  # fmt: skip
"""The names of the tool: the application's, and the MCP server's with the server's own."""
OTHER = Tool("other_tool", "Another tool", {"type": "object", "properties": {"count": {"type": "integer"}}})
NARROW = tuple(factor for factor in FACTORS if factor.group != "base")
"""Factors that ask for something."""
RULES = ("common.history.text-kept", "common.history.calls-kept", "common.result.exactly-one-per-call")
"""What takes the blame when the adapter fails to answer."""
BREAKING = ("openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "azure", "xai", "deepseek", "unified")
"""Who says in the middle of a stream that it fails."""


@dataclass(frozen=True)
class Builder:
    """Builds the scenario of a whole row. ``images`` are pictures that scenario files know."""

    row: Row
    images: tuple[ImagePart, ...]

    def scenario(self, name: str) -> Scenario:
        """The scenario, as ``generated.<name>``."""
        row = self.row
        ends_with_failure = row["ending"].startswith("fails")
        return Scenario(
            id=f"generated.{name}",
            title=_title(row),
            rules=RULES,
            requires=frozenset(),
            providers=BREAKING if ends_with_failure else None,
            profile="native" if row["search"] == "given" else None,
            system=_text(row["system"]) if row["system"] != ABSENT else None,
            reasoning=row["reasoning"] != ABSENT,
            tools=tuple(self._tools()),
            choice=self._choice(),
            history=tuple(self._history()),
            steps=tuple(self._steps()),
            deliveries=tuple(self._deliveries()),
        )

    def _deliveries(self) -> Iterator[str]:
        """The row's; blocking too, where nothing is asked that only some adapters can do."""
        yield self.row["delivery"]
        if self.row["delivery"] != "blocking" and all(self.row[one.name] == one.levels[0] for one in NARROW):
            yield "blocking"

    # --- tools -------------------------------------------------------------------------------------------------------

    @cached_property
    def tool(self) -> Tool:
        """The tool that is called."""
        name, server = NAMES[self.row["tool name"]]
        strict = None if self.row["strict"] == ABSENT else self.row["strict"] == "true"
        return Tool(name, _text(self.row["tool description"]), self._parameters(), strict, server)

    def _tools(self) -> Iterator[Tool]:
        yield self.tool
        if self.row["tools"] == "several":
            yield OTHER
        elif self.row["tools"] == "equal":
            yield Tool("same_tool", self.tool.description, self.tool.parameters, self.tool.strict)
        if self.row["search"] == "given":
            yield Tool("web_search", builtin="web_search")

    def _parameters(self) -> Mapping[str, Json] | None:
        kind = self.row["parameters"]
        if kind in (ABSENT, "empty"):
            return None if kind == ABSENT else {"type": "object", "properties": {}}
        own = {"text": self._text_schema(), "options": schema_of_value({_text(self.row["property name"]): self._value})}
        more: dict[str, Json] = {}
        if kind in VOCABULARIES:
            more = subschemas(kind, empty=self.row["schema emptiness"] == "empty")
        defined = definitions(more, self.row["schema place"])
        return {
            "type": "object",
            "properties": own | placed(more, self.row["schema place"]),
            **({"required": [*own]} if self.row["arguments"] == "some" else {}),
            "additionalProperties": False,
            **({"$defs": defined} if defined else {}),
        }

    def _text_schema(self) -> Json:
        schema: dict[str, Json] = {"type": "string"}
        if self.row["property description"] != ABSENT:
            schema["description"] = _text(self.row["property description"])
        if self.row["enum value"] != ABSENT:
            known = [_text(self.row["argument text"]), _text(self.row["enum value"]), "changed", "earlier"]
            schema["enum"] = list(dict.fromkeys(known))
        return schema

    def _choice(self) -> ToolChoice:
        mode, parallel = self.row["tool choice"], self.row["parallel"]
        said = None if parallel == ABSENT else parallel == "true"
        if mode == "tool":
            return ToolChoice("tool", self.tool.name, said)
        assert mode in ("auto", "none", "required")
        return ToolChoice(mode, None, said)  # type: ignore[arg-type]

    # --- calls -------------------------------------------------------------------------------------------------------

    @property
    def _value(self) -> Json:
        return VALUES[self.row["argument value"]]

    def _call(self, text: str | None = None) -> ScriptCall:
        if self.row["arguments"] == "none" or self.row["parameters"] in (ABSENT, "empty"):
            return ScriptCall(self.tool.name, {})
        said = _text(self.row["argument text"]) if text is None else text
        return ScriptCall(self.tool.name, {"text": said, "options": {_text(self.row["property name"]): self._value}})

    def _calls(self, text: str | None = None) -> tuple[ScriptCall, ...]:
        call = self._call(text)
        second = ScriptCall(OTHER.name, {"count": 2}) if self.row["tools"] == "several" else self._call("changed")
        return {"none": (), "one": (call,), "several": (call, second), "equal": (call, call)}[self.row["calls"]]

    # --- turns -------------------------------------------------------------------------------------------------------

    def _history(self) -> Iterator[Step]:
        times = {"none": 0, "one": 1, "several": 2}[self.row["history"]]
        for _ in range(times):
            yield UserStep("Earlier.")
            yield AnswerStep(ScriptTurn("Let me look.", (self._call("earlier"),)), ("past",))
            yield ResultsStep((ScriptResult("past", (TextPart("found"),)),))
            yield AnswerStep(ScriptTurn("There it was."))

    def _steps(self) -> Iterator[Step]:
        yield UserStep(_text(self.row["user text"]))
        if self.row["calls"] != "none":
            yield from self._round(self._calls())
            if self.row["rounds"] != "one":
                yield from self._round(self._calls("changed" if self.row["rounds"] == "changed" else None))
        yield from self._ending()
        if self.row["second question"] != ABSENT:
            yield UserStep(_text(self.row["user text"]) if self.row["second question"] == "equal" else "And now?")
            yield AnswerStep(ScriptTurn("As before."))

    def _round(self, calls: tuple[ScriptCall, ...]) -> Iterator[Step]:
        labels = tuple(f"c{place}" for place in range(len(calls)))
        yield AnswerStep(ScriptTurn(_text(self.row["turn text"]), calls, reasoning=self._reasoning), labels)
        if self.row["decisions"] != ABSENT:
            rejects = self.row["decisions"] == "reject"
            yield DecisionsStep({label: not (rejects and label == "c0") for label in labels})
            labels = labels[1:] if rejects else labels
        results = [self._result(label) for label in labels]
        if results:
            yield ResultsStep(tuple(results[::-1] if self.row["results order"] == "reversed" else results))

    @property
    def _reasoning(self) -> str | None:
        return None if self.row["reasoning"] == ABSENT else _text(self.row["reasoning"])

    def _result(self, label: str) -> ScriptResult:
        if label != "c0" and self.row["calls"] == "several":
            return ScriptResult(label, (TextPart("what the second call found"),))
        return ScriptResult(label, tuple(self._parts()), is_error=self.row["result error"] == "true")

    def _parts(self) -> Iterator[Part]:
        text, value = TextPart(_text(self.row["result text"])), JsonPart(VALUES[self.row["result value"]])
        first: dict[str, tuple[Part, ...]] = {
            "text": (text,), "json": (value,), "image": (self.images[0],), "mixed": (text, value, self.images[0]),
        }  # fmt: skip
        yield from first[self.row["result kind"]]
        if self.row["result parts"] == "several":
            yield TextPart("a second part") if self.row["result kind"] != "image" else self.images[1]
        elif self.row["result parts"] == "equal":
            yield first[self.row["result kind"]][0]

    def _ending(self) -> Iterator[Step]:
        ending, text = self.row["ending"], _text(self.row["last text"])
        kind, _, what = ending.partition(" ")
        if self.row["tool choice"] in ("required", "tool"):
            yield AnswerStep(ScriptTurn(calls=(self._call(),)), ("last",))
        elif self.row["refusal"] != ABSENT:
            yield AnswerStep(ScriptTurn(refusal=_text(self.row["refusal"])))
        elif kind == "error":
            yield AnswerStep(ScriptError(what, "It did not work"))  # type: ignore[arg-type]
        elif kind == "fails":
            yield AnswerStep(ScriptTurn("So far", fails_with=ScriptError(what, "It broke")))  # type: ignore[arg-type]
        elif ending == "cut arguments":
            yield AnswerStep(ScriptTurn(calls=(self._call(),), cut="arguments"), ("last",))
        elif ending == "cut terminal":
            yield AnswerStep(ScriptTurn("So far", cut="terminal"))
        else:
            if ending == "retried":
                yield AnswerStep(ScriptError("rate_limit", "Too many requests", 1))
            search = ServerSearch("words", "A page", "https://example.com/") if self.row["search"] == "given" else None
            yield AnswerStep(ScriptTurn(
                text, reasoning=self._reasoning, search=search, stop="length" if ending == "length" else None,
                finish="x_new_reason" if ending == "unknown finish" else None,
            ))  # fmt: skip


def schema_of_value(value: Json) -> Json:
    """The narrowest closed schema that the value fits."""
    match value:
        case dict():
            inner = {name: schema_of_value(one) for name, one in value.items()}
            return {"type": "object", "properties": inner, "required": [*inner], "additionalProperties": False}
        case list():
            return {"type": "array", "items": schema_of_value(value[0]) if value else {"type": "string"}}
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean"}
        case str():
            return {"type": "string"}
    return {"type": "integer" if isinstance(value, int) else "number"}


def _text(level: str) -> str:
    return TEXTS[level].text


def _title(row: Row) -> str:
    told = [f"{name} {level}" for name, level in row.items() if level != USUAL[name]]
    words = "; ".join(told) or "everything as usual"
    return words if len(words) <= 120 else f"{words[:117]}..."
