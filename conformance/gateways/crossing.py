"""What happened in one model call: what the client asked and got, and what the gateway asked and got."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from conformance.answers import Answer
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, compact_json
from conformance.script import ScriptError, ScriptTurn
from conformance.wires import wire
from conformance.wires.facts import Facts


@dataclass
class UpstreamCall:
    """One request of the gateway's, and what the provider answered. ``gone_at`` is when the gateway hung up."""

    provider: str
    request: Request
    facts: Facts
    answer: Answer | None = None
    streaming: bool = False
    gone_at: float | None = None
    finished: bool = False


@dataclass
class CrossedCall:
    """One model call through a gateway. ``provider`` is the format that the client talks.

    ``broken`` says that the connection ended before the answer did, ``silent`` that no answer came in time.
    """

    provider: str
    intent: Conversation
    request: Request
    says: ScriptTurn | ScriptError
    streaming: bool
    outbound: str
    """The provider that the client means to reach."""
    previous: CrossedCall | None = None
    upstream: list[UpstreamCall] = field(default_factory=list)
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    chunks: list[bytes] = field(default_factory=list)
    broken: bool = False
    silent: bool = False
    answer: Answer | None = None
    understood: AssistantTurn | None = None
    gates: dict[str, bool] = field(default_factory=dict)
    """Which gates the gateway passed: what the client had to have before the provider went on."""
    hung_up_at: float | None = None
    text_so_far: str = ""
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def body(self) -> bytes:
        """All that the client got."""
        return b"".join(self.chunks)

    @property
    def facts(self) -> Facts:
        """What the client's request says."""
        return wire(self.provider).facts(self.request)

    @property
    def asked(self) -> UpstreamCall | None:
        """The gateway's first request."""
        return self.upstream[0] if self.upstream else None

    @property
    def offered(self) -> AssistantTurn | None:
        """What the provider said last."""
        return next((call.answer.offered for call in reversed(self.upstream) if call.answer is not None), None)

    @property
    def offered_words(self) -> str:
        """All texts in the provider's answer, as it came."""
        return _words(self.upstream[-1].answer) if self.upstream else ""

    @property
    def answered_words(self) -> str:
        """All texts in the client's."""
        return _words(self.answer)

    def progressed(self) -> None:
        """The client has something new."""
        with self._changed:
            self._changed.notify_all()

    def awaits(self, gate: str, passed: Callable[[], bool], seconds: float) -> None:
        """The provider goes no further until the client has something, or has waited long enough in vain."""
        until = time.monotonic() + seconds
        with self._changed:
            while not passed() and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
        self.gates[gate] = passed()


def _words(answer: Answer | None) -> str:
    return compact_json(answer.body) if answer is not None else ""
