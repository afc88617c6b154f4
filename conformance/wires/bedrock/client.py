"""Converse, client half: build a request; read an answer.

Sources: botocore 1.44.8 ``bedrock-runtime/2023-09-30/service-2.json`` (``ConverseRequest``, ``ConverseResponse``);
docs.aws.amazon.com, "Use a tool to complete an Amazon Bedrock model response". Error texts are quoted where they are
the only source of a rule.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from urllib.parse import quote

from conformance.http import Request
from conformance.model import (
    REJECTED,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ImagePart,
    Json,
    JsonPart,
    Part,
    Profile,
    ResultsTurn,
    Stop,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    part_text,
)
from conformance.wires.base import parse_arguments
from conformance.wires.bedrock.events import is_call, texts_in
from conformance.wires.facts import items, obj
from conformance.wires.ids import fitting_id, unique_ids
from conformance.wires.naming import application_name, names_in

BASE = "https://bedrock-runtime.us-east-1.amazonaws.com"
HEADERS = {"authorization": "Bearer test-key"}
ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
ID_PREFIX, ID_LENGTH = "tooluse_", 22
THINKING_BUDGET = 1024
"""The smallest budget that Claude takes."""
FORMATS = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
FAILED = "The tool failed and gave no message."
OPAQUE = "bedrock"


def build(conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``."""
    names = names_in(conversation)
    body: dict[str, Json] = {"messages": list(_messages(conversation, names))}
    if conversation.system is not None and conversation.system.strip():
        body["system"] = [{"text": conversation.system}]
    limit = conversation.max_tokens
    if conversation.reasoning:
        thinking = {"type": "enabled", "budget_tokens": THINKING_BUDGET}
        body["additionalModelRequestFields"] = {"thinking": thinking}
        limit += THINKING_BUDGET  # thinking counts towards it
    body["inferenceConfig"] = {"maxTokens": limit}
    body |= _tool_config(conversation, names)
    word = "converse-stream" if stream else "converse"
    return Request.post_json(f"{BASE}/model/{quote(conversation.model, safe='')}/{word}", body, HEADERS)


def _tool_config(conversation: Conversation, names: Mapping[str, str]) -> dict[str, Json]:
    """The tools and the choice.

    "The toolConfig field must be defined when using toolUse and toolResult content blocks." (HTTP 400) So tools that
    are gone are declared as the history knows them, where no other is left. The format has no word for calling none:
    then no tool is declared, unless the history has calls.
    """
    called = [call.name for turn in conversation.turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    if conversation.choice.mode == "none" and not called:
        return {}
    tools = [_tool(tool, names) for tool in conversation.tools]
    tools = tools or [_tool(Tool(name), names) for name in dict.fromkeys(called)]
    if not tools:
        return {}
    return {"toolConfig": {"tools": tools, **_choice(conversation.choice, names, conversation.reasoning)}}


def _tool(tool: Tool, names: Mapping[str, str]) -> Json:
    described = {"description": tool.description} if tool.description else {}
    strict = {} if tool.strict is None else {"strict": tool.strict}
    schema = {"json": _schema(tool.parameters)}
    return {"toolSpec": {"name": names[tool.name], **described, "inputSchema": schema, **strict}}


def _schema(parameters: Mapping[str, Json] | None) -> Json:
    """``parameters`` as an object schema. "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one
    of the following: object." (HTTP 400)"""
    if parameters is None:
        return {"type": "object", "properties": {}}
    return dict(parameters) if "type" in parameters else {"type": "object", **parameters}


def _choice(choice: ToolChoice, names: Mapping[str, str], thinking: bool) -> dict[str, Json]:
    """The tool choice. Claude refuses to be forced while it thinks."""
    if thinking or choice.mode in ("auto", "none"):
        return {}
    if choice.mode == "required":
        return {"toolChoice": {"any": {}}}
    return {"toolChoice": {"tool": {"name": names.get(choice.name or "", choice.name)}}}


# --- messages --------------------------------------------------------------------------------------------------------


def _messages(conversation: Conversation, names: Mapping[str, str]) -> Iterator[dict[str, Json]]:
    """The messages. "A conversation must alternate between user and assistant roles." (HTTP 400) So what one side says
    in a row is one message, also where the other side said nothing in between."""
    for role, run in groupby(_said(conversation, names), lambda said: said[0]):
        yield {"role": role, "content": [block for _, blocks in run for block in blocks]}


def _said(conversation: Conversation, names: Mapping[str, str]) -> Iterator[tuple[str, list[Json]]]:
    order: dict[str, int] = {}
    for is_model, run in groupby(conversation.turns, lambda turn: isinstance(turn, AssistantTurn)):
        turns = list(run)
        said = [turn for turn in turns if isinstance(turn, AssistantTurn)]
        if is_model:
            order = {call.id: place for place, call in enumerate(call for turn in said for call in turn.calls)}
            content = [block for turn in said for block in _assistant(turn, names)]
        else:
            content = _user(turns, order, conversation.profile)
        if content:
            yield "assistant" if is_model else "user", content


def _assistant(turn: AssistantTurn, names: Mapping[str, str]) -> Iterator[Json]:
    """The turn's own blocks, verbatim, if it came from this wire; else blocks that say the same."""
    kept = [obj(block) for _, block in items(obj(turn.opaque).get(OPAQUE))]
    if kept:
        yield from _replayed(kept, turn.calls)
        return
    if turn.text.strip():
        yield {"text": turn.text}
    for call in turn.calls:
        name = names.get(call.name, call.name)
        yield {"toolUse": {"toolUseId": _wire_id(call.id), "name": name, "input": _input(call)}}


def _replayed(blocks: Iterable[Mapping[str, Json]], calls: Iterable[ToolCall]) -> Iterator[Json]:
    pending = iter(calls)
    for block in blocks:
        if is_call(block):
            call = next(pending)
            use = {**obj(block["toolUse"]), "toolUseId": _wire_id(call.id), "input": _input(call)}
            use.pop("type", None)  # answers say tool_use, and requests have no such word (botocore's ToolUseType)
            yield {**block, "toolUse": use}
        elif _may_return(block):
            yield block


def _may_return(block: Mapping[str, Json]) -> bool:
    """Whether the API takes ``block`` back: it refuses blank text, also its own, and thinking without a signature."""
    if "text" in block:
        return bool(str(block["text"] or "").strip())
    thinking = obj(obj(block.get("reasoningContent")).get("reasoningText"))
    return not thinking or bool(thinking.get("signature"))


def _input(call: ToolCall) -> Json:
    # Text that is not an object cannot be replayed as it is. It stays readable inside one.
    return call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""}


