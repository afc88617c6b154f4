"""Playing a scenario with an agent that is asked by another agent.

The scenario is the work of the agent that is asked. Who asks it has no tools but that agent, under a name and with a
schema of the library's own, and is given the task. Its model passes the task on, as the declaration says; the other
agent works, call by call, with the scenario's tools; and what that one says at the end is the result of the call. Or
its model hands the conversation over, and the other agent goes on with it.

Both conversations are judged, each by what it should be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from conformance.adapters.libraries.way import AgentsMeet
from conformance.adapters.served import HttpAnswer
from conformance.http import Request
from conformance.model import Json, ResultsTurn, TextPart, Tool, ToolResult
from conformance.responders import ScriptedResponder
from conformance.scenarios import AnswerStep, ResultsStep, Scenario, ScriptResult, UserStep
from conformance.script import ScriptCall, ScriptTurn
from conformance.session.agent import AgentPlay
from conformance.transcript import Exchange
from conformance.wires import wire
from conformance.wires.facts import Facts


@dataclass
class AskingPlay:
    """One case, played by two agents. ``work`` is the play of the one that is asked."""

    work: AgentPlay
    meets: AgentsMeet
    _asking: AgentPlay | None = None
    """The play of the one that asks: it is known when it has told how it can ask."""

    def run(self) -> list[Exchange]:
        """Let the agents do the task, and write down every model call that they make, in the order of the calls."""
        said = self.work.go(self._serve)
        asking, work = self._asking, self.work
        goes_on = asking is not None and len(asking.exchanges) > 1
        last = asking if asking is not None and (goes_on or not work.exchanges) else work
        last.ended(said)
        before = asking.exchanges if asking is not None else []
        return [*before[:1], *work.exchanges, *before[1:]]

    def _serve(self, request: Request) -> HttpAnswer:
        if self._asking is None:
            self._asking = self._who_asks(request)
            return self._asking.serve(request)
        if self.meets == "asks" and self._is_of_who_asks(request):
            if len(self._asking.exchanges) == 1 and self.work.exchanges:
                self._come_back(request)
            return self._asking.serve(request)
        if not self.work.exchanges and self.meets == "hands over":
            self._hand_over(request)
        return self.work.serve(request)

    def _who_asks(self, request: Request) -> AgentPlay:
        work = self.work
        tool = asked_by(wire(work.provider).facts(request))
        scenario = asking_scenario(work.scenario, tool, work.task, work.scenario.turns[-1].text)
        responder = ScriptedResponder(scenario, work.provider)
        return AgentPlay(scenario, work.provider, work.profile, work.delivery, work.agent, responder)

    def _is_of_who_asks(self, request: Request) -> bool:
        """Whether a request is of the agent that asks: it declares how it can ask, and nothing else."""
        assert self._asking is not None
        declared = [tool.name for tool in wire(self.work.provider).facts(request).client_tools]
        return declared == [tool.name for tool in self._asking.scenario.tools]

    def _come_back(self, request: Request) -> None:
        """The agent that was asked has answered. One that did so before its model was done is told so itself."""
        assert self._asking is not None
        self._asking.ran_all()
        if self.work.done:
            self.work.understood(text=None)
            return
        told = self._told(request)
        self.work.ended(told)
        scenario = asking_scenario(self.work.scenario, self._asking.scenario.tools[0], self.work.task, told)
        self._asking.scenario, self._asking.responder = scenario, ScriptedResponder(scenario, self.work.provider)

    def _told(self, request: Request) -> str:
        """What a request gives as a result."""
        results = wire(self.work.provider).facts(request).results
        return next((one.text or "" for one in results), "")

    def _hand_over(self, request: Request) -> None:
        """What was said until now is before the other agent, with the result that the library itself gave."""
        assert self._asking is not None
        self._asking.ran_all()
        self._asking.understood(text=None)
        turn = self._asking.turn(0)
        told = (TextPart(self._told(request)),)
        given = tuple(ToolResult(call.id, call.name, told) for call in turn.calls)
        self.work.before = (turn, ResultsTurn(given))
        self.work.previous = self._asking.exchanges[0]


def asked_by(facts: Facts) -> Tool:
    """The tool by which an agent asks another: the only one that it has, as the library declares it."""
    sent = next(iter(facts.client_tools), None)
    if sent is None:
        return Tool("ask", "Ask the other agent.")
    schema = sent.schema if isinstance(sent.schema, dict) else None
    strict = sent.strict if isinstance(sent.strict, bool) else None
    return Tool(str(sent.name), str(sent.description or ""), schema, strict)


def asking_scenario(scenario: Scenario, tool: Tool, task: str, answer: str) -> Scenario:
    """What happens to the agent that asks: the model passes the task on, and repeats the ``answer``."""
    call = ScriptCall(tool.name, passed_on(tool.parameters or {}, task))
    return replace(
        scenario,
        id=f"{scenario.id}/asking",
        system=None,
        tools=(tool,),
        steps=(
            UserStep(task),
            AnswerStep(ScriptTurn(calls=(call,)), (tool.name,)),
            ResultsStep((ScriptResult(tool.name, (TextPart(answer),)),)),
            AnswerStep(ScriptTurn(answer)),
        ),
    )


def passed_on(schema: Mapping[str, Json], task: str) -> dict[str, Json]:
    """The arguments with which a model passes the task on: in the text that the tool wants."""
    asked = schema.get("properties")
    wanted = schema.get("required")
    texts = [name for name, one in (asked or {}).items() if isinstance(one, dict) and one.get("type") == "string"]
    return {name: task for name in texts if wanted is None or name in wanted}
