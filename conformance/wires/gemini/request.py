"""Gemini generateContent, provider half: what a request says.

A field that is ``null`` counts as absent, as in all protobuf JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import Request
from conformance.model import Json, compact_json
from conformance.wires.facts import (
    Facts,
    Role,
    SentCall,
    SentChoice,
    SentMessage,
    SentResult,
    SentSettings,
    SentTool,
    decode,
    obj,
    object_of,
    settings_at,
)
from conformance.wires.gemini.keys import field_elements, field_spelling, get
from conformance.wires.gemini.protobuf import MODE_NAMES, enum_name, without_nulls

ROLES: Mapping[str, Role] = {"user": "user", "model": "assistant", "function": "tool"}
MODES = {"MODE_UNSPECIFIED": "auto", "AUTO": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}


def read_facts(request: Request) -> Facts:
    """The neutral view of a generateContent request, in either spelling of its fields."""
    document = without_nulls(decode(request))
    body = obj(document)
    system_at = f"/{field_spelling(body, 'systemInstruction')}"
    return Facts(
        document=document,
        tools=[tool for at, item in field_elements("", body, "tools") for tool in _tools(at, obj(item))],
        choice=_choice(body),
        system=list(_texts(system_at, get(body, "systemInstruction"))),
        messages=[_message(at, obj(item)) for at, item in field_elements("", body, "contents")],
        stream=request.path.endswith(":streamGenerateContent"),
        settings=_settings(body),
    )


def _settings(body: Mapping[str, Json]) -> SentSettings:
    """Most models think anyway. Asked for are thoughts that come with the answer."""
    config_key = field_spelling(body, "generationConfig")
    config = obj(body.get(config_key))
    key, limit = field_spelling(config, "thinkingConfig"), field_spelling(config, "maxOutputTokens")
    answers = field_spelling(config, "candidateCount")
    shown = get(obj(config.get(key)), "includeThoughts")
    return SentSettings(
        limits=settings_at(body, f"/{config_key}/{limit}"),
        thinking=shown if isinstance(shown, bool) else None,
        thinking_at=f"/{config_key}/{key}",
        costly=[one for one in settings_at(body, f"/{config_key}/{answers}") if one.value != 1],
    )


def _tools(at: str, tool: Mapping[str, Json]) -> Iterator[SentTool]:
    """The functions that a tool object declares, and the provider's own tools that it switches on."""
    key = field_spelling(tool, "functionDeclarations")
    for here, item in field_elements(at, tool, key):
        declaration = obj(item)
        schema_key = field_spelling(declaration, "parametersJsonSchema")
        if declaration.get(schema_key) is None:
            schema_key = "parameters"
        yield SentTool(
            at=here,
            kind="function",
            name=declaration.get("name"),
            description=declaration.get("description"),
            schema=declaration.get(schema_key),
            schema_at=f"{here}/{schema_key}",
        )
    yield from (SentTool(at=at, kind=other) for other in tool if other != key and tool[other] is not None)


def _choice(body: Mapping[str, Json]) -> SentChoice | None:
    config_key = field_spelling(body, "toolConfig")
    config = obj(body.get(config_key))
    key = field_spelling(config, "functionCallingConfig")
    if config.get(key) is None:
        return None
    at, calling = f"/{config_key}/{key}", obj(config[key])
    mode, allowed = enum_name(calling.get("mode", "AUTO"), MODE_NAMES), get(calling, "allowedFunctionNames")
    if mode == "ANY" and isinstance(allowed, list) and len(allowed) == 1:
        return SentChoice(at, "tool", allowed[0], config[key])
    known = MODES.get(mode) if isinstance(mode, str) else None
    names = tuple(allowed) if isinstance(allowed, list) and allowed else None
    return SentChoice(at, known, raw=config[key], names=names)  # type: ignore[arg-type]


def _message(at: str, content: Mapping[str, Json]) -> SentMessage:
    role = content.get("role")
    return SentMessage(
        at=at,
        role=ROLES.get(role) if isinstance(role, str) else ("user" if role is None else None),
        wire_role=role,
        texts=list(_texts(at, content)),
        calls=list(_calls(at, content)),
        results=_results(at, content),
    )


def _texts(at: str, content: Json) -> Iterator[tuple[str, Json]]:
    for here, part in field_elements(at, content, "parts"):
        if isinstance(obj(part).get("text"), str) and not obj(part).get("thought"):
            yield f"{here}/text", obj(part)["text"]


def _calls(at: str, content: Mapping[str, Json]) -> Iterator[SentCall]:
    for place, part in field_elements(at, content, "parts"):
        key = field_spelling(obj(part), "functionCall")
        if obj(part).get(key) is None:
            continue
        call, here = obj(obj(part)[key]), f"{place}/{key}"
        yield SentCall(
            at=here,
            id=call.get("id"),
            name=call.get("name"),
            raw=call.get("args"),
            arguments={} if call.get("args") is None else object_of(call["args"]),
            id_at=f"{here}/id",
            name_at=f"{here}/name",
            arguments_at=f"{here}/args",
        )


def _results(at: str, content: Mapping[str, Json]) -> list[SentResult]:
    """The function responses. Media that stands beside them belongs to the one before it."""
    results: list[SentResult] = []
    beside: list[tuple[str, Json, Json]] = []
    for here, item in field_elements(at, content, "parts"):
        part = obj(item)
        key = field_spelling(part, "functionResponse")
        if part.get(key) is not None:
            results.append(_result(f"{here}/{key}", obj(part[key])))
        (results[-1].images if results else beside).extend(_images(here, part))
    if results:
        results[0].images[:0] = beside
    return results


def _result(at: str, answer: Mapping[str, Json]) -> SentResult:
    response = answer.get("response")
    return SentResult(
        at=at,
        ref=answer.get("id"),
        content=response,
        text=_text(response, answer.get("name")),
        name=answer.get("name"),
        error="error" in obj(response),
        images=[image for here, part in field_elements(at, answer, "parts") for image in _images(here, obj(part))],
        ref_at=f"{at}/id",
        content_at=f"{at}/response",
    )


def _text(response: Json, name: Json) -> str | None:
    """What the model reads: the error, the output, or the whole object when it has neither key.

    A text alone in the object, or alone beside the function's name, is the text, whatever its key: recorded requests
    have ``result`` and ``return_value``, and Vercel's SDK sends ``{name, content}``.
    """
    fields = {key: value for key, value in obj(response).items() if not (key == "name" and value == name)}
    value = next((fields[key] for key in ("error", "output") if key in fields), response)
    if value is response and len(fields) == 1:
        (only,) = fields.values()
        value = only if isinstance(only, str) else response
    if isinstance(value, str):
        return value
    try:
        return None if response is None else compact_json(value)
    except RecursionError:
        return None


def _images(at: str, part: Mapping[str, Json]) -> Iterator[tuple[str, Json, Json]]:
    key = field_spelling(part, "inlineData")
    if part.get(key) is not None:
        yield f"{at}/{key}", get(part[key], "mimeType"), obj(part[key]).get("data")
