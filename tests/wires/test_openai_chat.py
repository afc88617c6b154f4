"""The chat wire's reader against everything that hosts send, and its view of requests against everything sent to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chat_turns import ASK, chat_wire
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.http import Request, StreamEvent
from conformance.model import AssistantTurn, Json, ToolCall, Usage

CHAT = chat_wire("openai-chat")
MISTRAL = chat_wire("mistral")


def call(number: int | None = None, call_id: Any = ..., name: Any = ..., arguments: Any = ...) -> dict[str, Any]:
    """A fragment of a call; what is not given is not there."""
    function = {"name": name, "arguments": arguments}
    fragment = {"index": ... if number is None else number, "id": call_id}
    return {**_given(fragment), "function": _given(function)}


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not ...}


def chunk(*calls: Json, finish: str | None = None, **delta: Json) -> Json:
    said = {"tool_calls": list(calls), **delta} if calls else delta
    return {"choices": [{"index": 0, "delta": said, "finish_reason": finish}]}


def hear(*chunks: Json, end: bool = True) -> AssistantTurn:
    """The turn in a stream of these chunks."""
    events = [StreamEvent(json.dumps(item)) for item in chunks] + [StreamEvent("[DONE]")] * end
    return CHAT.finish(CHAT.assemble(events))


def heard_calls(*fragments: Json) -> list[tuple[str, str, Any]]:
    """The calls in a stream that carries one fragment a chunk."""
    turn = hear(*(chunk(fragment) for fragment in fragments))
    return [(item.id, item.name, item.arguments) for item in turn.calls]


A, B = ("a", "f", {"x": 1}), ("b", "g", {"y": 2})
X, Y = '{"x":1}', '{"y":2}'


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        pytest.param([call(0, "a", "f", ""), call(0, arguments=X), call(1, "b", "g", Y)], [A, B], id="in order"),
        pytest.param(
            [call(0, "a", "f", ""), call(1, "b", "g", ""), call(1, arguments=Y), call(0, arguments=X)],
            [A, B], id="interleaved",
        ),
        pytest.param([call(1, "b", "g", Y)], [B], id="index does not start at 0"),
        pytest.param([call(-1, "a", "f", X), call(-1, "b", "g", Y)], [A, B], id="index -1 for all"),
        pytest.param([call(0, "a", "f", X), call(0, "b", "g", Y)], [A, B], id="index 0 for all, ids change"),
        pytest.param(
            [call(0, "a", "f", '{"x"'), call(0, arguments=":1}"), call(0, "b", "g", '{"y"'), call(0, arguments=":2}")],
            [A, B], id="index 0 for all, in fragments",
        ),
        pytest.param([call(None, "a", "f", X), call(None, "b", "g", Y)], [A, B], id="no index"),
        pytest.param(
            [call(None, "a", "f", '{"x"'), call(arguments=":1}"), call(None, "b", "g", Y)], [A, B],
            id="no index, in fragments",
        ),
        pytest.param(
            [{"index": None, **call(None, "a", "f", X)}, {"index": None, **call(None, "b", "g", Y)}], [A, B],
            id="index null",
        ),
        pytest.param(
            [call(0, "a", "f", '{"x"'), call(0, "a", "f", ":1}"), call(0, "a", "f", "")], [A],
            id="id and name in every fragment",
        ),
        pytest.param([call(0, "a", "f", '{"x"'), call(0, "", None, ":1}")], [A], id="id emptied later"),
        pytest.param([call(0, "a", "f", '{"x"'), call(0, None, "", ":1}")], [A], id="id null later"),
        pytest.param([call(0, "a", "f", '{"x"'), call(0, "other", None, ":1}")], [A], id="id changes within a call"),
        pytest.param([call(0, None, "f", '{"x"'), call(0, "a", arguments=":1}")], [A], id="id comes late"),
        pytest.param([call(0, "a", "f", {"x": 1})], [A], id="arguments are an object"),
        pytest.param([call(0, "a", "f"), call(0, arguments=X)], [A], id="arguments come later"),
        pytest.param([call(0, "a", "f", None), call(0, arguments=X)], [A], id="arguments are null first"),
        pytest.param([call(0, "a", "f")], [("a", "f", {})], id="arguments never come"),
        pytest.param([call(0, "a", "f", "null")], [("a", "f", {})], id="arguments are the word null"),
        pytest.param(
            [call(0, "a", "f", X), {"index": 1, "id": "c", "type": "custom", "custom": {"name": "h", "input": "4+"}},
             {"index": 1, "custom": {"input": "4"}}, call(2, "b", "g", Y)],
            [A, ("c", "h", {"input": "4+4"}), B], id="a custom tool's call between",
        ),
        pytest.param([{"index": [0], "id": {"odd": 1}, "function": "f"}, "odd", None], [("?", "", {})], id="nonsense"),
    ],
)  # fmt: skip
def test_fragments_find_their_calls(fragments: list[Json], expected: list[tuple[str, str, Any]]) -> None:
    found = heard_calls(*fragments)
    assert [item[1:] for item in found] == [item[1:] for item in expected]
    assert [item[0] for item in found if item[0] in "ab"] == [item[0] for item in expected if item[0] in "ab"]


@pytest.mark.parametrize("nothing", [..., None, "", "null"], ids=repr)
@pytest.mark.parametrize("number", [None, 0], ids=["no index", "index 0 for all"])
@pytest.mark.parametrize("name", ["f", "g"])
def test_whole_calls_without_ids_stay_apart(nothing: Any, number: int | None, name: str) -> None:
    found = heard_calls(call(number, nothing, "f", X), call(number, nothing, name, Y))
    assert [item[1:] for item in found] == [("f", {"x": 1}), (name, {"y": 2})]
    assert len({item[0] for item in found}) == 2 and all(item[0] not in ("", "null") for item in found)


def test_several_calls_may_come_in_one_delta() -> None:
    turn = hear(chunk(call(None, "null", "f", X), call(None, "null", "f", X), finish="tool_calls"))
    assert [item.arguments for item in turn.calls] == [{"x": 1}, {"x": 1}]


def test_only_the_first_choice_counts() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no", "tool_calls": [call(0, "b", "g", Y)]}}]}
    turn = hear(other, chunk(content="yes", finish="stop"), other)
    assert (turn.text, turn.calls, turn.stop) == ("yes", (), "end")
    body = {"choices": [{"index": 1, "message": {"content": "no"}}, {"index": 0, "message": {"content": "yes"}}]}
    assert CHAT.read(body).text == "yes"


def test_chunks_without_choices_are_fine() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    turn = hear({"choices": [], "prompt_filter_results": []}, {"obfuscation": "x"}, chunk(content="Hi."),
                {"choices": None, "usage": usage})  # fmt: skip
    assert (turn.text, turn.usage, turn.stop) == ("Hi.", Usage(3, 4), "end")


def test_a_stream_ends_with_its_marker_or_its_finish_reason() -> None:
    assert hear(chunk(content="Hi."), end=False).stop == "incomplete"
    assert hear(chunk(content="Hi.", finish="stop"), end=False).stop == "end"
    assert hear(chunk(content="Hi.")).stop == "end"


@pytest.mark.parametrize(
    ("text", "whole"), [("", False), ('{"x":', False), ('{"x":1', False), ("[1]", False), ("{}", True), (X, True)]
)
def test_a_cut_stream_keeps_calls_that_are_whole(text: str, whole: bool) -> None:
    turn = hear(chunk(call(0, "a", "f", text)), end=False)
    assert turn.stop == "incomplete" and [item.invalid for item in turn.calls] == [not whole]


# --- bodies -----------------------------------------------------------------------------------------------------------


def completion(message: Json, finish: str | None = "stop") -> Json:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}


@pytest.mark.parametrize("finish", ["tool_calls", "stop", "function_call", "", None, "eos"])
def test_calls_count_whatever_the_finish_reason_says(finish: str | None) -> None:
    turn = CHAT.read(completion({"content": None, "tool_calls": [call(None, "a", "f", X)]}, finish))
    assert (turn.stop, turn.text, turn.calls) == ("tool_calls", "", (ToolCall("a", "f", {"x": 1}),))


@pytest.mark.parametrize(
    ("message", "finish", "stop"),
    [
        ({"content": "Hi"}, "stop", "end"),
        ({"content": "Hi"}, "end_turn", "end"),
        ({"content": "Hi"}, "length", "length"),
        ({"content": "Hi"}, "model_length", "length"),
        ({"content": ""}, "content_filter", "refusal"),
        ({"content": None, "refusal": "No."}, "stop", "refusal"),
        ({"content": "Hi"}, "error", "error"),
        ({"content": "Hi"}, "insufficient_system_resource", "error"),
    ],
)
def test_finish_reasons(message: Json, finish: str, stop: str) -> None:
    turn = CHAT.read(completion(message, finish))
    assert turn.stop == stop
    assert (turn.error is not None) is (stop == "error")


def test_the_form_before_tool_calls_is_one_call() -> None:
    turn = CHAT.read(completion({"content": None, "function_call": {"name": "f", "arguments": X}}, "function_call"))
    [only] = turn.calls
    assert (only.name, only.arguments, turn.stop) == ("f", {"x": 1}, "tool_calls") and only.id


def test_an_empty_call_beside_a_text_is_none() -> None:
    message = {"content": "Mexico City", "function_call": {"name": "", "arguments": ""}, "tool_calls": None}
    assert CHAT.read(completion(message, "")).calls == ()


def test_what_a_custom_tool_is_given_is_not_decoded() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "h", "input": X}}
    body = completion({"content": None, "tool_calls": [custom, call(None, "a", "f", X)]}, "tool_calls")
    read = CHAT.read(body).calls
    assert [item.id for item in read] == CHAT.answered_ids(body) == ["c", "a"]
    assert [item.arguments for item in read] == [{"input": X}, {"x": 1}]


def test_text_parts_are_text_and_thinking_is_not() -> None:
    content = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "Hi."}, 7]
    assert MISTRAL.read(completion({"content": content})).text == "Hi."


def test_ids_that_were_used_before_are_replaced() -> None:
    earlier = ASK.then(AssistantTurn(calls=(ToolCall("a", "now"),)))
    body = completion({"tool_calls": [call(None, "a", "now", X), call(None, "a", "now", X)]})
    ids = [item.id for item in CHAT.read(body, earlier).calls]
    assert len({"a", *ids}) == 3 and CHAT.answered_ids(body) == ["a", "a"]


# --- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message", "kind"),
    [
        ({"error": {"message": "m", "type": "t", "param": None, "code": "c"}}, "m", "t"),
        ({"error": {"message": "m", "type": None, "code": "content_filter", "innererror": {}}}, "m", "content_filter"),
        ({"error": {"code": "404", "message": "m"}}, "m", "404"),
        ({"error": {"message": "m", "code": 400, "metadata": {}}, "user_id": "u"}, "m", "400"),
        ({"code": "Client specified an invalid argument", "error": "m"}, "m", "Client specified an invalid argument"),
        ({"object": "error", "message": "m", "type": "t", "param": None, "code": "3051"}, "m", "t"),
        ({"detail": "m"}, "m", None),
        ({"detail": [{"type": "enum", "loc": ["body", "tools", 0], "msg": "m"}]}, "body.tools.0: m", None),
        ({"object": "error", "message": {"detail": [{"loc": ["body"], "msg": "m"}]}, "type": "t"}, "body: m", "t"),
        ({"message": "m", "type": "server_error"}, "m", "server_error"),
        ({"code": 400, "reason": "INVALID", "message": "m"}, "m", "400"),
        ([{"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT"}}], "m", "400"),
        ({"error": ["odd"]}, '["odd"]', None),
        ({"odd": 1}, '{"odd":1}', None),
        ("<html>", "<html>", None),
    ],
    ids=lambda value: json.dumps(value)[:50] if isinstance(value, dict | list) else "",
)
def test_every_shape_of_error_is_read(body: Json, message: str, kind: str | None) -> None:
    sent = body if isinstance(body, str) else json.dumps(body)
    error = CHAT.read_error(400, {}, sent.encode())
    assert (error.message, error.type, error.status, error.retryable) == (message, kind, 400, False)
    if not isinstance(body, str) and "odd" not in body:
        inside = hear(chunk(call(0, "a", "f", X)), body)
        assert inside.error is not None and (inside.error.message, inside.stop) == (message, "error")
        assert all(item.invalid for item in inside.calls)
        assert CHAT.read(body).error == inside.error


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        ({"message": "m", "type": "server_error"}, True),
        ({"message": "m", "type": "requests", "code": "rate_limit_exceeded"}, True),
        ({"message": "m", "code": 502}, True),
        ({"message": "m", "code": "429"}, True),
        ({"message": "m", "code": 400}, False),
        ({"message": "m", "code": "3051"}, False),
        ({"message": "m", "type": "invalid_request_error"}, False),
        ({"message": "m"}, None),
    ],
)
def test_errors_inside_streams_say_whether_to_try_again(error: Json, retryable: bool | None) -> None:
    failed = hear({"error": error})
    assert failed.error is not None and failed.error.retryable is retryable


def test_a_body_that_says_nothing_is_an_error() -> None:
    assert [CHAT.read(body).stop for body in ({}, [], None, "text", {"choices": []})] == ["error"] * 5


# --- requests ---------------------------------------------------------------------------------------------------------


def facts(document: Json) -> Any:
    return CHAT.facts(Request.post_json("https://api.openai.com/v1/chat/completions", document))


def test_what_others_write_is_seen_too() -> None:
    seen = facts(
        {
            "tools": [{"function": {"name": "f"}}, {"type": "custom", "custom": {"name": "h"}}],
            "tool_choice": "any",
            "messages": [
                {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
                {"role": "assistant",
                 "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "h", "input": "4"}}]},
                {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "8"}]},
                {"role": "assistant", "function_call": {"name": "f", "arguments": X}},
                {"role": "function", "name": "f", "content": "ok"},
                {"role": "tool", "tool_call_id": "c",
                 "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                             {"type": "image_url", "image_url": "https://example.org/a.png"}]},
            ],
        }
    )  # fmt: skip
    assert [tool.kind for tool in seen.tools] == ["function", "custom"]
    assert [call.takes_text for call in seen.calls] == [tool.takes_text for tool in seen.tools][::-1] == [True, False]
    assert seen.choice.mode == "required"
    assert seen.system == [("/messages/0/content/0/text", "Be brief.")]
    assert [(item.name, item.arguments) for item in seen.calls] == [("h", {"input": "4"}), ("f", {"x": 1})]
    assert [(item.ref, item.text) for item in seen.results] == [("c", "8"), (None, "ok"), ("c", None)]
    assert [image[1:] for image in seen.results[2].images] == [("image/png", "AA=="), ("https://example.org/a.png", "")]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted({
        "messages", "role", "content", "tool_calls", "function", "id", "name", "arguments", "type", "custom", "index",
        "tools", "tool_choice", "choices", "message", "delta", "finish_reason", "usage", "error", "detail", "text",
        "image_url", "function_call", "refusal", "assistant", "tool",
    })), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(anything)
def test_nothing_makes_the_reader_raise(document: Json) -> None:
    seen = facts(document)
    assert seen.rounds is not None and seen.functions is not None
    for body in (document, {"choices": [{"message": document}]}, {"choices": [document]}):
        turn = CHAT.read(body)
        assert turn.error is not None or len(turn.calls) == len(CHAT.answered_ids(body))
        CHAT.read_error(500, {}, json.dumps(body).encode())
    assert hear(document, {"choices": [{"delta": document}]}, chunk(document, document)).stop
