"""An agent is judged by what it sends, which tools it runs with which arguments, and what it says at the end."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from own_kinds import ByHttpx
from playing import play

from conformance.adapters.bound import BoundAgent
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import Selection
from conformance.model import AssistantTurn, Conversation, ToolChoice, UserTurn
from conformance.responders import ScriptedResponder
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.scenarios import load_scenarios
from conformance.session.agent import OBSERVED, AgentPlay
from conformance.wires import PROVIDERS, cards

BOTH = ("blocking", "stream:per-event")


def own(name: str) -> str:
    """The address of one of our agents."""
    return f"python:own_kinds:{name}"


@pytest.mark.slow
def test_a_right_loop_conforms_on_every_provider() -> None:
    """With every task on every format, in streams with a few; on hosts that speak another's with a few."""
    formats = tuple(one.id for one in cards() if one.format == one.id)
    hosts = tuple(one.id for one in cards() if one.format != one.id)
    few = ("shell.*", "parallel_calls.*", "reasoning.*")
    played = play(own("Loop"), Selection(formats, deliveries=BOTH[:1], generated="none"))
    assert played.failed == set()
    assert len(played.cells) > 200
    streamed = play(own("Loop"), Selection(formats, few, deliveries=BOTH[1:], generated="none"))
    on_hosts = play(own("Loop"), Selection(hosts, few[:1], deliveries=BOTH))
    assert streamed.failed == on_hosts.failed == set()
    assert {provider for provider, _ in {**played.cells, **on_hosts.cells}} == set(PROVIDERS)


def test_there_is_something_for_agents_to_do() -> None:
    families = {item.family for item in load_scenarios().values() if item.suits_agents}
    assert catalogue().keys() >= OBSERVED
    assert families >= {"shell", "read_file", "read_many_files", "write_file", "replace", "grep", "parallel_calls"}


@pytest.mark.parametrize(
    ("agent", "rule"),
    [
        ("RunsOnlyTheFirst", "common.result.exactly-one-per-call"),
        ("ForgetsArguments", "common.parse.args-types-preserved"),
        ("SaysSomethingElse", "common.parse.text-kept"),
        ("NeverBegins", "common.adapter.completes"),
        ("SkipsWhatIsNotThere", "common.result.exactly-one-per-call"),
        ("SaysNothingOfWhatIsNotThere", "common.result.unanswered-told"),
        ("RaisesWhereNothingIsThere", "common.adapter.completes"),
    ],
)
def test_a_wrong_loop_fails_the_rule_that_names_its_fault(agent: str, rule: str) -> None:
    tasks = ("parallel_calls.*", "shell.*", "multi_turn.made_up_tool")
    selection = Selection(("openai-chat",), tasks, deliveries=("blocking",))
    assert rule in play(own(agent), selection).failed


class EndsInACall(ByHttpx):
    """An agent whose answer is a call of its only tool. ``kept`` are the arguments that it keeps."""

    def __init__(self, *, kept: int) -> None:
        super().__init__()
        self._kept = kept

    def run(
        self,
        provider: str,
        task: str,
        tools: Sequence[AgentTool],
        *,
        endpoint: Endpoint,
        system: str | None,
        stream: bool,
    ) -> str:
        """Ask once, and do what the model wants."""
        choice = ToolChoice("tool", tools[0].tool.name)
        conversation = Conversation((UserTurn(task),), tuple(tool.tool for tool in tools), choice, system)
        [call] = self.complete(provider, conversation, stream=stream, endpoint=endpoint).calls
        given = tools[0](dict(list((call.arguments or {}).items())[: self._kept]))
        assert not given.is_error
        return ""


@pytest.mark.parametrize(("kept", "fails"), [(9, set()), (1, {"common.parse.args-types-preserved"})])
def test_an_agent_may_end_in_a_call(kept: int, fails: set[str]) -> None:
    scenario, delivery = load_scenarios()["tool_choice.only_tool"], DELIVERIES["blocking"]
    agent, responder = BoundAgent(EndsInACall(kept=kept), "anthropic"), ScriptedResponder(scenario, "anthropic")
    [exchange] = AgentPlay(scenario, "anthropic", "native", delivery, agent, responder).run()
    assert isinstance(exchange.understood, AssistantTurn) and len(exchange.understood.calls) == 1
    checks = {name: rule.check for name, rule in catalogue().items() if name in OBSERVED}
    found = {name: list(check(exchange)) for name, check in checks.items() if check is not None}
    assert {name for name, verdicts in found.items() if any(isinstance(one, Finding) for one in verdicts)} == fails


LOOPS = [
    ("agents", "openai-agents:runner", "openai-chat"),
    ("agents", "openai-agents:runner", "openai-responses"),
    ("anthropic", "anthropic:tool-runner", "anthropic"),
    ("ollama", "ollama:loop", "ollama"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("library", "loop", "provider"), LOOPS)
def test_loops_of_public_libraries_do_their_tasks(library: str, loop: str, provider: str) -> None:
    pytest.importorskip(library)
    tasks = ("shell.*", "read_file.*", "write_file.*", "grep.*", "parallel_calls.*")
    played = play(loop, Selection((provider,), tasks, deliveries=BOTH))
    assert played.failed == set()
    assert len(played.cells) > 15
