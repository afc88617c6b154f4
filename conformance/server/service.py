"""The strict provider: from a request to its answer, without any HTTP.

    address ──▶ scenario ──▶ which answer ──▶ judge ──▶ refuse, fail on demand, or answer

Everything but `Sessions` follows from the request alone. Safe with threads.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from conformance.answers import answer_of_response
from conformance.deliveries import DELIVERIES, Delivery
from conformance.hints import nearest
from conformance.http import Framing, Request
from conformance.model import Json
from conformance.responders import DeliveredAnswer
from conformance.scenarios import Scenario, load_scenarios
from conformance.script import ScriptError, ScriptTurn
from conformance.server.address import HEADERS, ServerAddress, address_of, has_path
from conformance.server.choosing import Choice, choose
from conformance.server.coded_bodies import CodedBodyError, plain_request
from conformance.server.directing import DirectedRefusalError, Direction, Director
from conformance.server.discovery import MODEL, discovered
from conformance.server.failures import failure
from conformance.server.faults import NONE, Fault, FaultError, fault_of
from conformance.server.following import follows, undeclared
from conformance.server.judging import RequestJudgement, judged, refusal
from conformance.server.memory import BoundedMemory
from conformance.server.own_tools import issued, made_scenario, own_tools, steps_done
from conformance.server.progress import candidates
from conformance.server.served import ServedExchange
from conformance.server.sessions import Sessions
from conformance.server.settings import Settings
from conformance.server.shapes import ANY, ORDERS, PROVOKING
from conformance.server.telling import ScenarioExchange, ScenarioReply, with_answer
from conformance.wires import card, known_ids, wire
from conformance.wires.base import stream_headers
from conformance.wires.facts import Facts
from conformance.wires.models import model_asked

_SENT_BY_PAGES = ("text/plain", "multipart/form-data")
"""Types of bodies that no SDK sends, and that any page may send anywhere without asking (Fetch standard,
"CORS-safelisted request-header", https://fetch.spec.whatwg.org/, 2026-11-23)."""


class _RefusedError(Exception):
    """The request is not answered from a scenario. ``status`` and the message are the provider's answer."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers


@dataclass(frozen=True, slots=True)
class _Decided:
    """What a request is answered with, before anything goes wrong on demand. ``lasting``: the next time, too."""

    telling: ScenarioReply
    exchange: ScenarioExchange
    judgement: RequestJudgement
    lasting: bool
    warning: str = ""


@dataclass
class Service:
    """Answers requests."""

    settings: Settings = field(default_factory=Settings)
    sessions: Sessions = field(default_factory=Sessions)
    director: Director | None = None
    """Who decides what comes next, instead of scenarios."""
    scenarios: Mapping[str, Scenario] = field(init=False)
    _fault: Fault = field(init=False)
    _known: BoundedMemory[object, _Decided] = field(default_factory=lambda: BoundedMemory(entries=500, size=32_000_000))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.scenarios = load_scenarios(self.settings.root)
        self._fault = fault_of(self.settings.fault)

    def serve(self, request: Request) -> ServedExchange:
        """The answer to a request."""
        address = address_of(request)
        sent = address.request(request)
        try:
            sent = plain_request(sent, self.settings.max_body)
        except CodedBodyError as problem:
            response = failure(address.provider, problem.status, str(problem), headers=problem.headers)
            return ServedExchange.of(address.provider, sent, response, str(problem)).ready()
        known = None if address.unknown is not None else discovered(address, sent)
        if known is not None:
            return ServedExchange.of(address.provider, sent, known).ready()
        try:
            return self._answered(address, sent).ready()
        except _RefusedError as problem:
            response = failure(address.provider, problem.status, str(problem), headers=problem.headers)
            served = ServedExchange.of(address.provider, sent, response, str(problem))
            served.session = address.session
            return served.ready()

    def too_large(self, request: Request) -> ServedExchange:
        """The answer to a request whose body is more than is read."""
        address = address_of(request)
        message = f"The request is too large: a body may have {self.settings.max_body} bytes."
        response = failure(address.provider, 413, message)
        return ServedExchange.of(address.provider, address.request(request), response, message).ready()

    def too_slow(self, request: Request) -> ServedExchange:
        """The answer to a request whose body does not come."""
        address = address_of(request)
        message = f"The request takes too long: nothing came for {self.settings.patience:g} s, or too little."
        response = failure(address.provider, 408, message, headers={"connection": "close"})
        return ServedExchange.of(address.provider, address.request(request), response, message).ready()

    def _answered(self, address: ServerAddress, request: Request) -> ServedExchange:
        _check_address(address, request)
        asked = self._fault_of(address)
        decided = self._decided(address, request)
        fault = self._due(asked, address, decided.exchange)
        served = self._outcome(decided, fault)
        exchange = decided.exchange
        served.scenario, served.session, served.place = exchange.scenario, address.session, exchange.place
        served.judgement, served.fault, served.warning = decided.judgement, fault.text, decided.warning
        served.latency, served.trickle = fault.latency, fault.trickle
        served.cut = fault.cut if fault.cut is not None else served.cut
        served.lasting = decided.lasting and asked.times is None
        if not served.problem:
            self.sessions.keep(exchange, address.session)
            if self.director is not None:
                self.director.answered(exchange, decided.telling.scenario)
        return served

    def _decided(self, address: ServerAddress, request: Request) -> _Decided:
        """Which answer comes next, and what is wrong with the request. The same request with another fault is the
        same."""
        headers = tuple(item for item in request.headers.items() if item[0].lower() != HEADERS["fault"])
        key = (address.provider, address.scenario, address.session, request.url, headers, request.body)
        with self._lock:
            known = self._known.get(key)
        if known is None:
            known = self._decide(address, request)
            if known.lasting:
                with self._lock:
                    self._known.put(key, known, 4 * len(request.body) + 4000)
        return known

    def _decide(self, address: ServerAddress, request: Request) -> _Decided:
        facts = _facts(address, request)
        if self.director is not None:
            return self._decide_directed(self.director, address, request, facts)
        usual = PROVOKING if self.settings.provoke else ANY
        choice = choose(address, facts, self.scenarios, self.settings.scenario, usual)
        if choice.without is not None:
            return self._decide_without(choice, address, request, facts)
        if choice.scenario is None:
            raise _RefusedError(404, choice.problem)
        scenario = choice.scenario
        last = self.sessions.last(address.provider, address.session)
        places = _places(facts, scenario, last)
        if not places:
            raise _RefusedError(400, f"The scenario {scenario.id!r} is over: it has {len(scenario.answers)} answers.")
        place = self._place(address, scenario, places, last, facts)
        profile = scenario.profile or self.settings.profile
        telling = ScenarioReply(scenario, place, address.provider, profile, request, facts, choice.model)
        exchange = self._exchange(telling, last)
        lasting = address.session is None and len(places) == 1 and _is_certain(exchange)
        warning = undeclared(facts, telling.intent, scenario) if exchange.intent is None else ""
        return _Decided(telling, exchange, judged(exchange, telling.intent), lasting, warning)

    def _decide_without(self, choice: Choice, address: ServerAddress, request: Request, facts: Facts) -> _Decided:
        """The same where no scenario is played: the request's own tools are called."""
        name, provider, profile = str(choice.without), address.provider, self.settings.profile
        exchange = ScenarioExchange(provider, profile, request=request, scenario=name)
        last = self.sessions.last(provider, address.session)
        goes_on = last if last is not None and last.scenario == name else None
        goes_on = goes_on or self.sessions.linked(exchange) or self.sessions.issuing(exchange)
        done = steps_done(facts, goes_on)
        if goes_on is not None and (facts.is_partial or goes_on.place == done - 1):
            exchange.previous = goes_on
        exchange.place = min(done, len(ORDERS[name]))
        own = own_tools(facts, card(provider))
        fails = done < len(ORDERS[name]) and bool(ORDERS[name][done].errors)
        times = self.sessions.times(provider, address.session, request.url, request.body) if fails else 0
        scenario = made_scenario(name, request, facts, own, done, times)
        telling = ScenarioReply(scenario, 0, provider, profile, request, facts, choice.model)
        linked = exchange.previous is not None or done == 0
        lasting = address.session is None and linked and not fails and facts.previous is None
        warning = " ".join(filter(None, (choice.warning, *own.warnings)))
        return _Decided(telling, exchange, judged(exchange, telling.intent, issued(exchange)), lasting, warning)

    def _decide_directed(
        self, director: Director, address: ServerAddress, request: Request, facts: Facts
    ) -> _Decided:
        """The same where a director decides. Nothing of it lasts: the next request is another place."""
        try:
            direction = director.directed(address.provider, request, facts)
        except DirectedRefusalError as problem:
            raise _RefusedError(400, str(problem)) from None
        exchange = self._directed_exchange(direction, address, request)
        model = model_asked(address.path, facts.document) or MODEL
        telling = ScenarioReply(
            direction.scenario, 0, address.provider, self.settings.profile, request, facts, model
        )
        return _Decided(telling, exchange, judged(exchange, telling.intent, issued(exchange)), lasting=False)

    def _directed_exchange(self, direction: Direction, address: ServerAddress, request: Request) -> ScenarioExchange:
        return ScenarioExchange(
            address.provider,
            self.settings.profile,
            request=request,
            previous=direction.previous,
            scenario=direction.name,
            place=direction.place,
        )

    # --- which answer ------------------------------------------------------------------------------------------------

    def _place(
        self, address: ServerAddress, scenario: Scenario, places: list[int], last: ScenarioExchange | None, facts: Facts
    ) -> int:
        """One of the places at which the conversation may be: after a failed answer the next one comes."""
        if len(places) == 1:
            return places[0]
        if address.session is not None:
            before = last.place if last is not None and last.scenario == scenario.id else -1
            return next((place for place in places if place > before), places[0])
        asked = self.sessions.times(address.provider, scenario.id, places[0], facts.stream)
        return places[asked % len(places)]

    def _exchange(self, telling: ScenarioReply, last: ScenarioExchange | None) -> ScenarioExchange:
        """The exchange of the request, with what came before: as it was, if known, else as it must have been."""
        exchange = telling.exchange(telling.place, telling.intent, telling.request, None)
        if not follows(exchange, telling.scenario, telling.place):
            exchange.intent = None
        if telling.place == 0:
            return exchange
        if last is None:
            last = self.sessions.linked(exchange)
        fits = last is not None and last.scenario == exchange.scenario and last.place == exchange.place - 1
        exchange.previous = last if fits else telling.before
        return exchange

    # --- what comes back ---------------------------------------------------------------------------------------------

    def _outcome(self, decided: _Decided, fault: Fault) -> ServedExchange:
        telling, exchange, judgement = decided.telling, decided.exchange, decided.judgement
        provider, request = exchange.provider, telling.request
        if judgement.rejected and not self.settings.lenient:
            served = ServedExchange.of(provider, request, refusal(provider, judgement.rejected))
            served.refused, served.problem = True, f"broke {judgement.rejected[0].rule.id}"
            return served
        if fault.status is not None:
            message = f"The fault {fault.text!r} was asked for."
            response = failure(provider, fault.status, message, retry_after=fault.retry_after)
            return ServedExchange.of(provider, request, response, message)
        if fault.error is not None:
            telling = _failing(telling, fault.error)
        delivered, cut = _delivered(telling, fault)
        exchange.receive(delivered.answer, delivered.chunks)
        if delivered.chunks is None:
            assert delivered.answer.response is not None
            served = ServedExchange.of(provider, request, delivered.answer.response)
            served.cut = cut
            return served
        framing = card(provider).framing(request.query)
        headers = stream_headers(framing)
        return ServedExchange(provider, 200, headers, delivered.chunks, request, streaming=True)

    # --- faults ------------------------------------------------------------------------------------------------------

    def _fault_of(self, address: ServerAddress) -> Fault:
        try:
            return fault_of(address.fault) if address.fault is not None else self._fault
        except FaultError as problem:
            raise _RefusedError(400, str(problem)) from None

    def _due(self, fault: Fault, address: ServerAddress, exchange: ScenarioExchange) -> Fault:
        """The fault, if it is to happen this time, too."""
        if fault.times is None:
            return fault
        whose = (address.session,) if address.session is not None else (exchange.scenario, exchange.place)
        before = self.sessions.times("fault", fault.text, address.provider, *whose)
        return fault if before < fault.times else NONE


def _check_address(address: ServerAddress, request: Request) -> None:
    if address.unknown is not None:
        asked, lists = address.unknown[:100], "'conformance list providers' and 'conformance list hosts'"
        raise _RefusedError(404, f"There is no provider {asked!r}{nearest(asked, known_ids(), lists)}")
    if not has_path(address):
        message = f"No such path: {request.method} {address.path[:200]}"
        raise _RefusedError(404, f"{message} is no call of {card(address.provider).title}.")
    if request.method != "POST":
        raise _RefusedError(405, f"{request.method} is not allowed here: use POST.", allow="POST")
    kind = (request.header("content-type") or "").lower()
    if kind.startswith(_SENT_BY_PAGES):
        raise _RefusedError(415, f"The body is said to be {kind[:50]!r}: send it as 'application/json'.")


def _facts(address: ServerAddress, request: Request) -> Facts:
    facts = wire(address.provider).facts(request)
    document: Json = facts.document
    if not isinstance(document, dict):
        what = "not JSON" if document is None else "no JSON object"
        raise _RefusedError(400, f"We could not parse the JSON body of your request: it is {what}.")
    return facts


def _places(facts: Facts, scenario: Scenario, last: ScenarioExchange | None) -> list[int]:
    """The places at which the conversation may be. A request that leaves out what the provider keeps goes on after the
    session's last exchange."""
    goes_on = facts.previous is not None and last is not None and last.scenario == scenario.id
    if goes_on and last is not None and facts.messages and not any(m.role == "assistant" for m in facts.messages):
        return [last.place + 1] if last.place + 1 < len(scenario.answers) else []
    return candidates(facts, scenario)


def _failing(telling: ScenarioReply, kind: str) -> ScenarioReply:
    """The same, but its answer ends with an error."""
    says = telling.scenario.answers[telling.place]
    if isinstance(says, ScriptError):
        return telling
    error = ScriptError(kind, f"The fault 'error={kind}' was asked for.")  # type: ignore[arg-type]
    scenario = with_answer(telling.scenario, telling.place, replace(says, fails_with=error, cut=None, damaged=False))
    return replace(telling, scenario=scenario)


def _delivered(telling: ScenarioReply, fault: Fault) -> tuple[DeliveredAnswer, int | None]:
    """The answer, and after how many bytes it breaks off if it must, though it is no stream."""
    framing = card(telling.provider).framing(telling.request.query)
    if telling.facts.stream:
        return telling.answer(_delivery(fault.delivery, framing)), None
    says = telling.scenario.answers[telling.place]
    if not isinstance(says, ScriptTurn) or not says.only_streams:
        return telling.answer(DELIVERIES["blocking"]), None
    if says.fails_with is not None:
        speaker = wire(telling.provider)
        return DeliveredAnswer(answer_of_response(speaker, speaker.render_error(says.fails_with))), None
    says = replace(says, cut=None, damaged=False)
    whole = replace(telling, scenario=with_answer(telling.scenario, telling.place, says))
    delivered = whole.answer(DELIVERIES["blocking"])
    assert delivered.answer.response is not None
    return delivered, len(delivered.answer.response.body) // 2


def _delivery(name: str | None, framing: Framing) -> Delivery:
    chosen = DELIVERIES[name or "stream:per-event"]
    if framing not in chosen.framings:
        raise _RefusedError(400, f"The delivery {chosen.name!r} does not exist for streams framed as {framing}.")
    return replace(chosen, framing=framing)


def _is_certain(exchange: ScenarioExchange) -> bool:
    """Whether the request alone decides: it continues nothing, or what it continues is known as it was sent."""
    linked = exchange.previous is None or exchange.previous.request is not None
    return linked and exchange.facts.previous is None
