"""What a host refuses by its look is a JSON Schema in its file, and a rule tells it there and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest
from every import each
from test_hosts import MADE_UP

from conformance.http import Request
from conformance.model import Conversation, Json, Tool, UserTurn
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.rules.hosts import REFUSED, weight
from conformance.rules.judge import judge
from conformance.server.judging import build_rules
from conformance.transcript import Exchange
from conformance.wires import card, host_ids, known_ids
from conformance.wires.host import TAKEN, Host, read_host
from conformance.wires.host_file import HostError
from conformance.wires.hosts import hosts

RULE = catalogue()[TAKEN]
TOOL = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
USER = {"role": "user", "content": "x"}
THINKS = {"role": "assistant", "content": "", "reasoning_content": "hm"}
CALL = {"id": "a", "type": "function", "function": {"name": "now"}}
CALLS = {"role": "assistant", "content": "", "tool_calls": [CALL]}
JSON = {"response_format": {"type": "json_object"}}
FORCED = {"tool_choice": "required"}
OFF = {"thinking": {"type": "disabled"}}
BY_NAME = {"tool_choice": {"type": "function", "function": {"name": "now"}}}
IMAGE = {"type": "image", "source": {"type": "url", "url": "https://x.example/a.png"}}
CLOSED = {"type": "object", "additionalProperties": False}
LEVEL = "/properties/a"


def nested(levels: int) -> dict[str, Json]:
    schema: dict[str, Json] = {"type": "string"}
    for _ in range(levels):
        schema = {**CLOSED, "properties": {"a": schema}, "required": ["a"]}
    return schema


def one_enum(values: int, letters: int) -> dict[str, Json]:
    texts = [str(number).zfill(letters) for number in range(values)]
    return {**CLOSED, "properties": {"a": {"enum": texts}}, "required": ["a"]}


def two_enums(values: int) -> dict[str, Json]:
    numbers = {"enum": list(range(values // 2))}
    more = {"type": "array", "items": {"enum": list(range(values - values // 2))}}
    return {**CLOSED, "properties": {"a": numbers, "b": more}, "required": ["a", "b"]}


def wide(properties: int, letters: int = 4) -> dict[str, Json]:
    names = [str(number).zfill(letters) for number in range(properties)]
    return {**CLOSED, "properties": {name: {"type": "null"} for name in names}, "required": names}


def strictly(schema: dict[str, Json]) -> dict[str, Json]:
    """A request of the Responses API with one strict tool."""
    return {"input": "x", "tools": [{"type": "function", "name": "now", "strict": True, "parameters": schema}]}


def tooled(schema: dict[str, Json], **more: Json) -> dict[str, Json]:
    """A request of the chat format with one tool."""
    return chat(tools=[{"type": "function", "function": {"name": "now", "parameters": schema, **more}}])


def answering(schema: dict[str, Json], **more: Json) -> dict[str, Json]:
    """A request of the chat format that asks for an answer in JSON."""
    return chat(response_format={"type": "json_schema", "json_schema": {"schema": schema, **more}})


def pictures(count: int, letters: int = 4) -> dict[str, Json]:
    """A request of Anthropic's format with pictures in a result."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * letters}}
    call = {"type": "tool_use", "id": "t", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [picture] * count}
    return {"messages": [USER, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]}


def named(name: str) -> dict[str, Any]:
    return {**TOOL, "function": {**TOOL["function"], "name": name}}  # type: ignore[dict-item]


def chat(model: str = "m", *messages: Json, **more: Json) -> dict[str, Json]:
    return {"model": model, "messages": [USER, *messages], **more}


def told(host: str, body: dict[str, Json], path: str = "/v1/x") -> list[Finding]:
    request = Request.post_json(f"https://h.example{path}", body)
    exchange = Exchange(card(host).provider, with_host=host, request=request)
    return [item for item in judge(RULE, exchange) if item is not None]


# --- a refusal, and its neighbour that is taken ----------------------------------------------------------------------

