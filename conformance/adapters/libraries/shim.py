"""What the shims share: a client around one library, and HTTP clients that end in an endpoint."""

from __future__ import annotations

import importlib
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import metadata
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar

from conformance.adapters.capture import left_out
from conformance.adapters.capture.doors import model_call
from conformance.adapters.contract import AdapterInfo, AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries import installed
from conformance.adapters.libraries.features import Needs, lacking
from conformance.adapters.libraries.way import BOTH, Mode, Way
from conformance.adapters.served import HttpAnswer
from conformance.adapters.transports import transport
from conformance.capabilities import ACCUMULATED, OWN_WORDS, UNCLAIMED
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, ProviderError
from conformance.wires import card

T = TypeVar("T")


class WayDoors(NamedTuple):
    """The doors of a way, blocking and streamed: a shim has a table of them, by the names of its ways."""

    blocking: Callable[..., Any]
    streamed: Callable[..., Any]
    on_a_loop: bool = False
    """Whether they take the asynchronous client. What it begins they run to its end."""
    message: Callable[[Any], Any] = lambda answer: answer
    """Makes the library's message of what the streamed door gives, where an application makes it of events."""


class WayShim:
    """What goes a way into a library."""

    way = ""
    """Which one (`conformance.adapters.libraries.table`); ``""`` is the usual one."""
    modes: tuple[Mode, ...] = BOTH
    """The modes that the way has."""
    forced = False
    """Whether it makes the model call its only tool."""

    @classmethod
    def by(cls, way: Way) -> type[Self]:
        """The shim that goes another way."""
        said = {"way": way.name, "modes": way.modes, "forced": way.forced, "__module__": cls.__module__}
        return type(cls.__name__, (cls,), said)


