"""The selftest: mutants die where they must, and what it says about them is true."""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.engine.cases import is_selected
from conformance.http import StreamEvent
from conformance.model import Json
from conformance.mutants import equivalent
from conformance.mutants.catalogue import all_lies, mutants, told_on
from conformance.mutants.edits import bend, drop, encoded_twice, rename
from conformance.mutants.equivalent import equivalences
from conformance.mutants.examples import patched
from conformance.mutants.kills import Kills, known_kills
from conformance.mutants.liar import Liar
from conformance.mutants.mutant import Mutant, hooks
from conformance.mutants.paths import paths, places
from conformance.mutants.run import MutantSelection, play_all
from conformance.mutants.score import Score
from conformance.mutants.streams import event_kind
from conformance.mutants.trace import Trace, TraceCase
from conformance.mutants.trial import Trial, play
from conformance.report.selftest import lines, selftest_markdown
from conformance.rules import catalogue
from conformance.rules.families import families
from conformance.schemas import problems

OLLAMA_ARGUMENTS = "/messages/:assistant/tool_calls/:/function/arguments"

DOCUMENT: Json = {
    "messages": [
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": [{"type": "function", "function": {"arguments": '{"a":1}'}}]},
        {"role": "user", "content": "y"},
    ],
    "tools": [{"parameters": {"properties": {"a": {"type": "string"}}}}],
}


@cache
def trace(provider: str) -> Trace:
    """What the reference adapter does on a provider."""
    return Trace(provider)


@cache
def known(provider: str) -> dict[str, Mutant]:
    """The mutants of a provider by name."""
    return {mutant.name: mutant for mutant in mutants(trace(provider))}


def trial(provider: str, name: str) -> Trial:
    """What becomes of a mutant."""
    return play(known(provider)[name], trace(provider))


# --- places and edits ------------------------------------------------------------------------------------------------


def test_places_are_named_alike_in_every_document() -> None:
    found = paths(DOCUMENT)
    assert found["/messages/:user/content"] == ["x", "y"]
    assert found["/messages/:assistant/tool_calls/:function/function/arguments"] == ['{"a":1}']
    assert found["/tools/:/parameters/properties/*/type"] == ["string"]


def test_what_an_application_fills_in_is_one_place() -> None:
    assert list(paths({"input": {"path": {"deep": 1}}})) == ["/input"]
    assert "/input/:user/content" in paths({"input": [{"role": "user", "content": "x"}]})


def test_every_path_leads_to_its_places() -> None:
    for path, values in paths(DOCUMENT).items():
        found = [container[key] for container, key in places(DOCUMENT, path)]  # type: ignore[index,call-overload]
        assert sorted(map(repr, found)) == sorted(map(repr, values)), path


def test_edits_are_done_at_every_place() -> None:
    body = json.loads(json.dumps(DOCUMENT))
    assert [m.get("content") for m in bend(body, "/messages/:user/content", encoded_twice)["messages"]] == [
        '"x"', None, '"y"',
    ]  # fmt: skip
    assert len(bend(body, "/messages/:user", drop)["messages"]) == 1
    assert "messages_" in bend(body, "/messages", rename)


def test_a_patch_is_done_on_a_copy() -> None:
    document = {"a": [1, 2], "b": {"c": 3}}
    changed = patched(document, [
        {"op": "move", "from": "/a/0", "path": "/b/d"},
        {"op": "add", "path": "/a/-", "value": 9},
        {"op": "replace", "path": "/b/c", "value": 4},
    ])  # fmt: skip
    assert changed == {"a": [2, 9], "b": {"c": 4, "d": 1}}
    assert document == {"a": [1, 2], "b": {"c": 3}}


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ("[DONE]", "[DONE]"),
        ('{"type":"ping"}', "ping"),
        ('{"type":"content_block_delta","delta":{"type":"text_delta"}}', "content_block_delta:text_delta"),
        ('{"choices":[{"delta":{"content":"x"},"finish_reason":null}]}', "content"),
        ('{"choices":[],"usage":{"prompt_tokens":1}}', "usage"),
        ('{"choices":[{"delta":{}}]}', "nothing"),
    ],
)
def test_kinds_of_events(data: str, kind: str) -> None:
    assert event_kind(StreamEvent(data)) == kind


# --- lies ------------------------------------------------------------------------------------------------------------


def test_every_lie_is_told_and_aimed_at_rules() -> None:
    assert len(all_lies()) > 40
    assert len({lie.__name__ for lie in all_lies()}) == len(all_lies())
    for lie in all_lies():
        assert lie.__doc__ and lie.__doc__.strip().endswith((".", "?")), lie
        assert set(lie.aims) <= catalogue().keys(), lie
        assert hooks(lie()), f"{lie} tells the truth"
        assert told_on(lie), lie


@pytest.mark.slow
def test_the_truth_is_no_lie() -> None:
    mutant = Mutant("adapter:Liar", "adapter", "Nothing is wrong", Liar)
    assert play(mutant, trace("ollama")).outcome == "idle"


def test_the_reference_adapter_is_blamed_for_nothing() -> None:
    assert not [(record.case, record.wrong) for record in trace("ollama").records if record.wrong]


