"""The chat wire and its four relatives: what they say is what they read, what they send is what they mean."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from chat_turns import (
    ASK,
    NOW,
    PROVIDERS,
    READ_A,
    READ_B,
    SCHEMA,
    TOOLS,
    VOICE,
    chat_wire,
    deviations,
    heard,
    read,
    streamed,
)
from chat_turns import variants as variants_of
from every import each
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conformance.deliveries import DELIVERIES, Delivery
from conformance.http import Response
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    Json,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    UserTurn,
)
from conformance.script import STATUS, ErrorKind, ScriptCall, ScriptError, ScriptTurn
from conformance.wires.base import Wire

KINDS: tuple[ErrorKind, ...] = tuple(STATUS)
STREAMS = [item for item in DELIVERIES.values() if item.streaming and "sse" in item.framings]


@pytest.fixture(params=PROVIDERS)
def chat(request: pytest.FixtureRequest) -> Wire:
    return chat_wire(request.param)


# --- what is said is read ---------------------------------------------------------------------------------------------


def test_a_response_is_read_as_it_was_meant(chat: Wire) -> None:
    for name, turn in variants_of(chat.card.id):
        understood = read(chat, turn)
        meant = [(call.tool, arguments(call)) for call in turn.calls]
        assert [(call.name, call.arguments) for call in understood.calls] == meant, name
        assert (understood.text, understood.refusal, understood.usage) == (turn.text, turn.refusal, turn.usage), name
        assert understood.stop == ("tool_calls" if turn.finish else turn.stops_with), name
        assert understood.error is None, name


def test_ids_are_kept_where_they_can_be_used(chat: Wire) -> None:
    for name, turn in variants_of(chat.card.id):
        sent, understood = chat.ids(turn, VOICE), [call.id for call in read(chat, turn).calls]
        assert all(understood) and len(set(understood)) == len(understood), name
        if not turn.quirks & {"missing_ids", "empty_ids", "null_id_text", "repeated_id", "legacy_function_call"}:
            assert understood == sent, name
        assert chat.answered_ids(chat.render(turn, VOICE)) == sent, name


def test_a_stream_says_what_the_response_says(chat: Wire) -> None:
    for name, turn in variants_of(chat.card.id):
        assert heard(chat, turn) == read(chat, turn), name
        assembly = chat.assemble(chat.render_stream(turn, VOICE))
        assert assembly.complete and not assembly.open_calls, name
        assert chat.answered_ids(assembly.body) == chat.answered_ids(chat.render(turn, VOICE)), name


@each("delivery", STREAMS, ids=lambda delivery: delivery.name)
def test_a_stream_says_the_same_however_it_is_cut(chat: Wire, delivery: Delivery) -> None:
    turn = ScriptTurn("Grüße 😀", (READ_A, READ_B, NOW), quirks=frozenset({"split_escapes"}) & chat.card.quirks)
    assert delivery.cut is not None
    assert chat.read_stream(delivery.cut(streamed(chat, turn, delivery.style)), ASK) == read(chat, turn)


texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(texts, values, max_size=3)


@settings(max_examples=30, deadline=None)
@given(text=texts, said=st.lists(objects, max_size=3), provider=st.sampled_from(PROVIDERS), data=st.data())
def test_any_text_and_arguments_survive(text: str, said: list[Any], provider: str, data: st.DataObject) -> None:
    chat = chat_wire(provider)
    quirks = data.draw(st.sets(st.sampled_from(sorted(chat.card.quirks)), max_size=2))
    assume(not quirks >= {"index_zero", "repeated_id"})  # calls under one index are told apart by their ids alone
    turn = ScriptTurn(text, tuple(ScriptCall("now", item) for item in said), quirks=frozenset(quirks))
    understood = read(chat, turn)
    assert (understood.text, [call.arguments for call in understood.calls]) == (text, said)
    assert heard(chat, turn) == understood


# --- streams that break off -------------------------------------------------------------------------------------------


def test_a_cut_stream_offers_no_half_call(chat: Wire) -> None:
    cut = heard(chat, ScriptTurn("Let me look.", (READ_A, READ_B), cut="arguments"))
    assert cut.stop == "incomplete" and cut.text == "Let me look."
    offered = [call for call in cut.calls if not call.invalid]
    assert offered == list(read(chat, ScriptTurn(calls=(READ_A, READ_B))).calls[: len(offered)])
    assert len(offered) < 2


def test_a_stream_without_its_end_is_incomplete(chat: Wire) -> None:
    cut = heard(chat, ScriptTurn(calls=(READ_A, READ_B), cut="terminal"))
    assert cut.stop == "incomplete"
    assert cut.calls == read(chat, ScriptTurn(calls=(READ_A, READ_B))).calls


@each("kind", KINDS)
@each("calls", [(), (READ_A,), (READ_A, READ_B)], ids=len)
def test_an_error_inside_a_stream_is_reported(chat: Wire, kind: ErrorKind, calls: tuple[ScriptCall, ...]) -> None:
    error = ScriptError(kind, "Something went wrong.")
    failed = heard(chat, ScriptTurn("Let me", calls, fails_with=error))
    assert failed.stop == "error" and failed.error is not None
    assert failed.error.message == error.message and failed.error.status is None
    assert (failed.error.retryable or False) == error.retryable
    assert all(call.invalid for call in failed.calls)


@each("kind", KINDS)
def test_an_http_error_is_reported(chat: Wire, kind: ErrorKind) -> None:
    error = ScriptError(kind, "Something went wrong.", retry_after=7)
    response = chat.render_error(error)
    failed = chat.read_response(response, ASK)
    assert failed.stop == "error" and failed.error is not None
    assert (failed.error.message, failed.error.status) == (error.message, STATUS[kind])
    assert (failed.error.retryable, failed.error.retry_after) == (error.retryable, 7)
    assert chat.read_error(response.status, response.headers, response.body) == failed.error


# --- what is sent is what is meant ------------------------------------------------------------------------------------

FOREIGN = "toolu_" + "x" * 70
CALLED = AssistantTurn(
    "Let me look.", (ToolCall(FOREIGN, "read file", {"path": "/a"}), ToolCall("call_2", "now")), "tool_calls"
)
DONE = ResultsTurn((ToolResult("call_2", "now", (TextPart("noon"),)), ToolResult(FOREIGN, "read file")))
LONG = replace(ASK, system="Be brief.").then(CALLED, DONE, AssistantTurn("It is noon."), UserTurn("Thanks."))


def sent(chat: Wire, conversation: Conversation, *, stream: bool = False) -> Json:
    return json.loads(chat.build(conversation, stream=stream).body)


def test_facts_say_what_the_conversation_says(chat: Wire) -> None:
    facts = chat.facts(chat.build(LONG, stream=True))
    assert [(tool.kind, tool.name, tool.description) for tool in facts.functions] == [
        ("function", "read_file", "Reads a file."), ("function", "now", "Tells the time."),
    ]  # fmt: skip
    assert facts.functions[0].schema == SCHEMA
    assert facts.system == [("/messages/0/content", "Be brief.")]
    assert [(call.name, call.arguments) for call in facts.calls] == [("read_file", {"path": "/a"}), ("now", {})]
    assert [result.text for result in facts.results] == ["", "noon"], "in the order of the calls"
    assert facts.stream and facts.choice is None and facts.parallel is None
    [only] = facts.rounds
    assert [call.id for call in only.calls] == [result.ref for result in only.results]
    assert not only.between and not only.late and only.closed


def test_every_pointer_leads_to_its_value(chat: Wire) -> None:
    request = chat.build(replace(LONG, choice=ToolChoice("tool", "read file", parallel=False)), stream=False)
    facts = chat.facts(request)
    document = json.loads(request.body)
    places = [(call.id_at, call.id) for call in facts.calls] + [(call.name_at, call.name) for call in facts.calls]
    places += [(call.arguments_at, call.raw) for call in facts.calls]
    places += [(result.ref_at, result.ref) for result in facts.results]
    places += [(result.content_at, result.content) for result in facts.results]
    places += [(tool.schema_at, tool.schema) for tool in facts.tools if tool.schema is not None]
    places += [place for message in facts.messages for place in message.texts]
    assert facts.choice is not None
    places += [(facts.choice.at, facts.choice.raw), (facts.parallel_at, facts.parallel)]
    assert [resolve(document, at) for at, _ in places] == [value for _, value in places]
    assert (facts.choice.mode, facts.choice.name, facts.parallel) == ("tool", "read_file", False)


def test_foreign_ids_are_made_to_fit_on_both_sides(chat: Wire) -> None:
    first, second = (chat.facts(chat.build(LONG, stream=stream)) for stream in (False, True))
    ids = [call.id for call in first.calls]
    assert ids == [result.ref for result in first.results] == [call.id for call in second.calls]
    assert len(set(ids)) == 2
    assert all(deviations(chat.card.id).id_pattern.fullmatch(call_id) for call_id in ids)
    assert all(len(call_id) <= 40 for call_id in ids)


def test_own_ids_come_back_as_they_are(chat: Wire) -> None:
    turn = ScriptTurn(calls=(READ_A, READ_B))
    understood = read(chat, turn)
    answered = ResultsTurn(tuple(ToolResult(call.id, call.name) for call in understood.calls))
    facts = chat.facts(chat.build(ASK.then(understood, answered), stream=False))
    assert [call.id for call in facts.calls] == [result.ref for result in facts.results] == chat.ids(turn, VOICE)


def test_rejections_and_results_come_together_in_call_order(chat: Wire) -> None:
    turn = AssistantTurn(calls=tuple(ToolCall(f"{number}abcdefgh", "now") for number in range(3)))
    decisions = DecisionsTurn((Decision("2abcdefgh", "now", False), Decision("0abcdefgh", "now", True),
                               Decision("1abcdefgh", "now", False)))  # fmt: skip
    accepted = ResultsTurn((ToolResult("0abcdefgh", "now", (TextPart("noon"),)),))
    facts = chat.facts(chat.build(ASK.then(turn, decisions, accepted, UserTurn("And?")), stream=False))
    [only] = facts.rounds
    rejected = '{"error":"The user rejected this tool call."}'
    assert [(result.ref, result.text) for result in only.results] == [
        ("0abcdefgh", "noon"), ("1abcdefgh", rejected), ("2abcdefgh", rejected),
    ]  # fmt: skip
    assert not only.between and not only.late
    assert facts.messages[-1].role == "user"


PICTURE = ToolResult("0abcdefgh", "now", (TextPart("See:"), ImagePart("image/png", b"\x89PNG")))
SHOWN = ASK.then(
    AssistantTurn(calls=(ToolCall("0abcdefgh", "now"), ToolCall("1abcdefgh", "now"))),
    ResultsTurn((PICTURE, ToolResult("1abcdefgh", "now", (TextPart("noon"),)))),
)


def test_images_are_summed_up_in_the_portable_profile(chat: Wire) -> None:
    facts = chat.facts(chat.build(replace(SHOWN, profile="portable"), stream=False))
    assert facts.results[0].text == "See:\nBinary content of type image/png was processed."
    assert not any(result.images for result in facts.results)
    assert facts.messages[-1].role == "tool"


def test_images_follow_all_results_in_the_native_profile(chat: Wire) -> None:
    messages = sent(chat, replace(SHOWN, profile="native"))["messages"]
    roles = [message["role"] for message in messages]
    after = {"deepseek": [], "mistral": ["assistant", "user"]}.get(chat.card.id, ["user"])
    assert roles == ["user", "assistant", "tool", "tool", *after]
    assert all(isinstance(message["content"], str) for message in messages if message["role"] == "tool")
    if after:
        [label, image] = messages[-1]["content"]
        assert image == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
        assert label == {"type": "text", "text": "What now returned for 0abcdefgh:"}


def test_calls_that_could_not_be_read_are_sent_back_readable(chat: Wire) -> None:
    turn = ScriptTurn(calls=(ScriptCall("now", raw='{"path": "/a'),), stop="length")
    [call] = chat.facts(chat.build(ASK.then(read(chat, turn)), stream=False)).calls
    assert call.arguments == {"invalid_arguments": '{"path": "/a'} and isinstance(call.raw, str)


def test_a_refusal_is_sent_back(chat: Wire) -> None:
    message = sent(chat, ASK.then(AssistantTurn(stop="refusal", refusal="No."), UserTurn("Please.")))["messages"][1]
    if deviations(chat.card.id).refusal_field:
        assert message == {"role": "assistant", "content": "", "refusal": "No."}
    else:
        assert message == {"role": "assistant", "content": "No."}


@each(
    ("choice", "expected"),
    [
        (ToolChoice(), {}),
        (ToolChoice("none"), {"tool_choice": "none"}),
        (ToolChoice("required", parallel=False), {"tool_choice": "required", "parallel_tool_calls": False}),
        (ToolChoice("tool", "read file"), {"tool_choice": {"type": "function", "function": {"name": "read_file"}}}),
    ],
    ids=lambda value: value.mode if isinstance(value, ToolChoice) else "",
)
def test_choices(chat: Wire, choice: ToolChoice, expected: Json) -> None:
    body = sent(chat, replace(ASK, choice=choice))
    assert {key: body[key] for key in ("tool_choice", "parallel_tool_calls") if key in body} == expected
    without = sent(chat, replace(ASK, choice=choice, tools=()))
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & without.keys()


@settings(max_examples=30, deadline=None)
@given(provider=st.sampled_from(PROVIDERS), system=texts, text=texts, said=st.lists(objects, max_size=3), result=texts)
def test_any_conversation_is_sent_as_it_is(
    provider: str, system: str, text: str, said: list[Any], result: str
) -> None:
    chat = chat_wire(provider)
    calls = tuple(ToolCall(f"call_{number}", "now", item) for number, item in enumerate(said))
    results = ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart(result),)) for call in calls))
    turns = (UserTurn(text), AssistantTurn(text, calls), *([results] if calls else []))
    facts = chat.facts(chat.build(Conversation(turns, TOOLS, system=system), stream=False))
    assert [call.arguments for call in facts.calls] == said
    assert [item.text for item in facts.results] == [result] * len(said)
    assert [value for _, value in facts.system] == [system]
    assert [value for _, value in facts.messages[1].texts] == [text]


# --- provider by provider ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "url", "key", "tokens", "streaming"),
    [
        ("openai-chat", "https://api.openai.com/v1/chat/completions", "authorization", "max_completion_tokens", True),
        (
            "azure",
            "https://example.openai.azure.com/openai/deployments/gpt%2Ftest/chat/completions?api-version=2024-10-21",
            "api-key", "max_tokens", True,
        ),
        ("xai", "https://api.x.ai/v1/chat/completions", "authorization", "max_completion_tokens", True),
        ("deepseek", "https://api.deepseek.com/chat/completions", "authorization", "max_tokens", True),
        ("mistral", "https://api.mistral.ai/v1/chat/completions", "authorization", "max_tokens", False),
    ],
)  # fmt: skip
def test_where_requests_go(provider: str, url: str, key: str, tokens: str, streaming: bool) -> None:
    request = chat_wire(provider).build(replace(ASK, model="gpt/test"), stream=True)
    body = json.loads(request.body)
    assert (request.method, request.url) == ("POST", url)
    assert request.header(key) in ("Bearer test-key", "test-key")
    assert ("model" in body) is (provider != "azure")
    assert body[tokens] == 1024 and body["stream"] is True
    assert ("stream_options" in body) is streaming


def test_azure_begins_with_its_verdict_on_the_prompt() -> None:
    first = json.loads(chat_wire("azure").render_stream(ScriptTurn("Hi."), VOICE)[0].data)
    assert (first["choices"], first["id"], first["model"]) == ([], "", "")
    assert "prompt_filter_results" in first


def test_xai_sends_each_call_whole_and_no_null_finish_reason() -> None:
    *events, _ = chat_wire("xai").render_stream(ScriptTurn(calls=(READ_A, NOW)), VOICE)
    chunks = [json.loads(event.data) for event in events]
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    calls = [choice["delta"]["tool_calls"] for choice in choices if "tool_calls" in choice["delta"]]
    assert [len(call) for call in calls] == [1, 1]
    assert [call["function"]["arguments"] for [call] in calls] == ['{"path":"/a"}', "{}"]
    assert [choice["finish_reason"] for choice in choices if "finish_reason" in choice] == ["tool_calls"]


def test_mistral_sends_all_calls_finish_reason_and_usage_in_one_chunk() -> None:
    *_, last, done = chat_wire("mistral").render_stream(ScriptTurn(calls=(READ_A, NOW)), VOICE)
    chunk = json.loads(last.data)
    [choice] = chunk["choices"]
    assert done.data == "[DONE]" and chunk["usage"]["prompt_tokens"] == 11
    assert choice["finish_reason"] == "tool_calls" and len(choice["delta"]["tool_calls"]) == 2
    assert not any("type" in call for call in choice["delta"]["tool_calls"])


def test_mistral_speaks_between_results_and_the_user() -> None:
    messages = sent(chat_wire("mistral"), ASK.then(CALLED, DONE, UserTurn("Wait.")))["messages"]
    assert [message["role"] for message in messages[-4:]] == ["tool", "tool", "assistant", "user"]


@pytest.mark.parametrize(
    ("choice", "reasoning", "expected"),
    [("auto", True, "enabled"), ("none", True, "enabled"), ("required", True, "disabled"), ("auto", False, "disabled")],
)
def test_deepseek_thinks_unless_calls_are_forced(choice: Any, reasoning: bool, expected: str) -> None:
    body = sent(chat_wire("deepseek"), replace(ASK, reasoning=reasoning, choice=ToolChoice(choice)))
    assert body["thinking"] == {"type": expected}


def test_deepseek_gets_its_thinking_back() -> None:
    chat = chat_wire("deepseek")
    thought = heard(chat, ScriptTurn(calls=(READ_A,), reasoning="I should look."))
    asked = replace(ASK, reasoning=True)
    assert sent(chat, asked.then(thought))["messages"][1]["reasoning_content"] == "I should look."
    assert sent(chat, asked.then(CALLED))["messages"][1]["reasoning_content"] == ""
    assert "reasoning_content" not in sent(chat, asked.then(AssistantTurn("Hi.")))["messages"][1]
    assert "reasoning_content" not in sent(chat, ASK.then(thought))["messages"][1]


def test_deepseek_says_with_an_empty_text_that_its_model_did_not_think() -> None:
    chat, turn = chat_wire("deepseek"), ScriptTurn(calls=(READ_A,), reasoning="")
    assert chat.render(turn, VOICE)["choices"][0]["message"]["reasoning_content"] == ""
    said = [json.loads(event.data) for event in chat.render_stream(turn, VOICE)[:-1]]
    assert [chunk["choices"][0]["delta"].get("reasoning_content") for chunk in said[:2]] == ["", None]


@pytest.mark.parametrize("provider", ["xai", "mistral"])
def test_tools_without_parameters_declare_an_empty_object_where_they_must(provider: str) -> None:
    bare = replace(ASK, tools=(Tool("now"),))
    assert sent(chat_wire(provider), bare)["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert "parameters" not in sent(chat_wire("openai-chat"), bare)["tools"][0]["function"]


@pytest.mark.parametrize(
    ("provider", "pattern"),
    [("openai-chat", r"call_\w{24}"), ("azure", r"call_\w{24}"), ("xai", r"call_\w{8}"),
     ("deepseek", r"call_00_\w{24}"), ("mistral", r"[a-zA-Z0-9]{9}")],
)  # fmt: skip
def test_ids_look_like_the_providers(provider: str, pattern: str) -> None:
    ids = chat_wire(provider).ids(ScriptTurn(calls=(READ_A, READ_B)), VOICE)
    assert all(re.fullmatch(pattern, call_id or "") for call_id in ids) and len(set(ids)) == 2


def test_a_schema_without_a_type_is_an_objects(chat: Wire) -> None:
    untyped = Tool("now", parameters={"properties": {"zone": {"type": "string"}}})
    [tool] = sent(chat, replace(ASK, tools=(untyped,)))["tools"]
    assert tool["function"]["parameters"] == {"type": "object", "properties": {"zone": {"type": "string"}}}


def test_a_response_that_is_not_json_is_an_error(chat: Wire) -> None:
    assert chat.read_response(Response(200, {}, b"<html>")).stop == "error"


def arguments(call: ScriptCall) -> Json:
    """The arguments of a scripted call, as they must be read."""
    if call.raw is None:
        return call.arguments or {}
    try:
        return json.loads(call.raw)
    except ValueError:
        return None


def resolve(document: Json, at: str) -> Json:
    """The value at a JSON pointer."""
    for step in at.split("/")[1:]:
        document = document[int(step) if isinstance(document, list) else step]
    return document
