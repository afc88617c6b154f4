"""OpenAI Responses, client half: build a request; read a response.

Sources: openai/openai-openapi ``CreateResponse``, ``Response``, ``InputItem``, ``OutputItem``; openai SDK types
``openai.types.responses``.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping

from conformance.http import Request
from conformance.model import (
    REJECTED,
    TEXT_INPUT,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ImagePart,
    Json,
    Part,
    ProviderError,
    ResultsTurn,
    Stop,
    TextInput,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    compact_json,
    part_text,
    result_text,
)
from conformance.wires.base import parse_arguments, text_sent
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj
from conformance.wires.ids import fitting_id, unique_ids
from conformance.wires.naming import application_name, names_in
from conformance.wires.openai_responses.approvals import (
    asked_call,
    declared_server,
    is_request,
    request_item,
    response_item,
)
from conformance.wires.openai_responses.kinds import (
    KINDS,
    ClientKind,
    call_item,
    client_kind,
    declared,
    output_item,
)

PROVIDER = "openai-responses"
ENDPOINT = "https://api.openai.com/v1/responses"
AUTH = {"authorization": "Bearer test-key"}
CALL_ID = re.compile(r".{1,64}", re.DOTALL)
"""OpenAPI ``FunctionCallOutputItemParam.call_id``: 1 to 64 characters."""

OUTPUT_NAME = "answer"
"""What the schema of the answer is called. The format wants a name for it."""
NO_PARAMETERS: Json = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
"""A tool without parameters: ``parameters`` is a required key of OpenAPI ``FunctionTool``."""


def build(conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``."""
    names = names_in(conversation)
    body: dict[str, Json] = {"model": conversation.model}
    if conversation.system is not None:
        body["instructions"] = conversation.system
    body["input"] = list(_input(conversation, names))
    body["max_output_tokens"] = conversation.max_tokens
    if conversation.tools:
        body["tools"] = [_tool(tool, names) for tool in conversation.tools]
        body |= _choice(conversation, names)
    if conversation.output is not None:
        form = {"type": "json_schema", "name": OUTPUT_NAME, "schema": conversation.output, "strict": True}
        body["text"] = {"format": form}
    if conversation.reasoning:
        # Nothing is stored, so the model's thinking travels with us, encrypted.
        body["reasoning"] = {"effort": "medium", "summary": "auto"}
        body["include"] = ["reasoning.encrypted_content"]
        body["store"] = False
    if stream:
        body["stream"] = True
    return Request.post_json(ENDPOINT, body, AUTH)


def _tool(tool: Tool, names: Mapping[str, str]) -> Json:
    if tool.builtin is not None:
        return {"type": tool.builtin}
    if tool.server is not None:
        return declared_server(tool)
    if tool.kind is not None:
        return declared(tool.kind)
    if tool.text is not None:
        custom = {"type": "custom", "name": names[tool.name], "description": tool.description}
        return {**custom, **_format(tool.text)}
    return {
        "type": "function",
        "name": names[tool.name],
        "description": tool.description,
        "parameters": _schema(tool),
        "strict": tool.strict or False,  # left out, it would mean true wherever the schema allows it
    }


def _format(text: TextInput) -> dict[str, Json]:
    grammar = {"type": "grammar", "syntax": text.syntax, "definition": text.definition}
    return {} if text.syntax is None else {"format": grammar}


def _schema(tool: Tool) -> Json:
    """The tool's parameters. A root without a type is rejected: "schema must be a JSON Schema of 'type: "object"'"."""
    if tool.parameters is None:
        return NO_PARAMETERS
    return tool.parameters if "type" in tool.parameters else {"type": "object", **tool.parameters}


def _choice(conversation: Conversation, names: Mapping[str, str]) -> dict[str, Json]:
    choice = conversation.choice
    chosen: dict[str, Json] = {}
    if choice.mode == "tool":
        chosen["tool_choice"] = _forced(conversation.tool(choice.name or ""), choice, names)
    elif choice.mode != "auto":
        chosen["tool_choice"] = choice.mode
    if choice.parallel is not None:
        chosen["parallel_tool_calls"] = choice.parallel
    return chosen


def _forced(tool: Tool | None, choice: ToolChoice, names: Mapping[str, str]) -> Json:
    if tool is not None and not tool.described:
        return {"type": tool.builtin or tool.kind}
    kind = "function" if tool is None or tool.text is None else "custom"
    return {"type": kind, "name": names.get(choice.name or "", choice.name)}


