"""Rule examples as exchanges: the documents of the catalogue, in the form in which checks read everything.

An example document has any of these keys: ``provider`` (default: the rule's first), ``ir`` (the adapter's neutral
view: what it was given in rules about building, what it understood in rules about reading), ``request``, ``response``,
``stream`` (decoded events), ``delivery`` (how the stream is framed and cut), ``raw`` (the bytes of a stream as text),
``changed`` (what the adapter changed of what it was given), ``varied`` (the request with what the rule varies changed),
``near`` (what was understood near another conversation), ``told`` (what was told while the stream was open: ``news``,
each with the number of chunks that had been given, and whether the chunks were ``closed``),
``varied_ir`` (what is other in the ``ir`` of that one),
``twin`` (what the adapter understood of the same turn when it came blocking, as in ``ir``),
``whole`` (the body that the provider would have sent without the stream),
``earlier`` (the request of the exchange before) and ``http`` (method, path, headers, status). Where a rule
about building has a response too, it is the answer of the exchange before. Tools in the ``ir`` of a rule about reading
are those of the application.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

from conformance.adapters.telling import HeardNews, NewsReport
from conformance.answers import answer_of_response, answer_of_stream
from conformance.deliveries import DELIVERIES
from conformance.http import Request, Response, StreamEvent, frame
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    Json,
    JsonPart,
    News,
    Parsed,
    Part,
    Profile,
    ProviderError,
    ResourcePart,
    ResultsTurn,
    TextInput,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Turn,
    Usage,
    UserTurn,
    compact_json,
)
from conformance.outcomes import InputChange, OperationFailure
from conformance.recordings.differences import differences
from conformance.rules import Rule
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.base import Wire
from conformance.wires.facts import Facts

ExampleDocument = Mapping[str, Any]


def example_exchange(rule: Rule, document: ExampleDocument) -> Exchange:
    """The exchange that an example document of ``rule`` describes."""
    provider = document.get("provider", rule.providers[0])
    speaker = wire(provider)
    profile: Profile = "native" if rule.profile == "native" else "portable"
    exchange = Exchange(provider, profile)
    if rule.side == "build":
        if "real" not in document and document.keys() & {"response", "stream"}:
            exchange.previous = _answered(Exchange(provider, profile), speaker, document)
        exchange.delivery = DELIVERIES.get(document.get("delivery", ""))
        exchange.request = _request(speaker, document)
        if "real" in document:
            exchange.real = True
            return _answered(exchange, speaker, document)
        if "recorded" in document:
            exchange.replayed = True
            exchange.unanswered = _deviation(document["recorded"], document.get("request", {}))
        exchange.intent = _intent(document.get("ir") or {}, exchange.facts)
        _add_other_requests(exchange, rule, document)
        if "twin" in document:
            exchange.twin = AssistantTurn(usage=_usage(document["twin"]["usage"]))
        return exchange
    ir = document.get("ir")
    if isinstance(ir, dict) and ir.keys() & {"tools", "mcp", "output"}:
        exchange.intent = Conversation((UserTurn("x"),), tuple(_tools(ir, Facts())), output=ir.get("output"))
    exchange = _answered(exchange, speaker, document)
    exchange.whole = document.get("whole")
    if "changed" in document:
        exchange.changes = tuple(InputChange(**change) for change in document["changed"])
    exchange.understood = _understood(document.get("ir", {}), exchange.offered or AssistantTurn())
    if "told" in document:
        told = tuple(HeardNews(given, News(kind, text)) for given, kind, text in document["told"]["news"])
        owed = frozenset(document["told"].get("owed", ()))
        exchange.telling = NewsReport(told, document["told"]["closed"], owed=owed)
    if rule.near is not None and "near" in document:
        exchange.readings = {rule.near: _understood(document["near"], exchange.offered or AssistantTurn())}
    return exchange


def _add_other_requests(exchange: Exchange, rule: Rule, document: ExampleDocument) -> None:
    """The requests with which the example's is compared."""
    intent, speaker = exchange.intent, wire(exchange.provider)
    if rule.varies is not None and "varied" in document:
        asked = {**(document.get("ir") or {}), **document.get("varied_ir", {})}
        other = Exchange(exchange.provider, exchange.profile, _intent(asked, exchange.facts))
        other.request = _request(speaker, {**document, "request": document["varied"]})
        exchange.variants = {rule.varies: other}
    if "earlier" in document:
        exchange.previous = Exchange(exchange.provider, exchange.profile, intent)
        exchange.previous.request = _request(speaker, {**document, "request": document["earlier"]})


def _deviation(recorded: Json, sent: Json) -> tuple[str, Json, Json] | None:
    """Where a request first differs from the one that was recorded."""
    first = next(differences(recorded, sent), None)
    return None if first is None else (first.at, first.recorded, first.sent)


# --- what the provider answered --------------------------------------------------------------------------------------


def _answered(exchange: Exchange, speaker: Wire, document: ExampleDocument) -> Exchange:
    http = document.get("http", {})
    if "stream" in document or "raw" in document:
        chunks = _chunks(speaker, document)
        return exchange.receive(answer_of_stream(speaker, chunks, exchange.intent), chunks=chunks)
    response = Response.of_json(http.get("status", 200), document.get("response", {}), http.get("headers"))
    return exchange.receive(answer_of_response(speaker, response, exchange.intent))


