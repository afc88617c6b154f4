"""No key gets out by any door: whatever an adapter or a client does, none is on the disk or on the screen."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from leaks import survivors, value

from conformance.cli import main
from conformance.server import Running, serving

KNOWN, WORDED, FORMED, SENT = (
    value("known", 40), f"fake-{value('worded', 20)}", f"sk-proj-{value('formed', 40)}", value("sent", 30)
)
"""A key of the environment, one that holds the word ``fake``, one that only its form tells, and one that only the place
tells where it is sent."""
EVERYWHERE = (KNOWN, WORDED, FORMED)

PLAYED = ("--scenario", "shell.success", "--delivery", "blocking", "--timeout", "20", "-j", "1")


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KNOWN)
    monkeypatch.setenv("SOMEONES_TOKEN", WORDED)


def said(*words: str) -> str:
    """What a command prints, on both streams."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
        contextlib.suppress(SystemExit),
    ):
        main(list(words))
    return out.getvalue() + err.getvalue()


def run(adapter: str, folder: Path) -> str:
    """Run an adapter, with each kind of file."""
    kinds = ("json", "jsonl", "md", "xml", "txt")
    files = [word for kind in kinds for word in ("--out", str(folder / f"result.{kind}"))]
    return said("run", f"python:leaking:{adapter}", *PLAYED, "-v", *files)


LATER: dict[str, Callable[[Path], list[str]]] = {
    "report": lambda folder: ["report", str(folder / "result.json"), "--out", str(folder / "page")],
    "diff": lambda folder: ["diff", str(folder / "result.json"), str(folder / "result.json"), "--format", "json"],
    "secrets": lambda folder: ["audit", "--secrets", str(folder / "result.json")],
}
"""What is made from a result."""


def cells(folder: Path) -> Iterator[list[str]]:
    """The commands that explain a failing cell."""
    file = folder / "result.json"
    failed = [cell for cell in json.loads(file.read_text())["cells"] if cell["failures"]]
    for cell in failed[:1]:
        name = f"{cell['adapter']}/{cell['provider']}/{cell['rule']}"
        for more in ([], ["--format", "json"], ["--script"]):
            yield ["explain", name, "--result", str(file), *more]


ADAPTERS = ("RaisesInBuild", "RaisesInParse", "Sends", "Understands", "Prints", "Named")


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_what_an_adapter_says(
    tmp_path: Path, keys: None, monkeypatch: pytest.MonkeyPatch, adapter: str
) -> None:
    sent = (*EVERYWHERE, SENT) if adapter == "Sends" else EVERYWHERE
    monkeypatch.setenv("LEAKS", "|".join(sent))
    shown = [run(adapter, tmp_path)]
    assert (tmp_path / "result.json").exists(), shown
    shown += [said(*words(tmp_path)) for words in LATER.values()]
    shown += [said(*words) for words in cells(tmp_path)]
    assert len(shown) == 1 + len(LATER) + 3
    (tmp_path / "screens.txt").write_text("\n".join(shown), "utf-8")
    assert survivors(tmp_path, sent) == []
    assert "secrets: none" in shown[3]
    assert json.loads(shown[2])["regressions"] == []
    assert json.loads(shown[5])["failures"]
    assert (tmp_path / "page" / "index.html").exists()


OTHERS = {
    "a package that is lacking": "python:leaking:LacksPackage",
    "a package, and what was sent before": "python:leaking:SendsThenLacks",
    "a time-out": "python:leaking:Hangs",
    "an agent": "python:leaking:Agent",
    "a program": f"stdio:{sys.executable} -c 'import os, sys; print(os.environ[\"LEAKS\"], file=sys.stderr); print(1)'",
}
"""Adapters that leak in other ways than a finding."""


