"""Without a scenario: the server calls the tools that a request declares, whatever they are, in a fixed order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import openai
import pytest
from jsonschema import Draft202012Validator
from mistakes import without
from wired import SHIMS, Wired, lead_google_to, sdk

from conformance.adapters.bound import BoundClient
from conformance.arguments.language import plain_schema
from conformance.capabilities import CAPABILITIES
from conformance.cli import main
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, ResultsTurn, TextPart, Tool, ToolChoice, ToolResult, UserTurn
from conformance.schemas import problems
from conformance.server import Running, serving
from conformance.server.results import served_result
from conformance.server.service import Service
from conformance.server.shapes import LAST_WORDS, RIGHT
from conformance.wires import PROVIDERS, card, wire

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings", "ignore:.* is not a valid FinishReason")

WEATHER = Tool(
    "get_weather", "The weather in a city.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "In which unit."},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "description": "For how long."},
        },
        "required": ["city"],
        "additionalProperties": False,
    },
)  # fmt: skip
ORDER = Tool(
    "place_order", "Places an order.",
    {
        "type": "object",
        "properties": {
            "lines": {
                "type": "array", "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "sku": {"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$"}, "count": {"type": "integer"},
                    },
                    "required": ["sku", "count"],
                },
            },
            "note": {"type": "string"},
        },
        "required": ["lines"],
    },
)  # fmt: skip
TOOLS = (WEATHER, ORDER)
SCHEMAS = {tool.name: tool.parameters for tool in TOOLS}
SHAPES = [
    ["get_weather"], ["place_order"], ["get_weather", "get_weather"], ["get_weather", "place_order"], ["get_weather"],
    [],
]  # fmt: skip
"""The tools that each answer calls."""
ASKED = Conversation((UserTurn("What can you do?"),), TOOLS, model="gpt-4o")


def results(turn: AssistantTurn) -> ResultsTurn:
    return ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart(f"done: {call.id}"),)) for call in turn.calls))


def check_valid(turn: AssistantTurn, schemas: Mapping[str, Any] = SCHEMAS) -> None:
    for call in turn.calls:
        Draft202012Validator(schemas[call.name]).validate(call.arguments)


def declared(provider: str, request: Request) -> dict[str, Any]:
    """The schemas as they arrive: an SDK may drop a part of them."""
    own = card(provider).forms.own_schema_language
    return {
        tool.name: plain_schema(tool.schema, own_language=own) for tool in wire(provider).facts(request).functions
    }


def findings(server: Running, since: int = 0) -> list[str]:
    exchanges: Any = server.log.document(since)["exchanges"]
    assert list(problems("findings", server.log.document(since))) == []
    return [f"{item['rule']} at {item['at']}" for one in reversed(exchanges) for item in one["findings"]]


# --- real SDKs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", SHIMS)
def test_a_real_sdk_goes_through_all_shapes_without_a_finding(strict: Running, provider: str, stream: bool) -> None:
    if provider == "gemini":
        lead_google_to(strict)
    conversation, called, before = ASKED, [], strict.log.total
    for _ in range(len(RIGHT) + 3):
        endpoint = Wired(provider, strict.url(provider), {})
        turn = BoundClient(sdk(provider), provider).complete(conversation, endpoint, stream=stream)
        assert isinstance(turn, AssistantTurn), turn
        check_valid(turn, declared(provider, endpoint.requests[0]))
        called.append([call.name for call in turn.calls])
        if not turn.calls:
            break
        conversation = conversation.then(turn, results(turn))
    assert called == SHAPES
    assert turn.text == LAST_WORDS
    assert findings(strict, before) == []


# --- an ordinary application ------------------------------------------------------------------------------------------


def chat_tools() -> list[Any]:
    functions = ({"name": one.name, "description": one.description, "parameters": one.parameters} for one in TOOLS)
    return [{"type": "function", "function": function} for function in functions]


def application(server: Running, path: str = "/v1", model: str = "gpt-4o", stream: bool = False) -> list[Any]:
    """What any program does with the openai SDK: call what is called, until a text comes."""
    client = openai.OpenAI(base_url=server.origin + path, api_key="any", max_retries=0)
    messages: list[Any] = [{"role": "user", "content": "What can you do?"}]
    for _ in range(12):
        if stream:
            with client.chat.completions.stream(model=model, messages=messages, tools=chat_tools()) as events:
                message = events.get_final_completion().choices[0].message
        else:
            answer = client.chat.completions.create(model=model, messages=messages, tools=chat_tools())
            message = answer.choices[0].message
        shown = message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True)
        for call in shown.get("tool_calls", []):
            call["function"].pop("parsed_arguments", None)
        messages.append(shown)
        if not message.tool_calls:
            break
        messages += [{"role": "tool", "tool_call_id": call.id, "content": "done"} for call in message.tool_calls]
    return messages


@pytest.mark.parametrize("stream", [False, True], ids=["blocking", "stream"])
def test_an_ordinary_application_comes_to_an_end_without_findings(fresh: Running, stream: bool) -> None:
    messages = application(fresh, stream=stream)
    assert messages[-1]["content"] == LAST_WORDS
    first = messages[1]["tool_calls"]
    assert [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in first] == [
        ("get_weather", {"city": "text"})
    ]
    assert findings(fresh) == []
    assert [served.scenario for served in (entry.served for entry in fresh.log.entries)] == ["any"] * len(SHAPES)
    again = application(fresh, stream=stream)
    assert again == messages  # nothing is remembered, and nothing is random


def test_the_result_tells_of_it_as_of_scenarios(fresh: Running) -> None:
    application(fresh)
    result = served_result(fresh.log, fresh.application.service.scenarios, command="serve")
    assert list(problems("result", result.document)) == []
    assert result.exit_code == 0
    assert {name for cell in result.document["cells"] for name in cell.get("scenarios", ())} == {"any"}


# --- the request's own word is kept -----------------------------------------------------------------------------------


def served(conversation: Conversation, provider: str, *, stream: bool = False, service: Service | None = None) -> Any:
    request = wire(provider).build(conversation, stream=stream)
    headers = {**request.headers, "x-conformance-provider": provider}
    return (service or Service()).serve(Request("POST", request.url, headers, request.body))


def told(conversation: Conversation, provider: str, service: Service | None = None) -> AssistantTurn:
    answer = served(conversation, provider, service=service)
    assert answer.status == 200, b"".join(answer.chunks)
    return wire(provider).read_response(Response(200, answer.headers, b"".join(answer.chunks)), conversation)


def played(conversation: Conversation, provider: str, most: int = 8) -> Iterator[AssistantTurn]:
    service = Service()
    for _ in range(most):
        turn = told(conversation, provider, service)
        yield turn
        if not turn.calls:
            return
        conversation = conversation.then(turn, results(turn))


def with_choice(**choice: Any) -> Conversation:
    return Conversation(ASKED.turns, TOOLS, ToolChoice(**choice), model="gpt-4o")


def able(*needs: str) -> list[str]:
    assert set(needs) <= CAPABILITIES.keys()
    return [provider for provider in PROVIDERS if card(provider).capabilities >= set(needs)]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_same_order_on_every_provider(provider: str) -> None:
    turns = list(played(ASKED, provider))
    assert [[call.name for call in turn.calls] for turn in turns] == SHAPES
    for turn in turns:
        check_valid(turn)


@pytest.mark.parametrize("provider", able("tool_choice"))
def test_the_choice_is_kept(provider: str) -> None:
    assert not told(with_choice(mode="none"), provider).calls
    named = with_choice(mode="tool", name="place_order")
    choice = wire(provider).facts(wire(provider).build(named, stream=False)).choice
    if choice is not None and choice.mode == "tool":  # some can only ask for some tool
        forced = list(played(named, provider))
        assert len(forced) == 8, "a forced tool is called again and again, as by the provider"
        assert {call.name for turn in forced for call in turn.calls} == {"place_order"}
    assert all(turn.calls for turn in played(with_choice(mode="required"), provider))


@pytest.mark.parametrize("provider", able("parallel_switch"))
def test_the_switch_for_parallel_calls_is_kept(provider: str) -> None:
    assert [len(turn.calls) for turn in played(with_choice(parallel=False), provider)] == [1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_tools_there_is_text(provider: str) -> None:
    turn = told(Conversation((UserTurn("Hello!"),), model="gpt-4o"), provider)
    assert (bool(turn.text), turn.calls) == (True, ())


TICKET = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}},
    "required": ["title", "parts"],
    "additionalProperties": False,
    "$defs": {"part": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
}
GENRES = {"type": "ARRAY", "items": {"type": "STRING", "enum": ["jazz", "folk"]}, "minItems": 1}
NAMED = {"name": "ticket", "schema": TICKET}
FORMATS: list[tuple[str, dict[str, Any], Any]] = [
    ("openai-chat", {"response_format": {"type": "json_schema", "json_schema": NAMED}}, TICKET),
    ("openai-chat", {"response_format": {"type": "json_object"}}, {}),
    ("mistral", {"response_format": {"type": "json_schema", "json_schema": NAMED}}, TICKET),
    ("openai-responses", {"text": {"format": {"type": "json_schema", **NAMED}}}, TICKET),
    ("openai-responses", {"text": {"format": {"type": "json_object"}}}, {}),
    ("anthropic", {"output_config": {"format": {"type": "json_schema", "schema": TICKET}}}, TICKET),
    ("gemini", {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": TICKET}}, TICKET),
    ("gemini", {"generationConfig": {"responseMimeType": "application/json", "responseSchema": GENRES}}, GENRES),
    ("gemini", {"generationConfig": {"responseMimeType": "application/json"}}, {}),
    ("ollama", {"format": TICKET}, TICKET),
    ("ollama", {"format": "json"}, {}),
]
"""What a request says that wants JSON, and the schema that it gives."""


@pytest.mark.parametrize("tools", [(), TOOLS], ids=["no tools", "tools"])
@pytest.mark.parametrize(("provider", "more", "schema"), FORMATS)
def test_what_asks_for_json_gets_json_of_its_schema(
    provider: str, more: dict[str, Any], schema: Any, tools: tuple[Tool, ...]
) -> None:
    """Beside tools it is the last answer, when all were called."""
    check_json(provider, more, schema, tools)


def check_json(provider: str, more: dict[str, Any], schema: Any, tools: tuple[Tool, ...] = ()) -> None:
    """Ask for JSON as a provider's requests do, and hold what comes against the schema that was given."""
    talk = Conversation((UserTurn("Hello!"),), tools, ToolChoice(mode="none" if tools else "auto"), model="gpt-4o")
    request = wire(provider).build(talk, stream=False)
    body = {**json.loads(request.body), **more}
    headers = {**request.headers, "x-conformance-provider": provider}
    answer = Service().serve(Request("POST", request.url, headers, json.dumps(body).encode()))
    assert answer.status == 200, b"".join(answer.chunks)
    turn = wire(provider).read_response(Response(200, answer.headers, b"".join(answer.chunks)), talk)
    value = json.loads(turn.text)
    Draft202012Validator(schema if schema is not GENRES else plain_schema(schema, own_language=True)).validate(value)
    assert value, "all that is declared, and not what is empty"


