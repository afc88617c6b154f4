"""Recorded answers of the unified API: streams follow its grammar, bodies have what is needed to read calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from talk import write_lines

from conformance.traffic.audit import Audit

UNIFIED_STREAM = (
    ("message.start", {"id": "msg_1", "model": "m"}),
    ("tool_call.start", {"index": 0, "id": "call_abcdefgh", "name": "f"}),
    ("tool_call.delta", {"index": 0, "args": "{}"}),
    ("tool_call.end", {"index": 0}),
    ("message.end", {"stop_reason": "tool_calls"}),
)


def unified(tmp_path: Path, **answered: Any) -> Audit:
    sent = {"model": "m", "input": [{"role": "user", "content": "Hi"}]}
    line = {"method": "POST", "host": "gateway.example", "path": "/v1/conversations", "request": sent, **answered}
    audit = Audit()
    for _ in audit.read(write_lines(tmp_path / "a.jsonl", [line])):
        pass
    assert audit.judged == 1
    return audit


def unified_stream(*left_out: int) -> str:
    said = [event for place, event in enumerate(UNIFIED_STREAM) if place not in left_out]
    return "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in said)


def on_answers(audit: Audit) -> list[tuple[str, str]]:
    return [(finding.rule.id, finding.at) for finding in audit.findings if finding.side == "response"]


@pytest.mark.parametrize(("left_out", "at"), [((), None), ((0,), "/0/type"), ((3,), "/3/type"), ((4,), "/4")])
def test_streams_of_the_unified_api(tmp_path: Path, left_out: tuple[int, ...], at: str | None) -> None:
    audit = unified(tmp_path, response_raw=unified_stream(*left_out))
    assert on_answers(audit) == ([] if at is None else [("unified.stream.event-grammar", at)])


BODIES = {
    "right": ({"output": [{"tool_calls": [{"name": "f", "args": {}}]}]}, None),
    "arguments as text, as of older gateways": ({"output": [{"tool_calls": [{"name": "f", "args": "{}"}]}]}, None),
    "no output": ({"id": "msg_1"}, "/output"),
    "arguments in a list": ({"output": [{"tool_calls": [{"name": "f", "args": []}]}]}, "/output/0/tool_calls/0/args"),
    "a call in OpenAI's form": (
        {"output": [{"tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]}]},
        "/output/0/tool_calls/0",
    ),
    "a call of a kind that nobody knows": ({"output": [{"tool_calls": [{"type": "another", "of": "f"}]}]}, None),
    "a call without a name": ({"output": [{"tool_calls": [{"args": {}}]}]}, "/output/0/tool_calls/0/name"),
}


@pytest.mark.parametrize("name", BODIES)
def test_answers_of_the_unified_api(tmp_path: Path, name: str) -> None:
    body, at = BODIES[name]
    told = [] if at is None else [("unified.parse.tool-call-args-object", at)]
    assert on_answers(unified(tmp_path, response=body)) == told
