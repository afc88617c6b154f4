"""What a tool returned is in the request: in its result or after it, in whatever JSON."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    JsonPart,
    Part,
    ResultsTurn,
    ToolCall,
    ToolResult,
    UserTurn,
)
from conformance.rules import find_rule
from conformance.rules.judge import judge
from conformance.transcript import Exchange

PNG = b"\x89PNG\r\n\x1a\n"
DATA = base64.b64encode(PNG).decode()
PICTURE = {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{DATA}"}
TEXT_OF_IT = '[{"type":"file","data":"' + DATA + '"}]'
CODE = {"exit_code": 2, "stderr": "no rule"}


def told(rule: str, returned: Part, output: Any, *after: Any, failed: bool = False) -> bool:
    """Whether a rule tells of a request of the Responses API with one call, its result, and what follows."""
    call = ToolCall("call_1", "look", {})
    result = ToolResult("call_1", "look", (returned,), is_error=failed)
    asked = Conversation((UserTurn("Look."), AssistantTurn("", (call,), "tool_calls"), ResultsTurn((result,))))
    items = [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": output},
        *after,
    ]
    request = Request.post_json("https://api.openai.com/v1/responses", {"model": "m", "input": items})
    found = find_rule(rule)
    assert found is not None
    verdicts = judge(found, Exchange("openai-responses", "native", request=request, intent=asked))
    assert verdicts, "the rule examined nothing"
    return any(verdicts)


@pytest.mark.parametrize("rule", ["common.binary.image-kept", "common.binary.picture-sent"])
@pytest.mark.parametrize(
    ("output", "after", "wrong"),
    [
        ([PICTURE], [], False),
        ("see below", [{"role": "user", "content": [PICTURE]}], False),
        ("", [{"role": "user", "content": "no picture"}], True),
        (TEXT_OF_IT, [], True),
    ],
    ids=["in the result", "after it", "nowhere", "as text of the result"],
)
def test_a_picture_is_in_its_result_or_after_it(rule: str, output: Any, after: list[Any], wrong: bool) -> None:
    assert told(rule, ImagePart("image/png", PNG), output, *after) is wrong


@pytest.mark.parametrize(
    ("output", "wrong"),
    [
        ('{"exit_code":2,"stderr":"no rule"}', False),
        ('Error: {"exit_code": 2, "stderr": "no rule"}', False),
        ('{"error": {"stderr": "no rule", "exit_code": 2}}', False),
        ('Error: {"exit_code": 3, "stderr": "no rule"}', True),
        ("Error: {exit_code", True),
        ("Error", True),
    ],
)
def test_an_object_that_failed_is_written_in_any_json(output: str, wrong: bool) -> None:
    assert told("common.result.error-visible-to-model", JsonPart(CODE), output, failed=True) is wrong
