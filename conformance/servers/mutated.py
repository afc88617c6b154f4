"""A server behind a proxy that changes one thing in what it is asked, or in what it answers. So its rules are proven.

Nobody but the tests and tools that prove rules uses it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from conformance.http import Request, Response
from conformance.mutants.between.answers import AnswerMutant
from conformance.mutants.between.requests import RequestMutant
from conformance.mutants.between.said import PacedAnswer
from conformance.server.between import changing_proxy
from conformance.servers.address import AskedServer
from conformance.servers.asking import ServerLine
from conformance.servers.must_reject import must_reject
from conformance.servers.wire_part import wire_part

ServerMark = tuple[str, str]
"""What was told: the rule, and the probe or the place where a wrong request comes from."""


@dataclass
class ServerBench:
    """A server, and what is changed of it now. ``changed`` says whether anything was."""

    server: AskedServer
    seconds: float = 30.0
    asks: RequestMutant | None = None
    answers: AnswerMutant | None = None
    changed: bool = False

    def told(
        self, mutant: RequestMutant | AnswerMutant | None = None, *, direct: bool = False, rejects: bool = True
    ) -> set[ServerMark]:
        """What is told of the server. ``direct``: without a proxy before it. ``rejects``: wrong requests are sent."""
        self.asks = mutant if isinstance(mutant, RequestMutant) else None
        self.answers = mutant if isinstance(mutant, AnswerMutant) else None
        self.changed = False
        parts = urlsplit(self.server.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if direct:
            return self._told(self.server, rejects=rejects)
        change = self._change_answer if self.answers is not None else None
        with changing_proxy(origin, self._change_request, change) as front:
            return self._told(replace(self.server, url=front + parts.path), rejects=rejects)

    def _told(self, server: AskedServer, *, rejects: bool) -> set[ServerMark]:
        with ServerLine(server, self.seconds) as line:
            told = {(one.rule, one.probe) for one in wire_part(line).findings}
            faults = must_reject(line).faults if rejects else []
        return told | {(one.request.rule.id, one.request.origin) for one in faults}

    def _change_request(self, provider: str, request: Request) -> Request:
        if self.asks is None:
            return request
        made = self.asks(self.server.provider, request)
        self.changed |= made.document != request.document
        return made

    def _change_answer(self, provider: str, request: Request, response: Response) -> Response | PacedAnswer:
        assert self.answers is not None
        given = self.answers(self.server.provider, request, response)
        self.changed |= given != response
        return given
