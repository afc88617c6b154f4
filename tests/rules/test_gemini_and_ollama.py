"""What Google and Ollama accept, or put up with, is no finding; what only looks alike is one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conformance.http import Request
from conformance.model import AssistantTurn, ImagePart, ResultsTurn, TextPart, ToolCall, ToolResult
from conformance.rules import catalogue, find_rule
from conformance.rules.check import Finding
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge
from conformance.wires import wire

Document = dict[str, Any]
SIGNATURE = "+/+/c2ln"


def example(rule: str) -> Document:
    """A copy of a rule's example."""
    return copy.deepcopy(dict(catalogue()[rule].example))


def findings(rule: str, document: Document) -> list[Finding]:
    """What a rule finds in a document."""
    found = find_rule(rule)
    assert found is not None
    return [verdict for verdict in judge(found, example_exchange(found, document)) if verdict is not None]


def contents(*turns: tuple[str, list[Document]]) -> Document:
    return {"contents": [{"role": role, "parts": parts} for role, parts in turns]}


def call(name: str, **beside: Any) -> Document:
    return {"functionCall": {"name": name, "args": {}, "id": name}, **beside}


def response(name: str) -> Document:
    return {"functionResponse": {"name": name, "id": name, "response": {"output": "ok"}}}


ASKED = ("user", [{"text": "go"}])
TWO_AND_TWO = contents(
    ASKED, ("model", [call("a")]), ("model", [call("b")]), ("user", [response("a")]), ("user", [response("b")])
)


def test_a_lone_object_is_a_list_of_one():
    document = {
        "contents": {"role": "user", "parts": {"text": "go"}},
        "tools": {"functionDeclarations": {"name": "a", "parameters": {"type": "OBJECT"}}},
    }
    facts = wire("gemini").facts(Request.post_json("https://host/v1beta/models/m:generateContent", document))
    assert [(tool.at, tool.name) for tool in facts.functions] == [("/tools/functionDeclarations", "a")]
    assert facts.messages[0].texts == [("/contents/parts/text", "go")]
    for rule in ("gemini.declare.function-declarations-array", "gemini.history.contents-container"):
        assert findings(rule, {"request": document}) == []


NULLS = ("functionCall", "tool_config", "functionDeclarations", "messages", "parallelToolCalls", "thoughtSignature")
BUILDING = [rule.id for rule in catalogue().values() if rule.side == "build" and rule.providers == ("gemini",)
            and "request" in rule.example]  # fmt: skip


@pytest.mark.parametrize("rule", BUILDING)
def test_null_is_no_value_in_any_field(rule: str):
    document = example(rule)
    request = document["request"]
    before = findings(rule, document)
    for name in set(NULLS) - request.keys():
        request[name] = None
    for content in request["contents"]:
        content |= {"x": None, "functionCall": None}
        content["parts"] = [dict.fromkeys(set(NULLS) - part.keys()) | part for part in content["parts"]]
    assert findings(rule, document) == before == []


def test_null_is_kept_where_it_is_a_value():
    schema = {"type": "object", "properties": {"default": {"type": "STRING", "default": None, "enum": None}}}
    document = contents(ASKED, ("model", [{"functionCall": {"name": "f", "args": {"a": None}}}]))
    document["tools"] = [{"functionDeclarations": [
        {"name": "f", "parameters": schema, "response": None}, {"name": "g", "parametersJsonSchema": {"const": None}},
    ]}]  # fmt: skip
    facts = wire("gemini").facts(Request.post_json("https://host/v1beta/models/m:generateContent", document))
    first, second = facts.functions
    assert facts.calls[0].arguments == {"a": None}
    assert first.schema == {"type": "object", "properties": {"default": {"type": "STRING", "default": None}}}
    assert second.schema == {"const": None}


ENUMERATIONS = (
    "gemini.choose.mode-mapping", "gemini.shape.request-types", "gemini.declare.schema-subset-in-parameters",
)  # fmt: skip


