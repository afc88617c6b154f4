"""Mutants of what a gateway asks of the provider, written when the rules had been settled by those before."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from conformance.mutants.between.draft import Draft
from conformance.mutants.between.outgoing import (
    ARGUMENTS,
    CALLS,
    CHAIN,
    OF_ITS_CALL,
    ONCE,
    REQUEST,
    RESULTS,
    RICH,
    TEXT,
    TOOLS,
    as_agents,
    delete,
    obj_at,
    outgoing,
)
from conformance.mutants.between.said import objects

later = partial(outgoing, series=2)
again = partial(as_agents, series=2)

again("joins_results", RESULTS, OF_ITS_CALL)
again("empties_arguments", ARGUMENTS)
again("drops_an_argument", ARGUMENTS)
again("shouts", RESULTS)
again("answers_one_turn_late", RESULTS, OF_ITS_CALL, script=CHAIN)
again("loses_second_halves", RESULTS)
again("puts_words_between", f"{REQUEST}nothing-made-up", "*adjacent*", "*result*")
again("keeps_the_last_turn_only", CALLS, script=CHAIN)
again("claims_success", RESULTS, f"{REQUEST}error-kept", script="read_file.missing_file")
again("results_as_user_words", f"{REQUEST}not-flattened", RESULTS, "*result*")
again("reorders_history", CALLS, ARGUMENTS, RESULTS, "*history*", script=CHAIN)
again("exchanges_ids", f"{REQUEST}ids-stable", OF_ITS_CALL, "*.ids.*")
again("encodes_results_twice", RESULTS, "*double-encoded*", script="read_file.json_text")


@later("guidance of its own comes before the client's words", f"{REQUEST}nothing-made-up", script=ONCE)
def adds_guidance(draft: Draft) -> None:
    """Adds it where the format has it."""
    words = "You always answer in rhymes."
    if draft.format in ("anthropic", "unified"):
        draft.document["system"] = words
    elif draft.format == "gemini":
        draft.document["systemInstruction"] = {"parts": [{"text": words}]}
    elif draft.format == "openai-responses":
        draft.document["instructions"] = words
    else:
        draft.history.insert(0, {"role": "system", "content": words})


@later("the last tool is not declared", TOOLS, script="tool_choice.required")
def drops_a_tool(draft: Draft) -> None:
    """Drops it."""
    for tool in draft.facts.client_tools[-1:]:
        draft.remove(tool.at)


@later("another tool is forced", f"{REQUEST}choice-kept", "*.choose.*", script="tool_choice.forced_tool")
def forces_another_tool(draft: Draft) -> None:
    """Names it in the choice."""
    choice = draft.facts.choice
    other = next((tool.name for tool in draft.facts.client_tools if choice and tool.name != choice.name), None)
    if choice is not None and choice.name is not None and other is not None:
        told = json.dumps(draft.value(choice.at)).replace(json.dumps(choice.name), json.dumps(other))
        draft.put(choice.at, json.loads(told))


@later("the choices of a parameter are gone", f"{REQUEST}schemas-kept", script=RICH)
def drops_choices(draft: Draft) -> None:
    """Drops them."""
    _each_schema(draft, lambda schema: schema.pop("enum", None))


@later("every parameter is a text", f"{REQUEST}schemas-kept", script=RICH)
def says_that_all_is_text(draft: Draft) -> None:
    """Says so."""

    def edit(schema: dict[str, Any]) -> None:
        if isinstance(schema.get("type"), str) and schema["type"].lower() in ("integer", "number", "boolean"):
            schema["type"] = "STRING" if schema["type"].isupper() else "string"

    _each_schema(draft, edit)


@later(
    "calls may come several at once", f"{REQUEST}one-at-a-time-kept", f"{REQUEST}loss-is-told",
    script="tool_choice.one_at_a_time",
)  # fmt: skip
def drops_the_parallel_switch(draft: Draft) -> None:
    """Drops the switch."""
    if draft.facts.parallel_at:
        delete(draft, draft.facts.parallel_at)


@later(
    "pictures are words", f"{REQUEST}picture-kept", f"{REQUEST}not-flattened", script="binary_image.caption_and_image"
)
def drops_pictures(draft: Draft) -> None:
    """Writes that there was one."""
    for result in draft.facts.results:
        for one in objects(draft.value(result.at)):
            for name in [name for name, value in one.items() if isinstance(value, str) and len(value) > 80]:
                one[name] = "[picture]"


@later("the user's words come in capital letters", TEXT, script=ONCE)
def shouts_the_task(draft: Draft) -> None:
    """Writes them so."""
    for message in draft.facts.messages:
        for at, text in message.texts if message.role == "user" else ():
            draft.put(at, str(text).upper())


def _each_schema(draft: Draft, edit: Any) -> None:
    for tool in draft.facts.client_tools:
        for schema in objects(obj_at(draft, tool.schema_at)):
            edit(schema)
