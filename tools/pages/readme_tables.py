"""Small tables for the README, out of what is published: libraries, coding agents, gateways, servers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from coding_agents import mark
from judged import judgements_of

from conformance.documents import Document
from conformance.judgements import AdapterJudgements
from conformance.report import summary
from conformance.report.findings import in_order
from conformance.report.summary import CONSEQUENCES

OURS = "conformance serve"
"""The server that is this suite's own: it is measured, and is no public server."""

Row = Mapping[str, Any]


def libraries(document: Document, every: Sequence[AdapterJudgements]) -> Iterator[str]:
    """A row for each library: how many rules pass, and how many findings there are by consequence."""
    yield from _head(["library", "version", "providers"], ["rules that pass", *CONSEQUENCES])
    for judged in in_order(document, every):
        cells = [cell for cell in document["cells"] if cell["adapter"] == judged.adapter]
        seen = [cell["outcome"] == "pass" for cell in cells if cell["outcome"] in summary.JUDGED]
        found = [one.consequence for one in judged.findings]
        counts = [str(found.count(consequence) or "") for consequence in CONSEQUENCES]
        name = f"[{judged.adapter}](reports/libraries/findings.md#{judged.adapter})"
        providers = str(len(summary.providers_of(document, judged.adapter)))
        yield _row([name, judged.version, providers, f"{sum(seen)}/{len(seen)}", *counts])


def agents(document: Document) -> Iterator[str]:
    """A row for each coding agent, a column for each format that one of them speaks."""
    judgements = judgements_of("agents", "agent")
    marks = {(one["agent"], one["provider"]): mark(one, judgements) for one in document["verdicts"]}
    titles = {one["agent"]: f"{one['title']} {one['version']}" for one in document["verdicts"]}
    spoken = Counter(provider for _, provider in marks)
    formats = sorted(spoken, key=lambda provider: (-spoken[provider], provider))
    yield from _head(["agent"], formats)
    for agent in sorted(titles, key=lambda agent: titles[agent].casefold()):
        yield _row([titles[agent], *(marks.get((agent, provider), "") for provider in formats)])


def gateways(document: Document) -> Iterator[str]:
    """A row for each gateway, a column for each format that its clients may speak: cases that passed, of all."""
    inbound = list(dict.fromkeys(cell["inbound"] for one in document["verdicts"] for cell in one["cells"]))
    yield from _head(["gateway"], inbound)
    for one in document["verdicts"]:
        by_format = [[cell["cases"] for cell in one["cells"] if cell["inbound"] == name] for name in inbound]
        yield _row([f"{one['title']} {one['version']}".rstrip(), *map(_passed, by_format)])


def _passed(cases: Collection[Row]) -> str:
    every = sum(one["of"] for one in cases)
    return f"{sum(one['passed'] for one in cases)}/{every}" if every else ""


def servers(document: Document) -> Iterator[str]:
    """A row for each server and format: rules that its answers broke, and wrong requests that it refused, of all."""
    rows: dict[tuple[str, str], list[Row]] = {}
    for one in document["servers"]:
        if not one["server"].startswith(OURS):
            rows.setdefault((one["server"], one["provider"]), []).append(one)
    yield from _head(["server", "format"], ["rules broken", "wrong requests refused"])
    for (server, provider), models in rows.items():
        broken = {finding["rule"] for one in models for finding in one["wire"]["findings"]}
        rejects = models[0]["must_reject"]
        refused = f"{rejects['refused']}/{rejects['refused'] + len(rejects['faults'])}"
        yield _row([server, provider, str(len(broken)), refused])


def published(path: Path) -> Document:
    """A result that was published as plain JSON."""
    document: Document = json.loads(path.read_text("utf-8"))
    return document


def _head(names: Sequence[str], figures: Sequence[str]) -> Iterator[str]:
    yield _row([*names, *figures])
    yield "|" + "|".join(["---"] * len(names) + [":-:"] * len(figures)) + "|"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
