"""The player: which recording a request gets, in which order, and what is said when there is none."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from replay_samples import URL, post, recorded, tape

from conformance.http import Request
from conformance.recordings.interaction import Interaction
from conformance.recordings.player import EmptyRecordingError, Player, ReplayError, UnmatchedError
from conformance.recordings.store import write_cassette
from conformance.recordings.volatile import NOTHING
from conformance.wires.volatile import Volatile

HELLO = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}], "temperature": 1}


def player(*interactions: Interaction, **options: Any) -> Player:
    return Player([tape(*interactions)], **options)


def matches(one: Request, other: Request, **options: Any) -> bool:
    """Whether a recording of ``one`` answers ``other``."""
    try:
        player(recorded(one), **options).answer(other)
    except UnmatchedError:
        return False
    return True


def calls(first: str, second: str, answered: str) -> dict[str, Any]:
    """A chat with two calls, and a result of one of them."""
    return {
        "messages": [
            {"role": "assistant", "tool_calls": [{"id": first}, {"id": second}]},
            {"role": "tool", "tool_call_id": answered, "content": "done"},
        ]
    }


def form(boundary: str, text: str = "x") -> Request:
    """A multipart form with one field."""
    body = f'--{boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n{text}\r\n--{boundary}--\r\n'
    return Request("POST", URL, {"content-type": f"multipart/form-data; boundary={boundary}"}, body.encode())


def at(url: str, method: str = "POST") -> Request:
    return Request(method, url, {}, b"{}")


SAME = {
    "key order": (post({"a": 1, "b": [{"c": 2, "d": 3}]}), Request("POST", URL, {}, b'{"b":[{"d":3,"c":2}],"a":1}')),
    "escapes": (post({"a": "é"}), Request("POST", URL, {}, b'{"a": "\\u00e9"}')),
    "headers": (post({}, authorization="Bearer a"), post({}, authorization="Bearer b", idempotency_key="1")),
    "user": (post({"user": "a"}), post({})),
    "metadata": (post({"metadata": {"a": 1}}), post({"metadata": {"a": 2, "b": 3}})),
    "minted ids": (post(calls("a", "b", "b")), post(calls("x", "y", "y"))),
    "a null in a volatile place": (post({"user": None}), post({})),
    "query order": (at("https://a.example/x?b=2&a=1"), at("https://a.example/x?a=1&b=2")),
    "keys in the query": (at("https://a.example/x?alt=sse&key=1"), at("https://a.example/x?API_KEY=2&alt=sse")),
    "case of the host, default port": (at("https://a.example/x"), at("https://A.Example:443/x")),
    "user-info": (at("https://me:pw@a.example/x"), at("https://a.example/x")),
    "escaped colon": (at("https://a.example/m:generate"), at("https://a.example/m%3agenerate")),
    "case of an escape": (at("https://a.example/m%2fn"), at("https://a.example/m%2Fn")),
    "case of the method": (at("https://a.example/x"), at("https://a.example/x", "post")),
    "no URL": (at("http://[x"), at("http://[x")),
    "boundary": (form("one"), form("two")),
    "lone surrogates": (
        Request("POST", URL, {}, b'{"a": "\\ud800", "b": 1}'),
        Request("POST", URL, {}, b'{"b": 1, "a": "\\uD800"}'),
    ),
    "long integers": (
        Request("POST", URL, {}, b'{"a": 123456789012345678901234567890, "b": 1}'),
        Request("POST", URL, {}, b'{"b": 1, "a": 123456789012345678901234567890}'),
    ),
    "blanks": (post([{}]), Request("POST", URL, {}, b" [\n{\t} ]\r\n")),
}

DIFFERENT = {
    "integer and float": (post({"a": 1}), post({"a": 1.0})),
    "integer and boolean": (post({"a": 1}), post({"a": True})),
    "null and absent": (post({"a": None}), post({})),
    "order of a list": (post([1, 2]), post([2, 1])),
    "the result of another call": (post(calls("a", "b", "b")), post(calls("a", "b", "a"))),
    "one id for two calls": (post(calls("a", "b", "b")), post(calls("a", "a", "a"))),
    "an id where none was": (post(calls("a", "", "a")), post(calls("a", "b", "a"))),
    "user deeper down": (post({"x": {"user": "a"}}), post({"x": {"user": "b"}})),
    "neighbouring long integers": (
        Request("POST", URL, {}, b'{"a": 18446744073709551617}'),
        Request("POST", URL, {}, b'{"a": 18446744073709551618}'),
    ),
    "numbers beyond floats": (Request("POST", URL, {}, b"[1e400]"), Request("POST", URL, {}, b"[1e500]")),
    "a number beyond floats and null": (Request("POST", URL, {}, b"[1e400]"), Request("POST", URL, {}, b"[null]")),
    "minus zero": (Request("POST", URL, {}, b"[-0.0]"), Request("POST", URL, {}, b"[0.0]")),
    "query": (at("https://a.example/x?alt=sse"), at("https://a.example/x")),
    "a parameter given twice": (at("https://a.example/x?a=1&a=2"), at("https://a.example/x?a=1")),
    "path": (at("https://a.example/x"), at("https://a.example/y")),
    "escaped slash": (at("https://a.example/m/n"), at("https://a.example/m%2Fn")),
    "host": (at("https://a.example/x"), at("https://b.example/x")),
    "port": (at("http://localhost:1/x"), at("http://localhost:2/x")),
    "method": (at("https://a.example/x"), at("https://a.example/x", "PUT")),
    "form": (form("one", "x"), form("one", "y")),
    "bytes": (Request("POST", URL, {}, b"\xff\x00"), Request("POST", URL, {}, b"\xff\x01")),
    "text that is no JSON": (Request("POST", URL, {}, b"{1}"), Request("POST", URL, {}, b"{ 1}")),
    "no body": (Request("POST", URL), post({})),
}


@pytest.mark.parametrize("one, other", SAME.values(), ids=SAME)
def test_spellings_of_one_request(one: Request, other: Request) -> None:
    assert matches(one, other)
    assert matches(other, one)


@pytest.mark.parametrize("one, other", DIFFERENT.values(), ids=DIFFERENT)
def test_different_requests(one: Request, other: Request) -> None:
    assert not matches(one, other)
    assert not matches(other, one)


def test_documents_too_deep_to_parse_are_compared_as_bytes() -> None:
    deep = Request("POST", URL, {}, b"[" * 100_000 + b"]" * 100_000)
    assert matches(deep, deep)
    assert not matches(deep, Request("POST", URL, {}, b" " + deep.body))


def test_compressed_requests() -> None:
    import gzip

    packed = Request("POST", URL, {"Content-Encoding": "gzip"}, gzip.compress(b'{"a": 1, "b": 2}'))
    assert matches(post({"b": 2, "a": 1}), packed)


PROVIDER_IDS = {
    "anthropic": lambda i: {"messages": [{"content": [{"type": "tool_use", "id": i}]},
                                         {"content": [{"type": "tool_result", "tool_use_id": i}]}]},
    "openai-responses": lambda i: {"input": [{"type": "function_call", "call_id": i},
                                             {"type": "function_call_output", "call_id": i}]},
    "gemini": lambda i: {"contents": [{"parts": [{"functionCall": {"id": i}}]},
                                      {"parts": [{"functionResponse": {"id": i}}]}]},
    "ollama": lambda i: {"messages": [{"tool_calls": [{"id": i}]}, {"tool_call_id": i}]},
    "unified": lambda i: {"input": [{"tool_calls": [{"id": i}]}, {"tool_call_id": i}]},
}  # fmt: skip


@pytest.mark.parametrize("provider", PROVIDER_IDS)
def test_minted_ids_of_each_provider(provider: str) -> None:
    one, other = post(PROVIDER_IDS[provider]("one")), post(PROVIDER_IDS[provider]("other"))
    assert matches(one, other)
    assert not matches(one, other, volatile=NOTHING)


def test_volatile_fields_of_the_caller() -> None:
    fields = Volatile(("/trace/*/at", "/a~1b", "/tags/*"), ("/refs/*", "/by~0name/*"), ("v",))
    one = {"trace": [{"at": 1}], "a/b": 1, "tags": [1, 2], "refs": ["x", "y", "x"], "by~name": {"k": "y", "l": "x"}}
    other = {"trace": [{"at": 2}], "tags": [3, 4], "refs": ["p", "q", "p"], "by~name": {"l": "p", "k": "q"}}
    assert matches(post(one, f"{URL}?v=1"), post(other, f"{URL}?V=2"), volatile=fields)
    assert not matches(post(one), post({**other, "tags": [3]}), volatile=fields)
    assert not matches(post(one), post({**other, "refs": ["p", "q", "q"]}), volatile=fields)
    with pytest.raises(ValueError, match="no JSON pointer"):
        player(volatile=Volatile(("user",)))


def test_recordings_of_one_request_are_played_in_order_each_once() -> None:
    bodies = [b"1", b"2", b"3"]
    playing = player(*(recorded(post(HELLO), body) for body in bodies))
    assert [playing.answer(post(HELLO)).body for _ in bodies] == bodies
    with pytest.raises(UnmatchedError, match="was recorded 3 times, and all of it has been played") as caught:
        playing.answer(post(HELLO))
    assert caught.value.played == 3
    assert playing.failures == [caught.value]


def test_of_recordings_that_differ_in_volatile_fields_each_request_gets_its_own() -> None:
    one, other, third = (post(calls(name, "b", "b")) for name in "xyz")
    playing = player(recorded(one, b"1"), recorded(other, b"2"), recorded(one, b"3"))
    assert [playing.answer(item).body for item in (other, third, one)] == [b"2", b"1", b"3"]


def test_the_last_recording_may_repeat() -> None:
    playing = player(recorded(post(HELLO), b"1"), recorded(post(HELLO), b"2"), repeat="last")
    assert [playing.answer(post(HELLO)).body for _ in range(4)] == [b"1", b"2", b"2", b"2"]
    assert playing.unused() == ()


def test_what_was_not_played_is_told() -> None:
    playing = player(recorded(post(HELLO)), recorded(post(HELLO)), recorded(post({"other": 1})))
    playing.answer(post(HELLO))
    assert [str(left) for left in playing.unused()] == ["tape.json, interaction 2", "tape.json, interaction 3"]


def test_our_recordings_answer_at_the_providers_host() -> None:
    served = recorded(post(HELLO, "http://127.0.0.1:4711/v1/chat/completions"))
    assert Player([tape(served, provider="openai-chat")]).answer(post(HELLO)) is served
    assert Player([tape(served, provider="openai-chat")]).answer(served.request) is served
    for cassette in (tape(served, provider="xai"), tape(served)):
        with pytest.raises(UnmatchedError) as caught:
            Player([cassette]).answer(post(HELLO))
        assert caught.value.nearest is not None
        assert [item.at for item in caught.value.nearest.differences] == ["host"]
    assert Player([tape(served)], any_host=True).answer(post(HELLO)) is served


def test_the_nearest_recording_is_named_with_the_differences() -> None:
    others = [recorded(post({**HELLO, "seed": number})) for number in range(50)]
    sent = {**HELLO, "seed": 17, "messages": [{"role": "user", "content": "hallo"}], "extra": [1]}
    with pytest.raises(UnmatchedError) as caught:
        player(*others).answer(post(sent))
    assert str(caught.value) == textwrap.dedent("""\
        no recording of POST api.openai.com/v1/chat/completions
          nearest: tape.json, interaction 18
            /messages/0/content: recorded 'hello', sent 'hallo'
            /extra: recorded nothing, sent [1]""")


NEAREST = {
    "path": (at("https://a.example/v1/chat"), at("https://a.example/v2/chat"), ["path"]),
    "method": (at("https://a.example/v1/chat"), at("https://a.example/v1/chat", "GET"), ["method"]),
    "query": (at("https://a.example/v1/chat?a=1"), at("https://a.example/v1/chat?a=2"), ["query"]),
    "bytes": (Request("POST", URL, {}, b"\xff123"), Request("POST", URL, {}, b"\xff124"), ["body"]),
    "an element more": (post({"m": [1, 2, 3]}), post({"m": [1, 9, 2, 3]}), ["/m/1"]),
    "an element less": (post({"m": [1, 2, 3]}), post({"m": [1, 3]}), ["/m/1"]),
    "escaped names": (post({"a/b": {"~": 1}}), post({"a/b": {"~": 2}}), ["/a~1b/~0"]),
    "another kind": (post({"a": [1]}), post({"a": {"0": 1}}), ["/a"]),
    "the whole": (post({"a": 1}), post([1]), ["body"]),
    "another call's result": (post(calls("a", "b", "b")), post(calls("x", "y", "x")), ["/messages/1/tool_call_id"]),
}


@pytest.mark.parametrize("one, other, places", NEAREST.values(), ids=NEAREST)
def test_where_the_nearest_differs(one: Request, other: Request, places: list[str]) -> None:
    with pytest.raises(UnmatchedError) as caught:
        player(recorded(one)).answer(other)
    assert caught.value.nearest is not None
    assert [item.at for item in caught.value.nearest.differences] == places


def test_long_values_and_long_lists_of_differences_are_cut() -> None:
    old, new = {str(n): "a" * 1000 for n in range(300)}, {str(n): "b" * 1000 for n in range(300)}
    with pytest.raises(UnmatchedError) as caught:
        player(recorded(post(old))).answer(post(new))
    message = str(caught.value)
    assert len(message) < 2_000
    assert message.endswith("and 95 more")


def test_a_key_in_the_query_is_not_shown() -> None:
    with pytest.raises(UnmatchedError) as caught:
        player(recorded(at("https://a.example/x?key=secret-1"))).answer(at("https://a.example/y?key=secret-2"))
    assert "secret" not in str(caught.value)


def test_no_recordings() -> None:
    with pytest.raises(UnmatchedError, match="there are no recordings"):
        player().answer(post(HELLO))


SSE, NDJSON = (("Content-Type", "text/event-stream; charset=utf-8"),), (("content-type", "application/x-ndjson"),)
GEMINI = post({}, "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent")

EMPTY = {
    "no body": recorded(post(HELLO), b""),
    "blanks": recorded(post(HELLO), b" \n"),
    "an error that says nothing about its length": recorded(post(HELLO), b"", 500),
    "a stream without events": recorded(post(HELLO), b": keep-alive\n\n", headers=SSE),
    "a stream that is only done": recorded(post(HELLO), b"data: [DONE]\n\n", headers=SSE),
    "lines without content": recorded(post(HELLO), chunks=(b"\n", b"\r\n"), headers=NDJSON),
    "an empty array": recorded(GEMINI, b" []\n"),
}
NOT_EMPTY = {
    "204": recorded(post(HELLO), b"", 204),
    "an error of no length": recorded(post(HELLO), b"", 503, headers=(("Content-Length", "0"),)),
    "cut before the first byte": recorded(post(HELLO), b"", ended="cut"),
    "one event": recorded(post(HELLO), chunks=(b": hi\n\nda", b"ta: 1\n", b"\n"), headers=SSE),
    "HEAD": recorded(Request("HEAD", URL), b""),
    "an empty array as a document": recorded(post(HELLO), b"[]"),
}


@pytest.mark.parametrize("interaction", EMPTY.values(), ids=EMPTY)
def test_a_recording_that_holds_nothing_is_refused(interaction: Interaction) -> None:
    playing = player(interaction)
    with pytest.raises(EmptyRecordingError, match=r"interaction 1: its (body is empty|stream has no events)"):
        playing.answer(interaction.request)
    assert len(playing.failures) == 1


@pytest.mark.parametrize("interaction", NOT_EMPTY.values(), ids=NOT_EMPTY)
def test_what_is_empty_by_right_is_played(interaction: Interaction) -> None:
    assert player(interaction).answer(interaction.request) is interaction


def test_threads_share_a_player() -> None:
    playing = player(*(recorded(post({"n": n % 100}), str(n).encode()) for n in range(800)))

    def play(_: int) -> list[bytes]:
        return [playing.answer(post({"n": n})).body for n in range(100)]

    with ThreadPoolExecutor(8) as pool:
        played = [body for bodies in pool.map(play, range(8)) for body in bodies]
    assert sorted(played, key=int) == [str(n).encode() for n in range(800)]
    assert playing.unused() == ()


def test_threads_that_fail_at_once() -> None:
    playing = player(*(recorded(post({"n": n})) for n in range(100)))

    def fail(number: int) -> str:
        with pytest.raises(ReplayError) as caught:
            playing.answer(post({"n": number, "more": 1}))
        return str(caught.value)

    with ThreadPoolExecutor(8) as pool:
        messages = list(pool.map(fail, range(80)))
    assert all(f"interaction {n + 1}\n" in message for n, message in enumerate(messages))
    assert len(playing.failures) == 80


def test_tasks_share_a_player() -> None:
    playing = player(*(recorded(post({"n": n})) for n in range(100)))

    async def play(number: int) -> Interaction:
        await asyncio.sleep(0)
        return playing.answer(post({"n": number}))

    async def play_all() -> list[Interaction]:
        return await asyncio.gather(*(play(n) for n in range(100)))

    assert len({id(item) for item in asyncio.run(play_all())}) == 100
    assert playing.unused() == ()


@pytest.mark.slow
def test_workers_of_xdist_read_one_cassette(tmp_path: Path) -> None:
    write_cassette(tmp_path / "tape.json", tape(*(recorded(post({"n": n}), b"%d" % n) for n in range(20))))
    before = (tmp_path / "tape.json").read_bytes()
    (tmp_path / "test_replay.py").write_text(
        textwrap.dedent(f"""
        import pytest
        from conformance.http import Request
        from conformance.recordings.replaying import replaying

        @pytest.mark.parametrize("n", range(20))
        def test_one(n):
            with replaying({str(tmp_path / "*.json")!r}, unused="ignore") as player:
                assert player.answer(Request("POST", {URL!r}, {{}}, b'{{"n": %d}}' % n)).body == b"%d" % n
        """)
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-n", "2", "-p", "no:cacheprovider", str(tmp_path)]
    bare = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the other plugins take longer than the test
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, env=bare)
    assert "20 passed" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "tape.json").read_bytes() == before
