"""Playing one case through a gateway, model call by model call."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from conformance.gateways.asking import addressed, ask
from conformance.gateways.crossing import CrossedCall
from conformance.gateways.findings import CaseFindings
from conformance.gateways.judging_answers import HANG_UP_SECONDS, judge_answer
from conformance.gateways.judging_requests import judge_request
from conformance.gateways.plan import GatewayCase
from conformance.gateways.upstream import PACE_SECONDS, PACED, NextAnswer, ScriptedUpstream
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation
from conformance.scenarios import AnswerStep, Scenario
from conformance.session.play import beginning, said
from conformance.wires import wire
from conformance.wires.unanswered import with_all_answered

TRIES = 3
"""How often the client hangs up before it is told that the gateway took too long: a machine may be busy."""
LEAVING_SECONDS = PACE_SECONDS * PACED + 4.0


@dataclass(frozen=True, slots=True)
class Doorway:
    """Where the gateway is entered: the client's format, the provider to reach, base URL, key, headers, model."""

    provider: str
    outbound: str
    url: str
    key: str
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)


def judged_case(case: GatewayCase, door: Doorway, upstream: ScriptedUpstream) -> tuple[list[CrossedCall], CaseFindings]:
    """Play a case, and judge it. A case that goes by the clock is played again before it is held against anybody."""
    for _ in range(TRIES if case.way == "hung up" else 1):
        crossings = play_case(case, door, upstream)
        found = CaseFindings()
        for number, crossing in enumerate(crossings, 1):
            judge_request(crossing, number, found)
            judge_answer(crossing, number, found)
        if not any(map(_left_late, crossings)):
            break
    return crossings, found


def _left_late(crossing: CrossedCall) -> bool:
    """Whether the gateway left, but later than it should."""
    call = crossing.asked
    if call is None or call.gone_at is None or crossing.hung_up_at is None:
        return False
    return call.gone_at - crossing.hung_up_at > HANG_UP_SECONDS


def play_case(case: GatewayCase, door: Doorway, upstream: ScriptedUpstream) -> list[CrossedCall]:
    """Play all steps. The client goes on with what it understood; where that is no whole turn, the case ends."""
    scenario = case.played()
    conversation = beginning(scenario, scenario.profile or "native", door.model)
    crossings: list[CrossedCall] = []
    labels: tuple[str, ...] = ()
    for step in scenario.steps:
        if not isinstance(step, AnswerStep):
            conversation = conversation.then(said(step, labels, conversation))
            continue
        crossing = _crossed(case, scenario, len(crossings), conversation, door, upstream, crossings)
        crossings.append(crossing)
        turn = crossing.understood
        if crossing.hung_up_at is not None or turn is None or not _goes_on(turn):
            break
        labels = step.labels
        conversation = conversation.then(turn)
    upstream.upcoming = None
    return crossings


def _goes_on(turn: AssistantTurn) -> bool:
    return turn.error is None and turn.stop != "incomplete" and not any(call.invalid for call in turn.calls)


def _crossed(
    case: GatewayCase, scenario: Scenario, place: int, conversation: Conversation, door: Doorway,
    upstream: ScriptedUpstream, before: list[CrossedCall],
) -> CrossedCall:  # fmt: skip
    streaming = case.mode == "stream"
    request = wire(door.provider).build(with_all_answered(conversation), stream=streaming)
    request = _with_ids_as_given(request, door.provider, before)
    crossing = CrossedCall(
        door.provider, conversation, request, scenario.answers[place], streaming, door.outbound,
        before[-1] if before else None,
    )  # fmt: skip
    gated, leaves = case.way == "gated", case.way == "hung up"
    upstream.upcoming = NextAnswer(crossing, scenario, place, gated=gated, endless=leaves)
    ask(crossing, addressed(request, door.provider, door.url, door.key, door.headers), hang_up=leaves)
    if crossing.hung_up_at is not None:
        _wait_for_the_end(crossing)
    return crossing


def _with_ids_as_given(request: Request, provider: str, before: list[CrossedCall]) -> Request:
    """A request in which calls have the ids that the gateway gave them. Our wires replace an id that their provider
    would not have given, such as a long one with a signature in it; a client sends back what it got."""
    answers = [crossing.answer for crossing in before if crossing.answer is not None]
    given = [call.id for answer in answers for call in answer.offered.calls]
    sent = [str(call.id) for call in wire(provider).facts(request).calls]
    if len(given) != len(sent) or len({*sent}) < len(sent):
        return request
    body = request.body
    for one, other in zip(given, sent, strict=True):
        if one and one != other:
            body = body.replace(json.dumps(other).encode(), json.dumps(one).encode())
    return replace(request, body=body)


def _wait_for_the_end(crossing: CrossedCall) -> None:
    """Wait until the provider has noticed that nobody listens, or has said everything."""
    until = time.monotonic() + LEAVING_SECONDS
    call = crossing.asked
    while call is not None and call.gone_at is None and not call.finished and time.monotonic() < until:
        time.sleep(0.01)
