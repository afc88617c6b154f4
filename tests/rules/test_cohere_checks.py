"""What Cohere accepts, or what need not go back, is no finding; what only looks alike is one."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from conformance.rules import catalogue, find_rule
from conformance.rules.check import Finding
from conformance.rules.examples import example_exchange
from conformance.rules.judge import judge

Document = dict[str, Any]
THOUGHTS = "cohere.history.thinking-as-it-came"


def example(rule: str) -> Document:
    """A copy of a rule's example."""
    return copy.deepcopy(dict(catalogue()[rule].example))


def findings(rule: str, document: Document) -> list[Finding]:
    """What a rule finds in a document."""
    found = find_rule(rule)
    assert found is not None
    return [verdict for verdict in judge(found, example_exchange(found, document)) if verdict is not None]


@pytest.mark.parametrize(("arguments", "found"), [({}, []), ({"absolute_path": "/a"}, [None])])
def test_arguments_may_be_left_out_where_there_were_none(arguments: Document, found: list[Any]) -> None:
    document = example("cohere.history.arguments-kept")
    document["ir"]["calls"][0]["args"] = arguments
    del document["request"]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert [finding.found for finding in findings("cohere.history.arguments-kept", document)] == found


@pytest.mark.parametrize("text", ['{"absolute_path":"/a"', '"{\\"absolute_path\\":\\"/a\\"}"'])
def test_arguments_that_are_cut_or_encoded_twice_are_found(text: str) -> None:
    document = example("cohere.history.arguments-kept")
    document["request"]["messages"][1]["tool_calls"][0]["function"]["arguments"] = text
    assert [finding.found for finding in findings("cohere.history.arguments-kept", document)] == [text]


def blocks(*texts: str) -> list[Document]:
    return [{"type": "thinking", "thinking": text} for text in texts]


@pytest.mark.parametrize(
    ("came", "sent", "found"),
    [
        (["One. ", "Two."], [], []),
        (["One. ", "Two."], ["One. Two."], []),
        (["One. ", "Two."], ["Two."], []),
        (["One. ", "Two."], ["Tw"], ["Tw"]),
        (["One. ", "Two."], [""], [""]),
        ([], ["Of another model."], []),
    ],
)
def test_thinking_may_be_joined_or_left_out(came: list[str], sent: list[str], found: list[str]) -> None:
    document = example(THOUGHTS)
    said = {"type": "text", "text": "Yes."}
    document["response"]["message"]["content"] = [*blocks(*came), said]
    document["request"]["messages"][1]["content"] = [*blocks(*sent), said]
    assert [finding.found for finding in findings(THOUGHTS, document)] == found


@pytest.mark.parametrize(
    ("block", "at"),
    [
        ({"type": "text", "text": "a"}, []),
        ({"type": "text", "thinking": "a"}, ["/messages/1/content/0/text"]),
        ({"type": "document", "document": {"data": "a"}}, ["/messages/1/content/0/type"]),
        ("a", ["/messages/1/content/0/type"]),
    ],
)
def test_blocks_of_other_kinds_are_found(block: Any, at: list[str]) -> None:
    document = example("cohere.history.content-blocks")
    document["request"]["messages"][1]["content"] = [block]
    assert [finding.at for finding in findings("cohere.history.content-blocks", document)] == at
