"""Messages: how much strict tools may ask for. Their schemas are compiled to a grammar, which has limits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.subschemas import subschemas
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj, pointer

MOST_TOOLS = 20


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a strict tool, at any depth of its schema."""

    at: str
    schema: Mapping[str, Json]
    required: bool

    @property
    def is_union(self) -> bool:
        return "anyOf" in self.schema or isinstance(self.schema.get("type"), list)


COUNTED: tuple[tuple[int, str, Callable[[Parameter], bool]], ...] = (
    (24, "optional parameters of strict tools", lambda parameter: not parameter.required),
    (16, "parameters of strict tools with a union type", lambda parameter: parameter.is_union),
)
"""What is counted over all strict tools of a request, and how many of them there may be."""


@check("anthropic.declare.strict-limits")
def strict_limits(x: Exchange) -> Verdicts:
    """What the application itself asks for is not the adapter's doing: so much is allowed."""
    strict = [tool for tool in x.facts.functions if tool.strict is True]
    if not strict:
        return
    own = _asked_for(x)
    sent = [parameter for tool in strict for parameter in _parameters(tool.schema, tool.schema_at)]
    asked = [parameter for schema in own for parameter in _parameters(schema, "")]
    yield _at_most(MOST_TOOLS, "strict tools", [tool.at for tool in strict], len(own))
    for most, what, counts in COUNTED:
        yield _at_most(most, what, [one.at for one in sent if counts(one)], sum(map(counts, asked)))


@check("anthropic.declare.strict-not-recursive")
def strict_not_recursive(x: Exchange) -> Verdicts:
    own = any(next(_circles(obj(schema)), None) for schema in _asked_for(x))
    for tool in x.facts.functions:
        if tool.strict is True and isinstance(tool.schema, dict) and not own:
            found = next(_circles(tool.schema), None)
            yield holds(found is None, tool.schema_at, "a schema that does not refer to itself", found)


def _asked_for(x: Exchange) -> list[Json]:
    """The schemas of the tools that the application declares as strict."""
    return [tool.parameters for tool in x.intent.tools if tool.strict] if x.intent is not None else []


def _at_most(most: int, what: str, places: list[str], asked: int) -> Finding | None:
    place = places[-1] if places else ""
    return holds(len(places) <= max(most, asked), place, f"at most {most} {what}", len(places))


def _parameters(schema: Json, at: str) -> Iterator[Parameter]:
    for here, node in subschemas(schema, at):
        required = {name for _, name in items(node.get("required")) if isinstance(name, str)}
        for name, one in obj(node.get("properties")).items():
            yield Parameter(f"{here}/properties{pointer(name)}", obj(one), name in required)


def _circles(root: Mapping[str, Json]) -> Iterator[str]:
    """References that lead back to a schema that they stand in."""
    leads = {name: set(_references(schema)) for name, schema in {"#": root, **_definitions(root)}.items()}
    group = _groups(leads)
    sizes = Counter(group.values())
    yield from (name for name in leads if sizes[group[name]] > 1 or name in leads[name])


def _groups(leads: Mapping[str, set[str]]) -> dict[str, str]:
    """The names that lead to each other, by the name that stands for all of them (Kosaraju's two walks)."""
    left, seen = list[str](), set[str]()
    back: defaultdict[str, list[str]] = defaultdict(list)
    for start in leads:
        pending = [(start, False)]
        while pending:
            name, is_done = pending.pop()
            if is_done:
                left.append(name)
            elif name in leads and name not in seen:
                seen.add(name)
                pending.append((name, True))
                pending += [(other, False) for other in leads[name]]
                for other in leads[name]:
                    back[other].append(name)
    group: dict[str, str] = {}
    for start in reversed(left):
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name not in group:
                group[name] = start
                waiting += back[name]
    return group


def _definitions(root: Mapping[str, Json]) -> dict[str, Json]:
    """The definitions of a schema, by how they are referred to."""
    return {
        f"#/{word}{pointer(name)}": schema
        for word in ("$defs", "definitions")
        for name, schema in obj(root.get(word)).items()
    }


def _references(schema: Json) -> Iterator[str]:
    """What a schema refers to. Of the root only what stands outside of its definitions."""
    for at, node in subschemas(schema, ""):
        if isinstance(node.get("$ref"), str) and not at.startswith(("/$defs/", "/definitions/")):
            yield node["$ref"]
