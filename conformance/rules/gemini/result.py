"""Gemini: results of calls."""

from __future__ import annotations

from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.gemini.documents import content_of
from conformance.rules.shared.pairing import answers, correlate
from conformance.transcript import Exchange
from conformance.wires.facts import obj


@check("gemini.result.function-response-part")
def function_response_part(x: Exchange) -> Verdicts:
    called = {id(result): at for at, result in correlate(x.facts).answers.items()}
    names = {call.at: call.name for call in x.facts.calls}
    for result in x.facts.results:
        named = isinstance(result.name, str) and result.name != ""
        expected = names.get(called.get(id(result), ""))
        right = named and (expected is None or result.name == expected)
        yield holds(right, f"{result.at}/name", expected or "the name of the function", result.name)


@check("gemini.result.response-is-object")
def response_is_object(x: Exchange) -> Verdicts:
    """Without a response a call that returned nothing is answered; what a tool did return must not get lost so."""
    said = {id(answer.sent) for answer in answers(x) if answer.meant.content}
    for result in x.facts.results:
        if result.content is not None or id(result) in said:
            yield holds(isinstance(result.content, dict), result.content_at, {"output": "..."}, result.content)


@check("gemini.result.output-and-error-keys")
def output_and_error_keys(x: Exchange) -> Verdicts:
    failed = {id(answer.sent): answer.meant.is_error for answer in answers(x) if answer.sent is not None}
    for result in x.facts.results:
        keys = [key for key in ("output", "error") if key in obj(result.content)]
        if not isinstance(result.content, dict):
            continue
        if len(keys) == 2:
            yield Finding(result.content_at, "output or error, not both", keys)
        elif id(result) in failed:
            right = keys == ["error"] if failed[id(result)] else keys != ["error"]
            yield holds(right, result.content_at, "error" if failed[id(result)] else "output", sorted(result.content))


@check("gemini.result.count-equals-calls")
def count_equals_calls(x: Exchange) -> Verdicts:
    """Calls without any result, and what stands between the results, are left to other rules."""
    for turn in x.facts.rounds:
        if turn.results:
            expected = f"{len(turn.calls)} function responses"
            yield holds(len(turn.results) == len(turn.calls), content_of(turn.results[0]), expected, len(turn.results))
