"""``conformance export hosts``: what the files of hosts say, as one document; and the table of docs/hosts.md."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from conformance.cli import main
from conformance.export.hosts import hosts_document
from conformance.masking.door import masked_text
from conformance.schemas import problems, schema
from conformance.wires import card
from conformance.wires.host import KINDS, HostEvidence
from conformance.wires.hosts import hosts

ROOT = Path(__file__).resolve().parents[2]
GAPS = ROOT.parent / "shared" / "reference" / "GAPS.md"
sys.path[:0] = [str(ROOT / "tools" / "pages")]

import hosts as table  # noqa: E402


@pytest.fixture(scope="module")
def told() -> dict[str, dict[str, Any]]:
    """The document's hosts, by id."""
    document: Any = hosts_document()
    return {host["id"]: host for host in document["hosts"]}


def test_the_document_fits_its_schema() -> None:
    assert list(problems("hosts", hosts_document())) == []


@pytest.mark.parametrize(
    "change",
    [{"wire": None}, {"refuses": [{"what": "tools"}]}, {"address": {}}, {"likes": []}],
    ids=["no wire", "no source", "no address", "a kind that there is not"],
)
def test_the_schema_refuses_a_host_that_lacks_something(change: dict[str, Any]) -> None:
    document: Any = json.loads(json.dumps(hosts_document()))
    document["hosts"][0] |= change
    assert list(problems("hosts", document))


@pytest.mark.parametrize("part", ["evidence", "shape", "entry"])
def test_an_entry_has_the_form_that_it_has_in_a_file(part: str) -> None:
    own, file = ({**schema(name)["$defs"][part], "dependentSchemas": None} for name in ("hosts", "host"))
    assert own == file


def test_every_entry_of_every_file_is_there_with_its_source(told: dict[str, dict[str, Any]]) -> None:
    assert list(told) == list(hosts())
    for name, file in hosts().items():
        written = [(entry["what"], HostEvidence(**entry["evidence"])) for kind in KINDS for entry in told[name][kind]]
        assert written == [(entry.what, entry.evidence) for kind in KINDS for entry in file.of(kind)], name


def test_it_says_where_a_host_is_and_whose_format_it_speaks(told: dict[str, dict[str, Any]]) -> None:
    for name, one in told.items():
        assert (one["wire"], one["provider"]) == (card(name).format, card(name).provider)
        assert one["address"]["base_url"].startswith(("https://", "http://"))
        assert one["address"]["own_hosts"]
        assert one["authentication"]["header"]


def test_an_adapter_checks_its_request_with_it(told: dict[str, dict[str, Any]]) -> None:
    """As docs/hosts.md shows: a request of a kind that the host is known to refuse does not fit."""
    body = {
        "model": "llama-3.3-70b-versatile",
        "messages": [{"role": "user", "content": "hello"}],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
        "response_format": {"type": "json_object"},
    }
    looks = [entry["request"] for entry in told["groq"]["refuses"] if "request" in entry and "model" not in entry]
    assert not all(jsonschema_rs.is_valid(look, body) for look in looks)
    del body["response_format"]
    assert all(jsonschema_rs.is_valid(look, body) for look in looks)


def test_nothing_in_it_is_taken_for_a_secret() -> None:
    text = json.dumps(hosts_document(), ensure_ascii=False)
    assert masked_text(text) == text


# --- the command -----------------------------------------------------------------------------------------------------


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "hosts"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(hosts_document()))


def test_it_is_written_and_written_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hosts.json"
    assert main(["export", "hosts", "--out", str(file)]) == 0
    assert capsys.readouterr().out == f"{len(hosts())} hosts in {file}\n"
    first = file.read_bytes()
    assert main(["export", "hosts", "--out", str(file)]) == 0
    assert file.read_bytes() == first


@pytest.mark.parametrize(
    "words, said",
    [
        (("hosts", "--provider", "groq"), "export hosts takes neither --provider nor --scenario"),
        (("hosts", "--scenario", "*"), "export hosts takes neither --provider nor --scenario"),
        (("hosts", "--out", "."), "--out .: "),
        (("hosts", "--out", f"{__file__}/hosts.json"), "hosts.json: Not a directory"),
        (("suite",), "export needs --out DIR"),
        ((), "export needs --out DIR"),
    ],
)
def test_a_mistake_is_one_line(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *words]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


# --- the table -------------------------------------------------------------------------------------------------------


def test_the_table_is_of_today() -> None:
    assert table.stale() == [], "run python tools/publish.py hosts"


def test_a_host_that_was_not_counted_and_a_changed_file_make_it_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = {name: count for name, count in table.known().items() if name != "groq"}
    monkeypatch.setattr(table, "known", lambda: fewer)
    assert table.stale() == ["groq was not counted", "the table is not of the files"]


def test_each_published_bug_that_names_a_host_is_told_in_its_file() -> None:
    for name, threads in table.THREADS.items():
        cited = {entry.evidence.url.removeprefix("https://github.com/") for entry in hosts()[name].entries}
        assert set(threads) <= cited, name


@pytest.mark.parametrize(
    "name, counted, lack",
    [
        ("groq", table.HostCount(5, 0), ""),
        ("groq", table.HostCount(5, 1), "a recorded exchange is accused"),
        ("avian", table.HostCount(5, 0), "too few lines"),
    ],
)
def test_a_host_is_done_with_enough_lines_and_nothing_false(name: str, counted: table.HostCount, lack: str) -> None:
    assert table.lacking(hosts()[name], {name: counted}) == lack


def test_a_host_of_which_a_published_bug_is_not_told_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "THREADS", {"groq": ("some/thread/issues/1",)})
    assert table.lacking(hosts()["groq"], {"groq": table.HostCount()}) == "some/thread/issues/1 is not told"


def test_no_recorded_exchange_with_a_host_is_accused() -> None:
    assert {name: asdict(count) for name, count in table.known().items() if count.false} == {}


IN_GAPS = {
    "groq": "Groq", "mistral": "Mistral", "cerebras": "Cerebras", "moonshot": "Kimi", "openrouter": "OpenRouter",
    "minimax-anthropic": "MiniMax on its Anthropic", "xai": "xAI", "xai-responses": "xAI",
    "bedrock-anthropic": "Bedrock models", "copilot": "copilot", "copilot-chat": "copilot", "vllm": "vllm",
    "dashscope": "Qwen",
}  # fmt: skip


@pytest.mark.skipif(not GAPS.exists(), reason="the list of gaps lies beside the repository, and is not here")
def test_each_row_of_the_list_of_gaps_that_names_a_host_has_a_thread() -> None:
    rows = [line for line in GAPS.read_text("utf-8").splitlines() if re.match(r"\| \d+ \|", line)]
    for name, word in IN_GAPS.items():
        assert any(word in row for row in rows), f"{name}: {word} is in no row"
        assert table.THREADS[name]
    assert set(table.THREADS) == set(IN_GAPS)
