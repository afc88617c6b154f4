"""Playing a scenario with an agent: it has its own loop, so it is given the task once, and the tools to call.

What an agent understood is seen by what it does: which tools it calls, with which arguments, and what it says at the
end. Nothing else of a turn can be seen, and rules about the rest are not asked (`OBSERVED`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from conformance.adapters.bound import BoundAgent
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.served import HttpAnswer
from conformance.deliveries import Delivery
from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    Profile,
    ResultsTurn,
    TextPart,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
)
from conformance.outcomes import OperationFailure
from conformance.responders import Responder
from conformance.scenarios import AnswerStep, ResultsStep, Scenario, UserStep
from conformance.session.client import http_answer
from conformance.session.play import beginning
from conformance.transcript import Exchange
from conformance.wires.base import mint

OBSERVED = frozenset({
    "common.adapter.completes",
    "common.adapter.leaves-what-it-is-given",
    "common.parse.args-decoded-object",
    "common.parse.args-types-preserved",
    "common.parse.unicode-and-escapes",
    "common.parse.integers-above-2-53",
    "common.parse.empty-arguments",
    "common.parse.text-kept",
})  # fmt: skip
"""The rules about reading that what an agent does can show."""


@dataclass
class AgentPlay:
    """One case being played by an agent."""

    scenario: Scenario
    provider: str
    profile: Profile
    delivery: Delivery
    agent: BoundAgent
    responder: Responder
    exchanges: list[Exchange] = field(default_factory=list)
    before: tuple[Turn, ...] = ()
    """What was said to another agent, after the task, before this one took over (`conformance.session.asking`)."""
    previous: Exchange | None = None
    """The last model call of that other agent."""
    _ran: dict[str, ToolCall] = field(default_factory=dict)
    """What was run of the last answer's calls, by the id of the call."""

    def run(self) -> list[Exchange]:
        """Let the agent do its task, and write down every model call that it makes."""
        self.ended(self.go(self.serve))
        return self.exchanges

    @property
    def task(self) -> str:
        """What the agent is told to do."""
        return next(step.text for step in self.scenario.steps if isinstance(step, UserStep))

    @property
    def done(self) -> bool:
        """Whether the model has said all that it has to say."""
        return len(self.exchanges) >= len(self.scenario.answers)

    def go(self, serve: Callable[[Request], HttpAnswer]) -> str | OperationFailure:
        """What the agent says at the end of its task, where ``serve`` answers its model calls."""
        start = beginning(self.scenario, self.profile, self.responder.model)
        tools = [AgentTool(tool, self._execute) for tool in start.tools]
        endpoint = Endpoint(self.provider, serve, repeats=False)
        return self.agent.run(self.task, tools, endpoint, system=start.system, stream=self.delivery.streaming)

    def ended(self, said: str | OperationFailure) -> None:
        """Write down what the agent said at the end."""
        if not self.exchanges:
            sent = (
                said
                if isinstance(said, OperationFailure)
                else OperationFailure("run", "error", "run ended without a model call")
            )
            self.exchanges.append(Exchange(self.provider, self.profile, self._conversation(), sent))
        elif isinstance(said, OperationFailure):
            self.exchanges[-1].understood = said
        else:
            self.understood(text=said)
        self.exchanges[-1].changes = self.agent.changes

    def serve(self, request: Request) -> HttpAnswer:
        """Answer a model call."""
        if self.done:
            return HttpAnswer(503, {"content-type": "text/plain"}, (b"the task is done; there is nothing more to say",))
        if self.exchanges:
            self.understood(text=None)
        place = len(self.exchanges)
        exchange = Exchange(
            self.provider,
            self.profile,
            intent=self._conversation(),
            request=request,
            delivery=self.delivery,
            previous=self.exchanges[-1] if self.exchanges else self.previous,
        )
        self.exchanges.append(exchange)
        assert exchange.intent is not None
        given = self.responder.respond(place, request, exchange.facts, exchange.intent, self.delivery)
        exchange.receive(given.answer, given.chunks)
        return http_answer(given, self.provider)

    def _execute(self, name: str, arguments: object) -> ToolResult:
        """What the scenario has the tool return for a call of it."""
        call = ToolCall("", name, arguments if isinstance(arguments, dict) else None)
        asked = _asked(call, [offered for offered in self._offered() if offered.id not in self._ran])
        if asked is None:
            return ToolResult("", name, (TextPart(f"there is no call of {name} to answer"),), is_error=True)
        self._ran[asked.id] = call
        results = {result.call_id: result for result in self._results(len(self.exchanges) - 1).results}
        if not results and len(self.exchanges) == len(self.scenario.answers):
            return ToolResult("", name, (TextPart("done"),))  # the task ends in calls, and nobody asks what they gave
        return results.get(asked.id) or ToolResult("", name, (TextPart("it has no result"),), is_error=True)

    # --- what has happened so far ------------------------------------------------------------------------------------

    def _conversation(self) -> Conversation:
        """The conversation before the next model call."""
        conversation = beginning(self.scenario, self.profile, self.responder.model)
        said = [UserTurn(step.text) for step in self.scenario.steps if isinstance(step, UserStep)]
        conversation = conversation.then(*said, *self.before)
        for place in range(len(self.exchanges)):
            conversation = conversation.then(self.turn(place), self._results(place))
        return conversation

    def turn(self, place: int) -> AssistantTurn:
        """What the provider said, every call with an id of its own: new ones where it gave none, or one used before."""
        exchange = self.exchanges[place]
        turn = exchange.offered or AssistantTurn()
        used = {call.id for earlier in self.exchanges[:place] if earlier.offered for call in earlier.offered.calls}
        seed = f"{self.scenario.id}/{place}"
        calls = [
            call
            if exchange.usable_ids and call.id not in used
            else replace(call, id=mint(f"{seed}/{number}", 24, "call_"))
            for number, call in enumerate(turn.calls)
        ]
        return replace(turn, calls=tuple(calls))

    def _offered(self) -> Sequence[ToolCall]:
        return self.turn(len(self.exchanges) - 1).calls if self.exchanges else ()

    def _results(self, place: int) -> ResultsTurn:
        """The scripted results of the calls of answer number ``place``. Of a tool that nobody declared an agent itself
        tells the model, in words of its own."""
        answers = [number for number, step in enumerate(self.scenario.steps) if isinstance(step, AnswerStep)]
        answer = self.scenario.steps[answers[place]]
        after = self.scenario.steps[answers[place] + 1 : answers[place] + 2]
        if not isinstance(answer, AnswerStep) or not after or not isinstance(after[0], ResultsStep):
            return ResultsTurn(())
        calls = dict(zip(answer.labels, self.turn(place).calls, strict=False))
        return ResultsTurn(tuple(
            ToolResult(calls[item.label].id, calls[item.label].name, item.content, item.is_error)
            for item in after[0].results
            if item.label in calls and self._is_declared(calls[item.label].name)
        ))  # fmt: skip

    def _is_declared(self, name: str) -> bool:
        return any(tool.name == name for tool in self.scenario.tools)

    def ran_all(self) -> None:
        """All calls of the last answer were run, with the arguments that they have."""
        self._ran |= {call.id: call for call in self._offered()}

    def understood(self, text: str | None) -> None:
        """Write down what the agent made of the last answer: the calls that it ran, in the order in which they were
        asked for. Nobody can run a tool that is not there."""
        exchange = self.exchanges[-1]
        ran = {call.id: call for call in self._offered() if not self._is_declared(call.name)} | self._ran
        calls = tuple(replace(ran[call.id], id=call.id) for call in self._offered() if call.id in ran)
        said = exchange.offered or AssistantTurn()
        exchange.understood = replace(said, text=said.text if text is None else text, calls=calls)
        self._ran.clear()


def _asked(call: ToolCall, left: Sequence[ToolCall]) -> ToolCall | None:
    """Which of the calls that are left is being run: one with the same arguments, or else of the same tool."""
    own = [offered for offered in left if offered.name == call.name]
    return next((offered for offered in own if offered.arguments == call.arguments), own[0] if own else None)
