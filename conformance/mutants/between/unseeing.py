"""Mutants of what a server sees: each mends or drops one thing in every request, as a server that does not look at it.

``told_by`` are the rules that fit: that a wrong request is taken is told by the rule that finds it wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.mutants.between.draft import Draft
from conformance.mutants.between.outgoing import delete, obj_at
from conformance.mutants.between.requests import RequestEdit, RequestMutant

UNSEEING_MUTANTS: dict[str, RequestMutant] = {}
RESULT = ("*.result.*", "*adjacent*", "*.history.*", "*turn-order*")


def unseeing(what: str, *told_by: str, series: int = 1) -> Callable[[RequestEdit], RequestEdit]:
    """Enter a mutant under the name of its edit."""

    def enter(edit: RequestEdit) -> RequestEdit:
        UNSEEING_MUTANTS[edit.__name__] = RequestMutant(edit.__name__, what, edit, told_by, "", series)
        return edit

    return enter


@unseeing("results of no call are not seen", *RESULT)
def does_not_see_orphans(draft: Draft) -> None:
    """Drops them."""
    known = {call.id for call in draft.facts.calls}
    for result in draft.facts.results:
        if result.ref not in known:
            draft.remove(result.at)


@unseeing("names of tools are not looked at", "*.naming.*", "*.declare.*")
def takes_any_name(draft: Draft) -> None:
    """Gives tools names that are right."""
    for number, tool in enumerate(draft.facts.client_tools):
        for one in (obj_at(draft, tool.at), obj_at(draft, f"{tool.at}/function")):
            if "name" in one:
                one["name"] = f"tool_{number}"
    if draft.facts.choice is not None:
        delete(draft, draft.facts.choice.at)


@unseeing("schemas of tools are not looked at", "*.declare.*", "*.naming.*")
def takes_any_schema(draft: Draft) -> None:
    """Gives tools empty ones."""
    for tool in draft.facts.client_tools:
        for one in (obj_at(draft, tool.at), obj_at(draft, f"{tool.at}/function")):
            for name in ("parameters", "input_schema", "strict"):
                if name in one:
                    one[name] = False if name == "strict" else {"type": "object", "properties": {}}


@unseeing("the tool choice is not looked at", "*.choose.*")
def takes_any_choice(draft: Draft) -> None:
    """Drops it."""
    for name in ("tool_choice", "toolConfig", "parallel_tool_calls"):
        draft.document.pop(name, None)


@unseeing("who asks for a stream is given none", "server.stream.as-asked")
def never_streams(draft: Draft) -> None:
    """Asks for none, where the body says so."""
    draft.document.pop("stream", None)
    draft.document.pop("stream_options", None)
