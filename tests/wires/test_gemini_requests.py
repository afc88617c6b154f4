"""The Gemini wire: requests as they are built, and as facts read them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gemini_turns import (
    ASKED,
    CALLS,
    IMAGE,
    INLINE,
    NAMES,
    NOW,
    ONE,
    READ,
    SUMMARY,
    TURNS,
    TWO,
    VOICE,
    body_of,
    finished,
)

from conformance.http import Request
from conformance.model import (
    REJECTED,
    AssistantTurn,
    Decision,
    DecisionsTurn,
    JsonPart,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    UserTurn,
)
from conformance.script import ScriptTurn
from conformance.wires.gemini.wire import WIRE


def test_the_request():
    conversation = replace(ASKED, system="Be brief.", model="gemini-3-pro", reasoning=True, max_tokens=99)
    request = WIRE.build(conversation, stream=False)
    base = "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro"
    assert (request.method, request.url) == ("POST", f"{base}:generateContent")
    assert request.header("x-goog-api-key") == "test-key"
    assert WIRE.build(conversation, stream=True).url == f"{base}:streamGenerateContent?alt=sse"
    assert body_of(request) == {
        "contents": [{"role": "user", "parts": [{"text": "go"}]}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [
            {"name": "read_file", "description": "Reads a file.", "parametersJsonSchema": READ.parameters},
            {"name": "now", "description": "Tells the time."},
        ]}],
        "generationConfig": {"maxOutputTokens": 99, "thinkingConfig": {"includeThoughts": True}},
    }  # fmt: skip
    assert body_of(WIRE.build(replace(ASKED, tools=()), stream=False)).keys() == {"contents", "generationConfig"}


@pytest.mark.parametrize(
    ("choice", "mode"),
    [
        (ToolChoice(), None),
        (ToolChoice("none"), {"mode": "NONE"}),
        (ToolChoice("required", parallel=False), {"mode": "ANY"}),
        (ToolChoice("tool", "read file"), {"mode": "ANY", "allowedFunctionNames": ["read_file"]}),
    ],
)
def test_tool_choice(choice, mode):
    request = WIRE.build(replace(ASKED, choice=choice), stream=False)
    assert body_of(request).get("toolConfig", {}).get("functionCallingConfig") == mode
    facts = WIRE.facts(request)
    if mode is not None:
        assert (facts.choice.mode, facts.choice.name) == (choice.mode, NAMES.get(choice.name))
    assert facts.parallel is None and (facts.choice is None) == (mode is None)


def test_builtin_tools():
    search = Tool("web", builtin="web_search")
    alone = body_of(WIRE.build(replace(ASKED, tools=(search,), choice=ToolChoice("required")), stream=False))
    assert alone["tools"] == [{"googleSearch": {}}] and "toolConfig" not in alone
    request = WIRE.build(replace(ASKED, tools=(NOW, search)), stream=False)
    assert body_of(request)["toolConfig"] == {"includeServerSideToolInvocations": True}
    assert [tool.kind for tool in WIRE.facts(request).tools] == ["function", "googleSearch"]


def answered(says: ScriptTurn, *turns, profile="portable"):
    """The contents after the user's, when the model said ``says`` and ``turns`` of results followed."""
    conversation = replace(ASKED, profile=profile)
    turn = WIRE.read_response(WIRE.respond(says, VOICE), conversation)
    built = (make(turn) if callable(make) else make for make in turns)
    return body_of(WIRE.build(conversation.then(turn, *built), stream=False))["contents"][1:]


@pytest.mark.parametrize(
    ("content", "output"),
    [
        ((TextPart("7"),), "7"),
        ((), ""),
        ((JsonPart({"a": [1]}),), {"a": [1]}),
        ((JsonPart([1]),), [1]),
        ((JsonPart(None),), "null"),
        ((JsonPart({"n": 2**60 + 1}),), f'{{"n":{2**60 + 1}}}'),
        ((TextPart("a"), JsonPart({"b": 1})), 'a\n{"b":1}'),
    ],
)
def test_results(content, output):
    for error, key in ((False, "output"), (True, "error")):
        [answer] = answered(ONE, finished(content, error=error))[1]["parts"]
        response = answer["functionResponse"]["response"]
        assert response.keys() == {key}
        assert error or response[key] == output


