"""What recorders leave out or replace is no finding: queries, ids and signatures."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from every import each
from talk import HOSTS, PROVIDERS, audited, conversation, interaction, records, write_lines

from conformance.answers import answer_of_response
from conformance.http import Request, Response
from conformance.rules import Rule, catalogue
from conformance.rules.check import Finding
from conformance.rules.examples import example_exchange
from conformance.traffic.audit import Audit, needs_no_adapter
from conformance.traffic.recognise import TrafficSource
from conformance.traffic.records import RecordedExchange
from conformance.traffic.redaction import ID_RULES, is_placeholder, is_signature_lost
from conformance.transcript import Exchange
from conformance.wires import wire

Json = Any
Habit = Callable[[str, int], str]

_ID = re.compile(
    r'(\\?"(?:id|call_id|tool_call_id|tool_use_id|item_id|response_id|previous_response_id)\\?": ?\\?")([^"\\]+)'
)
HABITS: dict[str, Habit] = {
    "one word": lambda own, number: "REDACTED",
    "stars": lambda own, number: re.sub("[A-Za-z0-9]+$", "***", own),
    "a tag": lambda own, number: "<id>",
    "numbered": lambda own, number: f"[ID-{number}]",
    "crosses": lambda own, number: f"{own.split('_')[0]}_XXXXXXXX",
    "some": lambda own, number: own if number % 2 else "call_***",
    "others": lambda own, number: "sanitized" if number % 2 else own,
}
"""What a recorder writes instead of an id, of which it is the so-manieth in its text."""
SIDES = [("request",), ("response", "response_raw"), ("request", "response", "response_raw")]


def replaced(text: str, habit: Habit) -> str:
    """A text of JSON with other ids."""
    count = iter(range(1, 10_000))
    return _ID.sub(lambda match: match[1] + habit(match[2], next(count)), text)


def redacted(line: Json, habit: Habit, sides: tuple[str, ...]) -> Json:
    """A line of JSON Lines, some of its sides with other ids."""
    changed = {side: json.loads(replaced(json.dumps(line[side]), habit)) for side in sides if line[side]}
    return {**copy.deepcopy(line), **changed}


@each("habit", HABITS)
@each("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_ids_that_a_recorder_replaced_are_not_judged(tmp_path: Path, provider: str, stream: bool, habit: str) -> None:
    """In the request, in the answer, or in both, also where the recorder says which exchange came before."""
    for sides in SIDES:
        for more in ({}, {"conversation": "c"}):
            talk = [{**line, "turn": turn, **more} for turn, line in enumerate(records(provider, stream=stream))]
            lines = [redacted(line, HABITS[habit], sides) for line in talk]
            audit = audited(write_lines(tmp_path / "a.jsonl", lines))
            assert [(item.rule.id, item.at, item.found) for item in audit.findings] == [], (sides, more)
            assert audit.judged == 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_id_for_all_is_a_placeholder_where_it_was_answered(tmp_path: Path, provider: str) -> None:
    lines = [redacted(line, lambda own, number: "a1b2c3d4e", ("request", "response")) for line in records(provider)]
    assert audited(write_lines(tmp_path / "a.jsonl", lines)).findings == []
    if provider == "anthropic":
        lines[1]["status"] = 400
        rules = {item.rule.id for item in audited(write_lines(tmp_path / "a.jsonl", lines)).findings}
        assert rules == {"anthropic.ids.pattern-and-uniqueness"}


@pytest.mark.parametrize("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_cassettes_without_queries_and_with_placeholders(tmp_path: Path, provider: str, stream: bool) -> None:
    """As vcrpy leaves them with ``filter_query_parameters`` and a hook for ids."""
    kept = [interaction(said, provider) for said in conversation(provider, stream=stream)]
    for one in kept:
        one["request"]["uri"] = one["request"]["uri"].partition("?")[0]
        one["request"]["headers"] = {}
        one["request"]["body"] = replaced(one["request"]["body"], HABITS["stars"])
        one["response"]["body"]["string"] = replaced(one["response"]["body"]["string"], HABITS["one word"])
    path = tmp_path / "talk.yaml"
    path.write_text(yaml.safe_dump({"interactions": kept, "version": 1}), "utf-8")
    audit = audited(path)
    assert (audit.judged, audit.findings) == (2, [])


@each("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", PROVIDERS)
@each("query", ["", "key=REDACTED", "api-version=***&alt=json"])
def test_archives_with_other_queries(tmp_path: Path, provider: str, stream: bool, query: str) -> None:
    """As browsers' exports come out of a sanitizer."""
    entries = []
    for said in conversation(provider, stream=stream):
        address = f"https://{HOSTS[provider]}{urlsplit(said.request.url).path}?{query}"
        posted = {"mimeType": "application/json", "text": said.request.body.decode()}
        content = {"mimeType": said.content_type, "text": said.answer.decode()}
        entries.append({
            "request": {"method": "POST", "url": address, "headers": [], "queryString": [], "postData": posted},
            "response": {"status": 200, "headers": [], "content": content},
        })  # fmt: skip
    path = tmp_path / "talk.har"
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": entries}}), "utf-8")
    audit = audited(path)
    assert (audit.judged, audit.findings) == (2, [])


