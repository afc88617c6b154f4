"""A gateway between two proxies that change one thing: what it asks, or what it answers. So its rules are proven.

    client ──▶ proxy ──▶ gateway ──▶ proxy ──▶ provider

Nobody but the tests and tools that prove rules uses it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.gateways.plan import GatewayCase, all_cases
from conformance.gateways.play import Doorway, judged_case
from conformance.gateways.recipe import GatewayRecipe
from conformance.gateways.surroundings import KEY
from conformance.gateways.upstream import ScriptedUpstream
from conformance.http import Request, Response
from conformance.mutants.between.answers import AnswerMutant
from conformance.mutants.between.requests import RequestMutant
from conformance.mutants.between.said import PacedAnswer
from conformance.recipes.placeholders import filled_in
from conformance.server.between import changing_proxy

GatewayMark = tuple[str, str, str]
"""What was told: the rule, the case with the number of the answer, and what was expected."""
GatewayStart = Callable[[str], contextlib.AbstractContextManager[Mapping[str, str]]]
"""Starts a gateway before a provider. Gives what placeholders of its recipe stand for."""


@dataclass
class GatewayBench:
    """A gateway that runs. ``asks`` and ``answers`` are what is changed now; ``changed`` says whether anything was."""

    recipe: GatewayRecipe
    upstream: ScriptedUpstream
    values: Mapping[str, str]
    plain: str = ""
    changing: str = ""
    asks: RequestMutant | None = None
    answers: AnswerMutant | None = None
    changed: bool = False

    def told(
        self, scenario: str, inbound: str, outbound: str, mutant: RequestMutant | AnswerMutant | None = None, *,
        watched: bool = False, direct: bool = False,
    ) -> list[GatewayMark]:  # fmt: skip
        """What is told in a scenario of one pair of formats. ``direct``: without a proxy before the gateway."""
        self.asks = mutant if isinstance(mutant, RequestMutant) else None
        self.answers = mutant if isinstance(mutant, AnswerMutant) else None
        self.changed = False
        front = self.changing if self.answers is not None else self.values["gateway"] if direct else self.plain
        door = self._door(inbound, outbound, front)
        cases = [one for one in wanted(scenario, watched=watched) if one.suits(inbound, outbound)]
        return [one for case in cases for one in self._told(case, door)]

    def _told(self, case: GatewayCase, door: Doorway) -> Sequence[GatewayMark]:
        _, found = judged_case(case, door, self.upstream)
        return [(one.rule, f"{case.name} {one.answer}", str(one.expected)[:200]) for one in found.found]

    def _door(self, inbound: str, outbound: str, front: str) -> Doorway:
        values = {**self.values, "gateway": front}
        way, target = self.recipe.inbound[inbound], self.recipe.outbound[outbound]
        headers = {name: filled_in(text, self.values) for name, text in {**way.headers, **target.headers}.items()}
        return Doorway(inbound, outbound, filled_in(way.url, values), KEY, target.model, headers)

    def change_request(self, provider: str, request: Request) -> Request:
        """What the provider is asked."""
        if self.asks is None:
            return request
        made = self.asks(provider, request)
        self.changed |= made.document != request.document
        return made

    def change_answer(self, provider: str, request: Request, response: Response) -> Response | PacedAnswer:
        """What the client is answered."""
        if self.answers is None:
            return response
        given = self.answers(provider, request, response)
        self.changed |= given != replace(response, headers={k.lower(): v for k, v in response.headers.items()})
        return given


def wanted(scenario: str, *, watched: bool) -> Iterator[GatewayCase]:
    """The cases of a scenario: those in which the client watches words come, or the others."""
    way = "gated" if watched else ""
    yield from (case for case in all_cases() if case.scenario == scenario and case.way == way)


@contextlib.contextmanager
def gateway_bench(recipe: GatewayRecipe, start: GatewayStart) -> Iterator[GatewayBench]:
    """A gateway with a proxy on each side, until the block ends."""
    upstream = ScriptedUpstream()
    bench = GatewayBench(recipe, upstream, {})
    try:
        with changing_proxy(upstream.origin, bench.change_request) as back, start(back) as values:
            bench.values = values
            with (
                changing_proxy(values["gateway"]) as bench.plain,
                changing_proxy(values["gateway"], answer=bench.change_answer) as bench.changing,
            ):
                yield bench
        assert not upstream.problems, upstream.problems[0]
    finally:
        upstream.stop()