def test_answers_stand_in_call_order_under_the_names_and_ids_of_the_calls():
    model, user = answered(TWO, finished((TextPart("a"),), (TextPart("b"),), order=[1, 0]))
    assert model == {"role": "model", "parts": WIRE.render(TWO, VOICE)["candidates"][0]["content"]["parts"]}
    first, second = WIRE.ids(TWO, VOICE)
    assert user == {"role": "user", "parts": [
        {"functionResponse": {"id": first, "name": "read_file", "response": {"output": "a"}}},
        {"functionResponse": {"id": second, "name": "now", "response": {"output": "b"}}},
    ]}  # fmt: skip
    for profile in ("portable", "native"):
        quiet = replace(TWO, quirks=frozenset({"missing_ids"}))
        _, user = answered(quiet, finished((TextPart("a"),), (TextPart("b"),), order=[1, 0]), profile=profile)
        assert [answer["functionResponse"].keys() for answer in user["parts"]] == [{"name", "response"}] * 2
        assert [answer["functionResponse"]["response"]["output"] for answer in user["parts"]] == ["a", "b"]


def test_images():
    plain = {"response": {"output": SUMMARY}, "name": "read_file", "id": WIRE.ids(ONE, VOICE)[0]}
    assert answered(ONE, finished(IMAGE))[1]["parts"] == [{"functionResponse": plain}, INLINE]
    both = answered(TWO, finished(IMAGE, (TextPart("b"),)))[1]["parts"]
    assert [list(part) for part in both] == [["functionResponse"]] * 2
    assert both[0]["functionResponse"].keys() == {"id", "name", "response"}
    for says, contents in ((ONE, (IMAGE,)), (TWO, (IMAGE, (TextPart("b"),)))):
        parts = answered(says, finished(*contents), profile="native")[1]["parts"]
        assert parts[0]["functionResponse"]["parts"] == [INLINE] and len(parts) == len(contents)


def test_rejected_calls_are_answered_with_errors_beside_the_results_of_the_others():
    def decided(turn):
        return DecisionsTurn(tuple(Decision(call.id, call.name, place > 0) for place, call in enumerate(turn.calls)))

    def rest(turn):
        return ResultsTurn((ToolResult(turn.calls[1].id, "now", (TextPart("b"),)),))

    [_, user] = answered(TWO, decided, rest)
    assert [part["functionResponse"]["response"] for part in user["parts"]] == [{"error": REJECTED}, {"output": "b"}]
    [_, user] = answered(ONE, decided)
    assert [part["functionResponse"]["response"] for part in user["parts"]] == [{"error": REJECTED}]


def test_foreign_history():
    calls = (ToolCall("toolu_1", "read file", {"path": "a"}), ToolCall("toolu_2", "now", None, "{", True))
    foreign = AssistantTurn("Hm.", calls, "tool_calls", opaque={"thinking": "x"})
    results = ResultsTurn((ToolResult("toolu_2", "now", (TextPart("b"),)), ToolResult("toolu_1", "read file")))
    conversation = ASKED.then(foreign, results, UserTurn("more"), AssistantTurn(), AssistantTurn(refusal="No."))
    contents = body_of(WIRE.build(conversation, stream=False))["contents"]
    assert contents[1:] == [
        {"role": "model", "parts": [
            {"text": "Hm."},
            {"functionCall": {"name": "read_file", "args": {"path": "a"}}},
            {"functionCall": {"name": "now", "args": {"invalid_arguments": "{"}}},
        ]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "read_file", "response": {"output": ""}}},
            {"functionResponse": {"name": "now", "response": {"output": "b"}}},
        ]},
        {"role": "user", "parts": [{"text": "more"}]},
        {"role": "model", "parts": [{"text": "No."}]},
    ]  # fmt: skip


def test_two_model_turns_in_a_row_become_one_content():
    turns = (AssistantTurn("a"), AssistantTurn("b", (ToolCall("1", "now"),)))
    contents = body_of(WIRE.build(ASKED.then(*turns), stream=False))["contents"]
    assert [content["role"] for content in contents] == ["user", "model"]
    assert [list(part) for part in contents[1]["parts"]] == [["text"], ["text"], ["functionCall"]]


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("streamed", [False, True])
def test_what_was_read_goes_back_part_for_part(name, streamed):
    says = TURNS[name]
    body = WIRE.assemble(WIRE.render_stream(says, VOICE)).body if streamed else WIRE.render(says, VOICE)
    turn = WIRE.read(body, ASKED)
    contents = body_of(WIRE.build(ASKED.then(turn), stream=False))["contents"]
    assert all(content["parts"] for content in contents)
    sent = body.get("candidates", [{}])[0].get("content", {}).get("parts")
    assert [content["parts"] for content in contents[1:]] == ([sent] if sent else [])