@pytest.mark.parametrize("mode", ["any", "Any", 2])
@pytest.mark.parametrize("kind", ["object", "Object", 6])
def test_enumerations_are_read_by_number_and_in_any_case(mode: Any, kind: Any):
    request = contents(ASKED) | {
        "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": kind}}]}],
        "toolConfig": {"functionCallingConfig": {"mode": mode}},
    }
    document = {"request": request, "ir": {"choice": "required"}}
    assert [found for rule in ENUMERATIONS for found in findings(rule, document)] == []


@pytest.mark.parametrize("mode", ["always", 9, "auto", 3])
def test_another_mode_is_found(mode: Any):
    document = example("gemini.choose.mode-mapping")
    document["ir"]["choice"] = "required"
    document["request"]["toolConfig"] = {"functionCallingConfig": {"mode": mode}}
    assert [found.at for found in findings("gemini.choose.mode-mapping", document)] == [
        "/toolConfig/functionCallingConfig/mode"
    ]


PASSED_OVER = contents(ASKED, ("model", [call("a")]), ("user", [{"text": "Never mind."}]))


def test_the_user_may_go_on_without_any_response():
    for rule in BUILDING:
        assert findings(rule, {"provider": "gemini", "request": PASSED_OVER}) == []
    assert findings("common.result.exactly-one-per-call", {"provider": "gemini", "request": PASSED_OVER}) == []


def test_a_response_that_was_there_must_be_sent():
    rule, meant = "common.result.exactly-one-per-call", {"results": [{"id": "a", "content": "ok"}]}
    document = {"provider": "gemini", "request": PASSED_OVER, "ir": meant}
    assert [found.at for found in findings(rule, document)] == ["/contents/1/parts/0/functionCall"]
    some = contents(ASKED, ("model", [call("a"), call("b")]), ("user", [response("a")]))
    document = {"provider": "gemini", "request": some}
    assert [found.at for found in findings(rule, document)] == ["/contents/1/parts/1/functionCall"]
    assert findings("gemini.result.count-equals-calls", document)


@pytest.mark.parametrize("dummy", [None, "skip_thought_signature_validator", "context_engineering_is_the_way_to_go"])
@pytest.mark.parametrize(("then", "count"), [("gemini-3-pro-preview", 1), ("gemini-2.5-pro", 0)])
def test_signatures_of_another_model_are_not_asked_for(dummy: str | None, then: str, count: int):
    rule = catalogue()["gemini.history.thought-signature-verbatim"]
    marked = {} if dummy is None else {"thoughtSignature": dummy}
    exchange = example_exchange(rule, signed([call("a", thoughtSignature=SIGNATURE)], [call("a", **marked)]))
    asked = "https://host/v1beta/models/{}:generateContent"
    assert isinstance(exchange.request, Request)
    assert exchange.previous is not None
    exchange.request = replace(exchange.request, url=asked.format("gemini-3-pro-preview"))
    exchange.previous.request = Request.post_json(asked.format(then), {})
    assert len([found for found in judge(rule, exchange) if found is not None]) == count


def test_snake_case_is_read_as_well():
    document = example("gemini.choose.mode-mapping")
    request = document["request"]
    calling = request.pop("toolConfig")["functionCallingConfig"]
    request["tool_config"] = {
        "function_calling_config": {"mode": "ANY", "allowed_function_names": calling["allowedFunctionNames"]}
    }
    assert findings("gemini.choose.mode-mapping", document) == []
    request["tool_config"]["function_calling_config"]["allowed_function_names"] = ["other"]
    (found,) = findings("gemini.choose.mode-mapping", document)
    assert found.at == "/tool_config/function_calling_config/allowed_function_names"


def test_contents_of_one_role_are_one_turn():
    for rule in ("gemini.history.turn-order", "gemini.result.count-equals-calls"):
        assert findings(rule, {"request": TWO_AND_TWO}) == []
    (found,) = findings("gemini.result.one-content", {"request": TWO_AND_TWO})
    assert found.at == "/contents/4"


