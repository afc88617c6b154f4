"""What providers take, or send, beside what their SDKs' types say; each with its evidence.

The schemas in ``conformance/schemas/wires`` are what the SDKs' types say and nothing else. Types are narrower than the
APIs in places, and hosts of the same format differ. Those differences are here, by name, and nowhere else. A liberty
that does not fit the schema is a `KeyError`, so none outlives its reason when the schemas are made anew. Evidence in
parentheses is the id of a recorded exchange that the provider answered 2xx, or the number of them.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.wires import host_file

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Liberty:
    """``field`` of ``definition`` may also be what ``also`` says. Without ``also``, the field may be left out.

    ``schemas`` are the names of schemas. The definition ``""`` is the document, ``*`` every definition that has the
    field (or requires it, where it may be left out). A field followed by ``[]`` means each element of that list. With
    ``when``, the values that fit it, and only those, must be what ``also`` says. What one host alone takes is in
    its file.
    """

    schemas: str
    definition: str
    field: str
    reason: str
    also: Schema | None = None
    when: Schema | None = None


NULL: Schema = {"type": "null"}
FORCED_SEARCH: Schema = {
    "type": "object", "properties": {"type": {"enum": ["web_search", "web_search_2025_08_26"]}}, "required": ["type"],
}  # fmt: skip
UNTYPED: Schema = {"type": "object", "not": {"required": ["type"]}}
OWN_MESSAGE = "#/$defs/EasyInputMessageParam-or-ResponseOutputMessageParam"

LIBERTIES: tuple[Liberty, ...] = (
    # --- requests ----------------------------------------------------------------------------------------------------
    Liberty("openai-chat.request", "", "tool_choice", "null is no choice (411ca66bfc6c957e)", NULL),
    Liberty(
        "openai-chat.request", "ChatCompletionAssistantMessageParam", "tool_calls",
        "null is no calls: so the SDK's own parsed and streamed messages go back (openai/openai-python#2106)", NULL,
    ),
    Liberty(
        "openai-chat.request", "ChatCompletionToolMessageParam", "content[]",
        "newer models take an image, and do not look at it (openai/openai-openapi#523)",
        {"$ref": "#/$defs/ChatCompletionContentPartImageParam"},
        when={"properties": {"type": {"const": "image_url"}}, "required": ["type"]},
    ),
    Liberty("openai-responses.request", "", "tool_choice", "null is no choice (0aa6abcd3c7e9eeb)", NULL),
    Liberty(
        "openai-responses.request", "", "tool_choice",
        "the types know the forced search by the name of its preview alone; nothing says that today's is refused",
        FORCED_SEARCH, when=FORCED_SEARCH,
    ),
    Liberty("openai-responses.request", "FunctionToolParam", "strict", "may be left out (106 recorded)"),
    Liberty(
        "openai-responses.request", "FunctionToolParam", "parameters",
        "openai/openai-openapi FunctionToolParam: only name and type are required",
    ),
    Liberty(
        "openai-responses.request", "", "input[]",
        "what is encrypted needs no id (https://github.com/vercel/ai/pull/12869); Codex and opencode send none",
        {"properties": {"summary": {"type": "array"}}, "required": ["summary"]},
        when={
            "properties": {"type": {"const": "reasoning"}, "encrypted_content": {"type": "string"}},
            "required": ["type", "encrypted_content"], "not": {"required": ["id"]},
        },
    ),
    Liberty("openai-responses.request", "ResponseInputImageParam", "detail", "or not (1699007b37d2aad3, 4 more)"),
    Liberty(
        "openai-responses.request", "", "input[]",
        "the model's own text, also in a message without type (97a4e79047b1076d, 11 more)", {"$ref": OWN_MESSAGE},
        when={**UNTYPED, "properties": {"role": {"const": "assistant"}}, "required": ["role"]},
    ),
    Liberty("openai-responses.request", "ResponseOutputTextParam", "annotations", "may be left out (97a4e79047b1076d)"),
    Liberty("openai-responses.request", "ResponseFunctionToolCallParam", "status", "null (6bd485f14a259287)", NULL),
    Liberty(
        "openai-responses.request", "LocalShellCallOutput", "id",
        "the guide has call_id instead, and so has the AI SDK (convert-to-openai-responses-input.ts); see "
        "openai/openai-python#3923",
    ),
    Liberty("openai-responses.request", "LocalShellCall", "id", "Codex leaves it out (codex-rs, ResponseItem)"),
    Liberty("openai-responses.request", "ActionSearch", "sources", "null (62caff28a1f76eea, 3 more)", NULL),
    Liberty("openai-responses.request", "ImageGenerationCall", "result", "an id is enough (11d6c5df5fa71f29)"),
    Liberty("openai-responses.request", "ImageGenerationCall", "status", "an id is enough (11d6c5df5fa71f29)"),
    Liberty(
        "anthropic.request", "*", "caller",
        "null is ignored by Anthropic's own host, and refused by Bedrock (anthropics/anthropic-sdk-python#1454, #1503)",
        NULL,
    ),
    Liberty(
        "ollama.request", "Message", "images",
        "the SDK's Image is base64 text on the wire (dfacb81e813ae967, 11 more)",
        {"type": "array", "items": {"type": "string"}},
    ),
    # --- answers and streams -----------------------------------------------------------------------------------------
    Liberty("openai-chat.stream", "", "choices", "OpenAI's audio models leave them out (6d232b136babc626, 51 more)"),
    Liberty("openai-responses.response openai-responses.stream", "InputTokensDetails", "cache_write_tokens",
            "newer than most recordings (52cdadc64022336e, 489 more)"),
    Liberty("openai-responses.stream", "*", "sequence_number", "newer than some recordings (dbfcd264b350cdd9)"),
    Liberty("openai-responses.stream", "*", "logprobs", "newer than some recordings (b4f7adeac017aa48)"),
    Liberty("openai-responses.stream", "ResponseFunctionWebSearch", "action",
            "absent in a search that only begins (903347c76e1e3152, 19 more)"),
    Liberty("openai-responses.response openai-responses.stream", "ActionSearch", "sources",
            "sources of other kinds than url (bf559fddb1f4317f, eaabfa0d0ce18a22)", {"type": "array"}),
    Liberty("anthropic.response anthropic.stream", "BetaServerToolUsage", "web_fetch_requests",
            "newer than some recordings (b11b499b73f9062b, 49 more)"),
    Liberty("anthropic.stream", "BetaThinkingBlock", "signature",
            "absent in a block that only begins (02b6b7f77d0c15e8)"),
    Liberty("anthropic.response anthropic.stream", "BetaFallbackBlock", "trigger",
            "absent in a recorded answer (a597a806b64f2b94, dccd2feaddbb9591)"),
)  # fmt: skip


def own_liberties(provider: str) -> tuple[Liberty, ...]:
    """What the file of a provider or host says of shapes."""
    file = host_file(provider)
    return tuple(
        Liberty(one.schemas, one.definition, one.field, reason, _schema(one.also), _schema(one.when))
        for reason, one in (file.shapes if file is not None else ())
    )


def _schema(value: Mapping[str, Any] | None) -> Schema | None:
    return None if value is None else dict(value)


def with_liberties(name: str, schema: Schema, provider: str) -> Schema:
    """The schema ``name`` with what ``provider`` takes or sends beside it. Raises `KeyError` if a liberty is stale."""
    made: Schema = marshal.loads(marshal.dumps(schema))  # a copy, ten times as quick as deepcopy's
    for liberty in (*LIBERTIES, *own_liberties(provider)):
        if name in liberty.schemas.split():
            for owner in _owners(liberty, made):
                _apply(liberty, owner)
    if name == "gemini.request":
        return protobuf_json(made)
    return _opened(made) if name == "gemini.response" else made


def _owners(liberty: Liberty, schema: Schema) -> list[Schema]:
    if liberty.definition == "*":
        has = "required" if liberty.also is None else "properties"
        return [one for one in schema["$defs"].values() if liberty.field in one.get(has, ())]
    return [schema["$defs"][liberty.definition] if liberty.definition else schema]


def _opened(schema: Any) -> Any:
    """A schema without closed objects. Google's answers get new fields before its SDK knows them
    (``usageMetadata.serviceTier`` in 267 recorded answers)."""
    if isinstance(schema, list):
        return [_opened(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _opened(value) for key, value in schema.items() if key != "additionalProperties" or value is not False}


def _apply(liberty: Liberty, owner: Schema) -> None:
    if liberty.also is None:
        owner["required"] = _without(owner["required"], liberty.field)
    elif liberty.field.endswith("[]"):
        holder = _holder_of_items(owner["properties"][liberty.field.removesuffix("[]")])
        holder["items"] = _or(liberty, holder["items"])
    else:
        owner["properties"][liberty.field] = _or(liberty, owner["properties"][liberty.field])


def _without(required: list[str], field: str) -> list[str]:
    if field not in required:
        raise KeyError(field)
    return [name for name in required if name != field]


def _or(liberty: Liberty, schema: Schema) -> Schema:
    if liberty.when is not None:
        return {"if": liberty.when, "then": liberty.also, "else": schema}
    return {"if": liberty.also, "else": schema}


def _holder_of_items(schema: Schema) -> Schema:
    """The part of a field's schema that speaks of the elements of a list."""
    for part in _parts(schema):
        if "items" in part:
            return part
    raise KeyError("items")


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    for inner in (*schema.get("allOf", ()), schema.get("then"), schema.get("else")):
        if isinstance(inner, dict):
            yield from _parts(inner)


