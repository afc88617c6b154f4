"""Choosing providers and scenarios, what is told about it, and the command."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hearing import hear_signals
from mistakes import SCENARIO, right, wrong

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.reference import ReferenceAdapter
from conformance.cli import main
from conformance.deliveries import DELIVERIES
from conformance.engine.cases import fits
from conformance.http import Request
from conformance.model import Conversation, UserTurn
from conformance.responders import ScriptedResponder
from conformance.scenarios import Scenario, load_scenarios
from conformance.schemas import problems
from conformance.server import Running, Settings, serving
from conformance.server.address import address_of
from conformance.server.app import Application
from conformance.server.memory import BoundedMemory
from conformance.server.progress import candidates
from conformance.server.running import open_socket
from conformance.server.service import Service
from conformance.session.play import Play
from conformance.session.seat import TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires import PROVIDERS, wire

ROOT = Path(__file__).resolve().parent.parent.parent
SCENARIOS = load_scenarios()


# --- which provider, which scenario ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "provider"),
    [
        ("/v1/chat/completions", "openai-chat"),
        ("/chat/completions", "deepseek"),
        ("/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21", "azure"),
        ("/openai/v1/chat/completions", "azure"),
        ("/models/chat/completions?api-version=2024-05-01-preview", "azure"),
        ("/v1/responses", "openai-responses"),
        ("/v1/messages", "anthropic"),
        ("/v1beta/models/gemini-3-pro:generateContent", "gemini"),
        ("/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", "gemini"),
        ("/v1/projects/p/locations/l/publishers/google/models/m:generateContent", "gemini"),
        ("/api/chat", "ollama"),
        ("/v1/conversations", "unified"),
        ("/p/mistral/v1/chat/completions", "mistral"),
        ("/s/multi_turn.hello/id/7/p/xai/v1/chat/completions", "xai"),
    ],
)
def test_the_provider_is_known_by_the_path(path: str, provider: str) -> None:
    address = address_of(Request("POST", f"http://localhost{path}"))
    assert address.known
    assert address.provider == provider


def test_the_host_tells_providers_of_one_format_apart() -> None:
    for host, provider in (("api.x.ai", "xai"), ("api.mistral.ai:443", "mistral"), ("localhost:1", "openai-chat")):
        request = Request("POST", "http://localhost/v1/chat/completions", {"host": host})
        assert address_of(request).provider == provider


def test_a_prefix_says_all_and_is_taken_away() -> None:
    url = "http://localhost/p/gemini/s/a.b/id/x%2Fy/fault/status=429/v1beta/models/m:generateContent"
    address = address_of(Request("POST", url))
    assert (address.provider, address.scenario, address.session) == ("gemini", "a.b", "x/y")
    assert (address.fault, address.path) == ("status=429", "/v1beta/models/m:generateContent")


def _ask(server: Running, provider: str, path: str = "", **headers: str) -> httpx.Response:
    request = right(provider)
    url = server.origin + path + request.path + (f"?{request.query}" if request.query else "")
    sent = {**request.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return httpx.post(url, headers=sent, content=request.body)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_three_ways_to_choose_a_scenario(strict: Running, provider: str) -> None:
    by_path = _ask(strict, provider, f"/p/{provider}/s/{SCENARIO}")
    by_header = _ask(strict, provider, x_conformance_provider=provider, x_conformance_scenario=SCENARIO)
    assert by_path.status_code == by_header.status_code == 200
    assert by_path.content == by_header.content
    request = right(provider)
    conversation = Conversation((UserTurn("Hello!"),), model="conformance/multi_turn.hello")
    asked = wire(provider).build(conversation, stream=False)
    by_model = httpx.post(
        f"{strict.origin}/p/{provider}{asked.path}?{asked.query}", headers=request.headers, content=asked.body
    )
    assert by_model.status_code == 200, by_model.text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_not_there_is_named_with_what_is(strict: Running, provider: str) -> None:
    answer = _ask(strict, provider, f"/p/{provider}/s/parallel_calls.two_reds")
    assert answer.status_code == 404
    assert SCENARIO in wire(provider).read_error(404, {}, answer.content).message


@pytest.mark.parametrize(("method", "path", "status"), [
    ("GET", "/v1/messages", 405), ("POST", "/v1/embeddings", 404), ("POST", "/p/nobody/v1/messages", 404),
    ("POST", "/p/anthropic/v1/chat/completions", 404),
])  # fmt: skip
def test_paths_that_are_no_calls(strict: Running, method: str, path: str, status: int) -> None:
    answer = httpx.request(method, strict.origin + path, json={})
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


# --- which answer ----------------------------------------------------------------------------------------------------

FITTING = [(p, s) for p in PROVIDERS for s in SCENARIOS.values() if fits(s, p, s.profile or "native")]


def _played(provider: str, scenario: Scenario, delivery: str) -> list[Exchange]:
    seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
    responder = ScriptedResponder(scenario, provider)
    return Play(scenario, provider, scenario.profile or "native", DELIVERIES[delivery], seat, responder).run()


EXCUSED_BY_ANSWERS = frozenset(
    {"anthropic.continuation.container-named", "responses.ids.items-unique", "responses.result.client-items-answered",
     "responses.result.approval-answered"}
)
"""Rules that excuse what the provider itself did, and so must know its answer. Derived answers hold forms together that
no provider sends together: several items under one id, a program's call without a container."""


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_answer_is_known_by_the_conversation_alone(provider: str) -> None:
    """What the reference adapter sends at any place gets the answer of that place, byte for byte, from a server that
    has never seen the client, and no finding."""
    for scenario in (item for name, item in FITTING if name == provider):
        delivery = "stream:per-event" if scenario.streams_only else "blocking"
        for place, exchange in enumerate(_played(provider, scenario, delivery)):
            assert isinstance(exchange.request, Request)
            headers = {
                **exchange.request.headers, "x-conformance-provider": provider, "x-conformance-scenario": scenario.id,
            }  # fmt: skip
            if len(candidates(exchange.facts, scenario)) > 1:
                headers["x-conformance-session"] = f"place {place}"
                assert place in candidates(exchange.facts, scenario)
                continue
            served = Service().serve(replace(exchange.request, headers=headers))
            assert served.place == place, (scenario.id, place, served.problem)
            told = {finding.rule.id for finding in served.judgement.found}
            if told and scenario.family == "answers" and told <= EXCUSED_BY_ANSWERS:
                continue
            assert told == set()
            assert exchange.response is not None or exchange.chunks is not None
            sent = b"".join(exchange.chunks) if exchange.chunks is not None else exchange.response.body  # type: ignore[union-attr]
            assert b"".join(served.chunks) == sent


