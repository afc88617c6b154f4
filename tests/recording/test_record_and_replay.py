"""Recording with the official SDKs from our own server, and playing it again where there is no network."""

from __future__ import annotations

import importlib
import json
import re
from importlib import metadata
from pathlib import Path

import pytest
from commands import outcomes, replayed, run

from conformance.recordings.store import read_cassette
from conformance.responders.revisions import revision
from conformance.scenarios import load_scenarios
from conformance.version import VERSION

SDKS = {
    "openai-chat": ("openai", "openai"),
    "openai-responses": ("openai-responses", "openai"),
    "anthropic": ("anthropic", "anthropic"),
    "gemini": ("google-genai", "google-genai"),
    "ollama": ("ollama", "ollama"),
    "unified": ("reference", None),
}
"""By provider: the adapter, and the library whose version must be in the provenance."""
SCENARIO = "parallel_calls.one_fails"

NO_NETWORK = '''
import pathlib, socket

def refused(self, address):
    if self.family != socket.AF_UNIX:
        pathlib.Path(__file__).with_name("tried").write_text(str(address))
        raise OSError("there is no network in this test")

socket.socket.connect = socket.socket.connect_ex = refused
'''


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No worker may connect to anything. The file in the fixture's value is there when one tried."""
    folder = tmp_path / "offline"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NO_NETWORK, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder / "tried"


@pytest.mark.slow
@pytest.mark.parametrize("provider", SDKS)
def test_what_an_sdk_recorded_plays_without_a_network(tmp_path: Path, offline: Path, provider: str) -> None:
    adapter, library = SDKS[provider]
    folder = tmp_path / "cassettes"
    words = ["--provider", provider, "--adapter", adapter, "--scenario", SCENARIO]
    with pytest.MonkeyPatch.context() as online:
        online.delenv("PYTHONPATH")
        assert run("record", "--serve", *words, "--to", folder) == 0
    files = sorted(path.name for path in (folder / provider).iterdir())
    assert files == [f"{SCENARIO}.blocking.json", f"{SCENARIO}.stream.json"]
    for name in files:
        made = read_cassette(folder / provider / name).provenance
        assert made is not None
        assert (made.provider, made.origin, made.scenario) == (provider, "conformance serve", SCENARIO)
        assert made.delivery == name.split(".")[-2]
        assert made.adapter.startswith(f"{adapter} ")
        assert made.scenario_revision == revision(load_scenarios()[SCENARIO])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", made.recorded)
        assert made.scrub_version > 0
        assert made.suite == VERSION
        assert "python" in made.libraries
        if library is not None:
            assert made.libraries[library] == metadata.version(library)
    for player in {adapter, "reference"}:
        code, document = replayed(folder, player, "--provider", provider, "-j", "4")
        failed = {rule for rule, outcome in outcomes(document).items() if outcome not in ("pass", "warn")}
        limits = {"ollama.ids.optional", "common.stream.equivalent-to-non-stream"} if player == "ollama" else set()
        assert failed == limits, player
        assert code == (1 if limits else 0)
        assert outcomes(document)["common.http.as-recorded"] == "pass"
        recordings = document["run"]["recordings"]
        assert [item["file"] for item in recordings] == [f"{provider}/{name}" for name in files]
        assert all(item["age_days"] == 0 and "stale" not in item for item in recordings)
    assert not offline.exists()


@pytest.mark.slow
def test_the_network_is_really_off(tmp_path: Path, offline: Path) -> None:
    """Else the test above would say nothing."""
    words = ["--provider", "ollama", "--base-url", "http://127.0.0.1:9", "--scenario", SCENARIO]
    assert run("run", "--responder", "live", *words, "--delivery", "blocking") == 3
    assert offline.exists()


@pytest.mark.slow
def test_vcrpy_loads_what_was_recorded(tmp_path: Path) -> None:
    pytest.importorskip("vcr")
    persisters = importlib.import_module("vcr.persisters.filesystem")
    serializer = importlib.import_module("vcr.serializers.jsonserializer")
    assert run("record", "--serve", "--provider", "anthropic", "--scenario", SCENARIO, "--to", tmp_path) == 0
    for path in (tmp_path / "anthropic").iterdir():
        requests, responses = persisters.FilesystemPersister.load_cassette(str(path), serializer)
        ours = read_cassette(path).interactions
        assert [request.uri for request in requests] == [item.request.url for item in ours]
        assert [json.loads(request.body) for request in requests] == [json.loads(item.request.body) for item in ours]
        assert [bytes(answer["body"]["string"]) for answer in responses] == [item.body for item in ours]


@pytest.mark.slow
def test_streams_that_break_and_errors_in_them_are_kept(tmp_path: Path) -> None:
    words = ["--scenario", "errors.cut_after_text", "--scenario", "errors.stream_error_before_call"]
    words += ["--scenario", "errors.rate_limit"]
    assert run("record", "--serve", "--provider", "openai-chat", *words, "--to", tmp_path / "c") == 0
    folder = tmp_path / "c" / "openai-chat"
    [cut] = read_cassette(folder / "errors.cut_after_text.stream.json").interactions
    assert b"[DONE]" not in cut.body
    assert len(cut.chunks) > 1
    [error] = read_cassette(folder / "errors.stream_error_before_call.stream.json").interactions
    assert error.status == 200
    assert b'"error"' in error.body
    [refused] = read_cassette(folder / "errors.rate_limit.blocking.json").interactions
    assert refused.status == 429
    assert "retry-after" in dict(refused.headers)
    code, _ = replayed(tmp_path / "c", "--provider", "openai-chat")
    assert code == 0


@pytest.mark.slow
def test_one_line_says_what_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("record", "--serve", "--provider", "xai", "--scenario", SCENARIO, "--to", tmp_path / "c") == 0
    assert "recorded 2 cases" in capsys.readouterr().out
    replayed(tmp_path / "c")
    assert "2 recordings, the oldest 0 days old, from conformance serve" in capsys.readouterr().out


@pytest.mark.slow
def test_nothing_recorded_is_said_and_has_its_own_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c").mkdir()
    code, document = replayed(tmp_path / "c", "--provider", "xai")
    assert code == 4
    assert document["run"]["recordings"] == []
    assert "nothing was recorded of what is selected: record it with conformance record" in capsys.readouterr().out
    assert run("run", "--responder", "cassette", "--cassettes", tmp_path / "none") == 2
    assert "no such folder" in capsys.readouterr().err
