"""The kinds of responders: which scenarios each can play, on which providers, in which deliveries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from conformance.capabilities import Lack
from conformance.deliveries import AS_SENT, Delivery
from conformance.responders.contract import Responder
from conformance.responders.order import SERVED, RecordingOrder
from conformance.responders.scripted import ScriptedResponder
from conformance.scenarios import Scenario
from conformance.scenarios.fitting import unfit_on_host
from conformance.scenarios.outlines import Outline

if TYPE_CHECKING:
    from conformance.responders.live import LiveResponder

ResponderName = Literal["scripted", "cassette", "live", "record"]


@dataclass(frozen=True)
class ResponderChoice:
    """Who answers, as chosen by the user. It crosses to worker processes, so it holds nothing but data.

    ``models`` and ``base_urls`` are by provider. ``repeat`` plays each case so many times.
    """

    kind: ResponderName = "scripted"
    cassettes: Path | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    base_urls: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 1
    allow_shell: bool = False
    recording: RecordingOrder | None = None

    @property
    def folder(self) -> Path:
        """The folder of the cassettes, where there are some."""
        assert self.cassettes is not None
        return self.cassettes

    @property
    def kinds(self) -> ResponderKind:
        """What plays."""
        match self.kind:
            case "scripted":
                return ScriptedKind(self)
            case "cassette":
                return CassetteKind(self)
            case "live":
                return LiveKind(self)
            case "record":
                return RecordKind(self)

    def words(self, provider: str) -> list[str]:
        """The options of the command line that say this."""
        if self.kind == "scripted":
            return []
        if self.kind in ("cassette", "record"):  # what is recorded now is played from then on
            return ["--responder", "cassette", "--cassettes", str(self.cassettes)]
        words = ["--responder", self.kind]
        words += ["--model", f"{provider}={self.models[provider]}"] if provider in self.models else []
        words += ["--base-url", f"{provider}={self.base_urls[provider]}"] if provider in self.base_urls else []
        return [*words, "--allow-shell"] if self.allow_shell else words


class ResponderKind(ABC):
    """One kind of responder."""

    def __init__(self, answering: ResponderChoice) -> None:
        self.answering = answering

    @abstractmethod
    def plays(self, scenario: Outline, provider: str, delivery: Delivery) -> bool:
        """Whether there is such an answer."""

    def lacks(self, provider: str) -> Lack | None:
        """What is missing before the provider can be asked."""
        return None

    def lacks_answer(self, scenario: Outline, provider: str, streaming: bool) -> Lack | None:
        """Why the provider has not the answer that there should be, as a stream or blocking."""
        return None

    @abstractmethod
    def responder(self, scenario: Scenario, provider: str, delivery: Delivery) -> Responder:
        """Who answers in one case."""


class ScriptedKind(ResponderKind):
    """Says what the scenario says."""

    def plays(self, scenario: Outline, provider: str, delivery: Delivery) -> bool:
        """Everything but chunks as somebody else sent them."""
        return delivery.name != AS_SENT

    def lacks_answer(self, scenario: Outline, provider: str, streaming: bool) -> Lack | None:
        """A change that was written for the answers of another host may have no place in this one's."""
        unfit = unfit_on_host(scenario, provider, streaming=streaming)
        return None if unfit is None else Lack("answer", unfit)

    def responder(self, scenario: Scenario, provider: str, delivery: Delivery) -> Responder:
        """The script."""
        return ScriptedResponder(scenario, provider)


class CassetteKind(ResponderKind):
    """Says what was recorded."""

    def plays(self, scenario: Outline, provider: str, delivery: Delivery) -> bool:
        """What there is a cassette of, in its own chunks and in others that need no new framing."""
        from conformance.responders.recorded import recorded_cassette

        if delivery.reframes or delivery.name == "stream:per-event":
            return False
        return recorded_cassette(self._root, provider, scenario.id, streaming=delivery.streaming) is not None

    def responder(self, scenario: Scenario, provider: str, delivery: Delivery) -> Responder:
        """The player of one cassette."""
        from conformance.responders.recorded import open_recorded

        return open_recorded(self._root, provider, scenario, streaming=delivery.streaming)

    @property
    def _root(self) -> Path:
        return self.answering.folder


class LiveKind(ResponderKind):
    """Asks the real provider."""

    def plays(self, scenario: Outline, provider: str, delivery: Delivery) -> bool:
        """Only what a real model can be asked to do."""
        return scenario.suits_models and delivery.name in ("blocking", AS_SENT)

    def lacks(self, provider: str) -> Lack | None:
        """The variable that must be set."""
        from conformance.recordings.accounts import UnsetVariable, access

        found = access(provider, self.answering.base_urls.get(provider))
        return Lack("access", str(found)) if isinstance(found, UnsetVariable) else None

    def responder(self, scenario: Scenario, provider: str, delivery: Delivery) -> Responder:
        """The provider's API."""
        return self._live(scenario, provider)

    def _live(self, scenario: Scenario, provider: str) -> LiveResponder:
        from conformance.recordings.accounts import UnsetVariable, access
        from conformance.recordings.upstream import Upstream
        from conformance.responders.live import LiveResponder

        url = self.answering.base_urls.get(provider)
        found = access(provider, url and url.replace("{scenario}", scenario.id))
        if isinstance(found, UnsetVariable):
            raise LookupError(f"{provider}: {found}")
        return LiveResponder(provider, found, Upstream(), self.answering.models.get(provider) or found.card.model)


class RecordKind(LiveKind):
    """Asks the real provider, or our own server, and writes the answers down."""

    def plays(self, scenario: Outline, provider: str, delivery: Delivery) -> bool:
        """What is not recorded yet. Our own server says whatever a scenario has it say."""
        from conformance.responders.recorded import recorded_cassette

        def recorded(root: Path) -> bool:
            return recorded_cassette(root, provider, scenario.id, streaming=delivery.streaming) is not None

        able = delivery.name in ("blocking", AS_SENT) if self._serves else super().plays(scenario, provider, delivery)
        if not able or (self._how.like is not None and not recorded(self._how.like)):
            return False
        return self._how.again or not recorded(self.answering.folder)

    @property
    def _how(self) -> RecordingOrder:
        assert self.answering.recording is not None
        return self.answering.recording

    @property
    def _serves(self) -> bool:
        return self._how.origin == SERVED

    def responder(self, scenario: Scenario, provider: str, delivery: Delivery) -> Responder:
        """The provider's API, with a recorder between."""
        from conformance.recordings.store import cassette_path
        from conformance.responders.provenance import provenance
        from conformance.responders.recording import Budget, RecordingResponder

        how, root, live = self._how, self.answering.folder, self._live(scenario, provider)
        if self._serves:
            live = replace(live, model=None, free=False)
        path = cassette_path(root, provider, scenario.id, streaming=delivery.streaming)
        budget = Budget(how.budget, how.limit)
        made = provenance(how, live, scenario, delivery)
        return RecordingResponder(live, path, made, budget, free=live.free, again=how.again)
