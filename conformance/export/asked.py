"""Assertions about what an adapter understood, found by asking the rules.

The reference adapter's turn is bent in many ways, and every rule is asked about each bent turn. A *candidate*, such as
"the text is this", becomes an assertion of a rule if the turn as it was keeps it, and if the rule has something against
each of the bent turns that do not. So nothing is asserted that the rule itself does not ask for, and what the rule says
stands in one place: its check.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from conformance.export.records import record_of, turn_data
from conformance.export.relations import Assertion, is_kept
from conformance.model import AssistantTurn, Json, ProviderError, Stop, ToolCall, Usage
from conformance.outcomes import OperationFailure
from conformance.rules import Rule
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires.facts import pointer

OTHER = "Something else."
ANOTHER_CALL = ToolCall("call_of_nobody", "tool_of_nobody", {})
STOPS: tuple[Stop, ...] = get_args(Stop)


@dataclass(frozen=True, slots=True)
class AskedRule:
    """A rule, and the numbers of the bent turns that it has something against."""

    rule: Rule
    against: frozenset[int]


@dataclass(frozen=True, slots=True)
class BentRecord:
    """The record of a bent turn, and which members of the turn are others."""

    record: Json
    changed: frozenset[str]

    @classmethod
    def of(cls, given: Mapping[str, Json], turn: AssistantTurn) -> BentRecord:
        """The record ``given`` with another turn."""
        data, before = turn_data(turn), given["turn"]
        return cls({**given, "turn": data}, frozenset(name for name in before if data[name] != before[name]))


def _breaking(candidate: Assertion, told: Sequence[BentRecord]) -> Iterator[int]:
    """The numbers of the records that break a candidate, which holds of the turn as it was."""
    at = candidate["at"] if isinstance(candidate["at"], str) else ONLY
    member = at.split("/")[2]
    for place, one in enumerate(told):
        if member in one.changed and not is_kept(candidate, one.record):
            yield place


def turn_assertions(exchange: Exchange, rules: Sequence[Rule]) -> list[Assertion]:
    """What ``rules`` assert of the turn of an exchange that the reference adapter played.

    A stream that was read like its blocking twin is right as well.
    """
    turn, or_twin = exchange.turn, exchange.twin is not None
    own = [rule for rule in rules if turn is not None and is_lone(rule) and _has_a_say(rule, exchange)]
    if turn is None or not own:
        return []
    bent = list(bent_turns(turn, exchange))
    asked = [_ask(rule, exchange, bent) for rule in own]
    given = {**record_of(exchange), "twin": None}
    told = [BentRecord.of(given, one) for one in bent]
    kept = (candidate for candidate in _candidates(turn, exchange) if is_kept(candidate, given))
    broken_by = ((one, frozenset(_breaking(one, told))) for one in kept)
    candidates = [(candidate, places) for candidate, places in broken_by if places]
    candidates.sort(key=lambda item: -len(item[1]))
    return [_named(one, candidate, or_twin) for one in asked for candidate in _chosen_of(one, candidates)]


def failure_assertions(exchange: Exchange, rules: Sequence[Rule]) -> list[Assertion]:
    """Which of ``rules`` are broken by an adapter that fails where the exchange is: those that have something against
    that. Where an event arrived broken, or the connection was lost, none has."""
    failed = replace(exchange, understood=OperationFailure("parse_response", "error", OTHER))
    asked = (rule for rule in rules if is_lone(rule) and any(judge(rule, failed)))
    return [{"rule": rule.id, "at": "/failed", "relation": "equals", "value": False} for rule in asked]


def is_lone(rule: Rule) -> bool:
    """Whether a rule looks at one model call alone, and not at another that is like it, or at news."""
    return rule.varies is None and rule.near is None and not rule.hears_news


def _has_a_say(rule: Rule, exchange: Exchange) -> bool:
    verdicts = judge(rule, exchange)
    return bool(verdicts) and not any(verdicts)


def _ask(rule: Rule, exchange: Exchange, bent: Sequence[AssistantTurn]) -> AskedRule:
    told = (any(judge(rule, replace(exchange, understood=one))) for one in bent)
    return AskedRule(rule, frozenset(place for place, against in enumerate(told) if against))


def _chosen_of(asked: AskedRule, candidates: Sequence[tuple[Assertion, frozenset[int]]]) -> Iterator[Assertion]:
    """The candidates that the rule asks for, those that say most first; none that the ones before say already."""
    seen = frozenset[int]()
    for candidate, broken_by in candidates:
        if broken_by <= asked.against and not broken_by <= seen:
            seen |= broken_by
            yield candidate


def _named(asked: AskedRule, candidate: Assertion, or_twin: bool) -> Assertion:
    twin: Mapping[str, Json] = {}
    if or_twin and isinstance(candidate["at"], str) and candidate["at"].startswith("/turn/"):
        twin = {"or_same_as": "/twin/" + candidate["at"].removeprefix("/turn/") + candidate.get("of", "")}
    if or_twin and candidate.get("where"):
        twin = {}
    return {"rule": asked.rule.id, **candidate, **twin}


# --- bent turns ---------------------------------------------------------------------------------------------------


def bent_turns(turn: AssistantTurn, exchange: Exchange) -> Iterator[AssistantTurn]:
    """The turn with one thing changed, in many ways. None of them is the turn itself."""
    for one in _bent(turn, exchange):
        if one != turn:
            yield one


def _bent(turn: AssistantTurn, exchange: Exchange) -> Iterator[AssistantTurn]:
    for text in _texts_like(turn.text):
        yield replace(turn, text=text)
    for stop in STOPS:
        yield replace(turn, stop=stop)
    for refusal in (None, "", OTHER, *_texts_like(turn.refusal or "")):
        yield replace(turn, refusal=refusal)
    yield from (replace(turn, usage=usage) for usage in _usages(turn.usage))
    yield from (replace(turn, error=error) for error in _errors(turn.error, exchange))
    yield from _other_calls(turn)
    for place, call in enumerate(turn.calls):
        for other in _bent_call(call, turn, exchange):
            yield replace(turn, calls=(*turn.calls[:place], other, *turn.calls[place + 1 :]))


def _texts_like(text: str) -> Iterator[str]:
    yield ""
    yield OTHER
    yield f"{text} {OTHER}"
    yield f"{OTHER} {text}"
    if text:
        yield text[: len(text) // 2]
        yield text.encode("utf-8", "surrogatepass").decode("latin-1")
        yield " ".join(text.split())


def _usages(usage: Usage | None) -> Iterator[Usage | None]:
    yield None
    yield Usage(1_000_001, 1_000_002)
    if usage is not None:
        yield replace(usage, input_tokens=usage.input_tokens + 1)
        yield replace(usage, output_tokens=usage.output_tokens + 1)


def _errors(error: ProviderError | None, exchange: Exchange) -> Iterator[ProviderError | None]:
    yield None
    yield ProviderError(OTHER)
    if error is not None:
        yield replace(error, message=OTHER)
        yield replace(error, message=f"{OTHER} {error.message}")
        yield replace(error, status=None)
        yield replace(error, status=499)
        yield replace(error, type=None)
        yield from (replace(error, type=word) for word in ("", "error_of_nobody", *_words_in(exchange.answer)))
        yield replace(error, retryable=not error.retryable)
        yield replace(error, retryable=None)
        yield replace(error, retry_after=None)
        yield replace(error, retry_after=987.0)


def _words_in(value: Json) -> Iterator[str]:
    """The texts in an answer, and its numbers as texts: words for what went wrong are among them."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _words_in(one)
    elif value is not None:
        yield str(value)


