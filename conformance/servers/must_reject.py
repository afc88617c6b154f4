"""The must-reject part: what the format's own provider refuses, a server of that format must refuse too.

What is sent comes from two places: the examples of rules about requests, with the patch that breaks them, and edits of
one whole request. Rules judge both: a request is sent only if they find in it what the provider is *proven* to refuse
(by a recorded refusal, or by its documentation). Before it goes the same request without the fault. Where a server
refuses that one too, its refusal says nothing: the rule is *undecided* there.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json, ResultsTurn, TextPart, ToolCall, ToolResult, UserTurn
from conformance.mutants.examples import patched
from conformance.rules import Rule, catalogue
from conformance.server.judging import RequestFinding, judged
from conformance.servers.address import AskedServer
from conformance.servers.asking import ServerAnswer, ServerLine
from conformance.servers.probes import READ, SEARCH
from conformance.transcript import Exchange
from conformance.wires import card, wire
from conformance.wires.facts import Facts, value_at

RefusalOutcome = Literal["refused", "accepted", "failed", "undecided"]
"""What became of a wrong request. ``failed``: a status of 5xx, which is no refusal."""

NOT_ABOUT_IT = frozenset({401, 402, 403, 404, 408, 429})
"""Statuses that have to do with key, model or load, and nothing with what was sent."""

PREFIXES: Mapping[str, str] = {"anthropic": "toolu_", "openai-responses": "call_"}
"""How ids of calls begin, by format, where that matters."""

TOKENS = 64
"""The token limit of these requests: what the model says does not matter."""


@dataclass(frozen=True, slots=True)
class WrongRequest:
    """A request that the format's provider refuses, and the same one without its fault."""

    rule: Rule
    finding: RequestFinding
    right: Request
    wrong: Request
    origin: str
    """Where it comes from: the rule's own example, or an edit."""


@dataclass(frozen=True, slots=True)
class ServerRefusal:
    """What a server did with a wrong request. ``said`` are its words."""

    request: WrongRequest
    outcome: RefusalOutcome
    status: int
    said: str


@dataclass
class RejectPart:
    """All of them."""

    refusals: list[ServerRefusal] = field(default_factory=list)

    @property
    def faults(self) -> list[ServerRefusal]:
        """What was not refused."""
        return [one for one in self.refusals if one.outcome in ("accepted", "failed")]


def must_reject(line: ServerLine) -> RejectPart:
    """Send all that must be refused, each after the same request without its fault."""
    part = RejectPart()
    right: dict[bytes, ServerAnswer] = {}
    for one in wrong_requests(line.server):
        if one.right.body not in right:
            right[one.right.body] = line.send(f"right: {one.rule.id}", one.right)
        control = right[one.right.body]
        if not control.good:
            said = f"without the fault: {_said(control)}"
            part.refusals.append(ServerRefusal(one, "undecided", control.status, said))
            continue
        answer = line.send(f"wrong: {one.rule.id}", one.wrong)
        part.refusals.append(ServerRefusal(one, _outcome(answer), answer.status, _said(answer)))
    return part


def _outcome(answer: ServerAnswer) -> RefusalOutcome:
    if answer.status == 0 or answer.status in NOT_ABOUT_IT:
        return "undecided"
    if answer.status >= 500:
        return "failed"
    return "refused" if answer.status >= 400 else "accepted"


def _said(answer: ServerAnswer) -> str:
    return " ".join(filter(None, (str(answer.status or ""), answer.why, answer.body[:250])))


# --- what is sent ----------------------------------------------------------------------------------------------------


def wrong_requests(server: AskedServer) -> Iterator[WrongRequest]:
    """What the provider of a server's format is proven to refuse: at most two requests a rule."""
    told: dict[str, int] = {}
    for origin, rule, right, wrong in (*_examples(server), *_edited(server)):
        found = _proven(server, right, wrong, rule)
        if found is None:
            continue
        told[found.rule.id] = told.get(found.rule.id, 0) + 1
        if told[found.rule.id] <= 2:
            yield WrongRequest(found.rule, found, right, wrong, origin)


def _proven(server: AskedServer, right: Request, wrong: Request, rule: Rule | None) -> RequestFinding | None:
    """What the provider is proven to refuse in a request, where it takes the other one."""
    if right.body == wrong.body or _refused(server, right):
        return None
    proven = [
        one for one in _refused(server, wrong)
        if one.weight.consequence == "rejected" and not one.about_key and one.rule.stage not in ("http", "shape")
    ]  # fmt: skip
    own = [one for one in proven if one.rule.family != "compat" or card(server.provider).family == "compatible"]
    return next((one for one in own if rule is None or one.rule.id == rule.id), None)


def _refused(server: AskedServer, request: Request) -> list[RequestFinding]:
    exchange = Exchange(server.provider, request=request)
    return judged(exchange, Conversation((UserTurn("x"),))).rejected


Candidate = tuple[str, Rule | None, Request, Request]


def _examples(server: AskedServer) -> Iterator[Candidate]:
    """The examples of rules about requests to this provider, made whole requests."""
    for rule in catalogue().values():
        document = rule.example
        if rule.side != "build" or not _is_alone(document):
            continue
        provider = document.get("provider", rule.providers[0])
        if card(provider).format != card(server.provider).format or not rule.applies_to(server.provider, "native"):
            continue
        broken = patched(document, rule.violation)
        yield "example", rule, _whole(server, document["request"]), _whole(server, broken["request"])


