"""A child as an adapter: the same operations as in-process, each a request to the child."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.adapters.contract import AdapterError, AdapterInfo, AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.stdio import reading, writing
from conformance.adapters.stdio.caller import Answer, Caller
from conformance.adapters.stdio.messages import INVALID_PARAMS, METHOD_NOT_FOUND, answer_line, error_line, wrong_result
from conformance.adapters.stdio.mishaps import OperationError
from conformance.adapters.stdio.reading import Form, RequestForm, TurnForm, WrongFormError, formed
from conformance.adapters.stdio.text import encode
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, Json, ToolCall, ToolResult


def open_adapter(address: str) -> StdioTranslator | StdioClient | StdioAgent:
    """The adapter at ``stdio:COMMAND``. The command is split as a shell would, and run without one.

    Raises `AdapterError` with one line that says what is wrong.
    """
    if os.name != "posix":
        raise AdapterError("stdio: adapters need a POSIX system")
    try:
        command = shlex.split(address.removeprefix("stdio:"))
    except ValueError as problem:
        raise AdapterError(f"{address}: {problem}") from None
    if not command:
        raise AdapterError(f"{address}: write stdio:COMMAND, such as 'stdio:node dist/main.js'")
    return introduced(address, command)


def introduced(name: str, command: Sequence[str], **patience: Any) -> StdioTranslator | StdioClient | StdioAgent:
    """The adapter that ``command`` introduces itself as. ``patience`` goes to `Caller`. Raises `AdapterError`."""
    try:
        caller = Caller(command, **patience)
    except OperationError as problem:
        said = problem.detail.splitlines()[-1:] if problem.detail else []
        raise AdapterError(f"{name}: {problem}{''.join(f'; it printed: {line}' for line in said)}") from None
    except AdapterError as problem:
        raise AdapterError(f"{name}: {problem}") from None
    try:
        return _face(caller)
    except (AdapterError, WrongFormError) as problem:
        caller.close()
        raise AdapterError(f"{name}: what it answers to initialize is wrong: {problem}") from None


class _Info(Form):
    name: str
    language: str
    kind: str
    providers: dict[str, Any]
    version: str | None = None
    homepage: str | None = None
    issues: str | None = None


class _Hello(Form):
    protocol: int
    adapter: _Info


def _face(caller: Caller) -> StdioTranslator | StdioClient | StdioAgent:
    said = formed(caller.hello, _Hello).adapter
    for provider, names in said.providers.items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise WrongFormError(f"/adapter/providers/{provider}", "must be a list of capabilities")
    if said.kind not in _FACES:
        raise WrongFormError("/adapter/kind", f"must be {', '.join(_FACES)}, found {said.kind!r}")
    info = AdapterInfo(said.name, said.providers, said.version or "0", said.language, said.homepage, said.issues)
    return _FACES[said.kind](info, caller)


class _Said(Form):
    text: str


class _Face:
    """What all kinds share. ``info`` is what the child said about itself."""

    def __init__(self, info: AdapterInfo, caller: Caller) -> None:
        self.info = info
        self.caller = caller
        self._writer = writing.Writer()

    def close(self) -> None:
        """End the child."""
        self.caller.close()

    def _conversation(self, conversation: Conversation | None) -> str:
        return "null" if conversation is None else self._writer.conversation(conversation)


class StdioTranslator(_Face):
    """A translator in a child."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        """The request that continues ``conversation``."""
        params = (
            f'{{"provider":"{provider}","conversation":{self._conversation(conversation)},"stream":{writing.FLAGS[stream]}}}'
        )
        return reading.request(self.caller.call("build_request", params, RequestForm))

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        """The turn in a complete response."""
        params = (
            f'{{"provider":"{provider}","response":{writing.response_text(response)},'
            f'"conversation":{self._conversation(conversation)}}}'
        )
        return _turn("parse_response", self.caller.call("parse_response", params, TurnForm))

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        """The turn in a stream."""
        params = (
            f'{{"provider":"{provider}","chunks":{writing.chunks_text(chunks)},'
            f'"conversation":{self._conversation(conversation)}}}'
        )
        return _turn("parse_stream", self.caller.call("parse_stream", params, TurnForm))


class StdioClient(_Face):
    """A client in a child. It makes its model call over HTTP, on loopback."""

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        """The turn that the client makes of one model call at ``endpoint``."""
        params = (
            f'{{"provider":"{provider}","conversation":{self._conversation(conversation)},'
            f'"stream":{writing.FLAGS[stream]},"endpoint":{_endpoint(endpoint)}}}'
        )
        return _turn("complete", self.caller.call("complete", params, TurnForm))


class StdioAgent(_Face):
    """An agent in a child. It makes its model calls over HTTP and asks us to run its tools with ``call_tool``."""

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
        """What the agent says at the end."""
        declared = self._writer.tools(tuple(tool.tool for tool in tools))
        params = (
            f'{{"provider":"{provider}","task":{encode(task)},"tools":{declared},"system":{encode(system)},'
            f'"stream":{writing.FLAGS[stream]},"endpoint":{_endpoint(endpoint)}}}'
        )
        return self.caller.call("run", params, _Said, _tool_caller({tool.tool.name: tool for tool in tools})).text


_FACES: Mapping[str, type[StdioTranslator | StdioClient | StdioAgent]] = {
    "translator": StdioTranslator,
    "client": StdioClient,
    "agent": StdioAgent,
}


def _endpoint(endpoint: Endpoint) -> str:
    return encode({"url": endpoint.url, "api_key": endpoint.api_key})


def _turn(operation: str, form: TurnForm) -> AssistantTurn:
    try:
        return reading.assistant(form)
    except WrongFormError as problem:
        raise wrong_result(operation, problem) from None


def _tool_caller(tools: Mapping[str, AgentTool]) -> Answer:
    def answer(message: dict[str, Json]) -> bytes:
        number = message.get("id")
        if message.get("method") != "call_tool":
            return error_line(number, METHOD_NOT_FOUND, "while it runs, an agent may ask for call_tool only")
        try:
            call = reading.call(message.get("params"), "/params")
        except WrongFormError as problem:
            return error_line(number, INVALID_PARAMS, str(problem))
        if call.name not in tools:
            return error_line(number, INVALID_PARAMS, f"there is no tool {call.name!r}")
        return answer_line(number, writing.result_text(_ran(tools[call.name], call)))

    return answer


def _ran(tool: AgentTool, call: ToolCall) -> ToolResult:
    """What a tool returns, under the id that the agent asked with."""
    return replace(tool(call.arguments or {}), call_id=call.id)
