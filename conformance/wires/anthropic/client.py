"""Messages, client half: build a request; read a message.

Sources: ``anthropic.types.MessageCreateParams`` and ``anthropic.types.Message`` of the official SDK;
platform.claude.com, "Handle tool calls", "Extended thinking" and "Stop reasons". Error texts are quoted where they are
the only source of a rule.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from conformance.http import Request
from conformance.model import (
    REJECTED,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ImagePart,
    Json,
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
    result_text,
)
from conformance.wires.base import parse_arguments
from conformance.wires.errors import provider_error
from conformance.wires.facts import items, obj
from conformance.wires.ids import fitting_id, unique_ids
from conformance.wires.naming import application_name, wire_names

URL = "https://api.anthropic.com/v1/messages"
HEADERS = {"x-api-key": "test-key", "anthropic-version": "2023-06-01"}
ID = re.compile(r"[a-zA-Z0-9_-]+")
ID_PREFIX, ID_LENGTH = "toolu_", 24

SERVER_TOOLS = {"web_search": "web_search_20250305"}
THINKING = ("thinking", "redacted_thinking")
THINKING_BUDGET = 1024
"""The smallest budget that the API takes."""
IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
COMBINATORS = ("allOf", "anyOf", "oneOf")
FAILED = "The tool failed and gave no message."
OPAQUE = "anthropic"


def build(conversation: Conversation, *, stream: bool) -> Request:
    """The request that continues ``conversation``."""
    names = _names(conversation.tools)
    messages = list(_messages(conversation, names))
    thinking = conversation.reasoning and _may_think(messages)
    body: dict[str, Json] = {"model": conversation.model, "max_tokens": conversation.max_tokens}
    if conversation.system is not None and conversation.system.strip():
        body["system"] = conversation.system
    body["messages"] = messages
    if conversation.tools:
        body["tools"] = [_tool(tool, names) for tool in conversation.tools]
        body |= _choice(conversation.choice, names, thinking=thinking)
    if thinking:
        body["thinking"] = {"type": "enabled", "budget_tokens": THINKING_BUDGET}
        if conversation.max_tokens <= THINKING_BUDGET:  # thinking counts towards max_tokens
            body["max_tokens"] = conversation.max_tokens + THINKING_BUDGET
    if stream:
        body["stream"] = True
    return Request.post_json(URL, body, HEADERS)


def _names(tools: Sequence[Tool]) -> dict[str, str]:
    """The wire names of the tools. A tool that the provider runs has a name of the provider's."""
    return wire_names(tools) | {tool.name: tool.builtin for tool in tools if tool.builtin in SERVER_TOOLS}


def _tool(tool: Tool, names: Mapping[str, str]) -> Json:
    if tool.builtin is not None:
        return {"type": SERVER_TOOLS.get(tool.builtin, tool.builtin), "name": names[tool.name]}
    described = {"description": tool.description} if tool.description else {}
    strict = {} if tool.strict is None else {"strict": tool.strict}
    return {"name": names[tool.name], **described, "input_schema": _schema(tool.parameters), **strict}


def _schema(parameters: Mapping[str, Json] | None) -> Json:
    """``parameters`` as an object schema, which must be there and must not be a combination at its root.

    Source: "input_schema does not support oneOf, allOf, or anyOf at the top level" (HTTP 400). What the branches
    declare moves to the root; what only some of them require becomes optional.
    """
    if parameters is None:
        return {"type": "object", "properties": {}}
    schema = dict(parameters) if "type" in parameters else {"type": "object", **parameters}
    branches = {key: [obj(item) for _, item in items(schema.pop(key, None))] for key in COMBINATORS}
    if any(branches.values()):
        every = [branch for found in branches.values() for branch in found]
        properties = [obj(branch.get("properties")) for branch in [*every, schema]]
        required = [name for branch in [schema, *branches["allOf"]] for _, name in items(branch.get("required"))]
        schema["properties"] = {name: value for found in properties for name, value in found.items()}
        schema["required"] = list(dict.fromkeys(required))
    return schema


