"""Findings as Markdown: what somebody found wrong with adapters, whose doing it is and what it does to users.

By cause, where several adapters share one, and by adapter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.documents import Document
from conformance.judgements import JUDGEMENTS, AdapterJudgements, Cause, Judgement, Thread, failed_cases
from conformance.report import summary
from conformance.report.markdown import code, escaped, prose, row
from conformance.report.summary import CONSEQUENCES

Links = Mapping[tuple[str, str], str]
"""Where the program of a finding is, by adapter and finding."""


def findings(document: Document, every: Sequence[AdapterJudgements], programs: Links) -> str:
    """The findings of all adapters that were judged, in the result's order, with links to programs that show them.

    What adapters share is told once, before what each has alone.
    """
    every = in_order(document, every)
    shared = shared_causes(every)
    lines = ["# Findings, read and judged", "", *_introduction(document), "", *overview(document, every), ""]
    lines += [*_counted(every, shared), ""]
    if shared:
        lines += ['<a id="shared"></a>', "## What several do", ""]
    for cause, own in shared.items():
        lines += _cause(document, cause, own, programs)
    for judged in every:
        lines += _adapter(document, judged, shared, programs)
    return "\n".join(lines).rstrip() + "\n"


SharedCauses = Mapping[Cause, Sequence[tuple[AdapterJudgements, Judgement]]]
"""The findings of each cause that several adapters share."""


def shared_causes(every: Sequence[AdapterJudgements]) -> SharedCauses:
    """The causes of findings, the worst and the commonest first. One that only one adapter here shows is its own."""
    found: dict[Cause, list[tuple[AdapterJudgements, Judgement]]] = {}
    for judged in every:
        for finding in judged.findings:
            if finding.cause is not None:
                found.setdefault(finding.cause, []).append((judged, finding))
    words = [*CONSEQUENCES]
    several = [cause for cause, own in found.items() if len({judged.adapter for judged, _ in own}) > 1]
    several.sort(key=lambda cause: (words.index(cause.consequence), -len(found[cause])))
    return {cause: found[cause] for cause in several}


def in_order(document: Document, every: Sequence[AdapterJudgements]) -> list[AdapterJudgements]:
    """The judgements in the order of the adapters in the result; of adapters that are not there, none."""
    by_name = {judged.adapter: judged for judged in every}
    return [by_name[adapter["id"]] for adapter in document["adapters"] if adapter["id"] in by_name]


def _introduction(document: Document) -> Iterator[str]:
    yield (
        f"Failures of the run of {escaped(document['run']['started'][:10])}, grouped by cause. Somebody read each "
        "of them beside the source of the library. A finding says what it does to users:"
    )
    yield ""
    yield from (f"- **{name}**: {words}" for name, words in CONSEQUENCES.items())
    yield from ("", "and whose doing it is:", "")
    yield from (f"- *{name}*: {words}" for name, words in JUDGEMENTS.items())


# --- the table -------------------------------------------------------------------------------------------------------


def overview(
    document: Document, every: Sequence[AdapterJudgements], page: str = "", doors: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The lines of a table with a row an adapter: what passes, and how many findings there are. ``page`` has them.

    ``doors`` are the figures of the adapters' libraries, by adapter, if the table is to show them.
    """
    heads = ["", "version", "providers", *([] if doors is None else ["doors played"]), "rules that pass", *CONSEQUENCES]
    yield row(heads)
    words = heads.index("rules that pass")
    yield "|" + "|".join(["---"] * words + [":-:"] * (len(heads) - words)) + "|"
    for judged in every:
        yield row(_tallies(document, judged, page, doors))


def _tallies(
    document: Document, judged: AdapterJudgements, page: str, doors: Mapping[str, str] | None
) -> Iterator[str]:
    cells = [cell for cell in document["cells"] if cell["adapter"] == judged.adapter]
    seen = [cell for cell in cells if cell["outcome"] in summary.JUDGED]
    yield f"[{escaped(judged.adapter)}]({page}#{judged.adapter})"
    yield escaped(judged.version)
    yield ", ".join(summary.providers_of(document, judged.adapter))
    if doors is not None:
        yield doors.get(judged.adapter, "not inventoried")
    yield f"{sum(cell['outcome'] == 'pass' for cell in seen)}/{len(seen)}"
    for consequence in CONSEQUENCES:
        yield str(sum(finding.consequence == consequence for finding in judged.findings) or "")


