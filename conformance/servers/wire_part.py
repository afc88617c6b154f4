"""The wire part: what a server's answers look like, whatever its model says.

The probes are asked, blocking and as streams, then what belongs together is compared; then come results, wrong
requests, and a client that hangs up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.engine.evidence import bounded
from conformance.http import Request
from conformance.model import Conversation, Json, UserTurn, decoded_json
from conformance.rules import catalogue
from conformance.rules.check import Finding, Verdicts, holds
from conformance.rules.shared.shape import misfits
from conformance.servers.asking import ServerAnswer, ServerLine
from conformance.servers.looking import at, content_type, form_of, verdicts
from conformance.servers.probes import PROBES, RESULTS, WORDS, with_results
from conformance.servers.result_forms import in_other_forms
from conformance.servers.rules import SERVER_RULES
from conformance.wires import card, wire
from conformance.wires.answer_layout import AnswerLayout
from conformance.wires.facts import obj

LONG = 1.0
"""How many seconds a stream takes at least of which it is asked whether it comes piece by piece."""

PIECES = 5
"""How many events such a stream has at least."""

LATE = 0.9
"""The part of the whole time after which the first piece of a stream is late."""


AS_IT_COMES = "server.stream.as-it-comes"


@dataclass(frozen=True, slots=True)
class ServerFinding:
    """Something that a server does wrong, told once: where it was seen first, and how often."""

    rule: str
    probe: str
    at: str
    expected: Json
    found: Json


def level_of(rule: str) -> str:
    """Whether what breaks a rule fails a server: ``must`` does, ``should`` is only told."""
    own = SERVER_RULES.get(rule)
    return own.level if own is not None else catalogue()[rule].level


@dataclass
class WirePart:
    """What was looked at, by rule: how often, and what was wrong."""

    checked: dict[str, int] = field(default_factory=dict)
    findings: list[ServerFinding] = field(default_factory=list)
    answers: list[ServerAnswer] = field(default_factory=list)

    def note(self, rule: str, probe: str, verdict: Finding | None) -> None:
        """Count a verdict."""
        self.checked[rule] = self.checked.get(rule, 0) + 1
        if verdict is not None:
            self.findings.append(ServerFinding(rule, probe, verdict.at, verdict.expected, verdict.found))

    def look(self, answer: ServerAnswer) -> ServerAnswer:
        """Judge one answer to a request that is right, and keep it."""
        self.answers.append(answer)
        self.judge(answer)
        return answer

    def judge(self, answer: ServerAnswer) -> list[ServerFinding]:
        """Judge one answer to a request that is right, and say what is wrong with it."""
        before = len(self.findings)
        for rule, verdict in answer_verdicts(answer):
            self.note(rule, answer.name, verdict)
        return self.findings[before:]


BESIDE_CALLS = frozenset({
    "server.answer.content-type", "server.answer.types", "server.answer.usage", "server.answer.finish-fits",
    "server.stream.usage", AS_IT_COMES,
})  # fmt: skip
"""The rules that are about what stands beside calls: what was called is known all the same."""


def hides_calls(answer: ServerAnswer, found: Sequence[ServerFinding]) -> bool:
    """Whether nobody can say for certain what an answer calls, by what is wrong with it. That its stream lacks the end
    hides nothing."""
    end = f"/{len(answer.exchange.events or ())}"
    return any(one.rule not in BESIDE_CALLS and one.at != end for one in found)


def finding_documents(findings: Sequence[ServerFinding]) -> list[dict[str, Any]]:
    """Findings as JSON, each rule told once: the first of its findings, how many there are, and where."""
    told: dict[str, list[ServerFinding]] = {}
    for one in findings:
        told.setdefault(one.rule, []).append(one)
    return [_document(rule, some) for rule, some in told.items()]


def _document(rule: str, some: Sequence[ServerFinding]) -> dict[str, Any]:
    first = some[0]
    return {
        "rule": rule, "level": level_of(rule), "times": len(some),
        "probes": sorted({one.probe for one in some})[:20], "at": first.at,
        "expected": bounded(first.expected), "found": bounded(first.found),
    }  # fmt: skip


def wire_part(line: ServerLine) -> WirePart:
    """Ask all, and judge."""
    part = WirePart()
    for probe in PROBES:
        asked = replace(probe.conversation, model=line.server.model)
        blocking = part.look(line.ask(probe.id, asked, stream=False))
        streamed = part.look(line.ask(probe.id, asked, stream=True))
        for verdict in _agrees(blocking, streamed):
            part.note("server.stream.agrees", probe.id, verdict)
    for answer in _with_calls(part.answers):
        conversation = _continued(line, answer)
        for stream in (False, True):
            part.look(line.ask(f"results after {answer.name}", conversation, stream=stream))
        provider = line.server.provider
        for name, request in in_other_forms(provider, wire(provider).build(conversation, stream=False)).items():
            part.look(line.send(f"{name}, after {answer.name}", request, conversation=conversation))
    for verdict in _ids_once(part.answers):
        part.note("server.answer.ids-once", "all", verdict)
    _errors(line, part)
    _hang_up(line, part)
    return part


# --- one answer ------------------------------------------------------------------------------------------------------


def answer_verdicts(answer: ServerAnswer) -> Iterator[tuple[str, Finding | None]]:
    """All that is said about one answer to a request that is right."""
    x, came = answer.exchange, answer.exchange.events is not None
    refused = answer.status == 0 or answer.status >= 400
    yield "server.request.taken", holds(not refused, "", "an answer", _said(answer))
    if refused:
        return
    if not came and not answer.why and not isinstance(x.answer, dict):
        yield "server.answer.readable", Finding("", "one JSON object", _said(answer))
        return
    error = answer.turn.error if not answer.why else None
    if error is not None:
        yield "server.error.status", Finding("", "a status of 4xx or 5xx beside an error", _said(answer))
        return
    whole = answer.whole and not answer.why
    yield "server.answer.readable", holds(whole, "", "a whole answer", _said(answer))
    if not whole:
        return
    yield "server.stream.as-asked", holds(came == answer.streamed, "", _kind(answer.streamed), _kind(came))
    for rule, own in (("server.answer.content-type", content_type(answer.record, x)), (AS_IT_COMES, _comes(answer))):
        for verdict in own:
            yield rule, verdict
    yield from verdicts(answer.record, answer.who, x)


def _said(answer: ServerAnswer) -> str:
    words = answer.why or ("" if answer.whole else "it breaks off")
    return " ".join(filter(None, (str(answer.status or "no answer"), words, answer.body[:250])))


def _kind(stream: bool) -> str:
    return "a stream" if stream else "one document"


def _comes(answer: ServerAnswer) -> Verdicts:
    """Whether a stream that takes its time comes piece by piece."""
    if answer.exchange.events is None or len(answer.exchange.events) < PIECES or answer.arrived[-1] < LONG:
        return
    first, last = answer.arrived[0], answer.arrived[-1]
    yield holds(first < LATE * last, "", f"a first piece long before the end, at {last:.1f} s", f"at {first:.1f} s")


# --- what belongs together -------------------------------------------------------------------------------------------


def _agrees(blocking: ServerAnswer, streamed: ServerAnswer) -> Verdicts:
    """Whether two answers of the same kind have the same form. A model may choose otherwise: then nothing is said."""
    one, other = blocking.exchange, streamed.exchange
    form = form_of(one)
    if form is None or not (blocking.good and streamed.good) or one.events is not None or other.events is None:
        return
    words = [at(x.answer, form.finish) for x in (one, other)]
    if bool(blocking.turn.calls) == bool(streamed.turn.calls) and not form.cut & {str(word) for word in words}:
        yield holds(words[0] == words[1], form.finish, words[0], words[1])
    if blocking.turn.calls and streamed.turn.calls:
        has_ids = [all(call.id for call in answer.turn.calls) for answer in (blocking, streamed)]
        yield holds(has_ids[0] == has_ids[1], "ids of calls", _there(has_ids[0]), _there(has_ids[1]))


def _there(is_there: bool) -> str:
    return "there" if is_there else "missing"


def _ids_once(answers: Sequence[ServerAnswer]) -> Verdicts:
    """Whether each call's id is new. Who asks the same twice may get the same twice: our own server does that."""
    given: dict[str, tuple[ServerAnswer, Json]] = {}
    for answer in answers:
        own = {call.id for call in answer.turn.calls if call.id} if answer.good else set()
        for one in sorted(own):
            known, asked = given.setdefault(one, (answer, _asked(answer)))
            once = known is answer or asked == _asked(answer)
            yield holds(once, one, "an id of its own", f"{known.name}, {answer.name}")


