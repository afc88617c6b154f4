"""Gemini: choosing among tools."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import tool_pairs
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj
from conformance.wires.gemini.keys import camel, field_spelling, get
from conformance.wires.gemini.protobuf import MODE_NAMES, enum_name

PARALLEL_SWITCHES = ("parallelToolCalls", "disableParallelToolUse", "parallelFunctionCalling", "parallel")

OLDER = re.compile(r"gemini-([12]|pro|ultra)\b|gemini-exp|bison|palm")
"""Names of models before Gemini 3."""

MODES = {"auto": ("AUTO", "VALIDATED", "MODE_UNSPECIFIED"), "required": ("ANY",), "tool": ("ANY",), "none": ("NONE",)}


@check("gemini.choose.mode-mapping")
def mode_mapping(x: Exchange) -> Verdicts:
    """Nothing is there to choose where no function is declared."""
    choice, declared = x.facts.choice, [tool.name for tool in x.facts.functions]
    wanted = x.intent.choice.mode if x.intent is not None and x.intent.tools else None
    if not declared or (wanted is None and choice is None):
        return
    at, calling = (choice.at, choice.raw) if choice is not None else ("/toolConfig/functionCallingConfig", None)
    mode, allowed = enum_name(get(calling, "mode") or "AUTO", MODE_NAMES), get(calling, "allowedFunctionNames")
    modes = MODES[wanted] if wanted is not None else [name for names in MODES.values() for name in names]
    if mode not in modes:
        yield Finding(f"{at}/mode" if choice is not None else at, modes[0] if wanted is not None else modes, mode)
    elif allowed:
        yield _allowed(
            f"{at}/{field_spelling(obj(calling), 'allowedFunctionNames')}", mode, allowed, _chosen(x), declared
        )
    else:
        forced = wanted != "tool" or len(declared) == 1
        yield holds(forced, at, {"mode": "ANY", "allowedFunctionNames": _chosen(x)}, calling)


def _allowed(at: str, mode: Json, allowed: Json, chosen: Sequence[Json], declared: Sequence[Json]) -> Finding | None:
    """Whether the allowed names are the chosen ones, and whether there may be any."""
    names = [name for _, name in items(allowed)]
    if mode not in ("ANY", "VALIDATED"):
        return Finding(at, "no names: the mode is not ANY", allowed)
    if not isinstance(allowed, list) or any(name not in declared for name in names):
        return Finding(at, declared, allowed)
    right = not chosen or (all(name in chosen for name in names) and all(name in names for name in chosen))
    return holds(right, at, chosen, names)


def _chosen(x: Exchange) -> list[Json]:
    """The wire names that may be called, as far as the application's choice says it."""
    if x.intent is None:
        return []
    pairs = tool_pairs(x)
    if x.intent.choice.mode == "tool":
        return [sent.name for tool, sent in pairs if tool.name == x.intent.choice.name]
    return [sent.name for _, sent in pairs]


@check("gemini.choose.parallel-not-supported")
def parallel_not_supported(x: Exchange) -> Verdicts:
    if not x.facts.functions:
        return
    document = obj(x.facts.document)
    config = field_spelling(document, "toolConfig")
    calling = field_spelling(obj(document.get(config)), "functionCallingConfig")
    holders = {"": document, f"/{config}": obj(document.get(config))}
    holders[f"/{config}/{calling}"] = obj(holders[f"/{config}"].get(calling))
    yield None
    for at, holder in holders.items():
        for key in holder:
            if camel(key) in PARALLEL_SWITCHES:
                yield Finding(f"{at}/{key}", "nothing: there is no such switch", holder[key])


@check("gemini.choose.builtins-beside-functions")
def builtins_beside_functions(x: Exchange) -> Verdicts:
    builtins = [tool.kind for tool in x.facts.tools if tool.kind != "function"]
    if not builtins or not x.facts.functions or "aiplatform" in x.host or OLDER.search(x.asked_model):
        return
    key = field_spelling(obj(x.facts.document), "toolConfig")
    told = get(get(x.facts.document, key), "includeServerSideToolInvocations")
    yield holds(told is True, f"/{key}/includeServerSideToolInvocations", True, told)
