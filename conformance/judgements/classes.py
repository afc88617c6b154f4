"""The classes of findings that follow from their cases, so that nobody types them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.documents import Document
from conformance.judgements import CAUSES, AdapterJudgements, Cause, FailedCase, Judgement, failed_cases
from conformance.rules import find_rule

PREFERRED = frozenset({"policy", "accepted"})
"""Evidence for what no provider asks: a policy of this suite, and what providers were seen to take."""


def derived_class(failed: Collection[FailedCase], light: Collection[FailedCase]) -> str | None:
    """The class that follows from the failing cases of a finding; ``None`` where somebody has to say it.

    It is an oddity where only hosts that deviate from the provider make all of them, and a limit where the others break
    nothing but what this suite would rather see.
    """
    own = [case for case in failed if case not in light]
    if failed and not own:
        return "oddity"
    return "limit" if own and all(map(_only_preferred, own)) else None


def _only_preferred(failed: FailedCase) -> bool:
    rule = find_rule(failed.rule)
    return (
        rule is not None
        and rule.level != "must"
        and rule.evidence_class(failed.provider) in PREFERRED
        and rule.shown_consequence(failed.provider) == "degraded"
    )


@dataclass(frozen=True, slots=True)
class Failures:
    """The failing cases of an adapter in some results, and those of them that only deviating hosts make."""

    all: Sequence[FailedCase]
    light: frozenset[FailedCase]

    @classmethod
    def of(cls, adapter: str, documents: Sequence[Document]) -> Failures:
        """Those of one adapter."""
        cells = [cell for document in documents for cell in document["cells"] if cell["adapter"] == adapter]
        failed = dict.fromkeys(item for cell in cells for item in failed_cases(cell))
        return cls(list(failed), frozenset(item for cell in cells for item in _light_cases(cell)))

    def derived(self, finding: Judgement) -> str | None:
        """The class of a finding that follows from its cases."""
        return derived_class(self.own(finding), self.light)

    def own(self, finding: Judgement) -> list[FailedCase]:
        """The cases that a finding explains."""
        return [item for item in self.all if finding.explains(item)]


def _light_cases(cell: Document) -> Iterator[FailedCase]:
    return (FailedCase(cell["provider"], cell["rule"], case) for case in cell.get("lightened_cases", ()))


def classed(every: Sequence[AdapterJudgements], *documents: Document) -> list[AdapterJudgements]:
    """The judgements with the classes that follow from the cases in the results.

    What names no class and has no case there, or none from which a class follows, stays without one.
    """
    found = [(judged, Failures.of(judged.adapter, documents)) for judged in every]
    own = {id(item): _class(item, failures) for judged, failures in found for item in judged.findings}
    causes: dict[str, str | None] = {}
    for item in (item for judged in every for item in judged.findings):
        if item.cause is not None:
            causes[item.cause.id] = causes.get(item.cause.id) or own[id(item)]
    return [
        replace(judged, findings=tuple(_classed(item, own[id(item)], causes) for item in judged.findings))
        for judged in every
    ]


def _class(finding: Judgement, failures: Failures) -> str | None:
    return finding.judgement or failures.derived(finding)


def _classed(finding: Judgement, judgement: str | None, causes: Mapping[str, str | None]) -> Judgement:
    if finding.cause is None:
        return replace(finding, judgement=judgement)
    told = causes[finding.cause.id]
    return replace(finding, judgement=told, cause=replace(finding.cause, judgement=told))


def complaints_of_causes(every: Sequence[AdapterJudgements], *documents: Document) -> Iterator[str]:
    """What is wrong with the classes of causes, a line each.

    A class that follows from the cases of all findings is not named. One that is not named follows everywhere alike.
    """
    follows: dict[Cause, set[str | None]] = {}
    for judged in every:
        failures = Failures.of(judged.adapter, documents)
        for finding in judged.findings:
            if finding.cause is not None:
                follows.setdefault(finding.cause, set()).add(failures.derived(finding))
    for cause, classes in follows.items():
        if classes == {cause.judgement} != {None}:
            yield f"{CAUSES}: {cause.id}: that it is a {cause.judgement} follows from its cases: leave it out"
        elif cause.judgement is None and len(classes) > 1:
            told = ", ".join(sorted(name or "none" for name in classes))
            yield f"{CAUSES}: {cause.id}: names no class, and several follow from its cases: {told}"
