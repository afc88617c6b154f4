"""What users need of a library, and what of a result is about it.

A need is a capability, or several. A case is about it when its scenario needs the capability. ``streaming`` is about
how an answer comes, so it is no bit of its own: each failure is counted for whole answers and for streams apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report.summary import CONSEQUENCES, shown

STREAMING = "streaming"
NEEDS: Mapping[str, tuple[str, ...]] = {
    "parallel calls": ("parallel_calls",),
    "images": ("image_results",),
    "reasoning": ("reasoning",),
    "MCP": ("mcp_names", "resource_results"),
    "forced tools": ("tool_choice", "parallel_switch"),
    "strict schemas": ("strict",),
    "structured results": ("json_results",),
    "failed tools": ("error_results",),
    "errors and refusals": ("errors", "refusal"),
    "another provider's history": ("foreign_history",),
    "server tools": ("server_tools",),
    "custom tools": ("text_tools",),
    "shells and patches": ("provider_kinds",),
}
"""What is asked for, in the order in which it is offered, and the capabilities that it is made of."""

FAMILIES = {
    "parallel_calls": "parallel calls", "binary_image": "images", "reasoning": "reasoning",
    "tool_choice": "forced tools", "handoff": "another provider's history", "web": "server tools",
    "text_tools": "custom tools", "provider_kinds": "shells and patches",
    "errors": "errors and refusals", "mcp": "MCP",
}  # fmt: skip
"""What the scenarios of a family are about, whatever capabilities they name."""

ANY = 1
"""The bit that every case has."""
BITS = {name: 2 << number for number, name in enumerate(NEEDS)}
"""The bit of each need."""

UNKNOWN = -1
"""What an adapter can do where the result does not say it."""

UserHarm = list[int]
"""Rule, how its cell is shown, what breaking it does, and the needs that it concerns: of whole answers, of streams."""


@cache
def needs_of(scenario: str) -> int:
    """The bits of a scenario. One that is not ours is known by its family alone."""
    from conformance.scenarios.outlines import packaged_outlines

    outline = packaged_outlines().get(scenario)
    needed = outline.needs if outline else frozenset()
    found = {name for name, capabilities in NEEDS.items() if needed.intersection(capabilities)}
    if family := FAMILIES.get(scenario.partition(".")[0]):
        found.add(family)
    return ANY | sum(BITS[name] for name in found)


def able(adapter: Document, provider: str) -> int:
    """The bits of what an adapter says that it can do on a provider; `UNKNOWN` where it says nothing.

    The first bit is about streams.
    """
    said = adapter.get("capabilities", {}).get(provider)
    if said is None:
        return UNKNOWN
    can = sum(BITS[name] for name, capabilities in NEEDS.items() if not set(capabilities[:1]).difference(said))
    return can | (ANY if STREAMING in said else 0)


def tried(cells: Iterable[Document]) -> int:
    """The bits of the scenarios that the cells of a column name; `UNKNOWN` where none says what exercised it.

    A result may leave that out, or say it once: of a rule that every scenario exercises.
    """
    cells = list(cells)
    if not any(cell.get("scenarios") for cell in cells):
        return UNKNOWN
    found = 0
    for cell in cells:
        for name in (*cell.get("scenarios", ()), *(case.partition("/")[0] for case in cell.get("failed_cases", ()))):
            found |= needs_of(name)
    return found


def concerned(cases: Iterable[str]) -> tuple[int, int]:
    """The bits of these cases: of those with whole answers, and of those with streams."""
    whole = streamed = 0
    for case in cases:
        scenario, _, delivery = case.partition("/")
        if delivery.startswith("stream"):
            streamed |= needs_of(scenario)
        else:
            whole |= needs_of(scenario)
    return whole, streamed


def fault(cell: Document, rule: int, outcome: int, rule_consequence: str) -> UserHarm | None:
    """What a cell tells somebody who chooses a library: nothing, where only deviating hosts make it fail."""
    if cell["outcome"] not in FAILURES | {"warn"} or shown(cell) in ("oddity", "expected_fail"):
        return None
    light = set(cell.get("lightened_cases", ()))
    failed = cell.get("failed_cases") or [failure["case"] for failure in cell["failures"]]
    whole, streamed = concerned(case for case in failed if case not in light) if failed else (ANY, ANY)
    harm = list(CONSEQUENCES).index(cell.get("consequence", rule_consequence))
    return [rule, outcome, harm, whole, streamed]