REFUSALS: list[tuple[str, dict[str, Json], dict[str, Json], str]] = [
    ("groq", chat("llama", tools=[TOOL], **JSON), chat("llama", tools=[], **JSON), ""),
    ("groq", chat("groq/compound", tools=[TOOL]), chat("groq/compound"), "/tools"),
    ("groq", chat("openai/gpt-oss-20b", tools=[{"type": "visit_website"}]),
     chat("openai/gpt-oss-20b", tools=[{"type": "browser_search"}]), "/tools/0/type"),
    ("cerebras", chat("m", THINKS), chat("m", {**USER, "reasoning_content": "x"}), "/messages/1"),
    ("cerebras", chat(enable_thinking=True), chat(reasoning_effort="low"), "/enable_thinking"),
    ("moonshot", chat("kimi-k2.6", tools=[TOOL], **FORCED), chat("kimi-k2.6", tools=[TOOL], **FORCED, **OFF),
     "/thinking"),
    ("moonshot", chat("kimi-k2.6", tools=[TOOL], **BY_NAME), chat("moonshot-v1-8k", tools=[TOOL], **BY_NAME),
     "/thinking"),
    ("moonshot", chat("kimi-k2.5", CALLS), chat("kimi-k2.5", {**CALLS, "reasoning_content": ""}),
     "/messages/1/reasoning_content"),
    ("moonshot", chat("kimi-k2.5", CALLS), chat("kimi-k2.5", CALLS, **OFF), "/messages/1/reasoning_content"),
    ("moonshot", chat(tools=[named("21st_magic")]), chat(tools=[named("magic_21st")]), "/tools/0/function/name"),
    ("moonshot", chat(reasoning_effort="low", **OFF), chat(reasoning_effort="low"), ""),
    ("minimax", chat(tools=[{"type": "function", "function": {"name": "now"}}]), chat(tools=[TOOL]),
     "/tools/0/function/parameters"),
    ("zai", chat("glm-5.3-flash", **FORCED), chat("glm-4.7-flash", **FORCED), "/tool_choice"),
    ("zai", {"model": "glm-4.5", "messages": [{"role": "system", "content": "x"}]}, chat("glm-4.5"), "/messages"),
    ("fireworks", chat(tools=[{"type": "web_search_20250305"}]), chat(tools=[TOOL]), "/tools/0/type"),
    ("lmstudio", chat(tools=[TOOL], **BY_NAME), chat(tools=[TOOL], **FORCED), "/tool_choice"),
    ("llamacpp", chat(json_schema={}, grammar="x"), chat(json_schema={}), ""),
    ("xiaomi", chat("mimo-v2.5-pro", CALLS), chat("mimo-v2.5-pro", CALLS, **OFF), "/messages/1/reasoning_content"),
    ("xiaomi", chat("mimo-v2.5", CALLS), chat("mimo-v2.5", {**CALLS, "reasoning_content": "x"}),
     "/messages/1/reasoning_content"),
    ("xiaomi", chat("mimo-v2.5-pro", {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}),
     chat("mimo-v2.5-pro", {"role": "user", "content": [{"type": "text", "text": "x"}]}), "/messages/1/content/0/type"),
    ("openai-chat", chat(tools=[TOOL] * 129), chat(tools=[TOOL] * 128), "/tools"),
    ("azure", chat(tools=[TOOL] * 129), chat(tools=[TOOL] * 128), "/tools"),
    ("copilot-chat", chat(tools=[TOOL] * 129), chat(tools=[TOOL] * 128), "/tools"),
    ("copilot", {"tools": [{"type": "function", "name": "now"}] * 129},
     {"tools": [{"type": "function", "name": "now"}] * 128}, "/tools"),
    ("xai-responses", {"input": [{"type": "custom_tool_call"}]}, {"input": [{"type": "function_call"}]},
     "/input/0/type"),
    ("xai-responses", {"input": "x", "tool_choice": "auto"}, {"input": "x"}, "/tools"),
    ("xai-responses", {"tools": [{"type": "function", "name": "tool_search"}]}, {"tools": [{"type": "tool_search"}]},
     "/tools/0"),
    ("xai", chat(tools=[named("tool_search")]), chat(tools=[named("find_tool")]), "/tools/0/function/name"),
    ("deepseek", chat(tools=[TOOL] * 129), chat(tools=[TOOL] * 128), "/tools"),
    ("mistral", chat(max_completion_tokens=9), chat(max_tokens=9), "/max_completion_tokens"),
    ("bedrock-anthropic", {"messages": [{"role": "user", "content": [IMAGE]}]}, {"messages": [USER]},
     "/messages/0/content/0"),
    ("openai-responses", {"input": [{"type": "function_call", "arguments": "x" * 1048577}]},
     {"input": [{"type": "function_call", "arguments": "x" * 1048576}]}, "/input/0/arguments"),
    ("openai-responses", strictly(nested(11)), strictly(nested(10)), "/tools/0/parameters" + LEVEL * 11),
    ("openai-responses", strictly(two_enums(1001)), strictly(two_enums(1000)), "/tools/0/parameters"),
    ("openai-responses", strictly(one_enum(251, 60)), strictly(one_enum(250, 60)),
     "/tools/0/parameters/properties/a/enum"),
    ("openai-responses", strictly(wide(5001)), strictly(wide(5000)), "/tools/0/parameters"),
    ("openai-responses", strictly(wide(1001, 120)), strictly(wide(1000, 120)), "/tools/0/parameters"),
    ("openai-chat", tooled(nested(11), strict=True), tooled(nested(11)), "/tools/0/function/parameters" + LEVEL * 11),
    ("openai-chat", tooled(two_enums(1001), strict=True), tooled(two_enums(1001)), "/tools/0/function/parameters"),
    ("openai-chat", tooled(one_enum(251, 60), strict=True), tooled(one_enum(251, 60)),
     "/tools/0/function/parameters/properties/a/enum"),
    ("openai-chat", tooled(wide(5001), strict=True), tooled(wide(5001)), "/tools/0/function/parameters"),
    ("openai-chat", tooled(wide(1001, 120), strict=True), tooled(wide(1001, 120)), "/tools/0/function/parameters"),
    ("openai-chat", answering(nested(11), strict=True), answering(nested(11)),
     "/response_format/json_schema/schema" + LEVEL * 11),
    ("moonshot", tooled(nested(11)), tooled(nested(10)), "/tools/0/function/parameters" + LEVEL * 11),
    ("anthropic", pictures(601), pictures(600), "/messages/2/content/0/content/600"),
    ("anthropic", pictures(1, 10485764), pictures(1, 10485760), "/messages/2/content/0/content/0"),
    ("bedrock-anthropic", pictures(1, 5242884), pictures(1, 5242880), "/messages/2/content/0/content/0"),
    ("vertex-anthropic", pictures(1, 5242884), pictures(1, 5242880), "/messages/2/content/0/content/0"),
]  # fmt: skip


