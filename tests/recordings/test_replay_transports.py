"""Recordings behind httpx, httpx2 and plain code: what a client sees, and that nothing leaves the process."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from replay_samples import URL, post, recorded, tape

from conformance.recordings.interaction import Interaction
from conformance.recordings.player import Player, UnmatchedError
from conformance.recordings.replay_transports import LIBRARIES, BrokenError, played_headers, replay, replay_transport
from conformance.recordings.replaying import UnusedRecordingError, UnusedRecordingWarning, replaying
from conformance.recordings.store import read_cassette, write_cassette

HELLO = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}]}
PIECES = (b'data: {"a', b'":1}\n\n', b"data: [DONE]\n\n")
SSE = (("content-type", "text/event-stream"), ("set-cookie", "a=1"), ("set-cookie", "b=2"), ("X-Mixed", "Case"))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a connection fails."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a connection was opened")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def sync_client(library: Any, *interactions: Interaction) -> Any:
    return library.Client(transport=replay_transport(library.__name__, Player([tape(*interactions)]).answer))


def async_client(library: Any, *interactions: Interaction) -> Any:
    return library.AsyncClient(transport=replay_transport(library.__name__, Player([tape(*interactions)]).answer))


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    return importlib.import_module(request.param)


def test_a_blocking_answer(library: Any) -> None:
    answer = recorded(post(HELLO), b'{"ok": true}', 418, reason="Short And Stout")
    response = sync_client(library, answer).post(URL, json=HELLO)
    assert (response.status_code, response.reason_phrase, response.json()) == (418, "Short And Stout", {"ok": True})


def test_the_async_client(library: Any) -> None:
    async def play() -> list[Any]:
        async with async_client(library, *(recorded(post({"n": n}), b"%d" % n) for n in range(50))) as client:
            return await asyncio.gather(*(client.post(URL, json={"n": n}) for n in range(50)))

    assert [response.json() for response in asyncio.run(play())] == list(range(50))


def test_pieces_and_headers_come_as_they_came(library: Any) -> None:
    with sync_client(library, recorded(post(HELLO), chunks=PIECES, headers=SSE)).stream("POST", URL, json=HELLO) as got:
        assert tuple(got.iter_raw()) == PIECES
    assert got.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert (b"X-Mixed", b"Case") in got.headers.raw


def test_pieces_come_as_they_came_with_await(library: Any) -> None:
    async def play() -> tuple[bytes, ...]:
        client = async_client(library, recorded(post(HELLO), chunks=PIECES, headers=SSE))
        async with client.stream("POST", URL, json=HELLO) as response:
            return tuple([piece async for piece in response.aiter_raw()])

    assert asyncio.run(play()) == PIECES


def test_a_broken_connection_breaks_again(library: Any) -> None:
    broken = recorded(post(HELLO), chunks=PIECES[:2], headers=SSE, ended="cut")
    seen = []
    with sync_client(library, broken).stream("POST", URL, json=HELLO) as response:  # noqa: SIM117
        with pytest.raises(library.RemoteProtocolError, match="peer closed connection"):
            seen.extend(response.iter_bytes())
    with pytest.raises(library.TransportError):
        sync_client(library, broken).post(URL, json=HELLO)


def test_what_came_before_the_break_is_seen(library: Any) -> None:
    broken = recorded(post(HELLO), chunks=PIECES[:2], headers=SSE, ended="cut")

    async def play() -> list[bytes]:
        seen: list[bytes] = []
        async with async_client(library, broken).stream("POST", URL, json=HELLO) as response:
            with pytest.raises(library.RemoteProtocolError):
                async for piece in response.aiter_raw():
                    seen.append(piece)
        return seen

    assert asyncio.run(play()) == list(PIECES[:2])


def test_a_request_that_is_streamed(library: Any) -> None:
    def pieces() -> Iterator[bytes]:
        yield from (b'{"model":"gpt-4o","messages":', b'[{"content":"hello","role":"user"}]}')

    assert sync_client(library, recorded(post(HELLO))).post(URL, content=pieces()).json() == {"ok": True}


def test_unmatched_requests_reach_the_caller(library: Any) -> None:
    with pytest.raises(UnmatchedError, match="/model: recorded 'gpt-4o', sent 'gpt-5'"):
        sync_client(library, recorded(post(HELLO))).post(URL, json={**HELLO, "model": "gpt-5"})


def test_only_known_libraries() -> None:
    with pytest.raises(ValueError, match="no transport for 'requests'"):
        replay_transport("requests", Player([]).answer)


HEADERS = {
    "nothing about the body": ("whole", {"content-type": "a"}, {"content-type": "a"}),
    "a length that was of packed bytes": (
        "whole",
        {"Content-Encoding": "gzip", "Content-Length": "3"},
        {"Content-Length": "10"},
    ),
    "a wrong length": ("whole", {"content-length": "3"}, {"content-length": "10"}),
    "chunked": (
        "whole",
        {"transfer-encoding": "chunked", "content-encoding": "br", "content-length": "3"},
        {"transfer-encoding": "chunked"},
    ),
    "broken off": ("cut", {"content-length": "99"}, {"content-length": "99"}),
    "broken off while packed": ("cut", {"content-length": "99", "content-encoding": "zstd"}, {}),
}


@pytest.mark.parametrize("ended, before, after", HEADERS.values(), ids=HEADERS)
def test_headers_describe_the_body_that_is_played(ended: Any, before: dict[str, str], after: dict[str, str]) -> None:
    played = recorded(post(HELLO), b"0123456789", headers=tuple(before.items()), ended=ended)
    assert dict(played_headers(played)) == after


def test_plain_code() -> None:
    whole, broken = recorded(post(HELLO), chunks=PIECES), recorded(post({}), chunks=PIECES[:1], ended="cut")
    answer = Player([tape(whole, broken)]).answer
    status, headers, chunks = replay(answer, post(HELLO))
    assert (status, dict(headers), tuple(chunks)) == (200, {"content-type": "application/json"}, PIECES)
    _, _, chunks = replay(answer, post({}))
    assert next(chunks) == PIECES[0]
    with pytest.raises(BrokenError):
        next(chunks)


# --- with files ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_cassette(tmp_path / "a" / "one.json", tape(recorded(post({"n": 1}), b"1")))
    write_cassette(tmp_path / "a" / "two.json", tape(recorded(post({"n": 2}), b"\xff2")))  # becomes YAML
    return tmp_path


@pytest.mark.parametrize("source", ["", "a", "a/*", "**/*.[jy]*"])
def test_files_folders_and_patterns(folder: Path, source: str) -> None:
    with replaying(str(folder / source), unused="fail") as player:
        assert [player.answer(post({"n": n})).body for n in (1, 2)] == [b"1", b"\xff2"]


def test_a_pattern_is_relative_to_where_we_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with replaying("a/*.json", "a/one.json") as player:
        assert len(player.recordings) == 1
        assert player.answer(post({"n": 1})).body == b"1"


def test_no_cassettes(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no cassette at"), replaying(tmp_path / "*.json"):
        pass


def test_what_was_not_played_is_told(folder: Path) -> None:
    with pytest.warns(UnusedRecordingWarning, match="2 of 2 recordings were not played"), replaying(folder):
        pass
    with pytest.raises(UnusedRecordingError, match=r"one\.json, interaction 1"), replaying(folder, unused="fail"):
        pass


def test_an_error_that_was_swallowed_fails_the_block(folder: Path) -> None:
    with pytest.raises(UnmatchedError), replaying(folder) as player, contextlib.suppress(Exception):
        player.answer(post({"n": 3}))


def test_an_error_that_became_another_one_is_told(folder: Path) -> None:
    with pytest.raises(UnmatchedError) as caught, replaying(folder) as player:
        try:
            player.answer(post({"n": 3}))
        except LookupError:
            raise ConnectionError("no connection") from None
    assert isinstance(caught.value.__cause__, ConnectionError)


def test_an_error_of_the_test_stays_what_it_is(folder: Path) -> None:
    with pytest.raises(ZeroDivisionError), replaying(folder):
        _ = 1 / 0


def test_cassettes_of_vcrpy(tmp_path: Path, library: Any) -> None:
    """What vcrpy wrote is played, in both of its formats."""
    vcr = importlib.import_module("vcr")
    for serializer in ("yaml", "json"):
        path = tmp_path / f"tape.{serializer}"
        request = vcr.request.Request("POST", URL, b'{"model":"gpt-4o"}', {"Content-Type": "application/json"})
        response = {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Type": ["application/json"], "Content-Length": ["11"]},
            "body": {"string": b'{"ok":true}'},
        }
        written = vcr.cassette.Cassette(
            str(path),
            serializer=importlib.import_module(f"vcr.serializers.{serializer}serializer"),
            record_mode=vcr.mode.NEW_EPISODES,
        )
        written.append(request, response)
        written._save()
        player = Player([read_cassette(path)])
        with library.Client(transport=replay_transport(library.__name__, player.answer)) as client:
            assert client.post(URL, json={"model": "gpt-4o"}).json() == {"ok": True}
        assert player.unused() == ()


def test_an_official_sdk_plays_recordings() -> None:
    openai, httpx2 = importlib.import_module("openai"), importlib.import_module("httpx2")
    chunk = b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}\n\n'
    streamed = recorded(post({**HELLO, "stream": True}), chunks=(chunk[:9], chunk[9:], PIECES[-1]), headers=SSE)
    player = Player([tape(streamed)])
    transport = replay_transport("httpx2", player.answer)
    client = openai.OpenAI(api_key="test", http_client=httpx2.Client(transport=transport), max_retries=0)
    assert [item.id for item in client.chat.completions.create(**HELLO, stream=True)] == ["1"]
    with pytest.raises((UnmatchedError, openai.APIConnectionError)):
        client.chat.completions.create(**HELLO, stream=True)
    assert len(player.failures) == 1
