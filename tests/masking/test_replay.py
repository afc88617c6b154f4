"""Recordings are played although they were scrubbed: the same request is looked for as a recording has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from leaks import value
from samples import SECRETS

from conformance.http import Request
from conformance.recordings.interaction import Interaction
from conformance.recordings.player import Player, UnmatchedError
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import read_cassette

JSON = (("content-type", "application/json"),)


def asked(text: str, url: str = "https://api.openai.com/v1/chat/completions") -> Request:
    """A request that says something."""
    body = b'{"model": "m", "messages": [{"role": "user", "content": "%s"}]}' % text.encode("unicode_escape")
    return Request("POST", url, dict(JSON), body.replace(b'say "', b"say '"))


def played(path: Path, request: Request) -> bytes:
    """What a cassette answers."""
    return Player([read_cassette(path)]).answer(request).body


@pytest.mark.parametrize("name", ["GitLab", "Langfuse", "a parameter", "curl", "YAML", "Telegram", "cut off"])
def test_requests_with_secrets_are_found_again(tmp_path: Path, name: str) -> None:
    text, secret = SECRETS[name]
    request = asked(text)
    recorder = Recorder(tmp_path / "a.json")
    recorder.add(Interaction(request, 200, JSON, (b'{"answer": 1}',)))
    assert secret.encode() not in recorder.path.read_bytes()
    assert played(recorder.path, request) == b'{"answer": 1}'
    assert played(recorder.path, recorder.interactions[0].request) == b'{"answer": 1}'
    with pytest.raises(UnmatchedError):
        played(recorder.path, asked(f"another thing, and {text}"))


def test_keys_of_the_environment_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = value("played", 40)
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    request = asked(f"my key is {secret}", f"https://api.openai.com/v1/{secret}/x?x-goog-api-key={secret}")
    recorder = Recorder(tmp_path / "a.json")
    recorder.add(Interaction(request, 200, JSON, (b'{"answer": 2}',)))
    assert secret.encode() not in recorder.path.read_bytes()
    assert played(recorder.path, request) == b'{"answer": 2}'