def _choice(choice: ToolChoice, names: Mapping[str, str], *, thinking: bool) -> dict[str, Json]:
    """The tool choice. "Thinking may not be enabled when tool_choice forces tool use." (HTTP 400)"""
    chosen: dict[str, Json] = {"type": "auto"}
    if choice.mode == "none":
        return {"tool_choice": {"type": "none"}}
    if choice.mode == "required" and not thinking:
        chosen = {"type": "any"}
    elif choice.mode == "tool" and not thinking:
        chosen = {"type": "tool", "name": names.get(choice.name or "", choice.name)}
    if choice.parallel is False:
        chosen["disable_parallel_tool_use"] = True
    return {"tool_choice": chosen} if choice.mode != "auto" or choice.parallel is False else {}


def _may_think(messages: list[dict[str, Json]]) -> bool:
    """Whether the history lets the model think.

    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost
    set of `tool_use` and `tool_result` blocks)." (HTTP 400) A tool loop that began without thinking ends without it.
    """
    last = next((message for message in reversed(messages) if message["role"] == "assistant"), None)
    kinds = [block.get("type") for block in last["content"]] if last else []
    return "tool_use" not in kinds or kinds[0] in THINKING


# --- messages --------------------------------------------------------------------------------------------------------


def _messages(conversation: Conversation, names: Mapping[str, str]) -> Iterator[dict[str, Json]]:
    """The messages. All that comes between two assistant turns is one user message, as the API reads it anyway."""
    order: dict[str, int] = {}
    for answers, turns in groupby(conversation.turns, lambda turn: isinstance(turn, AssistantTurn)):
        if not answers:
            if content := _user(turns, order, conversation.profile):
                yield {"role": "user", "content": content}
            continue
        order = {}
        for turn in turns:
            if isinstance(turn, AssistantTurn) and (blocks := list(_assistant(turn, names))):
                order |= {call.id: len(order) + place for place, call in enumerate(turn.calls)}
                yield {"role": "assistant", "content": blocks}


def _assistant(turn: AssistantTurn, names: Mapping[str, str]) -> Iterator[Json]:
    """The turn's own blocks, verbatim, if it came from this wire; else blocks that say the same."""
    kept = [obj(block) for _, block in items(obj(turn.opaque).get(OPAQUE))]
    if kept and len(_uses(kept)) == len(turn.calls):
        yield from _replayed(kept, turn.calls)
        return
    if turn.text.strip():
        yield {"type": "text", "text": turn.text}
    for call in turn.calls:
        yield {"type": "tool_use", "id": _wire_id(call.id), "name": names.get(call.name, call.name),
               "input": _input(call)}  # fmt: skip


def _replayed(blocks: Iterable[Mapping[str, Json]], calls: Iterable[ToolCall]) -> Iterator[Json]:
    pending = iter(calls)
    for block in blocks:
        if block.get("type") == "tool_use":
            call = next(pending)
            yield {**block, "id": _wire_id(call.id), "input": _input(call)}
        elif _may_return(block):
            yield block


def _may_return(block: Mapping[str, Json]) -> bool:
    """Whether the API takes ``block`` back: it refuses empty text, also its own, and what a cut left unfinished."""
    match block.get("type"):
        case "text":
            return bool(str(block.get("text") or "").strip())
        case "thinking":
            return bool(block.get("signature"))
        case _:
            return isinstance(block.get("input", {}), dict)


def _input(call: ToolCall) -> Json:
    # Text that is not an object cannot be replayed as it is. It stays readable inside one.
    return call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""}


def _user(turns: Iterable[Turn], order: Mapping[str, int], profile: Profile) -> Json:
    """The content of one user message: every result, in call order, before any text."""
    texts: list[str] = []
    results: list[tuple[str, Json]] = []
    for turn in turns:
        match turn:
            case UserTurn(text) if text.strip():
                texts.append(text)
            case ResultsTurn(done):
                results += [(result.call_id, _result(result, profile)) for result in done]
            case DecisionsTurn(decisions):
                rejected = [decision.call_id for decision in decisions if not decision.accept]
                results += [(call_id, _tool_result(call_id, REJECTED, is_error=True)) for call_id in rejected]
    if not results and len(texts) == 1:
        return texts[0]
    results.sort(key=lambda result: order.get(result[0], len(order)))
    return [*(block for _, block in results), *({"type": "text", "text": text} for text in texts)]