# --- what was found --------------------------------------------------------------------------------------------------


def _counted(every: Sequence[AdapterJudgements], shared: SharedCauses) -> Iterator[str]:
    """How many findings there are, and how many causes they have."""
    number, common = sum(len(judged.findings) for judged in every), sum(map(len, shared.values()))
    yield (
        f"{summary.counted(number, 'finding')} of {summary.counted(len(every), 'adapter')} "
        f"with {summary.counted(number - common + len(shared), 'cause')}: one cause has one class, whoever shows it."
    )


def _cause(
    document: Document, cause: Cause, own: Sequence[tuple[AdapterJudgements, Judgement]], programs: Links
) -> Iterator[str]:
    yield from (f'<a id="{_place(cause)}"></a>', f"### {prose(cause.title)}", "")
    yield from (f"{_weight(cause)}. {prose(cause.why)}", "")
    yield from (f"- issue: {thread}" for thread in cause.issues)
    for judged, finding in own:
        yield f"- **{escaped(judged.adapter)}**{': ' if finding.why else ''}{prose(finding.why)}"
        yield from (f"  {line}" for line in _proof(document, judged, finding, finding.issues, programs))
    yield ""


def _weight(found: Cause | Judgement) -> str:
    """What it does to users, and its class. Where the class follows from cases, and none is here, it is not told."""
    return f"**{found.consequence}**" + (f", *{found.judgement}*" if found.judgement else "")


def _place(cause: Cause) -> str:
    return f"cause-{cause.id}"


def _adapter(document: Document, judged: AdapterJudgements, shared: SharedCauses, programs: Links) -> Iterator[str]:
    yield from (f'<a id="{judged.adapter}"></a>', f"## {escaped(judged.adapter)} {escaped(judged.version)}", "")
    if not judged.findings:
        yield from ("Nothing was found.", "")
    common = [finding.cause for finding in judged.findings if finding.cause in shared]
    if common:
        yield from ("What others do, too:", "")
        for cause in dict.fromkeys(filter(None, common)):
            yield f"- {_weight(cause)}: [{prose(cause.title)}](#{_place(cause)})"
        yield ""
    for finding in judged.findings:
        if finding.cause in shared:
            continue
        yield f"### {prose(finding.title)}"
        yield ""
        yield f"{_weight(finding)}. {prose(finding.whole_why)}"
        yield ""
        yield from _proof(document, judged, finding, finding.all_issues, programs)
        if not finding.all_issues:
            yield "- issue: none found"
        yield ""


def _proof(
    document: Document, judged: AdapterJudgements, finding: Judgement, threads: Sequence[Thread], programs: Links
) -> Iterator[str]:
    """Where it shows, what is said of it in public, and what shows it."""
    yield from _where(document, judged, finding)
    yield from (f"- issue: {thread}" for thread in threads)
    if program := programs.get((judged.adapter, finding.id)):
        yield f"- program: [{program.rpartition('/')[2]}]({program})"


def _where(document: Document, judged: AdapterJudgements, finding: Judgement) -> Iterator[str]:
    """The rules that see it by provider, and what repeats its first case."""
    seen: dict[str, list[str]] = {}
    cases: set[tuple[str, str]] = set()
    again = ""
    for cell in document["cells"]:
        own = [failed for failed in failed_cases(cell) if finding.explains(failed)]
        if cell["adapter"] != judged.adapter or not own:
            continue
        seen.setdefault(cell["provider"], []).append(cell["rule"])
        cases |= {(failed.provider, failed.case) for failed in own}
        known = [item for item in cell["failures"] if item["case"] in {failed.case for failed in own}]
        again = again or (summary.reproduction(document, known[0]) if known else "")
    for provider, rules in seen.items():
        yield f"- {escaped(provider)}: {', '.join(code(rule) for rule in rules)}"
    number = summary.counted(len(cases), "case")
    yield f"- {number}, such as {code(again)}" if again else f"- {number}"
