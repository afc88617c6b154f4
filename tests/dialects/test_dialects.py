"""Other spellings of right requests: no rule minds them, and a fault shows in them as it does in the plain one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from named_types import is_type
from spellings import minded, minded_only_with, played

from conformance.dialects.declared import declared, said_so
from conformance.dialects.derived import derived
from conformance.dialects.dialect import DOINGS, Dialect, DialectStep, dialect_of
from conformance.dialects.steps import CALLS, own_schema
from conformance.dialects.tables import table
from conformance.dialects.trying import dialects_of, spoken
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS
from conformance.wires.facts import decode
from conformance.wires.places import steps_of

SAMPLE = (
    "parallel_calls.two_reads", "tool_choice.required", "tool_choice.forced_renamed_tool", "shell.non_zero_exit",
    "grep.no_matches", "arguments.big_integers", "reasoning.two_steps", "quirks.repeated_id",
    "relations.tools_and_guidance", "relations.ids_made_by_the_client", "binary_image.caption_and_image",
)  # fmt: skip
"""The scenarios that are always tried; all of them are in `test_every_dialect`."""

EVERY = 6
"""Of the tools of the provider's own one in so many is always tried."""


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_rule_minds_another_spelling(provider: str) -> None:
    found, tried = [], 0
    plain = [*said_so(provider), *(played(provider, name) for name in SAMPLE)]
    for dialect in dialects_of(provider):
        for exchanges in plain:
            other = spoken(dialect, exchanges) or []
            tried += len(other)
            found += [f"{dialect.name}: {one}" for one in minded(other)]
    assert not found
    assert tried or not dialects_of(provider)


@pytest.mark.parametrize("provider", table()["tools of its own"])
def test_no_rule_minds_tools_of_the_providers_own(provider: str) -> None:
    some = list(declared(provider))[::EVERY]
    assert some
    assert not [f"{name}: {one}" for name, exchanges in some for one in minded(exchanges)]


# --- a fault shows in them -------------------------------------------------------------------------------------------

RESULT = "common.result.string-not-double-encoded"
NO_TEXT = "common.history.text-kept"

