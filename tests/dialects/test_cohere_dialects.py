"""A fault shows in Cohere's own spelling of results, too."""

from __future__ import annotations

import pytest
from spellings import minded_only_with

from conformance.dialects.dialect import Dialect, DialectStep
from conformance.model import Json
from conformance.transcript import Exchange

RULE = "common.result.string-not-double-encoded"
OBJECTS = "read_file.json_text"


@pytest.mark.parametrize("dialect", ["results as documents", "results as objects in documents"])
def test_a_fault_shows_in_documents(dialect: str) -> None:
    fault = DialectStep("set", "request.messages[role=tool].content[].document.data", "another text")
    assert minded_only_with(fault, "cohere", dialect, OBJECTS, RULE)


def test_only_objects_are_documents() -> None:
    """Cohere's own examples have no other text there."""
    step = DialectStep("call", "results as documents")
    request = {"messages": [{"role": "tool", "content": text} for text in ("plain", "[1]", '{"a": 1}')]}
    spoken = Dialect("a", "b", "c", (step,)).spoken(request, Exchange("cohere"))
    document: Json = [{"type": "document", "document": {"data": '{"a": 1}'}}]
    assert spoken == {"messages": [{"role": "tool", "content": one} for one in ("plain", "[1]", document)]}
