"""What a request came to: the answer, ready to be sent, and what is told about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.http import Request, Response
from conformance.server.judging import RequestJudgement

NOTHING = RequestJudgement({})
MAX_HEADER = 1_000
"""How many characters of a warning go into the answer's header."""


@dataclass(eq=False, slots=True)
class ServedExchange:
    """One request and its answer. The same request may have been answered the same way ``times`` times.

    ``chunks`` are sent one by one; ``head`` and ``tail`` are the messages of ASGI, made once. ``refused`` says that the
    request was turned away for breaking a rule, ``problem`` why else it was not answered from its scenario. ``warning``
    is what its sender should know before reading the findings.
    """

    provider: str
    status: int
    headers: Mapping[str, str]
    chunks: list[bytes]
    request: Request
    streaming: bool = False
    scenario: str | None = None
    session: str | None = None
    place: int | None = None
    judgement: RequestJudgement = NOTHING
    refused: bool = False
    problem: str = ""
    fault: str = ""
    warning: str = ""
    latency: float = 0.0
    trickle: float = 0.0
    cut: int | None = None
    lasting: bool = True
    """Whether the same request would be answered the same way again."""
    times: int = 0
    head: dict[str, object] = field(default_factory=dict)
    tail: list[dict[str, object]] = field(default_factory=list)

    @classmethod
    def of(cls, provider: str, request: Request, response: Response, problem: str = "") -> ServedExchange:
        """A complete response."""
        return cls(provider, response.status, response.headers, [response.body], request, problem=problem)

    def ready(self) -> ServedExchange:
        """With its messages made."""
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in self.headers.items()]
        if not self.streaming:
            headers.append((b"content-length", str(sum(map(len, self.chunks))).encode()))
        if self.judgement.found:
            rules = dict.fromkeys(item.rule.id for item in self.judgement.told)
            headers.append((b"x-conformance-findings", ", ".join(rules).encode()))
        if self.warning:
            told = " ".join(self.warning.encode("ascii", "backslashreplace").decode().split())
            headers.append((b"x-conformance-warning", told[:MAX_HEADER].encode()))
        self.head = {"type": "http.response.start", "status": self.status, "headers": headers}
        chunks = self.chunks if self.cut is None else cut_off(self.chunks, self.cut)
        self.tail = [{"type": "http.response.body", "body": chunk, "more_body": True} for chunk in chunks]
        if self.cut is None:
            if self.streaming or not self.tail:
                self.tail.append({"type": "http.response.body", "body": b"", "more_body": False})
            self.tail[-1]["more_body"] = False
        return self

    @property
    def plain(self) -> bool:
        """Whether it is simply sent."""
        return not self.latency and not self.trickle and self.cut is None

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return 2 * len(self.request.body) + 2 * sum(map(len, self.chunks)) + 200 * len(self.tail) + 2000


def cut_off(chunks: list[bytes], size: int) -> list[bytes]:
    """The chunks up to a number of bytes."""
    kept: list[bytes] = []
    for chunk in chunks:
        if size <= 0:
            break
        kept.append(chunk[:size])
        size -= len(chunk)
    return kept
