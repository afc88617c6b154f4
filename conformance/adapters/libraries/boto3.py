"""boto3 on Bedrock's Converse: ``converse`` and ``converse_stream`` of the client ``bedrock-runtime``.

It brings its own HTTP, so it calls an address on loopback. Streams are events, put together by hand, as AWS's own
example does: docs.aws.amazon.com, "Use a tool to complete an Amazon Bedrock model response".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError, HTTPClientError

from conformance.adapters.capture import door
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_as_sent,
    call_of,
    fitting,
    function_schema,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    utterances,
    with_usable_ids,
)
from conformance.adapters.libraries.news import CallNews, TellingShim, text_news, thinking_news
from conformance.adapters.libraries.shim import everything
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    JsonPart,
    News,
    Part,
    Profile,
    ProviderError,
    Stop,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    part_text,
)

STOPS: dict[Any, Stop] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "guardrail_intervened": "refusal",
    "content_filtered": "refusal",
}  # fmt: skip
FORMATS = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
ID = r"[a-zA-Z0-9_.:-]{1,64}"
THINKING_BUDGET = 1024


class Bedrock(TellingShim):
    """``converse`` and ``converse_stream``."""

    name = "boto3"
    distribution = "boto3"
    homepage = "https://github.com/boto/boto3"
    issues = "https://github.com/boto/boto3/issues"
    providers = everything("bedrock")

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        """One call of ``converse`` or ``converse_stream``."""
        client, asked = _client(endpoint.url, endpoint.api_key), _asked(conversation)
        if stream:
            return _turn(*_accumulated(all_events(client, **asked)), conversation)
        answer = converse(client, **asked)
        content = answer["output"]["message"]["content"]
        return _turn(content, answer["stopReason"], answer["usage"], {}, conversation)

    def told(self, provider: str, conversation: Conversation, endpoint: Endpoint) -> Iterator[News]:
        """What the events of a stream say."""
        calls = CallNews(conversation)
        for event in each_event(_client(endpoint.url, endpoint.api_key), **_asked(conversation)):
            match event:
                case {"contentBlockStart": {"start": {"toolUse": use}, "contentBlockIndex": index}}:
                    yield from calls.begins(index, use["name"])
                case {"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}:
                    yield from text_news(delta.get("text"))
                    yield from thinking_news(delta.get("reasoningContent", {}).get("text"))
                    yield from calls.says(index, delta.get("toolUse", {}).get("input"))
                case {"contentBlockStop": {"contentBlockIndex": index}}:
                    yield from calls.ends(index)

    def failure(self, problem: Exception) -> ProviderError | None:
        """HTTP errors are `botocore.exceptions.ClientError`. So is `EventStreamError`, an exception in a stream."""
        if not isinstance(problem, ClientError):
            return None
        said, about = problem.response["Error"], problem.response.get("ResponseMetadata", {})
        status = None if isinstance(problem, EventStreamError) else about.get("HTTPStatusCode")
        document = {"message": said.get("Message"), "type": said.get("Code")}
        return reported(status, document, about.get("HTTPHeaders"))

    def broken_off(self, problem: Exception) -> bool:
        """A connection that is lost inside of a stream is a `botocore.exceptions.HTTPClientError`."""
        return isinstance(problem, HTTPClientError)


@cache
def _client(url: str, key: str) -> Any:
    """A client, made once, because it reads megabytes of the service's description."""
    config = retrying_nothing(retries={"total_max_attempts": 1})
    return bedrock_client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, aws_access_key_id=key,
        aws_secret_access_key=key, config=config,
    )  # fmt: skip


# --- doors -----------------------------------------------------------------------------------------------------------

bedrock_client = door(boto3.client)
retrying_nothing = door(Config)


@door
def converse(client: Any, **asked: Any) -> Any:
    """The answer, a dictionary."""
    return client.converse(**asked)


@door
def all_events(client: Any, **asked: Any) -> Any:
    """The events of a stream."""
    return list(client.converse_stream(**asked)["stream"])


@door
def each_event(client: Any, **asked: Any) -> Any:
    """The events of a stream, as they come."""
    yield from client.converse_stream(**asked)["stream"]


