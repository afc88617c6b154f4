"""JUnit XML: a test suite for each adapter and provider, a test case for each rule."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from typing import Literal

from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report import causes, summary
from conformance.report.rule_address import rule_address
from conformance.report.sentences import sentences

JunitOutcome = Literal["passed", "failure", "error", "skipped"]

COUNTERS = {"failure": "failures", "error": "errors", "skipped": "skipped"}
"""The attribute in which a suite counts each kind of test."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(document: Document) -> str:
    """The result as JUnit XML. Failures that the baseline expects, and cells that judged nothing, are skipped."""
    root = _element(None, "testsuites", name="conformance", time=f"{document['run']['duration_s']:.3f}")
    _causes(root, document)
    rules = summary.rules_by_id(document)
    total: Counter[JunitOutcome] = Counter()
    for adapter, provider in summary.columns(document):
        cells = [cell for cell in document["cells"] if (cell["adapter"], cell["provider"]) == (adapter, provider)]
        seconds = f"{sum(cell.get('seconds', 0) for cell in cells):.3f}"
        suite = _element(
            root, "testsuite", name=f"{adapter} / {provider}", timestamp=document["run"]["started"], time=seconds
        )
        total += _counted(suite, Counter(_test(suite, cell, rules[cell["rule"]], document) for cell in cells))
    if complaints := document["run"].get("baseline"):
        suite = _element(root, "testsuite", name="baseline")
        total += _counted(suite, Counter(_complaint(suite, complaint) for complaint in complaints))
    _counted(root, total)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counted(suite: ET.Element, kinds: Counter[JunitOutcome]) -> Counter[JunitOutcome]:
    suite.set("tests", str(kinds.total()))
    for kind, attribute in COUNTERS.items():
        suite.set(attribute, str(kinds[kind]))  # type: ignore[index]
    return kinds


def _test(suite: ET.Element, cell: Document, rule: Document, document: Document) -> JunitOutcome:
    name, seconds = f"{cell['adapter']}.{cell['provider']}", f"{cell.get('seconds', 0):.3f}"
    test = _element(suite, "testcase", classname=name, name=cell["rule"], time=seconds)
    outcome = cell["outcome"]
    if cell.get("flag") == "expected_fail" or outcome in ("model_choice", "unsupported", "not_applicable"):
        _element(test, "skipped", message=cell.get("why") or summary.words(summary.shown(cell)))
        return "skipped"
    if outcome in FAILURES:
        kind: JunitOutcome = "failure" if outcome == "fail" else "error"
        message = f"{_cause(cell, document)}{rule['statement']} ({rule['level']}, {summary.consequence(rule, [cell])})"
        _element(test, kind, type=outcome, message=message).text = _clean(_evidence(cell, document))
        return kind
    if outcome == "warn":
        word = "tolerance" if summary.shown(cell) == "oddity" else "warning"
        _element(test, "system-out").text = _clean(f"{word}: {rule['statement']}\n{_evidence(cell, document)}")
    return "passed"


def _cause(cell: Document, document: Document) -> str:
    """The number and the share of the worst cause of a cell."""
    own = {failure.get("cause") for failure in cell["failures"]}
    for number, cause in enumerate(causes.causes_of(document), 1):
        if cause["id"] in own:
            return f"cause {number}, {causes.share(cause)}: "
    return ""


def _causes(root: ET.Element, document: Document) -> None:
    """All causes in their order, as what the run printed."""
    found = causes.causes_of(document)
    lines = [
        f"cause {number}. {causes.title(document, cause)}: {causes.gravity(document, cause)}"
        for number, cause in enumerate(found, 1)
    ]
    lines += [sentence.words for sentence in sentences(document)]
    if first := causes.first_to_mend(document):
        lines.append(first)
    suite = _element(root, "testsuite", name="causes", tests="0", failures="0", errors="0", skipped="0")
    properties = _element(suite, "properties")
    for line in lines:
        _element(properties, "property", name="conformance", value=line)


def _complaint(suite: ET.Element, complaint: str) -> JunitOutcome:
    test = _element(suite, "testcase", classname="baseline", name=complaint)
    _element(test, "failure", type="baseline", message=complaint)
    return "failure"


def _evidence(cell: Document, document: Document) -> str:
    lines = []
    for failure in cell["failures"]:
        expected, found = summary.contrast(failure, 500)
        evidence = document["evidence"][failure["evidence"]]
        cut, call = summary.cut_words(evidence), evidence.get("model_call", 1)
        of_call = f", model call {call}" if call != 1 else ""
        lines += [
            f"{failure['case']} at {failure['at'] or '(whole)'} in the {failure['in']}{of_call}",
            f"  expected:  {expected}",
            f"  found:     {found}",
            *([f"  cut:       {cut}"] if cut else []),
            f"  reproduce: {summary.reproduction(document, failure)}",
        ]
    lines += [f"read: {address}"] if (address := rule_address(cell["rule"])) else []
    left = len(cell.get("failed_cases", [])) - len({failure["case"] for failure in cell["failures"]})
    return "\n".join([*lines, f"and {left} more cases"] if left > 0 else lines)


def _element(parent: ET.Element | None, tag: str, **attributes: str) -> ET.Element:
    clean = {name: _clean(value) for name, value in attributes.items()}
    return ET.Element(tag, clean) if parent is None else ET.SubElement(parent, tag, clean)


def _clean(text: str) -> str:
    """``text`` without the characters that XML 1.0 cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
