"""What users need, and what of a result is about it."""

from __future__ import annotations

from typing import Any

import pytest
from sample_results import sample

from conformance.capabilities import CAPABILITIES
from conformance.report.needs import ANY, BITS, NEEDS, UNKNOWN, able, fault, needs_of, tried


def bits(*names: str) -> int:
    return ANY | sum(BITS[name] for name in names)


def test_every_need_is_made_of_capabilities() -> None:
    assert {name for names in NEEDS.values() for name in names} <= set(CAPABILITIES)


@pytest.mark.parametrize(
    ("scenario", "about"),
    [
        ("parallel_calls.two_reads", ("parallel calls",)),
        ("binary_image.one_image_native", ("images",)),
        ("shell.success", ()),
        ("reasoning.of_somebody_else", ("reasoning",)),
        ("nobody.knows_it", ()),
    ],
)
def test_a_scenario_is_about_what_it_needs(scenario: str, about: tuple[str, ...]) -> None:
    """One that is not ours is known by its family."""
    assert needs_of(scenario) == bits(*about)


@pytest.mark.parametrize(
    ("said", "can"),
    [
        ({"p": ["parallel_calls", "streaming"]}, BITS["parallel calls"] | ANY),
        ({"p": ["errors"]}, BITS["errors and refusals"]),
        ({"p": []}, 0),
        ({"q": ["errors"]}, UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_what_an_adapter_says_that_it_can_do(said: Any, can: int) -> None:
    assert able({"capabilities": said} if said is not None else {}, "p") == can


def test_whole_answers_and_streams_are_counted_apart_without_what_only_deviating_hosts_show() -> None:
    cell = sample("alpha")["cells"][1] | {
        "failed_cases": ["parallel_calls.two_reads/blocking", "shell.success/stream:whole", "reasoning.x/blocking"],
        "lightened_cases": ["reasoning.x/blocking"],
    }
    assert fault(cell, 3, 5, "lost") == [3, 5, 2, bits("parallel calls"), ANY]


@pytest.mark.parametrize("change", [{"outcome": "pass"}, {"word": "oddity"}, {"flag": "expected_fail"}])
def test_what_does_nobody_harm_is_no_fault(change: dict[str, str]) -> None:
    assert fault(sample("alpha")["cells"][1] | change, 0, 0, "lost") is None


def test_a_failure_that_names_no_case_concerns_everybody() -> None:
    cell = sample("alpha")["cells"][1] | {"failures": [], "failed_cases": []}
    assert fault(cell, 0, 0, "lost") == [0, 0, 2, ANY, ANY]


def test_what_was_not_tried_is_not_claimed() -> None:
    assert tried([{"scenarios": ["parallel_calls.two_reads"]}]) == bits("parallel calls")
    assert tried([{}]) == UNKNOWN
    assert tried([{"failed_cases": ["parallel_calls.two_reads/blocking"]}]) == UNKNOWN
    assert tried([{"scenarios": ["shell.success"]}, {}]) == ANY | bits()
