"""Recording through httpx and httpx2, in both kinds of client: callers notice nothing, and nothing is lost."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest
from canaries import canary, survivors
from loopback import CHUNKED, Answer, chunk, head, serving, stream, whole
from recorded import PROVENANCE

from conformance.recordings import record_transports
from conformance.recordings.record_transports import AsyncRecordingTransport, RecordingTransport
from conformance.recordings.recorder import Recorder
from conformance.recordings.scrub import SCRUB_VERSION
from conformance.recordings.store import CassetteError, read_cassette

PIECES = (b'data: {"a": 1}\n\n', b"data: \xc3", b"\xa9\n\n", b"data: [DONE]\n\n")
LIBRARIES = {"httpx": httpx, "httpx2": httpx2}
SENT = {"model": "m", "messages": [{"role": "user", "content": "é"}]}


class Blocking:
    """Calls with a blocking client."""

    def __init__(self, library: ModuleType, recorder: Recorder, **options: Any) -> None:
        self.library: Any = library
        transport = RecordingTransport(self.library.HTTPTransport(), recorder, **options)
        self.client = self.library.Client(transport=transport, timeout=5)

    def post(self, url: str) -> Any:
        """The whole answer."""
        return self.client.post(url, json=SENT)

    def take(self, url: str, after: Callable[[int], None], count: int = 100) -> list[bytes]:
        """The first pieces of a stream; ``after`` is told after each how many there were."""
        taken: list[bytes] = []
        with self.client.stream("POST", url, json=SENT) as response:
            for piece in response.iter_raw():
                taken.append(piece)
                after(len(taken))
                if len(taken) == count:
                    break
        return taken


class Async(Blocking):
    """The same calls with an asynchronous client."""

    def __init__(self, library: ModuleType, recorder: Recorder, **options: Any) -> None:
        self.library: Any = library
        self.recorder, self.options = recorder, options

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Any]:
        """A client of this loop."""
        transport = AsyncRecordingTransport(self.library.AsyncHTTPTransport(), self.recorder, **self.options)
        async with self.library.AsyncClient(transport=transport, timeout=5) as client:
            yield client

    def post(self, url: str) -> Any:
        """The whole answer."""

        async def run() -> Any:
            async with self.opened() as client:
                return await client.post(url, json=SENT)

        return asyncio.run(run())

    def take(self, url: str, after: Callable[[int], None], count: int = 100) -> list[bytes]:
        """The first pieces of a stream; ``after`` is told after each how many there were."""
        taken: list[bytes] = []

        async def run() -> None:
            async with self.opened() as client, client.stream("POST", url, json=SENT) as response:
                async for piece in response.aiter_raw():
                    taken.append(piece)
                    after(len(taken))
                    if len(taken) == count:
                        break

        asyncio.run(run())
        return taken


@pytest.fixture(params=LIBRARIES.values(), ids=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=[Blocking, Async])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "tape" / "a.json", PROVENANCE)


@contextmanager
def calling(answer: Answer, **how: bool) -> Iterator[str]:
    """The address at which an answer can be had."""
    with serving(answer, **how) as server:
        yield f"{server.url}/v1/x?key=a-secret-0123456789"


def test_a_stream_is_recorded_as_it_came(library: Any, kind: Any, recorder: Recorder) -> None:
    written: list[bool] = []
    with calling(stream(*PIECES)) as url:
        taken = kind(library, recorder).take(url, lambda _: written.append(recorder.path.exists()))
    assert tuple(taken) == PIECES
    assert not any(written)  # only what is complete is written
    cassette = read_cassette(recorder.path)
    (interaction,) = cassette.interactions
    assert (interaction.chunks, interaction.ended, interaction.status) == (PIECES, "whole", 200)
    assert json.loads(interaction.request.body) == SENT
    assert interaction.request.url.endswith("/v1/x?key=SCRUBBED")
    assert interaction.headers == (("content-type", "text/event-stream"),)
    assert cassette.provenance is not None
    assert cassette.provenance.scrub_version == SCRUB_VERSION


def test_the_caller_has_the_first_piece_before_the_last_was_sent(library: Any, kind: Any, recorder: Recorder) -> None:
    first = threading.Event()

    def answer(_: bytes) -> Iterator[bytes]:
        yield CHUNKED + chunk(PIECES[0])
        assert first.wait(10)
        yield chunk(PIECES[1]) + chunk(b"")

    with calling(answer) as url:
        assert kind(library, recorder).take(url, lambda _: first.set()) == list(PIECES[:2])
    assert recorder.interactions[0].chunks == PIECES[:2]


def test_a_broken_stream_is_recorded_and_raised(library: Any, kind: Any, recorder: Recorder) -> None:
    first = threading.Event()

    def answer(_: bytes) -> Iterator[bytes]:
        yield CHUNKED + chunk(PIECES[0])
        assert first.wait(10)

    with calling(answer) as url, pytest.raises(library.RemoteProtocolError):
        kind(library, recorder).take(url, lambda _: first.set())
    (interaction,) = read_cassette(recorder.path).interactions
    assert (interaction.chunks, interaction.ended) == (PIECES[:1], "cut")


def test_what_was_never_answered_is_not_recorded(library: Any, kind: Any, recorder: Recorder) -> None:
    with calling(lambda _: []) as url, pytest.raises(library.RemoteProtocolError):
        kind(library, recorder).post(url)
    assert recorder.interactions == ()
    assert not recorder.path.exists()


def test_a_caller_may_stop_before_the_end(library: Any, kind: Any, recorder: Recorder) -> None:
    with calling(stream(*PIECES)) as url:
        assert kind(library, recorder).take(url, lambda _: None, count=1) == [PIECES[0]]
    assert recorder.interactions[0].chunks == PIECES
    assert recorder.interactions[0].ended == "whole"


def test_a_stream_without_end_is_left_in_time(
    library: Any, kind: Any, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_transports, "DRAIN_SECONDS", 0.0)

    def answer(_: bytes) -> Iterator[bytes]:
        yield CHUNKED
        while True:
            yield chunk(PIECES[0])

    with calling(answer) as url:
        kind(library, recorder).take(url, lambda _: None, count=1)
    assert recorder.interactions[0].ended == "cut"
    assert recorder.interactions[0].chunks[0] == PIECES[0]


def test_a_compressed_body_reaches_the_caller_as_it_was_and_is_recorded_as_it_is_read(
    library: Any, kind: Any, recorder: Recorder
) -> None:
    body = json.dumps({"text": "é" * 500}).encode()
    answer = whole(gzip.compress(body), "Content-Encoding: gzip", "Content-Type: application/json")
    with calling(answer) as url:
        response = kind(library, recorder).post(url)
    assert response.content == body
    assert response.headers["content-encoding"] == "gzip"
    assert recorder.interactions[0].body == body
    assert recorder.interactions[0].headers == (("content-type", "application/json"),)


@pytest.mark.parametrize(("accept", "sent"), [("identity", b"identity"), (None, b"gzip")])
def test_codings_are_asked_for_only_if_wanted(
    library: Any, kind: Any, recorder: Recorder, accept: str | None, sent: bytes
) -> None:
    with serving(whole(b"{}")) as server:
        kind(library, recorder, accept_encoding=accept).post(server.url)
        line = next(line for line in server.requests[0].lower().split(b"\r\n") if line.startswith(b"accept-encoding"))
    assert sent in line


@pytest.mark.parametrize("coding", ["snappy", "gzip"])
def test_what_cannot_be_decoded_is_refused(library: Any, kind: Any, recorder: Recorder, coding: str) -> None:
    refused = pytest.raises(CassetteError, match="cannot be recorded")
    with calling(whole(b"\x80abc", f"Content-Encoding: {coding}")) as url, refused:
        kind(library, recorder).post(url)
    assert not recorder.path.exists()


def test_after_a_failed_write_nothing_more_is_sent(library: Any, kind: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    recorder = Recorder(tmp_path / "file" / "a.json")
    with serving(whole(b"{}")) as server:
        for _ in range(3):
            with pytest.raises(CassetteError, match="cannot be written"):
                kind(library, recorder).post(server.url)
        assert len(server.requests) == 1


def test_empty_answers_are_recorded(library: Any, kind: Any, recorder: Recorder) -> None:
    with calling(lambda _: [head("Content-Length: 0", status="429 Too Many Requests")]) as url:
        assert kind(library, recorder).post(url).status_code == 429
    (interaction,) = read_cassette(recorder.path).interactions
    assert (interaction.status, interaction.chunks, interaction.reason) == (429, (), "Too Many Requests")


def test_a_mock_transport_can_be_recorded(library: Any, recorder: Recorder) -> None:
    inner = library.MockTransport(lambda request: library.Response(200, json={"a": 1}))
    with library.Client(transport=RecordingTransport(inner, recorder)) as client:
        assert client.get("https://api.example/").json() == {"a": 1}
    assert json.loads(recorder.interactions[0].body) == {"a": 1}


def test_no_secret_is_written(library: Any, kind: Any, tmp_path: Path) -> None:
    secret, cookie = canary("transport"), canary("cookie")
    recorder = Recorder(tmp_path / "a.json", known=[secret])

    def answer(request: bytes) -> list[bytes]:
        return [head(f"Set-Cookie: session={cookie}", "Transfer-Encoding: chunked"),
                chunk(secret[:20].encode()), chunk(secret[20:].encode() + cookie.encode()), chunk(b"")]  # fmt: skip

    with serving(answer) as server:
        assert (secret + cookie) in kind(library, recorder).post(f"{server.url}?q={secret}").text
    assert survivors(tmp_path, [secret, cookie]) == []


# --- several at once -------------------------------------------------------------------------------------------------


def numbered(request: bytes) -> list[bytes]:
    """An answer that repeats the number in the request's path."""
    number = request.split()[1].strip(b"/")
    return [CHUNKED, *(chunk(b"data: " + number + b"\n\n") for _ in range(3)), chunk(b"")]


