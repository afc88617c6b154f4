"""How many calls an answer holds, counted without any of our readers: the plainest code that can be written.

It knows where each format puts a call, and nothing else. What it says is compared with what our readers make of the
same answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Json = Any


def count_calls(spoken: str, body: bytes) -> int:
    """The number of function calls in an answer, of its first choice or candidate, in the format of the provider
    ``spoken``. Raises `KeyError` for a format whose calls nobody has told how to count."""
    documents = list(_documents(body))
    if count_in_all := IN_ALL.get(spoken):
        return count_in_all(documents)
    return sum(map(IN_ONE[spoken], documents))


def _documents(body: bytes) -> Iterator[dict[str, Json]]:
    """Every JSON object: a body, the elements of an array, lines of JSON, the data of server-sent events."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff")
    try:
        whole = json.loads(text)
    except ValueError:
        lines = (line.removeprefix("data:").strip() for line in text.splitlines())
        values = [json.loads(line) for line in lines if line.startswith("{")]
    else:
        values = whole if isinstance(whole, list) else [whole]
    yield from (value for value in values if isinstance(value, dict))


def _chat(documents: list[dict[str, Json]]) -> int:
    calls, legacy, blocking = 0, 0, 0
    seen: set[Json] = set()
    for choice in (choice for document in documents for choice in document.get("choices") or ()):
        if choice.get("index") not in (0, None):
            continue
        message = choice.get("message") or {}
        blocking += sum("function" in call or "custom" in call for call in message.get("tool_calls") or ())
        delta = choice.get("delta") or {}
        before_tools = message.get("function_call") or delta.get("function_call") or {}
        legacy |= bool(before_tools.get("name"))
        for fragment in delta.get("tool_calls") or ():
            if not (fragment.get("function") or fragment.get("custom") or {}).get("name"):
                continue
            name = fragment.get("id") or (f"#{fragment['index']}" if fragment.get("index") is not None else None)
            calls += name is None or name not in seen
            seen.add(name)
    # Some hosts repeat in "message" what "delta" says: a stream is counted by its deltas.
    return (calls if len(documents) > 1 else calls or blocking) or legacy


def _responses(documents: list[dict[str, Json]]) -> int:
    done = [document["item"] for document in documents if document.get("type") == "response.output_item.done"]
    if not done:
        bodies = [document.get("response") or document for document in documents]
        done = [item for body in bodies[-1:] for item in body.get("output") or ()]
    return sum(item.get("type") in RUN_BY_CLIENTS and not _in_a_container(item) for item in done)


RUN_BY_CLIENTS = (
    "function_call", "custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call", "mcp_approval_request",
)  # fmt: skip


def _in_a_container(item: dict[str, Json]) -> bool:
    return (item.get("environment") or {}).get("type") == "container_reference"


def _anthropic(document: dict[str, Json]) -> int:
    started = document.get("content_block") if document.get("type") == "content_block_start" else None
    content = document.get("content") if isinstance(document.get("content"), list) else [started]
    return sum(isinstance(block, dict) and block.get("type") == "tool_use" for block in content)


def _cohere(document: dict[str, Json]) -> int:
    """A message holds its calls in an array. Of a stream, an event begins each call."""
    message = document.get("message")
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return (document.get("type") == "tool-call-start") + len(calls or ())


def _ollama(document: dict[str, Json]) -> int:
    return len((document.get("message") or {}).get("tool_calls") or ())


def _gemini(document: dict[str, Json]) -> int:
    document = document.get("response", document)
    candidates = [one for one in document.get("candidates") or () if one.get("index") in (0, None)]
    parts = [part for one in candidates[:1] for part in (one.get("content") or {}).get("parts") or ()]
    calls = [part.get("functionCall") or part.get("function_call") for part in parts]
    return sum(isinstance(call, dict) and bool(call.get("name")) for call in calls)


def _bedrock(document: dict[str, Json]) -> int:
    """A block with `toolUse`, unless the provider runs the tool itself. Of a stream, an event begins each block:
    recorders write its type beside its data."""
    told = document.get("event") == "contentBlockStart"
    started = document.get("data" if told else "contentBlockStart")
    content = ((document.get("output") or {}).get("message") or {}).get("content") or [(started or {}).get("start")]
    calls = [block["toolUse"] for block in content if isinstance(block, dict) and "toolUse" in block]
    return sum(call.get("type") != "server_tool_use" for call in calls)


IN_ALL: Mapping[str, Callable[[list[dict[str, Json]]], int]] = {"openai-chat": _chat, "openai-responses": _responses}
"""The formats whose calls are spread over the documents of an answer."""

IN_ONE: Mapping[str, Callable[[dict[str, Json]], int]] = {
    "anthropic": _anthropic, "gemini": _gemini, "ollama": _ollama, "cohere": _cohere, "bedrock": _bedrock,
}  # fmt: skip
"""The formats in which each document of an answer can be counted for itself."""
