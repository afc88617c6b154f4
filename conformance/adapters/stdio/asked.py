"""What a child asks the harness while it works: to run a tool, and, if it is our own, to answer a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.stdio import reading, writing
from conformance.adapters.stdio.caller import RequestHandler
from conformance.adapters.stdio.lines import INVALID_PARAMS, METHOD_NOT_FOUND, answer_line, error_line
from conformance.adapters.stdio.mishaps import WrongFormError
from conformance.adapters.stdio.reading import RequestForm, formed
from conformance.adapters.stdio.text import encode
from conformance.model import Json

_NO_TOOLS: Mapping[str, AgentTool] = {}


def answers(endpoint: Endpoint | None, tools: Mapping[str, AgentTool] = _NO_TOOLS) -> RequestHandler:
    """What answers the child's requests: at ``endpoint``, and with ``tools`` by their names."""
    methods: dict[str, Callable[[Json], str]] = {}
    if endpoint is not None:
        methods["http"] = lambda params: _served(endpoint, params)
        methods["requests"] = lambda params: f"[{','.join(map(writing.request_text, endpoint.requests))}]"
        methods["answered"] = lambda params: encode(endpoint.answered)
    if tools:
        methods["call_tool"] = lambda params: _ran(tools, params)

    def answer(message: dict[str, Json]) -> bytes:
        number, method = message.get("id"), message.get("method")
        if not isinstance(method, str) or method not in methods:
            return error_line(number, METHOD_NOT_FOUND, "while it runs, an agent may ask for call_tool only")
        try:
            return answer_line(number, methods[method](message.get("params")))
        except WrongFormError as problem:
            return error_line(number, INVALID_PARAMS, str(problem))

    return answer


def _served(endpoint: Endpoint, params: Json) -> str:
    """What the endpoint answers to an HTTP request."""
    return writing.served_text(endpoint.answer(reading.request(formed(params, RequestForm, "/params"))))


def _ran(tools: Mapping[str, AgentTool], params: Json) -> str:
    """What a tool returns, under the id that the agent asked with."""
    call = reading.call(params, "/params")
    if call.name not in tools:
        raise WrongFormError("/params/name", f"there is no tool {call.name!r}")
    return writing.result_json(replace(tools[call.name](call.arguments or {}), call_id=call.id))
