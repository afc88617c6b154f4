"""What a gateway answered the client, beside what the provider had said, and by the client's format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from conformance.gateways.comparing import same_value
from conformance.gateways.crossing import CrossedCall
from conformance.gateways.findings import CaseFindings, GatewayFinding, across
from conformance.gateways.losses import lacks, refusable_losses
from conformance.gateways.upstream import FIRST_BYTE, WORDS
from conformance.model import AssistantTurn, Json, compact_json
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.rules.shared.shape import event_findings, response_findings
from conformance.script import STATUS, ScriptError, ScriptTurn
from conformance.wires import card, wire
from conformance.wires.facts import obj, value_at
from conformance.wires.grammar import follow_events

AnswerVerdicts = Iterator[tuple[str, Json, Json]]
HANG_UP_SECONDS = 1.0
BROKEN = ("incomplete", "error")
PENDING: Mapping[str, tuple[str, str]] = {
    "openai-chat": ("/choices/0/finish_reason", "tool_calls"),
    "anthropic": ("/stop_reason", "tool_use"),
}
"""Where a format says that calls are pending, and how."""
SHOWN = 300
MOST_PLACES = 12
_NUMBER = re.compile(r"/\d+(?=/|$)")
UNASKED = "what the stream cost, for which the provider must be asked (stream_options.include_usage)"


def judge_answer(x: CrossedCall, number: int, case: CaseFindings) -> None:
    """Judge what the client got for a model call."""
    for rule, expected, found in _told(x, case):
        case.found.append(across(rule, expected, found, number))
    if x.asked is not None and x.status == 200 and _is_whole(x):
        case.found += _by_its_format(x, number)
        case.found += _by_its_types(x, number)


def _is_whole(x: CrossedCall) -> bool:
    """Whether an answer came that should be whole, so that its form can be judged."""
    return isinstance(x.says, ScriptTurn) and not x.says.only_streams and x.hung_up_at is None


def _told(x: CrossedCall, case: CaseFindings) -> AnswerVerdicts:
    if x.asked is None:
        refused = list(refusable_losses(x.facts, x.outbound)) if 400 <= x.status < 500 else []
        for name in refused:
            case.lose(name)
        if not refused:
            yield "gateway.request.goes-out", "a request to the provider", _got(x)
        return
    if isinstance(x.says, ScriptError):
        yield from _error(x, x.says)
        return
    yield from _gates(x)
    if x.hung_up_at is not None:
        yield from _hang_up(x)
        return
    if x.says.only_streams and x.asked.streaming:
        yield from _broken(x, x.says)
        return
    if x.silent or x.broken or x.status != 200 or x.understood is None:
        yield "gateway.answer.comes", "an answer with status 200", _got(x)
        return
    if x.streaming and x.answer is not None and x.answer.events is None:
        yield "gateway.stream.is-one", "a stream", f"a body of {x.headers.get('content-type')}"
    elif not x.streaming and _came_as_stream(x):
        yield "gateway.stream.is-one", "a body", "a stream"
    kind = x.headers.get("content-type", "").partition(";")[0].strip()
    if not x.streaming and kind not in ("application/json", "text/event-stream"):
        yield "gateway.answer.content-type", "application/json", kind
    if len(x.upstream) > 1:
        yield "gateway.request.asks-once", "one request", f"{len(x.upstream)} requests"
    offered = x.offered
    if offered is not None:
        yield from _turn(x, offered, x.understood, case)


def _came_as_stream(x: CrossedCall) -> bool:
    """Whether events came: by the header, or because the body is a list of them."""
    return "event-stream" in x.headers.get("content-type", "") or (
        x.answer is not None and isinstance(x.answer.body, list)
    )


def _got(x: CrossedCall) -> Json:
    if x.silent:
        return "nothing in time"
    body = x.body[-SHOWN:] if x.streaming and x.status == 200 else x.body[:SHOWN]
    ended = ", and the connection ended before the answer did" if x.broken else ""
    return f"status {x.status}: {body.decode('utf-8', 'replace')}{ended}"


# --- what the model said ---------------------------------------------------------------------------------------------


def _turn(x: CrossedCall, offered: AssistantTurn, got: AssistantTurn, case: CaseFindings) -> AnswerVerdicts:
    if got.error is not None:
        yield "gateway.answer.comes", "the model's turn", f"an error: {got.error.message[:SHOWN]}"
        return
    if offered.text != got.text and not offered.refusal:
        yield "gateway.answer.text-kept", offered.text, got.text
    yield from _calls(offered, got)
    yield from _ids(x)
    if offered.stop != got.stop and not (offered.refusal and got.refusal):
        yield "gateway.answer.stop-kept", offered.stop, got.stop
    if got.calls and x.provider in PENDING and x.answer is not None:
        at, word = PENDING[x.provider]
        found = _at(x.answer.body, at)
        if offered.stop == "tool_calls" and found != word:
            yield "gateway.answer.stop-word", word, found
    if offered.usage is not None and offered.usage != got.usage:
        unasked = _must_ask(x)
        yield "gateway.answer.usage-kept", UNASKED if unasked else _usage(offered), _usage(got)
    yield from _thinking(x, case)


def _must_ask(x: CrossedCall) -> bool:
    """Whether the provider would have told what its stream cost, had it been asked."""
    call = x.asked
    chat = call is not None and card(call.provider).format == "openai-chat"
    return chat and call is not None and call.streaming and not call.facts.settings.usage


def _usage(turn: AssistantTurn) -> Json:
    return None if turn.usage is None else [turn.usage.input_tokens, turn.usage.output_tokens]


def _at(body: Json, at: str) -> Json:
    try:
        return value_at(body, at)
    except (LookupError, TypeError, ValueError):
        return None


def _calls(offered: AssistantTurn, got: AssistantTurn) -> AnswerVerdicts:
    mine, theirs = [call.name for call in offered.calls], [call.name for call in got.calls]
    if mine != theirs:
        yield "gateway.answer.calls-kept", mine, theirs or got.text[:SHOWN]
        return
    wanted = [call.arguments if not call.invalid else call.raw for call in offered.calls]
    found = [call.arguments if not call.invalid else call.raw for call in got.calls]
    if all(map(same_value, wanted, found)):
        return
    if sorted(map(repr, wanted)) == sorted(map(repr, found)):
        yield "gateway.answer.calls-kept", wanted, found
        return
    for one, other in zip(wanted, found, strict=True):
        if not same_value(one, other):
            yield "gateway.answer.arguments-kept", one, other


def _ids(x: CrossedCall) -> AnswerVerdicts:
    """Ids as they stand in the answer: there, where the format wants them, and none that was there before."""
    if x.answer is None:
        return
    form = card(x.provider).answer
    ids = [call.id for call in x.answer.offered.calls]
    earlier: set[str] = set()
    before = x.previous
    while before is not None:
        earlier |= {call.id for call in before.answer.offered.calls} if before.answer is not None else set()
        before = before.previous
    given = [one for one in ids if one]
    missing = len(given) < len(ids) and form is not None and form.ids
    if missing or len(set(given)) < len(given) or earlier & set(given):
        yield "gateway.answer.ids", "an id for each call, different from all others", ids


def _thinking(x: CrossedCall, case: CaseFindings) -> AnswerVerdicts:
    if not isinstance(x.says, ScriptTurn) or not x.says.reasoning:
        return
    said = x.says.reasoning
    if said[:40] not in x.offered_words or said[:40] in x.answered_words:
        return
    if lacks(x.provider, "thinking"):
        case.lose("thinking")
        return
    yield "gateway.answer.thinking-kept", said, "not in the answer"


# --- failures --------------------------------------------------------------------------------------------------------


def _error(x: CrossedCall, says: ScriptError) -> AnswerVerdicts:
    wanted = STATUS[says.kind]
    told_in_stream = x.status == 200 and x.streaming and x.understood is not None and x.understood.error is not None
    if x.silent or x.status == 0:
        yield "gateway.answer.comes", f"status {wanted}", _got(x)
        return
    right = x.status >= 500 if wanted >= 500 else x.status == wanted
    if not right and not told_in_stream:
        yield "gateway.error.status-kept", wanted, _got(x)
    elif not right:
        return
    if x.status >= 400:
        yield from _error_form(x)
    waits = says.retry_after is not None and x.status == wanted
    if waits and x.headers.get("retry-after") != str(says.retry_after):
        yield "gateway.error.wait-kept", str(says.retry_after), x.headers.get("retry-after")


def _error_form(x: CrossedCall) -> AnswerVerdicts:
    """Anthropic's, OpenAI's and Google's errors are objects with an ``error`` that has a ``message``."""
    document = x.answer.body if x.answer is not None else None
    error = obj(document).get("error")
    message = obj(error).get("message")
    typed = card(x.provider).format != "anthropic" or obj(document).get("type") == "error"
    if not isinstance(message, str) or not message or not typed:
        yield "gateway.error.in-its-format", "an error of the client's format", _got(x)