# --- Google's JSON ---------------------------------------------------------------------------------------------------


def protobuf_json(schema: Schema) -> Schema:
    """A schema for all that is read as the same message: protobuf JSON is more liberal than the SDK's types.

    Names may be in snake_case (protobuf JSON mapping; most recorded requests have some), and a lone object is a list
    of one (``tools`` in 8e53358620796323, ``systemInstruction.parts`` in ba88eb06221c0933 and 12 more). Enumerations
    are read by number, and by name in any case (lower-case types in c40edcb66bd0fe03 and 15 more).
    """
    properties = schema.get("properties", {})
    made = {
        **schema,
        **{key: _each(value) for key, value in schema.items() if key in ("properties", "$defs")},
        **{key: [protobuf_json(inner) for inner in value] for key, value in schema.items() if key == "allOf"},
        **{key: protobuf_json(value) for key, value in schema.items() if key in ("items", "then")},
    }
    if properties:
        made["properties"] |= {_snake(name): inner for name, inner in made["properties"].items()}
    return _numbered(_lone(made))


def _numbered(schema: Schema) -> Schema:
    """A schema for an enumeration that takes its numbers as well, and its names in any case. Others stay."""
    names = next((part["enum"] for part in _parts(schema) if "enum" in part), None)
    if names is None:
        return schema
    in_any_case = {"type": "string", "pattern": f"(?i)^(?:{'|'.join(names)})$"}
    return {"if": {"anyOf": [{"type": "integer"}, in_any_case]}, "else": schema}


def _each(schemas: Schema) -> Schema:
    return {name: protobuf_json(inner) for name, inner in schemas.items()}


def _lone(schema: Schema) -> Schema:
    """A schema for lists of objects that takes an object as well. Other schemas stay as they are."""
    kinds = schema.get("type")
    items: Schema = next((part["items"] for part in _parts(schema) if "items" in part), {})
    if "$ref" not in items:
        return schema
    if kinds == "array":
        return {"if": {"type": "object"}, "then": items, "else": schema}
    if isinstance(kinds, list) and "object" not in kinds:
        cases = [*schema.get("allOf", ()), {"if": {"type": "object"}, "then": items}]
        return {**schema, "type": [*kinds, "object"], "allOf": cases}
    return schema


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)[A-Z]", lambda letter: "_" + letter[0].lower(), name)