class Shim(WayShim, ABC):
    """A client around one library. A subclass says which, what it can do, how it is called and how it fails.

    Making one raises `AdapterError` when the library is not installed.
    """

    name: str
    """How the report names the adapter."""
    distribution: str
    """The library's name in the package index."""
    homepage: str | None = None
    issues: str | None = None
    in_threads = True
    """Whether the shim may be called in several threads at once: not where it has one event loop for all calls."""
    providers: Mapping[str, Iterable[str]]
    """For each provider, the capabilities that the library has there."""
    needs: Needs = MappingProxyType({})
    """What capabilities and providers need of the installed release, where not every release has it."""
    def __init__(self) -> None:
        lacks = lacking(self.needs)
        apart = lacks.keys() | set(BOTH) - set(self.modes)
        self.info = AdapterInfo(
            self.name,
            {name: () if name in lacks else set(can) - apart for name, can in self.providers.items()},
            installed(self.distribution),
            homepage=self.homepage,
            issues=self.issues,
            lacks=lacks,
        )
        self._shared: tuple[Endpoint | None, dict[str, Any]] = None, {}
        self._lock = threading.Lock()

    @abstractmethod
    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """Let the library make the model call, and say what it answered. Raises what the library raises."""

    @abstractmethod
    def failure(self, problem: Exception) -> ProviderError | None:
        """The provider's failure that the library reports by ``problem``; ``None`` when it is the library's own.

        Asked only when the provider was called: what is raised before that is the library's own.
        """

    def broken_off(self, problem: Exception) -> bool:
        """Whether ``problem`` is how the library says that a stream ended inside a document."""
        return False

    def shared(self, endpoint: Endpoint, what: str, make: Callable[[], T]) -> T:
        """What ``make`` gives, once for all calls at an endpoint: an application keeps its client, too."""
        with self._lock:
            if self._shared[0] is not endpoint:
                self._shared = endpoint, {}
            if what not in self._shared[1]:
                self._shared[1][what] = make()
            made: T = self._shared[1][what]
            return made

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        """Make the model call that continues ``conversation``."""
        said = [turn for turn in conversation.turns if isinstance(turn, AssistantTurn) and turn.opaque is not None]
        try:
            with model_call(endpoint, begins=not said):
                return self.ask(provider, conversation, endpoint, stream=stream)
        except Exception as problem:
            return self.failed(problem, endpoint, stream=stream)

    def failed(self, problem: Exception, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """The turn that an exception tells. Raises it when it is the library's own failure."""
        if stream and endpoint.requests and self.broken_off(problem):
            return AssistantTurn(stop="incomplete")
        reported = self.failure(problem) if endpoint.requests else None
        if reported is None:
            raise problem
        return AssistantTurn(stop="error", error=reported)


class AgentShim(WayShim, ABC):
    """A way that has the library's own loop over tools: an agent (`conformance.adapters.contract.Agent`)."""

    name: str
    distribution: str
    homepage: str | None = None
    issues: str | None = None
    providers: Iterable[str]

    def __init__(self) -> None:
        can = frozenset({*self.modes, "parallel_calls", *(("tool_choice",) if self.forced else ())})
        self.info = AdapterInfo(
            self.name,
            dict.fromkeys(self.providers, can),
            installed(self.distribution),
            homepage=self.homepage,
            issues=self.issues,
        )

    @abstractmethod
    def run(
        self,
        provider: str,
        task: str,
        tools: Sequence[AgentTool],
        *,
        endpoint: Endpoint,
        system: str | None,
        stream: bool,
    ) -> Any:
        """Do ``task`` with the tools, and return what the model says at the end."""


class LoopShim(Shim):
    """A shim around a library that has an asynchronous client, too."""

    @abstractmethod
    async def ask_on_a_loop(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> AssistantTurn:
        """The same as `ask`, streamed and by the asynchronous client."""

    async def complete_on_a_loop(
        self, provider: str, conversation: Conversation, *, endpoint: Endpoint
    ) -> AssistantTurn:
        """Make a streamed call on the event loop that runs."""
        try:
            return await self.ask_on_a_loop(provider, conversation, endpoint)
        except Exception as problem:
            return self.failed(problem, endpoint, stream=True)


def everything(*providers: str, own_words: bool = False) -> Mapping[str, frozenset[str]]:
    """All that each provider can do, for libraries that put nothing between the application and the provider, but what
    they leave to the application. ``own_words``: also what only the provider's own format has a word for."""
    apart = UNCLAIMED if own_words else UNCLAIMED | OWN_WORDS
    return {provider: card(provider).capabilities - apart for provider in providers}


def with_whole_messages(providers: Mapping[str, frozenset[str]], *names: str) -> Mapping[str, frozenset[str]]:
    """Claims of an official SDK that makes the provider's own message of a stream, at the providers of that form."""
    return {name: claims | (ACCUMULATED if name in names else frozenset()) for name, claims in providers.items()}


def own_form(message: Any) -> Any:
    """An SDK's own object as the provider writes it. ``None`` where there is none: the library has no such method."""
    written = getattr(message, "to_dict", None)
    return None if written is None else written(mode="json", warnings=False)


@cache
def http_library(distribution: str) -> str:
    """The HTTP library that the installed release of an SDK stands on: ``httpx2`` or ``httpx``."""
    required = metadata.requires(distribution) or ()
    return "httpx2" if any(re.match(r"httpx2\b(?!.*;.*extra)", line) for line in required) else "httpx"


def http_client(distribution: str, endpoint: Endpoint) -> Any:
    """A client of the SDK's HTTP library that ends in ``endpoint``. It opens nothing, so it need not be closed."""
    library = http_library(distribution)
    return left_out(importlib.import_module(library).Client(transport=endpoint.transport(library)))


class ClientLine:
    """A line that can be made to lead to another endpoint, for SDK clients that are costly to make."""

    def __init__(self, library: str) -> None:
        self._library = library
        self._endpoint: Endpoint | None = None

    def leads_to(self, endpoint: Endpoint) -> None:
        """Lead to ``endpoint`` from now on."""
        self._endpoint = endpoint

    def client(self) -> Any:
        """A client of the HTTP library at this end of the line."""
        return left_out(importlib.import_module(self._library).Client(transport=transport(self._library, self._answer)))

    def _answer(self, request: Request) -> HttpAnswer:
        assert self._endpoint is not None
        return self._endpoint.answer(request)
