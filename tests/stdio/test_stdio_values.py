"""Whatever the neutral model holds survives the wire, and every message is as the published schema says."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.adapters.stdio import conversations, reading, text, writing
from conformance.adapters.stdio.mishaps import WrongFormError
from conformance.http import Request, Response
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    JsonPart,
    Parsed,
    ProviderError,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
)
from conformance.schemas import schema

# --- anything that the model can hold --------------------------------------------------------------------------------

ODD = ["\ud800", "a\udfffb", "\u2028", "\0", "é漢🙂"]
TEXTS = st.text(st.characters(codec=None), max_size=8) | st.sampled_from(ODD)
NUMBERS = st.integers(-(10**30), 10**30) | st.floats() | st.sampled_from([2**53 + 1, 1e308, -0.0, math.inf, math.nan])
SCALARS = st.none() | st.booleans() | TEXTS | NUMBERS
DOCUMENTS = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
OBJECTS = st.dictionaries(TEXTS, DOCUMENTS, max_size=3)
CALLS = st.builds(ToolCall, TEXTS, TEXTS, OBJECTS) | st.builds(
    ToolCall, TEXTS, TEXTS, st.none(), TEXTS, st.just(True)
)  # fmt: skip
ERRORS = st.builds(
    ProviderError, TEXTS, st.none() | st.integers(100, 599), st.none() | TEXTS, st.none() | st.booleans(),
    st.none() | st.floats(0, 1e6),
)  # fmt: skip
ASSISTANTS = st.builds(
    AssistantTurn,
    text=TEXTS,
    calls=st.lists(CALLS, max_size=3).map(tuple),
    stop=st.sampled_from(["tool_calls", "end", "incomplete"]),
    refusal=st.none() | TEXTS,
    usage=st.none() | st.builds(Usage, st.integers(0, 9**9), st.integers(0, 9**9)),
    error=st.none() | ERRORS,
    opaque=DOCUMENTS,
    parsed=st.none() | st.builds(Parsed, DOCUMENTS),
)
PARTS = (
    st.builds(TextPart, TEXTS) | st.builds(JsonPart, DOCUMENTS) | st.builds(ImagePart, TEXTS, st.binary(max_size=8))
)
RESULTS = st.builds(ToolResult, TEXTS, TEXTS, st.lists(PARTS, max_size=2).map(tuple), st.booleans())
TURNS = (
    st.builds(UserTurn, TEXTS)
    | ASSISTANTS
    | st.lists(RESULTS, max_size=2).map(lambda results: ResultsTurn(tuple(results)))
    | st.lists(st.builds(Decision, TEXTS, TEXTS, st.booleans()), max_size=2).map(lambda x: DecisionsTurn(tuple(x)))
)
TOOLS = st.builds(
    Tool, TEXTS, TEXTS, st.none() | OBJECTS, st.none() | st.booleans(), st.none() | st.tuples(TEXTS, TEXTS),
    st.none() | TEXTS,
)  # fmt: skip
CONVERSATIONS = st.builds(
    Conversation,
    turns=st.lists(TURNS, max_size=4).map(tuple),
    tools=st.lists(TOOLS, max_size=2).map(tuple),
    choice=st.builds(ToolChoice, st.sampled_from(["auto", "tool"]), st.none() | TEXTS, st.none() | st.booleans()),
    system=st.none() | TEXTS,
    reasoning=st.booleans(),
    output=st.none() | OBJECTS,
    profile=st.sampled_from(["portable", "native"]),
)


@cache
def _checker(definition: str) -> Any:
    document = {**schema("stdio"), "$ref": f"#/$defs/{definition}"}
    del document["anyOf"]
    return jsonschema_rs.validator_for(document)


def conforms(definition: str, document: Any) -> bool:
    """Whether a document is what the published schema calls by this name. The checker cannot read lone surrogates."""
    readable = re.sub(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", "?", json.dumps(document))
    return bool(_checker(definition).is_valid(json.loads(readable)))


def over_the_wire(line: str) -> Any:
    """What the other end reads. Lines are ASCII, one line, and JSON that any language reads."""
    assert line.isascii() and "\n" not in line
    json.loads(line, parse_constant=pytest.fail)
    return text.decode_line(line.encode())


def turn_of(document: Any) -> AssistantTurn:
    """The turn in an answer's result."""
    return reading.assistant(reading.formed(document, reading.TurnForm))