def _other_calls(turn: AssistantTurn) -> Iterator[AssistantTurn]:
    calls = turn.calls
    for stop in STOPS:
        yield replace(turn, calls=(), stop=stop)
        yield replace(turn, calls=calls[:1], stop=stop)
    yield replace(turn, calls=(*calls, ANOTHER_CALL))
    yield replace(turn, calls=(ANOTHER_CALL, *calls))
    for place in range(len(calls)):
        yield replace(turn, calls=(*calls[:place], *calls[place + 1 :]))
        yield replace(turn, calls=(*calls, replace(calls[place], id="call_again")))
    yield replace(turn, calls=calls[::-1])
    yield replace(turn, calls=(*calls[1:], *calls[:1]))


def _bent_call(call: ToolCall, turn: AssistantTurn, exchange: Exchange) -> Iterator[ToolCall]:
    ids = [other.id for other in turn.calls]
    ids += [other.id for one in exchange.earlier if one.turn is not None for other in one.turn.calls]
    for one in ("", "call_of_nobody", *ids):
        yield replace(call, id=one)
    for name in ("", "tool_of_nobody", f"{call.name}_", *(other.name for other in turn.calls)):
        yield replace(call, name=name)
    yield replace(call, invalid=not call.invalid)
    for raw in (None, "", OTHER, f" {call.raw}", json.dumps(call.raw), (call.raw or "")[: len(call.raw or "") // 2]):
        yield replace(call, raw=raw)
    yield replace(call, arguments=None)
    yield replace(call, arguments={})
    if call.arguments is None:
        yield replace(call, arguments={"of_nobody": 1}, invalid=False, raw=None)
        yield replace(call, arguments={}, invalid=False, raw=None)
        return
    yield replace(call, arguments=None, raw=OTHER, invalid=True)
    yield replace(call, arguments={**call.arguments, "of_nobody": 1})
    for at in _places_in(dict(call.arguments), ""):
        for edited in _edited(dict(call.arguments), at):
            yield replace(call, arguments=edited)


MOST_PLACES = 12
"""How many places of a call's arguments are bent one by one."""


def _places_in(value: Json, at: str) -> list[str]:
    """The pointers to all that is in a value, what is around first."""
    found: list[str] = []
    pending = [(value, at)]
    while pending and len(found) < MOST_PLACES:
        one, here = pending.pop(0)
        found += [here] if here else []
        if isinstance(one, dict):
            pending += [(inner, here + pointer(name)) for name, inner in one.items()]
        elif isinstance(one, list):
            pending += [(inner, here + pointer(place)) for place, inner in enumerate(one)]
    return found


def _edited(arguments: dict[str, Json], at: str) -> Iterator[dict[str, Json]]:
    """The arguments with another value at a place, and without the place."""
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in at.split("/")[1:])
    for change in (_others_than, None):
        for number in range(6 if change else 1):
            copy = _copied(arguments)
            holder = copy
            for part in way:
                holder = holder[int(part)] if isinstance(holder, list) else holder[part]
            key = int(last) if isinstance(holder, list) else last
            if change is None:
                del holder[key]
            else:
                others = change(holder[key])
                if number >= len(others):
                    break
                holder[key] = others[number]
            yield copy


def _copied(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _copied(one) for name, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value


def _others_than(value: Json) -> list[Json]:
    """Values like this one, and values of other types, that are not this one."""
    if isinstance(value, bool):
        return [not value, str(value).lower(), int(value), None]
    if isinstance(value, int):
        return [value + 1, str(value), float(value) + 0.5, None, *([int(float(value))] if abs(value) > 2**53 else [])]
    if isinstance(value, float):
        return [value + 1, str(value), int(value) if value == value and abs(value) < 1e300 else 0, None]
    if isinstance(value, str):
        changed = [value + "x", value.encode("utf-8", "surrogatepass").decode("latin-1"), " ".join(value.split()), ""]
        return [*(one for one in changed if one != value), None]
    if value is None:
        return ["null", "", 0, False]
    return [None, [], {}, "[]"] if value else ["[]", None, [value]]


# --- candidates ----------------------------------------------------------------------------------------------------

ONLY = "/turn/calls/*"



def _candidates(turn: AssistantTurn, exchange: Exchange) -> Iterator[Assertion]:
    """What could be asserted of a turn: each thing in it, as exactly and as loosely as rules ask."""
    yield _equals("/turn/text", turn.text)
    if turn.text:
        yield {"at": "/turn/text", "relation": "contains", "value": turn.text}
    yield {"at": "/turn/stop", "relation": "equals", "value": turn.stop}
    yield from ({"at": "/turn/stop", "relation": "none-of", "value": [stop]} for stop in STOPS if stop != turn.stop)
    yield from _told("/turn/refusal", turn.refusal)
    if turn.usage is not None:
        yield {"at": "/turn/usage", "relation": "present"}
        yield _equals("/turn/usage/input_tokens", turn.usage.input_tokens)
        yield _equals("/turn/usage/output_tokens", turn.usage.output_tokens)
    if turn.error is not None:
        yield {"at": "/turn/error", "relation": "present"}
        yield {"at": "/turn/error/message", "relation": "contains", "value": turn.error.message}
        for name in ("status", "type", "retryable", "retry_after"):
            yield from _told(f"/turn/error/{name}", getattr(turn.error, name))
    else:
        yield {"at": "/turn/error", "relation": "absent"}
    yield from _about_calls(turn, exchange)


def _equals(at: str, value: Json) -> Assertion:
    return {"at": at, "relation": "equals", "value": value}


def _told(at: str, value: Json) -> Iterator[Assertion]:
    if value is None:
        yield {"at": at, "relation": "absent"}
    else:
        yield _equals(at, value)
        yield {"at": at, "relation": "present"}
        if isinstance(value, str) and value:
            yield {"at": at, "relation": "contains", "value": value}


def _about_calls(turn: AssistantTurn, exchange: Exchange) -> Iterator[Assertion]:
    number, ids = len(turn.calls), [call.id for call in turn.calls]
    yield {"at": ONLY, "relation": "count", "value": number}
    if not number:
        return
    yield {"at": ONLY, "relation": "at-least", "value": number}
    yield {"at": f"{ONLY}/id", "relation": "matches", "value": r"[\s\S]+"}
    yield {"at": f"{ONLY}/id", "relation": "unique"}
    if exchange.previous is not None:
        yield {"at": ["/conversation/turns/*/calls/*/id", f"{ONLY}/id"], "relation": "unique"}
    yield {"at": f"{ONLY}/id", "relation": "in-order", "value": ids}
    whole: list[Assertion] = [{"at": ONLY, "relation": "count", "value": number}]
    for place, call in enumerate(turn.calls):
        by_id = {"at": ONLY, "where": [{"at": "/id", "relation": "equals", "value": call.id}]}
        yield from _about_call(by_id if exchange.usable_ids else {"at": f"/turn/calls/{place}", "if": whole}, call)
        yield {"at": f"/turn/calls/{place}", "if": whole, "of": "/id", "relation": "equals", "value": call.id}


def _about_call(here: Mapping[str, Json], call: ToolCall) -> Iterator[Assertion]:
    yield {**here, "of": "/name", "relation": "equals", "value": call.name}
    yield {**here, "of": "/invalid", "relation": "equals", "value": call.invalid}
    yield {**here, "of": "/arguments", **_value_of(call.arguments)}
    yield {**here, "of": "/arguments", "relation": "is", "value": ["object"]}
    if call.raw is not None:
        yield {**here, "of": "/raw", "relation": "equals", "value": call.raw}
        yield {**here, "of": "/raw", "relation": "present"}
    for at in _places_in(dict(call.arguments or {}), ""):
        inner = call.arguments
        for part in at.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            inner = inner[int(name)] if isinstance(inner, list) else inner[name]  # type: ignore[index]
        yield {**here, "of": f"/arguments{at}", "relation": "equals", "value": inner}
        if isinstance(inner, int) and abs(inner) > 2**53:
            yield {**here, "of": f"/arguments{at}", "relation": "none-of", "value": [int(float(inner)), float(inner)]}
        elif isinstance(inner, str) and not inner.isascii():
            misread = inner.encode("utf-8", "surrogatepass").decode("latin-1")
            yield {**here, "of": f"/arguments{at}", "relation": "none-of", "value": [misread]}


def _value_of(arguments: Mapping[str, Json] | None) -> Assertion:
    if arguments is None:
        return {"relation": "absent"}
    return {"relation": "equals", "value": dict(arguments)}
