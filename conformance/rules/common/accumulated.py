"""The whole answer that an adapter puts together from a stream, beside the body that comes without one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, same_json
from conformance.transcript import Exchange

ONE_FORM: Mapping[str, Mapping[str, str]] = {
    "openai-chat": {
        "/choices/*/message/annotations": "openai 3.57.0 openai.types.chat.chat_completion_chunk.ChoiceDelta has no "
        "such member, openai.types.chat.ChatCompletionMessage has",
        "/choices/*/message/parsed": "openai/openai-python helpers.md: the SDK's own member, which no provider sends",
        "/choices/*/message/tool_calls/*/function/parsed_arguments": "openai/openai-python helpers.md: the SDK's own "
        "member, which no provider sends",
    },
    "anthropic": {
        "/content/*/parsed_output": "anthropics/anthropic-sdk-python helpers.md: the SDK's own member, which no "
        "provider sends",
    },
}
"""The providers of which the rule speaks, and the members that one of both forms has alone: each with what says so."""

NUMBERED: Mapping[str, str] = {
    "/choices/*/message/tool_calls/*/index": "openai 3.57.0 openai.types.chat.chat_completion_chunk."
    "ChoiceDeltaToolCall.index: streams number calls, bodies do not",
}
"""The members that streams alone have, and that say the place in their list."""


@check("common.stream.accumulated-as-blocking")
def accumulated_as_blocking(x: Exchange) -> Verdicts:
    """Judged where the adapter hands over the whole answer, and where it is known what comes without a stream."""
    if x.turn is None or x.turn.message is None or x.whole is None or not x.complete or x.provider not in ONE_FORM:
        return
    known = ONE_FORM[x.provider]
    different = (one for one in _differences(x.whole, x.turn.message, "", "") if not _excused(*one, known))
    found = next(different, None)
    yield None if found is None else Finding(f"/message{found[1]}", found[2], found[3])


def _excused(form: str, at: str, whole: Json, made: Json, known: Mapping[str, str]) -> bool:
    """Whether a difference is of a member that only one form has."""
    if form in NUMBERED:
        return whole is None and str(made) == at.split("/")[-2]
    return form in known


def _differences(whole: Json, made: Json, form: str, at: str) -> Iterator[tuple[str, str, Json, Json]]:
    """Where two documents differ: the place with ``*`` for numbers, the place, and what stands in each.

    A member that is absent is as one that is null.
    """
    if isinstance(whole, dict) and isinstance(made, dict):
        for name in {**whole, **made}:
            yield from _differences(whole.get(name), made.get(name), f"{form}/{name}", f"{at}/{name}")
    elif isinstance(whole, list) and isinstance(made, list) and len(whole) == len(made):
        for place, (one, other) in enumerate(zip(whole, made, strict=True)):
            yield from _differences(one, other, f"{form}/*", f"{at}/{place}")
    elif not _same(whole, made):
        yield form, at, whole, made


def _same(one: Json, other: Json) -> bool:
    """Whether two values are the same. An SDK's types make ``0.0`` of ``0``, which is the same number."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other))
    return one == other if numbers else same_json(one, other)
