"""Conversations that nobody thought of: Hypothesis strategies for scenarios, quirks and JSON.

What is drawn is a whole `Scenario`: tools, the turns of user, model and tools, decisions. So a counter-example is a
scenario as well, and can be written to a file (`conformance.scenario_files`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any

from hypothesis import strategies as st

from conformance.model import ImagePart, JsonPart, Part, TextPart, Tool, ToolChoice
from conformance.scenarios import (
    AnswerStep,
    DecisionsStep,
    ResultsStep,
    Scenario,
    ScriptResult,
    Shelf,
    Step,
    UserStep,
    scenario_root,
)
from conformance.script import ScriptCall, ScriptTurn

RULES = ("common.parse.args-decoded-object", "common.result.exactly-one-per-call")
"""What a generated scenario is for, until a law or a rule says otherwise."""

IMAGES: Sequence[ImagePart] = list(Shelf.of(scenario_root()).images.values())

characters = st.characters(codec="utf-8", exclude_characters="\x00")
"""All but lone surrogates, which no file can hold."""

odd_texts = st.sampled_from(
    ["", " ", "\n", "null", "{}", "[]", '{"error":"x"}', '{"a":1}', "data: x\n\n", "[DONE]", "\r\n", "\ufeffa",
     "\u2028", "é🙂", "\\u00e9", '"', "\\", "</x>", "0", "true", "event: error"]
)  # fmt: skip
"""What has meant something to somebody who was not asked."""

texts = odd_texts | st.text(characters, max_size=12)
ids = st.text("abcXYZ019", min_size=9, max_size=9) | st.text(characters, min_size=1, max_size=80) | st.sampled_from(
    ["call_1", "toolu_01", "functions.read:0", "x" * 65, "call:1|2"]
)  # fmt: skip

numbers = (
    st.integers(-9, 9)
    | st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**64 + 1, 10**30])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.1, -0.0, 1.0, 5e-324, 1e21, 1e22, 1.7976931348623157e308])
)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
"""Any JSON."""

keys = st.sampled_from(["path", "limit", "options", "error", "output"]) | texts
objects = st.just({}) | st.dictionaries(keys, values, max_size=3)

# --- tools -----------------------------------------------------------------------------------------------------------

PROPERTY = [
    {"type": "string"},
    {"type": "string", "enum": ["a", "é"], "description": "which"},
    {"type": "array", "items": {"type": "number"}},
    {"type": "object", "properties": {"deep": {"type": ["string", "null"]}}, "required": ["deep"]},
    {"anyOf": [{"type": "string"}, {"type": "object"}]},
]
schemas = st.none() | st.builds(
    lambda properties, required, root: {
        **root,
        "properties": properties,
        "required": [name for name, wanted in zip(properties, required, strict=False) if wanted],
    },
    st.dictionaries(st.sampled_from(["file", "größe", "a b", "x"]), st.sampled_from(PROPERTY), max_size=3),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.sampled_from([{"type": "object"}, {}, {"type": "object", "additionalProperties": False}]),
)  # fmt: skip
names = st.sampled_from(
    ["read_file", "grep", "Read_File", "a.b", "a_b", "2fast", "größe", "x" * 63, "x" * 64, "x" * 70, "_", "-a", "a b",
     "_2fast"]
) | st.text(characters, min_size=1, max_size=8)  # fmt: skip
servers = st.sampled_from([None, None, ("srv", "list"), ("my.srv", "list"), ("my_srv", "list"), ("s" * 40, "t" * 40)])


@st.composite
def tools(draw: st.DrawFn) -> Tool:
    """One tool, of an MCP server or not."""
    mcp = draw(servers)
    name = "/".join(mcp) if mcp else draw(names)
    return Tool(name, draw(texts), draw(schemas), draw(st.sampled_from([None, None, True, False])), mcp)


tool_lists = st.lists(tools(), min_size=1, max_size=3, unique_by=lambda tool: tool.name)


def choices(declared: Sequence[Tool]) -> st.SearchStrategy[ToolChoice]:
    """What may be asked of the model with these tools."""
    parallel = st.sampled_from([None, None, True, False])
    free = st.builds(ToolChoice, st.sampled_from(["auto", "auto", "none", "required"]), st.none(), parallel)
    return free | st.builds(ToolChoice, st.just("tool"), st.sampled_from([tool.name for tool in declared]), parallel)


# --- turns -----------------------------------------------------------------------------------------------------------


def calls(declared: Sequence[Tool]) -> st.SearchStrategy[ScriptCall]:
    """A call of one of the tools."""
    tool = st.sampled_from([tool.name for tool in declared])
    return st.builds(ScriptCall, tool, objects, st.none(), st.none() | ids)


def turns(declared: Sequence[Tool], quirks: st.SearchStrategy[frozenset[str]] | None = None, *, least: int = 0,
          most: int = 3) -> st.SearchStrategy[ScriptTurn]:  # fmt: skip
    """A turn of the model's. Ids that are fixed are all different."""
    different = {"unique_by": lambda call: call.id or object()}
    made = st.lists(calls(declared), min_size=least, max_size=most, **different).map(tuple)  # type: ignore[arg-type]
    return st.builds(ScriptTurn, text=texts, calls=made, quirks=st.just(frozenset()) if quirks is None else quirks)


