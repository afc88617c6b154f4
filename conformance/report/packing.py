"""A result, packed for the page: names once and numbers instead of them, so that thousands of cells stay small.

Values of requests, responses and findings are packed as JSON *text*. A browser would round large integers and print
``20.0`` as ``20``, and that may be the very difference that a failure is about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report import causes, summary
from conformance.report.sentences import sentences
from conformance.report.summary import JUDGED

FLAGS = ("expected_fail", "unexpected_pass", "buffered", "limit", "oddity")


class Pool:
    """Things by number, each kept once."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._numbers: dict[Any, int] = {}
        for item in items:
            self.number(item)

    def number(self, item: Any) -> int:
        """The number of ``item``, a new one if it has none."""
        return self._numbers.setdefault(item, len(self._numbers))

    def items(self) -> list[Any]:
        """The things in the order of their numbers."""
        return list(self._numbers)


def packed(document: Document) -> Document:
    """Everything that the page shows, but for the evidence."""
    names, sets, providers = Pool(), Pool(), Pool()
    outcomes = Pool(summary.GLYPHS)
    adapters = Pool(adapter["id"] for adapter in document["adapters"])
    rules = Pool(rule["id"] for rule in document["rules"])
    cells = []
    for cell in document["cells"]:
        place = [adapters.number(cell["adapter"]), providers.number(cell["provider"]), rules.number(cell["rule"])]
        counts = [number for name, count in cell["cases"].items() for number in (outcomes.number(name), count)]
        exercised = sets.number(tuple(names.number(name) for name in cell.get("scenarios", ())))
        shown = [outcomes.number(cell["outcome"]), outcomes.number(summary.shown(cell))]
        cells.append([*place, *shown, counts, exercised, *_details(cell, names)])
    by_rule: dict[str, list[Document]] = {}
    for cell in document["cells"]:
        by_rule.setdefault(cell["rule"], []).append(cell)
    return {
        "run": _run(document),
        "outcomes": [_outcome(name) for name in outcomes.items()],
        "adapters": [_adapter(adapter) for adapter in document["adapters"]],
        "providers": providers.items(),
        "rules": [_rule(rule, by_rule.get(rule["id"], ())) for rule in document["rules"]],
        "cells": cells,
        "sentences": [{"standing": one.standing, "words": one.words} for one in sentences(document)],
        "first": causes.first_to_mend(document),
        "causes": list(_causes(document)),
        "names": names.items(),
        "sets": sets.items(),
    }


def _causes(document: Document) -> Iterator[Document]:
    """The causes of failures, in their order, as they are told."""
    for cause in causes.causes_of(document):
        such = cause["such_as"]
        told: Document = {
            "adapter": cause["adapter"],
            "standing": cause["standing"],
            "title": causes.title(document, cause),
            "weight": causes.gravity(document, cause),
            "on": such["provider"],
            "rule": such["rule"],
            "facts": list(causes.facts(document, cause)),
            "blocks": list(causes.blocks(document, cause)),
        }
        if cause["kind"] == "difference":
            told["statement"] = causes.rule_of(document, cause)["statement"]
        yield told


def packed_evidence(document: Document) -> Document:
    """The evidence by id: the command that repeats the case, and what there is to show, in order of time."""
    return {
        name: {"command": item["reproduce"], "parts": list(_parts(item))}
        for name, item in document["evidence"].items()
    }


def _run(document: Document) -> Document:
    run, suite = document["run"], document["suite"]
    return {
        "conclusion": summary.conclusion(document),
        "conforms": run["exit_code"] == 0,
        "effort": summary.effort(document),
        "started": run["started"],
        "command": run["command"],
        "interrupted": run["interrupted"],
        "baseline": run.get("baseline", []),
        "suite": f"suite {suite['version']}, {suite['rules']} rules, {suite['scenarios']} scenarios",
    }


