"""An audit for people: which rules are broken how often, an example of each, and what could not be judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from conformance.documents import Document
from conformance.report.printing import say_to
from conformance.report.summary import plain
from conformance.rules import catalogue
from conformance.traffic.audit import needs_no_adapter
from conformance.traffic.gathered import GatheredAudit

SHOWN_FINDINGS = 3
"""How many findings of a rule are shown, unless all are asked for."""
SHOWN_VALUE = 200


def print_audit(audit: GatheredAudit, *, verbose: bool = False) -> None:
    """Print an audit to standard output. With ``verbose`` it must have kept all findings."""
    for line in audit_lines(audit, verbose=verbose):
        say_to(sys.stdout, plain(line) + "\n")


def audit_lines(audit: GatheredAudit, *, verbose: bool) -> Iterator[str]:
    """The lines of the table."""
    yield from _rules(audit, verbose=verbose)
    yield from _findings(audit, verbose=verbose)
    yield from _unreadable(audit, verbose=verbose)
    yield ""
    yield _not_run()
    yield _verdict(audit)


def _rules(audit: GatheredAudit, *, verbose: bool) -> Iterator[str]:
    shown = {rule: tally for rule, tally in audit.rules.items() if tally["checked"] or verbose}
    width = max([len(rule) for rule in shown], default=4)
    if shown:
        yield f"{'rule':<{width}}  checked  failed"
    for rule, tally in shown.items():
        yield f"{rule:<{width}}  {tally['checked']:>7}  {tally['failed'] or '-':>6}"


def _findings(audit: GatheredAudit, *, verbose: bool) -> Iterator[str]:
    by_rule: dict[str, list[Document]] = {}
    for finding in audit.findings:
        by_rule.setdefault(finding["rule"], []).append(finding)
    for rule, findings in by_rule.items():
        first = findings[0]
        yield ""
        yield f"{rule}  {first['level']}, {first['consequence']}"
        for finding in findings if verbose else findings[:SHOWN_FINDINGS]:
            name = f" ({finding['exchange']})" if finding["exchange"] else ""
            yield f"  {finding['source']}:{finding['line']}{name}  {finding['provider']} {finding['side']}"
            yield f"    at {finding['at'] or '(whole)'}"
            yield f"    expected: {_value(finding['expected'])}"
            yield f"    found:    {_value(finding['found'])}"
        if not verbose and audit.found[rule] > SHOWN_FINDINGS:
            yield f"  … and {audit.found[rule] - SHOWN_FINDINGS} more: see them with --verbose"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_VALUE else f"{text[: SHOWN_VALUE // 2]} … {text[-SHOWN_VALUE // 2 :]}"


def _unreadable(audit: GatheredAudit, *, verbose: bool) -> Iterator[str]:
    if audit.reasons:
        yield ""
        yield f"not judged: {audit.reasons.total()}"
    if verbose:
        yield from (f"  {item['source']}:{item['line']}  {item['why']}" for item in audit.unreadable)
        return
    first = {item["why"]: item for item in reversed(audit.unreadable)}
    for why, count in audit.reasons.most_common():
        yield f"  {count:>5}  {why}  (first: {first[why]['source']}:{first[why]['line']})"


def _verdict(audit: GatheredAudit) -> str:
    counts = ", ".join(f"{audit.levels[level]} {level}" for level in ("must", "should", "may") if audit.levels[level])
    return f"{audit.exchanges} exchanges, {audit.reasons.total()} not judged; findings: {counts or 'none'}"


def _not_run() -> str:
    """How many rules recorded traffic can never show at work."""
    count = sum(not needs_no_adapter(rule) for rule in catalogue().values())
    return f"{count} rules about what an adapter understands were not run: a recording shows no adapter"