@pytest.mark.parametrize(
    ("provider", "name", "rule"),
    [
        ("ollama", "adapter:QuotesText", "common.result.string-not-double-encoded"),
        ("ollama", "request:drop:/messages/:user/content", "common.history.text-kept"),
        ("ollama", "request:drop:/messages/:tool", "common.result.exactly-one-per-call"),
        ("ollama", f"request:nulls-lost:{OLLAMA_ARGUMENTS}", "common.history.calls-kept"),
        ("ollama", "answer:drop:/message/tool_calls", "common.parse.args-decoded-object"),
        ("ollama", "turn:text-lost-without-calls", "common.parse.text-kept"),
        ("ollama", "turn:usage-swapped", "common.parse.usage-kept"),
        ("ollama", "stream:ignored:tool_calls", "ollama.stream.ndjson"),
    ],
)
def test_a_fault_has_a_name(provider: str, name: str, rule: str) -> None:
    found = trial(provider, name)
    assert found.outcome == "killed"
    assert rule in [kill.rule for kill in found.kills]


def test_a_mutant_that_lives_says_where() -> None:
    found = trial("ollama", "request:reversed:/messages/:tool/images")
    assert (found.outcome, found.kills) == ("survived", [])
    assert found.example == str(TraceCase("binary_image.two_images", "native", "blocking"))


# --- the score -------------------------------------------------------------------------------------------------------


def score(*mutant_globs: str) -> Score:
    """What some mutants come to on one provider."""
    wanted = MutantSelection(("ollama",), mutant_globs)
    return Score(wanted, play_all(wanted, jobs=1, tell=lambda more, done: None))


@pytest.mark.slow
def test_the_score_counts_what_is_real() -> None:
    found = score("adapter:Quotes*", "request:*:/messages/:tool/images")
    document = found.document("conformance selftest", 1.0)
    assert not list(problems("selftest", document))
    assert document["problems"] == []
    assert document["summary"]["score"] == 1.0
    assert document["summary"]["equivalent"] == 1
    assert document["summary"]["kinds"]["adapter"]["survived"] == 0
    explained = [entry for entry in document["equivalent"] if entry["mutants"]]
    assert [entry["mutants"] for entry in explained] == [["ollama request:reversed:/messages/:tool/images"]]
    assert "100.0%" in "\n".join(lines(document, verbose=True))
    assert "## Survivors" in selftest_markdown(document)


@pytest.mark.slow
def test_a_mutant_that_must_die_and_does_not_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Liar, "aims", ("common.parse.text-kept",))
    truth = Mutant("adapter:Liar", "adapter", "Nothing is wrong", Liar, Liar.aims)
    monkeypatch.setattr("conformance.mutants.run.mutants", lambda trace: [truth])
    assert score("*").problems == ["adapter:Liar must die and does not on ollama (idle)"]


def test_a_rule_that_kills_nothing_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.mutants.run.mutants", lambda trace: [])
    wanted = MutantSelection(("ollama",), (), ("ollama.http.endpoint",))
    found = Score(wanted, play_all(wanted, jobs=1, tell=lambda more, done: None))
    assert found.problems == ["ollama.http.endpoint kills no mutant"]


def test_every_module_of_explanations_is_a_family() -> None:
    assert {item.name for item in pkgutil.iter_modules(equivalent.__path__)} <= set(families())


def test_every_explanation_is_a_sentence() -> None:
    for entry in equivalences():
        assert entry.why.endswith("."), entry
        assert entry.providers, entry


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_writes_a_report(tmp_path: Path) -> None:
    out = tmp_path / "selftest.md"
    words = ["selftest", "--provider", "ollama", "--mutant", "adapter:ChoosesTools", "-j", "1"]
    assert main([*words, "--format", "markdown", "--out", str(out)]) == 0
    assert "ollama.choose.unsupported" in out.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--provider", "olama"], "no provider matches 'olama'; did you mean 'ollama'?"),
        (["--rule", "common.nothing"], "no rule matches 'common.nothing'"),
        pytest.param(
            ["--provider", "ollama", "--mutant", "adapter:Nobody"],
            "no mutant on these providers matches 'adapter:Nobody'",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["--provider", "ollama", "--mutant", "adapter:ChoosesTools", "--mutant", "adapter:HidesFailure"],
            "did you mean 'adapter:HidesFailures'?",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_wrong_usage(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", "-j", "1", *words]) == 2
    assert complaint in capsys.readouterr().err


ONE_IN = 5
NEEDED = (
    "turn:refusal-for-text", "request:drop:/stream", "*:in-array:*/arguments", "answer:integers-as-floats:*/arguments"
)
"""Of the mutants that are made by a machine one in so many is played here, and these, because they are all that some
rules kill. ``conformance selftest`` plays all."""


@pytest.mark.slow
def test_mutants_of_a_provider_die_and_each_rule_kills(capsys: pytest.CaptureFixture[str]) -> None:
    written = [name for name, mutant in known("ollama").items() if mutant.kind == "adapter"]
    made = [name for name in known("ollama") if name not in written]
    first = dict.fromkeys([*written, *made[::ONE_IN], *(name for name in made if is_selected(name, NEEDED))])
    chosen = [word for name in first for word in ("--mutant", name)]
    assert main(["selftest", "--provider", "ollama", *chosen, "-j", "2", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["problems"] == []
    assert len(document["mutants"]) >= len(first)
    assert document["summary"]["score"] >= 0.98
    left = {rule["id"] for rule in document["rules"] if rule["standing"] == "no_kill"}
    likely = {victim.name for rule in left for victim in known_kills().get(rule, Kills()).victims}
    for name in sorted(set(made) - first.keys(), key=lambda name: name not in likely):  # for rules that are new
        left -= {kill.rule for kill in trial("ollama", name).kills} if left else set()
    assert not left, "these rules kill nothing"