def _chunks(speaker: Wire, document: ExampleDocument) -> list[bytes]:
    if "raw" in document:
        return [str(document["raw"]).encode()]
    events = [StreamEvent(compact_json(data) if not isinstance(data, str) else data) for data in document["stream"]]
    delivery = DELIVERIES[document.get("delivery", "stream:per-event")]
    framed = frame(events, speaker.card.framings[0], delivery.style)
    return delivery.cut(framed) if delivery.cut is not None else framed


# --- what the adapter was given --------------------------------------------------------------------------------------


def _request(speaker: Wire, document: ExampleDocument) -> Request:
    http = document.get("http", {})
    usual = speaker.build(Conversation((UserTurn("x"),)), stream=bool(document.get("streaming")))
    body = json.dumps(document.get("request", {})).encode()
    url = urljoin(usual.url, http["path"]) if "path" in http else usual.url
    return Request(http.get("method", "POST"), url, http.get("headers", usual.headers), body)


def _intent(ir: ExampleDocument, facts: Facts) -> Conversation | None:
    if not ir:
        return None
    turns: list[Turn] = [UserTurn("x")]
    calls = [_call(call) for call in ir["calls"]] if "calls" in ir else _replayed(facts)
    if calls or ir.keys() & {"text", "refusal"}:
        turns.append(
            AssistantTurn(ir.get("text", ""), tuple(calls), "tool_calls" if calls else "end", ir.get("refusal"))
        )
    names = {call.id: call.name for call in calls}
    if "decisions" in ir:
        turns.append(DecisionsTurn(tuple(_decision(item, names) for item in ir["decisions"])))
    if "results" in ir:
        turns.append(ResultsTurn(tuple(_result(item, names) for item in ir["results"])))
    settings = {name: ir[name] for name in ("max_tokens", "reasoning", "caching", "output") if name in ir}
    return Conversation(tuple(turns), tuple(_tools(ir, facts)), _choice(ir), system=ir.get("system"), **settings)


def _replayed(facts: Facts) -> list[ToolCall]:
    """The calls of the request itself, without saying anything about them twice."""
    calls = {str(call.id): ToolCall(str(call.id), str(call.name), call.arguments) for call in facts.calls}
    return list(calls.values())


def _tools(ir: ExampleDocument, facts: Facts) -> list[Tool]:
    if "mcp" in ir:
        return [Tool(f"{item['server']}/{item['tool']}", mcp=(item["server"], item["tool"])) for item in ir["mcp"]]
    if "tools" in ir:
        return [
            Tool(item["name"], item.get("description", ""), item.get("schema"), item.get("strict"),
                 builtin=item.get("builtin"), text=TextInput(**item["text"]) if "text" in item else None,
                 kind=item.get("kind"), server=item.get("server"))
            for item in ir["tools"]
        ]  # fmt: skip
    return [Tool(str(tool.name), parameters=tool.schema) for tool in facts.functions]


def _choice(ir: ExampleDocument) -> ToolChoice:
    choice, parallel = ir.get("choice", "auto"), ir.get("parallel")
    if isinstance(choice, dict):
        return ToolChoice("tool", choice["name"], parallel)
    return ToolChoice(choice, parallel=parallel)


def _result(item: ExampleDocument, names: Mapping[str, str]) -> ToolResult:
    return ToolResult(item["id"], names.get(item["id"], ""), (_part(item),), bool(item.get("is_error")))


def _part(item: ExampleDocument) -> Part:
    """The content of a result: an ``image`` with its media type and base64 data, a ``resource``, text, or a value."""
    if "image" in item:
        return ImagePart(item["image"]["media_type"], base64.b64decode(item["image"]["data"]))
    if "resource" in item:
        return ResourcePart(**item["resource"])
    content = item.get("content", "")
    return TextPart(content) if isinstance(content, str) else JsonPart(content)


def _decision(item: ExampleDocument, names: Mapping[str, str]) -> Decision:
    return Decision(item["tool_call_id"], names.get(item["tool_call_id"], ""), item["decision"] == "accept")


# --- what the adapter understood -------------------------------------------------------------------------------------


def _understood(ir: Any, offered: AssistantTurn) -> AssistantTurn | OperationFailure:
    """The turn in ``ir``. What it does not mention was understood rightly."""
    if isinstance(ir, str):
        return OperationFailure("parse_response", "error", ir)
    given: dict[str, Any] = {key: ir[key] for key in ("text", "stop", "refusal", "opaque") if key in ir}
    if "calls" in ir:
        given["calls"] = tuple(_call(call) for call in ir["calls"])
    if "parsed" in ir:
        given["parsed"] = Parsed(ir["parsed"])
    if "message" in ir:
        given["message"] = ir["message"]
    if "usage" in ir:
        given["usage"] = _usage(ir["usage"])
    if "error" in ir:
        given["error"] = _error(ir["error"], offered.error)
    return replace(offered, **given)


def _usage(item: ExampleDocument) -> Usage:
    return Usage(item["input"], item["output"])


def _call(item: ExampleDocument) -> ToolCall:
    name = item.get("tool", item["name"])
    return ToolCall(item["id"], name, item["args"], item.get("raw_args"), bool(item.get("invalid")))


def _error(item: ExampleDocument, offered: ProviderError | None) -> ProviderError | None:
    if item is None:
        return None
    known = {"type": item["code"]} if "code" in item else {}
    known |= {key: item[key] for key in ("message", "status", "type", "retryable", "retry_after") if key in item}
    return replace(offered or ProviderError(""), **known)
