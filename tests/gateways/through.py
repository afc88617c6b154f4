"""A gateway in a thread, between a client and a scripted provider: real HTTP on loopback, no other process."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.gateways.findings import CaseFindings
from conformance.gateways.plan import GatewayCase, all_cases
from conformance.gateways.play import Doorway, judged_case
from conformance.gateways.recipe import load_gateway
from conformance.gateways.reference import ReferenceGateway
from conformance.gateways.upstream import ScriptedUpstream


@dataclass
class Through:
    """What is played through one gateway."""

    upstream: ScriptedUpstream
    origin: str

    def case(self, case: GatewayCase, inbound: str, outbound: str) -> CaseFindings:
        """What is found in one case."""
        recipe = load_gateway("reference")
        url = recipe.inbound[inbound].url.replace("${gateway}", self.origin)
        door = Doorway(inbound, outbound, url, "any", recipe.outbound[outbound].model)
        return judged_case(case, door, self.upstream)[1]

    def cases(self, inbound: str, outbound: str, scenario: str = "") -> dict[str, CaseFindings]:
        """What is found in all cases of a pair of formats, or in those of one scenario."""
        chosen = (one for one in all_cases() if scenario in ("", one.scenario) and one.suits(inbound, outbound))
        return {case.name: self.case(case, inbound, outbound) for case in chosen}


@contextlib.contextmanager
def through(make: type[ReferenceGateway]) -> Iterator[Through]:
    """A gateway of a class."""
    upstream = ScriptedUpstream()
    server = make(upstream.origin).serve(0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Through(upstream, f"http://127.0.0.1:{server.server_address[1]}")
        assert upstream.problems == []
    finally:
        server.shutdown()
        server.server_close()
        upstream.stop()


def rules_told(found: dict[str, CaseFindings]) -> set[str]:
    """The rules that were broken."""
    return {one.rule for case in found.values() for one in case.found}
