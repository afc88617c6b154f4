"""What in a request may differ and does not make it another request.

From run to run, fields named by JSON pointers in which ``*`` stands for every element of a list and every member of an
object:

- ``ignored``: the value does not count, nor does whether it is there: who the user is, tags, idempotency keys.
- ``ids``: what counts is which ids are equal, not how they read. Libraries mint ids where a provider gives none, anew
  in each run. Each id is replaced by its number in order of appearance, and by the same one wherever it stands again:
  a result that answers another call is another request.

From client to client, what the provider itself takes for the same:

- ``defaults``: a field, or an element of a list, with this value says what its absence says.
- ``spellings``: a field that has two names, and the name that is kept.
- ``base64``: bytes as text, in either alphabet.
- ``paths``: regular expressions, and what stands in their place.

``query`` names query parameters that do not count, in lower case: keys are no part of what is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

from conformance.model import Json


@dataclass(frozen=True, slots=True)
class Volatile:
    """What may differ. ``a | b`` has the fields of both."""

    ignored: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    defaults: tuple[tuple[str, Json], ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    base64: tuple[str, ...] = ()

    def __or__(self, other: Volatile) -> Volatile:
        return Volatile(*(getattr(self, item.name) + getattr(other, item.name) for item in fields(self)))


_KEYS = Volatile(query=("key", "api_key", "api-key", "apikey", "access_token", "token", "sig", "signature"))

_CHAT = _KEYS | Volatile(
    (
        "/user",
        "/metadata",
        "/safety_identifier",
        "/prompt_cache_key",
        "/idempotency_key",
        "/messages/*/tool_calls/*/index",  # calls are in a list, so their order says it
    ),
    ("/messages/*/tool_calls/*/id", "/messages/*/tool_call_id"),
    defaults=(
        # the openai SDK sends the model's message back with all its fields
        ("/messages/*/refusal", None),
        ("/messages/*/annotations", None),
        ("/messages/*/annotations", []),
        ("/messages/*/audio", None),
        ("/messages/*/function_call", None),
        ("/messages/*/tool_calls/*/function/parsed_arguments", None),
        ("/messages/*/tool_calls/*/type", "function"),  # which Mistral leaves out
        ("/tool_choice", "auto"),
    ),
)

_AZURE = _CHAT | Volatile(("/model",))
"""The deployment in the path says which model it is."""

_OLLAMA = _CHAT | Volatile(
    # The server finds results by their order and tool_name, and its own Python client knows no ids.
    ("/messages/*/tool_calls/*/id", "/messages/*/tool_call_id", "/messages/*/tool_calls/*/function/index"),
    defaults=(
        ("/messages/*/content", ""),
        ("/messages/*/content", None),
        ("/tools", []),
        ("/tools/*/function/parameters/type", "object"),
    ),
)

_GEMINI = _KEYS | Volatile(
    ("/labels",),
    ("/contents/*/parts/*/functionCall/id", "/contents/*/parts/*/functionResponse/id"),
    # Protobuf's JSON has two names for each field, and parsers take both (protobuf.dev/programming-guides/json).
    spellings=(
        ("/system_instruction", "systemInstruction"),
        ("/generation_config", "generationConfig"),
        ("/tool_config", "toolConfig"),
        ("/tools/*/function_declarations", "functionDeclarations"),
        ("/tools/*/functionDeclarations/*/parameters_json_schema", "parametersJsonSchema"),
        ("/contents/*/parts/*/function_call", "functionCall"),
        ("/contents/*/parts/*/function_response", "functionResponse"),
        ("/contents/*/parts/*/inline_data", "inlineData"),
        ("/contents/*/parts/*/thought_signature", "thoughtSignature"),
        ("/contents/*/parts/*/inlineData/mime_type", "mimeType"),
        ("/generationConfig/max_output_tokens", "maxOutputTokens"),
        ("/generationConfig/thinking_config", "thinkingConfig"),
        ("/generationConfig/thinkingConfig/include_thoughts", "includeThoughts"),
        ("/toolConfig/function_calling_config", "functionCallingConfig"),
        ("/toolConfig/functionCallingConfig/allowed_function_names", "allowedFunctionNames"),
    ),
    defaults=(("/contents/*/parts/*", {"text": ""}),),  # how streams end; the SDK sends it back
    base64=("/contents/*/parts/*/thoughtSignature", "/contents/*/parts/*/inlineData/data"),
    # google-genai went from v1beta to v1: the same method, and the same tools.
    paths=((r"/v1(?:alpha|beta)/(?=models/[^/]+:(?:streamG|g)enerateContent$)", "/v1/"),),
)

VOLATILE: Mapping[str, Volatile] = {
    "openai-chat": _CHAT,
    "openai-responses": _KEYS
    | Volatile(
        ("/user", "/metadata", "/safety_identifier", "/prompt_cache_key", "/idempotency_key"),
        ("/input/*/call_id",),
        defaults=(("/tool_choice", "auto"),),
    ),
    "anthropic": _KEYS
    | Volatile(
        ("/metadata",),
        ("/messages/*/content/*/id", "/messages/*/content/*/tool_use_id"),
        defaults=(("/tool_choice", {"type": "auto"}),),
    ),
    "gemini": _GEMINI,
    "ollama": _OLLAMA,
    "azure": _AZURE,
    "xai": _CHAT,
    "deepseek": _CHAT,
    "mistral": _CHAT,
    "unified": _KEYS | Volatile(("/metadata",), ("/input/*/tool_calls/*/id", "/input/*/tool_call_id")),
}
"""By provider. Those of `_APART` alone are not right for traffic of others."""

_APART = ("azure", "ollama")


def _together(all_of_them: Iterable[Volatile]) -> Volatile:
    """What all have, each thing named once."""
    found = Volatile()
    for one in all_of_them:
        news = (
            tuple(item for item in getattr(one, part.name) if item not in getattr(found, part.name))
            for part in fields(one)
        )
        found |= Volatile(*news)
    return found


BUILT_IN = _together(value for provider, value in VOLATILE.items() if provider not in _APART)
"""What may differ in traffic of any provider: all but what only Azure and Ollama do not go by, whose messages are like
OpenAI's. For theirs, ``VOLATILE[provider]`` is more forgiving."""