def test_many_clients_at_once_do_not_disturb_each_other(strict: Running) -> None:
    wrong_answers: list[object] = []

    def client(number: int) -> None:
        provider = PROVIDERS[number % len(PROVIDERS)]
        scenario = [item for name, item in FITTING if name == provider and item.family == "multi_turn"][number % 3]
        with httpx.Client() as line:
            for exchange in _played(provider, scenario, "blocking"):
                assert isinstance(exchange.request, Request)
                url = f"{strict.origin}/p/{provider}/s/{scenario.id}{exchange.request.path}?{exchange.request.query}"
                answer = line.post(url, headers=exchange.request.headers, content=exchange.request.body)
                assert exchange.response is not None
                if answer.content != exchange.response.body:
                    wrong_answers.append((provider, scenario.id, answer.text))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong_answers == []


@pytest.mark.parametrize("prefix", ["/id/retry", ""])
def test_after_a_failure_the_next_answer_comes(fresh: Running, prefix: str) -> None:
    """In a session, and without one by counting how often the same was asked."""
    scenario = SCENARIOS["errors.results_sent_again"]
    exchanges = _played("anthropic", scenario, "blocking")
    for exchange in exchanges:
        assert isinstance(exchange.request, Request)
        assert exchange.response is not None
        url = f"{fresh.origin}{prefix}/s/{scenario.id}{exchange.request.path}"
        answer = httpx.post(url, headers=exchange.request.headers, content=exchange.request.body)
        assert (answer.status_code, answer.content) == (exchange.response.status, exchange.response.body)
    assert {exchange.response.status for exchange in exchanges if exchange.response} > {200}


def test_a_scenario_that_is_over_says_so(strict: Running) -> None:
    exchanges = _played("openai-chat", SCENARIOS["multi_turn.hello"], "blocking")
    last = exchanges[-1]
    assert last.intent is not None
    assert last.turn is not None
    request = wire("openai-chat").build(last.intent.then(last.turn, UserTurn("And now?")), stream=False)
    url = f"{strict.origin}/s/multi_turn.hello{request.path}"
    answer = httpx.post(url, headers=request.headers, content=request.body)
    assert answer.status_code == 400
    assert "is over" in answer.text


# --- what is told ----------------------------------------------------------------------------------------------------


def _findings(server: Running, **query: Any) -> dict[str, Any]:
    answer = httpx.get(f"{server.origin}/conformance/findings", params=query)
    document: dict[str, Any] = answer.json()
    assert list(problems("findings", document)) == []
    return document


def test_findings_are_counted_and_shown_without_secrets(fresh: Running) -> None:
    bad = wrong("missing_result", "openai-chat")
    assert bad is not None
    for _ in range(3):
        httpx.post(
            f"{fresh.origin}/s/{SCENARIO}{bad.path}?key=SECRET-1", content=bad.body,
            headers={**bad.headers, "authorization": "Bearer SECRET-2", "x-other": "SECRET-3", "user-agent": "mine/1"},
        )  # fmt: skip
    document = _findings(fresh)
    assert document["counts"]["exchanges"] == document["counts"]["refused"] == 3
    assert document["rules"]["chat.result.adjacent-and-complete"]["failed"] == 3
    newest = document["exchanges"][0]
    assert (newest["number"], newest["client"], newest["scenario"], newest["answer"]) == (3, "mine/1", SCENARIO, 2)
    assert newest["findings"][0]["at"].startswith("/messages/")
    assert "SECRET" not in json.dumps(document)
    assert len(_findings(fresh, since=2)["exchanges"]) == 1
    assert len(_findings(fresh, limit=2)["exchanges"]) == 2
    assert httpx.get(f"{fresh.origin}/conformance/findings?since=x").status_code == 400


