"""From a call in a role to a call of a tool that the request declares: by the recipe's word, else by name and schema.

A tool that is not declared is never called, unless the script means to (``unknown_tool``). A role that no tool has may
be done by the shell, where the recipe says how.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.agents.roles import PARAMETERS, ROLES, RoleName, plain_name
from conformance.agents.script import RoleCall
from conformance.arguments import NoArgumentsError, arguments_for
from conformance.model import TEXT_INPUT, Json
from conformance.recipes.placeholders import all_filled, filled_in
from conformance.script import ScriptCall
from conformance.wires.facts import Facts, SentTool, obj

SHELL_WORDS = ("bash", "-lc")
"""What stands before a command where a tool takes a list of words."""
MAX_NESTED = 4
"""How deep parameters are looked for."""


@dataclass(frozen=True, slots=True)
class RecipeTool:
    """What a recipe says of a role. ``name`` is the tool, ``arguments`` are set beside what the schema tells, ``text``
    is all that a tool gets which takes one text, ``command`` does it by the shell."""

    name: str = ""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    text: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Binder:
    """Finds tools. ``own_language`` is that of the provider's schemas (`conformance.wires.card.Forms`)."""

    recipe: Mapping[str, RecipeTool]
    workspace: Path
    own_language: bool = False

    def bound(self, call: RoleCall, facts: Facts) -> ScriptCall | None:
        """The call of a declared tool, or ``None`` where no declared tool has the role."""
        values = self._values(call)
        if call.role == "unknown_tool":
            arguments = all_filled(values["arguments"], self._places)
            return ScriptCall(_undeclared(str(values["tool"]), facts), arguments)
        return next(self._found(call.role, values, facts), None)

    @property
    def _places(self) -> dict[str, str]:
        return {"workspace": str(self.workspace)}

    def _values(self, call: RoleCall) -> dict[str, Json]:
        """The values of a call, with whole paths."""
        found: dict[str, Json] = {name: all_filled(value, self._places) for name, value in call.values.items()}
        if "path" in found:
            found["path"] = self._whole(found["path"])
        if isinstance(found.get("paths"), list):
            found["paths"] = [self._whole(path) for path in found["paths"]]
        return found

    def _whole(self, path: Json) -> str:
        return str(self.workspace if path == "." else self.workspace / str(path))

    def _found(self, role: RoleName, values: Mapping[str, Json], facts: Facts) -> Iterator[ScriptCall]:
        own = self.recipe.get(role, RecipeTool())
        if own.command:
            yield from self._found("shell", {"command": filled_in(own.command, _words(values))}, facts)
            return
        for tool in declared(facts, (own.name,) if own.name else ROLES[role].tools):
            made = _text_call(tool, own, values) if tool.takes_text else self._call(tool, own, role, values)
            if made is not None:
                yield made

    def _call(
        self, tool: SentTool, own: RecipeTool, role: RoleName, values: Mapping[str, Json]
    ) -> ScriptCall | None:
        given = all_filled(dict(own.arguments), {name: str(value) for name, value in values.items()})
        try:
            minimal = _off(arguments_for(tool.schema, "minimal", own_language=self.own_language))
        except NoArgumentsError:
            minimal = {}
        placed = fitted(obj(tool.schema), values)
        said = {name for name in values if f"${{{name}}}" in str(own.arguments)}
        missing = values.keys() - placed.found - said - set(ROLES[role].optional)
        if missing:
            return None
        return ScriptCall(str(tool.name), {**minimal, **placed.arguments, **obj(given)})


def declared(facts: Facts, names: Sequence[str]) -> Iterator[SentTool]:
    """The declared tools of these names, in the order of the names."""
    tools = [tool for tool in facts.client_tools if isinstance(tool.name, str)]
    for name in names:
        yield from (tool for tool in tools if plain_name(str(tool.name)) == plain_name(name))


