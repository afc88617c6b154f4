"""Mutants of what a gateway asks of the provider: each changes one thing in every request, on its way there.

Many are those of coding agents (`conformance.mutants.between.requests`), which a gateway can be wrong in, too; here
they have the rules about gateways that fit. ``told_by`` are such rules: one of them must tell it, in the scenario that
``script`` names.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from conformance.model import Json
from conformance.mutants.between.draft import Draft
from conformance.mutants.between.requests import REQUEST_MUTANTS, RequestEdit, RequestMutant

THREE, CHAIN, RICH, ONCE = (
    "parallel_calls.three_calls", "multi_turn.sequential_chain", "declare.rich_schema", "shell.success"
)  # fmt: skip
OUTGOING_MUTANTS: dict[str, RequestMutant] = {}
REQUEST = "gateway.request."
CALLS, ARGUMENTS, RESULTS, TOOLS, TEXT = (
    f"{REQUEST}{name}-kept" for name in ("calls", "arguments", "results", "tools", "text")
)
OF_ITS_CALL = f"{REQUEST}result-of-its-call"


def outgoing(what: str, *told_by: str, script: str = THREE, series: int = 1) -> Callable[[RequestEdit], RequestEdit]:
    """Enter a mutant under the name of its edit."""

    def enter(edit: RequestEdit) -> RequestEdit:
        OUTGOING_MUTANTS[edit.__name__] = RequestMutant(edit.__name__, what, edit, told_by, script, series)
        return edit

    return enter


def as_agents(name: str, *told_by: str, script: str = THREE, series: int = 1) -> None:
    """Enter what is a mutant of coding agents, too."""
    known = REQUEST_MUTANTS[name]
    OUTGOING_MUTANTS[name] = RequestMutant(name, known.what, known.edit, told_by, script, series)


as_agents("drops_second_call", CALLS)
as_agents("merges_parallel_calls", CALLS, ARGUMENTS)
as_agents("changes_arguments", ARGUMENTS)
as_agents("renames_calls", CALLS, script="read_file.plain")
as_agents("drops_calls_alone", CALLS, "*no-orphan*", "*exactly-one*")
as_agents("flattens", f"{REQUEST}not-flattened")
as_agents("drops_last_turn", CALLS, script=CHAIN)
as_agents("forgets_first_turn", CALLS, script=CHAIN)
as_agents("swaps_results", OF_ITS_CALL)
as_agents("answers_with_the_first_result", OF_ITS_CALL, RESULTS)
as_agents("repeats_results", "*exactly-one*", "*result*")
as_agents("drops_a_result", RESULTS, "*exactly-one*")
as_agents("empties_results", RESULTS)
as_agents("hides_failures", RESULTS, f"{REQUEST}error-kept", script="read_file.missing_file")
as_agents("loses_letters", RESULTS, script="shell.unicode_output")
as_agents("drops_tools", TOOLS, script=CHAIN)
as_agents("drops_the_task", TEXT, script=CHAIN)

_NUMBERS = itertools.count()


@outgoing("calls and results have new ids in each request", f"{REQUEST}ids-stable", script=CHAIN)
def gives_ids_anew(draft: Draft) -> None:
    """Counts on and on."""
    number = next(_NUMBERS)
    made = {call.id: f"{str(call.id)[:-6]}{number:03}{place:03}" for place, call in enumerate(draft.facts.calls)}
    for call in draft.facts.calls:
        if isinstance(call.id, str):
            draft.put(call.id_at, made[call.id])
    for result in draft.facts.results:
        if isinstance(result.ref, str) and result.ref in made and draft.value(result.ref_at) == result.ref:
            draft.put(result.ref_at, made[result.ref])


@outgoing("the guidance is gone", TEXT, script="multi_turn.system_prompt")
def drops_guidance(draft: Draft) -> None:
    """Drops it, from the first request on."""
    for name in ("system", "instructions", "systemInstruction", "system_instruction"):
        draft.document.pop(name, None)
    for message in draft.facts.messages:
        if message.role == "system":
            draft.remove(message.at)


@outgoing("tools have a word before their names", TOOLS, script=ONCE)
def renames_tools(draft: Draft) -> None:
    """Puts it there."""
    for tool in draft.facts.client_tools:
        _declared(draft, tool.name).update(name=f"mcp__{tool.name}")


@outgoing("tools have no descriptions", TOOLS, script=ONCE)
def drops_descriptions(draft: Draft) -> None:
    """Drops them."""
    for tool in draft.facts.client_tools:
        _declared(draft, tool.name).pop("description", None)


@outgoing("no parameter is required any more", f"{REQUEST}schemas-kept", script=RICH)
def requires_nothing(draft: Draft) -> None:
    """Drops what is required."""
    for tool in draft.facts.client_tools:
        obj_at(draft, tool.schema_at).pop("required", None)


@outgoing("the tool choice is gone", f"{REQUEST}choice-kept", script="tool_choice.required")
def drops_the_choice(draft: Draft) -> None:
    """Drops it."""
    if draft.facts.choice is not None:
        delete(draft, draft.facts.choice.at)


@outgoing("how many tokens may be answered is other", f"{REQUEST}limit-kept", script=ONCE)
def changes_the_limit(draft: Draft) -> None:
    """Doubles it."""
    for one in draft.facts.settings.limits:
        if isinstance(one.value, int):
            draft.put(one.at, one.value * 2)


@outgoing("the model is told to speak more freely", f"{REQUEST}nothing-made-up", script=ONCE)
def sets_a_temperature(draft: Draft) -> None:
    """Sets it where the format has it."""
    holder = draft.document.setdefault("generationConfig", {}) if "contents" in draft.document else draft.document
    holder.update(temperature=0.7)


# --- helpers ---------------------------------------------------------------------------------------------------------


def obj_at(draft: Draft, at: str) -> dict[str, Any]:
    """The object at a pointer, to be changed; one that is nowhere where there is none."""
    found = draft.value(at) if at else None
    return found if isinstance(found, dict) else {}


def delete(draft: Draft, at: str) -> None:
    """Delete the member at a pointer."""
    above, _, name = at.rpartition("/")
    holder: Json = draft.value(above) if above else draft.document
    if isinstance(holder, dict):
        holder.pop(name, None)


def _declared(draft: Draft, name: Json) -> dict[str, Any]:
    """The object that declares a tool of this name."""
    for tool in draft.facts.client_tools:
        for one in (obj_at(draft, tool.at), obj_at(draft, f"{tool.at}/function")):
            if one.get("name") == name:
                return one
    return {}