def _result(result: ToolResult, profile: Profile) -> Json:
    """A result block.

    Sources: "content cannot be empty if `is_error` is true" and "all content must be type `text` if `is_error` is
    true" (HTTP 400).
    """
    text = result_text(result)
    if result.is_error:
        return _tool_result(result.call_id, text if text.strip() else FAILED, is_error=True)
    pictured = profile == "native" and any(map(_is_image, result.content))
    return _tool_result(result.call_id, list(map(_part, _spoken(result.content))) if pictured else text)


def _tool_result(call_id: str, content: Json, *, is_error: bool = False) -> Json:
    block = {"type": "tool_result", "tool_use_id": _wire_id(call_id), "content": content}
    return {**block, "is_error": True} if is_error else block


def _is_image(part: Part) -> bool:
    return isinstance(part, ImagePart) and part.media_type in IMAGES


def _spoken(parts: Iterable[Part]) -> Iterator[Part]:
    """``parts`` without blank text, for which no block may stand."""
    return (part for part in parts if not isinstance(part, TextPart) or part.text.strip())


def _part(part: Part) -> Json:
    if isinstance(part, ImagePart) and _is_image(part):
        data = base64.b64encode(part.data).decode()
        return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": data}}
    return {"type": "text", "text": part_text(part)}


def _wire_id(call_id: str) -> str:
    return fitting_id(call_id, ID, ID_LENGTH, ID_PREFIX)


# --- reading ---------------------------------------------------------------------------------------------------------


def read(body: Json, conversation: Conversation | None = None) -> AssistantTurn:
    """The turn in a message. Calls are its ``tool_use`` blocks, wherever they stand; all blocks are kept for replay."""
    message = obj(body)
    if message.get("type") == "error" or message.get("error"):
        return AssistantTurn(stop="error", error=provider_error(None, message.get("error")))
    blocks = _blocks(message)
    text = "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    calls = _calls(blocks, conversation)
    stop = _stop(message.get("stop_reason"), bool(calls))
    return AssistantTurn(
        text=text,
        calls=calls,
        stop=stop,
        refusal=_explanation(message, text) if stop == "refusal" else None,
        usage=_usage(obj(message.get("usage"))),
        opaque={OPAQUE: blocks} if blocks else None,
    )


def answered_ids(body: Json) -> list[Json]:
    """The ids of the calls in a message, as they came."""
    return [block.get("id") for block in _uses(_blocks(obj(body)))]


def _blocks(message: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    return [block for _, block in items(message.get("content")) if isinstance(block, dict)]


def _uses(blocks: Iterable[Mapping[str, Json]]) -> list[Mapping[str, Json]]:
    return [block for block in blocks if block.get("type") == "tool_use"]


def _calls(blocks: Iterable[Mapping[str, Json]], conversation: Conversation | None) -> tuple[ToolCall, ...]:
    uses = _uses(blocks)
    ids = unique_ids((use.get("id") for use in uses), conversation, ID_PREFIX)
    return tuple(_call(call_id, use, conversation) for call_id, use in zip(ids, uses, strict=True))


def _call(call_id: str, use: Mapping[str, Json], conversation: Conversation | None) -> ToolCall:
    arguments, raw, invalid = parse_arguments(use.get("input"))
    return ToolCall(call_id, application_name(str(use.get("name") or ""), conversation), arguments, raw, invalid)


def _stop(reason: Json, calls: bool) -> Stop:
    """What the stop reason means. Calls count by their presence, unless the turn was cut or withdrawn."""
    match reason:
        case "max_tokens" | "model_context_window_exceeded":
            return "length"
        case "refusal":
            return "refusal"
        case _ if calls:
            return "tool_calls"
        case "pause_turn":
            return "pause"
        case _:
            return "end"


def _explanation(message: Mapping[str, Json], text: str) -> str:
    """Why the model refused, in the API's words if it gave any (``RefusalStopDetails``), else in the model's."""
    return str(obj(message.get("stop_details")).get("explanation") or text)


def _usage(counts: Mapping[str, Json]) -> Usage | None:
    sent, received = counts.get("input_tokens"), counts.get("output_tokens")
    return Usage(sent, received) if isinstance(sent, int) and isinstance(received, int) else None