def check_numbers(recorder: Recorder, count: int) -> None:
    """Every interaction is there once, with its own answer."""
    interactions = read_cassette(recorder.path).interactions
    numbers = [item.request.url.rpartition("/")[2] for item in interactions]
    assert sorted(map(int, numbers)) == list(range(count))
    for item, number in zip(interactions, numbers, strict=True):
        assert item.chunks == (f"data: {number}\n\n".encode(),) * 3


def test_threads_may_share_a_recorder(library: Any, recorder: Recorder) -> None:
    with serving(numbered) as server:
        blocking = Blocking(library, recorder)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: blocking.post(f"{server.url}/{number}"), range(40)))
    check_numbers(recorder, 40)


def test_tasks_may_share_a_recorder(library: Any, recorder: Recorder) -> None:
    async def run(url: str) -> None:
        async with Async(library, recorder).opened() as client:
            await asyncio.gather(*(client.post(f"{url}/{number}", json=SENT) for number in range(40)))

    with serving(numbered) as server:
        asyncio.run(run(server.url))
    check_numbers(recorder, 40)


def test_a_task_that_is_cancelled_leaves_what_came(library: Any, recorder: Recorder) -> None:
    arrived = threading.Event()
    over = threading.Event()

    def answer(_: bytes) -> Iterator[bytes]:
        yield CHUNKED + chunk(PIECES[0])
        over.wait(10)

    async def run(url: str) -> None:
        async def read() -> None:
            async with Async(library, recorder).opened() as client, client.stream("POST", url, json=SENT) as response:
                async for _ in response.aiter_raw():
                    arrived.set()

        task = asyncio.create_task(read())
        while not arrived.is_set():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with serving(answer) as server:
        asyncio.run(run(server.url))
    over.set()
    (interaction,) = read_cassette(recorder.path).interactions
    assert (interaction.chunks, interaction.ended) == (PIECES[:1], "cut")
