"""Laws of matching, for any JSON body."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from replay_samples import URL, recorded, tape

from conformance.http import Request
from conformance.recordings.differences import differences
from conformance.recordings.player import Player, UnmatchedError
from conformance.recordings.volatile import NOTHING

Json = Any

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=[]), max_size=8)
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=25,
)


def posted(body: str) -> Request:
    return Request("POST", URL, {}, body.encode("utf-8", "surrogatepass"))


def shuffled(value: Json, draw: Any) -> Json:
    """The same document with its members in another order, at every depth."""
    if isinstance(value, dict):
        return {name: shuffled(value[name], draw) for name in draw(st.permutations(list(value)))}
    return [shuffled(item, draw) for item in value] if isinstance(value, list) else value


def places(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all values in a document."""
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in members:
        yield from places(item, (*path, name))


def changed(document: Json, path: tuple[str | int, ...], value: Json) -> Json:
    """A copy with another value at ``path``."""
    if not path:
        return value
    document = copy.deepcopy(document)
    holder = document
    for name in path[:-1]:
        holder = holder[name]
    holder[path[-1]] = value
    return document


def pointer(path: tuple[str | int, ...]) -> str:
    return "".join("/" + str(name).replace("~", "~0").replace("/", "~1") for name in path)


@pytest.mark.slow
@given(st.data(), DOCUMENTS)
def test_order_and_blanks_do_not_count(data: st.DataObject, document: Json) -> None:
    one = posted(json.dumps(document))
    indent, ascii_only = data.draw(st.sampled_from([None, 0, 3])), data.draw(st.booleans())
    text = json.dumps(shuffled(document, data.draw), indent=indent, ensure_ascii=ascii_only)
    assume(ascii_only or not any("\ud800" <= char <= "\udfff" for char in text))  # those bytes are no UTF-8
    interaction = recorded(one)
    assert Player([tape(interaction)], volatile=NOTHING).answer(posted(text)) is interaction


@given(st.data(), DOCUMENTS)
def test_one_changed_place_does_not_match_and_is_named(data: st.DataObject, document: Json) -> None:
    path = data.draw(st.sampled_from(list(places(document))))
    sent = changed(document, path, data.draw(DOCUMENTS))
    assume(json.dumps(sent, sort_keys=True) != json.dumps(document, sort_keys=True))
    others = [recorded(posted(json.dumps({"nothing like it": [number] * 99}))) for number in range(12)]
    player = Player([tape(*others, recorded(posted(json.dumps(document))))], volatile=NOTHING)
    with pytest.raises(UnmatchedError) as caught:
        player.answer(posted(json.dumps(sent)))
    nearest = caught.value.nearest
    assert nearest is not None
    if nearest.recording.number == 13 and path and type(sent) is type(document):
        assert all(item.at.startswith(pointer(path)) for item in nearest.differences)


@given(DOCUMENTS, DOCUMENTS)
def test_documents_have_differences_unless_they_are_equal(one: Json, other: Json) -> None:
    equal = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (not list(differences(one, other))) == equal
    assert not list(differences(one, copy.deepcopy(one)))


@pytest.mark.slow
@given(st.lists(DOCUMENTS, min_size=1, max_size=8), st.data())
def test_each_request_gets_its_own_recordings_in_order(documents: list[Json], data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.sampled_from(documents), max_size=20))
    requests = [posted(json.dumps(document)) for document in asked]
    player = Player([tape(*(recorded(item, str(n).encode()) for n, item in enumerate(requests)))], volatile=NOTHING)
    assert [player.answer(item).body for item in requests] == [str(n).encode() for n in range(len(requests))]
    assert player.unused() == ()


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_bodies_of_any_bytes(one: bytes, other: bytes) -> None:
    interaction = recorded(Request("POST", URL, {}, one))
    assert Player([tape(interaction)]).answer(Request("POST", URL, {}, one)) is interaction
    try:
        Player([tape(interaction)]).answer(Request("POST", URL, {}, other))
    except UnmatchedError as error:
        assert str(error)
