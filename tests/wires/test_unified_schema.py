"""The JSON Schema of the unified API takes what both halves say, and refuses what the specification excludes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from conformance.schemas import schema

CASSETTES = Path(__file__).parents[2] / "cassettes" / "unified"
CALL = {"id": "call_1", "name": "f", "args": {}}


@cache
def validator(part: str) -> Any:
    return jsonschema_rs.validator_for({"$defs": schema("unified")["$defs"], "$ref": f"#/$defs/{part}"})


def recorded() -> Iterator[tuple[str, str, Any]]:
    """Whatever the recordings hold, with the part of the schema that it is of, and where it comes from."""
    for path in sorted(CASSETTES.glob("*.json")):
        for interaction in json.loads(path.read_text("utf-8"))["interactions"]:
            yield "request", path.name, json.loads(interaction["request"]["body"])
            answer = interaction["response"]
            body = answer["body"]["string"]
            if answer["status"]["code"] >= 400:
                yield "failure", path.name, json.loads(body)
            elif body.startswith("{"):
                yield "answer", path.name, json.loads(body)
            else:
                data = [line.removeprefix("data: ") for line in body.split("\n") if line.startswith("data: {")]
                yield from (("event", path.name, json.loads(one)) for one in data)


def test_what_was_recorded_is_of_the_schema() -> None:
    parts = set()
    for part, name, document in recorded():
        parts.add(part)
        found = [f"{name} {part}: {error.message}" for error in validator(part).iter_errors(document)]
        assert found == []
    assert parts == {"request", "answer", "event", "failure"}


def test_everything_is_of_the_whole() -> None:
    whole = jsonschema_rs.validator_for(schema("unified"))
    assert all(whole.is_valid(document) for _, _, document in recorded())


def message(**more: Any) -> dict[str, Any]:
    return {"model": "m", "input": [{"role": "user", "content": "Hi"}, more]}


def answer(**more: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": [], **more}
    return {"id": "1", "model": "m", "output": [said], "stop_reason": "end",
            "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip


TAKEN = {
    "a result as text, without an id": ("request", message(role="tool", content="18 °C")),
    "a decision alone": (
        "request",
        {"model": "m", "conversation_id": "c",
         "input": [{"type": "tool_decision", "tool_call_id": "call_1", "decision": "accept"}]},
    ),
    "arguments as text, as of older gateways": ("answer", answer(tool_calls=[{"name": "f", "args": "{}"}])),
    "a call of an unknown type": ("answer", answer(tool_calls=[{"type": "x", "of": "f"}])),
    "an unknown block": ("answer", answer(content=[{"type": "x"}])),
    "an unknown item": ("answer", {**answer(), "output": [{"type": "x"}]}),
    "an unknown event": ("event", {"type": "x"}),
}  # fmt: skip
REFUSED = {
    "another role": ("request", message(role="function", content="x")),
    "a number as content": ("request", message(role="tool", content=5)),
    "a picture without data": ("request", message(role="tool", content=[{"type": "image", "media_type": "image/png"}])),
    "a decision in words": ("request", message(type="tool_decision", tool_call_id="c", decision="yes")),
    "no conversation": ("request", {"model": "m"}),
    "a tool in OpenAI's form": ("request", {**message(role="user", content="x"), "tools": [{"type": "function"}]}),
    "an empty list of tools": ("request", {**message(role="user", content="x"), "tools": []}),
    "a call in OpenAI's form": ("answer", answer(tool_calls=[{"id": "c", "type": "function", "function": {}}])),
    "arguments in a list": ("answer", answer(tool_calls=[{**CALL, "args": []}])),
    "a user's message as the answer": ("answer", answer(role="user")),
    "a call without a number": ("event", {"type": "tool_call.start", "name": "f"}),
    "arguments as an object in a stream": ("event", {"type": "tool_call.delta", "index": 0, "args": {}}),
    "an end without counts": ("event", {"type": "message.end", "stop_reason": "end"}),
    "an error that is a text": ("event", {"type": "error", "error": "No."}),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_allowed_is_taken(name: str) -> None:
    part, document = TAKEN[name]
    assert validator(part).is_valid(document)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_excluded_is_refused(name: str) -> None:
    part, document = REFUSED[name]
    assert not validator(part).is_valid(document)
