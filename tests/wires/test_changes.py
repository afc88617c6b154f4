"""Changes of rendered answers: each kind does what it says, and one that does not fit is an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.http import StreamEvent
from conformance.script import CHANGES, Change, ScriptCall, ScriptTurn, Voice
from conformance.wires import wire
from conformance.wires.changes import (
    EDITS,
    EVENT_CHANGES,
    SAME,
    UnfitChangeError,
    changed_body,
    changed_events,
    event_kinds,
)
from conformance.wires.places import PlaceError, is_labelled, steps_of

BODY = {"usage": {"in": 1}, "content": [{"type": "text", "text": "a"}, {"type": "call"}, {"type": "text", "text": "b"}]}


def body(*changes: Change) -> dict[str, Any]:
    """The body with changes."""
    return changed_body(BODY, changes)


def data(events: list[StreamEvent]) -> list[Any]:
    """The events as JSON; markers as text."""
    return [json.loads(event.data) if event.data.startswith("{") else event.data for event in events]


def chunks(*changes: Change) -> list[Any]:
    """The chunks of a chat stream with changes."""
    speaker = wire("openai-chat")
    turn = ScriptTurn(text="I read it.", calls=(ScriptCall("read", {"path": "/a"}),))
    return data(changed_events(speaker, speaker.render_stream(turn, Voice("m", {}, "seed")), changes))


def test_every_kind_of_change_is_carried_out_somewhere() -> None:
    assert CHANGES.keys() == EDITS.keys() | EVENT_CHANGES.keys() | {"split"}


def test_a_member_is_set_and_null_is_a_value() -> None:
    assert body(Change("set", "response.usage.in", None))["usage"] == {"in": None}
    assert body(Change("set", "response.usage.out", 2))["usage"] == {"in": 1, "out": 2}


def test_a_label_chooses_items() -> None:
    changed = body(Change("set", "response.content[type=text].id", "x"))
    assert [item.get("id") for item in changed["content"]] == ["x", None, "x"]


@pytest.mark.parametrize(("where", "ids"), [("first", ["x", None]), ("last", [None, "x"]), ("lacking", ["x", "x"])])
def test_where_chooses_among_the_places(where: Any, ids: list[Any]) -> None:
    changed = body(Change("set", "response.content[type=text].id", "x", where))
    assert [item.get("id") for item in changed["content"] if item["type"] == "text"] == ids


def test_members_and_items_are_removed() -> None:
    assert "usage" not in body(Change("remove", "response.usage"))
    assert [item["type"] for item in body(Change("remove", "response.content[type=text]"))["content"]] == ["call"]


def test_an_item_is_added_at_either_end() -> None:
    assert body(Change("add", "response.content[]", 1))["content"][-1] == 1
    assert body(Change("add", "response.content[]", 1, "first"))["content"][0] == 1


def test_the_body_that_was_rendered_is_left_alone() -> None:
    body(Change("remove", "response.content[]"))
    assert len(BODY["content"]) == 3


@pytest.mark.parametrize(
    "change",
    [
        Change("set", "response.content[type=nothing].id", 1),
        Change("set", "elsewhere.id", 1),
        Change("set", "response.content[", 1),
        Change("set", "response.usage(what)", 1),
        Change("remove", "response.absent"),
        Change("repeat", "response.usage"),
    ],
)
def test_what_does_not_fit_a_body_is_an_error(change: Change) -> None:
    with pytest.raises((UnfitChangeError, PlaceError)):
        body(change)


@pytest.mark.parametrize(
    "change",
    [
        Change("repeat", "stream: no such kind"),
        Change("leave_out", "stream.choices[]"),
        Change("split", "stream.choices[].nothing"),
        Change("merge", "stream: done", None, "last"),
    ],
)
def test_what_does_not_fit_a_stream_is_an_error(change: Change) -> None:
    with pytest.raises(UnfitChangeError):
        chunks(change)


def test_changes_of_a_body_leave_streams_alone_and_the_other_way_round() -> None:
    assert chunks(Change("set", "response.x", 1)) == chunks()
    assert body(Change("set", "stream.x", 1)) == BODY


def test_events_are_left_out_repeated_and_late() -> None:
    plain = chunks()
    assert chunks(Change("leave_out", "stream: done")) == plain[:-1]
    assert chunks(Change("repeat", "stream: done")) == [*plain, plain[-1]]
    assert chunks(Change("late", "stream: *", None, "first"))[:2] == plain[1::-1]


def test_an_inserted_event_takes_over_what_is_the_same() -> None:
    event = {"id": SAME, "absent": SAME, "choices": []}
    changed = chunks(Change("insert", "stream: *", [event], "first"))
    assert changed[1] == {"id": changed[0]["id"], "choices": []}


def test_two_events_become_one_and_one_becomes_two() -> None:
    plain = chunks()
    merged = chunks(Change("merge", "stream: chunk+says", None, "first"))
    assert len(merged) == len(plain) - 1
    split = chunks(Change("split", "stream.choices[].finish_reason", ["usage"], "last"))
    assert len(split) == len(plain) + 1
    at = next(place for place, one in enumerate(plain) if one["choices"] and one["choices"][0]["finish_reason"])
    assert split[at]["choices"][0]["finish_reason"] is None
    assert split[at + 1]["choices"][0] == {**plain[at]["choices"][0], "delta": {}}


def test_events_that_count_themselves_are_counted_again() -> None:
    speaker = wire("openai-responses")
    events = speaker.render_stream(ScriptTurn(text="hi"), Voice("m", {}, "seed"))
    change = Change("insert", "stream: response.created", [{"type": "keepalive"}])
    changed = changed_events(speaker, events, [change])
    assert [one["sequence_number"] for one in data(changed)] == list(range(len(events) + 1))
    assert changed[1].event == "keepalive"
    assert event_kinds(speaker, changed)[1] == "keepalive"


def test_labels() -> None:
    assert is_labelled({"a": 1}, "no type")
    assert not is_labelled(True, "number")
    assert [step.kind for step in steps_of("stream(type=x).a[type=b].c[]")] == [
        "told", "member", "items", "member", "items",
    ]  # fmt: skip