@pytest.mark.slow
@pytest.mark.parametrize("address", OTHERS.values(), ids=OTHERS)
def test_what_other_adapters_say(
    tmp_path: Path, keys: None, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    sent = (*EVERYWHERE, SENT) if "SendsThen" in address else EVERYWHERE
    monkeypatch.setenv("LEAKS", "|".join(sent))
    out = str(tmp_path / "result.json")
    shown = said("run", address, *PLAYED[:-4], "--timeout", "2", "-j", "1", "-v", "--out", out)
    if (tmp_path / "result.json").exists():
        shown += said(*LATER["report"](tmp_path)) + (tmp_path / "result.json").read_text()
        assert (tmp_path / "page" / "index.html").exists()
    assert "…" in shown
    (tmp_path / "screens.txt").write_text(shown, "utf-8")
    assert survivors(tmp_path, sent) == []


@pytest.mark.slow
def test_what_keeps_an_adapter_from_being_loaded(
    tmp_path: Path, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAKS", "|".join(EVERYWHERE))
    (tmp_path / "screen.txt").write_text(run("FailsOnImport", tmp_path))
    assert "ValueError" in (tmp_path / "screen.txt").read_text()
    assert survivors(tmp_path, EVERYWHERE) == []


@pytest.mark.slow
def test_adapters_see_no_key(tmp_path: Path, keys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "short")
    run("Tells", tmp_path)
    assert "keys: []" in (tmp_path / "result.json").read_text()


MISTAKES: dict[str, list[str]] = {
    "a command": [FORMED],
    "an option": ["run", f"--{FORMED}"],
    "a choice": ["run", "--format", FORMED],
    "a rule": ["explain", f"common.{KNOWN}"],
    "a cell": ["explain", f"a/b/{FORMED}"],
    "a file": ["audit", f"/nowhere/{KNOWN}"],
    "an adapter": ["run", f"python:no.such:{KNOWN}"],
    "a scenario": ["run", "--scenario", FORMED],
    "a program": ["run", f"stdio:{KNOWN} --key {FORMED}"],
}


@pytest.mark.parametrize("words", MISTAKES.values(), ids=MISTAKES)
def test_mistakes_on_the_command_line(keys: None, words: list[str]) -> None:
    shown = said(*words)
    assert shown
    assert not any(secret[8:30] in shown for secret in EVERYWHERE), shown


# --- the server ------------------------------------------------------------------------------------------------------


@pytest.fixture
def server(keys: None) -> Iterator[Running]:
    with serving() as running:
        yield running


def ask(server: Running, secret: str) -> None:
    """A request that carries a secret everywhere, and breaks rules."""
    body = {"model": f"m-{secret}", secret: 1, "messages": [{"role": secret, "content": f"I am {secret}"}],
            "api_key": secret}  # fmt: skip
    base = server.url("openai-chat", "shell.success", session=f"s-{secret}")
    url = f"{base}/chat/completions?key={secret}&a={secret}"
    headers = {"Authorization": f"Bearer {secret}", "User-Agent": f"mine/1 {secret}", "x-other": secret}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with contextlib.suppress(OSError):
        urllib.request.urlopen(request, timeout=20).read()


def test_what_a_client_sends(tmp_path: Path, server: Running) -> None:
    from conformance.server.results import served_result

    for secret in (*EVERYWHERE, SENT):
        ask(server, secret)
    for page in ("findings", ""):
        shown = urllib.request.urlopen(f"{server.origin}/conformance/{page}", timeout=20).read()
        (tmp_path / f"page-{page}").write_bytes(shown)
    assert b"chat." in (tmp_path / "page-findings").read_bytes()
    scenarios = server.application.service.scenarios
    served_result(server.log, scenarios, command=f"serve {KNOWN}").write(tmp_path / "result.json")
    assert '"outcome": "fail"' in (tmp_path / "result.json").read_text()
    assert survivors(tmp_path, (*EVERYWHERE, SENT)) == []


# --- audits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["table", "json"])
def test_what_recordings_hold(tmp_path: Path, keys: None, kind: str) -> None:
    sent = (*EVERYWHERE, SENT)
    lines = [
        {
            "id": f"id-{secret}",
            "request": {"method": "POST", "url": f"https://api.openai.com/v1/chat/completions?key={secret}",
                        "headers": {"authorization": f"Bearer\t{secret}"}},
            "request_body": {"model": "m", "messages": [{"role": secret, "content": secret}], secret: secret},
            "response": {"status": 200},
        }
        for secret in sent
    ]  # fmt: skip
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "talk.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "screen").write_text(said("audit", str(file), "--format", kind, "-v"), "utf-8")
    (tmp_path / "out" / "search").write_text(said("audit", "--secrets", str(file), "--format", kind), "utf-8")
    assert survivors(tmp_path / "out", sent) == []


# --- what cannot be removed ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_key_that_cannot_be_removed_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "openai-chat")
    shown = run("Understands", tmp_path)
    assert "not written: the value of SOME_API_KEY stands in it where it cannot be removed" in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(("key", "told"), [("dummy", True), ("test-key", True), ("s3cret", True), (KNOWN, False)])
def test_short_keys_and_words_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, told: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("LEAKS", f"Authorization: Bearer {key}|api_key={key}|a {key} in words")
    shown = run("RaisesInBuild", tmp_path)
    what = "holds a short value or a word of ours: removed only where it stands as a credential"
    line = f"conformance: OPENAI_API_KEY {what}"
    assert (shown.splitlines().count(line) == 1) == told
    text = (tmp_path / "result.json").read_text()
    assert f"Bearer {key}" not in text
    assert f"api_key={key}" not in text
    assert (f"a {key} in words" in text) == told