def _input(conversation: Conversation, names: Mapping[str, str]) -> Iterable[Json]:
    calls: dict[str, tuple[int, ToolCall]] = {}
    for turn in conversation.turns:
        if isinstance(turn, AssistantTurn):
            calls = {call.id: (position, call) for position, call in enumerate(turn.calls)}
        yield from _turn(conversation, turn, names, calls)


def _turn(
    conversation: Conversation, turn: Turn, names: Mapping[str, str], calls: Mapping[str, tuple[int, ToolCall]]
) -> Iterable[Json]:
    """The items of a turn. ``calls`` are those of the model's latest turn, with their places."""
    match turn:
        case UserTurn(text):
            yield {"role": "user", "content": text}
        case AssistantTurn():
            own = _own_items(turn)
            yield from _neutral_items(conversation, turn, names) if own is None else own
        case ResultsTurn(results):
            for result in sorted(results, key=lambda result: calls.get(result.call_id, (0, None))[0]):
                yield _output(conversation, result, calls.get(result.call_id, (0, None))[1])
        case DecisionsTurn(decisions):
            for one in decisions:
                if conversation.asks(one.name):
                    yield response_item(_wire_id(one.call_id), one)
                elif not one.accept:
                    rejected = ToolResult(one.call_id, one.name, (TextPart(REJECTED),), is_error=True)
                    yield _output(conversation, rejected, calls.get(one.call_id, (0, None))[1])


def _own_items(turn: AssistantTurn) -> list[dict[str, Json]] | None:
    """The items that this provider sent, as they came; ``None`` when the turn came from elsewhere.

    Only an id may change, one that had to be replaced; none where the items hold other calls than the stream told.
    Reasoning that nothing follows is left out: "Item 'rs_...' of type 'reasoning' was provided without its required
    following item" (HTTP 400).
    """
    opaque = obj(turn.opaque)
    if opaque.get("provider") != PROVIDER:
        return None
    output = [dict(obj(item)) for _, item in items(opaque.get("output"))]
    calls = function_calls(output)
    for item, call in zip(calls, turn.calls, strict=True) if len(calls) == len(turn.calls) else ():
        item["id" if is_request(item) else "call_id"] = _wire_id(call.id)
    while output and output[-1].get("type") == "reasoning":
        output.pop()
    return output


def _neutral_items(conversation: Conversation, turn: AssistantTurn, names: Mapping[str, str]) -> Iterable[Json]:
    said = "\n".join(text for text in (turn.text, turn.refusal) if text)
    if said:
        yield {"role": "assistant", "content": said}
    for call in turn.calls:
        if conversation.asks(call.name):
            yield request_item(_wire_id(call.id), call.name, call.arguments or {})
            continue
        kind = KINDS.get(conversation.kind_of(call.name) or "")
        if kind is not None:
            yield call_item(kind, _wire_id(call.id), dict(call.arguments or {}))
            continue
        known: dict[str, Json] = {"call_id": _wire_id(call.id), "name": names.get(call.name, call.name)}
        if conversation.takes_text(call.name):
            yield {"type": "custom_tool_call", **known, "input": call.text_input}
        else:
            yield {"type": "function_call", **known, "arguments": _arguments(call)}


def _arguments(call: ToolCall) -> str:
    return compact_json(call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""})


def _output(conversation: Conversation, result: ToolResult, call: ToolCall | None) -> Json:
    known = KINDS.get(conversation.kind_of(result.name) or "")
    if known is not None:
        return output_item(known, _wire_id(result.call_id), result, call)
    kind = "custom_tool_call_output" if conversation.takes_text(result.name) else "function_call_output"
    return {"type": kind, "call_id": _wire_id(result.call_id), "output": _result(conversation, result)}


def _result(conversation: Conversation, result: ToolResult) -> Json:
    if result.is_error:
        return compact_json({"error": result_text(result)})
    if conversation.profile == "native" and any(isinstance(part, ImagePart) for part in result.content):
        return [_part(part) for part in result.content]
    return result_text(result)


def _part(part: Part) -> Json:
    if isinstance(part, ImagePart):
        data = base64.b64encode(part.data).decode()
        return {"type": "input_image", "image_url": f"data:{part.media_type};base64,{data}"}
    return {"type": "input_text", "text": part_text(part)}


def _wire_id(call_id: str) -> str:
    return fitting_id(call_id, CALL_ID, 24, "call_")


# --- reading ---------------------------------------------------------------------------------------------------------


