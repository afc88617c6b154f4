"""Which scenario a request is to be answered with."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import NamedTuple

from conformance.engine.cases import fits
from conformance.scenarios import Scenario
from conformance.server.address import MODEL_PREFIX, ServerAddress
from conformance.wires import card
from conformance.wires.facts import Facts
from conformance.wires.models import model_asked


class Choice(NamedTuple):
    """The scenario, or why there is none; and the name of the model that the client asked for."""

    scenario: Scenario | None
    model: str
    problem: str = ""


def choose(address: ServerAddress, facts: Facts, scenarios: Mapping[str, Scenario], default: str | None) -> Choice:
    """The scenario that a request chooses: by header or path, else by the name of its model, else the default."""
    model = model_asked(address.path, facts.document)
    by_model = model.removeprefix(MODEL_PREFIX)
    asked = address.scenario or (by_model if model != by_model or by_model in scenarios else None) or default
    own = by_model if by_model in scenarios else model
    if asked is None:
        return Choice(None, model, _nothing_chosen(model, scenarios))
    scenario = scenarios.get(asked)
    if scenario is None:
        return Choice(None, model, f"There is no scenario {asked[:100]!r}{_nearest(asked, scenarios)}.")
    profile = scenario.profile or "native"
    if not fits(scenario, address.provider, profile):
        title = card(address.provider).title
        return Choice(None, model, f"The scenario {asked!r} is about what {title} does not do.")
    return Choice(scenario, own or "test-model")


def _nothing_chosen(model: str, scenarios: Mapping[str, Scenario]) -> str:
    return (
        f"The model {model[:100]!r} is no scenario{_nearest(model.removeprefix(MODEL_PREFIX), scenarios)}. Choose one "
        "by the header x-conformance-scenario, by /s/<scenario> before the path, or as model conformance/<scenario>; "
        "'conformance list scenarios' shows all."
    )


def _nearest(name: str, scenarios: Mapping[str, Scenario]) -> str:
    close = difflib.get_close_matches(name[:100], scenarios, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
