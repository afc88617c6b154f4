"""Nothing of an answer gets lost, on every wire: its text, why it stopped, what it cost.

Other rules say how things are written. These only ask whether they are there at all, and unchanged.
"""

from __future__ import annotations

from conformance.model import AssistantTurn, to_json
from conformance.rules.check import Verdicts, check, equal, holds
from conformance.transcript import Exchange


def _read(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What was said and what was read of it, where no failure was reported."""
    if x.offered is None or x.parsed is None or x.offered.error is not None:
        return None
    return x.offered, x.parsed


def _cut(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What was said and what was read of a stream that broke off before anybody refused."""
    if x.complete or x.damaged or x.offered is None or x.turn is None:
        return None
    return (x.offered, x.turn) if x.offered.error is None and x.offered.refusal is None else None


@check("common.parse.text-kept")
def text_kept(x: Exchange) -> Verdicts:
    """Text beside calls has a rule of its own. How several blocks of text are joined is left open."""
    turns = _read(x)
    if turns is not None and turns[0].text.strip() and not turns[0].calls:
        wanted, found = turns[0].text, turns[1].text
        yield holds("".join(wanted.split()) == "".join(found.split()), "/text", wanted, found)


@check("common.parse.stop-reason")
def stop_reason(x: Exchange) -> Verdicts:
    """Beside calls, finish reasons lie in ways that providers' own rules are about. The gateway's are its own."""
    turns = _read(x)
    if turns is not None and (x.card.forms.honest_stop or not turns[0].calls):
        yield equal("/stop", turns[0].stop, turns[1].stop)


@check("common.parse.refusal-told-apart")
def refusal_told_apart(x: Exchange) -> Verdicts:
    """Why the model refused may be the reader's own words. That it did shows in ``stop`` too."""
    turns = _read(x) or _cut(x)
    if turns is None:
        return
    offered, read = turns
    if offered.refusal is None and offered.stop != "refusal":
        yield holds(read.refusal is None and read.stop != "refusal", "/refusal", None, read.refusal)
    elif not offered.calls:
        yield holds(read.refusal is not None or read.stop == "refusal", "/refusal", offered.refusal, read.refusal)


@check("common.parse.usage-kept")
def usage_kept(x: Exchange) -> Verdicts:
    turns = _read(x)
    if turns is not None and turns[0].usage is not None:
        yield equal("/usage", to_json(turns[0].usage), to_json(turns[1].usage))
