"""Runs of the tiny agent without processes and sockets: it talks to the service itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tiny_agent import TinyAgent

from conformance.agents.directing import AfterEnd, ScriptDirector
from conformance.agents.findings import AgentFinding
from conformance.agents.script import AgentScript, load_script
from conformance.agents.surroundings import workspace_in
from conformance.agents.verdict import concluded_findings
from conformance.http import Request
from conformance.processes.confined import ConfinedResult
from conformance.server.log import Log
from conformance.server.service import Service
from conformance.server.settings import Settings


class HereRun:
    """One run of a script in a folder."""

    def __init__(
        self,
        folder: Path,
        script: str | AgentScript = "all_roles",
        after_end: AfterEnd = "text",
        *,
        strict: bool = False,
    ) -> None:
        self.script = load_script(script) if isinstance(script, str) else script
        self.workspace = workspace_in(folder)
        for name, content in self.script.files.items():
            (self.workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (self.workspace / name).write_bytes(content)
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.director = ScriptDirector(self.script, self.script.task, self.workspace, {}, after_end)
        settings = Settings(lenient=not strict)
        self.service, self.log = Service(settings, director=self.director), Log(settings)
        self.issued: list[str] = []
        self.tries_again = True

    def sent(self, path: str, document: Any, method: str = "POST") -> tuple[int, Any]:
        """One request, to its answer."""
        headers = {"content-type": "application/json", "authorization": "Bearer any", "host": "localhost"}
        return self.answered(Request(method, f"http://localhost{path}", headers, json.dumps(document).encode()))

    def answered(self, request: Request) -> tuple[int, Any]:
        """The status and the document that a request gets."""
        served = self.service.serve(request)
        self.log.enter(served, "tiny", 0.0)
        body = b"".join(message["body"] for message in served.tail if isinstance(message["body"], bytes))
        try:
            return served.status, json.loads(body) if body else None
        except ValueError:  # it broke off
            return served.status, None

    def post(self, document: dict[str, Any]) -> dict[str, Any]:
        """A call of the model, in the chat format. What fails is asked for once more, if the client tries again."""
        status, answer = self.sent("/p/openai-chat/v1/chat/completions", document)
        if self.tries_again and (status in (429, 500, 503) or answer is None):
            status, answer = self.sent("/p/openai-chat/v1/chat/completions", document)
        assert status == 200 and answer is not None, answer
        self.issued += [call["id"] for call in answer["choices"][0]["message"].get("tool_calls") or ()]
        found: dict[str, Any] = answer
        return found

    def played(self, fault: str = "", agent: Callable[..., TinyAgent] = TinyAgent) -> dict[str, AgentFinding]:
        """What is found of the tiny agent with a fault, by rule."""
        agent(self.post, self.workspace, fault).run(self.script.task)
        return self.found()

    def found(self, code: int = 0) -> dict[str, AgentFinding]:
        """What is found, by rule, where the program ends with a code."""
        table = concluded_findings(self.director, self.log, ConfinedResult(b"", code), self.workspace, 60)
        return {finding.rule: finding for finding in table}
