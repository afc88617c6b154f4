"""Several results as one matrix, and results that do not make one."""

from __future__ import annotations

from collections.abc import Callable

import jsonschema
import pytest
from sample_results import Document, sample

from conformance.older_results import completed
from conformance.report.merge import MergeError, merged_results
from conformance.report.summary import titled
from conformance.schemas import schema


def test_one_result_is_itself() -> None:
    assert merged_results([sample()]) == sample()


def test_adapters_stand_side_by_side() -> None:
    alpha, beta = sample("alpha"), sample("beta")
    beta["run"] |= {"started": "2026-11-20T00:00:00Z", "interrupted": True, "command": "conformance run beta"}
    both = merged_results([alpha, beta])
    jsonschema.validate(both, schema("result"))
    assert both["cells"] == sample()["cells"]
    assert [adapter["id"] for adapter in both["adapters"]] == ["alpha", "beta"]
    assert both["rules"] == sample()["rules"]
    assert both["evidence"] == sample()["evidence"]
    assert both["run"] == {
        **alpha["run"],
        "started": "2026-11-20T00:00:00Z",
        "duration_s": 24.68,
        "command": "conformance run alpha beta --out result.json && conformance run beta",
        "interrupted": True,
        "cases": {"planned": 240, "finished": 220, "unsupported": 20},
    }


@pytest.mark.parametrize(("codes", "worst"), [((0, 1), 1), ((4, 0), 4), ((1, 2), 2), ((3, 1), 3), ((130, 3), 130)])
def test_the_worst_exit_code_counts(codes: tuple[int, int], worst: int) -> None:
    documents = [sample("alpha"), sample("beta")]
    for document, code in zip(documents, codes, strict=True):
        document["run"]["exit_code"] = code
    assert merged_results(documents)["run"]["exit_code"] == worst


def test_providers_of_one_adapter_may_come_from_several_runs() -> None:
    parts = [sample("beta"), sample("beta")]
    for document, provider in zip(parts, ("openai-chat", "anthropic"), strict=True):
        document["cells"] = [cell for cell in document["cells"] if cell["provider"] == provider]
    assert merged_results(parts)["cells"] == sample("beta")["cells"]
    assert len(merged_results(parts)["adapters"]) == 1


def test_the_same_cell_twice_is_refused() -> None:
    with pytest.raises(MergeError, match="a cell for beta on openai-chat, rule common"):
        merged_results([sample(), sample("beta")])


def _other_profile(document: Document) -> None:
    document["run"]["profile"] = "native"


def _other_suite(document: Document) -> None:
    document["suite"]["version"] = "0.2.0"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (_other_profile, "profile native and portable"),
        (_other_suite, "suite version 0.1.0 and 0.2.0"),
    ],
)
def test_results_that_cannot_be_compared_are_refused(change: Callable[[Document], None], complaint: str) -> None:
    other = sample("beta")
    change(other)
    with pytest.raises(MergeError, match=complaint):
        merged_results([sample("alpha"), other])


def test_versions_of_one_adapter_stand_beside_each_other() -> None:
    """They are called as in one run with both, and each keeps its own evidence, which has the same names in both."""
    before, after = completed(sample("alpha")), completed(sample("alpha"))
    after["adapters"] = [{**after["adapters"][0], "version": "1.3.0"}]
    after["evidence"] = {name: {**item, "reproduce": "again"} for name, item in after["evidence"].items()}
    both = merged_results([before, after])
    jsonschema.validate(both, schema("result"))
    assert [titled(adapter) for adapter in both["adapters"]] == ["alpha 1.2.0", "alpha 1.3.0"]
    commands = {
        (cell["adapter"], both["evidence"][failure["evidence"]]["reproduce"] == "again")
        for cell in both["cells"]
        for failure in cell["failures"]
    }
    assert commands == {("alpha 1.2.0", False), ("alpha 1.3.0", True)}
    assert {cause["adapter"] for cause in both["causes"]} == {"alpha 1.2.0", "alpha 1.3.0"}


@pytest.mark.parametrize(
    ("name", "complaint"), [("adapters", "of an adapter"), ("rules", "of a rule"), ("evidence", "whose evidence")]
)
def test_a_result_that_refers_to_nothing_is_refused(name: str, complaint: str) -> None:
    document = sample()
    document[name] = type(document[name])()
    with pytest.raises(MergeError, match=complaint):
        merged_results([document])