def request_of(document: Any) -> Request:
    """The request in an answer's result."""
    return reading.request(reading.formed(document, reading.RequestForm))


def same(one: object, other: object) -> bool:
    """Whether two values are the same, not-a-number and minus zero included. A tuple of JSON is a list."""
    return repr(one) == repr(other)


def without_nan(value: Any) -> Any:
    """A document of which only its value goes over the wire: not-a-number becomes ``None``."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    return [without_nan(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=150, deadline=None)
@given(CONVERSATIONS)
def test_a_conversation_survives(conversation: Conversation) -> None:
    document = over_the_wire(writing.ConversationWriter().conversation(conversation))
    assert conforms("conversation", document)
    turns = tuple(map(opaque_without_nan, conversation.turns))
    assert same(conversations.conversation(document), replace(conversation, turns=turns))


def opaque_without_nan(turn: Any) -> Any:
    return replace(turn, opaque=without_nan(turn.opaque)) if isinstance(turn, AssistantTurn) else turn


@settings(max_examples=150, deadline=None)
@given(ASSISTANTS)
def test_a_turn_survives(turn: AssistantTurn) -> None:
    document = over_the_wire(writing.assistant_text(turn))
    assert conforms("assistant_turn", document)
    assert same(turn_of(document), opaque_without_nan(turn))


@given(st.lists(st.binary(max_size=6), max_size=20), st.binary(max_size=40), st.dictionaries(TEXTS, TEXTS, max_size=2))
def test_bytes_survive(chunks: list[bytes], body: bytes, headers: dict[str, str]) -> None:
    assert conversations.chunks(over_the_wire(writing.chunks_text(chunks))) == chunks
    request = Request("POST", "https://x.invalid/é", headers, body)
    document = over_the_wire(writing.request_text(request))
    assert conforms("http_request", document)
    assert request_of(document) == request
    response = Response(503, headers, body)
    document = over_the_wire(writing.response_text(response))
    assert conforms("http_response", document)
    assert conversations.response(document) == response


@settings(deadline=None)
@given(RESULTS)
def test_a_result_survives(result: ToolResult) -> None:
    document = over_the_wire(writing.result_json(result))
    assert conforms("result", document)
    assert same(conversations.result(document), result)


def test_large_numbers_are_exact_in_text() -> None:
    call = ToolCall("c", "t", {"n": 12345678901234567890, "x": math.inf, "y": math.nan, "z": 1.0})
    document: Any = over_the_wire(writing.call_text(call))
    assert document["arguments_json"] == '{"n":12345678901234567890,"x":Infinity,"y":NaN,"z":1.0}'
    assert document["arguments"] == {"n": 12345678901234567890, "x": math.inf, "y": None, "z": 1.0}
    document["arguments"] = {"n": 12345678901234567000}  # what JavaScript makes of it
    assert same(reading.call(document, ""), call)


@given(DOCUMENTS)
def test_exact_text_is_that_of_the_model(document: Any) -> None:
    assert text.exact(document) == compact_json(document)
    assert same(text.decode_exact(text.exact(document)), document)


def test_the_texts_of_turns_are_kept_and_bounded() -> None:
    writer = writing.ConversationWriter()
    conversation = Conversation((UserTurn("hi"),), (Tool("t"),))
    for number in range(3 * writing.REMEMBERED):
        conversation = conversation.then(UserTurn(str(number)))
        if number % 100 == 0:
            written = text.decode_line(writer.conversation(conversation).encode())
            assert same(conversations.conversation(written), conversation)
    assert 0 < len(writer._turns) <= writing.REMEMBERED


# --- what an adapter may answer --------------------------------------------------------------------------------------

ANSWERS: dict[str, tuple[Any, Any]] = {
    "assistant_turn": (
        turn_of,
        {
            "text": "t", "calls": [{"id": "a", "name": "n", "arguments": {"x": 1}, "raw": "r", "invalid": False}],
            "stop": "end", "refusal": "no", "usage": {"input_tokens": 1, "output_tokens": 2},
            "error": {"message": "m", "status": 400, "type": "t", "retryable": True, "retry_after": 1.5},
            "opaque": [1],
        },
    ),
    "http_request": (
        request_of,
        {"method": "POST", "url": "u", "headers": {"a": "b"}, "body": {"base64": "e30="}},
    ),
}  # fmt: skip
WRONG = [None, 5, "x", True, [], {}, {"x": 1}, 1.5]


def places(document: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The place of every value in a document."""
    if not isinstance(document, dict | list):
        return [at]
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    return [at, *(place for key, item in pairs for place in places(item, (*at, key)))]


