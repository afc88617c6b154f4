"""Judgements held against results, and shown in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from conformance.documents import Document
from conformance.judgements import AdapterJudgements, FailedCase, Judgement, failed_cases
from conformance.judgements.classes import Failures, classed, wrong_class


def with_judgements(document: Document, every: list[AdapterJudgements]) -> Document:
    """The result, in which each failing cell says as ``judged`` which findings explain it."""
    by_adapter = {judged.adapter: judged for judged in classed(every, document)}
    cells = [_with(cell, by_adapter.get(cell["adapter"])) for cell in document["cells"]]
    return {**document, "cells": cells}


def _with(cell: Document, judged: AdapterJudgements | None) -> Document:
    failed = failed_cases(cell)
    own = [item for item in judged.findings if any(map(item.explains, failed))] if judged else []
    if not own:
        return cell
    told = {**cell, "judged": [_told(finding) for finding in own]}
    return {**told, "word": "limit"} if cell["outcome"] == "fail" and _has_no_fault(own, failed) else told


def _has_no_fault(own: Sequence[Judgement], failed: Sequence[FailedCase]) -> bool:
    """Whether somebody read every failure, and none is a fault."""
    explained = all(any(finding.explains(case) for finding in own) for case in failed)
    return explained and all(finding.judgement in ("limit", "oddity") for finding in own)


def _told(finding: Judgement) -> Document:
    told: Document = {
        "id": finding.id,
        "title": finding.title,
        "judgement": finding.judgement or "fault",
        "consequence": finding.consequence,
        "why": finding.whole_why,
    }
    if finding.cause is not None:
        told["cause"] = finding.cause.id
    if finding.all_issues:
        told["issues"] = [asdict(thread) for thread in finding.all_issues]
    return told


def complaints(judged: AdapterJudgements, *documents: Document) -> Iterator[str]:
    """What does not fit together, a line each: failures without a finding, and findings without a failure.

    Of several results, such as one in each profile, every failure is judged, and each finding explains one in any.
    """
    about = {item["version"] for document in documents for item in document["adapters"] if item["id"] == judged.adapter}
    if not about:
        yield f"judgements of {judged.adapter}: the result has no such adapter"
        return
    for version in sorted(about - {judged.version}):
        yield f"{judged.adapter}: judged was {judged.version}, but the result is about {version}"
    failures = Failures.of(judged.adapter, documents)
    for item in failures.all:
        if not any(finding.explains(item) for finding in judged.findings):
            yield f"{judged.adapter}: not judged: {item}"
    for finding in judged.findings:
        if complaint := _wrong_class(finding, failures):
            yield f"{judged.adapter}: {finding.id} {complaint}"
        for pattern in finding.cells:
            if not any(map(pattern.matches, failures.all)):
                yield f"{judged.adapter}: {finding.id} explains no failure ({pattern})"


def _wrong_class(finding: Judgement, failures: Failures) -> str | None:
    """What is wrong with the class of a finding. Which one a cause has follows from all its findings together."""
    derived = failures.derived(finding)
    if not failures.own(finding) or (finding.cause is not None and derived is not None):
        return None
    return wrong_class(finding.judgement, derived)
