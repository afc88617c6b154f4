"""OpenAI's ``/responses/compact``: a long history becomes the user's messages and one sealed item.

The form is that of the official types (openai-python ``CompactedResponse``, ``ResponseCompactionItem``, 3.54,
2026-11-28): "a list of all user messages, followed by a single compaction item". Only the provider reads the seal. Ours
holds the ids of the calls that went into it, so that whoever follows a conversation knows them again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.http import Request
from conformance.model import Json
from conformance.wires.facts import items, obj

SEAL = b"compacted:"
CALLS = ("function_call", "custom_tool_call")


def compacted(request: Request, made: int, tokens: int) -> dict[str, Json]:
    """The answer to a request that has its history compacted."""
    given = _given(obj(request.document).get("input"))
    digest = hashlib.sha256(request.body).hexdigest()[:24]
    ids = [str(item["call_id"]) for item in given if item.get("type") in CALLS and "call_id" in item]
    earlier = (call for item in given for call in sealed_calls(item.get("encrypted_content")))
    users = [_user(item, f"msg_{digest}{place}") for place, item in enumerate(given) if item.get("role") == "user"]
    item = {"id": f"cmp_{digest}", "type": "compaction", "encrypted_content": _sealed([*earlier, *ids])}
    usage = {
        "input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": tokens + 1,
    }  # fmt: skip
    return {
        "id": f"resp_{digest}", "object": "response.compaction", "created_at": made, "output": [*users, item],
        "usage": usage,
    }  # fmt: skip


def sealed_calls(seal: Json) -> list[str]:
    """The ids of the calls that went into a compaction item of ours; none of another's."""
    try:
        opened = base64.b64decode(seal, validate=True) if isinstance(seal, str) else b""
        calls = json.loads(opened.removeprefix(SEAL)) if opened.startswith(SEAL) else []
    except (binascii.Error, ValueError, RecursionError):
        return []
    return [call for call in calls if isinstance(call, str)] if isinstance(calls, list) else []


def _given(value: Json) -> list[Mapping[str, Any]]:
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return [obj(item) for _, item in items(value)]


def _user(item: Mapping[str, Any], name: str) -> dict[str, Json]:
    content = item.get("content")
    parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
    return {"id": name, "type": "message", "role": "user", "status": "completed", "content": parts}


def _sealed(calls: Iterable[str]) -> str:
    return base64.b64encode(SEAL + json.dumps(list(dict.fromkeys(calls))).encode()).decode()
