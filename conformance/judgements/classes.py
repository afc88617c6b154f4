"""The classes of findings that follow from their cases, so that nobody types them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.documents import Document
from conformance.judgements import CAUSES, AdapterJudgements, Cause, FailedCase, Judgement, failed_cases
from conformance.rules import find_rule
from conformance.scenarios import is_elsewhere

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
    """The failing cases of an adapter in some results, and those of them that only deviating hosts make.

    Whose doing a case is, its result says for its own day, and our scenarios say what is known since.
    """

    all: Sequence[FailedCase]
    light: frozenset[FailedCase]

    @classmethod
    def of(cls, adapter: str, documents: Sequence[Document]) -> Failures:
        """Those of one adapter."""
        cells = [cell for document in documents for cell in document["cells"] if cell["adapter"] == adapter]
        failed = dict.fromkeys(item for cell in cells for item in failed_cases(cell))
        light = {item for cell in cells for item in _light_cases(cell)}
        light |= {item for item in failed if is_elsewhere(item.case, item.provider)}
        return cls(list(failed), frozenset(light))

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
    found = _failures(every, documents)
    causes = {cause.id: cause.judgement or derived_class(own.all, own.light) for cause, own in _causes(found)}
    return [
        replace(judged, findings=tuple(_classed(item, failures, causes) for item in judged.findings))
        for judged, failures in found
    ]


def _failures(
    every: Sequence[AdapterJudgements], documents: Sequence[Document]
) -> list[tuple[AdapterJudgements, Failures]]:
    return [(judged, Failures.of(judged.adapter, documents)) for judged in every]


def _classed(finding: Judgement, failures: Failures, causes: Mapping[str, str | None]) -> Judgement:
    if finding.cause is None:
        return replace(finding, judgement=finding.judgement or failures.derived(finding))
    told = causes[finding.cause.id]
    return replace(finding, judgement=told, cause=replace(finding.cause, judgement=told))


def _causes(found: Sequence[tuple[AdapterJudgements, Failures]]) -> Iterator[tuple[Cause, Failures]]:
    """The causes, each with the cases of all its findings."""
    own: dict[Cause, list[FailedCase]] = {}
    light = frozenset(item for _, failures in found for item in failures.light)
    for judged, failures in found:
        for finding in judged.findings:
            if finding.cause is not None:
                own.setdefault(finding.cause, []).extend(failures.own(finding))
    yield from ((cause, Failures(cases, light)) for cause, cases in own.items())


def complaints_of_causes(every: Sequence[AdapterJudgements], *documents: Document) -> Iterator[str]:
    """What is wrong with the classes of causes, a line each."""
    for cause, own in _causes(_failures(every, documents)):
        complaint = wrong_class(cause.judgement, derived_class(own.all, own.light)) if own.all else None
        if complaint is not None:
            yield f"{CAUSES}: {cause.id} {complaint}"


def wrong_class(told: str | None, derived: str | None) -> str | None:
    """What is wrong with the class that is told. A fault where a limit follows was read as more than that."""
    if derived == "oddity" and told is not None:
        return f"is judged a {told}, but only hosts that deviate from the provider make it show: leave it out"
    if derived is None and told is None:
        return "names no class, and none follows from its cases: it is a fault or a limit"
    if derived is not None and told == derived:
        return f"names its class, but that it is a {told} follows from its cases: leave it out"
    return None
