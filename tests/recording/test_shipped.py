"""The cassettes that come with the package: complete, of today's scenarios, without secrets, and they play."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Document, outcomes, replayed, result_of, run
from every import of_every

from conformance.engine.cases import fits
from conformance.recordings.emptiness import why_empty
from conformance.recordings.interaction import Cassette
from conformance.recordings.shipped import cassette_root
from conformance.recordings.store import read_cassette
from conformance.responders.revisions import is_stale
from conformance.scenarios import load_scenarios
from conformance.wires import PROVIDERS, wire

ROOT = Path(__file__).resolve().parents[2] / "cassettes"
sys.path.append(str(ROOT.parent / "tools"))

from record_cassettes import ADAPTERS, SCENARIOS  # noqa: E402

FAMILIES = sorted({scenario.family for scenario in load_scenarios().values()})
LIMITS = {"ollama": {"ollama.ids.optional", "common.stream.equivalent-to-non-stream"}}
"""What an SDK cannot do, by the adapter around it."""


def shipped() -> Iterator[tuple[Path, Cassette]]:
    """Every file."""
    for path in sorted(ROOT.rglob("*")):
        if path.is_file() and path.name != "README.md":
            yield path, read_cassette(path)


CASSETTES = list(shipped())


@of_every({f"{family} on {provider}": (family, provider) for family in FAMILIES for provider in PROVIDERS})
def test_every_family_is_recorded_on_every_provider(family: str, provider: str) -> None:
    """Those of `SCENARIOS` that the provider can play. What is left out, cassettes/README.md tells."""
    chosen = [one for one in load_scenarios().values() if one.id in SCENARIOS and one.family == family]
    played = [one for one in chosen if fits(one, provider, "portable")]
    files = list((ROOT / provider).glob(f"{family}.*"))
    kinds = {path.name.split(".")[-2] for path in files}
    if family != "quirks" and not played:
        assert kinds == set()
    else:
        assert kinds == ({"blocking"} if (family, provider) == ("reasoning", "gemini") else {"blocking", "stream"})


def test_every_cassette_says_where_it_comes_from() -> None:
    scenarios = load_scenarios()
    for path, cassette in CASSETTES:
        made = cassette.provenance
        assert made is not None, path
        assert made.provider == path.parent.name
        assert path.name == f"{made.scenario}.{made.delivery}{path.suffix}"
        assert made.origin == "conformance serve"
        assert made.adapter.partition(" ")[0] == ADAPTERS[made.provider]
        assert not is_stale(made, scenarios[made.scenario]), f"{path}: python tools/record_cassettes.py --again"


def test_every_cassette_holds_something() -> None:
    assert len(CASSETTES) > 400
    assert sum(path.stat().st_size for path, _ in CASSETTES) < 4_500_000
    for path, cassette in CASSETTES:
        assert cassette.interactions, path
        for interaction in cassette.interactions:
            assert why_empty(interaction) is None, path
            assert interaction.request.url.startswith(("https://", "http://localhost:11434/")), path
    assert {name for name in SCENARIOS if not list(ROOT.glob(f"*/{name}.*"))} == set()


def test_streams_are_in_pieces() -> None:
    streams = [(path, cassette) for path, cassette in CASSETTES if path.name.split(".")[-2] == "stream"]
    in_pieces = [path for path, cassette in streams if any(len(item.chunks) > 1 for item in cassette.interactions)]
    assert len(in_pieces) > 0.8 * len(streams)
    for path, cassette in streams:
        speaker = wire(path.parent.name)
        assert all(speaker.facts(item.request).stream for item in cassette.interactions), path


def test_the_package_finds_them() -> None:
    assert (cassette_root() / "openai-chat").is_dir()


@pytest.mark.slow
def test_the_reference_adapter_passes_on_all_of_them(tmp_path: Path) -> None:
    """In their own chunks, and byte by byte."""
    words = ["--delivery", "blocking", "--delivery", "stream:as-sent", "--delivery", "stream:per-byte"]
    words += ["--profile", "portable"]  # it plays all that they are recordings of
    code, document = result_of(tmp_path / "r.json", "--responder", "cassette", "--cassettes", ROOT, "-j", "2", *words)
    assert code == 0
    assert failed(document) == set()
    assert {one["provider"] for one in document["cells"] if one["outcome"] == "pass"} == set(PROVIDERS)
    assert len(document["run"]["recordings"]) == len(CASSETTES)


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ["openai", "openai-responses", "anthropic", "google-genai", "ollama"])
def test_the_sdks_pass_on_their_own(tmp_path: Path, adapter: str) -> None:
    words = ["--responder", "cassette", "--cassettes", ROOT, "--delivery", "blocking", "--delivery", "stream:as-sent"]
    code, document = result_of(tmp_path / "r.json", adapter, *words)
    assert failed(document) == LIMITS.get(adapter, set())
    assert code == (1 if adapter in LIMITS else 0)
    assert outcomes(document)["common.http.as-recorded"] == "pass"


def failed(document: Document) -> set[str]:
    """The rules that did not pass."""
    return {one["rule"] for one in document["cells"] if one["outcome"] not in ("pass", "warn", "not_applicable")}


@pytest.mark.slow
def test_an_audit_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("audit", ROOT, "--secrets") == 0
    capsys.readouterr()
    assert run("audit", ROOT) == 0
    assert capsys.readouterr().out.endswith("findings: 2 should\n")  # see cassettes/README.md


@pytest.mark.slow
def test_another_adapter_cannot_pass_by_chance(tmp_path: Path) -> None:
    """Azure's recordings are none of OpenAI's: the path is another."""
    folder = tmp_path / "c" / "openai-chat"
    folder.mkdir(parents=True)
    name = "shell.success.blocking.json"
    (folder / name).write_bytes((ROOT / "azure" / name).read_bytes())
    code, document = replayed(tmp_path / "c", "--provider", "openai-chat")
    assert code == 1
    assert outcomes(document)["common.http.as-recorded"] == "fail"
