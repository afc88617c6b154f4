"""Replacing parts of bodies: nothing else changes, whatever the body is and however it is cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from canaries import canary
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import JSON, SSE, said

from conformance.http import Request, StreamEvent, frame, unframe
from conformance.masking.words import PLACEHOLDER
from conformance.recordings.interaction import Interaction
from conformance.recordings.json_spans import spans, unescaped
from conformance.recordings.scrub import Scrubber
from conformance.recordings.splice import Splice, body_text, bytes_of, merged_splices, spliced
from conformance.recordings.views import views

SECRET = canary("splice", "sk-proj-")
BODIES = st.binary(max_size=80) | st.text(max_size=60).map(str.encode)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12)
PLANTED = st.tuples(st.sampled_from(["", "\n", "ü ", "\\"]), st.sampled_from(["", "\\", " z"])).map(SECRET.join)
CLOSED = PLANTED.map(lambda text: f"{text}.")
"""So that what the next event says, or the next element of a list, cannot be the rest of the key."""
NAMES = st.text(max_size=6) | st.sampled_from(["content", "text", "signature", "index", "id"])


def documents(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """JSON documents with such leaves."""
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
    )


WRITING = st.fixed_dictionaries({
    "ensure_ascii": st.booleans(),
    "indent": st.sampled_from([None, 0, 2]),
    "separators": st.sampled_from([None, (",", ":"), (" ,\t", " : ")]),
})  # fmt: skip


@st.composite
def cut(draw: st.DrawFn, bodies: st.SearchStrategy[bytes]) -> tuple[bytes, ...]:
    """A body in chunks, none of them empty."""
    body = draw(bodies)
    places = sorted(draw(st.sets(st.integers(1, max(1, len(body) - 1)), max_size=6)) if len(body) > 1 else set())
    edges = [0, *places, len(body)]
    return tuple(body[start:end] for start, end in pairwise(edges) if end > start)


@given(BODIES)
def test_text_keeps_every_byte(body: bytes) -> None:
    assert bytes_of(body_text(body)) == body


@given(cut(BODIES), st.data())
@settings(deadline=None)
def test_edits_change_nothing_else(chunks: tuple[bytes, ...], data: st.DataObject) -> None:
    text = body_text(b"".join(chunks))
    place = st.integers(0, len(text))
    pairs = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=5))
    edits = [
        Splice(start, end, data.draw(st.sampled_from(["", "x", "SCRUBBED"]))) for start, end in pairs if start < end
    ]
    done = merged_splices(edits)
    assert all(one.end <= two.start for one, two in pairwise(done))
    expected, taken = "", 0
    for edit in done:
        expected += text[taken : edit.start] + edit.text
        taken = edit.end
    expected += text[taken:]
    result = spliced(chunks, edits)
    assert b"".join(result) == bytes_of(expected)
    assert all(result)
    kept = set(boundaries(result))
    for boundary in boundaries(chunks)[:-1]:
        shift = inside = 0
        for edit in done:
            start, end = (len(bytes_of(text[:at])) for at in (edit.start, edit.end))
            shift += len(bytes_of(edit.text)) - (end - start) if end <= boundary else 0
            inside |= start < boundary < end
        assert inside or boundary + shift in kept | {0}


def boundaries(chunks: tuple[bytes, ...]) -> list[int]:
    """Where chunks end."""
    ends, place = [], 0
    for chunk in chunks:
        place += len(chunk)
        ends.append(place)
    return ends


def leaves_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The texts in a document, names included, in the order in which they stand there."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield (*path, name), name
            yield from leaves_of(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves_of(item, (*path, number))
    elif isinstance(value, str):
        yield path, value


@given(documents(LEAVES), WRITING)
@settings(deadline=None)
def test_all_texts_in_a_document_are_found(document: Any, how: dict[str, Any]) -> None:
    text = json.dumps(document, **how)
    found = [(path, text[start:end]) for path, kind, start, end in spans(text) if kind != "number"]
    again = [(path, json.loads(f'"{raw}"')) for path, raw in found]
    # Paths are decoded without joining surrogates: two halves of one character stay apart.
    assert [value for _, value in again] == [value for _, value in leaves_of(document)]
    assert [len(path) for path, _ in again] == [len(path) for path, _ in leaves_of(document)]
    if not how["ensure_ascii"]:
        assert [path for path, _ in again] == [path for path, _ in leaves_of(document)]


@given(documents(LEAVES | PLANTED), WRITING)
@settings(deadline=None)
def test_every_part_of_a_view_leads_to_its_characters(document: Any, how: dict[str, Any]) -> None:
    body = json.dumps(document, **how)
    for view in views(body):
        text = view.text.text
        if view.kind != "raw" and view.depth == 0 and text:
            for start in range(len(text)):
                raw = "".join(body[a:b] for a, b in view.text.places(start, start + 1))
                assert unescaped(raw) == text[start]


def replaced(value: Any) -> Any:
    """A document without the secret."""
    if isinstance(value, dict):
        return {replaced(name): replaced(item) for name, item in value.items()}
    if isinstance(value, list):
        return [replaced(item) for item in value]
    return value.replace(SECRET, PLACEHOLDER) if isinstance(value, str) else value


@given(cut(st.tuples(documents(LEAVES | CLOSED), WRITING).map(lambda pair: json.dumps(pair[0], **pair[1]).encode())))
@settings(deadline=None)
def test_documents_stay_what_they_were(chunks: tuple[bytes, ...]) -> None:
    body = b"".join(chunks)
    kept = Scrubber().scrub(said(body, chunks=chunks, headers=JSON))
    assert kept.body == kept.request.body
    assert kept.body == body.replace(SECRET.encode(), PLACEHOLDER.encode())
    assert json.loads(kept.body) == replaced(json.loads(body))
    assert Scrubber().scrub(kept) == kept


@given(st.lists(documents(LEAVES | CLOSED), min_size=1, max_size=4), st.sampled_from(["sse", "ndjson"]), st.data())
@settings(deadline=None)
def test_streams_stay_what_they_were(talk: list[Any], framing: Any, data: st.DataObject) -> None:
    body = b"".join(frame([StreamEvent(json.dumps(item)) for item in talk], framing))
    chunks = data.draw(cut(st.just(body)))
    kept = Scrubber().scrub(said(chunks=chunks, headers=SSE if framing == "sse" else JSON))
    events = [json.loads(event.data) for event in unframe(kept.chunks, framing)]
    assert events == [replaced(item) for item in talk]


@given(st.text(), st.binary())
@settings(deadline=None)
def test_nothing_is_changed_where_nothing_is_secret(text: str, data: bytes) -> None:
    for body in (json.dumps({"content": text}).encode(), text.encode("utf-8", "surrogatepass"), data):
        interaction = Interaction(Request("POST", "https://a/b", {}, body), 200, (), (body,) if body else ())
        kept = Scrubber().scrub(interaction)
        assert (kept.body, kept.request.body) == (body, body)