def _broken(x: CrossedCall, says: ScriptTurn) -> AnswerVerdicts:
    """A stream that broke off, or failed, on the provider's side."""
    got = x.understood
    told = x.broken or x.silent or x.status != 200 or got is None or got.stop in BROKEN
    rule = "gateway.stream.failure-is-told" if says.fails_with is not None else "gateway.stream.cut-is-told"
    if not told and got is not None:
        yield rule, "an end that is none, or an error", f"a turn that stops with {got.stop!r}: {_got(x)}"
    if len(x.upstream) > 1 and _passed_something(x):
        yield "gateway.stream.not-tried-again", "one request", f"{len(x.upstream)} requests"


def _passed_something(x: CrossedCall) -> bool:
    return x.understood is not None and bool(x.understood.text or x.understood.calls)


def _gates(x: CrossedCall) -> AnswerVerdicts:
    if x.gates.get(WORDS) is False:
        yield "gateway.stream.incremental", "words before the provider's third event with words", "none"
    elif x.gates.get(FIRST_BYTE) is False:
        yield "gateway.stream.begins-at-once", "a byte before the provider's second event", "none"


def _hang_up(x: CrossedCall) -> AnswerVerdicts:
    call = x.asked
    assert call is not None and x.hung_up_at is not None
    if call.gone_at is None:
        yield "gateway.stream.hang-up", "an end within a second", "the provider was heard to its end"
    elif call.gone_at - x.hung_up_at > HANG_UP_SECONDS:
        yield "gateway.stream.hang-up", "an end within a second", f"after {call.gone_at - x.hung_up_at:.1f} s"


