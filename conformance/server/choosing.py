"""Which scenario a request is to be answered with, or that its own tools are to be called."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import NamedTuple

from conformance.engine.cases import fits
from conformance.scenarios import Scenario
from conformance.scenarios.fitting import unfit_on_host
from conformance.server.address import MODEL_PREFIX, ServerAddress
from conformance.server.shapes import ANY, ORDERS
from conformance.wires import card
from conformance.wires.facts import Facts
from conformance.wires.models import model_asked


class Choice(NamedTuple):
    """The scenario, or the word for what is played without one (`conformance.server.shapes.ORDERS`), or the problem.

    ``model`` is the name of the model that the client asked for.
    """

    scenario: Scenario | None
    model: str
    problem: str = ""
    without: str | None = None
    warning: str = ""


def choose(
    address: ServerAddress, facts: Facts, scenarios: Mapping[str, Scenario], default: str | None, usual: str = ANY
) -> Choice:
    """What a request chooses: by header or path, else by the name of its model, else the default; else ``usual``."""
    model = model_asked(address.path, facts.document)
    by_model = model.removeprefix(MODEL_PREFIX)
    known = by_model in scenarios
    asked = address.scenario or (by_model if model != by_model or known else None) or default
    own = by_model if known or by_model in ORDERS else model
    if asked is None or asked in ORDERS:
        return Choice(None, own or "test-model", without=asked or usual, warning=_looks_like(model, asked, scenarios))
    scenario = scenarios.get(asked)
    if scenario is None:
        return Choice(None, model, f"There is no scenario {asked[:100]!r}{_nearest(asked, [*scenarios, *ORDERS])}.")
    profile = scenario.profile or "native"
    if not fits(scenario, address.provider, profile):
        title = card(address.provider).title
        return Choice(None, model, f"The scenario {asked!r} is about what {title} does not do.")
    unfit = unfit_on_host(scenario, address.provider, streaming=facts.stream or scenario.streams_only)
    if unfit is not None:
        return Choice(None, model, f"The scenario cannot be told here: {unfit}.")
    return Choice(scenario, own or "test-model")


def _looks_like(model: str, asked: str | None, scenarios: Mapping[str, Scenario]) -> str:
    """A warning where the name of a model, which chooses nothing, is nearly that of a scenario."""
    near = difflib.get_close_matches(model[:100], scenarios, n=1, cutoff=0.8) if asked is None else []
    if not near:
        return ""
    return f"The model {model[:100]!r} is no scenario: the request's own tools are called. Did you mean {near[0]}?"


def _nearest(name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name[:100], known, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""
