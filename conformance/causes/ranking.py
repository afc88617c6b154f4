"""Which cause to mend first: what it does to users, times the share of the cases that show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conformance.causes.book import FoundCause
from conformance.documents import Document

WEIGHTS: Mapping[str, float] = {"rejected": 1.0, "lost": 0.7, "presumed": 0.5, "degraded": 0.2}
"""What breaking a rule does, as a number: an answer that never comes weighs most."""
STANDINGS = ("fails", "warns", "oddity")
"""How a cause counts: it fails the run, a `should` is broken, or only others than the provider itself make it show."""


def ranked(
    causes: Iterable[FoundCause], cells: Sequence[Document], played: Mapping[tuple[str, str], int]
) -> list[Document]:
    """The causes as documents, the most important first. ``cells`` are those of a result; ``played`` says how many
    cases an adapter was played on a provider. Causes whose cells a baseline expects to fail are left out."""
    by_place = {(cell["adapter"], cell["provider"], cell["rule"]): cell for cell in cells}
    told = [_told(cause, by_place, played) for cause in causes]
    return sorted((one for one in told if one), key=importance)


def _told(
    cause: FoundCause, by_place: Mapping[tuple[str, str, str], Document], played: Mapping[tuple[str, str], int]
) -> Document:
    adapter = cause.first.adapter
    cells = {
        place: by_place[adapter, *place]
        for place in cause.cells
        if (adapter, *place) in by_place and by_place[adapter, *place].get("flag") != "expected_fail"
    }
    if not cells:
        return {}
    providers = list(dict.fromkeys(provider for provider, _ in cells))
    cases = {(provider, case) for provider, rule in cells for case in cause.cells[provider, rule]}
    of = max(len(cases), sum(played.get((adapter, provider), 0) for provider in providers))
    consequence = min((cell["consequence"] for cell in cells.values()), key=[*WEIGHTS].index)
    first = cause.first
    return {
        "id": cause.id,
        "adapter": adapter,
        "standing": _standing(cause, cells.values()),
        "consequence": consequence,
        "cases": len(cases),
        "of": of,
        "weight": round(WEIGHTS[consequence] * len(cases) / of, 4),
        "providers": providers,
        "rules": _in_front(first.rule, dict.fromkeys(rule for _, rule in cells)),
        **cause.told,
        "such_as": {
            "provider": first.provider,
            "rule": first.rule,
            "case": first.case,
            "at": first.at,
            "in": first.document,
            "expected": first.expected,
            "found": first.found,
            "evidence": first.evidence,
        },
    }


def _in_front(first: str, names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: name != first)


def _standing(cause: FoundCause, cells: Iterable[Document]) -> str:
    if cause.first.light:
        return "oddity"
    return "warns" if all(_only_warns(cause, cell) for cell in cells) else "fails"


def _only_warns(cause: FoundCause, cell: Document) -> bool:
    """Whether a cause is no more than a warning in a cell. One of a `should` may fail for another: an exception."""
    if cell["outcome"] == "warn":
        return True
    counted = cell.get("cases") or {}
    return cause.told["kind"] != "exception" and bool(counted.get("warn")) and not counted.get("fail")


def importance(cause: Document) -> tuple[int, float, int, str]:
    """What causes are sorted by: those that fail the run first, then by weight."""
    return STANDINGS.index(cause["standing"]), -cause["weight"], -cause["cases"], cause["id"]
