"""The neutral model: what an application means by tools, calls, results and turns.

Every wire translates to and from these types, so nothing here knows a provider, and nothing here imports the rest of
the package. Values are immutable: a conversation grows by making a longer one.

JSON documents (schemas, arguments, JSON results) are plain Python values: ``dict``, ``list``, ``str``, ``int``,
``float``, ``bool`` and ``None``. Integers are exact at any size.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = Any
"""A decoded JSON value."""

Profile = Literal["portable", "native"]
"""``portable``: the cross-provider policy (results are text, names are short). ``native``: what the provider can do."""

Stop = Literal["tool_calls", "end", "length", "pause", "refusal", "error", "incomplete"]
"""Why the model's turn ended.

``tool_calls`` whenever calls are pending, whatever the provider's own word was; ``length`` when the token limit cut the
turn; ``pause`` when the provider asks to be called again with the same turn; ``refusal`` for refusals and filters;
``error`` when the provider reported a failure; ``incomplete`` when a stream ended before its terminal marker.
"""


@dataclass(frozen=True, slots=True)
class TextInput:
    """What the text must be that a tool takes: any text, or one that fits a grammar.

    ``syntax`` says how the grammar's ``definition`` is written: as a grammar of Lark, or as a regular expression.
    """

    syntax: Literal["lark", "regex"] | None = None
    definition: str = ""


TEXT_INPUT = "input"
"""The one argument of a call of a tool that takes text: the text, as the model wrote it."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the application knows it.

    ``name`` is unique in the application and may hold any characters; the adapter chooses what goes on the wire.
    ``parameters`` is a JSON Schema object, or ``None`` for a tool without parameters. ``strict`` asks for the
    provider's strict mode (``None``: say nothing). ``mcp`` is ``(server, tool)`` for a tool that comes from an MCP
    server. ``builtin`` names a tool that the provider itself runs, such as ``web_search``. ``text`` is there when the
    tool takes one text instead of arguments: its calls hold it under `TEXT_INPUT`, and nobody decodes it. ``kind`` is
    the provider's word for a tool that the provider defined and the application runs, such as ``shell``: it says what
    calls and results hold, so there are no ``parameters``, and ``name`` is the provider's as well. ``server`` is the
    address of an MCP server, of kind ``mcp``, whose tools the provider calls itself once the user has accepted a call:
    its calls have decisions and no results, and are given ``{"name": ..., "arguments": {...}}``.
    """

    name: str
    description: str = ""
    parameters: Mapping[str, Json] | None = None
    strict: bool | None = None
    mcp: tuple[str, str] | None = None
    builtin: str | None = None
    text: TextInput | None = None
    kind: str | None = None
    server: str | None = None

    @property
    def described(self) -> bool:
        """Whether the application says what the tool takes: it is neither the provider's, nor of a kind of its."""
        return self.builtin is None and self.kind is None


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """How free the model is to call tools.

    ``mode`` is ``auto``, ``none``, ``required`` (any tool), or ``tool`` (the one named by ``name``). ``parallel=False``
    asks for at most one call per turn; ``None`` says nothing.
    """

    mode: Literal["auto", "none", "required", "tool"] = "auto"
    name: str | None = None
    parallel: bool | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that the model made.

    ``id`` is what the result must refer to: non-empty and unique in the conversation. ``name`` is the application's
    name of the tool. ``arguments`` is the decoded object. When the provider's text was not a JSON object,
    ``arguments`` is ``None``, ``raw`` holds the text as it came, and ``invalid`` is true: such a call must not be
    executed. ``sent`` is the text of the arguments as the provider sent it, where the format has text and the adapter
    keeps it. Calls that differ in nothing else are equal.
    """

    id: str
    name: str
    arguments: Mapping[str, Json] | None = field(default_factory=dict)
    raw: str | None = None
    invalid: bool = False
    sent: str | None = field(default=None, compare=False)

    @property
    def text_input(self) -> str:
        """What a tool is given that takes one text. Of a call that is not whole: as far as it came."""
        return str((self.arguments or {}).get(TEXT_INPUT, self.raw or ""))


NewsKind = Literal["thinking", "text", "call", "arguments", "call_end", "end"]
"""What a piece of news is about: see `News`."""


@dataclass(frozen=True, slots=True)
class News:
    """Something that an adapter tells while a stream is open.

    ``thinking``: a fragment of what the model thinks. ``text``: a fragment of what it says. ``call``: a call begins,
    and ``text`` is its tool. ``arguments``: a fragment of the text of its arguments, as it was sent. ``call_end``: it
    is whole, and may be run. ``end``: nothing more comes, and ``text`` says how the turn stops. ``call`` counts the
    calls of the turn from 0.
    """

    kind: NewsKind
    text: str = ""
    call: int = 0


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text, in a tool result."""

    text: str


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A structured value, in a tool result."""

    value: Json


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image: ``data`` is the raw bytes, ``media_type`` such as ``image/png``."""

    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ResourcePart:
    """A resource in a tool result, as tools of MCP servers give it: a link, or the resource itself.

    ``uri`` says where it is. ``name`` and ``description`` tell the model what a link leads to, ``media_type`` what
    form it has. ``text`` is what stands in a resource that came along; ``None`` in a link, which the model may follow.
    """

    uri: str
    name: str = ""
    description: str = ""
    media_type: str = ""
    text: str | None = None