NOTHING = Volatile()
"""Every field counts."""


@dataclass(slots=True)
class _Node:
    """Where the pointers go on from a place: to members that are followed, renumbered or left out, or to all."""

    inner: dict[str, _Node] = field(default_factory=dict)
    every: _Node | None = None
    ids: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    defaults: list[tuple[str, Json]] = field(default_factory=list)
    spellings: list[tuple[str, str]] = field(default_factory=list)
    base64: list[str] = field(default_factory=list)

    def step(self, name: str) -> _Node:
        if name != "*":
            return self.inner.setdefault(name, _Node())
        if self.every is None:
            self.every = _Node()
        return self.every


class Settler:
    """Settles documents: takes out of them what `Volatile` names. Made once, used for every request."""

    def __init__(self, volatile: Volatile) -> None:
        self._root = _Node()
        for pointer in volatile.ids:
            node, last = self._parent(pointer)
            node.ids.append(last)
        for pointer in volatile.ignored:
            node, last = self._parent(pointer)
            node.ignored.append(last)
        for pointer, value in volatile.defaults:
            node, last = self._parent(pointer)
            node.defaults.append((last, value))
        for pointer, name in volatile.spellings:
            node, last = self._parent(pointer)
            node.spellings.append((last, name))
        for pointer in volatile.base64:
            node, last = self._parent(pointer)
            node.base64.append(last)

    def _parent(self, pointer: str) -> tuple[_Node, str]:
        *names, last = _names(pointer)
        node = self._root
        for name in names:
            node = node.step(name)
        return node, last

    def settle(self, document: Json) -> None:
        """Settle a document in place."""
        _settle(document, self._root, {})


def _names(pointer: str) -> list[str]:
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no JSON pointer to a field: it does not begin with '/'")
    return [name.replace("~1", "/").replace("~0", "~") for name in pointer[1:].split("/")]


def _settle(value: Json, node: _Node, ids: dict[str, str]) -> None:
    """Go where the pointers lead. The order is that of the pointers, never that of an object's members."""
    if type(value) is list:
        _settle_list(value, node, ids)
    elif type(value) is dict:
        _settle_object(value, node, ids)


def _settle_object(value: dict[str, Json], node: _Node, ids: dict[str, str]) -> None:
    for name, kept in node.spellings:
        if name in value and kept not in value:
            value[kept] = value.pop(name)
    for name in node.ignored:
        for member in _named(value, name):
            del value[member]
    for name in node.base64:
        text = value.get(name)
        if type(text) is str:
            value[name] = text.translate(_STANDARD)
    for name, default in node.defaults:
        if name in value and _is_same(value[name], default):
            del value[name]
    for name in node.ids:
        for member in _named(value, name):
            value[member] = _settled_id(value[member], ids)
    for name, child in node.inner.items():
        if name in value:
            _settle(value[name], child, ids)
    if node.every is not None:
        for name in sorted(value):
            _settle(value[name], node.every, ids)


def _settle_list(value: list[Json], node: _Node, ids: dict[str, str]) -> None:
    if node.defaults:
        value[:] = [item for item in value if not any(_is_same(item, default) for _, default in node.defaults)]
    if "*" in node.ignored:
        value[:] = [None] * len(value)
    elif "*" in node.ids:
        value[:] = [_settled_id(item, ids) for item in value]
    every = node.every
    if every is not None:
        for item in value:
            if type(item) is dict:
                _settle_object(item, every, ids)
            elif type(item) is list:
                _settle_list(item, every, ids)


_STANDARD = str.maketrans("-_", "+/", "=")
"""From base64 of the URL alphabet to the usual one, without padding."""


def _is_same(found: Json, default: Json) -> bool:
    return type(found) is type(default) and found == default


def _named(value: dict[str, Json], name: str) -> Iterable[str]:
    if name in value:
        return (name,)
    return sorted(value) if name == "*" else ()


def _settled_id(found: Json, ids: dict[str, str]) -> Json:
    return ids.setdefault(found, f"‹id {len(ids) + 1}›") if type(found) is str and found else found