def _user(turns: Iterable[Turn], order: Mapping[str, int], profile: Profile) -> list[Json]:
    """The content of one user message: every result, in call order, before any text."""
    texts: list[Json] = []
    results: list[tuple[str, Json]] = []
    for turn in turns:
        match turn:
            case UserTurn(text) if text.strip():
                texts.append({"text": text})
            case ResultsTurn(done):
                results += [(result.call_id, _result(result, profile)) for result in done]
            case DecisionsTurn(decisions):
                rejected = [decision.call_id for decision in decisions if not decision.accept]
                results += [(call_id, _tool_result(call_id, [{"text": REJECTED}], error=True)) for call_id in rejected]
    results.sort(key=lambda result: order.get(result[0], len(order)))
    return [*(block for _, block in results), *texts]


def _result(result: ToolResult, profile: Profile) -> Json:
    """A result. Empty text is refused: a tool that said nothing has no content, but a failure must say something."""
    content = [_part(part, profile) for part in result.content if not isinstance(part, TextPart) or part.text]
    if result.is_error and not any(map(_speaks, content)):
        content = [{"text": FAILED}]
    return _tool_result(result.call_id, content, error=result.is_error)


def _speaks(part: Json) -> bool:
    return "text" not in part or bool(part["text"].strip())


def _tool_result(call_id: str, content: list[Json], *, error: bool) -> Json:
    block = {"toolUseId": _wire_id(call_id), "content": content}
    return {"toolResult": {**block, "status": "error"} if error else block}


def _part(part: Part, profile: Profile) -> Json:
    if isinstance(part, ImagePart) and part.media_type in FORMATS and profile == "native":
        data = base64.b64encode(part.data).decode()
        return {"image": {"format": FORMATS[part.media_type], "source": {"bytes": data}}}
    if isinstance(part, JsonPart) and isinstance(part.value, dict):
        return {"json": part.value}
    return {"text": part_text(part)}


def _wire_id(call_id: str) -> str:
    return fitting_id(call_id, ID, ID_LENGTH, ID_PREFIX)


# --- reading ---------------------------------------------------------------------------------------------------------


def read(body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in an answer. Calls are its ``toolUse`` blocks that the client runs; all blocks are kept for replay."""
    answer = obj(body)
    blocks = _blocks(answer)
    text = "".join(said for block in blocks for _, said in texts_in(block))
    calls = _calls(blocks, conversation)
    stop = _stop(answer.get("stopReason"), bool(calls))
    return AssistantTurn(
        text=text,
        calls=calls,
        stop=stop,
        refusal=text if stop == "refusal" else None,
        usage=_usage(obj(answer.get("usage"))),
        opaque={OPAQUE: blocks} if blocks else None,
    )


def answered_ids(body: Json) -> list[Json]:
    """The ids of the calls in an answer, as they came."""
    return [use.get("toolUseId") for use in _uses(_blocks(obj(body)))]


def _blocks(answer: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    content = obj(obj(answer.get("output")).get("message")).get("content")
    return [block for _, block in items(content) if isinstance(block, dict)]


def _uses(blocks: Iterable[Mapping[str, Json]]) -> list[Mapping[str, Json]]:
    """The calls for the client."""
    return [obj(block["toolUse"]) for block in blocks if is_call(block)]


def _calls(blocks: Iterable[Mapping[str, Json]], conversation: Conversation | None) -> tuple[ToolCall, ...]:
    uses = _uses(blocks)
    ids = unique_ids((use.get("toolUseId") for use in uses), conversation, ID_PREFIX)
    return tuple(_call(call_id, use, conversation) for call_id, use in zip(ids, uses, strict=True))


def _call(call_id: str, use: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    arguments, raw, invalid = parse_arguments(use.get("input"))
    return ToolCall(call_id, application_name(str(use.get("name") or ""), conversation), arguments, raw, invalid)


def _stop(reason: Json, calls: bool) -> Stop:
    """What the stop reason means. Calls count by their presence, unless the turn was cut or withdrawn."""
    match reason:
        case "max_tokens" | "model_context_window_exceeded":
            return "length"
        case "guardrail_intervened" | "content_filtered":
            return "refusal"
        case _ if calls:
            return "tool_calls"
        case "malformed_model_output" | "malformed_tool_use":
            return "error"
        case _:
            return "end"


def _usage(counts: Mapping[str, Json]) -> Usage | None:
    sent, received = counts.get("inputTokens"), counts.get("outputTokens")
    return Usage(sent, received) if isinstance(sent, int) and isinstance(received, int) else None
