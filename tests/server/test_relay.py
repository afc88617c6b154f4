"""``serve --record`` and ``--replay``: what a client gets, what is on the disk, and what is told of it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import anthropic
import httpx
import openai
import pytest

from conformance.cli import main
from conformance.recordings.modes import RecordMode
from conformance.recordings.store import read_cassette
from conformance.server import Running
from conformance.server.relay import Relay, RelaySettings, summary
from conformance.server.running import ServerThread, open_socket

KEY = "sk-proj-Zx81mQp0vKr7TtWb3LhN5cYd"
ASKED = {"model": "any", "messages": [{"role": "user", "content": "Hi"}]}


@contextlib.contextmanager
def relaying(folder: Path, mode: RecordMode = "new_episodes", **upstreams: str) -> Iterator[tuple[Relay, str]]:
    """A relay on loopback, and its address."""
    named = {name.replace("_", "-"): url for name, url in upstreams.items()}
    relay = Relay(RelaySettings(folder, mode, named))
    running = ServerThread(relay, open_socket("127.0.0.1", 0), 5.0)
    try:
        yield relay, running.origin
    finally:
        running.stop(5.0)
        relay.close()


def _client(origin: str, session: str = "mine") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{origin}/p/openai-chat/id/{session}/v1", api_key=KEY, max_retries=0)


def _said(client: openai.OpenAI) -> tuple[str | None, int]:
    """What the SDK understands, blocking and streamed, and in how many chunks."""
    whole = client.chat.completions.create(**ASKED)  # type: ignore[call-overload]
    pieces = list(client.chat.completions.create(**ASKED, stream=True))  # type: ignore[call-overload]
    return whole.choices[0].message.content, len(pieces)


def test_what_was_recorded_is_played_without_a_provider(tmp_path: Path, strict: Running) -> None:
    url = strict.url("openai-chat", "multi_turn.hello")
    with relaying(tmp_path, openai_chat=url) as (relay, origin):
        asked = _said(_client(origin))
        assert not relay.failed
    with relaying(tmp_path, "none") as (relay, origin):
        assert _said(_client(origin)) == asked
        assert list(summary(relay)) == [f"{tmp_path}/openai-chat/mine.json: 2 played, 0 recorded"]


def test_the_chunks_are_those_of_the_provider(tmp_path: Path, strict: Running) -> None:
    url = strict.url("openai-chat", "multi_turn.hello")
    with relaying(tmp_path, openai_chat=url) as (_, origin):
        _said(_client(origin))
    streamed = read_cassette(tmp_path / "openai-chat" / "mine.json").interactions[1]
    assert len(streamed.chunks) > 3
    assert streamed.ended == "whole"


def test_no_key_reaches_a_file(tmp_path: Path, strict: Running) -> None:
    with relaying(tmp_path, openai_chat=strict.url("openai-chat", "multi_turn.hello")) as (_, origin):
        _said(_client(origin))
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*.json"))


def test_what_is_recorded_is_not_asked_again(tmp_path: Path, fresh: Running) -> None:
    for _ in range(2):
        with relaying(tmp_path, openai_chat=fresh.url("openai-chat", "multi_turn.hello")) as (_, origin):
            _said(_client(origin))
    assert fresh.log.total == 2


def test_a_session_is_a_cassette(tmp_path: Path, strict: Running) -> None:
    with relaying(tmp_path, openai_chat=strict.url("openai-chat", "multi_turn.hello")) as (_, origin):
        for session in ("one", "two"):
            _client(origin, session).chat.completions.create(**ASKED)  # type: ignore[call-overload]
        httpx.post(f"{origin}/v1/chat/completions", json=ASKED, headers={"authorization": f"Bearer {KEY}"})
    assert sorted(path.name for path in (tmp_path / "openai-chat").iterdir()) == [
        "one.json", "recording.json", "two.json",
    ]  # fmt: skip


def test_an_unrecorded_request_is_told_in_the_providers_own_form(tmp_path: Path) -> None:
    with relaying(tmp_path, "none") as (relay, origin):
        client = anthropic.Anthropic(base_url=f"{origin}/p/anthropic", api_key=KEY, max_retries=0)
        with pytest.raises(anthropic.NotFoundError, match="no recording of POST"):
            client.messages.create(model="any", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
        assert relay.failed


@pytest.mark.parametrize("session", ["..", "a%2Fb", ".hidden", "x" * 101])
def test_a_session_stays_in_its_folder(tmp_path: Path, session: str) -> None:
    with relaying(tmp_path / "inside", openai_chat="http://127.0.0.1:9/v1") as (_, origin):
        asked = httpx.post(f"{origin}/v1/chat/completions", json=ASKED, headers={"x-conformance-session": session})
    assert asked.status_code == 404
    assert "session" in asked.text
    assert list(tmp_path.iterdir()) == []


def test_only_what_was_named_is_asked(tmp_path: Path, fresh: Running) -> None:
    with relaying(tmp_path, openai_chat=fresh.url("openai-chat"), anthropic=fresh.url("anthropic")) as (relay, origin):
        asked = httpx.post(f"{origin}/v1beta/models/m:generateContent", json={})
    assert (asked.status_code, relay.failed, fresh.log.total) == (404, True, 0)
    assert "openai-chat, anthropic" in asked.text


def test_a_provider_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    with relaying(tmp_path, openai_chat="http://127.0.0.1:9/v1") as (relay, origin):
        asked = httpx.post(f"{origin}/v1/chat/completions", json=ASKED)
    assert asked.status_code == 502
    assert "cannot connect" in asked.json()["error"]["message"]
    assert relay.failed


def test_a_page_may_not_call(tmp_path: Path, fresh: Running) -> None:
    with relaying(tmp_path, openai_chat=fresh.url("openai-chat")) as (_, origin):
        headers = {"origin": "https://page.example"}
        assert httpx.post(f"{origin}/v1/chat/completions", json=ASKED, headers=headers).status_code == 403
    assert fresh.log.total == 0


def test_a_piece_reaches_the_client_before_the_next_one_is_there(tmp_path: Path) -> None:
    """The provider sends its second piece only when the client says that it has the first."""
    has_first = threading.Event()
    with _provider(has_first) as url, relaying(tmp_path, openai_chat=url) as (_, origin):
        with httpx.stream("POST", f"{origin}/v1/chat/completions", json=ASKED, timeout=5) as answer:
            pieces = answer.iter_raw()
            assert next(pieces) == b"data: 1\n\n"
            has_first.set()
            with pytest.raises(httpx.RemoteProtocolError):  # it breaks where the provider's connection broke
                list(pieces)
        time.sleep(0.1)
    [taped] = read_cassette(tmp_path / "openai-chat" / "recording.json").interactions
    assert (taped.ended, taped.body) == ("cut", b"data: 1\n\ndata: 2\n\n")


@contextlib.contextmanager
def _provider(has_first: threading.Event) -> Iterator[str]:
    """Answers one request with a stream of two pieces, which breaks off."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            taken, _ = listening.accept()
            with taken:
                taken.recv(65_536)
                head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                taken.sendall(head + b"9\r\ndata: 1\n\n\r\n")
                if has_first.wait(5):
                    taken.sendall(b"9\r\ndata: 2\n\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        thread.join(5)


@pytest.mark.parametrize(("words", "said"), [
    (["--record", "to"], "--record: say whom to ask, such as --upstream openai-chat"),
    (["--record", "to", "--upstream", "openai-chta"], "unknown provider 'openai-chta'; did you mean 'openai-chat'"),
    (["--record", "to", "--upstream", "anthropic=ftp://x"], "'ftp://x' is no address"),
    (["--record", "to", "--upstream", "anthropic", "--scenario", "shell.success"], "--scenario: no scenario is played"),
    (["--replay", "nowhere"], "--replay nowhere: there is no such folder"),
    (["--replay", ".", "--upstream", "anthropic"], "--upstream: goes with --record"),
    (["--upstream", "anthropic"], "--upstream: goes with --record DIR"),
])  # fmt: skip
def test_what_does_not_fit_is_told(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "0", *words]) == 2
    assert said in capsys.readouterr().err
