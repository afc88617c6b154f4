"""The schemas made from the SDKs' types: they are current, they say the same to two validators, and they accuse nobody
of what the reference adapters and our responders do."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonpatch
import jsonschema
import jsonschema_rs
import pytest

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import fits
from conformance.http import Request
from conformance.model import Json, Profile
from conformance.responders import ScriptedResponder
from conformance.rules import Rule, catalogue
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge
from conformance.rules.shared.shape import event_findings, request_findings, response_findings, shape
from conformance.rules.shared.shape_liberties import LIBERTIES, Liberty, own_liberties, with_liberties
from conformance.scenarios import Scenario, written_scenarios
from conformance.schemas import schema
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires import card, cards, known_ids

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "conformance" / "schemas" / "wires").glob("*.json"))
NAMES = [path.name.removesuffix(".schema.json") for path in FILES]
PROFILES: tuple[Profile, ...] = ("portable", "native")
SCENARIOS = written_scenarios()

ODD = {
    "unknown_fields": "made to be unknown",
    "missing_index": "what hosts other than the provider's own do",
    "missing_ids": "what hosts other than the provider's own do",
    "arguments_object": "what hosts other than the provider's own do",
    "arguments_null": "what hosts other than the provider's own do",
    "arguments_missing": "what hosts other than the provider's own do",
    "choice_without_delta": "what hosts other than the provider's own do",
}
"""Quirks with which answers are not of the SDK's types, and why."""

WITH_SCHEMAS = [one.id for one in cards() if one.schemas]


def _load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_schemas", ROOT / "tools" / "generate_schemas.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = _load_tool()


def made_with(name: str) -> tuple[str, str]:
    """The SDK that a committed schema was made with, and its version."""
    found = re.match(r"(\S+) (\S+): ", schema(f"wires/{name}")["$comment"])
    assert found is not None
    return found[1], found[2]


