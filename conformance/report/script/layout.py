"""A program put together, in the order in which it runs."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from conformance.adapters.capture.nodes import MARK
from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.served import HttpAnswer
from conformance.documents import Document
from conformance.engine.report import Failure
from conformance.report.script.comments import conclusion, introduction
from conformance.report.script.failing import FailingCase, VariantOutcome
from conformance.report.script.inlining import inlined
from conformance.report.script.javascript import JavaScript
from conformance.report.script.language import Construction, Language, Source
from conformance.report.script.python import Python
from conformance.report.script.sharing import shared

LANGUAGES: Mapping[str, Language] = {"python": Python(), "node": JavaScript()}
"""By the kind of a library."""
SIMPLIFICATIONS: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
    "python": inlined,
    "node": lambda model_call: {**model_call, "steps": shared(model_call["steps"])},
}
"""What makes a program shorter that does the same, by the kind of a library."""

NOBODY = "http://127.0.0.1:9"
"""The address of a provider that is never asked: the library gives up before."""
LINES = 60
"""How many lines a program should have."""


@dataclass(frozen=True)
class Layout:
    """The program for a failure. ``name`` is the case in which it was seen, ``played`` the smaller one to show."""

    case: FailingCase
    adapter: Document
    cell: Document
    name: str
    played: VariantOutcome

    def program(self, captured: Sequence[Mapping[str, Any]]) -> str:
        """The program. ``captured`` is what the shim did, model call by model call."""
        kind = LIBRARIES[self.adapter["name"]].kind
        language = LANGUAGES[kind]
        captured = [SIMPLIFICATIONS[kind](model_call) for model_call in captured]
        shown = captured[-1]
        is_request = self._failure.document == "request"
        if is_request and len(captured) > 1 and self._is_given(shown["steps"]):
            shown, is_request = captured[-2], False
        answers = self._answers(shown["steps"], is_request)
        needed = (*(language.imports if answers else ()), *(() if is_request else language.imports_to_show))
        before = [
            "\n".join(f"{language.comment}{line}".rstrip() for line in self._about()),
            language.imported([*needed, *shown["imports"]]),
        ]
        after = [*shown["definitions"], "\n".join(statements(shown["steps"], language, shown=not is_request))]
        if not answers:
            return "\n\n".join([*before, language.assigned("BASE_URL", NOBODY), *after]) + "\n"
        provider = language.provider(answers, _path(self._evidence))
        texts = (
            "\n\n".join([*before, language.answers(answers, dense=dense), provider, *after, *language.end]) + "\n"
            for dense in (False, True)
        )
        return min(texts, key=lambda text: max(text.count("\n"), LINES))

    @property
    def _failure(self) -> Failure:
        assert self.played.rule is not None
        return self.played.rule.failures[0]

    @property
    def _evidence(self) -> Mapping[str, Any]:
        evidence: Mapping[str, Any] = self.played.report.evidence[self._failure.evidence]
        return evidence

    def _about(self) -> Iterator[str]:
        rule = {"id": self.case.rule.id, "statement": self.case.rule.statement}
        yield from introduction(self.adapter, self.cell, self.name)
        yield from conclusion(rule, self._failure)

    def _is_given(self, steps: Sequence[Mapping[str, Any]]) -> bool:
        """Whether what is wrong in a request was given to the library so: it comes from how an answer was read."""
        text = json.dumps([step["value"] for step in steps], ensure_ascii=False)
        expected, found = self._failure.expected, self._failure.found
        return isinstance(found, str) and found in text and isinstance(expected, str) and expected not in text

    def _answers(self, steps: Sequence[Mapping[str, Any]], is_request: bool) -> list[HttpAnswer]:
        """What the provider answers. What it answers to a failing request is of no interest."""
        given = self.case.answers(self.played)
        answers = [given[step["model_call"] - 1] for step in steps if step["model_call"]]
        return answers[:-1] if is_request and len(answers) > 1 else answers or given[:1]


def statements(steps: Sequence[Mapping[str, Any]], language: Language, *, shown: bool) -> Iterator[str]:
    """The calls of a program, in their order; the last one's result is printed where it is to be ``shown``."""
    *before, last = steps
    for step in before:
        yield language.assigned(step["name"], expression(step["value"]))
    if shown:
        yield language.assigned(last["name"], expression(last["value"]))
        yield language.shown(last["name"])
    else:
        yield language.call(expression(last["value"]))


def expression(node: Any) -> Any:
    """An expression as the languages write it: see `conformance.adapters.capture.nodes`."""
    if isinstance(node, list):
        return [expression(item) for item in node]
    if not isinstance(node, dict):
        return node
    match node.get(MARK):
        case "source":
            return Source(node["text"])
        case "call":
            options = {name: expression(item) for name, item in node["options"].items()}
            return Construction(node["function"], tuple(map(expression, node["arguments"])), options)
        case "bytes":
            return base64.b64decode(node["base64"])
        case "tuple":
            return tuple(map(expression, node["items"]))
        case "object":
            return {name: expression(item) for name, item in node["members"]}
    return {name: expression(item) for name, item in node.items()}


def _path(evidence: Mapping[str, Any]) -> str:
    """How the URL of the model call ends."""
    return re.split("[/:]", urlsplit(str((evidence.get("request") or {}).get("url", ""))).path)[-1]
