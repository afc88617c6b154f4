"""Findings as SARIF 2.1.0, which code hosts and editors show beside the files: those of an audit, and secrets.

Source: the OASIS standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; what GitHub asks for
beyond it: docs.github.com, "SARIF support for code scanning" (read on 2026-11-28).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from conformance.documents import Document
from conformance.report.rule_address import rule_address
from conformance.rules import catalogue
from conformance.version import VERSION

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

LEVELS = {"must": "error", "should": "warning", "may": "note"}

MAX_RESULTS = 25_000
"""How many findings stand in a file. Code hosts refuse files with more."""
MAX_TEXT = 500

SECRET = "secret"


def audit_sarif(
    findings: Iterable[Document], unreadable: Iterable[Document], broken: Iterable[Document] = ()
) -> dict[str, Any]:
    """The findings of an audit."""
    kept = list(findings)
    names = sorted({finding["rule"] for finding in kept})
    told = [*(_not_judged(item) for item in unreadable), *(_broken(item) for item in broken)]
    if len(kept) > MAX_RESULTS:
        told.append(_note(f"{len(kept) - MAX_RESULTS} findings more are not in this file"))
    results = [_finding(finding, names.index(finding["rule"])) for finding in kept[:MAX_RESULTS]]
    return _log([_rule(name) for name in names], results, told[:MAX_RESULTS])


def secrets_sarif(document: Mapping[str, Any]) -> dict[str, Any]:
    """The secrets that a search found: their places, never themselves."""
    rule = {
        "id": SECRET,
        "shortDescription": {"text": "A recording holds a key, a token, a cookie or account data."},
        "defaultConfiguration": {"level": "error"},
    }
    results = [
        _result(SECRET, 0, "error", f"{one['looks_like']}, in the {one['side']}: {one['place']}", one, one["place"])
        for one in document["secrets"][:MAX_RESULTS]
    ]
    notes = [_not_judged(item) for item in document["unreadable"][:MAX_RESULTS]]
    return _log([rule] if results else [], results, notes)


def sarif_text(log: Mapping[str, Any]) -> str:
    """A log as text. Characters that UTF-8 has no form for are escaped."""
    return json.dumps(log, indent=1) + "\n"


def _log(rules: list[Any], results: list[Any], notes: list[Any]) -> dict[str, Any]:
    driver = {"name": "toolcall-conformance", "semanticVersion": VERSION, "rules": rules}
    failed = any(note["level"] == "error" for note in notes)
    invocation = {"executionSuccessful": not failed, "toolExecutionNotifications": notes}
    run = {
        "tool": {"driver": driver}, "invocations": [invocation], "results": results, "columnKind": "unicodeCodePoints",
    }  # fmt: skip
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    rule = catalogue()[name]
    pages = [rule_address(name), *(source for source in rule.source if source.startswith("https://"))]
    address = next((page.split(" ")[0] for page in pages if page), None)
    described: dict[str, Any] = {
        "id": name,
        "shortDescription": {"text": rule.statement},
        "defaultConfiguration": {"level": LEVELS[rule.level]},
        "properties": {"consequence": rule.consequence, "tags": [rule.stage]},
    }
    return described | ({"helpUri": address} if address else {})


def _finding(finding: Document, index: int) -> dict[str, Any]:
    place = finding["at"] or "(whole)"
    words = (
        f"{finding['provider']} {finding['side']}, at {place}: expected {_short(finding['expected'])}, "
        f"found {_short(finding['found'])}"
    )
    return _result(finding["rule"], index, LEVELS[finding["level"]], words, finding, finding["at"])


def _result(rule: str, index: int, level: str, words: str, where: Document, at: str) -> dict[str, Any]:
    location = _location(where)
    if at:
        location["logicalLocations"] = [{"fullyQualifiedName": at[:MAX_TEXT]}]
    mark = hashlib.sha256("\0".join((rule, where["source"], at, words)).encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "ruleId": rule, "ruleIndex": index, "level": level, "message": {"text": words}, "locations": [location],
        "partialFingerprints": {"conformance/1": mark[:32]},
    }  # fmt: skip


def _location(where: Document) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(where["source"])}, "region": {"startLine": max(1, where["line"])},
        }
    }  # fmt: skip


def _uri(source: str) -> str:
    """A file as a URI: relative to the folder of the command where it is inside of it, as code hosts want it."""
    path = Path(source)
    if path.is_absolute():
        try:
            path = path.relative_to(Path.cwd())
        except (ValueError, OSError):
            return "file://" + quote(os.fsencode(path.as_posix()))
    return quote(os.fsencode(path.as_posix()))


def _not_judged(item: Document) -> dict[str, Any]:
    return {**_note(f"not judged: {item['why']}", "warning"), "locations": [_location(item)]}


def _broken(item: Document) -> dict[str, Any]:
    return {**_note(f"{item['rule']} broke: {item['why']}", "error"), "locations": [_location(item)]}


def _note(words: str, level: str = "note") -> dict[str, Any]:
    return {"level": level, "message": {"text": words[:MAX_TEXT]}}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} … {text[-MAX_TEXT // 2 :]}"