FAULTS = [
    ("openai-chat", "results as parts", "parallel_calls.two_reads", RESULT,
     DialectStep("set", "request.messages[role=tool].content[].text", "another text")),
    ("openai-chat", "choice as a list", "tool_choice.required", "chat.choose.mode-mapping",
     DialectStep("set", "request.tool_choice.allowed_tools.mode", "auto")),
    ("openai-chat", "choice as a list", "tool_choice.forced_renamed_tool", "chat.choose.forced-function-nested",
     DialectStep("set", "request.tool_choice.allowed_tools.tools[].function.name", "another")),
    ("openai-chat", "no content beside calls", "parallel_calls.identical_calls", "common.history.calls-kept",
     DialectStep("drop", "request.messages[role=assistant].tool_calls")),
    ("openai-chat", "parts at request.messages[role=user].content", "parallel_calls.two_reads", NO_TEXT,
     DialectStep("set", "request.messages[role=user].content[].text", "x")),
    ("openai-responses", "choice as a list", "tool_choice.required", "responses.choose.mode-mapping",
     DialectStep("set", "request.tool_choice.mode", "auto")),
    ("openai-responses", "choice as a list", "tool_choice.forced_renamed_tool", "responses.choose.mode-mapping",
     DialectStep("set", "request.tool_choice.tools[].name", "another")),
    ("openai-responses", "results as parts", "parallel_calls.two_reads", RESULT,
     DialectStep("set", "request.input[type=function_call_output].output[].text", "another text")),
    ("openai-responses", "input as text", "parallel_calls.two_reads", NO_TEXT,
     DialectStep("set", "request.input(string)", "x")),
    ("openai-responses", "continued by id", "parallel_calls.two_reads", "responses.continuation.previous-response-id",
     DialectStep("drop", "request.input[type=function_call_output]")),
    ("openai-responses", "instructions as developer", "relations.tools_and_guidance", "common.history.text-kept",
     DialectStep("set", "request.input[role=developer].content", "x")),
    ("anthropic", "cache marks", "parallel_calls.two_reads", "common.history.only-extended",
     DialectStep("set", "request.messages[role=user].content(string)", "x")),
    ("anthropic", "results as search results", "parallel_calls.two_reads", RESULT,
     DialectStep(
         "set", "request.messages[role=user].content[type=tool_result].content[].content[].text", "another text"
     )),
    ("anthropic", "tools say their type", "parallel_calls.two_reads", "common.declare.schema-passthrough",
     DialectStep("set", "request.tools[type=custom].input_schema", {"type": "object", "properties": {}})),
    ("gemini", "own schemas", "parallel_calls.two_reads", "common.declare.schema-passthrough",
     DialectStep("drop", "request.tools[].functionDeclarations[].parameters.properties")),
    ("gemini", "names with underscores", "parallel_calls.two_reads", "common.history.calls-kept",
     DialectStep("drop", "request.contents[role=model].parts[].function_call")),
    ("bedrock", "success said", "parallel_calls.two_reads", "bedrock.result.status",
     DialectStep("set", "request.messages[role=user].content[].toolResult.status", "failed")),
    ("bedrock", "choice said", "parallel_calls.two_reads", "bedrock.choose.one-word",
     DialectStep("put", "request.toolConfig.toolChoice.any", {})),
    ("bedrock", "own tools declared", "web.hosted_items", "bedrock.declare.tool-spec",
     DialectStep("put", "request.toolConfig.tools[].systemTool", {"name": "nova_grounding"})),
    ("bedrock", "pictures held", "parallel_calls.two_reads", RESULT,
     DialectStep("set", "request.messages[role=user].content[].toolResult.content[].text", "another text")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "name", "scenario", "rule", "fault"), FAULTS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_fault_shows_in_a_dialect(provider: str, name: str, scenario: str, rule: str, fault: DialectStep) -> None:
    assert minded_only_with(fault, provider, name, scenario, rule)


# --- the table and its steps -----------------------------------------------------------------------------------------


FORMATS = table().keys() - {"no nulls", "tools of its own"}
CASSETTE = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+ \S+\.\w+")


def test_every_entry_of_the_table_has_a_name_a_source_and_steps() -> None:
    assert set(PROVIDERS) >= FORMATS
    for provider in FORMATS:
        entries = [dialect_of(entry) for entry in table()[provider]]
        names = [one.name for one in entries]
        assert len(set(names)) == len(names)
        for one in entries:
            assert one.says.endswith((".", ".)")), one.name
            assert one.source or one.recorded, one.name
            assert not one.recorded or CASSETTE.fullmatch(one.recorded), one.name
            for step in one.steps:
                assert step.do in DOINGS or step.at in CALLS, one.name
                assert step.do == "call" or steps_of(step.at), one.name


SOURCES = sorted({entry["source"] for one in FORMATS for entry in table()[one] if "source" in entry})


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_is_an_address_or_a_type_that_there_is(source: str) -> None:
    assert source.startswith("https://") or is_type(source)


def test_a_type_that_there_is_not_is_none() -> None:
    assert is_type("anthropic.types.ToolParam.strict")
    assert not is_type("anthropic.types.ToolParam.stricter")
    assert not is_type("anthropic.types.Tools")


def said(steps: Sequence[DialectStep], document: object, **more: bool) -> object:
    return Dialect("a", "b", "c", tuple(steps), **more).spoken(document, Exchange("openai-chat"))


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        (DialectStep("put", "request.a", 1), {}, {"a": 1}),
        (DialectStep("put", "request.a", 1), {"a": None}, None),
        (DialectStep("set", "request.a[].b", ["(it)"]), {"a": [{"b": 1}, {}]}, {"a": [{"b": [1]}, {}]}),
        (DialectStep("set", "request.a", 2, only=(1,)), {"a": 3}, None),
        (DialectStep("parts", "request.a", ["(it)"]), {"a": " "}, None),
        (DialectStep("one text", "request.a"), {"a": [{"type": "text", "text": "x"}]}, {"a": "x"}),
        (DialectStep("one text", "request.a"), {"a": [{"type": "text", "text": "x", "more": 1}]}, None),
        (DialectStep("drop", "request.a", beside=("b",)), {"a": 1, "b": 2}, {"b": 2}),
        (DialectStep("drop", "request.a", without=("b",)), {"a": 1, "b": 2}, None),
        (DialectStep("drop", "request.a", beside=("b",)), {"a": 1}, None),
    ],
)
def test_a_step_is_done_where_it_fits(step: DialectStep, before: object, after: object) -> None:
    assert said([step], before) == after


def test_the_request_is_not_changed() -> None:
    document = {"a": {"b": 1}}
    assert said([DialectStep("set", "request.a.b", 2)], document) == {"a": {"b": 2}}
    assert document == {"a": {"b": 1}}


def test_types_tell_where_a_text_may_be_a_list() -> None:
    names = {one.name for one in derived("anthropic")}
    assert {"parts at request.messages[role=user].content[type=tool_result].content", "nulls said"} <= names
    assert not list(derived("mistral"))


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "string", "enum": ["a"]}, {"type": "STRING", "enum": ["a"]}),
        ({"type": "integer", "enum": [1]}, None),
        ({"type": "object", "properties": {}}, None),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, None),
        ({"type": ["string", "null"]}, None),
        (
            {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}, "required": ["a"]},
            {"type": "OBJECT", "properties": {"a": {"type": "ARRAY", "items": {"type": "NUMBER"}}}, "required": ["a"]},
        ),
    ],
)
def test_geminis_own_schemas(schema: object, written: object) -> None:
    assert own_schema(schema, upper=True) == written


def test_a_host_is_spoken_to_as_it_was_heard() -> None:
    """Mistral was recorded to take tools without a type, and not to take a list of allowed tools."""
    by_name = {one.name: one for one in dialects_of("mistral")}
    plain = played("mistral", "parallel_calls.two_reads")
    assert spoken(by_name["choice as a list"], plain) is None
    other = spoken(by_name["no type on tools"], plain)
    assert other is not None
    assert "type" not in decode(other[0].request)["tools"][0]  # type: ignore[arg-type]