parts: st.SearchStrategy[Part] = (
    st.builds(TextPart, texts) | st.builds(JsonPart, values) | st.sampled_from(IMAGES)
)


def results(label: str) -> st.SearchStrategy[ScriptResult]:
    """What the tool returns for the call with this label."""
    good = st.lists(parts, min_size=1, max_size=3).map(lambda content: ScriptResult(label, tuple(content)))
    return good | texts.map(lambda text: ScriptResult(label, (TextPart(text),), is_error=True))


@st.composite
def answered(draw: st.DrawFn, turn: ScriptTurn) -> list[Step]:
    """The turn, the user's decisions about its calls if there are any, and the results of those that ran."""
    labels = tuple(f"c{place}" for place in range(len(turn.calls)))
    steps: list[Step] = [AnswerStep(turn, labels)]
    accepted = {label: draw(st.booleans()) for label in labels} if labels and draw(st.integers(0, 3)) == 0 else {}
    if accepted:
        steps.append(DecisionsStep(accepted))
    ran = [label for label in labels if accepted.get(label, True)]
    if ran:
        steps.append(ResultsStep(tuple(draw(results(label)) for label in draw(st.permutations(ran)))))
    return steps


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """A conversation of up to three rounds, for laws. What is played is made by ``conformance.generated``."""
    declared = draw(tool_lists)
    rounds: list[list[Step]] = []
    used: set[str] = set()
    for _ in range(draw(st.integers(1, 3))):
        steps: list[Step] = [UserStep(draw(texts))]
        for _ in range(draw(st.integers(0, 2))):
            turn = draw(turns(declared, least=1).filter(partial(_is_new, used)))
            used |= given_ids(turn)
            steps += draw(answered(turn))
        rounds.append([*steps, AnswerStep(ScriptTurn(draw(texts)))])
    if draw(st.booleans()):
        rounds.append([UserStep(draw(texts))])
    return Scenario(
        id="found.example",
        title="A conversation that was found",
        rules=RULES,
        requires=frozenset(),
        providers=None,
        profile=None,
        system=draw(st.none() | texts),
        reasoning=False,
        tools=tuple(declared),
        choice=draw(choices(declared)),
        history=(),
        model=draw(st.none() | st.just("their-model")),
        steps=tuple(chain(*rounds)),
    )


def _is_new(used: set[str], turn: ScriptTurn) -> bool:
    return not used & given_ids(turn)


def given_ids(turn: ScriptTurn) -> set[str]:
    """The ids that the turn's calls bring with them."""
    return {call.id for call in turn.calls if call.id is not None}


# --- damage ----------------------------------------------------------------------------------------------------------


@st.composite
def damaged(draw: st.DrawFn, document: Any) -> Any:
    """``document`` with one to three of its values replaced by any JSON, or taken away."""
    for _ in range(draw(st.integers(1, 3))):
        document = draw(_damaged_once(document))
    return document


@st.composite
def _damaged_once(draw: st.DrawFn, document: Any) -> Any:
    if not isinstance(document, dict | list) or not document or draw(st.integers(0, 7)) == 0:
        return draw(values)
    if isinstance(document, list):
        place = draw(st.integers(0, len(document) - 1))
        if draw(st.integers(0, 9)) == 0:
            return [*document[:place], *document[place + 1 :]]
        return [*document[:place], draw(_damaged_once(document[place])), *document[place + 1 :]]
    key = draw(st.sampled_from(sorted(document)))
    if draw(st.integers(0, 9)) == 0:
        return {name: value for name, value in document.items() if name != key}
    return {**document, key: draw(_damaged_once(document[key]))}
