"""A fault shows in Cohere's own spelling of results, too."""

from __future__ import annotations

from spellings import minded_only_with

from conformance.dialects.dialect import DialectStep


def test_a_fault_shows_in_documents() -> None:
    fault = DialectStep("set", "request.messages[role=tool].content[].document.data", "another text")
    rule = "common.result.string-not-double-encoded"
    assert minded_only_with(fault, "cohere", "results as documents", "parallel_calls.two_reads", rule)