def test_a_schema_that_no_json_fits_is_told() -> None:
    request = wire("ollama").build(Conversation((UserTurn("Hello!"),), model="gpt-4o"), stream=False)
    body = {**json.loads(request.body), "format": {"type": "object", "properties": {"a": False}, "required": ["a"]}}
    answer = Service().serve(Request("POST", request.url, request.headers, json.dumps(body).encode()))
    assert b"There is no JSON of the schema that is asked for" in b"".join(answer.chunks)


@pytest.mark.parametrize("provider", able("reasoning"))
def test_thoughts_come_where_they_are_asked_for(provider: str) -> None:
    asked = Conversation(ASKED.turns, TOOLS, model="gpt-4o", reasoning=True)
    service, conversation, seen = Service(), asked, []
    for _ in SHAPES:
        answer = served(conversation, provider, service=service)
        seen.append("values that are hard to carry" in b"".join(answer.chunks).decode())
        assert answer.judgement.told == []
        turn = wire(provider).read_response(Response(200, answer.headers, b"".join(answer.chunks)), conversation)
        conversation = conversation.then(turn, results(turn))
    thinks = card(provider).forms.thinks_unasked != "no" or any(seen)
    assert seen == [False] * 4 + [thinks, False]


def test_listed_tools_alone_are_called(strict: Running) -> None:
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "place_order"}}]}
    body = {
        "model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "tools": chat_tools(),
        "tool_choice": {"type": "allowed_tools", "allowed_tools": allowed},
    }  # fmt: skip
    answer = httpx.post(f"{strict.origin}/v1/chat/completions", json=body, headers={"authorization": "Bearer x"})
    calls = answer.json()["choices"][0]["message"]["tool_calls"]
    assert [call["function"]["name"] for call in calls] == ["place_order"]


