"""``run --responder live``: what a model chooses is its own, what the adapter sends is the adapter's."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from commands import cell, outcomes, result_of, run
from fake_provider import Dies, Fake, Model, Says, faking, obeying

from conformance.http import Request, Response
from conformance.model import compact_json
from conformance.outcomes import FAILURES
from conformance.scenarios import load_scenarios
from conformance.script import ScriptCall, ScriptError, ScriptTurn
from conformance.session.directions import directed
from conformance.wires import wire

WRITES = "write_file.quotes_and_newlines"
"""The scenario: one file is written, and then words."""
TOLD = load_scenarios()[WRITES]
CALL = TOLD.turns[0].calls[0]
CANARY = "sk-canary-4f9a8c3e7d21b6059ae4"


def asked(tmp_path: Path, fake: Fake, *words: object, scenario: str = WRITES) -> tuple[int, dict[str, object]]:
    """Run one scenario live."""
    where = ["--provider", fake.provider, "--base-url", f"{fake.provider}={fake.url}", "--scenario", scenario]
    return result_of(tmp_path / "result.json", "--responder", "live", *where, *words)


def saying(*says: Says) -> Model:
    """A model that says this, answer by answer, and then the last again."""
    return lambda place, request: says[min(place, len(says) - 1)]


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses", "unified"])
def test_an_obeying_model_is_a_pass(tmp_path: Path, provider: str) -> None:
    with faking(provider, obeying(WRITES)) as fake:
        code, document = asked(tmp_path, fake)
    assert code == 0
    assert set(outcomes(document).values()) == {"pass"}
    assert len(fake.requests) == 2 * 2  # blocking and streamed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("says", "words"),
    [
        (ScriptTurn("I would rather talk."), "words"),
        (ScriptTurn(calls=(replace(CALL, arguments={"file_path": "/x", "content": "x"}),) * 2), "twice"),
    ],
    ids=["words", "twice"],
)
def test_what_a_model_chooses_is_no_fault_of_the_adapter(tmp_path: Path, says: ScriptTurn, words: str) -> None:
    with faking("openai-chat", saying(says)) as fake:
        code, document = asked(tmp_path, fake)
    found = outcomes(document)
    assert not FAILURES & set(found.values())
    unseen = {rule for rule, outcome in found.items() if outcome == "model_choice"}
    assert unseen <= set(TOLD.rules)
    assert "common.stream.equivalent-to-non-stream" not in unseen  # that could be seen all the same
    assert unseen
    assert code == 0


@pytest.mark.slow
def test_another_tool_is_the_models_choice(tmp_path: Path) -> None:
    scenario = "parallel_calls.different_tools"
    first = load_scenarios()[scenario].turns[0]
    other = replace(first, calls=first.calls[:1])
    with faking("anthropic", saying(other)) as fake:
        _, document = asked(tmp_path, fake, scenario=scenario)
    found = outcomes(document)
    assert "model_choice" in found.values()
    assert not FAILURES & set(found.values())
    assert len(fake.requests) == 2  # the play ends there


@pytest.mark.slow
def test_tools_really_run_with_the_models_own_arguments(tmp_path: Path) -> None:
    """It writes a file of its own choice, and what it reads back is what it wrote."""
    scenario = "parallel_calls.two_reads"
    calls = load_scenarios()[scenario].turns[0].calls
    other = tuple(replace(call, arguments={"absolute_path": f"/srv/none{place}"}) for place, call in enumerate(calls))
    with faking("openai-chat", saying(ScriptTurn(calls=other), ScriptTurn("Neither is there."))) as fake:
        code, document = asked(tmp_path, fake, scenario=scenario)
    assert code == 0, outcomes(document)
    results = [result.text for result in wire("openai-chat").facts(fake.requests[1]).results]
    assert len(results) == 2
    assert all(text is not None and "No such file" in text for text in results)


@pytest.mark.slow
def test_a_file_that_was_written_is_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "scenarios" / "own"
    folder.mkdir(parents=True)
    (folder / "write_then_read.yaml").write_text(
        """\
title: A file is written and read
rules: [common.result.exactly-one-per-call]
tools: [write_file, read_file]
steps:
  - user: Write the file and read it.
  - model:
      calls: [{tool: write_file, arguments: {file_path: /srv/a.txt, content: as planned}}]
  - results: [{call: write_file, text: done}]
  - model:
      calls: [{tool: read_file, arguments: {absolute_path: /srv/a.txt}}]
  - results: [{call: read_file, text: as planned}]
  - model: {text: Done.}
""",
        "utf-8",
    )
    write = ScriptCall("write_file", {"file_path": "/srv/a.txt", "content": "as the model likes"})
    read = ScriptCall("read_file", {"absolute_path": "/srv/a.txt"})
    model = saying(ScriptTurn(calls=(write,)), ScriptTurn(calls=(read,)), ScriptTurn("Done."))
    with faking("gemini", model) as fake:
        code, document = asked(
            tmp_path, fake, "--scenarios", tmp_path / "scenarios", "--delivery", "blocking",
            scenario="own.write_then_read",
        )  # fmt: skip
    assert code == 0, outcomes(document)
    assert "as the model likes" in fake.requests[2].body.decode()
    assert not Path("/srv/a.txt").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "status"), [("authentication", 401), ("rate_limit", 429), ("overloaded", 503)])
def test_what_has_to_do_with_the_account_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str, status: int
) -> None:
    """It is an error of the harness, in the provider's words; the key is not among them."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    error = ScriptError(kind, f"no more for {CANARY}, sorry")  # type: ignore[arg-type]
    with faking("openai-chat", saying(error)) as fake:
        code, document = asked(tmp_path, fake)
    assert code == 3
    found = cell(document, "common.adapter.completes")
    assert found["outcome"] == "harness_error"
    assert f"answered {status}" in found["failures"][0]["found"]
    assert "sorry" in found["failures"][0]["found"]
    assert fake.requests[0].header("authorization") == f"Bearer {CANARY}"
    printed = capsys.readouterr()
    assert CANARY not in json.dumps(document) + printed.out + printed.err


