"""Whether the changes of a scenario can be made in the answers of a host.

They were written for the answers of one provider. A host of its format may render otherwise, and then has no place.
"""

from __future__ import annotations

from conformance.model import kinds_of
from conformance.scenarios.outlines import Outline, whole_scenario
from conformance.wires import wire
from conformance.wires.changes import unfit_change


def unfit_on_host(outline: Outline, provider: str, *, streaming: bool) -> str | None:
    """Why a scenario cannot be played on a host of its provider's format; ``None`` where it can.

    That the provider's own answers have the places is seen when the scenario is read.
    """
    if not outline.has_changes or provider in (outline.providers or ()):
        return None
    whole = whole_scenario(outline)
    unfit = unfit_change(wire(provider), outline.id, whole.answers, kinds_of(whole.tools), streaming=streaming)
    if unfit is None:
        return None
    meant = " and ".join(outline.providers or ())
    return f"{outline.id} changes an answer of {meant}, and {provider} answers otherwise: {unfit}"