def test_a_new_word_of_the_user_begins_again() -> None:
    first = told(ASKED, "openai-chat")
    conversation = ASKED.then(first, results(first))
    assert [call.name for call in told(conversation, "openai-chat").calls] == ["place_order"]
    later = conversation.then(AssistantTurn("Done."), UserTurn("And again?"))
    assert [call.name for call in told(later, "openai-chat").calls] == ["get_weather"]


def test_what_the_provider_keeps_is_gone_on_with(fresh: Running) -> None:
    client = openai.OpenAI(base_url=f"{fresh.origin}/v1", api_key="any")
    tools: Any = [
        {"type": "function", "name": tool.name, "parameters": tool.parameters, "strict": False} for tool in TOOLS
    ]
    answer = client.responses.create(model="gpt-4o", input="What can you do?", tools=tools)
    counts = []
    for _ in range(10):
        calls = [item for item in answer.output if item.type == "function_call"]
        counts.append(len(calls))
        if not calls:
            break
        outputs: Any = [{"type": "function_call_output", "call_id": call.call_id, "output": "done"} for call in calls]
        answer = client.responses.create(model="gpt-4o", input=outputs, tools=tools, previous_response_id=answer.id)
    assert counts == [len(shape) for shape in SHAPES]
    assert findings(fresh) == []