@pytest.mark.slow
def test_a_request_that_is_refused_is_the_adapters_fault(tmp_path: Path) -> None:
    with faking("openai-chat", saying(ScriptError("invalid_request", "messages.0.role: unknown"))) as fake:
        code, document = asked(tmp_path, fake)
    assert code == 1
    refused = cell(document, "common.http.accepted")
    assert refused["outcome"] == "fail"
    assert "messages.0.role: unknown" in refused["failures"][0]["found"]
    assert {rule for rule, outcome in outcomes(document).items() if outcome in FAILURES} == {"common.http.accepted"}
    assert len(fake.requests) == 2  # blocking and streamed: with an answer like that nothing goes on


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["openai-chat", "anthropic", "gemini", "ollama", "openai-responses"])
def test_a_stream_that_dies_is_judged_as_what_it_is(tmp_path: Path, provider: str) -> None:
    with faking(provider, saying(Dies(TOLD.turns[0]))) as fake:
        code, document = asked(tmp_path, fake, "--delivery", "stream:*")
    assert code == 0
    assert cell(document, "common.stream.truncated-stream-not-complete")["outcome"] == "pass"
    assert not FAILURES & set(outcomes(document).values())


@pytest.mark.slow
def test_a_blocking_answer_that_dies_is_no_verdict(tmp_path: Path) -> None:
    with faking("openai-chat", saying(Dies(TOLD.turns[0]))) as fake:
        code, document = asked(tmp_path, fake, "--delivery", "blocking")
    assert code == 3
    assert "connection broke" in cell(document, "common.adapter.completes")["failures"][0]["found"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [b"", b"<html>Bad Gateway</html>", b"[]", b'{"choices": 7}', b"\xff\xfe" * 40], ids=repr
)
def test_answers_that_no_model_gives(tmp_path: Path, body: bytes) -> None:
    """Whatever comes, the run ends with a result."""
    answer = Response(200, {"content-type": "application/json"}, body)
    with faking("openai-chat", saying(answer)) as fake:
        code, document = asked(tmp_path, fake)
    assert code in (0, 1, 3, 4)
    assert document["cells"]


@pytest.mark.slow
def test_rates_are_told_apart_from_conformance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that obeys two times of five: 40 % is what it does, and nothing is wrong with the adapter."""

    def moody(fake_requests: list[Request]) -> Callable[[int, Request], Says]:
        def says(place: int, request: Request) -> Says:
            if place:
                return TOLD.answers[place]
            fake_requests.append(request)
            return TOLD.answers[0] if len(fake_requests) in (2, 5) else ScriptTurn("Not today.")

        return says

    with faking("openai-chat", moody([])) as fake:
        code, document = asked(tmp_path, fake, "--delivery", "blocking", "--repeat", "5", "--rule", TOLD.rules[0])
    assert code == 0
    assert document["run"]["repeat"] == 5  # type: ignore[index]
    found = cell(document, TOLD.rules[0])
    assert found["outcome"] == "pass"
    assert found["rate"] == {"seen": 2, "passed": 2, "model_choice": 3}
    assert f"{TOLD.rules[0]} on openai-chat passed 2 of 2, 3 model choice" in capsys.readouterr().out


@pytest.mark.slow
def test_without_a_key_nothing_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = {
        "openai-chat": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY",
        "azure": "AZURE_OPENAI_ENDPOINT", "xai": "XAI_API_KEY", "deepseek": "DEEPSEEK_API_KEY",
        "mistral": "MISTRAL_API_KEY", "ollama": "OLLAMA_HOST", "unified": "CONFORMANCE_UNIFIED_URL",
    }  # fmt: skip
    for name in (*variables.values(), "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY", "CONFORMANCE_UNIFIED_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    code, document = result_of(tmp_path / "result.json", "--responder", "live", "--scenario", WRITES)
    assert code == 4
    printed = capsys.readouterr().out
    for provider, variable in variables.items():
        cells = [one for one in document["cells"] if one["provider"] == provider and one["outcome"] == "unsupported"]
        assert {one["why"] for one in cells} == {f"set {variable}"}
        assert f"{provider}: set {variable}" in printed


def test_what_a_real_model_cannot_be_told_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """No faults, no oddities, nothing that happened before, and only the chunks that really come."""
    where = ["--provider", "ollama", "--base-url", "http://127.0.0.1:9", "--dry-run"]
    assert run("run", "--responder", "live", *where) == 0
    cases = capsys.readouterr().out
    assert "shell.success/blocking" in cases
    assert "shell.success/stream:as-sent" in cases
    for left_out in ("stream:per-byte", "errors.rate_limit", "quirks.", "handoff.", "cut_in_arguments"):
        assert left_out not in cases


def test_arguments_of_the_directions_are_json() -> None:
    """What the user is made to say spells out each call."""
    said = directed(TOLD).steps[0].text  # type: ignore[union-attr]
    assert compact_json(CALL.arguments or {}) in said
