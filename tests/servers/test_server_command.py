"""The command: what it says, its exit codes, and that no key is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.documents import DocumentError
from conformance.http import Request
from conformance.schemas import problems
from conformance.server.running import Running, serving
from conformance.servers.address import AskedServer, server_at
from conformance.servers.recipe import known_servers, load_server
from conformance.wires import card, known_ids, wire

KEY = "sk-test-7f3a9c5e1b2d4f6a8c0e"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with serving() as running:
        yield running


def test_a_verdict_is_printed_and_written(
    server: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SERVER_KEY", KEY)
    out, url = tmp_path / "out.json", server.url("openai-chat")
    asked = ["run", f"server:{url}", "--model", "conformance/any", "--key-env", "MY_SERVER_KEY", "--repeat", "1"]
    assert main([*asked, "--out", str(out), "--against", f"server:{url}"]) == 0
    said, document = capsys.readouterr(), json.loads(out.read_text("utf-8"))
    assert f"PASS     {url} as openai-chat, conformance/any: " in said.out
    assert "must reject: 22 refused, 0 not, 0 undecided" in said.out
    assert not list(problems("server_verdicts", document))
    assert document["comparisons"][0]["only_here"] == document["comparisons"][0]["only_there"] == []
    assert KEY not in said.out + said.err + out.read_text("utf-8")


def test_a_threshold_alone_makes_the_model_fail(server: Running, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["run", f"server:{server.url('openai-chat')}", "--model", "conformance/any", "--repeat", "2"]
    assert main(asked) == 0, "our own server calls tools whatever is said, and that is no fault"
    assert main([*asked, "--model-threshold", "0.9"]) == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["server:http://127.0.0.1:9/v1"], 4, "it cannot be reached"),
        (["server:nobody"], 2, "'nobody' is no URL and no known server"),
        (["server:ftp://x"], 2, "is no URL of a server"),
        (["server:http://127.0.0.1:9", "--provider", "opnai"], 2, "there is none of that name"),
        (["server:http://127.0.0.1:9", "--key-env", "NOT_SET_AT_ALL"], 2, "this variable is not set"),
        (["server:http://127.0.0.1:9", "--repeat", "-1"], 2, "not negative"),
    ],
)
def test_what_cannot_be_asked_is_said(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *words]) == code
    told = capsys.readouterr()
    assert said in told.out + told.err


def test_known_servers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "servers", "--format", "json"]) == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert {"vllm", "sglang", "llamacpp", "ollama", "lmstudio", "transformers", "conformance"} <= rows.keys()
    for name in known_servers():
        known = load_server(name)
        assert {known.provider, *dict(known.also)} <= set(known_ids()), name
        assert rows[name]["start"] == known.start


@pytest.mark.parametrize(
    ("url", "provider", "path"),
    [
        ("http://h:1/v1", "openai-chat", "/v1/chat/completions"),
        ("http://h:1/api/v2/", "openai-chat", "/api/v2/chat/completions"),
        ("http://h:1", "anthropic", "/v1/messages"),
        ("http://h:1/x", "ollama", "/x/api/chat"),
        ("http://h:1/v1", "unified", "/v1/conversations"),
    ],
)
def test_the_url_is_the_one_for_the_providers_sdk(url: str, provider: str, path: str) -> None:
    server = AskedServer(url, provider, "m", KEY)
    from conformance.model import Conversation, UserTurn

    sent = server.addressed(wire(provider).build(Conversation((UserTurn("x"),)), stream=False))
    assert (sent.path, sent.header(card(provider).key.header)) == (path, card(provider).key.prefix + KEY)


def test_the_format_is_that_of_the_usual_address() -> None:
    assert server_at("http://localhost:11434").provider == "ollama"
    assert server_at("https://api.anthropic.com").provider == "anthropic"
    assert server_at("http://127.0.0.1:8000/v1").provider == "openai-chat", "a host is meant only where it is named"
    assert server_at("http://example.com:1234/v1").provider == "openai-chat"
    with pytest.raises(DocumentError):
        server_at("//example.com")


def test_a_key_never_goes_beside_the_servers_own() -> None:
    server = AskedServer("http://h", "anthropic", "m", KEY)
    sent = server.addressed(Request("POST", "https://api.anthropic.com/v1/messages", {"x-api-key": "placeholder"}))
    assert list(sent.headers.items()) == [("x-api-key", KEY)]