# --- the format ------------------------------------------------------------------------------------------------------


def _by_its_format(x: CrossedCall, number: int) -> Iterator[GatewayFinding]:
    """The stream grammar, and what a body must have."""
    if x.answer is None:
        return
    own = wire(x.provider)
    if x.answer.events is not None:
        if own.grammar is None:
            return
        broken = follow_events(own.grammar, x.answer.events).violation
        if broken is not None:
            yield _of(broken.rule, broken.at, broken.expected, broken.found, number)
    elif own.body_grammar is not None:
        for look in own.body_grammar.looks(x.answer.body):
            if not look.right:
                yield _of(own.body_grammar.rule, look.at, look.expected, look.found, number)


def _by_its_types(x: CrossedCall, number: int) -> Iterator[GatewayFinding]:
    """What the official types say of an answer: one finding, with the places."""
    places = dict.fromkeys(
        f"{_NUMBER.sub('/*', finding.at)}: {compact_json(finding.expected)}" for finding in _misfits(x)
    )
    if places:
        wanted = "the fields and types that the official types have"
        yield across("gateway.answer.fits-its-types", wanted, list(places)[:MOST_PLACES], number)


def _misfits(x: CrossedCall) -> Iterator[Finding]:
    if x.answer is None or x.answer.events is None:
        yield from response_findings(x.provider, x.answer.body if x.answer is not None else None)
        return
    for event in x.answer.events:
        yield from event_findings(x.provider, event.document)


def _of(rule: str, at: str, expected: Json, found: Json, number: int) -> GatewayFinding:
    own = catalogue()[rule]
    statement = f"The answer has not the form of its format: {own.statement}"
    return GatewayFinding(rule, own.level, statement, "answer", at, expected, found, number)