def _outcome(name: str) -> Document:
    """How an outcome looks, and how it counts: ``pass``, ``warn``, ``fail``, ``oddity``, ``expected`` or ``none``."""
    kinds = {"expected_fail": "expected", "oddity": "oddity"} | dict.fromkeys(
        ("unexpected_pass", "buffered", "limit"), "warn"
    )
    kind = "fail" if name in FAILURES else kinds.get(name, name)
    return {
        "id": name,
        "glyph": summary.GLYPHS[name],
        "words": summary.words(name),
        "explained": summary.explained(name),
        "kind": kind if name in JUDGED or name in FLAGS else "none",
    }


def _adapter(adapter: Document) -> Document:
    names = ("id", "name", "version", "kind", "language", "homepage", "issues")
    told = {name: str(adapter[name]) for name in names if adapter.get(name)}
    name = summary.titled(adapter).removesuffix(f" {told.get('version')}")
    return told | {"name": name}


def _rule(rule: Document, cells: Iterable[Document]) -> Document:
    names = ("id", "level", "consequence", "stage", "side", "profile", "since", "statement")
    told = {name: str(rule[name]) for name in names if rule.get(name)}
    return told | {"consequence": summary.consequence(rule, cells), "source": rule["source"]}


def _details(cell: Document, names: Pool) -> Iterator[Document]:
    """What only cells that do not simply pass have."""
    details: Document = {}
    if cell.get("consequence") == "presumed":
        details["consequence"] = "presumed"
    if why := cell.get("why"):
        details["why"] = why
    if judged := cell.get("judged"):
        details["judged"] = judged
    if failed := cell.get("failed_cases"):
        details["failed"] = [names.number(case) for case in failed]
    if failures := cell["failures"]:
        details["failures"] = [
            {
                "case": names.number(failure["case"]),
                "at": failure["at"],
                "in": failure["in"],
                "expected": _json(failure.get("expected")),
                "found": _json(failure.get("found")),
                "evidence": failure["evidence"],
            }
            for failure in failures
        ]
    if details:
        yield details


# --- evidence --------------------------------------------------------------------------------------------------------


def _parts(item: Document) -> Iterator[Document]:
    """What was sent, received, understood and said, each with a title and its value as JSON or as plain text."""
    call = f" of model call {item['model_call']}" if item.get("model_call", 1) != 1 else ""
    if request := item.get("request"):
        head = [f"{request.get('method', '')} {request.get('url', '')}".strip(), *_headers(request.get("headers"))]
        yield {"in": "request", "title": f"Request{call}", "head": "\n".join(head), **_body(request.get("body"))}
    if response := item.get("response"):
        yield _response(response, call)
    if cut := summary.cut_words(item):
        yield {"title": "The cut of the stream that makes the difference", "text": cut, "open": True}
    if "understood" in item:
        yield {"in": "turn", "title": "What the adapter understood", "json": _json(item["understood"])}
    if printed := item.get("printed"):
        yield {"title": "What the adapter printed", "text": printed, "open": True}
    if failure := item.get("failure"):
        said = (failure.get("traceback"), failure.get("output"))
        text = "\n".join(str(text) for text in said if text)
        yield {"title": "What went wrong", "head": str(failure.get("message", "")), "text": text, "open": True}


def _response(response: Document, call: str) -> Document:
    status = f"HTTP status {response.get('status', 'unknown')}"
    if "chunks" not in response:
        return {"title": f"Response{call}", "head": status, **_body(response.get("body"))}
    chunks = [str(chunk) for chunk in response["chunks"]]
    head = f"{status}, {response.get('bytes')} bytes of stream in {response.get('chunk_count')} reads"
    body = _body(response.get("answer"))
    return {"title": f"Response{call}", "head": head, "chunks": chunks, "of": response.get("chunk_count"), **body}


def _headers(headers: Any) -> list[str]:
    return [f"{name}: {value}" for name, value in headers.items()] if isinstance(headers, dict) else []


def _body(body: Any) -> Document:
    if body is None:
        return {}
    return {"text": body} if isinstance(body, str) else {"json": _json(body)}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