def _asked(answer: ServerAnswer) -> Json:
    request = answer.record.request
    document = request.document if request is not None else None
    return {name: value for name, value in obj(document).items() if name not in ("stream", "stream_options")}


def _continued(line: ServerLine, answer: ServerAnswer) -> Conversation:
    """The conversation that goes on with the results of an answer's calls."""
    assert answer.conversation is not None
    turn = wire(line.server.provider).read(answer.exchange.answer, answer.conversation)
    return with_results(answer.conversation.then(turn))


def _with_calls(answers: Sequence[ServerAnswer]) -> list[ServerAnswer]:
    """The first answer with calls, blocking and streamed, that a client could go on from."""
    usable = [
        answer for answer in answers
        if answer.good and answer.turn.calls and not any(call.invalid for call in answer.turn.calls)
        and {call.name for call in answer.turn.calls} <= RESULTS.keys()
    ]  # fmt: skip
    return [own[0] for stream in (False, True) if (own := [one for one in usable if one.streamed is stream])]


# --- what cannot be answered, and what is cut ------------------------------------------------------------------------


def _errors(line: ServerLine, part: WirePart) -> None:
    for probe, request, stream in _wrong_requests(line):
        answer = line.send(probe, request, stream=stream)
        part.note("server.error.status", answer.name, holds(400 <= answer.status < 500, "", "4xx", _said(answer)))
        if answer.status >= 400:
            for verdict in error_form(answer):
                part.note("server.error.form", answer.name, verdict)