# Long requests would make long names.
@pytest.mark.parametrize(("host", "refused", "taken", "at"), REFUSALS, ids=[one[0] for one in REFUSALS])
def test_a_refusal_is_told_and_its_neighbour_is_not(
    host: str, refused: dict[str, Json], taken: dict[str, Json], at: str
) -> None:
    [finding] = told(host, refused)
    assert finding.at == at and "refuses" in str(finding.expected)
    assert told(host, taken) == []
    exchange = Exchange(card(host).provider, with_host=host, request=Request.post_json("https://h.example/x", refused))
    assert weight(RULE, finding, exchange, own=False) == REFUSED


def test_each_schema_is_tried() -> None:
    tried = {(host, finding.expected) for host, refused, _, _ in REFUSALS for finding in told(host, refused)}
    asked = {(name, f"not what this host refuses: {entry.what}")
             for name, host in hosts().items() for entry in host.entries if entry.rule == TAKEN}  # fmt: skip
    assert {host for host, _ in asked} <= {host for host, _ in tried}
    assert len(asked - tried) <= 8, asked - tried


def test_the_model_may_stand_in_the_path() -> None:
    body = {"messages": [USER], "tools": [{"name": "now", "input_schema": {}, "eager_input_streaming": True}]}
    path = "/model/us.anthropic.claude-{}/invoke"
    assert told("bedrock-anthropic", body, path.format("sonnet-4-5-20250929-v1%3A0"))
    assert not told("bedrock-anthropic", body, path.format("opus-4-6-v1"))


@each("name", sorted(hosts()))
def test_every_schema_is_one(name: str) -> None:
    for entry in hosts()[name].entries:
        if entry.request is not None:
            jsonschema_rs.meta.validate(dict(entry.request))
            assert jsonschema_rs.validator_for(dict(entry.request)).is_valid({"model": "m", "messages": [USER]})


# --- how much is too much --------------------------------------------------------------------------------------------


def test_a_union_and_what_is_referred_to_are_no_levels_of_their_own() -> None:
    union = {**CLOSED, "properties": {"a": {"anyOf": [nested(9), {"$ref": "#/$defs/deep"}]}}}
    assert not told("openai-responses", strictly({**union, "$defs": {"deep": nested(10)}}))
    assert told("openai-responses", strictly({**CLOSED, "properties": {"a": {"anyOf": [nested(10)]}}}))


def test_elements_of_lists_are_levels_of_strict_schemas_alone() -> None:
    listed = {**CLOSED, "properties": {"a": {"type": "array", "items": nested(9)}}}
    assert told("openai-responses", strictly(listed)) and not told("moonshot", tooled(listed))