# --- what cannot be done is said --------------------------------------------------------------------------------------

IMPOSSIBLE = Tool("impossible", "Nothing fits.", {
    "type": "object", "properties": {"n": {"type": "integer", "minimum": 3, "maximum": 2}}, "required": ["n"],
})  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_schema_that_nothing_fits_is_told_once_and_never_broken(provider: str) -> None:
    alone = Conversation(ASKED.turns, (IMPOSSIBLE,), model="gpt-4o")
    answer = served(alone, provider)
    assert "'impossible' is not called" in answer.warning
    assert not told(alone, provider).calls
    beside = Conversation(ASKED.turns, (IMPOSSIBLE, WEATHER), model="gpt-4o")
    assert {call.name for turn in played(beside, provider) for call in turn.calls} == {"get_weather"}


def test_a_scenario_without_its_tools_is_one_warning(fresh: Running) -> None:
    application(fresh, "/s/parallel_calls.two_reads/v1")
    application(fresh, "/s/parallel_calls.two_reads/v1")
    assert findings(fresh) == []
    [warning] = fresh.log.document()["warnings"]  # type: ignore[misc]
    assert "'parallel_calls.two_reads' calls read_file" in warning["text"]
    answer = httpx.post(
        f"{fresh.origin}/s/parallel_calls.two_reads/v1/chat/completions", headers={"authorization": "Bearer x"},
        json={"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "tools": chat_tools()},
    )  # fmt: skip
    assert "read_file" in answer.headers["x-conformance-warning"]


def test_a_name_that_is_nearly_a_scenarios_is_told(fresh: Running) -> None:
    application(fresh, model="parallel_calls.two_reds")
    [warning] = fresh.log.document()["warnings"]  # type: ignore[misc]
    assert "Did you mean parallel_calls.two_reads?" in warning["text"]


# --- what is wrong in the client is named -----------------------------------------------------------------------------

BROKEN: dict[str, Any] = {
    "drops the id of a result": (1, lambda body: without(body, "/messages/2/tool_call_id"), "chat."),
    "drops the id of a call": (1, lambda body: without(body, "/messages/1/tool_calls/0/id"), "chat."),
    "makes an id of its own": (1, lambda body: _with_ids(body, "call_of_my_own"), "common.ids.verbatim-round-trip"),
    "answers one of two calls": (3, lambda body: without(body, "/messages/7"), "chat.result.adjacent-and-complete"),
    "answers the wrong call": (3, lambda body: _swapped(body), "common.result.exactly-one-per-call"),
    "changes the name": (1, lambda body: _named(body, "place_order"), "wire-name-in-history"),
    "changes the arguments": (1, lambda body: _called_with(body, '{"city":"Paris"}'), "common.history.calls-kept"),
}


def _call(body: Any) -> Any:
    return body["messages"][1]["tool_calls"][0]


def _with_ids(body: Any, new: str) -> Any:
    _call(body)["id"] = body["messages"][2]["tool_call_id"] = new
    return body


def _swapped(body: Any) -> Any:
    body["messages"][6]["tool_call_id"] = body["messages"][7]["tool_call_id"]
    return body


def _named(body: Any, name: str) -> Any:
    _call(body)["function"]["name"] = name
    return body


def _called_with(body: Any, text: str) -> Any:
    _call(body)["function"]["arguments"] = text
    return body


@pytest.mark.parametrize("broken", BROKEN)
def test_what_a_client_breaks_is_named(broken: str) -> None:
    rounds, breaking, rule = BROKEN[broken]
    with serving(lenient=True) as server:
        messages = application(server)
        body: Any = {"model": "gpt-4o", "messages": messages[: _after(messages, rounds)], "tools": chat_tools()}
        before = server.log.total
        url = f"{server.origin}/v1/chat/completions"
        httpx.post(url, json=breaking(json.loads(json.dumps(body))), headers={"authorization": "Bearer x"})
        found = findings(server, before)
        assert any(rule in one for one in found), found


def _after(messages: list[Any], rounds: int) -> int:
    """How many messages there are when that many turns of the model were answered."""
    places = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
    return places[rounds]


# --- wrong answers, where they are asked for --------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["the model's name", "the setting"])
def test_wrong_answers_come_only_when_asked_for(how: str) -> None:
    with serving(provoke=how == "the setting") as server:
        model = "gpt-4o" if how == "the setting" else "conformance/any-provoke"
        client = openai.OpenAI(base_url=f"{server.origin}/v1", api_key="any", max_retries=2)
        messages: list[Any] = [{"role": "user", "content": "What can you do?"}]
        wrong: list[str] = []
        for _ in range(10):
            answer = client.chat.completions.create(model=model, messages=messages, tools=chat_tools())
            message = answer.choices[0].message
            messages.append(message)
            for call in message.tool_calls or ():
                wrong.append(_wrong(call.function.name, call.function.arguments))  # type: ignore[union-attr]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "error: I cannot do that"})
            if not message.tool_calls:
                break
        assert wrong == ["unknown name", "invalid arguments", "no JSON", "", "", "unknown name"]
        assert [entry.served.status for entry in server.log.entries] == [200, 200, 200, 429, 503, 200, 200, 200]
        assert message.content == LAST_WORDS


def _wrong(name: str, arguments: str) -> str:
    if name not in SCHEMAS:
        return "unknown name"
    try:
        decoded = json.loads(arguments)
    except ValueError:
        return "no JSON"
    return "" if Draft202012Validator(SCHEMAS[name] or {}).is_valid(decoded) else "invalid arguments"


def test_a_scenario_and_wrong_calls_are_not_both_the_usual(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--provoke", "--scenario", "shell.success"])
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.parametrize("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_can_provoke(provider: str, stream: bool) -> None:
    service = Service()
    conversation = Conversation(ASKED.turns, TOOLS, model="conformance/any-provoke")
    seen: list[int] = []
    for _ in range(12):
        answer = served(conversation, provider, stream=stream, service=service)
        seen.append(answer.status)
        if answer.status != 200:
            continue
        body = b"".join(answer.chunks)
        speaker = wire(provider)
        turn = (
            speaker.read_stream([body], conversation) if answer.streaming
            else speaker.read_response(Response(200, answer.headers, body), conversation)
        )  # fmt: skip
        if turn.stop == "error":
            continue
        if not turn.calls:
            break
        conversation = conversation.then(turn, results(turn))
    assert len(seen) == 8
    assert not turn.calls
