"""Which cut of a stream makes the difference, and that ids of the adapter's own make none."""

from __future__ import annotations

from itertools import count

import pytest

from conformance.engine.narrow import StreamReader, guilty_cut
from conformance.model import AssistantTurn, ToolCall
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange

GIVEN = "call_1"
TEXT = "Grüße"


def exchange(twin: str | None) -> Exchange:
    """A stream of three chunks, of which the second begins inside a character. ``twin`` is its blocking twin's id."""
    body = TEXT.encode()
    return Exchange(
        "openai-chat",
        chunks=[body[:3], body[3:5], body[5:]],
        offered=AssistantTurn(calls=(ToolCall(GIVEN, "read"),)),
        twin=None if twin is None else AssistantTurn(calls=(ToolCall(twin, "read"),)),
    )


def careful(*ids: str) -> StreamReader:
    """An adapter that reads every stream right, and gives its call one id after the other."""
    numbers = count()
    return lambda chunks: AssistantTurn(calls=(ToolCall(ids[next(numbers) % len(ids)], "read"),))


def careless(chunks: list[bytes]) -> AssistantTurn:
    """An adapter that decodes chunk by chunk."""
    return AssistantTurn("".join(chunk.decode("utf-8", "replace") for chunk in chunks))


def test_the_cut_inside_a_character() -> None:
    assert guilty_cut(exchange(GIVEN), careless) == {"at_byte": 3, "before": "Gr\\xc3", "after": "\\xbc\xdfe"}


def test_an_adapter_that_fails_on_the_whole_stream_blames_no_cut() -> None:
    assert guilty_cut(exchange(GIVEN), lambda chunks: OperationFailure("parse_stream", "error", "never works")) is None


@pytest.mark.parametrize("twin", [GIVEN, "own_1", None])
def test_minted_ids_blame_no_cut(twin: str | None) -> None:
    assert guilty_cut(exchange(twin), careful("own_2", "own_3", "own_4")) is None


@pytest.mark.parametrize(("twin", "blamed"), [(GIVEN, True), (None, True), ("own_1", False)])
def test_the_providers_ids_are_compared_where_the_rules_compare_them(twin: str | None, blamed: bool) -> None:
    assert (guilty_cut(exchange(twin), careful(GIVEN, "call_")) is not None) == blamed
