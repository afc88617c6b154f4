"""Let an adapter that is written in Python speak the protocol: ``python -m conformance.adapters.stdio.serve ADDRESS``.

One instance of the adapter serves all requests. Its standard output is led to standard error, so that what it prints
does no harm.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from conformance.adapters.addresses import Found, find_adapter
from conformance.adapters.bound import awaited, takes_conversation
from conformance.adapters.contract import AdapterError, AgentTool
from conformance.adapters.stdio import reading, writing
from conformance.adapters.stdio.messages import (
    ADAPTER_RAISED,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    PROTOCOL_VERSION,
    answer_line,
    error_line,
)
from conformance.adapters.stdio.reading import WrongFormError
from conformance.adapters.stdio.remote import RemoteEndpoint, RemoteTools
from conformance.adapters.stdio.text import decode, encode
from conformance.model import Conversation, Json

Params = Mapping[str, Json]


class Server:
    """Answers requests with one adapter. ``ask`` sends a request of our own and returns its result."""

    def __init__(self, found: Found, ask: Callable[[str, str], Json]) -> None:
        self._found = found
        self._adapter: Any = found.make()
        self._ask = ask
        self.done = False
        operations = {
            "build_request": self._build_request,
            "parse_response": self._parse_response,
            "parse_stream": self._parse_stream,
            "complete": self._complete,
            "run": self._run,
        }
        self._methods: Mapping[str, Callable[[Params], str]] = {
            "initialize": self._initialize,
            **{name: operation for name, operation in operations.items() if hasattr(self._adapter, name)},
            "shutdown": self._shutdown,
        }

    def answer(self, message: Mapping[str, Json]) -> bytes:
        """The line that answers a request."""
        number, method = message.get("id"), str(message.get("method"))
        operation = self._methods.get(method)
        if operation is None:
            return error_line(number, METHOD_NOT_FOUND, f"there is no method {method!r}")
        try:
            return answer_line(number, operation(message.get("params") or {}))
        except WrongFormError as problem:
            return error_line(number, INVALID_PARAMS, str(problem))
        except Exception as problem:
            detail = "".join(traceback.format_exception(problem, limit=-8))
            return error_line(number, ADAPTER_RAISED, f"{type(problem).__name__}: {problem}", detail)

    def _initialize(self, params: Params) -> str:
        info = self._found.info
        adapter: dict[str, Json] = {
            "name": info.name,
            "version": info.version,
            "language": info.language,
            "kind": self._found.kind,
            "homepage": info.homepage,
            "issues": info.issues,
            "providers": {provider: sorted(names) for provider, names in info.capabilities.items()},
        }
        return encode({"protocol": PROTOCOL_VERSION, "adapter": adapter})

    def _build_request(self, params: Params) -> str:
        conversation = reading.conversation(params.get("conversation"))
        built = self._call("build_request", params, conversation, stream=bool(params.get("stream")))
        return writing.request_text(built)

    def _parse_response(self, params: Params) -> str:
        response = reading.response(params.get("response"))
        turn = self._call("parse_response", params, response, **self._context("parse_response", params))
        return writing.assistant_text(turn)

    def _parse_stream(self, params: Params) -> str:
        chunks = reading.chunks(params.get("chunks"))
        turn = self._call("parse_stream", params, iter(chunks), **self._context("parse_stream", params))
        return writing.assistant_text(turn)

    def _complete(self, params: Params) -> str:
        conversation, endpoint = reading.conversation(params.get("conversation")), _endpoint(params)
        turn = self._call("complete", params, conversation, stream=bool(params.get("stream")), endpoint=endpoint)
        return writing.assistant_text(turn)

    def _run(self, params: Params) -> str:
        declared: Any = params.get("tools") or []
        execute = RemoteTools(self._ask)
        tools = tuple(AgentTool(reading.tool(tool), execute) for tool in declared)
        text = self._call(
            "run",
            params,
            params.get("task"),
            tools,
            endpoint=_endpoint(params),
            system=params.get("system"),
            stream=bool(params.get("stream")),
        )
        return encode({"text": text})

    def _shutdown(self, params: Params) -> str:
        self.done = True
        return "null"

    def _call(self, operation: str, params: Params, *arguments: Any, **options: Any) -> Any:
        return awaited(getattr(self._adapter, operation)(params.get("provider"), *arguments, **options))

    def _context(self, operation: str, params: Params) -> dict[str, Conversation]:
        """The conversation, for operations that take it."""
        if params.get("conversation") is None or not takes_conversation(getattr(self._adapter, operation)):
            return {}
        return {"conversation": reading.conversation(params["conversation"])}


class _Endpoint(reading.Form):
    url: str
    api_key: str | None = None


def _endpoint(params: Params) -> RemoteEndpoint:
    endpoint = reading.formed(params.get("endpoint"), _Endpoint, "/endpoint")
    return RemoteEndpoint(str(params.get("provider")), endpoint.url)


def serve(found: Found, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer the requests that come, until ``shutdown`` or the end of the input."""
    asked = 0

    def write(line: bytes) -> None:
        answers.write(line)
        answers.flush()

    def ask(method: str, params: str) -> Json:
        nonlocal asked
        asked += 1
        write(f'{{"jsonrpc":"2.0","id":"{asked}","method":"{method}","params":{params}}}\n'.encode("ascii"))
        message: Any = decode(requests.readline())
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    server = Server(found, ask)
    while not server.done and (line := requests.readline()):
        write(server.answer(decode(line)))


def main(arguments: list[str]) -> int:
    """Serve the adapter at the one address in ``arguments``."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m conformance.adapters.stdio.serve ADDRESS\n")
        return 2
    requests, answers = _standard_streams()
    try:
        found = find_adapter(arguments[0])
    except AdapterError as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    serve(found, requests, answers)
    return 0


def _standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our standard input and output. The adapter gets an empty input instead, and prints to standard error."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
