"""What the shims share: a client around one library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from importlib import metadata

from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.adapters.endpoint import Endpoint
from conformance.model import AssistantTurn, Conversation, ProviderError


class Shim(ABC):
    """A client around one library. A subclass says which, what it can do, how it is called and how it fails.

    Making one raises `AdapterError` when the library is not installed.
    """

    name: str
    """How the report names the adapter."""
    distribution: str
    """The library's name in the package index."""
    homepage: str | None = None
    issues: str | None = None
    providers: Mapping[str, Iterable[str]]
    """For each provider, the capabilities that the library has there."""

    def __init__(self) -> None:
        self.info = AdapterInfo(
            self.name, self.providers, installed(self.distribution), homepage=self.homepage, issues=self.issues
        )

    @abstractmethod
    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """Let the library make the model call, and say what it answered. Raises what the library raises."""

    @abstractmethod
    def failure(self, problem: Exception) -> ProviderError | None:
        """The provider's failure that the library reports by ``problem``; ``None`` when it is the library's own."""

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        """Make the model call that continues ``conversation``."""
        try:
            return self.ask(provider, conversation, endpoint, stream=stream)
        except Exception as problem:
            reported = self.failure(problem)
            if reported is None:
                raise
            return AssistantTurn(stop="error", error=reported)


def installed(distribution: str) -> str:
    """The version of a library. Raises `AdapterError` when it is not installed, saying how to get it."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        raise AdapterError(
            f"{distribution} is not installed: pip install {distribution}, or conformance env {distribution}"
        ) from None