Part = TextPart | JsonPart | ImagePart | ResourcePart
"""One part of what a tool returned."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returned for the call ``call_id``. ``name`` repeats the call's tool name."""

    call_id: str
    name: str
    content: tuple[Part, ...] = ()
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ProviderError:
    """A failure that the provider reported.

    ``status`` is the HTTP status (``None`` when it came inside a 200 stream), ``type`` the provider's own class of
    error, ``retry_after`` the seconds that it asked to wait.
    """

    message: str
    status: int | None = None
    type: str | None = None
    retryable: bool | None = None
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the provider counted them."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the model's text means, where it was asked for JSON: ``value``, ``None`` where nothing was made of it."""

    value: Json = None


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What the user says."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """What the model said and asked for.

    ``opaque`` is the adapter's own: whatever it must get back verbatim to continue (signatures, reasoning items, the
    provider's own content blocks). The harness keeps it beside the turn and never looks inside. ``parsed`` is there
    where the adapter decodes the output that the conversation asks for (`Conversation.output`). ``message`` is the
    whole answer in the provider's own form, as JSON, where the adapter puts it together from a stream. The harness
    reads it and never gives it back.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    refusal: str | None = None
    usage: Usage | None = None
    error: ProviderError | None = None
    opaque: Json = None
    parsed: Parsed | None = None
    message: Json = None


@dataclass(frozen=True, slots=True)
class Held:
    """An ``opaque`` that stays in the adapter's own process, under a ``number``. ``shown`` is its look, as JSON."""

    number: int = field(compare=False)
    shown: Json = None


