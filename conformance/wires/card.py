"""A provider's card: what the rest of the harness must know of it, as light data.

Whoever needs an address, a key's header, the words of an error or the form of a field reads it here and keeps no table
of providers of its own. A card imports the standard library alone, so workers in a library's environment can read it.
Nothing on it has a default: what is forgotten is an error when the card is read, never a silence later. What a provider
*does* with a request is its `Wire`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urljoin, urlsplit

from conformance.http import Framing
from conformance.model import Json
from conformance.wires.answer_layout import AnswerLayout
from conformance.wires.volatile import Volatile

NOT_RECORDED = "the format allows it; no recorded answer of its own host shows it"
"""Why a quirk is not the provider's own, where nobody is named."""

Sign = Mapping[str, type | tuple[str, ...]]
"""Members of a JSON object that tell whose it is: each has a value of this type, or is one of these texts."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """How a key is sent, and the environment variables that hold it, first choice first."""

    variables: tuple[str, ...]
    header: str = "authorization"
    prefix: str = "Bearer "

    @property
    def placeholder(self) -> Mapping[str, str]:
        """The header of a request that has no key yet."""
        return {self.header: f"{self.prefix}test-key"}


@dataclass(frozen=True, slots=True)
class Marks:
    """How traffic of a provider is recognised where the recorder kept no address.

    ``requests`` and ``answers`` are signs in the body of a request, and in an answer or the first event of a stream.
    ``path`` is how the path ends where that is needed, too. ``opening`` is a regular expression for how a host's
    answers begin.
    """

    requests: tuple[Sign, ...] = ()
    answers: tuple[Sign, ...] = ()
    path: str = ""
    opening: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """How values look on the wire where providers differ and the rules about all providers must know it."""

    conversation: str
    """The field of a request that holds the conversation."""
    replayed: str
    """Where a response's body holds what goes back into that field; ``*`` takes every element of a list."""
    replay_role: str | None
    """The role under which that goes back, where the body is no message itself."""
    arguments: Literal["text", "object"]
    """Whether a call's arguments are JSON text or an object."""
    stream_in: Literal["body", "path"]
    """Where a request says that it wants a stream."""
    calls_in_stream: Literal["fragments", "whole", "together"]
    """Arguments bit by bit, each call in one event, or all calls in one event."""
    url_safe_base64: bool
    """Whether bytes may be written in the URL-safe alphabet, too."""
    typed_images: bool
    """Whether an image says its media type."""
    own_schema_language: bool
    """Whether a tool's schema is read in a language of the provider's own, not as JSON Schema."""
    doubles: bool
    """Whether all numbers in arguments are doubles, so that a whole number may come as ``5.0``."""
    tools_elsewhere: bool
    """Whether tools may come with a stored prompt, a conversation or an item of the conversation."""
    tools_beside_history: bool
    """Whether a request whose history has calls must declare tools, also where the application has none left."""
    strictness: Literal["tool", "request"] | None
    """Where a tool is declared as strict: on itself, on the request for all tools at once, or nowhere."""
    thinks_unasked: Literal["no", "silently", "aloud"]
    """Whether a request that says nothing of thinking may be answered with thoughts: not at all, with their signature
    alone, or with their text."""
    answer_schemas: tuple[str, ...]
    """Where a request holds the schema that the text of an answer must fit, as JSON pointers."""
    json_switch: tuple[str, Json] | None
    """The place and the value that ask for an answer in JSON without saying more, where there are such."""
    honest_stop: bool
    """Whether the reason why a turn ended is true beside calls, too. Most finish reasons lie there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Takes:
    """What a provider's own host takes, or refuses, where the hosts of its format differ."""

    empty_tools: bool
    """Whether ``tools: []`` is answered. Elsewhere it is an error ("[] is too short")."""
    tool_types: tuple[str, ...]
    """Types of tools beside ``function``."""
    untyped: bool
    """Whether a function, a call or a choice may leave out its ``type``."""
    choice_words: Mapping[str, str]
    """Words for ``tool_choice`` beside those of the format, and the words of the format for them."""
    flat_choice: bool
    """Whether a forced tool may be ``{"type": "tool", "name": ...}``."""
    modes_without_tools: tuple[str, ...]
    """The modes of the tool choice that may stand without tools: they say what holds anyway."""
    choice_without_tools: bool
    """Whether the keys that say how tools may be called are no error without tools, or there are no such keys."""
    results_by_name: bool
    """Whether a result answers the call of its name, so that an id which no call has is no error."""
    empty_schemas: bool
    """Whether a tool's schema may be ``{}``, which is taken for one without properties."""
    calls_passed_over: bool
    """Whether the user may go on after calls without one result. Some results, but not all, are refused everywhere."""
    object_arguments: bool
    """Whether a replayed call's arguments may be an object where the format says text."""
    null_results: bool
    """Whether a result may be ``null``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What is known of one provider, or of a host (see `conformance.wires.host`).

    ``paths`` are whole paths that are the provider's own where no host tells, ``path_ends`` how the path of a model
    call ends behind any proxy; both are regular expressions without anchors. ``own_hosts`` is one for the provider's
    own hosts, without port; ``None`` for what runs anywhere.
    """

    id: str
    """As in ``--provider``."""
    title: str
    """For people."""
    base_url: str
    """As the provider's own SDK (for compatible providers: the openai SDK) wants it."""
    own_hosts: str | None
    path_ends: tuple[str, ...]
    key: ApiKey
    model: str
    """The model of live runs, unless another is named."""
    capabilities: frozenset[str]
    """What the provider can do, in the words of `conformance.capabilities.CAPABILITIES`."""
    quirks: frozenset[str]
    """The oddities of `conformance.script.QUIRKS` that this provider, or hosts of its format, really show."""
    elsewhere: Mapping[str, str]
    """Those of its quirks that its own host was not recorded, nor is documented, to show, each with who does: hosts
    that deviate from it, or only its SDK's types. What fails at them is no fault against the provider."""
    format: str
    """The provider whose format it speaks: itself, or another."""
    provider: str
    """The provider whose rules judge it: itself, or, for hosts that are no providers, that of their wire."""
    family: str
    """The folder of the rules of its own, in ``conformance/rules``."""
    paths: tuple[str, ...]
    any_base: bool
    """Whether clients reach it by a base URL of their own, so that the paths of its format are its, too."""
    schemas: bool
    """Whether its format has JSON Schemas, made from an official SDK's types."""
    url_variable: str | None
    """The variable with the base URL, where there is no official one for everybody."""
    sdk: str | None
    """The ready-made shim around its official SDK: it records the cassettes and proves the wire."""
    address_rule: str | None
    """The rule about the address of its requests, which a gateway chooses itself and an SDK's notes do not have."""
    own_headers: tuple[str, ...]
    """Headers that only its clients send."""
    version_header: str | None
    framings: tuple[Framing, ...]
    """How streams are framed; the first is the usual one."""
    framing_by_query: tuple[str, Framing] | None
    """A part of the query that asks for the usual framing, and the framing of streams without it."""
    chunks_are_responses: bool
    """Whether a stream consists of responses, each with what is new."""
    id_pattern: str | None
    """What the provider takes for a call's id, where it refuses others."""
    error_words: Mapping[int, Mapping[str, Json]]
    """What an error says at a status, where it is not what the nearest scripted error says."""
    error_status: str | None
    """The member of an error that repeats the status."""
    volatile: Volatile
    apart: bool
    """Whether its `volatile` must not be used for traffic of others: it forgives what other providers go by."""
    stream_liberties: frozenset[str]
    """What its own host's streams do beyond the grammar of its format."""
    ends: Mapping[str, str]
    """Words for why a turn ended that the types of its format do not tell, each with where it is written."""
    marks: Marks
    answer: AnswerLayout | None
    """What answers of its format have; ``None`` where servers that speak it are not judged."""
    forms: Forms
    takes: Takes

    @property
    def origin(self) -> str:
        """Scheme and host: what adapters are given, and what requests name."""
        return urljoin(self.base_url, "/").rstrip("/")

    @property
    def base_path(self) -> str:
        """The path of the base URL."""
        return urlsplit(self.base_url).path

    def framing(self, query: str) -> Framing:
        """How a stream is framed that a request with this query asks for."""
        if self.framing_by_query is None or self.framing_by_query[0] in query.split("&"):
            return self.framings[0]
        return self.framing_by_query[1]
