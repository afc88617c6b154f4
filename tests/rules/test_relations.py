"""Relations between requests: the same model call asked for with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import conformance
from conformance.adapters.reference import ReferenceAdapter
from conformance.http import Request
from conformance.model import (
    AssistantTurn,
    Conversation,
    JsonPart,
    ResultsTurn,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    UserTurn,
)
from conformance.rules import catalogue
from conformance.session.variants import BESIDE, STRICT_BESIDE, SYSTEM, VARIANTS

READ, LIST = Tool("read"), Tool("list")
TALK = Conversation((UserTurn("hi"),), tools=(READ, LIST), system="Be kind.")
CALL = AssistantTurn(calls=(ToolCall("1", "read"),), stop="tool_calls")
ELSEWHERE = ("free-choice", "strict-tool-beside", "idle-choice", "calls-forbidden")
"""What is varied in scenarios of their own."""
RELATIONS = [rule for rule in catalogue().values() if rule.varies or rule.id == "common.history.only-extended"]


def answered(part: TextPart | JsonPart) -> Conversation:
    return TALK.then(CALL, ResultsTurn((ToolResult("1", "read", (part,)),)))


CHANGES: dict[str, tuple[str, Conversation, Conversation | None]] = {
    "again": ("again", TALK, TALK),
    "streamed": ("streamed", TALK, TALK),
    "a tool beside": ("tool-beside", TALK, replace(TALK, tools=(BESIDE, READ, LIST))),
    "a strict tool beside": ("strict-tool-beside", TALK, replace(TALK, tools=(STRICT_BESIDE, READ, LIST))),
    "no tools": ("tool-beside", replace(TALK, tools=()), None),
    "reversed": ("tools-reversed", TALK, replace(TALK, tools=(LIST, READ))),
    "one tool": ("tools-reversed", replace(TALK, tools=(READ,)), None),
    "free": ("free-choice", replace(TALK, choice=ToolChoice("required")), TALK),
    "free already": ("free-choice", TALK, None),
    "forced and thinking": ("free-choice", replace(TALK, choice=ToolChoice("required"), reasoning=True), None),
    "guided": ("other-system", TALK, replace(TALK, system=SYSTEM)),
    "not guided": ("other-system", replace(TALK, system=None), None),
    "another limit": ("other-limit", TALK, replace(TALK, max_tokens=1536)),
    "idle": (
        "idle-choice", replace(TALK, tools=()), replace(TALK, tools=(), choice=ToolChoice("none", parallel=False)),
    ),
    "not idle": ("idle-choice", TALK, None),
    "structured": ("results-as-text", answered(JsonPart({"a": 1})), answered(TextPart('{"a":1}'))),
    "text": ("results-as-text", answered(TextPart("x")), None),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_changed(name: str) -> None:
    variant, before, after = CHANGES[name]
    assert VARIANTS[variant].change(before) == after  # type: ignore[index]


def test_every_variant_is_compared_and_stands_in_a_scenario() -> None:
    assert {rule.varies for rule in catalogue().values() if rule.varies} == VARIANTS.keys()
    assert {rule.id for rule in RELATIONS if rule.level != "should"} == {
        "common.http.nothing-of-another",
        "common.http.own-words-at-any-time",
        "common.choose.limit-as-asked",
        "common.choose.forbidden-at-any-time",
    }


class Watched(ReferenceAdapter):
    """The reference adapter, and what it was asked for."""

    asked: list[tuple[Conversation, bool]]

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        self.asked.append((conversation, stream))
        return super().build_request(provider, conversation, stream=stream)


def outcomes(adapter: Any, **selection: Any) -> dict[str, str]:
    """What the relations come to on OpenAI Chat, by rule. Adapters are in this process, so that they can be watched."""
    from conformance.adapters.addresses import find_adapter
    from conformance.engine.cases import Group, Selection
    from conformance.engine.group_play import GroupPlay
    from conformance.scenarios import load_scenarios

    deliveries = selection.get("deliveries", ("blocking",))
    scenario = load_scenarios()[selection.get("scenario", "relations.tools_and_guidance")]
    found = replace(find_adapter("reference"), make=lambda: adapter)
    group = Group("reference", "openai-chat", scenario.id, deliveries)
    play = GroupPlay(found, group, scenario, Selection(), RELATIONS)
    return {rule: told.outcome for name in deliveries for rule, told in play.case(name).rules.items()}


def test_the_model_calls_of_one_delivery_are_asked_for_again() -> None:
    adapter = Watched()
    adapter.asked = []
    told = outcomes(adapter, deliveries=("blocking", "stream:per-event"))
    assert set(told.values()) == {"pass"}
    assert {rule for rule in told if catalogue()[rule].varies} == {
        rule.id for rule in RELATIONS if rule.varies not in (None, *ELSEWHERE)
    }
    usual = 4 + 4
    asked = ("again", "another", "after it", "streamed", "beside", "reversed", "other-system", "limit", "renewed")
    variants = 4 * len(asked) + 3
    assert len(adapter.asked) == usual + variants
    assert sum(stream for _, stream in adapter.asked) == 4 + 4


def test_a_scenario_that_is_for_none_is_played_once() -> None:
    adapter = Watched()
    adapter.asked = []
    outcomes(adapter, scenario="shell.success")
    assert len(adapter.asked) == 2


class Fails(ReferenceAdapter):
    """Raises where there are three tools or more."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        if len(conversation.tools) > 3:
            raise ValueError("too many tools")
        return super().build_request(provider, conversation, stream=stream)


def test_a_variant_that_is_never_sent_is_told() -> None:
    told = outcomes(Fails())
    assert told.pop("common.declare.unmoved-by-other-tools") == "warn"
    assert set(told.values()) == {"pass"}


def changed(name: str, change: Callable[[Conversation], Conversation]) -> type[ReferenceAdapter]:
    def build_request(self: ReferenceAdapter, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        return ReferenceAdapter.build_request(self, provider, change(conversation), stream=stream)

    return type(name, (ReferenceAdapter,), {"build_request": build_request})


def test_tools_in_an_order_of_their_own_are_told() -> None:
    sort = changed("Sorts", lambda one: replace(one, tools=tuple(sorted(one.tools, key=lambda tool: tool.name))))
    assert [rule for rule, outcome in outcomes(sort()).items() if outcome == "warn"] == ["common.declare.order-kept"]


@pytest.mark.slow
def test_a_client_is_asked_again_too() -> None:
    run = conformance.run("openai", providers="openai-chat", scenarios="relations.*", rules="common.declare.order-kept")
    cells = [cell for cell in run.finish().document["cells"] if cell["cases"]]
    assert [(cell["rule"], cell["outcome"]) for cell in cells] == [("common.declare.order-kept", "pass")]
