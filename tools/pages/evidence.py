"""Makes reports/evidence.md: what each rule of consequence `rejected` rests on, provider by provider.

    python tools/pages/evidence.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from conformance.report.markdown import code, row
from conformance.rules import Rule, catalogue
from conformance.wires import PROVIDERS

PAGE = Path(__file__).resolve().parents[2] / "reports" / "evidence.md"
CLASSES = {
    "refused": "the provider was seen to refuse it: a recording, or a public thread that quotes the error",
    "documented": "the provider's documentation says that it refuses it",
    "presumed": "no record either way: told as *probably refused*",
    "accepted": "the provider's own host took it: the rule says nothing there, or says what is lost",
}
INTRO = """\
# What rules about refusals rest on

Each rule below says that a provider refuses a request. A finding counts as *rejected* only where that was seen, or
where the provider's documentation says so. `conformance explain RULE` shows each record: where it can be looked up, its
date, and the provider's words.
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    rules = [rule for rule in catalogue().values() if rule.consequence == "rejected"]
    counts = Counter(_class(rule, provider) for rule in rules for provider in rule.providers)
    total = counts.total()
    yield from INTRO.splitlines()
    yield ""
    yield from (row(["class", "pairs", "share", "what it means"]), "|---|--:|--:|---|")
    for name, words in CLASSES.items():
        yield row([name, str(counts[name]), f"{counts[name] / total:.0%}", words])
    yield row(["**all**", f"**{total}**", "", f"{len(rules)} rules on {len(PROVIDERS)} providers"])
    yield ""
    yield row(["rule", *PROVIDERS])
    yield f"|---|{'---|' * len(PROVIDERS)}"
    for rule in rules:
        yield row([code(rule.id), *(_class(rule, provider) for provider in PROVIDERS)])


def _class(rule: Rule, provider: str) -> str:
    return (rule.evidence_class(provider) or "") if provider in rule.providers else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
