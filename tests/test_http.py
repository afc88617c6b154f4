"""Stream framing: every legal spelling of the same events reads the same, wherever the bytes are cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.deliveries import DELIVERIES, cut_at
from conformance.http import (
    FrameStyle,
    FramingError,
    Request,
    Response,
    StreamEvent,
    frame,
    laid_out,
    unframe,
    url_parts,
)
from conformance.model import Conversation
from conformance.rules import catalogue, load_checks
from conformance.rules.judge import judge
from conformance.transcript import Exchange

documents = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers() | st.none(), max_size=3)
events = st.lists(
    st.builds(
        lambda document, name: StreamEvent(json.dumps(document, ensure_ascii=False), name),
        documents,
        st.none() | st.sampled_from(["message_start", "ping"]),
    ),
    min_size=1,
    max_size=5,
)
styles = st.builds(
    FrameStyle,
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    comments=st.booleans(),
    bom=st.booleans(),
    space=st.booleans(),
    split_data=st.booleans(),
)
cuts = st.lists(st.integers(0, 2000), max_size=8)


def meaning(stream: list[StreamEvent]) -> list[tuple[object, str | None]]:
    """Events as what they mean: a JSON document may be spelled over several lines."""
    return [(json.loads(item.data), item.event) for item in stream]


def pieces(body: bytes, places: list[int]) -> list[bytes]:
    return cut_at(body, sorted(place % (len(body) + 1) for place in places))


@given(events, styles, cuts)
def test_sse_reads_what_was_written(stream: list[StreamEvent], style: FrameStyle, places: list[int]) -> None:
    body = b"".join(frame(stream, "sse", style))
    assert meaning(list(unframe(pieces(body, places), "sse"))) == meaning(stream)


@given(events, st.sampled_from(["\n", "\r\n"]), st.booleans(), cuts)
def test_ndjson_reads_what_was_written(stream: list[StreamEvent], end: str, blank: bool, places: list[int]) -> None:
    body = b"".join(frame(stream, "ndjson", FrameStyle(line_end=end, comments=blank)))
    read = list(unframe(pieces(body, places), "ndjson"))
    assert [item.data for item in read] == [item.data.strip() for item in stream]


@given(events, st.booleans(), cuts)
def test_arrays_read_what_was_written(stream: list[StreamEvent], blank: bool, places: list[int]) -> None:
    body = b"".join(frame(stream, "json-array", FrameStyle(comments=blank)))
    assert json.loads(body) == [json.loads(item.data) for item in stream]
    read = list(unframe(pieces(body, places), "json-array"))
    assert [item.data for item in read] == [laid_out(item.data) for item in stream]
    assert [json.loads(item.data) for item in read] == [json.loads(item.data) for item in stream]


def test_arrays_come_as_google_writes_them() -> None:
    """Laid out, CRLF after the comma between elements, nowhere else, and nothing after the last bracket."""
    stream = [StreamEvent('{"a":[{"b":"x, {"}],"c":{}}'), StreamEvent('{"n":1.50}')]
    first, last = frame(stream, "json-array")
    assert first == b'[{\n  "a": [\n    {\n      "b": "x, {"\n    }\n  ],\n  "c": {}\n}\n'
    assert last == b',\r\n{\n  "n": 1.50\n}\n]'


@given(st.text(alphabet='{}[]",:\\ a1\n'))
def test_laying_out_changes_nothing_but_blank_space(text: str) -> None:
    """Whatever it is, and also when it breaks off."""
    assert "".join(laid_out(text).split()) == "".join(text.split())


@given(st.binary(max_size=300), cuts, st.sampled_from(["sse", "ndjson"]))
def test_any_bytes_are_read_the_same_wherever_they_are_cut(body: bytes, places: list[int], framing: str) -> None:
    assert list(unframe([body], framing)) == list(unframe(pieces(body, places), framing))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data: a\n\n", [("a", None)]),
        ("data:a\n\n", [("a", None)]),
        ("data:  a\n\n", [(" a", None)]),
        ("data: a\ndata: b\n\n", [("a\nb", None)]),
        ("data\n\n", [("", None)]),
        (": comment\n\ndata: a\n\n", [("a", None)]),
        ("event: x\ndata: a\n\ndata: b\n\n", [("a", "x"), ("b", None)]),
        ("event: x\n\ndata: b\n\n", [("b", None)]),
        ("id: 1\nretry: 5\nunknown: y\ndata: a\n\n", [("a", None)]),
        ("\ufeffdata: a\n\n", [("a", None)]),
        ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", [("a", None), ("b", None), ("c", None)]),
        ("data: [DONE]\n\n", [("[DONE]", None)]),
        ("data: last", [("last", None)]),
        ("", []),
    ],
)
def test_sse_by_example(text: str, expected: list[tuple[str, str | None]]) -> None:
    body = text.encode()
    for chunks in ([body], [body[place : place + 1] for place in range(len(body))]):
        assert [(item.data, item.event) for item in unframe(chunks, "sse")] == expected


@pytest.mark.parametrize("text", ['{"a": 1}', "data: x", "nonsense"])
def test_a_json_array_stream_that_is_none_says_so(text: str) -> None:
    with pytest.raises(FramingError, match="begins with"):
        list(unframe([text.encode()], "json-array"))


def test_a_cut_array_yields_what_came() -> None:
    assert [item.data for item in unframe([b'[{"a": 1},\n{"b": "x}'], "json-array")] == ['{"a": 1}', '{"b": "x}']


@pytest.mark.parametrize("name", [name for name, delivery in DELIVERIES.items() if delivery.cut])
def test_cuts_lose_nothing(name: str) -> None:
    framed = frame([StreamEvent('{"text":"héllo 😀"}'), StreamEvent("[DONE]")], "sse", DELIVERIES[name].style)
    cut = DELIVERIES[name].cut
    assert cut is not None
    assert b"".join(cut(framed)) == b"".join(framed)
    assert cut(framed) == cut(framed)


def test_cuts_fall_where_their_name_says() -> None:
    body = ["é😀".encode(), b"a\r\nb"]
    assert DELIVERIES["stream:utf8-split"].cut(body) == [b"\xc3", b"\xa9\xf0", b"\x9f", b"\x98", b"\x80a\r\nb"]  # type: ignore[misc]
    assert DELIVERIES["stream:crlf-split"].cut(body)[-1] == b"\nb"  # type: ignore[misc]
    assert all(len(chunk) == 1 for chunk in DELIVERIES["stream:per-byte"].cut(body))  # type: ignore[misc]


def test_headers_are_found_whatever_their_case() -> None:
    assert Request("POST", "https://x/y?z=1", {"Content-Type": "a"}).header("content-type") == "a"
    assert Response(200, {"Retry-After": "2"}).header("retry-after") == "2"
    request = Request.post_json("https://x/y?z=1", {"a": "é"})
    assert (request.path, request.query, request.body) == ("/y", "z=1", '{"a":"é"}'.encode())


@pytest.mark.parametrize("url", ["https://[/v1/x?a=b#c", "http://[::1/v1/x?a=b", "http://a]/v1/x?a=b", "//[/x", "["])
def test_what_is_no_url_has_parts(url: str) -> None:
    parts = url_parts(url)
    assert Request("POST", url).path == parts.path
    assert not url.startswith("http") or (parts.path == "/v1/x" and parts.query == "a=b")


def test_a_request_to_no_url_is_judged_by_all_rules() -> None:
    load_checks()
    request = Request.post_json("https://[/v1/chat/completions", {"model": "m", "messages": []})
    for rule in catalogue().values():
        if rule.side == "build" and rule.check is not None:
            for provider in rule.providers:
                judge(rule, Exchange(provider, "native", Conversation(()), request))
