"""What holds at any place of a conversation: rules on requests, asked again where a setting or words have changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conformance.http import Request
from conformance.rules import Rule, catalogue
from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.judge import judge
from conformance.rules.shared.varied import varied
from conformance.transcript import Exchange, VariantName


@check("common.choose.forbidden-at-any-time")
def forbidden_at_any_time(x: Exchange) -> Verdicts:
    yield from _broken_by(x, "calls-forbidden", lambda rule: rule.stage == "choose")


@check("common.http.own-words-at-any-time")
def own_words_at_any_time(x: Exchange) -> Verdicts:
    yield from _broken_by(x, "renewed", lambda rule: rule.stage in ("declare", "history", "result"))


def _broken_by(x: Exchange, name: VariantName, wanted: Callable[[Rule], bool]) -> Verdicts:
    """For each wanted rule on requests that examines the other request: whether it holds there, if it holds here."""
    other = varied(x, name)
    if other is None or not isinstance(other.request, Request):
        return
    for rule in catalogue().values():
        if rule.side == "build" and rule.varies is None and wanted(rule) and rule.applies_to(x.provider, x.profile):
            verdicts = judge(rule, other)
            if verdicts and _first(judge(rule, x)) is None:
                yield _first(verdicts)


def _first(verdicts: Iterable[Finding | None]) -> Finding | None:
    return next((verdict for verdict in verdicts if verdict is not None), None)