# --- asking ----------------------------------------------------------------------------------------------------------


def _asked(conversation: Conversation) -> dict[str, Any]:
    """The arguments of ``converse``."""
    names = names_in(conversation)
    asked: dict[str, Any] = {"modelId": conversation.model, "messages": list(_messages(conversation, names))}
    limit = conversation.max_tokens
    if conversation.system is not None:
        asked["system"] = [{"text": conversation.system}]
    if conversation.reasoning:
        thinking = {"type": "enabled", "budget_tokens": THINKING_BUDGET}
        asked["additionalModelRequestFields"] = {"thinking": thinking}
        limit += THINKING_BUDGET
    asked["inferenceConfig"] = {"maxTokens": limit}
    if tools := _tools(conversation, names):
        asked["toolConfig"] = {"tools": tools, **_choice(conversation, names)}
    return asked


def _tools(conversation: Conversation, names: dict[str, str]) -> list[Json]:
    """The tools: those that the history calls must be declared, also where the application has none left."""
    called = [call.name for turn in conversation.turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    if conversation.choice.mode == "none" and not called:
        return []
    return [_tool(tool, names) for tool in conversation.tools or map(Tool, dict.fromkeys(called))]


def _tool(tool: Tool, names: dict[str, str]) -> Json:
    spec: dict[str, Any] = {"name": names[tool.name], "inputSchema": {"json": function_schema(tool)}}
    if tool.description:
        spec["description"] = tool.description
    if tool.strict is not None:
        spec["strict"] = tool.strict
    return {"toolSpec": spec}


def _choice(conversation: Conversation, names: dict[str, str]) -> dict[str, Json]:
    choice = conversation.choice
    if conversation.reasoning or choice.mode in ("auto", "none"):
        return {}
    if choice.mode == "required":
        return {"toolChoice": {"any": {}}}
    return {"toolChoice": {"tool": {"name": names.get(choice.name or "", choice.name)}}}


def _messages(conversation: Conversation, names: dict[str, str]) -> Iterator[Any]:
    """The messages. What one side says in a row is one message."""
    last: dict[str, Any] | None = None
    for item in utterances(conversation):
        role = "assistant" if isinstance(item, AssistantTurn) else "user"
        content = list(_content(item, names, conversation.profile))
        if last is not None and last["role"] == role:
            last["content"] += content
        elif content:
            if last is not None:
                yield last
            last = {"role": role, "content": content}
    if last is not None:
        yield last


def _content(item: Any, names: dict[str, str], profile: Profile) -> Iterator[Json]:
    match item:
        case UserTurn(text):
            if text.strip():
                yield {"text": text}
        case AssistantTurn():
            yield from _replayed(item, names)
        case results:
            yield from (_result(result, profile) for result in results)


def _replayed(turn: AssistantTurn, names: dict[str, str]) -> Iterator[Json]:
    """The blocks as boto3 gave them, calls under the ids that the conversation uses; else written by hand."""
    own = kept(turn)
    if own is not None:
        calls = iter(turn.calls)
        for block in own:
            if _is_call(block):
                call = next(calls)
                use = {**block["toolUse"], "toolUseId": fitting(call.id, ID)}
                yield {"toolUse": {**use, "input": replayable(call)} if call.invalid else use}
            elif block.get("text") != "":
                yield block
        return
    if said := spoken(turn):
        yield {"text": said}
    for call in turn.calls:
        use = {"toolUseId": fitting(call.id, ID), "name": names.get(call.name, call.name), "input": replayable(call)}
        yield {"toolUse": use}


def _result(result: ToolResult, profile: Profile) -> Json:
    parts = [_part(part, profile) for part in result.content]
    content = [part for part in parts if part.get("text") != ""]
    if result.is_error and not content:
        content = [{"text": "failed"}]
    answer: dict[str, Any] = {"toolUseId": fitting(result.call_id, ID), "content": content}
    if result.is_error:
        answer["status"] = "error"
    return {"toolResult": answer}


def _part(part: Part, profile: Profile) -> dict[str, Any]:
    if isinstance(part, ImagePart) and part.media_type in FORMATS and profile == "native":
        return {"image": {"format": FORMATS[part.media_type], "source": {"bytes": part.data}}}
    if isinstance(part, JsonPart) and isinstance(part.value, dict):
        return {"json": part.value}
    return {"text": compact_json(part.value) if isinstance(part, JsonPart) else part_text(part)}


# --- hearing ---------------------------------------------------------------------------------------------------------


def _accumulated(events: Iterable[Any]) -> tuple[list[Any], Any, Any, dict[int, str]]:
    """What the events of a stream amount to: the blocks, why it ended, what it cost, and the texts of arguments."""
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    finish, usage = None, None
    for event in events:
        match event:
            case {"contentBlockStart": {"start": {"toolUse": use}, "contentBlockIndex": index}}:
                blocks[index] = {"toolUse": dict(use)}
                inputs[index] = ""
            case {"contentBlockStart": {"start": {"toolResult": result}, "contentBlockIndex": index}}:
                blocks[index] = {"toolResult": {**result, "content": []}}
            case {"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}}:
                if "toolUse" in delta:
                    inputs[index] += delta["toolUse"]["input"]
                else:
                    _add(blocks.setdefault(index, {}), delta)
            case {"messageStop": {"stopReason": reason}}:
                finish = reason
            case {"metadata": {"usage": counts}}:
                usage = counts
    for index, block in blocks.items():
        _close(block, inputs.get(index))
    return list(blocks.values()), finish, usage, {list(blocks).index(index): text for index, text in inputs.items()}


def _close(block: dict[str, Any], text: str | None) -> None:
    """What is known at the end of a block. Words that have a source stand in ``citationsContent``, as they do in an
    answer without a stream."""
    if citations := block.pop("citations", None):
        block["citationsContent"] = {"content": [{"text": block.pop("text", "")}], "citations": citations}
    if "toolUse" in block and not _is_call(block):
        block["toolUse"]["input"] = json.loads(text or "{}")


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    """A fragment of text, of thinking, of a result of the provider's own, or a source of the text."""
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    if "citation" in delta:
        block.setdefault("citations", []).append(delta["citation"])
    block.get("toolResult", {}).get("content", []).extend(delta.get("toolResult", ()))
    thinking = delta.get("reasoningContent", {})
    if "redactedContent" in thinking:
        block["reasoningContent"] = thinking
    elif thinking:
        said = block.setdefault("reasoningContent", {"reasoningText": {"text": ""}})["reasoningText"]
        said["text"] += thinking.get("text", "")
        if "signature" in thinking:
            said["signature"] = thinking["signature"]


def _turn(
    content: list[Any], finish: Any, usage: Any, inputs: dict[int, str], conversation: Conversation
) -> AssistantTurn:
    calls = [_call(place, block["toolUse"], inputs, conversation) for place, block in enumerate(content)
             if _is_call(block)]  # fmt: skip
    for block, call in zip(filter(_is_call, content), calls, strict=True):
        block["toolUse"].setdefault("input", replayable(call))
    usable = with_usable_ids(calls, conversation)
    text = "".join(text for block in content for text in _texts(block))
    stop: Stop = STOPS.get(finish, "tool_calls" if calls else "end") if finish else "incomplete"
    return AssistantTurn(
        text=text,
        calls=usable,
        stop=stop,
        refusal=text if stop == "refusal" else None,
        usage=Usage(usage["inputTokens"], usage["outputTokens"]) if usage is not None else None,
        opaque=OwnMessage(content, usable),
    )


def _is_call(block: dict[str, Any]) -> bool:
    """Whether the application runs it. Calls of the provider's own tools say that they are such."""
    return "toolUse" in block and block["toolUse"].get("type") != "server_tool_use"


def _texts(block: dict[str, Any]) -> Iterator[str]:
    """The words in a block."""
    yield block.get("text", "")
    yield from (part.get("text", "") for part in block.get("citationsContent", {}).get("content", ()))


def _call(place: int, use: dict[str, Any], inputs: dict[int, str], conversation: Conversation) -> ToolCall:
    if place in inputs:
        return call_as_sent(use["toolUseId"], use["name"], inputs[place], conversation)
    return call_of(use["toolUseId"], use["name"], use["input"], conversation)
