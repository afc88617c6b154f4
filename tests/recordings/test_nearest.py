"""The nearest recording is found by sketches, which are never too hopeful."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay_samples import post, recorded, tape

from conformance.recordings.nearest import MAX_MEASURED, _window
from conformance.recordings.player import Player, UnmatchedError
from conformance.recordings.sketches import sketch

TEXTS = st.text("ab", max_size=200).map(str.encode)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_window_by_sketches_is_no_smaller_than_it_is(head: bytes, one: bytes, other: bytes, tail: bytes) -> None:
    first, second = head + one + tail, head + other + tail
    assert _window(first, second) <= sketch(first).window(sketch(second)) <= max(len(first), len(second))
    assert sketch(first).window(sketch(second)) == sketch(second).window(sketch(first))


@given(TEXTS)
def test_one_text_has_no_window_but_for_what_is_shorter_than_a_step(text: bytes) -> None:
    assert sketch(text).window(sketch(text)) <= max(16, len(text) // 4)


@pytest.mark.parametrize("changed", ["first", "middle", "last"])
def test_of_more_than_are_measured_the_one_with_one_other_member_is_found(changed: str) -> None:
    """Some 3 MB of bodies that are all about as long, of which a third is measured."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefgh", k=8)) for _ in range(500)]
    bodies = [
        {"first": chance.choice(words), "messages": chance.choices(words, k=300), "middle": 1,
         "more": chance.choices(words, k=300), "last": 0}
        for _ in range(600)
    ]  # fmt: skip
    assert sum(len(json.dumps(body)) for body in bodies) > 2 * MAX_MEASURED
    player = Player([tape(*(recorded(post(body)) for body in bodies))])
    with pytest.raises(UnmatchedError) as caught:
        player.answer(post(bodies[431] | {changed: "x"}))
    assert caught.value.nearest is not None
    assert caught.value.nearest.recording.number == 432
    assert [item.at for item in caught.value.nearest.differences] == [f"/{changed}"]