def test_what_the_application_asks_for_is_not_the_adapters_doing() -> None:
    asked = Conversation((UserTurn("x"),), (Tool("now", "", nested(11), strict=True),))
    request = Request.post_json("https://h.example/x", strictly(nested(11)))
    exchange = Exchange("openai-responses", request=request, intent=asked)
    assert [item for item in judge(RULE, exchange) if item] == []
    deeper = replace(exchange, request=Request.post_json("https://h.example/x", strictly(nested(12))))
    assert [item.found for item in judge(RULE, deeper) if item] == [12]


@pytest.mark.parametrize(("levels", "loosened"), [(10, False), (11, True)])
def test_strictness_may_be_left_out_only_where_the_host_would_refuse_it(levels: int, loosened: bool) -> None:
    rule = catalogue()["common.declare.strict-as-asked"]
    asked = Conversation((UserTurn("x"),), (Tool("now", "", nested(levels), strict=True),))
    exchange = Exchange("openai-responses", intent=asked, request=Request.post_json(
        "https://h.example/x", {"input": "x", "tools": [{"type": "function", "name": "now", "strict": False,
                                                         "parameters": nested(levels)}]}))  # fmt: skip
    assert bool([item for item in judge(rule, exchange) if item]) != loosened


# --- whom the rule is about ------------------------------------------------------------------------------------------


def test_the_rule_is_about_hosts_that_refuse_something_by_its_look() -> None:
    asking = {name for name, host in hosts().items() if any(entry.rule == TAKEN for entry in host.entries)}
    about = {name for name in known_ids() if RULE.applies_to(name, "native")}
    assert asking <= about
    refusing = {"openai-chat", "openai-responses", "anthropic"}  # the provider itself does
    assert {card(name).format for name in about - asking} <= refusing
    assert RULE in build_rules("groq", "native") and RULE not in build_rules("gemini", "native")


def test_another_providers_rule_counts_where_the_host_refuses_the_same() -> None:
    text = MADE_UP.replace("[[sends]]", """
[[refuses]]
what = "thinking in a message"
evidence = { url = "https://docs.made-up.example/thinking", date = "2026-01-01" }
rule = "mistral.history.no-reasoning-content"
model = "thinker"

[[sends]]""", 1)  # fmt: skip
    host = made(text)
    assert host.names("mistral.history.no-reasoning-content") and not host.names("mistral.ids.nine-alphanumerics")
    assert host.confirms("mistral.history.no-reasoning-content", "hm", "thinker")
    assert not host.confirms("mistral.history.no-reasoning-content", "hm", "other")


def test_a_rule_of_another_provider_judges_only_what_the_host_refuses() -> None:
    rule = catalogue()["compat.history.gemini-openai-thought-signature"]
    foreign = catalogue()["mistral.history.no-reasoning-content"]
    request = Request.post_json("https://h.example/x", chat("m", THINKS))
    exchange = Exchange("openai-chat", with_host="gemini-openai", request=request)
    assert rule.applies_to("gemini-openai", "native") and not foreign.applies_to("gemini-openai", "native")
    assert [item for item in judge(foreign, exchange) if item] == []
    assert [item for item in judge(foreign, replace(exchange, provider="mistral", with_host="")) if item]


@each("name", host_ids())
def test_what_is_refused_is_not_taken_too(name: str) -> None:
    file = hosts()[name]
    taken = {(entry.rule, entry.found, entry.model) for entry in file.of("takes", "sends") if entry.rule}
    assert not taken & {(entry.rule, entry.found, entry.model) for entry in file.of("refuses", "limits") if entry.rule}


# --- mistakes --------------------------------------------------------------------------------------------------------


def made(text: str) -> Host:
    return read_host(text, "made-up.toml")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("[[takes]]\nrequest = {}", "put it into refuses or limits, without a rule"),
        ('[[refuses]]\nrequest = {}\nrule = "common.result.no-orphan"', "put it into refuses or limits"),
        ('[[refuses]]\nrequest = {}\nfound = "x"', "put it into refuses or limits"),
        ('[[refuses]]\nrequest = "x"', "request must be a table"),
        ("[[takes]]\nmost = { images = 1 }", "most is what the host refuses by itself: put it into refuses or limits"),
        ("[[limits]]\nmost = { pages = 1 }", "there is no 'pages' here: use some of strict_levels"),
        ("[[limits]]\nmost = { images = -1 }", "most.images is -1: say how many there may be, as a number"),
        ('[[refuses]]\nmodel = "x"', "model is about a rule's findings: name the rule, too"),
    ],
)
def test_a_mistake_is_told(entry: str, words: str) -> None:
    text = f'{MADE_UP}\n{entry}\nwhat = "x"\nevidence = {{ url = "https://x.example", date = "2026-01-01" }}\n'
    with pytest.raises(HostError) as problem:
        made(text)
    assert words in str(problem.value)