def _wrong_requests(line: ServerLine) -> Iterator[tuple[str, Request, bool]]:
    provider = line.server.provider
    asked = Conversation((UserTurn(WORDS),), model=line.server.model, max_tokens=64)
    for stream in (False, True):
        right = wire(provider).build(asked, stream=stream)
        wrong = {**right.document, card(provider).forms.conversation: 5}
        yield "body-that-breaks-off", replace(right, body=right.body[: len(right.body) // 2]), stream
        if card(provider).schemas:  # else nobody says what its type is
            yield "conversation-of-a-number", Request.post_json(right.url, wrong, right.headers), stream


def error_form(answer: ServerAnswer) -> Verdicts:
    """Whether an error can be read by the format's SDKs."""
    provider = answer.exchange.provider
    own = card(provider)
    document = decoded_json(answer.record.body or b"")
    document = document[0] if isinstance(document, list) and document else document
    if own.answer is None:
        return
    if own.id != own.format:  # a host's errors may be its own: they are read, and held against no schema
        yield holds(isinstance(document, dict), "", "a JSON object", answer.body[:300])
        return
    wrong = next(misfits(_validator(own.answer), document), None)
    yield None if wrong is None else Finding(wrong.at, wrong.expected, _shown(wrong.found, answer))


def _shown(found: Json, answer: ServerAnswer) -> Json:
    return answer.body[:300] if found is None else found


def _validator(form: AnswerLayout) -> Any:
    import jsonschema_rs

    return jsonschema_rs.validator_for(dict(form.error))


def _hang_up(line: ServerLine, part: WirePart) -> None:
    asked = replace(PROBES[0].conversation, model=line.server.model)
    if why := line.hang_up(asked):
        part.note("server.request.taken", "hang-up (stream)", Finding("", "an answer", why))
        return
    answer = line.ask("after-hang-up", asked, stream=False)
    goes_on = answer.whole and answer.status < 500
    part.note("server.cut.goes-on", answer.name, holds(goes_on, "", "an answer", _said(answer)))
