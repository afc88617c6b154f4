"""The model of an agent's run: it follows one conversation, and says what the script says next.

Where the conversation is, is read off the request: the last answer whose calls it replays. What was given out is never
given out again: each answer has ids of its own.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from conformance.agents.answering import LAST_WORDS, AnswerChooser, ChosenAnswer
from conformance.agents.aside import TaskRequests, answer_aside
from conformance.agents.binding import RecipeTool
from conformance.agents.findings import FindingTable
from conformance.agents.following import AnswerTrace, Examination, IssuedAnswer, IssuedCall, refused, traced
from conformance.agents.keeping import HistoryKeeper
from conformance.agents.script import CHANGING, AgentScript, RoleAnswer
from conformance.http import Request
from conformance.model import Tool, ToolChoice
from conformance.scenarios import AnswerStep, Scenario
from conformance.script import ScriptError, ScriptTurn
from conformance.server.directing import DirectedRefusalError, Direction
from conformance.server.own_tools import thoughts
from conformance.server.telling import ScenarioExchange
from conformance.wires import card
from conformance.wires.facts import Facts

AfterEnd = Literal["text", "repeat", "error"]
EARLY = 0.2
"""How many seconds before its time a request may come: clocks differ."""


@dataclass
class ScriptDirector:
    """Plays one script to one agent."""

    script: AgentScript
    task: str
    workspace: Path
    bindings: Mapping[str, RecipeTool] = field(default_factory=dict)
    after_end: AfterEnd = "text"
    findings: FindingTable = field(default_factory=FindingTable)
    issued: list[IssuedAnswer] = field(default_factory=list)
    aside: int = 0
    """How many requests were beside the task."""
    chooser: AnswerChooser = field(init=False)
    _heard: set[int] = field(default_factory=set)
    _failed: dict[int, float] = field(default_factory=dict)
    """The failures that were given, by their number in the script, with the time before which nobody shall ask."""
    _survived: bool = True
    """Whether somebody has asked again after the last failure."""
    _final: set[int] = field(default_factory=set)
    """The answers that were given after which an agent may end."""
    _excused: set[int] = field(default_factory=set)
    """The answers in the middle of which the agent was ended: it need not know them."""
    _refused: set[str] = field(default_factory=set)
    """Files that a call was to change, and of which the agent says that it did not."""
    _asked: Counter[int] = field(default_factory=Counter)
    _given: dict[str, IssuedAnswer] = field(default_factory=dict)
    _requests: TaskRequests = field(init=False)
    _keeping: HistoryKeeper = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        tasks = [self.task, *filter(None, [self.script.resumes])]
        self._requests, self._keeping = TaskRequests(tasks), HistoryKeeper(tasks, self.findings)
        self.chooser = AnswerChooser(self.script, self.bindings, self.workspace)

    # --- how far the script was played -------------------------------------------------------------------------------

    @property
    def played(self) -> int:
        """How many answers were given and heard; the last one counts as heard."""
        return len(self._heard | self._final | (self._failed.keys() if self._survived else set()))

    @property
    def length(self) -> int:
        """How many answers there are for this agent: those that it has tools for, and the last words."""
        ended_before = self.ended and self.chooser.last not in self._final
        return len(self.chooser.answers) - self.chooser.left_out - ended_before

    @property
    def ended(self) -> bool:
        """Whether an answer was given after which the agent may end."""
        return bool(self._final)

    @property
    def gave_up(self) -> bool:
        """Whether the last that was given is a failure that passes, and nobody asked again."""
        return bool(self._failed) and not self._survived

    @property
    def unchanged(self) -> set[str]:
        """Files that a call was to change, and that are as they were, as far as the agent says."""
        return self.chooser.unmade | self._refused

    @property
    def untouched(self) -> set[str]:
        """The files that the script changes by calls that were not all given out and heard, besides."""
        given = {id(call.meant) for answer in self.issued if answer.number in self._heard for call in answer.calls}
        whole = (answer for answer in self.script.answers if not answer.fails)
        changing = (call for answer in whole for call in answer.calls if call.role in CHANGING)
        return self.unchanged | {str(call.values["path"]) for call in changing if id(call) not in given}

    # --- interruptions -----------------------------------------------------------------------------------------------

    @property
    def is_to_be_interrupted(self) -> bool:
        """Whether the answer was given out in the middle of which the agent is to be ended."""
        with self._lock:
            return any(one.says.interrupted is not None and one.exchange is not None for one in self.issued)

    def interrupted(self) -> None:
        """The agent was ended: the last answer that it got is one that it need not know."""
        with self._lock:
            self._excused.add(max(answer.number for answer in self.issued))

    # --- the director ------------------------------------------------------------------------------------------------

    def directed(self, provider: str, request: Request, facts: Facts) -> Direction:
        """What answers a request."""
        with self._lock:
            traces = traced(self.issued, facts)
            if self._requests.is_aside(facts, goes_on=any(_replayed(one) for one in traces)):
                self.aside += 1
                return Direction(answer_aside(provider, request, facts), f"{self.script.id}/aside", 0)
            self._refused |= {str(call.meant.values["path"]) for call in refused(traces)}
            broken = any(self.chooser.answers[number].calls for number in self._failed)
            examined = Examination(facts, request, self.unchanged, self.findings, self._excused)
            examined.of(traces, broken=broken)
            self._keeping.examine(facts, traces, self._heard, self._excused)
            return self._next(provider, facts, traces)

    def answered(self, exchange: ScenarioExchange, scenario: Scenario) -> None:
        """An answer has gone out: the ids are known now."""
        with self._lock:
            answer = self._given.get(scenario.id)
            if answer is None or exchange.offered is None:
                return
            answer.exchange = exchange
            if answer.says.fails:
                wait = answer.says.error.retry_after or 0 if answer.says.error is not None else 0
                self._failed[answer.number], self._survived = time.monotonic() + wait, False
                return
            if answer.ends:
                self._final.add(answer.number)
            for call, offered in zip(answer.calls, exchange.offered.calls, strict=False):
                call.id = offered.id

    # --- what comes next ---------------------------------------------------------------------------------------------

    def _next(self, provider: str, facts: Facts, traces: list[AnswerTrace]) -> Direction:
        if not self.issued and facts.parallel is False:
            self.chooser.narrow()
        heard = [one.answer for one in traces if one.seen]
        self._heard |= {answer.number for answer in heard}
        last = max(heard, key=lambda answer: answer.number, default=None)
        self._came_again()
        chosen = None
        if not self._is_over(last):
            chosen = self.chooser.chosen(0 if last is None else last.number + 1, provider, facts, self._failed)
            while chosen is not None and self._goes_on_without(chosen.number, facts):
                chosen = self.chooser.chosen(chosen.number + 1, provider, facts, self._failed)
        return self._direction(chosen or self._beyond(provider, facts), provider, facts, last)

    def _came_again(self) -> None:
        """Somebody asks after a failure: that he did, and whether he has waited."""
        for number, until in self._failed.items():
            if not self._survived and time.monotonic() < until - EARLY:
                self._tell("agent.loop.tries-again", "a request after the time to wait", "one before", number)
        self._survived = True

    def _is_over(self, last: IssuedAnswer | None) -> bool:
        """Whether nothing more is to be said: all that may come after a call that finishes is the last words."""
        finished = last is not None and last.number in self._final and self.chooser.last not in self._final
        return self.ended and not finished

    def _goes_on_without(self, number: int, facts: Facts) -> bool:
        """Whether an answer was given that the client does not know, and it is no use to give it again."""
        given = [answer for answer in self.issued if answer.number == number and answer.exchange is not None]
        if not given:
            return False
        if number in self._excused:
            self._heard.add(number)
            return True
        self._asked[number] += 1
        if all(answer.asked != facts.document for answer in given):
            self._tell("agent.history.answer-kept", "the last answer", "nothing of it", number)
            return True
        self._tell("agent.loop.asks-once", "one request for an answer", "the same again", number)
        return self._asked[number] > 1

    def _tell(self, rule: str, expected: str, found: str, number: int) -> None:
        self.findings.add(rule, expected, found, answer=number + 1)

    def _beyond(self, provider: str, facts: Facts) -> ChosenAnswer:
        """The client goes on after the end, or the script has no last words."""
        refused_last = any(self.chooser.answers[number].refusal for number in self._final)
        if self.ended and not refused_last:  # after a refusal another try is fair
            self.findings.add("agent.loop.ends", "no request after the last answer", "one more")
        if self.ended and self.after_end == "error":
            raise DirectedRefusalError("The script is over.")
        again = None
        if self.after_end == "repeat":
            number = max((answer.number for answer in self.issued), default=0)
            again = self.chooser.chosen(number, provider, facts, self._failed)
        return again or ChosenAnswer(self.chooser.last, RoleAnswer(text=LAST_WORDS))

    def _direction(self, chosen: ChosenAnswer, provider: str, facts: Facts, last: IssuedAnswer | None) -> Direction:
        name = f"agent/{self.script.id}/{len(self._given) + 1}"
        says, calls = chosen.says, tuple(IssuedCall(meant, sent) for meant, sent in chosen.calls)
        answer = IssuedAnswer(chosen.number, says, calls, asked=facts.document, ends=chosen.ends)
        self._given[name] = answer
        if calls and not says.fails:
            self.issued.append(answer)
        turn = says.error or _turn(says, calls, provider, facts)
        return Direction(_scenario(name, turn, facts), self.script.id, chosen.number, last.exchange if last else None)


def _turn(says: RoleAnswer, calls: tuple[IssuedCall, ...], provider: str, facts: Facts) -> ScriptTurn:
    own, sealing = card(provider), {"redacted_thinking"} if says.sealed else set()
    return ScriptTurn(
        says.text,
        tuple(call.sent for call in calls),
        thoughts(says.thinks, own, facts) if says.thinks else None,
        says.refusal or None,
        quirks=frozenset(sealing & own.quirks),
        cut=says.breaks,
        fails_with=says.inside,
    )


def _replayed(one: AnswerTrace) -> bool:
    return any(trace.call is not None or trace.result is not None for trace in one.calls)


def _scenario(name: str, says: ScriptTurn | ScriptError, facts: Facts) -> Scenario:
    """One answer, as a scenario. Its name is in the ids that it gives out."""
    declared = {str(tool.name): tool for tool in facts.client_tools}
    tools = tuple(
        Tool(name, parameters=tool.schema if isinstance(tool.schema, dict) else None)
        for name, tool in declared.items()
    )
    return Scenario(
        id=name, title="An answer to an agent", rules=(), requires=frozenset(), providers=None, profile=None,
        system=None, reasoning=False, tools=tools, choice=ToolChoice(), history=(), steps=(AnswerStep(says),),
    )  # fmt: skip