def read(body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in a response. Calls are all items of `CALLS`, and all that the client runs of a kind that the provider
    defined, wherever they stand.

    Items of tools that the provider runs itself are no calls; like all items they stay in ``opaque``, for replay.
    """
    response = obj(body)
    output = [item for _, item in items(response.get("output")) if isinstance(item, dict)]
    error = failure(response)
    calls = _calls(output, conversation)
    refusal = _said(output, "refusal", "refusal") or None
    return AssistantTurn(
        text=_said(output, "output_text", "text"),
        calls=calls,
        stop="error" if error is not None else _stop(response, bool(calls), refusal),
        refusal=refusal,
        usage=read_usage(response.get("usage")),
        error=error,
        opaque={"provider": PROVIDER, "output": output} if output else None,
    )


def failure(response: Mapping[str, Json]) -> ProviderError | None:
    """The failure that a response reports: its ``error``, or its status alone."""
    error = response.get("error")
    if not error and response.get("status") != "failed":
        return None
    return provider_error(None, error)


CALLS = ("function_call", "custom_tool_call")
"""Calls of the application's own tools. The client must answer each: with an item of the same name that ends in
``_output``."""


def function_calls(output: Iterable[Json]) -> list[Json]:
    """The items that the client runs and answers, or decides about."""
    return [
        item for item in output if item.get("type") in CALLS or client_kind(item) is not None or is_request(item)
    ]


def _reference(item: Mapping[str, Json]) -> Json:
    """The id by which a call is answered."""
    return item.get("id" if is_request(item) else "call_id")


def answered_ids(body: Json) -> list[Json]:
    """The correlation id of each call in a response, as it came: ``call_id``, never the item's ``id``, but of what is
    asked about."""
    output = [obj(item) for _, item in items(obj(body).get("output"))]
    return [_reference(call) for call in function_calls(output)]


def _calls(output: list[Json], conversation: Conversation | None) -> tuple[ToolCall, ...]:
    sent = function_calls(output)
    ids = unique_ids(map(_reference, sent), conversation)
    return tuple(_call(call_id, item, conversation) for call_id, item in zip(ids, sent, strict=True))


def _call(call_id: str, item: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    if is_request(item):
        return asked_call(call_id, item)
    kind = client_kind(item)
    if kind is not None:
        return _kind_call(call_id, kind, item, conversation)
    name = application_name(str(item.get("name") or ""), conversation)
    custom = item.get("type") == "custom_tool_call"
    text = item.get("input" if custom else "arguments")
    arguments, raw, invalid = _text_input(text) if custom else parse_arguments(text)
    if item.get("status") == "incomplete":
        # Cut off, even if what came happens to be an object, or nothing at all.
        arguments, raw, invalid = None, text if isinstance(text, str) else compact_json(text), True
    return ToolCall(call_id, name, arguments, raw, invalid, text_sent(item.get("arguments")))


def _kind_call(
    call_id: str, kind: ClientKind, item: Mapping[str, Json], conversation: Conversation | None
) -> ToolCall:
    """A call of a kind that the provider defined. Its name is the application's, and else the provider's word."""
    known = conversation.tools if conversation is not None else ()
    name = next((tool.name for tool in known if tool.kind == kind.tool), kind.tool)
    given = item.get(kind.member)
    if item.get("status") == "incomplete" or not isinstance(given, dict):
        return ToolCall(call_id, name, None, compact_json(given), True)
    return ToolCall(call_id, name, given)


def _text_input(text: Json) -> tuple[Mapping[str, Json] | None, str | None, bool]:
    """Like `parse_arguments`, of a tool that takes text: nobody decodes it."""
    return {TEXT_INPUT: text if isinstance(text, str) else ""}, None, False


def _said(output: list[Json], kind: str, key: str) -> str:
    parts = (obj(part) for item in output if item.get("type") == "message" for _, part in items(item.get("content")))
    return "".join(str(part.get(key) or "") for part in parts if part.get("type") == kind)


UNFINISHED = ("queued", "in_progress", "incomplete", "cancelled")
"""The statuses of a response that has not come to its end."""


def _stop(response: Mapping[str, Json], calls: bool, refusal: str | None) -> Stop:
    """How the turn ended. Only what is incomplete has a reason. Unknown statuses, and unfinished ones beside calls,
    change nothing: the items tell."""
    reason = obj(response.get("incomplete_details")).get("reason")
    if reason == "max_output_tokens":
        return "length"
    if refusal is not None or reason == "content_filter":
        return "refusal"
    if calls:
        return "tool_calls"
    return "incomplete" if response.get("status") in UNFINISHED else "end"


def read_usage(usage: Json) -> Usage | None:
    """Token counts, when both are there."""
    counts = obj(usage)
    sent, received = counts.get("input_tokens"), counts.get("output_tokens")
    return Usage(sent, received) if isinstance(sent, int) and isinstance(received, int) else None