@pytest.mark.parametrize("provider", ["openai-chat", "anthropic", "openai-responses", "mistral"])
def test_ids_that_were_kept_are_judged(tmp_path: Path, provider: str) -> None:
    """Another id is no placeholder, also one that a client made of zeros."""
    for made in ("000000000", "functions_1"):
        lines = records(provider)
        *_, last = _ID.finditer(json.dumps(lines[1]["request"]))
        lines[1]["request"] = json.loads(json.dumps(lines[1]["request"]).replace(last[2], made))
        rules = {item.rule.id for item in audited(write_lines(tmp_path / "a.jsonl", lines)).findings}
        assert "common.ids.verbatim-round-trip" in rules


def test_unrelated_talks_with_the_same_placeholder_are_not_linked(tmp_path: Path) -> None:
    """Else one is blamed for not saying what the other was answered."""
    lines = [redacted(line, HABITS["one word"], ("request", "response")) for line in records("openai-chat")]
    other = copy.deepcopy(lines[1])
    other["request"]["messages"][0]["content"] = "Something else."
    other["request"]["messages"][1]["content"] = "Other words."
    assert audited(write_lines(tmp_path / "a.jsonl", [*lines, other])).findings == []


def test_a_signature_with_a_piece_cut_out_is_not_compared() -> None:
    at = "/contents/1/parts/0/thoughtSignature"
    for found in ("REDACTED", "<signature>", f"{'EtEE' * 50}REDACTED_A8zz{'b' * 300}"):
        assert is_signature_lost(Finding(at, "EtEE", found))
    assert not is_signature_lost(Finding(at, "EtEE", "EtEF"))
    assert not is_signature_lost(Finding(at, "EtEE", None))
    assert not is_signature_lost(Finding("/contents/1/parts/0/functionCall/name", "read", "<signature>"))


@pytest.mark.parametrize("own", [
    "call_onPX6XdMHMxDNZ3PncyHEKwe", "toolu_01A09q90qw90lq917835lq9", "functions.read_file:0", "abcDEF123", "call_00_x",
    "chatcmpl-tool-3f2a", "fc_07e02ee31bd73194016a6f858124a481a280ec4ef80f2a0bc6", "msg_0", "1", "000000000", "", None,
])  # fmt: skip
def test_what_providers_and_clients_make_is_no_placeholder(own: Json) -> None:
    assert not is_placeholder(own)


# --- every rule's own example ----------------------------------------------------------------------------------------

BUILDING = [rule for rule in catalogue().values() if needs_no_adapter(rule) and rule.side == "build"]


def as_recorded(x: Exchange, habit: Habit | None, sides: tuple[str, ...]) -> Exchange:
    """The exchange as a recorder keeps it: nobody knows what was meant, there is no query, and ids are others."""
    kept = Exchange(x.provider, x.profile)
    kept.previous = as_recorded(x.previous, habit, sides) if x.previous is not None else None
    if isinstance(x.request, Request):
        body = x.request.body.decode("utf-8", "surrogatepass")
        body = replaced(body, habit) if habit is not None and "request" in sides else body
        kept.request = Request(
            x.request.method, x.request.url.partition("?")[0], {}, body.encode("utf-8", "surrogatepass")
        )
    if x.response is not None:
        said = x.response.body.decode()
        said = replaced(said, habit) if habit is not None and "response" in sides else said
        kept.receive(answer_of_response(wire(x.provider), Response(x.response.status, {}, said.encode())))
    return kept


def told(exchange: Exchange) -> set[tuple[str, str]]:
    audit = Audit()
    who = TrafficSource(exchange.provider, HOSTS.get(exchange.provider, "localhost"), own=True, addressed=True)
    audit.judge(RecordedExchange("example", 1), who, exchange)
    return {(item.rule.id, item.at) for item in audit.findings if item.side != "response"}


@pytest.mark.slow
@pytest.mark.parametrize("habit", HABITS)
def test_no_example_is_blamed_for_what_its_recorder_did(habit: str) -> None:
    """`ID_RULES` names all rules that ids matter to."""
    blamed = set()
    for rule in BUILDING:
        example = example_exchange(rule, rule.example)
        before = told(as_recorded(example, None, ()))
        for sides in (("request",), ("response",), ("request", "response")):
            blamed |= told(as_recorded(example, HABITS[habit], sides)) - before
    assert blamed == set()


@each("rule", [rule for rule in BUILDING if rule.stage == "http"], ids=lambda rule: rule.id)
def test_a_query_that_was_dropped_is_no_finding(rule: Rule) -> None:
    """The examples of these rules have no body, which other rules see."""
    found = told(as_recorded(example_exchange(rule, rule.example), None, ()))
    assert rule.id not in {name for name, _ in found}


def test_the_rules_about_ids_exist() -> None:
    assert catalogue().keys() >= ID_RULES
