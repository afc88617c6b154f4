"""One sentence for a reader: *conforms*, *refused by* the provider, *loses* something, *only trouble* elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report import summary

ReaderStanding = Literal["fails", "warns", "oddity", "conforms", "nothing"]
"""How a sentence counts."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What becomes of an adapter's users at some of its providers."""

    adapter: str
    providers: tuple[str, ...]
    standing: ReaderStanding
    told: str
    """The sentence without its subject."""

    @property
    def words(self) -> str:
        """The whole sentence."""
        where = f" on {', '.join(self.providers)}" if self.providers else ""
        return summary.plain(f"{self.adapter}{where}: {self.told}")


def sentences(document: Document) -> Iterator[Sentence]:
    """A sentence for each adapter and provider; providers of which the same is to be said share one."""
    for adapter in document["adapters"]:
        found: dict[tuple[ReaderStanding, str], list[str]] = {}
        for provider in summary.providers_of(document, adapter["id"]):
            found.setdefault(sentence(document, adapter["id"], provider), []).append(provider)
        for (standing, told), providers in found.items():
            yield Sentence(summary.titled(adapter), tuple(providers), standing, told)


def sentence(document: Document, adapter: str, provider: str) -> tuple[ReaderStanding, str]:
    """What becomes of an adapter's users at one provider, and how that counts."""
    cells = [cell for cell in document["cells"] if (cell["adapter"], cell["provider"]) == (adapter, provider)]
    rules = summary.rules_by_id(document)
    failing = [cell for cell in cells if cell["outcome"] in FAILURES and cell.get("flag") != "expected_fail"]
    faults = [cell for cell in failing if summary.shown(cell) != "limit"]
    if faults:
        return "fails", "; ".join(_harm(faults, rules))
    if failing:
        return "warns", f"limits, no faults: {'; '.join(_harm(failing, rules))}"
    expected = any(cell.get("flag") == "expected_fail" for cell in cells)
    known = ", but for what the baseline expects" if expected else ""
    if not expected and not any(cell["outcome"] in summary.JUDGED for cell in cells):
        return "nothing", "nothing was judged"
    shown = {summary.shown(cell) for cell in cells if cell["outcome"] == "warn"}
    if shown - {"oddity"}:
        return "warns", f"conforms{known}; {_worse(cells)}"
    if shown or any(cell.get("lightened_cases") for cell in cells):
        return "oddity", f"conforms{known}; only trouble on hosts that deviate from it"
    return "conforms", f"conforms{known}"


def _worse(cells: Sequence[Document]) -> str:
    number = sum(cell["outcome"] == "warn" and summary.shown(cell) != "oddity" for cell in cells)
    return f"could be better in {summary.counted(number, 'rule')}"


def _harm(failing: Sequence[Document], rules: dict[str, Document]) -> Iterator[str]:
    """What the failures do, the worst first."""
    said = {
        "rejected": "refused by the provider for {}",
        "presumed": "probably refused for {}",
        "lost": "loses {}",
        "degraded": "works worse in {}",
    }
    by_harm: dict[str, list[str]] = {}
    for cell in failing:
        rule = rules[cell["rule"]]
        by_harm.setdefault(summary.consequence(rule, [cell]), []).append(_topic(rule))
    for harm in summary.CONSEQUENCES:
        if topics := list(dict.fromkeys(by_harm.get(harm, ()))):
            yield said[harm].format(", ".join(topics))


TOPICS = {
    "declare": "how tools are declared", "parse": "what answers say", "ids": "ids of calls", "result": "tool results",
    "history": "the history", "stream": "what streams say", "naming": "names of tools", "error": "errors",
    "contract": "whole answers", "http": "the HTTP request", "binary": "pictures", "choose": "the choice of tools",
    "continuation": "where a conversation goes on", "shape": "the request's form",
}  # fmt: skip
"""What the rules of each stage are about, to somebody who knows none of them."""


def _topic(rule: Document) -> str:
    return TOPICS.get(str(rule["stage"]), str(rule["stage"]))
