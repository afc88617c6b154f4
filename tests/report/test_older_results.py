"""Results of earlier versions: their causes, and whose doing what fails in them is."""

from __future__ import annotations

import jsonschema
import pytest
from sample_results import sample

from conformance.older_results import completed
from conformance.schemas import schema


def test_causes_are_made_of_the_failures_that_are_kept() -> None:
    told = completed(sample())
    jsonschema.validate(told, schema("result"))
    kept = {failure["evidence"] for cell in sample()["cells"] for failure in cell["failures"]}
    assert {cause["such_as"]["evidence"] for cause in told["causes"]} <= kept
    assert told["causes"] and completed(told) is told


@pytest.mark.parametrize(
    ("cases", "outcome", "light", "code"),
    [
        (["quirks.missing_index/stream:whole"], "warn", 1, 0),
        (["quirks.missing_index/stream:whole", "shell.success/blocking"], "fail", 1, 1),
        (["no.such_scenario/blocking"], "fail", None, 1),
    ],
)
def test_what_only_other_hosts_do_is_a_warning(cases: list[str], outcome: str, light: int | None, code: int) -> None:
    document = sample("beta")
    cell = document["cells"][0]
    cell |= {"outcome": "fail", "failed_cases": cases}
    document["run"]["exit_code"] = 1
    told = completed(document)
    own = told["cells"][0]
    assert (own["outcome"], own.get("lightened_cases") and len(own["lightened_cases"])) == (outcome, light)
    assert told["run"]["exit_code"] == code


def test_a_command_names_the_version_that_was_judged() -> None:
    document = sample("alpha")
    for item in document["evidence"].values():
        item["reproduce"] = "conformance run env:alpha --provider anthropic"
    commands = {item["reproduce"] for item in completed(document)["evidence"].values()}
    assert commands == {"conformance run env:alpha@1.2.0 --provider anthropic"}
