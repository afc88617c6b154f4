"""A model call that was told, and the record that is made of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conformance.http import Request
from conformance.model import Json, compact_json
from conformance.recordings.bodies import RecordError, encoded
from conformance.traffic.moments import moment
from conformance.traffic.records import RecordedExchange
from conformance.wires.facts import Object, items, obj

CHAT = "/v1/chat/completions"
"""The path of the format in which calls are told again: its arguments are text, so broken ones stay as they are."""

MAX_MESSAGES = 20_000
"""How many messages one call may tell of."""

NO_MESSAGES = "a model call without its messages: whoever tells of it was not asked to"

CALLS, RESULTS = ("tool_call", "tool_use"), ("tool_call_response", "tool_result")


@dataclass(slots=True)
class ToldCall:
    """One model call as it is told: messages of the chat format, and what else is known of it.

    ``tools`` is ``None`` where nothing says which tools there were. ``answer`` is ``None`` where the call failed.
    """

    by: str
    """Who tells: ``opentelemetry``, ``litellm``, ..."""
    messages: list[dict[str, Json]]
    answer: dict[str, Json] | None = None
    tools: list[Json] | None = None
    model: Json = None
    answered_model: Json = None
    answer_id: Json = None
    finish: Json = None
    provider: Json = None
    """Whose model it is, in the teller's word."""
    address: Json = None
    """A URL, or a host, that was called."""
    id: Json = None
    when: Sequence[Json] = field(default_factory=tuple)
    failed: bool = False

    def record(self, source: str, line: int) -> RecordedExchange:
        """The record of it. Raises `RecordError` where there is nothing to judge."""
        if not self.messages and not (self.answer or {}).get("tool_calls"):
            raise RecordError(NO_MESSAGES)
        if len(self.messages) > MAX_MESSAGES:
            raise RecordError(f"more than {MAX_MESSAGES} messages")
        sent: dict[str, Json] = {"model": _text(self.model) or _text(self.answered_model), "messages": self.messages}
        if self.tools is not None:
            sent["tools"] = self.tools
        return RecordedExchange(
            source=source,
            line=line,
            id=_text(self.id) or None,
            request=_request(f"https://{host_of(self.address)}{CHAT}", sent),
            status=500 if self.failed else 200,
            body=None if self.answer is None else encoded(self._answered(self.answer)),
            stream=False,
            framed=False,
            provider=_text(self.provider) or None,
            told_by=self.by,
            moment=moment(*self.when),
        )

    def _answered(self, message: dict[str, Json]) -> Json:
        choice = {"index": 0, "message": {**message, "role": "assistant"}, "finish_reason": self.finish}
        named = {name: value for name, value in (("id", self.answer_id), ("model", self.answered_model)) if value}
        return {**named, "object": "chat.completion", "choices": [choice]}


def _request(url: str, document: dict[str, Json]) -> Request:
    request = Request("POST", url, {}, encoded(document))
    request.reads_as(document)
    return request


def host_of(address: Json) -> str:
    """The host, with its port, in a URL or a host; ``""`` where there is none that could be one."""
    text = _text(address)
    host = text.partition("://")[2] or text
    host = host.partition("/")[0].rpartition("@")[2]
    return host if host.isprintable() and " " not in host else ""


# --- messages --------------------------------------------------------------------------------------------------------


def call_of(call_id: Json, name: Json, arguments: Json) -> dict[str, Json]:
    """A call of the chat format. Arguments that are not told are left out; an object becomes its text."""
    function: dict[str, Json] = {"name": name}
    if arguments is not None:
        function["arguments"] = arguments if isinstance(arguments, str) else compact_json(arguments)
    return {"id": call_id, "type": "function", "function": function}


def result_of(call_id: Json, content: Json) -> dict[str, Json]:
    """A result of the chat format."""
    text = content if isinstance(content, str) else compact_json(content)
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def messages_of(role: Json, blocks: Iterable[Json]) -> Iterator[dict[str, Json]]:
    """A message that is told as parts, or as blocks, of the chat format: its results first, each a message of its own.

    What is neither text nor a call nor a result is left out: thinking, pictures, tools of the provider's own.
    """
    texts, calls, results = list[str](), list[Json](), list[dict[str, Json]]()
    for block in map(obj, blocks):
        kind = block.get("type")
        if kind == "text":
            texts.append(_text(block.get("content", block.get("text"))))
        elif kind in CALLS:
            calls.append(call_of(block.get("id"), block.get("name"), block.get("arguments", block.get("input"))))
        elif kind in RESULTS:
            told = next((block[name] for name in ("response", "result", "content") if name in block), "")
            results.append(result_of(block.get("id", block.get("tool_use_id")), told))
    yield from results
    if texts or calls or not results:
        message: dict[str, Json] = {"role": role, "content": "\n".join(texts)}
        yield message | ({"tool_calls": calls} if calls else {})


def tool_of(name: Json, description: Json, parameters: Json) -> Json:
    """A tool of the chat format. A schema may be told as its text."""
    schema = parsed(parameters)
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": {key: value for key, value in function.items() if value is not None}}


def tools_of(told: Json) -> list[Json] | None:
    """The tools of a list in any format: what is declared flat, under ``function``, or with an ``input_schema``."""
    if not isinstance(told, list):
        return None
    found = []
    for _, item in items(told):
        tool: Object = obj(parsed(item))
        function = obj(tool.get("function")) or tool
        schema = next((function[key] for key in ("parameters", "input_schema", "inputSchema") if key in function), None)
        found.append(tool_of(function.get("name"), function.get("description"), schema))
    return found


def parsed(value: Json) -> Json:
    """What a text reads as, where it is JSON; else the value itself."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _text(value: Json) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