# --- facts -----------------------------------------------------------------------------------------------------------


def test_facts_read_what_build_wrote():
    turn = WIRE.read_response(WIRE.respond(TURNS["thinking-calls"], VOICE), ASKED)
    results = finished((TextPart("a"),), (JsonPart({"b": 1}),), (TextPart("no"),), order=[2, 0, 1])(turn)
    conversation = replace(ASKED.then(turn, results, UserTurn("thanks")), system="Be brief.")
    request = WIRE.build(conversation, stream=True)
    facts = WIRE.facts(request)
    assert facts.stream and facts.system == [("/systemInstruction/parts/0/text", "Be brief.")]
    assert [(tool.name, tool.schema, tool.kind) for tool in facts.tools] == [
        ("read_file", READ.parameters, "function"), ("now", None, "function"),
    ]  # fmt: skip
    assert [message.role for message in facts.messages] == ["user", "assistant", "user", "user"]
    assert [text for message in facts.messages for _, text in message.texts] == ["go", "Wait.", "thanks"]
    [one] = facts.rounds
    assert [call.arguments for call in one.calls] == [call.arguments or {} for call in CALLS]
    assert [(result.ref, result.text, result.error) for result in one.results] == [
        (call.id, text, False) for call, text in zip(turn.calls, ["a", '{"b":1}', "no"], strict=True)
    ]
    assert one.closed and not one.late and not one.between
    body = body_of(request)
    for call in facts.calls:
        for at, value in ((call.id_at, call.id), (call.name_at, call.name), (call.arguments_at, call.raw)):
            assert resolve(body, at) == value
    for result in facts.results:
        assert (resolve(body, result.ref_at), resolve(body, result.content_at)) == (result.ref, result.content)
    assert resolve(body, facts.tools[0].schema_at) == READ.parameters


def resolve(document, pointer):
    for step in pointer.split("/")[1:]:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def test_facts_read_both_spellings():
    request = Request.post_json("https://x/v1/models/m:generateContent", {
        "system_instruction": {"parts": [{"text": "s"}]},
        "tools": [{"function_declarations": [{"name": "f", "parameters_json_schema": {}}, {"name": "g",
                   "parameters": {"type": "OBJECT"}}], "google_search": {}}],
        "tool_config": {"function_calling_config": {"mode": "ANY", "allowed_function_names": ["f"]}},
        "contents": [
            {"role": "model", "parts": [{"function_call": {"name": "f", "id": "1"}}, {"text": "t", "thought": True}]},
            {"role": "function", "parts": [
                {"function_response": {"name": "f", "response": {"error": 4, "x": 1}, "parts": [
                    {"inline_data": {"mime_type": "image/png", "data": "AA=="}}]}},
                {"inline_data": {"mime_type": "image/gif", "data": "AQ=="}},
                {"functionResponse": {"name": "g", "response": {"whole": [1]}}},
                {"functionResponse": {"name": "h", "response": "text"}},
            ]},
            {"parts": [{"text": "u"}]},
        ],
    })  # fmt: skip
    facts = WIRE.facts(request)
    assert [(tool.kind, tool.name, tool.schema_at[-12:]) for tool in facts.tools] == [
        ("function", "f", "_json_schema"), ("function", "g", "1/parameters"), ("google_search", None, ""),
    ]  # fmt: skip
    assert (facts.choice.mode, facts.choice.name) == ("tool", "f")
    assert facts.choice.at == "/tool_config/function_calling_config"
    assert [text for _, text in facts.system] == ["s"]
    assert [(message.role, message.wire_role) for message in facts.messages] == [
        ("assistant", "model"), ("tool", "function"), ("user", None),
    ]  # fmt: skip
    assert facts.messages[0].texts == [] and facts.calls[0].arguments == {}
    assert [(result.text, result.error) for result in facts.results] == [
        ("4", True), ('{"whole":[1]}', False), ("text", False),
    ]  # fmt: skip
    at = "/contents/1/parts"
    assert facts.results[0].images == [
        (f"{at}/0/function_response/parts/0/inline_data", "image/png", "AA=="),
        (f"{at}/1/inline_data", "image/gif", "AQ=="),
    ]
