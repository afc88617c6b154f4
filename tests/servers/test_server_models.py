"""What is said of a model: a made one fails as often as it is told, and the rate is found within the interval."""

from __future__ import annotations

import random

import pytest
from unreliable import UnreliableModel, unreliable

from conformance.model import ToolChoice
from conformance.servers.address import AskedServer
from conformance.servers.intervals import rate_difference, wilson
from conformance.servers.model_part import MEASURES, TRIALS
from conformance.servers.verdict import ServerVerdict, below_threshold, compared_servers, verdict_on

CHOICES = [name for name in MEASURES if name != "names-declared"]
BASE = {"openai-chat": "/v1", "anthropic": ""}


def asked(model: UnreliableModel, repeats: int) -> ServerVerdict:
    """The verdict on a server with this model."""
    with unreliable(model) as origin:
        return verdict_on(AskedServer(origin + BASE[model.provider], model.provider, "made"), repeats, 20.0, "made")


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.0, 0.05, 0.5])
def test_a_rate_is_found_within_its_interval(rate: float) -> None:
    measures = asked(UnreliableModel("openai-chat", dict.fromkeys(CHOICES, rate)), 40)["model"]["measures"]
    assert {name: one["low"] <= 1 - rate <= one["high"] for name, one in measures.items() if name in CHOICES} == (
        dict.fromkeys(CHOICES, True)
    )
    assert all(one["of"] >= 40 for one in measures.values())


@pytest.mark.slow
def test_the_name_of_a_made_up_tool_is_the_models_fault() -> None:
    verdict = asked(UnreliableModel("anthropic", {"names-declared": 0.5}), 30)
    named = verdict["model"]["measures"]["names-declared"]
    assert named["low"] <= 0.5 <= named["high"]
    assert not [one for one in verdict["wire"]["findings"] if one["level"] == "must"]


@pytest.mark.slow
def test_a_wrong_form_is_no_choice_of_the_model() -> None:
    verdict = asked(UnreliableModel("openai-chat", {}, malformed=0.5), 10)
    [finding] = [one for one in verdict["wire"]["findings"] if one["rule"] == "server.answer.arguments-object"]
    assert verdict["outcome"] == "fail" and verdict["model"]["wrong_form"] > 10
    assert finding["times"] >= verdict["model"]["wrong_form"]
    assert all(one["kept"] == one["of"] for one in verdict["model"]["measures"].values())


def test_a_threshold_fails_what_is_below_it_for_certain() -> None:
    verdict: ServerVerdict = {"model": {"measures": {
        "required-kept": {"kept": 10, "of": 40, "low": 0.14, "high": 0.40},
        "none-kept": {"kept": 4, "of": 5, "low": 0.38, "high": 0.96},
    }}}  # fmt: skip
    assert below_threshold(verdict, 0.9) == ["required-kept"]


def test_two_servers_are_compared() -> None:
    here = {"url": "a", "wire": {"findings": [{"rule": "x"}, {"rule": "y"}]}, "must_reject": {"faults": []},
            "model": {"measures": {"none-kept": {"kept": 2, "of": 40}}}}  # fmt: skip
    there = {"url": "b", "wire": {"findings": [{"rule": "x"}]}, "must_reject": {"faults": [{"rule": "z"}]},
             "model": {"measures": {"none-kept": {"kept": 38, "of": 40}}}}  # fmt: skip
    told = compared_servers(here, there)
    assert (told["only_here"], told["only_there"], told["both"]) == (["y"], ["z"], ["x"])
    assert told["model"]["none-kept"]["differs"] and told["model"]["none-kept"]["high"] < 0


@pytest.mark.parametrize(
    ("kept", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (1, 29, 0.0061, 0.1718), (0, 0, 0.0, 1.0)],
)
def test_intervals_are_those_of_the_literature(kept: int, of: int, low: float, high: float) -> None:
    """81 of 263 and 1 of 29 are examples of Newcombe's (1998, table I, method 3)."""
    assert wilson(kept, of) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_the_interval_of_a_difference_is_newcombes() -> None:
    """56/70 against 48/80: his example (a) of method 10, 0.0524 to 0.3339."""
    assert rate_difference(56, 70, 48, 80) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))


def test_an_interval_holds_the_rate_as_often_as_it_says() -> None:
    dice = random.Random(3)
    held = [low <= 0.05 <= high for low, high in (wilson(sum(dice.random() < 0.05 for _ in range(60)), 60)
                                                  for _ in range(1000))]  # fmt: skip
    assert 0.92 < sum(held) / len(held) < 0.99


def test_each_choice_is_asked_in_words_of_its_own() -> None:
    texts = {trial.conversation(number, "m").turns for trial in TRIALS for number in (1, 2)}
    assert len(texts) == 8, "required, none and auto ask for the same call"
    assert {trial.choice for trial in TRIALS} > {ToolChoice("none"), ToolChoice("required")}
