"""Each mutant of what a gateway asks and answers is told by a rule that fits. Nothing is told of unchanged traffic."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch

import pytest
from every import every

from conformance.gateways.mutated import GatewayBench, gateway_bench
from conformance.gateways.recipe import load_gateway
from conformance.gateways.reference import ReferenceGateway
from conformance.mutants.between.answers import AnswerMutant
from conformance.mutants.between.requests import RequestMutant
from conformance.mutants.between.tables import ANSWER_MUTANTS, OUTGOING_MUTANTS

Mutant = RequestMutant | AnswerMutant
MUTANTS: Mapping[str, Mutant] = {
    **{f"asks/{name}": one for name, one in OUTGOING_MUTANTS.items()},
    **{f"answers/{name}": one for name, one in ANSWER_MUTANTS.items() if one.gateway},
}
SAMPLE = ("asks/swaps_results", "answers/drops_second_call", "answers/drops_the_last_event")
PICTURES, THINKING = ("asks/drops_pictures",), ("answers/drops_thinking",)
NO_CHANGE = {
    "openai-chat": (*PICTURES, *THINKING),
    "openai-responses": (*PICTURES, *THINKING, "answers/says_end_beside_calls"),
    "gemini": (
        "asks/drops_the_parallel_switch", "answers/says_end_beside_calls", "answers/leaves_ids_out",
        "answers/leaves_the_model_out",
    ),
}  # fmt: skip
"""What cannot go wrong in these pairs, because one of the formats has no place for it."""


@contextlib.contextmanager
def started(upstream: str) -> Iterator[Mapping[str, str]]:
    """The reference gateway, in a thread."""
    server = ReferenceGateway(upstream).serve(0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {"gateway": f"http://127.0.0.1:{server.server_address[1]}", "upstream": upstream, "key": "key"}
    finally:
        server.shutdown()
        server.server_close()


def where(mutant: Mutant) -> tuple[str, bool]:
    """The scenario of a mutant, and whether the client watches words come."""
    if isinstance(mutant, RequestMutant):
        return mutant.script, False
    return mutant.scenario, mutant.watched


def is_told(bench: GatewayBench, inbound: str, outbound: str, name: str) -> None:
    """Hold a mutant against what is told of it."""
    mutant = MUTANTS[name]
    scenario, watched = where(mutant)
    told = {rule for rule, *_ in bench.told(scenario, inbound, outbound, mutant, watched=watched)}
    if not bench.changed:
        assert name in NO_CHANGE[inbound] and not told
        return
    fits = mutant.told_by if isinstance(mutant, RequestMutant) else mutant.gateway
    assert any(fnmatch(rule, form) for rule in told for form in fits), sorted(told)


def test_some_mutants_are_told() -> None:
    with gateway_bench(load_gateway("reference"), started) as bench:
        assert bench.told("parallel_calls.two_reads", "anthropic", "gemini") == []
        every({name: (bench, "anthropic", "gemini", name) for name in SAMPLE}, is_told)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("inbound", "outbound"), [("openai-chat", "anthropic"), ("openai-responses", "openai-chat"), ("gemini", "gemini")]
)
def test_each_mutant_is_told(inbound: str, outbound: str) -> None:
    with gateway_bench(load_gateway("reference"), started) as bench:
        places = dict.fromkeys(map(where, MUTANTS.values()))
        assert {place: bench.told(place[0], inbound, outbound, watched=place[1]) for place in places} == {
            place: [] for place in places
        }
        every({name: (bench, inbound, outbound, name) for name in MUTANTS}, is_told)


def test_a_third_was_written_when_the_rules_were_settled() -> None:
    later = sum(one.series == 2 for one in MUTANTS.values())
    assert 3 * later >= len(MUTANTS)
