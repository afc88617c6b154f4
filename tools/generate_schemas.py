"""Make the JSON Schemas of the five main wires from the official SDKs' types.

    python tools/generate_schemas.py            # write conformance/schemas/wires/*.schema.json
    python tools/generate_schemas.py --check    # only say which of them are not what the installed SDKs give

It needs the SDKs of the ``test`` extra. What pydantic makes of a type is changed in three ways, none of which changes
what a field may hold:

- Only what concerns messages, tools and tool choice is kept (`SOURCES`), and no prose.
- A choice between types (``anyOf``) becomes a *dispatch*: first the JSON type is looked at, then ``type`` or ``role``,
  and only the schema that then applies is asked. A wrong field is reported where it is, and not as "matches none of
  33 schemas".
- Types of one choice that nothing tells apart (the Responses API has three for messages) are merged: a field may be
  what any of them says, and what all of them require is required.

What the providers accept beside these types is not said here but in `conformance.rules.shared.shape_liberties`.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import GenericAlias
from typing import Any

from pydantic import TypeAdapter, create_model

HERE = Path(__file__).resolve().parent.parent / "conformance" / "schemas" / "wires"

Schema = dict[str, Any]

PROSE = frozenset({"title", "description", "examples", "default", "discriminator", "format", "contentMediaType"})
"""Keywords that say nothing about the type of a value, or that validators do not look at."""

MAPS = ("properties", "$defs", "patternProperties")
"""Keywords whose keys are names and not keywords."""

TELLTALES = ("type", "role")
"""The fields by which types are told apart, the first that does."""


@dataclass(frozen=True)
class Source:
    """Where one schema comes from.

    ``type`` is the SDK's type (module and name); ``parts`` are instead the fields of a document for which the SDK has
    no type of its own, each with the type of its value (``[...]``: a list of them). ``keep`` are the fields that are
    kept of a definition, or of the document (``""``); all are where it says nothing. ``without`` are the events that
    are left out.
    """

    package: str
    type: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    keep: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    without: tuple[str, ...] = ()


HOSTED_EVENTS = ("Audio", "CodeInterpreter", "FileSearch", "ImageGen", "Mcp", "WebSearch", "ShellCall", "ApplyPatch")
"""Words in the names of the SDK's types for events of OpenAI's own tools, and of audio."""

ANSWER = ("id", "object", "model", "status", "output", "error", "incomplete_details", "usage")
"""What is kept of a response of the Responses API, which repeats its whole request."""

SOURCES: Mapping[str, Source] = {
    "openai-chat.request": Source(
        "openai",
        "openai.types.chat.completion_create_params.CompletionCreateParamsNonStreaming",
        keep={"": ("messages", "tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")},
    ),
    "openai-chat.response": Source("openai", "openai.types.chat.ChatCompletion"),
    "openai-chat.stream": Source("openai", "openai.types.chat.ChatCompletionChunk"),
    "openai-responses.request": Source(
        "openai",
        "openai.types.responses.response_create_params.ResponseCreateParamsNonStreaming",
        keep={"": ("input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "previous_response_id")},
    ),
    "openai-responses.response": Source(
        "openai",
        "openai.types.responses.Response",
        keep={"": ANSWER},
    ),
    "openai-responses.stream": Source(
        "openai", "openai.types.responses.ResponseStreamEvent", keep={"Response": ANSWER}, without=HOSTED_EVENTS
    ),
    "anthropic.request": Source(
        "anthropic",
        "anthropic.types.beta.message_create_params.MessageCreateParamsNonStreaming",
        keep={"": ("messages", "system", "tools", "tool_choice", "thinking")},
    ),
    "anthropic.response": Source("anthropic", "anthropic.types.beta.BetaMessage"),
    "anthropic.stream": Source("anthropic", "anthropic.types.beta.BetaRawMessageStreamEvent"),
    "gemini.request": Source(
        "google-genai",
        parts={
            "contents": "[google.genai.types.Content]",
            "tools": "[google.genai.types.Tool]",
            "toolConfig": "google.genai.types.ToolConfig",
            "systemInstruction": "google.genai.types.Content",
        },
        required=("contents",),
    ),
    "gemini.response": Source(
        "google-genai",
        "google.genai.types.GenerateContentResponse",
        keep={"": ("candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId")},
    ),
    "ollama.request": Source(
        "ollama",
        parts={"messages": "[ollama.Message]", "tools": "[ollama.Tool]"},
        required=("messages",),
    ),
    "ollama.response": Source("ollama", "ollama.ChatResponse"),
    "cohere.request": Source(
        "cohere",
        parts={"messages": "[cohere.ChatMessageV2]", "tools": "[cohere.ToolV2]"},
        required=("messages",),
    ),
    "cohere.response": Source("cohere", "cohere.v2.types.V2ChatResponse"),
    "cohere.stream": Source("cohere", "cohere.v2.types.V2ChatStreamResponse"),
}
"""The schemas, by file name. Gemini and Ollama stream the same objects as they answer with."""


def main() -> int:
    """The command. 0 when all is written, or as it should be; 1 when a file is not what the SDKs give."""
    parser = argparse.ArgumentParser(description="Make the JSON Schemas of the wires from the official SDKs' types.")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if a file is not up to date")
    check = parser.parse_args().check
    stale = []
    for name in SOURCES:
        path, text = HERE / f"{name}.schema.json", text_of(generate(name))
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, "utf-8")
    if stale:
        sys.stdout.write(f"{'not up to date' if check else 'written'}: {', '.join(stale)}\n")
    return 1 if check and stale else 0


def generate(name: str) -> Schema:
    """The schema ``name`` (a key of `SOURCES`), as the installed SDK gives it."""
    source = SOURCES[name]
    document = raw(name)
    schema = Dispatch(document).schema()
    says = f"{source.package} {version(source.package)}: {source.type or ', '.join(source.parts.values())}"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"{says}. Generated by tools/generate_schemas.py; do not edit.",
        **schema,
    }


def raw(name: str) -> Schema:
    """What pydantic makes of the source of ``name``, without prose and without what is not kept; no dispatch yet."""
    source = SOURCES[name]
    document = _bare(_schema_of(source))
    for place, keep in source.keep.items():
        _trim(document["$defs"][place] if place else document, keep)
    if source.without:
        unions = document.pop("oneOf", None) or document.pop("anyOf")
        document["anyOf"] = [one for one in unions if not any(word in one["$ref"] for word in source.without)]
    return pruned(document)


def _trim(schema: Schema, keep: Iterable[str]) -> None:
    schema["properties"] = {key: value for key, value in schema["properties"].items() if key in keep}
    schema["required"] = [key for key in schema.get("required", ()) if key in keep]
    schema.pop("additionalProperties", None)


def text_of(schema: Schema) -> str:
    """The file's text: one line for each field of the document and for each definition."""
    lines = []
    for key, value in schema.items():
        if key in ("properties", "$defs") and value:
            inner = ",\n".join(f"  {_line(name)}: {_line(one)}" for name, one in value.items())
            lines.append(f" {_line(key)}: {{\n{inner}\n }}")
        else:
            lines.append(f" {_line(key)}: {_line(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- from types to schemas -------------------------------------------------------------------------------------------


def _schema_of(source: Source) -> Schema:
    whole = _named(source.type) if source.type else _composed(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fields that shadow pydantic's own methods
        return TypeAdapter(whole).json_schema(by_alias=True)


def _named(dotted: str) -> Any:
    """The type of this name; ``[...]`` is a list of it."""
    module, _, name = dotted.strip("[]").rpartition(".")
    found = getattr(import_module(module), name)
    return GenericAlias(list, (found,)) if dotted.startswith("[") else found


def _composed(source: Source) -> Any:
    """One type for a document of parts, so that parts with the same name stay different."""
    fields: dict[str, Any] = {
        name: (_named(dotted), ... if name in source.required else None) for name, dotted in source.parts.items()
    }
    return create_model("Request", **fields)


def _bare(schema: Any) -> Any:
    """A schema without prose, at any depth."""
    if not isinstance(schema, dict):
        return schema
    kept: Schema = {}
    for key, value in schema.items():
        if key in MAPS:
            kept[key] = {name: _bare(inner) for name, inner in value.items()}
        elif key not in PROSE:
            kept[key] = [_bare(inner) for inner in value] if isinstance(value, list) else _bare(value)
    return kept


def pruned(document: Schema) -> Schema:
    """A schema without definitions that nothing in it leads to; those that are left in the order of their names."""
    definitions = document.get("$defs", {})
    used: set[str] = set()
    pending: list[Any] = [{key: value for key, value in document.items() if key != "$defs"}]
    while pending:
        for name in set(_refs(pending.pop())) - used:
            used.add(name)
            pending.append(definitions[name])
    rest = {key: value for key, value in document.items() if key != "$defs"}
    return {**rest, "$defs": {name: definitions[name] for name in sorted(used)}} if used else rest


def _refs(node: Any) -> Iterable[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rpartition("/")[2]
        for value in node.values():
            yield from _refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from _refs(value)


# --- choices become dispatches ---------------------------------------------------------------------------------------


class Dispatch:
    """Rewrites the choices of one schema. Definitions keep their names; merged ones get the names of their parts."""

    def __init__(self, document: Schema) -> None:
        self._document = document
        self._source: Mapping[str, Schema] = document.get("$defs", {})
        self._made: dict[str, Schema] = {}

    def schema(self) -> Schema:
        """The schema with every choice rewritten."""
        top = self._rewritten({key: value for key, value in self._document.items() if key != "$defs"})
        for name in self._source:
            self._made[name] = self._rewritten(self._source[name])
        return pruned({**top, "$defs": self._made})

    def _rewritten(self, schema: Any) -> Any:
        if not isinstance(schema, dict):
            return schema
        branches = schema.get("anyOf") or schema.get("oneOf")
        if branches:
            return self._choice(branches)
        made: Schema = {}
        for key, value in schema.items():
            if key in MAPS:
                made[key] = {name: self._rewritten(inner) for name, inner in value.items()}
            elif isinstance(value, list) and key not in ("enum", "required", "type"):
                made[key] = [self._rewritten(inner) for inner in value]
            else:
                made[key] = self._rewritten(value) if key != "const" else value
        return made

    def _choice(self, branches: list[Schema]) -> Schema:
        """One schema for what may be any of ``branches``: by JSON type, then by what tells objects apart."""
        groups: dict[str, list[Schema]] = {}
        for branch in self._flat(branches):
            kind = self._json_type(branch)
            if kind is None:
                return {}
            groups.setdefault(kind, []).append(branch)
        schemas = {kind: self._of_kind(kind, group) for kind, group in groups.items()}
        if len(schemas) == 1:
            return next(iter(schemas.values()))
        cases = [
            {"if": {"type": kind}, "then": schema} for kind, schema in schemas.items() if schema != {"type": kind}
        ]
        return {"type": list(schemas), **({"allOf": cases} if cases else {})}

    def _flat(self, branches: Iterable[Schema]) -> Iterable[Schema]:
        for branch in branches:
            inner = self._resolved(branch)
            choices = inner.get("anyOf") or inner.get("oneOf")
            if choices:
                yield from self._flat(choices)
            else:
                yield branch

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._source[schema["$ref"].rpartition("/")[2]]
        return schema

    def _json_type(self, branch: Schema) -> str | None:
        kind = self._resolved(branch).get("type")
        return kind if isinstance(kind, str) else None

    def _of_kind(self, kind: str, group: list[Schema]) -> Schema:
        if kind == "object":
            return self._objects(group)
        if kind == "array":
            inner = [self._resolved(branch).get("items", {}) for branch in group]
            items = self._choice(inner) if len(inner) > 1 else self._rewritten(inner[0])
            return {"type": "array", **({"items": items} if items else {})}
        if kind == "string":
            words = [_words(self._resolved(branch)) for branch in group]
            known = [word for some in words for word in some or ()]
            return {"type": "string"} if None in words else {"type": "string", "enum": list(dict.fromkeys(known))}
        return {"type": kind}

    def _objects(self, group: list[Schema], known: tuple[str, ...] = ()) -> Schema:
        """One schema for several kinds of objects. ``known`` are the fields by which they were told apart already."""
        if len(group) == 1:
            only: Schema = self._rewritten(group[0])
            return only
        if any("properties" not in self._resolved(branch) for branch in group):
            return {"type": "object"}  # one of them is any object at all
        for key in TELLTALES:
            values = [self._values(branch, key) for branch in group]
            if key not in known and all(values) and len({tuple(some) for some in values}) > 1:
                return self._told_apart(group, key, values, known)
        return self._merged(group)

    def _values(self, branch: Schema, key: str) -> list[Any]:
        """The values that the field ``key`` may have; none when it may have any."""
        schema = self._resolved(branch)["properties"].get(key, {})
        parts = [self._resolved(part) for part in schema.get("anyOf", [schema])]
        values = [[None] if part.get("type") == "null" else _words(part) for part in parts]
        return [] if None in values else [value for some in values for value in some or ()]

    def _told_apart(self, group: list[Schema], key: str, values: list[list[Any]], known: tuple[str, ...]) -> Schema:
        every = list(dict.fromkeys(value for some in values for value in some))
        members: dict[tuple[int, ...], list[Any]] = {}
        for value in every:
            holders = tuple(number for number, some in enumerate(values) if value in some)
            members.setdefault(holders, []).append(value)
        cases = []
        for holders, some in members.items():
            applies = {"properties": {key: _one_of(some)}, "required": [key]}
            cases.append({"if": applies, "then": self._pick(group, holders, key, known)})
        free = tuple(n for n, branch in enumerate(group) if key not in self._resolved(branch).get("required", ()))
        if free:
            cases.append({"if": {"not": {"required": [key]}}, "then": self._pick(group, free, key, known)})
        needed = {} if free else {"required": [key]}
        return {"type": "object", **needed, "properties": {key: {"enum": every}}, "allOf": cases}

    def _pick(self, group: list[Schema], numbers: tuple[int, ...], key: str, known: tuple[str, ...]) -> Schema:
        return self._objects([group[number] for number in numbers], (*known, key))

    def _merged(self, group: list[Schema]) -> Schema:
        """The definition, made when it is first asked for, of what may be any of ``group``."""
        group = self._sent(group)
        names = list(dict.fromkeys(branch.get("$ref", "").rpartition("/")[2] for branch in group))
        name = "-or-".join(names)
        if name not in self._made:
            self._made[name] = {}
            self._made[name] = self._union([self._resolved(branch) for branch in group])
        return {"$ref": f"#/$defs/{name}"}

    def _sent(self, group: list[Schema]) -> list[Schema]:
        """The types that are for requests, if there are any. Those for answers, which an SDK takes too, are open."""
        closed = [branch for branch in group if self._resolved(branch).get("additionalProperties") is not True]
        return closed or group

    def _union(self, objects: list[Schema]) -> Schema:
        keys = list(dict.fromkeys(key for one in objects for key in one["properties"]))
        properties = {
            key: self._choice([one["properties"][key] for one in objects if key in one["properties"]]) for key in keys
        }
        required = [key for key in keys if all(key in one.get("required", ()) for one in objects)]
        closed = all(one.get("additionalProperties") is False for one in objects)
        return {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            **({"additionalProperties": False} if closed else {}),
        }


def _words(schema: Schema) -> list[Any] | None:
    """The only values that a schema allows, if it names them."""
    if "const" in schema:
        return [schema["const"]]
    words: list[Any] | None = schema.get("enum")
    return words


def _one_of(values: list[Any]) -> Schema:
    return {"const": values[0]} if len(values) == 1 else {"enum": values}


if __name__ == "__main__":
    raise SystemExit(main())
