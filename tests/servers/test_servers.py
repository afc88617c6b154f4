"""Servers as subjects: our own conforms in every format, and a server that is wrong in one thing is told so."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cohere_servers  # noqa: F401 - it enters those written later
import later_servers  # noqa: F401 - so does it
import pytest
from changing import changed
from wrong_servers import LATER, WRONG, WrongServer

from conformance.server.running import Running, serving
from conformance.servers.address import AskedServer
from conformance.servers.asking import ServerLine
from conformance.servers.clients import client_verdict
from conformance.servers.must_reject import must_reject
from conformance.servers.verdict import verdict_on
from conformance.servers.wire_part import wire_part
from conformance.wires import PROVIDERS

MODEL = "conformance/any"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with serving() as running:
        yield running


def broken(verdict: dict[str, Any]) -> set[str]:
    """The rules that a verdict names."""
    wire = {one["rule"] for one in verdict["wire"]["findings"]}
    return wire | {one["rule"] for one in verdict["must_reject"]["faults"]}


def asked(running: Running, provider: str, repeats: int = 0) -> dict[str, Any]:
    """The verdict on our own server."""
    return verdict_on(AskedServer(running.url(provider), provider, MODEL, "key-of-a-test"), repeats, 20.0, MODEL)


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_our_own_server_conforms_in_every_format(server: Running, provider: str) -> None:
    verdict = asked(server, provider)
    assert broken(verdict) == set()
    assert verdict["outcome"] == "pass"
    assert len(verdict["wire"]["checked"]) >= 10
    assert verdict["must_reject"]["refused"] >= 3 and verdict["must_reject"]["undecided"] == 0


def test_our_own_server_conforms(server: Running) -> None:
    verdict = asked(server, "openai-chat", repeats=1)
    assert (verdict["outcome"], broken(verdict)) == ("pass", set())
    assert {name: (one["kept"], one["of"]) for name, one in verdict["model"]["measures"].items()} == {
        "required-kept": (1, 1), "named-kept": (1, 1), "none-kept": (1, 1), "one-at-most": (1, 1),
        "calls-when-asked": (1, 1), "text-when-not-asked": (0, 1), "names-declared": (5, 5), "arguments-valid": (5, 5),
    }  # fmt: skip


def told_of(running: Running, wrong: WrongServer) -> set[str]:
    """The rules that are told of a server that is wrong in one thing."""
    with changed(running.origin, wrong.change, wrong.before) as origin:
        url = origin + urlsplit(running.url(wrong.provider)).path
        with ServerLine(AskedServer(url, wrong.provider, MODEL, "key-of-a-test"), 20.0) as line:
            wire = {one.rule for one in wire_part(line).findings}
            return wire | ({one.request.rule.id for one in must_reject(line).faults} if wrong.before else set())


@pytest.mark.slow
@pytest.mark.parametrize("name", [*WRONG, *LATER])
def test_a_wrong_server_is_told(server: Running, name: str) -> None:
    wrong = {**WRONG, **LATER}[name]
    assert (told := told_of(server, wrong)) & wrong.rules, f"told: {told}"


@pytest.mark.slow
@pytest.mark.parametrize("provider", sorted({one.provider for one in (*WRONG.values(), *LATER.values())}))
def test_nothing_is_told_of_what_passes_unchanged(server: Running, provider: str) -> None:
    unchanged = WrongServer(lambda passing: None, frozenset(), provider, before=lambda asked: None)
    assert told_of(server, unchanged) == set()


@pytest.mark.slow
def test_enough_wrong_servers_are_tried() -> None:
    assert len(WRONG) >= 12 and 3 * len(LATER) >= len(WRONG) + len(LATER)


AGENT = """
import json, os, sys, urllib.request
body = {"model": sys.argv[1], "messages": [{"role": "user", "content": sys.argv[2]}], "stream": True, "tools": [{
    "type": "function", "function": {"name": "read", "description": "Reads.", "parameters": {
        "type": "object", "properties": {"path": {"type": "string"}}}}}]}
asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
                               {"content-type": "application/json", "authorization": "Bearer x"})
print(urllib.request.urlopen(asked, timeout=20).read()[:100])
sys.exit(int(os.environ.get("ENDS", "0")))
"""


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """The recipe of an agent that asks once."""
    (tmp_path / "agent.py").write_text(AGENT)
    recipe = tmp_path / "tiny.yaml"
    command = [sys.executable, str(tmp_path / "agent.py"), "${model}", "${task}"]
    recipe.write_text(json.dumps({"title": "Tiny", "command": command, "providers": {"openai-chat": None}}))
    return recipe


@pytest.mark.slow
def test_an_agent_is_run_at_a_server(server: Running, agent: Path) -> None:
    asked = AskedServer(server.url("openai-chat"), "openai-chat", MODEL, "key-of-a-test")
    assert client_verdict(f"agent:{agent}", asked, 30.0) == {
        "client": f"agent:{agent}", "outcome": "pass", "reason": "", "requests": 1, "findings": [],
    }  # fmt: skip


@pytest.mark.slow
def test_what_an_agent_meets_is_told(server: Running, agent: Path) -> None:
    with changed(server.origin, WRONG["drops done"].change) as origin:
        url = origin + urlsplit(server.url("openai-chat")).path
        told = client_verdict(f"agent:{agent}", AskedServer(url, "openai-chat", MODEL), 30.0)
    assert told["outcome"] == "fail"
    assert [finding["rule"] for finding in told["findings"]] == ["chat.stream.done-sentinel"]


@pytest.mark.slow
def test_a_library_is_run_at_a_server(server: Running) -> None:
    asked = AskedServer(server.url("openai-chat"), "openai-chat", MODEL, "key-of-a-test")
    told = client_verdict("openai", asked, 30.0)
    assert (told["outcome"], told["reason"], told["findings"]) == ("pass", "", [])
    assert told["requests"] >= 6 and told["cells"]["pass"] > 20


def test_a_client_that_is_not_there_is_not_run(server: Running) -> None:
    asked = AskedServer(server.url("openai-chat"), "openai-chat", MODEL)
    assert client_verdict("agent:nobody", asked, 5.0)["outcome"] == "not run"