def _is_alone(document: Mapping[str, Any]) -> bool:
    """Whether an example is one request, by itself."""
    return isinstance(document.get("request"), dict) and not document.keys() & {
        "response", "stream", "earlier", "varied", "http", "real", "recorded", "twin", "raw",
    }  # fmt: skip


def _base(server: AskedServer) -> Request:
    return wire(server.provider).build(_conversation(server, UserTurn("x")), stream=False)


def _whole(server: AskedServer, document: Mapping[str, Json]) -> Request:
    """A request that says what a document says, with the server's model, and what the format wants besides."""
    base = _base(server)
    body = {**base.document, **document} | ({"model": base.document["model"]} if "model" in base.document else {})
    return Request.post_json(base.url, body, base.headers)


def _conversation(server: AskedServer, *turns: Any, tools: tuple[Any, ...] = ()) -> Conversation:
    return Conversation(turns, tools, model=server.model, max_tokens=TOKENS)


def _edited(server: AskedServer) -> Iterator[Candidate]:
    """A round of two calls with their results, and the same with one thing wrong."""
    speaker = wire(server.provider)
    calls = (ToolCall(_id(server, 1), "read_file", {"path": "a"}), ToolCall(_id(server, 2), "read_file", {"path": "b"}))
    results = tuple(ToolResult(call.id, call.name, (TextPart("alpha"),)) for call in calls)
    conversation = _conversation(
        server, UserTurn("Read a and b."), AssistantTurn(calls=calls, stop="tool_calls"), ResultsTurn(results),
        tools=(READ, SEARCH),
    )  # fmt: skip
    right = speaker.build(conversation, stream=False)
    for title, edited in _edits(right, speaker.facts(right)):
        yield title, None, right, Request.post_json(right.url, edited, right.headers)


def _id(server: AskedServer, number: int) -> str:
    """A call's id of the usual look: nine letters and digits are what every format takes."""
    return f"{PREFIXES.get(card(server.provider).format, '')}abcdefgh{number}"


def _edits(request: Request, facts: Facts) -> Iterator[tuple[str, Json]]:
    """The request with one thing wrong, by what is wrong."""
    calls, results, tools = facts.calls, facts.results, facts.functions
    if len(results) > 1:
        yield "a result is missing", _without(request.document, results[1].at)
        yield "a call without a result", _without(request.document, *(one.at for one in results))
        yield "results without their calls", _without(request.document, *_messages_of(facts))
    if results and results[0].ref_at:
        yield "a result of an unknown call", _with(request.document, results[0].ref_at, "call_nobody1")
    if len(calls) > 1 and calls[1].id_at:
        yield "two calls of one id", _with(request.document, calls[1].id_at, calls[0].id)
    if len(calls) > 1 and calls[1].name_at:
        yield "a call of a name with blanks", _with(request.document, calls[1].name_at, "read file!")
    if calls and calls[0].arguments_at:
        other: Json = {"path": "a"} if isinstance(calls[0].raw, str) else '{"path": "a"}'
        yield "arguments of another kind", _with(request.document, calls[0].arguments_at, other)
    if tools:
        place = _name_at(request.document, tools[0].at)
        yield "a tool's name with blanks", _with(request.document, place, "read file!")
        yield "two tools of one name", _with(request.document, place, tools[1].name)
        if tools[0].schema_at:
            yield "a tool's schema that is no object", _with(request.document, tools[0].schema_at, {"type": "array"})
    for number, message in enumerate(facts.messages):
        if message.role == "user" and isinstance(value := _at(request.document, f"{message.at}/role"), str):
            yield f"a role that there is not, at {number}", _with(request.document, f"{message.at}/role", f"{value}x")


def _messages_of(facts: Facts) -> list[str]:
    """The places of the messages that make calls."""
    return [message.at for message in facts.messages if message.calls]


def _name_at(document: Json, at: str) -> str:
    """Where a tool's name is, given where the tool is."""
    places = [f"{at}/name", f"{at}/function/name"]
    return next((place for place in places if _at(document, place) is not None), places[0])


def _at(document: Json, place: str) -> Json:
    try:
        return value_at(document, place)
    except (LookupError, TypeError, ValueError):
        return None


def _with(document: Json, place: str, value: Json) -> Json:
    changed = copy.deepcopy(document)
    parent, _, name = place.rpartition("/")
    inner = _at(changed, parent)
    if isinstance(inner, list) and name.isdecimal():
        inner[int(name)] = value
    elif isinstance(inner, dict):
        inner[name] = value
    return changed


def _without(document: Json, *places: str) -> Json:
    """A document without what is at some places of its lists: the last are taken out first."""
    changed = copy.deepcopy(document)
    for place in sorted(set(places), key=_numbers, reverse=True):
        parent, _, name = place.rpartition("/")
        inner = _at(changed, parent)
        if isinstance(inner, list) and name.isdecimal() and int(name) < len(inner):
            del inner[int(name)]
    return changed


def _numbers(place: str) -> list[int]:
    return [int(part) for part in place.split("/") if part.isdecimal()]