def test_a_text_between_calls_and_responses_breaks_the_order():
    request = contents(ASKED, ("model", [call("a")]), ("user", [{"text": "well?"}]), ("user", [response("a")]))
    assert [found.at for found in findings("gemini.history.turn-order", {"request": request})] == ["/contents/2"]


@pytest.mark.parametrize("result", [{"result": "text"}, {"return_value": "text"}, {"output": "text"}])
def test_a_lone_text_is_the_result_under_any_key(result: Document):
    request = contents(ASKED, ("model", [call("a")]), ("user", [response("a")]))
    request["contents"][2]["parts"][0]["functionResponse"]["response"] = result
    facts = wire("gemini").facts(Request.post_json("https://host/v1/models/m:generateContent", request))
    assert [item.text for item in facts.results] == ["text"]


# --- signatures ------------------------------------------------------------------------------------------------------


def signed(answered: list[Document], sent: list[Document]) -> Document:
    """An answer with these parts, and a request that repeats it with those."""
    candidate = {"content": {"role": "model", "parts": answered}, "finishReason": "STOP"}
    return {"response": {"candidates": [candidate]}, "request": contents(ASKED, ("model", sent), ASKED)}


@pytest.mark.parametrize(
    "sent",
    [
        [{"text": "hi", "thoughtSignature": SIGNATURE}],
        [{"text": "hi", "thought_signature": "-_-_c2ln"}],
        [{"text": "hi"}, {"text": "", "thoughtSignature": SIGNATURE}],
        [{"text": "hi"}, {"thoughtSignature": SIGNATURE}],
    ],
)
def test_a_text_signature_may_come_back_in_several_ways(sent: list[Document]):
    document = signed([{"text": "hi", "thoughtSignature": SIGNATURE}], sent)
    for rule in ("gemini.history.thought-signature-verbatim", "gemini.history.contents-container"):
        assert findings(rule, document) == []


@pytest.mark.parametrize(
    ("sent", "at"),
    [
        ([call("a"), call("b")], "/contents/1/parts/0/thoughtSignature"),
        ([call("a"), call("b", thoughtSignature=SIGNATURE)], "/contents/1/parts/0/thoughtSignature"),
        ([{"text": "", "thoughtSignature": SIGNATURE}, call("a"), call("b")], "/contents/1/parts/1/thoughtSignature"),
        ([call("a", thoughtSignature="AAAA"), call("b")], "/contents/1/parts/0/thoughtSignature"),
    ],
)
def test_a_call_keeps_its_own_signature(sent: list[Document], at: str):
    document = signed([call("a", thoughtSignature=SIGNATURE), call("b")], sent)
    assert [found.at for found in findings("gemini.history.thought-signature-verbatim", document)] == [at]


def test_what_was_not_understood_need_not_come_back():
    rule = catalogue()["gemini.history.thought-signature-verbatim"]
    document = signed([call("a", thoughtSignature=SIGNATURE)], [call("a")])
    exchange = example_exchange(rule, document)
    assert exchange.previous is not None
    exchange.previous.understood = AssistantTurn(text="no call seen")
    assert judge(rule, exchange) == []


# --- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "count"), [((TextPart("lost"),), 1), ((ImagePart("image/png", b"\x89PNG"),), 1), ((), 0)]
)
def test_a_response_may_be_absent_where_the_tool_returned_nothing(content: Any, count: int):
    rule = catalogue()["gemini.result.response-is-object"]
    document = example(rule.id)
    del document["request"]["contents"][2]["parts"][0]["functionResponse"]["response"]
    exchange = example_exchange(rule, {**document, "ir": {"results": [{"id": "fc1"}]}})
    assert exchange.intent is not None
    turns = (*exchange.intent.turns[:-1], ResultsTurn((ToolResult("fc1", "read_file", content),)))
    exchange.intent = replace(exchange.intent, turns=turns)
    assert len([verdict for verdict in judge(rule, exchange) if verdict is not None]) == count


