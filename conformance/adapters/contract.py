"""The adapter contract, version 1.

An adapter has an ``info`` and is of one kind, told by its operations. A *translator* has three pure functions::

    build_request(provider, conversation, *, stream) -> Request
    parse_response(provider, response) -> AssistantTurn
    parse_stream(provider, chunks) -> AssistantTurn          # chunks: Iterable[bytes], cut anywhere

``build_request`` declares the tools, replays the history and places the results. ``parse_response`` also gets HTTP
errors, whatever the delivery, and returns a turn with ``error`` set. ``parse_stream`` may be left out by an adapter
that does not declare ``streaming``. One that tells what happens while a stream is open has one operation more::

    stream_news(provider, chunks) -> Iterator[News]          # chunks: Iterator[bytes], with a close()

The parse operations may take a keyword ``conversation``: the one that the request
was built from, for adapters that must map names back. Operations may be coroutines.

A *client* makes the HTTP call itself, at an endpoint that it is given::

    complete(provider, conversation, *, stream, endpoint) -> AssistantTurn

and may have more: the same streamed, as a coroutine, and news of a streamed call::

    complete_on_a_loop(provider, conversation, *, endpoint) -> AssistantTurn
    stream_news(provider, conversation, *, endpoint) -> Iterator[News] | AsyncIterator[News]

An *agent* has its own tool loop, and calls tools that the harness executes::

    run(provider, task, tools, *, endpoint, system, stream) -> str          # what the model says at the end

A *gateway* is an address to call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from conformance.adapters.problems import AdapterError as AdapterError
from conformance.capabilities import CAPABILITIES
from conformance.hints import meant
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, Json, Tool, ToolResult
from conformance.wires import PROVIDERS, card, known_ids

if TYPE_CHECKING:
    from conformance.adapters.endpoint import Endpoint

CONTRACT_VERSION = 1

Kind = Literal["translator", "client", "agent", "gateway"]

OPERATIONS: Mapping[Kind, tuple[str, ...]] = {
    "translator": ("build_request", "parse_response"),
    "client": ("complete",),
    "agent": ("run",),
    "gateway": ("address",),
}
"""What an object must have to be an adapter of each kind."""


@dataclass(frozen=True)
class AdapterInfo:
    """Who an adapter is, and what it can do: for each provider, the capabilities that it claims.

    Capabilities are the keys of `conformance.capabilities.CAPABILITIES`. An adapter that knows a host by its id names
    it among the providers; it can be run on the other hosts of a provider's format, too.
    """

    name: str
    providers: Mapping[str, Iterable[str]]
    version: str = "0"
    language: str = "python"
    homepage: str | None = None
    issues: str | None = None
    """Where to report bugs of the adapter."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """Capabilities, and providers, that the installed release of a library lacks, each with what is not there."""

    capabilities: Mapping[str, frozenset[str]] = field(init=False, repr=False, compare=False)
    """What it claims on providers: the rows of a run that chooses none."""
    hosts: Mapping[str, frozenset[str]] = field(init=False, repr=False, compare=False)
    """What it claims on hosts that it knows by their ids."""

    def __post_init__(self) -> None:
        claimed = {provider: frozenset(names) for provider, names in self.providers.items()}
        for provider, names in claimed.items():
            if provider not in known_ids():
                hint = meant(provider, known_ids()) or f"; providers: {', '.join(PROVIDERS)}"
                raise AdapterError(f"{self.name}: info.providers has {provider!r}{hint}")
            if unknown := names - CAPABILITIES.keys():
                hint = meant(min(unknown), CAPABILITIES) or f"; capabilities: {', '.join(CAPABILITIES)}"
                raise AdapterError(f"{self.name}: unknown capability {min(unknown)!r}{hint}")
        providers = {name: names for name, names in claimed.items() if name in PROVIDERS}
        object.__setattr__(self, "capabilities", providers)
        object.__setattr__(self, "hosts", {name: claimed[name] for name in claimed.keys() - providers.keys()})

    def claims(self, chosen: Collection[str] = ()) -> Mapping[str, frozenset[str]]:
        """What it claims on the providers and hosts that are chosen; none: on all its providers.

        On a host that it does not know it claims what it claims on the provider whose format the host speaks.
        """
        if not chosen:
            return self.capabilities
        found = {name: names for name, names in self.capabilities.items() if name in chosen}
        for name in chosen:
            own = self.hosts.get(name) or self.capabilities.get(card(name).provider)
            if name not in PROVIDERS and own is not None:
                found[name] = own
        return found

    def told(self, provider: str) -> str:
        """What the adapter is told for a provider or host: its id, or the provider whose format the host speaks."""
        return provider if provider in self.capabilities or provider in self.hosts else card(provider).provider


@runtime_checkable
class Client(Protocol):
    """An adapter that makes the HTTP call itself: an SDK, or a library that stands on one."""

    info: AdapterInfo

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        """Make the model call that continues ``conversation``, at ``endpoint``, and say what the model answered.

        A failure that the provider reported is a turn with ``error`` set.
        """


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool that an agent can call. The harness executes it."""

    tool: Tool
    execute: Callable[[str, Mapping[str, Json]], ToolResult]

    def __call__(self, arguments: Mapping[str, Json]) -> ToolResult:
        """What the tool returns. Its ``call_id`` is the harness's own: an agent has the provider's."""
        return self.execute(self.tool.name, arguments)


@runtime_checkable
class Agent(Protocol):
    """An adapter with a tool loop of its own."""

    info: AdapterInfo

    def run(
        self,
        provider: str,
        task: str,
        tools: Sequence[AgentTool],
        *,
        endpoint: Endpoint,
        system: str | None,
        stream: bool,
    ) -> str:
        """Do ``task`` with the tools, all model calls at ``endpoint``, and return what the model says at the end."""


@runtime_checkable
class Translator(Protocol):
    """An adapter made of pure functions."""

    info: AdapterInfo

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        """The request that continues ``conversation``."""

    def parse_response(self, provider: str, response: Response) -> AssistantTurn:
        """The turn in a complete response, HTTP errors included."""

    def parse_stream(self, provider: str, chunks: Iterable[bytes]) -> AssistantTurn:
        """The turn in a stream."""


def kind_of(adapter: object) -> Kind:
    """The kind of an adapter, by its operations. Raises `AdapterError` when it is none, saying what it lacks."""
    for kind, operations in OPERATIONS.items():
        if all(hasattr(adapter, operation) for operation in operations):
            return kind
    present = [name for names in OPERATIONS.values() for name in names if hasattr(adapter, name)]
    kind = next((kind for kind, names in OPERATIONS.items() if set(names) & set(present)), "translator")
    missing = [name for name in OPERATIONS[kind] if name not in present]
    raise AdapterError(f"{_name(adapter)} is no adapter: a {kind} needs {' and '.join(missing)}")


def info_of(adapter: object) -> AdapterInfo:
    """The adapter's info. Raises `AdapterError` when there is none, or when what it declares has no operation."""
    info = getattr(adapter, "info", None)
    if not isinstance(info, AdapterInfo):
        found = "nothing" if info is None else type(info).__name__
        raise AdapterError(f"{_name(adapter)}.info must be a conformance.AdapterInfo, found {found}")
    streams = [provider for provider, names in info.capabilities.items() if "streaming" in names]
    if streams and kind_of(adapter) == "translator" and not hasattr(adapter, "parse_stream"):
        raise AdapterError(f"{info.name} declares streaming for {streams[0]} but has no parse_stream")
    return info


def _name(adapter: object) -> str:
    return adapter.__name__ if isinstance(adapter, type) else type(adapter).__name__