def _off(arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Arguments that nobody has asked for, with their switches off."""
    return {name: False if value is True else value for name, value in arguments.items()}


def _undeclared(name: str, facts: Facts) -> str:
    """A name that no tool has."""
    taken = {tool.name for tool in facts.tools}
    return name if name not in taken else _undeclared(f"{name}_x", facts)


def _text_call(tool: SentTool, own: RecipeTool, values: Mapping[str, Json]) -> ScriptCall | None:
    if not own.text:
        return None
    return ScriptCall(str(tool.name), {TEXT_INPUT: filled_in(own.text, _words(values))}, takes_text=True)


def _words(values: Mapping[str, Json]) -> dict[str, str]:
    """The values as texts, and each as a word of the shell (``path_quoted``) and as lines of a patch (``old_removed``,
    ``new_added``)."""
    texts = {name: str(value) for name, value in values.items()}
    quoted = {f"{name}_quoted": shlex.quote(text) for name, text in texts.items()}
    signs = {"added": "+", "removed": "-"}
    lines = {
        f"{name}_{word}": "\n".join(f"{sign}{line}" for line in text.splitlines())
        for name, text in texts.items()
        for word, sign in signs.items()
    }
    return {**texts, **quoted, **lines}


# --- which parameter takes which value -------------------------------------------------------------------------------


@dataclass(slots=True)
class Placement:
    """Arguments that hold the values called ``found``."""

    arguments: dict[str, Json] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)


def fitted(schema: Mapping[str, Json], values: Mapping[str, Json], depth: int = 0) -> Placement:
    """The values, each under the parameter that is called so, where the schema has one; else inside of a list or an
    object that the schema has (``edits: [{oldText, newText}]``)."""
    placed = Placement()
    properties = obj(schema.get("properties"))
    for name, value in values.items():
        key = next((key for word in PARAMETERS[name] for key in properties if plain_name(key) == plain_name(word)), "")
        if key and key not in placed.arguments:
            formed = _formed(name, value, obj(properties[key]))
            if formed is not None:
                placed.arguments[key] = formed
                placed.found.add(name)
    left = {name: value for name, value in values.items() if name not in placed.found}
    return _nested(placed, properties, left, depth) if left and depth < MAX_NESTED else placed


def _nested(placed: Placement, properties: Mapping[str, Json], left: Mapping[str, Json], depth: int) -> Placement:
    for key, property_schema in properties.items():
        inner = obj(property_schema)
        items = _types(inner, "array")
        within = obj(obj(items).get("items")) if items else _types(inner, "object")
        inside = fitted(within, left, depth + 1) if within else Placement()
        if inside.found and key not in placed.arguments:
            placed.arguments[key] = [inside.arguments] if items else inside.arguments
            placed.found |= inside.found
            return placed
    return placed


def _formed(name: str, value: Json, schema: Mapping[str, Json]) -> Json:
    """A value in the type of its parameter; ``None`` where it has none that fits."""
    if not _types(schema, "string") and schema.get("type") is not None:
        listed = _types(schema, "array")
        return None if not listed else _listed(name, value, obj(listed.get("items")))
    return value if not isinstance(value, list) or _types(schema, "array") else None


def _listed(name: str, value: Json, items: Mapping[str, Json]) -> Json:
    values = value if isinstance(value, list) else [value]
    if not _types(items, "object"):
        words = name == "command" and "oneOf" not in items and not items.get("description")
        return [*SHELL_WORDS, *values] if words else list(values)
    single = "path" if name == "paths" else name
    inner = [fitted(items, {single: one}, 1) for one in values]
    return [one.arguments for one in inner] if all(one.found for one in inner) else None


def _types(schema: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """The schema, or that of its alternatives, that allows values of a type; empty where none does."""
    kinds = schema.get("type")
    if name in (kinds if isinstance(kinds, list) else [str(kinds).lower()]):
        return schema
    alternatives = [obj(one) for word in ("anyOf", "oneOf") for one in schema.get(word) or ()]
    return next((one for one in alternatives if _types(one, name)), {})