def same_sdk(name: str) -> None:
    """Skip where the SDK is another than the one that the committed schema was made with."""
    package, wanted = made_with(name)
    try:
        installed = version(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    if installed != wanted:
        pytest.skip(f"{package} is {installed}, the schema is of {wanted}")


# --- the files -------------------------------------------------------------------------------------------------------


def test_there_is_a_file_for_each_source() -> None:
    assert set(NAMES) == set(TOOL.SOURCES)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_what_the_sdk_gives(name: str) -> None:
    same_sdk(name)
    path = ROOT / "conformance" / "schemas" / "wires" / f"{name}.schema.json"
    assert path.read_text("utf-8") == TOOL.text_of(TOOL.generate(name)), "run python tools/generate_schemas.py"


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_is_small_valid_and_dispatches(path: Path) -> None:
    assert path.stat().st_size < 150_000
    document = json.loads(path.read_text("utf-8"))
    jsonschema_rs.meta.validate(document)
    assert [key for key in keywords(document) if key in ("anyOf", "oneOf", "title", "description", "default")] == []


def keywords(node: Any) -> Iterator[str]:
    """The keywords of a schema, which the names of fields are not."""
    if isinstance(node, list):
        for inner in node:
            yield from keywords(inner)
    elif isinstance(node, dict):
        for key, value in node.items():
            yield key
            if key not in ("const", "enum"):
                yield from keywords(list(value.values()) if key in ("properties", "$defs") else value)


# --- what our own adapters and responders do -------------------------------------------------------------------------


def exchanges(scenario: Scenario, provider: str, profile: Profile, delivery: str) -> list[Exchange]:
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    return Play(
        scenario, provider, profile, DELIVERIES[delivery], seat, ScriptedResponder(scenario, provider), ()
    ).run()


def profiles(scenario: Scenario, provider: str) -> list[Profile]:
    """The profiles in which to play: the native one too where it makes another request."""
    fitting = [profile for profile in PROFILES if fits(scenario, provider, profile)]
    return fitting if "image_results" in scenario.needs else fitting[:1]


@cache
def played(provider: str) -> list[tuple[Scenario, Exchange]]:
    """Every exchange of the reference adapter: blocking where that is possible, and as a stream."""
    return [
        (scenario, exchange)
        for scenario in SCENARIOS.values()
        for profile in profiles(scenario, provider)
        for delivery in (["blocking"] if not scenario.streams_only else []) + ["stream:whole"]
        for exchange in exchanges(scenario, provider, profile, delivery)
    ]


@cache
def requests(provider: str) -> list[Json]:
    """Every different request of the reference adapter."""
    bodies = {one.request.body: None for _, one in played(provider) if isinstance(one.request, Request)}
    return [json.loads(body) for body in bodies]


def is_odd(scenario: Scenario) -> bool:
    """Whether answers are not of the SDK's types: for a quirk, or as the script has a word, arguments or changes of its
    own that only deviating hosts send."""
    scripted = any(turn.finish or any(call.raw is not None for call in turn.calls) for turn in scenario.turns)
    deviating = any(change.evidence == "deviating hosts" for turn in scenario.turns for change in turn.changes)
    return bool(scenario.quirks & ODD.keys()) or scripted or deviating


@pytest.mark.slow
@pytest.mark.parametrize("provider", WITH_SCHEMAS)
def test_no_request_of_the_reference_adapter_is_accused(provider: str) -> None:
    own = next(rule for rule in catalogue().values() if ".shape." in rule.id and provider in rule.providers)
    for scenario, exchange in played(provider):
        assert judge(own, exchange) in ([None], []), scenario.id
        if "unknown_fields" not in scenario.quirks and isinstance(exchange.request, Request):
            assert list(request_findings(provider, json.loads(exchange.request.body))) == [], scenario.id


def is_untyped(scenario: Scenario, provider: str, exchange: Exchange) -> bool:
    """Whether no type has what streams: chat's deltas know functions alone (openai/openai-openapi#576)."""
    chat = card(provider).format == "openai-chat"
    return chat and exchange.streamed and "text_tools" in scenario.needs


@pytest.mark.slow
@pytest.mark.parametrize("provider", WITH_SCHEMAS)
def test_our_answers_are_of_the_sdks_types(provider: str) -> None:
    for scenario, exchange in played(provider):
        if is_odd(scenario) or is_untyped(scenario, provider, exchange):
            continue
        for event in exchange.documents if exchange.streamed else ():
            assert list(event_findings(provider, event)) == [], scenario.id
        if not exchange.streamed and exchange.response is not None and exchange.response.status < 400:
            assert list(response_findings(provider, exchange.answer)) == [], scenario.id


@pytest.mark.slow
def test_what_is_odd_is_really_odd() -> None:
    """No exception outlives its reason."""
    found: set[str] = set()
    for provider in WITH_SCHEMAS:
        for scenario, exchange in played(provider):
            documents = exchange.documents if exchange.streamed else [exchange.answer]
            judge_one = event_findings if exchange.streamed else response_findings
            if scenario.quirks - found and any(True for one in documents for _ in judge_one(provider, one)):
                found |= scenario.quirks
    assert ODD.keys() - found == set()


# --- two validators --------------------------------------------------------------------------------------------------


def forms(documents: list[Json], most: int) -> list[Json]:
    """Documents of different forms: one of those that differ only in their texts and numbers."""
    return list({json.dumps(_form(one), sort_keys=True): one for one in documents}.values())[:most]


def _form(value: Json, key: str = "") -> Json:
    if isinstance(value, dict):
        return {name: _form(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_form(inner) for inner in value]
    return value if key in ("type", "role") else type(value).__name__


def mutated(document: Json, chance: random.Random) -> Json:
    """The document with one value somewhere in it replaced, removed, or wrapped."""
    made = deepcopy(document)
    places = [(made, key) for key in made]
    for holder, key in places:
        value = holder[key]
        if isinstance(value, dict | list):
            places += [(value, inner) for inner in (value if isinstance(value, dict) else range(len(value)))]
    holder, key = chance.choice(places)
    wrong: list[Json] = [None, 7, "x", [], {}, [holder[key]], {"x": holder[key]}, True, {"type": "text"}]
    if isinstance(holder, dict) and chance.random() < 0.3:
        del holder[key]
    else:
        holder[key] = chance.choice(wrong)
    return made


def documents_of(provider: str, kind: str) -> list[Json]:
    if kind == "request":
        return requests(provider)
    regular = [exchange for scenario, exchange in played(provider) if not is_odd(scenario)]
    if kind == "stream":
        return [event for one in regular for event in one.documents if isinstance(event, dict)]
    return [one.answer for one in regular if isinstance(one.answer, dict) and not one.streamed]


def with_mutations(provider: str, kind: str, most: int) -> list[Json]:
    """Documents of many forms, each with three mutations of it."""
    chance = random.Random(f"{provider} {kind}")
    good = forms(documents_of(provider, kind), most)
    return good + [mutated(one, chance) for one in good for _ in range(3)]


KINDS = [(*name.split("."), name) for name in NAMES]


@pytest.mark.slow
@pytest.mark.parametrize(("provider", "kind", "name"), KINDS, ids=NAMES)
def test_two_validators_agree(provider: str, kind: Any, name: str) -> None:
    judged_by = shape(provider, kind)
    assert judged_by is not None
    fast, oracle = jsonschema_rs.validator_for(judged_by), jsonschema.Draft202012Validator(judged_by)
    documents = with_mutations(provider, kind, 25)
    assert len(documents) > 20
    for document in documents:
        ours = {(tuple(error.instance_path), error.kind.name) for error in fast.iter_errors(document)}
        theirs = {(tuple(error.absolute_path), str(error.validator)) for error in oracle.iter_errors(document)}
        assert ours == theirs, document


@pytest.mark.slow
@pytest.mark.parametrize(("provider", "kind", "name"), KINDS, ids=NAMES)
def test_the_dispatch_takes_what_the_sdks_own_schema_takes(provider: str, kind: str, name: str) -> None:
    """And rejects what that rejects, but for types that are merged: in the Responses API, and blocks without a type."""
    same_sdk(name)
    whole = jsonschema_rs.validator_for(TOOL.raw(name))
    dispatched = jsonschema_rs.validator_for(schema(f"wires/{name}"))
    for document in with_mutations(provider, kind, 200):
        if is_null_of_an_answer(dispatched, document):
            continue
        before, after = whole.is_valid(document), dispatched.is_valid(document)
        assert before <= after or all(map(says_more_than_a_reference, refused_items(dispatched, document))), document
        if provider != "openai-responses" and not has_untyped_blocks(document):
            assert before == after, document


def has_untyped_blocks(document: Json) -> bool:
    """Whether a message has a block without a type: the types of all blocks are merged there."""
    messages = document.get("messages")
    known = messages if isinstance(messages, list) else []
    contents = [message.get("content") for message in known if isinstance(message, dict)]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return any(isinstance(block, dict) and "type" not in block for block in blocks)


def is_null_of_an_answer(schema: jsonschema_rs.Validator, document: Json) -> bool:
    """Whether it is refused only for a null ``caller``: the SDK's type of answers has it, which it also takes to send.

    Anthropic refuses it: https://github.com/langchain-ai/langchain/pull/34286.
    """
    errors = list(schema.iter_errors(document))
    return bool(errors) and all(error.instance is None and error.instance_path[-1:] == ["caller"] for error in errors)


def refused_items(schema: jsonschema_rs.Validator, document: Json) -> list[Json]:
    """For each error, the item of ``input`` that it is about; the document where it is about something else."""
    paths = [error.instance_path for error in schema.iter_errors(document)]
    return [document["input"][path[1]] if path[0] == "input" and len(path) > 1 else document for path in paths]


def says_more_than_a_reference(item: Json) -> bool:
    """Whether an item without a type has an id: to the SDK's types it is a reference, whatever else it says."""
    return isinstance(item, dict) and "id" in item and "content" in item and "type" not in item


# --- findings --------------------------------------------------------------------------------------------------------

FLAT = {"type": "function", "name": "f", "parameters": {}}
OUTPUT = {"type": "function_call_output", "output": "x"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}

FAULTS: list[tuple[str, Json, list[str]]] = [
    ("openai-chat", {"messages": {}}, ["/messages"]),
    ("openai-chat", {"messages": [{"role": "human", "content": "x"}]}, ["/messages/0/role"]),
    ("openai-chat", {"messages": [{"content": "x"}]}, ["/messages/0/role"]),
    ("openai-chat", {"messages": [{"role": "user", "content": [{"text": "x"}]}]}, ["/messages/0/content/0/type"]),
    ("openai-chat", {"messages": [{"role": "user", "content": {"text": "x"}}]}, ["/messages/0/content"]),
    ("openai-chat", {"messages": [{"role": "assistant", "tool_calls": CALL}]}, ["/messages/0/tool_calls"]),
    ("openai-chat", {"messages": [], "tool_choice": {"type": "tool"}}, ["/tool_choice/type"]),
    ("openai-chat", {"messages": [], "tool_choice": None}, []),
    ("openai-chat", {"messages": [], "tool_choice": "any"}, ["/tool_choice"]),
    ("mistral", {"messages": [], "tool_choice": "any"}, []),
    ("mistral", {"messages": [], "tools": [{"function": {"name": 5}}]}, ["/tools/0/function/name"]),
    ("openai-responses", {"input": [{**OUTPUT, "call_id": 5}]}, ["/input/0/call_id"]),
    ("openai-responses", {"input": [{"role": "user", "content": [{"type": "text"}]}]}, ["/input/0/content/0/type"]),
    ("openai-responses", {"input": [{"role": "assistant", "content": [{"type": "output_text", "text": "x"}]}]}, []),
    ("openai-responses", {"tools": [{**FLAT, "strict": "yes"}]}, ["/tools/0/strict"]),
    ("openai-responses", {"tools": [FLAT]}, []),
    ("anthropic", {"messages": [], "tools": [{"name": "f"}]}, ["/tools/0/input_schema"]),
    ("anthropic", {"messages": [{"role": "user", "content": [{"type": "text"}]}]}, ["/messages/0/content/0/text"]),
    ("anthropic", {"messages": [], "tool_choice": "auto"}, ["/tool_choice"]),
    ("gemini", {"contents": [{"parts": [{"functionCall": {"args": []}}]}]}, ["/contents/0/parts/0/functionCall/args"]),
    ("gemini", {"contents": [{"parts": {"function_call": {"x": 1}}}]}, ["/contents/0/parts/function_call/x"]),
    ("gemini", {"contents": [], "tools": {"function_declarations": [{"name": "f"}]}}, []),
    ("gemini", {"contents": [], "tools": {"functionDeclarations": {"name": 5}}}, ["/tools/functionDeclarations/name"]),
    ("ollama", {"messages": [{"role": "user", "images": ["eA=="]}]}, []),
    ("ollama", {"messages": [{"role": "user", "images": [5]}]}, ["/messages/0/images/0"]),
    ("unified", {"messages": 5}, []),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "body", "places"), FAULTS)
def test_a_finding_is_at_the_field(provider: str, body: Json, places: list[str]) -> None:
    assert [finding.at for finding in request_findings(provider, body)] == places


@pytest.mark.parametrize("body", [None, 5, [], "x", {"messages": {"\ud800": 1}}, {1: 2}])
def test_any_document_is_read(body: Json) -> None:
    for provider in WITH_SCHEMAS:
        for judged in (request_findings, response_findings, event_findings):
            list(judged(provider, body))


def test_a_deep_document_does_no_harm() -> None:
    parameters: Json = {"type": 5}
    for _ in range(5000):
        parameters = {"type": "OBJECT", "properties": {"x": parameters}}
    body = {"contents": [], "tools": [{"functionDeclarations": [{"name": "f", "parameters": parameters}]}]}
    assert list(request_findings("gemini", body)) == []


def test_errors_pings_and_unknown_events_are_not_judged() -> None:
    for event in ({"type": "ping"}, {"type": "error", "error": {}}, {"type": "response.new_thing"}, {"error": "x"}):
        assert list(event_findings("anthropic", event)) == list(event_findings("openai-responses", event)) == []
    assert [one.at for one in event_findings("anthropic", {"type": "content_block_stop"})] == ["/index"]


SHAPES = [rule for rule in catalogue().values() if ".shape." in rule.id]


@pytest.mark.parametrize("rule", SHAPES, ids=lambda rule: rule.id)
def test_what_another_rule_names_is_not_told_again(rule: Rule) -> None:
    """The violations of the rules about declaring, choosing, replaying and answering are theirs alone."""
    prefix = rule.id.split(".")[0]
    stages = ("declare", "choose", "history", "result")
    own = [one for one in catalogue().values() if one.id.startswith(f"{prefix}.") and one.side == "build"]
    others = [one for one in own if one.stage in stages]
    assert others
    for other in others:
        broken = jsonpatch.apply_patch(deepcopy(dict(other.example)), list(other.violation))
        exchange = example_exchange(other, broken)
        assert [one for one in judge(rule, exchange) if one is not None] == [], other.id


# --- liberties -------------------------------------------------------------------------------------------------------


OWN_LIBERTIES = [
    *((one.schemas.split(".")[0], one) for one in LIBERTIES),
    *((name, one) for name in known_ids() for one in own_liberties(name)),
]


@pytest.mark.parametrize(
    ("provider", "liberty"),
    OWN_LIBERTIES,
    ids=lambda one: one if isinstance(one, str) else f"{one.definition}.{one.field}",
)
def test_a_liberty_fits_its_schemas(provider: str, liberty: Liberty) -> None:
    assert liberty.reason
    for name in liberty.schemas.split():
        owner = schema(f"wires/{name}")
        if liberty.definition not in ("", "*"):
            owner = owner["$defs"][liberty.definition]
        if liberty.definition != "*":
            assert liberty.field.removesuffix("[]") in owner["properties"]
        made = with_liberties(name, schema(f"wires/{name}"), provider)
        jsonschema_rs.validator_for(made)
        assert made != schema(f"wires/{name}")
