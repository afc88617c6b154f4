"""What was served as a result: each client is an adapter, each scenario that it was told a case."""

from __future__ import annotations

import datetime
import re
from collections import defaultdict
from collections.abc import Mapping

from conformance.adapters.contract import AdapterInfo
from conformance.engine.cases import Group, Selection
from conformance.engine.pool import AdapterProbe
from conformance.matrix import Matrix
from conformance.runner.conclusion import RunResult, concluded
from conformance.scenarios import Scenario
from conformance.server.log import Log
from conformance.wires import PROVIDERS, card, known_ids

_VERSION = re.compile(r"[ /]v?(\d[\w.+-]*)$")
"""How a client's name ends that says its version."""


def matrix_of(log: Log, scenarios: Mapping[str, Scenario]) -> Matrix:
    """The cells of all clients. Rules about reading have nothing to examine: nobody saw what was understood."""
    log.settle()
    providers: defaultdict[str, set[str]] = defaultdict(set)
    for client, provider, _, _ in log.cases:
        providers[client].add(provider)
    clients = [_client(name, seen) for name, seen in providers.items()]
    seen = set().union(*providers.values())
    chosen = tuple(sorted(seen)) if seen - set(PROVIDERS) else ()
    matrix = Matrix(clients, scenarios, Selection(chosen, profile=log.settings.profile), mask=log.mask)
    for report in log.cases.values():
        matrix.enter(report)
    for cell in matrix.cells.values():
        for failure in cell.failures:
            if failure.failure.evidence in matrix.evidence:
                matrix.evidence[failure.failure.evidence]["reproduce"] = f"conformance explain {cell.rule.id}"
    return matrix


def _client(name: str, seen: set[str]) -> AdapterProbe:
    claimed = {provider: card(provider).capabilities for provider in known_ids() if provider in seen}
    said = _VERSION.search(name)
    return AdapterProbe(name, AdapterInfo(name, claimed, said[1] if said else "", language="unknown"), "client")


def served_result(log: Log, scenarios: Mapping[str, Scenario], *, command: str) -> RunResult:
    """All that was served, as a run of the clients."""
    return concluded(
        matrix_of(log, scenarios),
        [Group(client, provider, scenario, (mode,)) for client, provider, scenario, mode in log.cases],
        started=log.started,
        seconds=(datetime.datetime.now(datetime.UTC) - log.started).total_seconds(),
        command=command,
    )
