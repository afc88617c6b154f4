"""Each mutant of what a server sees and answers is told by a rule that fits. Nothing is told of unchanged traffic."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch

import pytest
from every import every

from conformance.mutants.between.answers import AnswerMutant
from conformance.mutants.between.requests import RequestMutant
from conformance.mutants.between.tables import ANSWER_MUTANTS, UNSEEING_MUTANTS
from conformance.server.running import serving
from conformance.servers.address import AskedServer
from conformance.servers.mutated import ServerBench

Mutant = RequestMutant | AnswerMutant
MUTANTS: Mapping[str, Mutant] = {
    **{f"sees/{name}": one for name, one in UNSEEING_MUTANTS.items()},
    **{f"answers/{name}": one for name, one in ANSWER_MUTANTS.items() if one.server},
}
SAMPLE = ("answers/says_end_beside_calls", "answers/drops_the_last_event")
NO_CHANGE = (
    "answers/merges_calls", "answers/gives_calls_one_id", "sees/does_not_see_odd_roles", "sees/takes_tools_twice",
)  # fmt: skip
"""What may show in nothing: our own server's model makes one call at a time, and not every format refuses such
requests by a proven rule."""
MISSED = {"anthropic": "sees/takes_any_arguments"}
"""What no rule tells: the one about Anthropic's input compares it with what the model said before."""


def is_told(bench: ServerBench, name: str) -> None:
    """Hold a mutant against what is told of it."""
    mutant = MUTANTS[name]
    told = {rule for rule, *_ in bench.told(mutant, rejects=isinstance(mutant, RequestMutant))}
    if not bench.changed or MISSED.get(bench.server.provider) == name:
        assert not told and name in (*NO_CHANGE, *MISSED.values())
        return
    fits = mutant.told_by if isinstance(mutant, RequestMutant) else mutant.server
    assert any(fnmatch(rule, form) for rule in told for form in fits), sorted(told)


def test_some_mutants_are_told() -> None:
    with serving() as running:
        bench = ServerBench(AskedServer(running.url("anthropic"), "anthropic", "conformance/any", "key-of-a-test"))
        assert bench.told(rejects=False) == set()
        every({name: (bench, name) for name in SAMPLE}, is_told)


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai-chat", "anthropic"])
def test_each_mutant_is_told(provider: str) -> None:
    with serving() as running:
        bench = ServerBench(AskedServer(running.url(provider), provider, "conformance/any", "key-of-a-test"))
        assert bench.told() == set()
        every({name: (bench, name) for name in MUTANTS}, is_told)


def test_a_third_was_written_when_the_rules_were_settled() -> None:
    later = sum(one.series == 2 for one in MUTANTS.values())
    assert 3 * later >= len(MUTANTS)