def test_memory_is_bounded_and_counts_are_not() -> None:
    with serving(keep=5) as server:
        for number in range(20):
            httpx.post(f"{server.origin}/v1/messages", content=str(number), headers={"user-agent": f"client {number}"})
        document = _findings(server)
        assert document["counts"]["exchanges"] == 20
        assert [item["number"] for item in document["exchanges"]] == [20, 19, 18, 17, 16]


def test_a_bounded_mapping_forgets_what_was_not_used() -> None:
    kept: BoundedMemory[int, str] = BoundedMemory(entries=3, size=10)
    for number in range(3):
        kept.put(number, str(number), 2)
    assert kept.get(0) == "0"
    kept.put(3, "3", 2)
    assert kept.get(1) is None
    kept.put(4, "4", 8)
    assert [number for number in range(5) if kept.get(number)] == [3, 4] or len(kept) <= 2
    kept.put(5, "5", 11)
    assert kept.get(5) is None


def test_the_page_is_only_for_this_machine(strict: Running) -> None:
    page = httpx.get(f"{strict.origin}/", follow_redirects=True)
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(r"(src|href)=\"?(https?:)?//", page.text)
    for path in ("/conformance/", "/conformance/findings"):
        assert httpx.get(strict.origin + path, headers={"host": "evil.example"}).status_code == 403


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_a_signal_and_writes_the_result(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "result.json"
    command = [sys.executable, "-m", "conformance", "serve", "--port", "0", "--out", str(out), "--name", "my client"]
    with (
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_signals
        ) as process,
        contextlib.ExitStack() as at_the_end,
    ):
        at_the_end.callback(process.kill)
        assert process.stdout is not None
        origin = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", origin)
        bad = wrong("missing_result", "gemini")
        assert bad is not None
        for request, status in ((right("gemini"), 200), (bad, 400)):
            url = f"{origin}/s/{SCENARIO}{request.path}"
            assert httpx.post(url, headers=request.headers, content=request.body).status_code == status
        process.send_signal(number)
        said, complaints = process.communicate(timeout=20)
    assert process.returncode == 1
    assert said == "2 exchanges, 1 with findings, 1 refused\n"
    first, second, *more = complaints.splitlines()
    assert first.startswith("what clients send: ")
    assert re.match(r"found: gemini\.result\.\S+ at /\S+: expected .+, found .+\. [A-Z]", second), second
    assert {line.split()[0] for line in more} <= {"found:"}, "each rule once, and no more than that"
    document = json.loads(out.read_text("utf-8"))
    assert list(problems("result", document)) == []
    assert [item["name"] for item in document["adapters"]] == ["my client"]
    cells = {cell["rule"]: cell for cell in document["cells"]}
    assert cells["gemini.result.count-equals-calls"]["outcome"] == "fail"
    [failure] = cells["gemini.result.count-equals-calls"]["failures"]
    assert document["evidence"][failure["evidence"]]["response"]["status"] == 400
    assert cells["gemini.result.role-user"]["outcome"] == "pass"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--host", "0.0.0.0"], "--allow-remote"),
        (["--host", "example.com"], "--allow-remote"),
        (["--fault", "bogus"], "unknown fault 'bogus'"),
        (["--scenario", "multi_turn.helo"], "multi_turn.hello"),
        (["--out", "/nowhere/x.json"], "cannot write there"),
    ],
)
def test_wrong_usage_is_told_in_a_line(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *words]) == 2
    told = capsys.readouterr().err
    assert complaint in told
    assert told.count("\n") == 1


def test_the_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    told = capsys.readouterr().out
    for word in ("x-conformance-scenario", "--lenient", "status=429", "/conformance/findings", "SIGTERM", "exit codes"):
        assert word in told


def test_a_default_scenario_needs_no_choice() -> None:
    with serving(Settings(scenario="multi_turn.hello")) as server:
        request = wire("openai-chat").build(Conversation((UserTurn("Hello!"),), model="gpt-9"), stream=False)
        answer = httpx.post(server.origin + request.path, headers=request.headers, content=request.body)
        assert answer.status_code == 200
        assert answer.json()["model"] == "gpt-9"


def test_a_failure_of_our_own_is_kept() -> None:
    """Whoever runs the server for a subject must know that the subject is not to blame."""

    class Failing:
        def directed(self, provider: str, request: Request, facts: Any) -> Any:
            raise KeyError("of ours")

        def answered(self, exchange: Any, scenario: Scenario) -> None:
            raise AssertionError

    application = Application(Settings(), director=Failing())
    running = Running(application, open_socket("127.0.0.1", 0))
    request = right("openai-chat")
    try:
        answer = httpx.post(running.url("openai-chat") + "/chat/completions", content=request.body, headers=JSON)
    finally:
        running.stop(5)
    assert answer.status_code == 500
    assert ["KeyError: 'of ours'" in crash for crash in application.crashes] == [True]


JSON = {"content-type": "application/json"}