@pytest.mark.parametrize(
    ("refs", "names", "count"),
    [
        (["1", "2", "3"], ["a", "b", "a"], 0),
        (["1", "3"], ["a", "a"], 0),
        (["2", "1", "3"], ["b", "a", "a"], 1),
        ([None, None, None], ["a", "b", "a"], 0),
        ([None, None, None], ["a", "a", "b"], 1),
        ([None, None, None], [None, None, None], 0),
    ],
)
def test_ollama_results_follow_their_calls(refs: list[Any], names: list[Any], count: int):
    calls = [{"id": str(place + 1), "function": {"name": name, "arguments": {}}} for place, name in enumerate("aba")]
    messages: list[Document] = [{"role": "assistant", "content": "", "tool_calls": calls}]
    for ref, name in zip(refs, names, strict=True):
        fields = {"tool_call_id": ref, "tool_name": name}
        messages.append({"role": "tool", "content": "x", **{key: value for key, value in fields.items() if value}})
    assert len(findings("ollama.result.order", {"request": {"messages": messages}})) == count


# --- reading ---------------------------------------------------------------------------------------------------------


def understood(rule: str, document: Document, change: Callable[[ToolCall], ToolCall]) -> int:
    """How many findings there are when every call is understood with a change."""
    found = catalogue()[rule]
    exchange = example_exchange(found, document)
    assert isinstance(exchange.understood, AssistantTurn)
    calls = tuple(map(change, exchange.understood.calls))
    exchange.understood = replace(exchange.understood, calls=calls)
    return len([verdict for verdict in judge(found, exchange) if verdict is not None])


@pytest.mark.parametrize(("schema", "count"), [("integer", 1), ("number", 0)])
def test_only_declared_integers_must_be_integers(schema: str, count: int):
    rule = "gemini.parse.numbers-are-doubles"
    document = example(rule)
    document["ir"]["tools"][0]["schema"]["properties"]["n"]["type"] = schema
    document["response"]["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]["n"] = 5
    assert understood(rule, document, lambda item: replace(item, arguments={"n": 5.0})) == count


@pytest.mark.parametrize(("written", "count"), [(5.0, 0), (5, 1)])
def test_a_double_that_came_as_one_may_stay_one(written: float, count: int):
    """Where an integer is declared, the rule on doubles says so; the one on types looks at what was on the wire."""
    doubles, types = catalogue()["gemini.parse.numbers-are-doubles"], catalogue()["common.parse.args-types-preserved"]
    document = example(doubles.id)
    document["response"]["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]["n"] = written
    exchange = example_exchange(doubles, document)
    assert isinstance(exchange.understood, AssistantTurn)
    calls = tuple(replace(item, arguments={"n": 5.0}) for item in exchange.understood.calls)
    exchange.understood = replace(exchange.understood, calls=calls)
    assert len([verdict for verdict in judge(doubles, exchange) if verdict is not None]) == 1
    assert len([verdict for verdict in judge(types, exchange) if verdict is not None]) == count


@pytest.mark.parametrize(("nested", "count"), [(True, 0), (False, 1)])
def test_an_image_inside_its_response_is_as_good_as_beside_it(nested: bool, count: int):
    rule = "gemini.binary.portable-sibling-inline-data"
    document = example(rule)
    answer, image = document["request"]["contents"][2]["parts"]
    document["request"]["contents"][2]["parts"] = [answer]
    if nested:
        answer["functionResponse"]["parts"] = [image]
    assert len(findings(rule, document)) == count


@pytest.mark.parametrize("kept", [True, False])
def test_calls_beside_an_abnormal_finish_may_be_kept_or_dropped(kept: bool):
    candidate = {"content": {"role": "model", "parts": [call("a")]}, "finishReason": "UNEXPECTED_TOOL_CALL"}
    ir = {} if kept else {"calls": []}
    for rule in ("gemini.parse.abnormal-finish", "gemini.parse.function-call-parts", "gemini.parse.finish-reason-stop"):
        assert findings(rule, {"response": {"candidates": [candidate]}, "ir": ir}) == []
    assert findings("gemini.parse.abnormal-finish", {"response": {"candidates": [candidate]}, "ir": {"stop": "end"}})