@dataclass(frozen=True, slots=True)
class ResultsTurn:
    """The results of the calls of the turn before, in the order in which the tools finished."""

    results: tuple[ToolResult, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the user lets the call ``call_id`` run. A rejected call is never executed."""

    call_id: str
    name: str
    accept: bool


@dataclass(frozen=True, slots=True)
class DecisionsTurn:
    """The user's decisions about pending calls. Accepted calls are followed by a `ResultsTurn`, unless the provider
    runs them (`Tool.server`)."""

    decisions: tuple[Decision, ...]


REJECTED = "The user rejected this tool call."
"""What the model is told, as the result of a failed tool, about a call that the user did not let run."""

UNANSWERED = "This tool call was interrupted: the user went on before it had a result."
"""What the model is told, as the result of a failed tool, about a call that nobody answered."""

Turn = UserTurn | AssistantTurn | ResultsTurn | DecisionsTurn
"""One turn of a conversation."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Everything that a request is built from."""

    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    choice: ToolChoice = ToolChoice()
    system: str | None = None
    model: str = "test-model"
    max_tokens: int = 1024
    reasoning: bool = False
    """Whether the model is asked to think, and to hand back what continues its thinking."""
    caching: bool = False
    """Whether the provider is asked to keep what stays the same from request to request, so that it costs less."""
    output: Mapping[str, Json] | None = None
    """The JSON Schema that the model's answer must fit; ``None``: any text will do. Calls of tools stay free."""
    profile: Profile = "native"

    def then(self, *turns: Turn) -> Conversation:
        """This conversation with ``turns`` added at its end."""
        return dataclasses.replace(self, turns=(*self.turns, *turns))

    def tool(self, name: str) -> Tool | None:
        """The declared tool that the application calls ``name``."""
        return next((tool for tool in self.tools if tool.name == name), None)

    def takes_text(self, name: str | None) -> bool:
        """Whether the declared tool that the application calls ``name`` takes one text."""
        return any(tool.text is not None for tool in self.tools if tool.name == name)

    def asks(self, name: str | None) -> bool:
        """Whether calls of the declared tool ``name`` are only decided about: the provider runs them."""
        return any(tool.server is not None for tool in self.tools if tool.name == name)

    def kind_of(self, name: str | None) -> str | None:
        """The provider's word for the kind of the declared tool that the application calls ``name``, if it has one."""
        return next((tool.kind for tool in self.tools if tool.name == name), None)


def kinds_of(tools: tuple[Tool, ...]) -> dict[str, str]:
    """The kinds of the tools that a provider defined, by the application's names."""
    return {tool.name: tool.kind for tool in tools if tool.kind is not None}


def result_text(result: ToolResult) -> str:
    """A result as text, for wires whose results are strings.

    Text stays itself, a structured value becomes compact JSON, an image becomes a one-line summary (the seed
    documents' policy for binary returns), a link to a resource becomes MCP's own block as JSON, and of a resource its
    text follows its address. Several parts are joined by newlines.
    """
    return "\n".join(part_text(part) for part in result.content)


def part_text(part: Part) -> str:
    """One part of a result as text."""
    match part:
        case TextPart(text):
            return text
        case JsonPart(value):
            return compact_json(value)
        case ImagePart(media_type):
            return f"Binary content of type {media_type} was processed."
        case ResourcePart():
            return compact_json(mcp_block(part)) if part.text is None else f"{part.uri}\n{part.text}"


def mcp_block(part: ResourcePart) -> Json:
    """A resource as a block of an MCP result's ``content``: ``resource_link``, or ``resource`` with its text.

    Sources: mcp 2.3.0 mcp.types.ResourceLink, EmbeddedResource, TextResourceContents.
    """
    kind = {"mimeType": part.media_type} if part.media_type else {}
    if part.text is not None:
        return {"type": "resource", "resource": {"uri": part.uri, **kind, "text": part.text}}
    words = {"description": part.description} if part.description else {}
    return {"type": "resource_link", "uri": part.uri, "name": part.name, **words, **kind}


def decoded_json(text: str | bytes) -> Json:
    """The JSON value that ``text`` says, or ``None`` when it is no JSON or nests too deep to be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def compact_json(value: Json) -> str:
    """``value`` as JSON text, without spaces and without escaping what UTF-8 can carry."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def to_json(value: object, depth: int = 100) -> Json:
    """``value`` as plain JSON data: dataclasses become objects without their empty fields, bytes become base64,
    sets become sorted lists.

    What JSON cannot hold is shown by its ``repr``, because an adapter's ``opaque`` may be anything; what is nested
    more than ``depth`` levels deep, for instance in itself, is left out.
    """
    if depth == 0:
        return "…"
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(key): to_json(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item, depth - 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((to_json(item, depth - 1) for item in value), key=repr)
    if isinstance(value, Held):
        return value.shown
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
        return {name: to_json(item, depth - 1) for name, item in pairs if item is not None and item != ()}
    return repr(value)
