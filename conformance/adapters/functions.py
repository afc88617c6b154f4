"""The smaller door: an adapter from the functions that most projects already have.

`from_functions` takes the two-function contract of the first seed document, ``parse_tool_calls`` and
``build_tool_results``, and optionally ``convert_tools``. The harness does the rest of the request, the way the provider
documents it, so only what the functions do is judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.http import Request, Response
from conformance.model import (
    AssistantTurn,
    Conversation,
    Json,
    ResultsTurn,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
    result_text,
)
from conformance.wires import PROVIDERS, card, wire
from conformance.wires.facts import items, obj

ConvertTools = Callable[[list[dict[str, Json]]], Json]
"""From ``[{name, description, parameters}]`` to the value of the request's ``tools``."""
ParseToolCalls = Callable[[Json], Iterable[Any]]
"""From a response's body to its calls: `ToolCall`, or objects with ``id``, ``name``, ``argumentsJson`` or ``input``."""
BuildToolResults = Callable[[list[dict[str, Json]], list[dict[str, Json]]], Json]
"""From calls and ``[{id, name, outputText, isError}]`` to the message, or messages, that carry the results."""

CAPABILITIES = frozenset({"blocking", "parallel_calls", "json_results", "error_results"})



def _replayed(provider: str, body: Json) -> list[Json]:
    """What of a response's body goes back into the conversation, as the provider's card says."""
    forms, found = card(provider).forms, [body]
    for name in forms.replayed.split("/"):
        if name == "*":
            found = [item for value in found for _, item in items(value)]
        else:
            found = [obj(value).get(name) for value in found]
    first = found if forms.replayed.endswith("*") else found[:1]
    return first if forms.replay_role is None else [{"role": forms.replay_role, "content": found[0]}]


def from_functions(
    *,
    provider: str,
    parse_tool_calls: ParseToolCalls,
    build_tool_results: BuildToolResults,
    convert_tools: ConvertTools | None = None,
    name: str = "functions",
    version: str = "0",
    capabilities: Iterable[str] = CAPABILITIES,
    homepage: str | None = None,
    issues: str | None = None,
) -> FunctionsAdapter:
    """An adapter for ``provider`` from two or three functions.

    ``parse_tool_calls(body)`` gets the decoded body of a response and returns its calls. ``build_tool_results(calls,
    outputs)`` gets what the former returned, as objects with ``id``, ``name``, ``input`` and ``argumentsJson``, and the
    outputs, in the order in which the tools finished; it returns what is to be added to the conversation.
    ``convert_tools(tools)`` returns the request's ``tools``; without it the provider's documented form is sent.

    Raises `AdapterError` for an unknown provider or capability.
    """
    if provider not in PROVIDERS:
        raise AdapterError(f"from_functions: unknown provider {provider!r}; providers: {', '.join(PROVIDERS)}")
    info = AdapterInfo(name, {provider: frozenset(capabilities)}, version, homepage=homepage, issues=issues)
    return FunctionsAdapter(info, parse_tool_calls, build_tool_results, convert_tools)


@dataclass(frozen=True)
class FunctionsAdapter:
    """A translator made of an application's own functions. Made by `from_functions`."""

    info: AdapterInfo
    parse_tool_calls: ParseToolCalls
    build_tool_results: BuildToolResults
    convert_tools: ConvertTools | None

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        """The request, with tools and results from the functions and the rest as the provider documents it."""
        key = card(provider).forms.conversation
        request = wire(provider).build(replace(conversation, turns=()), stream=stream)
        body = json.loads(request.body)
        leading = body.get(key) or []
        body[key] = [*leading, *(part for turn in _placed(conversation) for part in self._parts(provider, *turn))]
        if self.convert_tools is not None and conversation.tools:
            body["tools"] = self.convert_tools([_plain_tool(tool) for tool in conversation.tools])
        return Request.post_json(request.url, body, request.headers)

    def _parts(self, provider: str, turn: Turn, before: AssistantTurn | None) -> list[Json]:
        """One turn as the messages that carry it."""
        if isinstance(turn, AssistantTurn):
            if turn.calls and turn.opaque is not None:
                return list(turn.opaque)
            turn = replace(turn, opaque=None)  # words only: as the provider documents it
        if isinstance(turn, ResultsTurn) and before is not None:
            outputs = [_plain_output(result) for result in turn.results]
            built = self.build_tool_results([_plain_call(call) for call in before.calls], outputs)
            return built if isinstance(built, list) else [built]
        key = card(provider).forms.conversation
        single = wire(provider).build(Conversation((turn,)), stream=False)
        return list(json.loads(single.body)[key])

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        """The turn, with the calls that ``parse_tool_calls`` finds."""
        turn = wire(provider).read_response(response, conversation)
        if turn.error is not None:
            return turn
        body = json.loads(response.body)
        calls = tuple(_call(item) for item in self.parse_tool_calls(body))
        return replace(turn, calls=calls, opaque=_replayed(provider, body))


def _placed(conversation: Conversation) -> Iterable[tuple[Turn, AssistantTurn | None]]:
    """Each turn with the assistant's turn before it."""
    before: AssistantTurn | None = None
    for turn in conversation.turns:
        yield turn, before
        before = turn if isinstance(turn, AssistantTurn) else before


def _plain_tool(tool: Tool) -> dict[str, Json]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _plain_call(call: ToolCall) -> dict[str, Json]:
    text = call.raw if call.raw is not None else json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "name": call.name, "input": call.arguments, "argumentsJson": text}


def _plain_output(result: ToolResult) -> dict[str, Json]:
    return {"id": result.call_id, "name": result.name, "outputText": result_text(result), "isError": result.is_error}


def _call(item: Any) -> ToolCall:
    """A call from whatever form the function returns. Raises `TypeError` for anything else."""
    if isinstance(item, ToolCall):
        return item
    if not isinstance(item, Mapping):
        raise TypeError(f"parse_tool_calls must return calls as objects or ToolCall, returned {type(item).__name__}")
    arguments = next((item[key] for key in ("input", "arguments", "args") if item.get(key) is not None), None)
    text = next((item[key] for key in ("argumentsJson", "arguments_json") if isinstance(item.get(key), str)), None)
    if isinstance(arguments, str):
        arguments, text = None, arguments
    if arguments is not None or text is None:
        return ToolCall(item["id"], item["name"], {} if arguments is None else arguments)
    return _from_text(item, text)


def _from_text(item: Mapping[str, Any], text: str) -> ToolCall:
    """A call whose arguments are still JSON text, which the contract allows: it is the application that decodes."""
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError:
        value = None
    if isinstance(value, dict):
        return ToolCall(item["id"], item["name"], value)
    return ToolCall(item["id"], item["name"], None, text, invalid=True)


