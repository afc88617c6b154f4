"""Coverage as it is published: what worse is, and what may be excused. `dialects/test_every_dialect` measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from named_types import is_type

from conformance.cli import main
from conformance.coverage.document import coverage_document, excused_share, topmost, worse
from conformance.coverage.documents import forms_in_types
from conformance.coverage.forms import SIDES
from conformance.coverage.measure import Measurement, packaged
from conformance.coverage.pages import EXCUSED, coverage_markdown
from conformance.coverage.recorded import is_made_up
from conformance.coverage.scope import Excuse, Refusal, excuses, is_counted, is_refused, matches, refusals
from conformance.documents import Document
from conformance.http import Response
from conformance.transcript import Exchange
from conformance.wires import cards

DATA = Path(__file__).resolve().parents[2] / "reports" / "coverage.json"


def published() -> Document:
    document: Document = json.loads(DATA.read_text("utf-8"))
    return document


def toy(covered: set[str], looked: set[str]) -> Measurement:
    forms = frozenset({"request.tools", "request.tools.a", "request.tools.a = x", "request.tools absent"})
    every = frozenset(covered)
    return Measurement("openai-chat", forms, {"request.tools.a": 3}, every, dict.fromkeys(looked, "rule"), every)


WORSE: list[tuple[str, set[str], set[str], list[str]]] = [
    ("the same", {"request.tools", "request.tools.a"}, {"request.tools"}, []),
    ("better", {"request.tools", "request.tools.a", "request.tools absent"}, {"request.tools", "request.tools.a"}, []),
    (
        "a form is gone",
        {"request.tools"},
        {"request.tools"},
        ["openai-chat: not covered any more: request.tools.a"],
    ),
    (
        "nobody looks",
        {"request.tools", "request.tools.a"},
        set(),
        ["openai-chat: not looked at any more: request.tools"],
    ),
]


@pytest.mark.parametrize(("covered", "looked", "lines"), [row[1:] for row in WORSE], ids=[row[0] for row in WORSE])
def test_what_is_worse_is_said(covered: set[str], looked: set[str], lines: list[str]) -> None:
    before = coverage_document([toy({"request.tools", "request.tools.a"}, {"request.tools"})])
    assert list(worse(before, [toy(covered, looked)])) == lines


def test_only_the_topmost_uncovered_form_is_listed() -> None:
    found = toy(set(), set())
    assert topmost(found.forms, found) == {
        "request.tools": {"forms": 3},
        "request.tools absent": {"forms": 1},
    }


def test_few_forms_are_excused() -> None:
    assert excused_share(published()) <= EXCUSED


@pytest.mark.parametrize("provider", sorted({one.format for one in cards()}))
def test_a_reason_is_about_forms_that_there_are(provider: str) -> None:
    forms = {form for side in SIDES for form in forms_in_types(provider, side)} | packaged().get(provider, {}).keys()
    globs = [glob for excuse in excuses(provider) for glob in excuse.forms]
    assert [glob for glob in globs if not any(matches(form, [glob]) for form in forms)] == []


@pytest.mark.parametrize(("reason", "link"), [("boring", None), ("deprecated", None), ("not about tools", "https://x")])
def test_a_reason_that_is_none_is_an_error(reason: Any, link: str | None) -> None:
    with pytest.raises(ValueError):
        Excuse(("a",), reason, link)


FORMATS = sorted({one.format for one in cards()})
REFUSALS = [(provider, refusal) for provider in FORMATS for refusal in refusals(provider)]


@pytest.mark.parametrize(("provider", "refusal"), REFUSALS, ids=lambda value: getattr(value, "source", value))
def test_a_refusal_has_its_evidence(provider: str, refusal: Refusal) -> None:
    """Its forms are in the types, own hosts were not recorded to take them, and its source is an address or a type."""
    forms = forms_in_types(provider, "request")
    assert all(any(matches(form, [glob]) for form in forms) for glob in refusal.forms)
    assert not [form for form in packaged().get(provider, {}) if matches(form, refusal.forms)]
    assert refusal.source.startswith("https://") or is_type(refusal.source)


def test_an_evidence_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="'hearsay' is no evidence of a refusal"):
        Refusal(("a",), "hearsay", "https://x")  # type: ignore[arg-type]


def test_what_is_refused_does_not_count() -> None:
    user, assistant = (f"request.messages[role={role}].content[type=tool_use]" for role in ("user", "assistant"))
    assert is_refused("anthropic", user) and not is_counted("anthropic", user)
    assert not is_refused("anthropic", assistant) and is_counted("anthropic", assistant)


def test_only_what_is_about_tools_counts_in_requests() -> None:
    assert is_counted("azure", "request.tools[type=function].function.name")
    assert not is_counted("azure", "request.temperature")
    assert not is_counted("openai-chat", "request.messages[role=user].content")
    assert is_counted("openai-chat", "response.created")
    assert matches("a[type=b].c", ["a[type=*].c"]) and not matches("a.b", ["a[b]"])


@pytest.mark.parametrize(
    ("headers", "made_up"),
    [
        ({"x-amzn-RequestId": "00000000-0000-0000-0000-000000000000"}, True),
        ({"x-amzn-requestid": "a2af9991-6a54-4e92-97b7-6dffff3fc043"}, False),
        ({"trace": "00000000-0000-0000-0000-000000000000"}, False),
        ({}, False),
    ],
)
def test_an_answer_whose_id_is_zeros_was_sent_by_nobody(headers: dict[str, str], made_up: bool) -> None:
    assert is_made_up(Exchange("bedrock", response=Response(200, headers, b"{}"))) is made_up
    assert not is_made_up(Exchange("bedrock"))


def test_no_recorded_form_names_data() -> None:
    names = [form for forms in packaged().values() for form in forms]
    assert names and all(len(name) < 250 and "://" not in name and "@" not in name for name in names)


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "coverage.json"
    assert main(["coverage", "unified", "--format", "json", "--out", str(data)]) == 0
    document = json.loads(data.read_text("utf-8"))
    assert set(document["providers"]) == {"unified"}
    assert coverage_markdown(document).startswith("# Coverage by form")
    assert main(["coverage", "unified", "--against", str(data)]) == 0
    assert "provider  side" in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_worse_than_before_is_an_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = {
        "host": "api.x.ai", "path": "/v1/chat/completions", "method": "POST", "status": 200, "fidelity": "wire",
        "request": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
        "response": {"id": "c", "object": "chat.completion", "choices": [], "wonder": [{"type": "new"}]},
    }  # fmt: skip
    traffic, before = tmp_path / "one.jsonl", tmp_path / "before.json"
    traffic.write_text(json.dumps(recording) + "\n")
    words = ["coverage", "xai", "--traffic", str(traffic), "--format", "json"]
    assert main([*words, "--out", str(before)]) == 0
    document = json.loads(before.read_text("utf-8"))
    uncovered = document["providers"]["xai"]["response"]["uncovered"]
    assert uncovered.pop("response.wonder") == {"forms": 4, "recorded": 1}
    before.write_text(json.dumps(document))
    assert main([*words, "--out", str(tmp_path / "now.json"), "--against", str(before)]) == 1
    assert "xai: not covered any more: response.wonder[type=new]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["openai-chad"], "did you mean 'openai-chat'?"),
        (["--traffic", "no-such-file.jsonl"], "no such file"),
        (["--against", "no-such-file.json"], "No such file"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", *words]) == 2
    assert complaint in capsys.readouterr().err
