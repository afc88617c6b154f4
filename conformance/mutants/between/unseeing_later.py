"""Mutants of what a server sees, written when the rules had been settled by those before."""

from __future__ import annotations

from functools import partial

from conformance.mutants.between.draft import Draft
from conformance.mutants.between.unseeing import RESULT, unseeing
from conformance.wires import card

later = partial(unseeing, series=2)
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", "model"})


@later("calls without a result are not seen", *RESULT)
def does_not_see_open_calls(draft: Draft) -> None:
    """Drops them."""
    for one in draft.rounds:
        for call in one.calls:
            if draft.result_of(one, call) is None:
                draft.remove(call.at)


@later("messages of odd roles are not seen", "*role*", "*.history.*", "*turn*", "*.message*", "*.shape.*")
def does_not_see_odd_roles(draft: Draft) -> None:
    """Drops them."""
    draft.history[:] = [
        one for one in draft.history if not isinstance(one, dict) or one.get("role", "user") in ROLES
    ]  # fmt: skip


@later("of tools with one name the first one counts", "*.naming.*", "*.declare.*")
def takes_tools_twice(draft: Draft) -> None:
    """Drops the others."""
    seen = set()
    for tool in draft.facts.client_tools:
        if str(tool.name) in seen:
            draft.remove(tool.at)
        seen.add(str(tool.name))


@later("tools of unknown types are not seen", "*.declare.*", "*.naming.*")
def does_not_see_odd_tools(draft: Draft) -> None:
    """Drops them."""
    known = {tool.at for tool in draft.facts.client_tools}
    for tool in draft.facts.tools:
        if tool.at not in known:
            draft.remove(tool.at)


@later("arguments of calls are not looked at", "*.history.*", "*arguments*", "*.ids.*", "*.parse.*")
def takes_any_arguments(draft: Draft) -> None:
    """Gives calls empty ones."""
    for call in draft.facts.calls:
        if call.arguments_at and draft.value(call.arguments_at) is not None:
            draft.put(call.arguments_at, "{}" if card(draft.provider).forms.arguments == "text" else {})