def changed(document: Any, at: tuple[Any, ...], value: Any) -> Any:
    """The document with another value at a place; ``...`` removes what is there."""
    if not at:
        return value
    copy = dict(document) if isinstance(document, dict) else list(document)
    if len(at) == 1 and value is ...:
        del copy[at[0]]
    else:
        copy[at[0]] = changed(copy[at[0]], at[1:], value)
    return copy


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_taken_where_the_schema_says_so(name: str) -> None:
    read, good = ANSWERS[name]
    read(good)
    for at in places(good):
        for value in [..., *WRONG]:
            if at == () and value is ...:
                continue
            document = changed(good, at, value)
            try:
                read(document)
                taken = True
            except WrongFormError as problem:
                taken = False
                assert str(problem).startswith("/")
            assert taken == conforms(name, document), document


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"calls": [{"id": "a", "name": "n"}, {"id": 5}]}, "/calls/1/id: must be a string, found an integer"),
        ({"calls": [{"id": "a"}]}, "/calls/0/name: is missing"),
        ({"calls": [{"id": "a", "name": "n", "input": {}}]}, "/calls/0: unknown field 'input'; fields: arguments, "),
        ({"calls": [{"id": "a", "name": "n", "arguments_json": "{"}]}, "/calls/0/arguments_json: is not JSON text: "),
        ({"text": 5}, "/text: must be a string, found an integer"),
        ({"error": {}}, "/error/message: is missing"),
        ([], "/: must be an object, found a list"),
        ({"": 1}, "/: unknown field ''; fields: calls, "),
        ({"usage": {"x\ny": 1}}, r"/usage: unknown field 'x\ny'; fields: input_tokens, output_tokens"),
        ({"x` - at `$.calls": 1}, "/calls: unknown field 'x'; fields: "),  # not where it is, but one clear line
    ],
)
def test_a_wrong_turn_is_told_with_its_place(answer: Any, words: str) -> None:
    with pytest.raises(WrongFormError) as caught:
        turn_of(answer)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"method": "POST"}, "/url: is missing"),
        ({"method": "POST", "url": "u", "headers": {"a": ["b"]}}, "/headers: must be a string, found a list"),
        ({"method": "POST", "url": "u", "body": "e30="}, "/body: must be an object, found a string"),
        ({"method": "POST", "url": "u", "body": {"base64": "e30"}}, "/body/base64: Invalid base64 encoded string"),
        ({"method": "POST", "url": "u", "body": {"base64": "é"}}, "/body/base64: Invalid base64 encoded string"),
    ],
)
def test_a_wrong_request_is_told_with_its_place(answer: Any, words: str) -> None:
    with pytest.raises(WrongFormError) as caught:
        request_of(answer)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    "line",
    ["1e999", "-1e999", "-0.0", "-0", "1e22", "1E-7", f"{2**70}", f"-{2**63}", "0.1000000000000000055", '"\\ud800"',
     '"\\ud83d\\ude00"', '{"a":1,"a":2}', " [1] \n", '"\\u2028\\u0000"', "[" * 300 + "]" * 300],
)  # fmt: skip
def test_a_line_means_what_json_says(line: str) -> None:
    assert same(text.decode_line(line.encode()), json.loads(line))
    assert same(text.decode_exact(line), json.loads(line))


@given(DOCUMENTS)
def test_a_document_means_what_json_says(document: Any) -> None:
    line = json.dumps(document)
    assert same(text.decode_exact(line), json.loads(line))


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_line_is_read_or_refused(line: bytes) -> None:
    try:
        text.decode_line(line)
    except ValueError:
        return
    json.loads(line)


@pytest.mark.parametrize("look", [{}, {"shown": {"parts": []}}])
def test_what_a_child_holds_may_come_back_with_its_look(look: dict[str, Any]) -> None:
    """A runner of somebody else's sends the opaque back as it came."""
    document = json.loads(writing.ConversationWriter().conversation(Conversation((AssistantTurn(),))))
    document["turns"][0]["opaque"] = {"held": 7, **look}
    [turn] = conversations.conversation(document, {7: "mine"}.__getitem__).turns
    assert isinstance(turn, AssistantTurn) and turn.opaque == "mine"
