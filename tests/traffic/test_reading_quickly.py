"""What is read by the quick way is what the standard library reads, and what one reads of an event stays as it was."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from talk import PROVIDERS, conversation

from conformance.http import StreamEvent, unframe
from conformance.traffic.framing import read_quickly
from conformance.wires import wire

TEXTS = (
    "1", "-0", "-0.0", "1.0", "1e5", "1e400", "NaN", "-Infinity", "18446744073709551616", "9" * 30, "[1", "", "null",
    '"\\ud800"', '"\ud83d"', '{"a": 1, "a": 2}', "\ufeff1", "\xa01", "\x0b1", "[" * 2000, "01",
    '"\x01"', "0." + "1" * 40,
)  # fmt: skip


def same(text: str) -> None:
    quick, plain = read_quickly(StreamEvent(text)), StreamEvent(text)
    assert (quick.is_json, repr(quick.document)) == (plain.is_json, repr(plain.document))


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_odd_texts_are_read_alike(text: str) -> None:
    same(text)


@given(st.one_of(
    st.text(alphabet="0123456789.eE+-[]{},:\"\\\\u dD89abnultrefs\n", max_size=20),
    st.floats().map(repr), st.integers().map(str), st.text(max_size=8).map(json.dumps),
))  # fmt: skip
def test_any_text_is_read_alike(text: str) -> None:
    same(text)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_whoever_puts_a_stream_together_leaves_its_events_as_they_came(provider: str) -> None:
    speaker = wire(provider)
    for said in conversation(provider, stream=True):
        events = list(unframe([said.answer], speaker.card.framings[0]))
        before = [copy.deepcopy(event.document) for event in events]
        assembled = [speaker.assembled(events) for _ in range(2)]
        speaker.finish(assembled[0])
        assert [event.document for event in events] == before
        assert assembled[0] == assembled[1]
