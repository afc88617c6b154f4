"""A change that was written for a provider's answers, on hosts that speak its format and answer otherwise."""

from __future__ import annotations

import pytest

from conformance import run
from conformance.adapters.reference import ReferenceAdapter
from conformance.engine.cases import Group, Selection, groups
from conformance.http import Request
from conformance.model import Conversation, UserTurn
from conformance.report import summary
from conformance.scenarios import load_scenarios
from conformance.scenarios.fitting import unfit_on_host
from conformance.server.address import address_of
from conformance.server.choosing import choose
from conformance.wires import PROVIDERS, known_ids, wire

CHANGED = {name: one for name, one in load_scenarios().items() if one.has_changes}
HOSTS = [name for name in known_ids() if name not in PROVIDERS]
UNFIT = "answers.openai_chat_call_deviating_hosts"


def planned(host: str, *scenarios: str) -> list[Group]:
    selection = Selection(providers=(host,), scenarios=scenarios)
    return list(groups("reference", ReferenceAdapter().info, load_scenarios(), selection))


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_plays_a_changed_answer_or_it_is_told_why_not(host: str) -> None:
    lacks = [(group, group.unsupported) for group in planned(host, *CHANGED) if group.unsupported]
    assert {lack.kind for _, lack in lacks} <= {"answer", "capability"}, "or the reference has no such delivery there"
    assert all(str(lack).startswith(f"{group.scenario} changes ") for group, lack in lacks if lack.kind == "answer")


def test_what_has_no_place_is_told_by_delivery() -> None:
    """Its changes are about the stream, so the blocking answer is that of any other scenario."""
    told = {name: group.unsupported for group in planned("openrouter", UNFIT) for name in group.deliveries}
    assert told["blocking"] is None
    assert str(told["stream:per-event"]) == (
        f"{UNFIT} changes an answer of openai-chat, and openrouter answers otherwise: "
        "answer 1: insert at stream: chunk+says+adds: there is no such event"
    )


def test_a_run_on_a_host_has_no_harness_error_and_tells_it_in_a_sentence() -> None:
    asked = run("reference", providers="openrouter", scenarios=UNFIT, deliveries=["blocking", "stream:per-event"])
    document = asked.finish().document
    assert {cell["outcome"] for cell in document["cells"]} == {"pass", "unsupported", "not_applicable"}
    assert any(f"not played: {UNFIT} changes" in line for line in summary.answered_by(document))


def test_a_server_says_so_too() -> None:
    built = wire("openrouter").build(Conversation((UserTurn("Hello!"),), model="any"), stream=True)
    request = Request("POST", f"http://127.0.0.1/p/openrouter/s/{UNFIT}{built.path}", built.headers, built.body)
    address = address_of(request)
    facts = wire("openrouter").facts(request)
    choice = choose(address, facts, load_scenarios(), None)
    assert choice.scenario is None and "openrouter answers otherwise" in choice.problem


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_has_a_place_for_what_was_written_for_it(provider: str) -> None:
    own = [one for one in CHANGED.values() if provider in (one.providers or ())]
    found = [unfit_on_host(one, provider, streaming=streaming) for one in own for streaming in (False, True)]
    assert not any(found)
