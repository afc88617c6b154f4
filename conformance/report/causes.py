"""Causes of failures, in words: what all writers say of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from conformance.documents import Document
from conformance.older_results import completed
from conformance.report.rule_address import rule_address
from conformance.report.summary import consequence, contrast, counted, cut_words, plain, reproduction, rules_by_id
from conformance.rules import find_rule
from conformance.wires import card, known_ids

KINDS = {"missing": "missing", "added": "not expected", "moved": "moved", "changed": "changed"}
"""What each difference is called."""
SHOWN_DIFFERENCES = 4
SHOWN_LINES = 14
"""How many lines of a traceback, or of what was printed, are shown: the last ones."""
HEADS = {
    "fails": "What fails, most important first",
    "warns": "What could be better",
    "oddity": "Tolerance: only hosts that deviate from the provider make these show, so none fails the run",
}
"""What stands above the causes of each standing."""
SHOWN_RULES = 3
THREAD = re.compile(r"(?<![\w/.-])([\w.-]+/[\w.-]+)#(\d+)\b")
"""A thread on GitHub, as evidence names it: ``openai/openai-python#2806``."""


def causes_of(document: Document) -> list[Document]:
    """The causes of a result, the most important first; of one without them, as far as it tells."""
    causes: list[Document] = completed(document)["causes"]
    return causes


def rule_of(document: Document, cause: Document) -> Document:
    """The rule that a cause is told by: the one that complained first."""
    return rules_by_id(document)[cause["rules"][0]]


def source(document: Document, cause: Document) -> str | None:
    """What its rule rests on: at the provider where it broke, with the provider's own words, where that is known."""
    told = rule_of(document, cause)
    known = find_rule(told["id"])
    provider = cause["such_as"]["provider"]
    own = card(provider).provider if provider in known_ids() else provider
    evidence = known.evidence.get(provider) or known.evidence.get(own) if known else None
    if evidence is None:
        return next(iter(told["source"]), None)
    named = THREAD.sub(r"https://github.com/\1/issues/\2", evidence.source)
    return named + (f', "{evidence.quote}"' if evidence.quote else "")


def title(document: Document, cause: Document) -> str:
    """What is wrong, in one line: an exception and where it was raised, or the rule that is broken."""
    if cause["kind"] == "exception":
        place = f" at {_short(cause['place'])}" if cause.get("place") else ""
        return f"{cause['error']}{place}"
    return str(cause["rules"][0])


def _short(place: str) -> str:
    file, _, rest = place.partition(":")
    return f"{PurePath(file).name}:{rest}"


def gravity(document: Document, cause: Document) -> str:
    """How bad it is, and how common: ``must, rejected: 1,214 of 1,214 cases on anthropic``."""
    rule = rule_of(document, cause)
    level = "" if cause["kind"] == "exception" else f"{rule['level']}, "
    told = cause.get("consequence") or consequence(rule, ())
    return plain(f"{level}{told}: {share(cause)}")


def share(cause: Document) -> str:
    """How many cases show it, and where."""
    return f"{cause['cases']:,} of {counted(cause['of'], 'case', ',')} on {', '.join(cause['providers'])}"


def where(cause: Document) -> str:
    """The case that is told, and how many there are beside it."""
    more = f" and {cause['cases'] - 1:,} more" if cause["cases"] > 1 else ""
    on = f" on {cause['such_as']['provider']}" if len(cause["providers"]) > 1 else ""
    return f"{cause['such_as']['case']}{on}{more}"


def other_rules(cause: Document) -> str:
    """The rules that complain of the same."""
    names = cause["rules"] if cause["kind"] == "exception" else cause["rules"][1:]
    more = f" and {len(names) - SHOWN_RULES} more" if len(names) > SHOWN_RULES else ""
    return ", ".join(names[:SHOWN_RULES]) + more


def difference_words(cause: Document) -> str:
    """What differs: ``missing /1; moved /0 to /2``. Empty where the values themselves say it."""
    told = [one for one in cause.get("differences", ()) if one["at"] or one.get("to")]
    words = [f"{KINDS[one['kind']]} {one['at']}{' to ' + one['to'] if one.get('to') else ''}" for one in told]
    more = f" and {len(words) - SHOWN_DIFFERENCES} more" if len(words) > SHOWN_DIFFERENCES else ""
    return "; ".join(words[:SHOWN_DIFFERENCES]) + more


def facts(document: Document, cause: Document) -> Iterator[tuple[str, str]]:
    """What is known of its first failure, each with its name. The last one repeats it."""
    such, evidence = cause["such_as"], document["evidence"].get(cause["such_as"]["evidence"], {})
    yield "case", where(cause)
    yield "at", f"{such['at'] or '(whole)'} in the {such['in']}"
    if rules := other_rules(cause):
        yield "breaks" if cause["kind"] == "exception" else "and", rules
    if words := difference_words(cause):
        yield "differs", words
    if cause["kind"] == "difference":
        expected, found = contrast(such)
        yield "expected", expected
        yield "found", found
    if cut := cut_words(evidence):
        yield "cut", cut
    if address := rule_address(cause["rules"][0]):
        yield "read", address
    yield "reproduce", reproduction(document, such)


def blocks(document: Document, cause: Document) -> Iterator[tuple[str, list[str]]]:
    """Texts of several lines: the traceback, and what the adapter printed in the case; the last lines of each."""
    evidence = document["evidence"].get(cause["such_as"]["evidence"], {})
    for name, text in (
        ("traceback", cause.get("traceback")), ("printed", evidence.get("printed") or cause.get("output"))
    ):  # fmt: skip
        lines = str(text or "").splitlines()
        if lines:
            left = len(lines) - SHOWN_LINES
            yield name, [*([f"… {counted(left, 'line')}"] if left > 0 else []), *map(plain, lines[-SHOWN_LINES:])]


def first_to_mend(document: Document) -> str | None:
    """What to mend first, in one line."""
    cause = next((one for one in causes_of(document) if one["standing"] == "fails"), None)
    if cause is None:
        return None
    adapters = {one["adapter"] for one in causes_of(document)}
    of = f"{cause['adapter']}: " if len(adapters) > 1 else ""
    what = title(document, cause)
    if cause["kind"] == "difference":
        expected, found = contrast(cause["such_as"], 60)
        at = f" at {cause['such_as']['at']}" if cause["such_as"]["at"] else ""
        what = f"{what}{at}: expected {expected}, found {found}"
    return f"fix first: {of}{what}; {share(cause)}"
