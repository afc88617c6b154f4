"""Coverage: which rules a run exercised, by which scenarios, and why the others have nothing to examine."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.documents import Document
from conformance.report import summary
from conformance.report.markdown import escaped

SHOWN_SCENARIOS = 4


def coverage(document: Document) -> str:
    """The coverage of a result as Markdown, provider by provider."""
    run = document["run"]
    lines = ["# Which rules were exercised", ""]
    lines += [f"From `{run['command']}`, profile {run['profile']}, suite {document['suite']['version']}.", ""]
    lines += ["A rule that examined nothing did not pass: it is listed with the reason.", ""]
    for adapter, provider in summary.columns(document):
        cells = [cell for cell in document["cells"] if (cell["adapter"], cell["provider"]) == (adapter, provider)]
        lines += _provider(f"{adapter} on {provider}", cells)
    return "\n".join(lines).rstrip() + "\n"


def _provider(title: str, cells: list[Document]) -> Iterator[str]:
    exercised = [cell for cell in cells if cell["outcome"] in summary.JUDGED]
    idle = [cell for cell in cells if cell["outcome"] not in summary.JUDGED]
    yield from (f"## {title}", "", f"{len(exercised)} of {len(cells)} rules exercised.", "")
    yield from ("| rule | cases | scenarios |", "|---|--:|---|")
    for cell in exercised:
        shown = _scenarios(cell.get("scenarios", []), cell.get("generated", 0))
        yield f"| `{cell['rule']}` | {sum(cell['cases'].values())} | {shown} |"
    yield ""
    if idle:
        yield from ("| not exercised | why |", "|---|---|")
        yield from (f"| `{cell['rule']}` | {escaped(cell.get('why') or 'no scenario shows it')} |" for cell in idle)
        yield ""


def _scenarios(names: list[str], generated: int) -> str:
    shown = [f"`{name}`" for name in names[:SHOWN_SCENARIOS]]
    more = len(names) - len(shown)
    tail = ([f"{more} more"] if more else []) + ([f"{generated} generated"] if generated else [])
    return " and ".join([", ".join(shown), *tail] if shown else tail)
