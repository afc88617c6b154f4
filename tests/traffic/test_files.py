"""Reading recorded traffic: every kind of file, and everything that can be wrong with one."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
import zstandard
from talk import PROVIDERS, Said, conversation, interaction, record, records, write_lines

from conformance.recordings import bodies, yaml_events
from conformance.traffic import files, jsonl
from conformance.traffic.files import find_files, read_file
from conformance.traffic.records import RecordedExchange, UnreadableRecord

SAID = conversation("openai-chat")[0]


def read(path: Path) -> list[RecordedExchange]:
    """The exchanges in a file in which all can be read."""
    found = list(read_file(path))
    assert all(isinstance(item, RecordedExchange) for item in found), found
    return [item for item in found if isinstance(item, RecordedExchange)]


def unread(path: Path) -> list[tuple[int, str]]:
    """Line and reason of what cannot be read in a file."""
    return [(item.line, item.why) for item in read_file(path) if isinstance(item, UnreadableRecord)]


def as_har(talk: list[Said], provider: str) -> dict[str, Any]:
    """An archive of a conversation."""
    entries = []
    for said in talk:
        kept = interaction(said, provider)
        entries.append(
            {
                "request": {
                    "method": "POST", "url": kept["request"]["uri"],
                    "headers": [{"name": "Content-Type", "value": "application/json"}],
                    "postData": {"mimeType": "application/json", "text": kept["request"]["body"]},
                },
                "response": {
                    "status": 200, "headers": [{"name": "Content-Type", "value": said.content_type}],
                    "content": {"text": base64.b64encode(said.answer).decode(), "encoding": "base64"},
                },
            }
        )  # fmt: skip
    return {"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": entries}}


# --- the same exchanges in every kind of file ------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True], ids=["blocking", "stream"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_all_kinds_of_file_say_the_same(tmp_path: Path, provider: str, stream: bool) -> None:
    talk = conversation(provider, stream=stream)
    tape = {"interactions": [interaction(said, provider) for said in talk], "version": 1}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(tape))
    (tmp_path / "b.json").write_text(json.dumps(tape, indent=2))
    (tmp_path / "c.har").write_text(json.dumps(as_har(talk, provider)))
    write_lines(tmp_path / "d.jsonl", records(provider, stream=stream))
    for path in list(tmp_path.iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
    for path in find_files([tmp_path]):
        found = read(path)
        assert [json.loads(item.request.body) for item in found if item.request] == [said.sent for said in talk], path
        if stream:
            assert [item.body for item in found] == [said.answer for said in talk], path
        else:
            answers = [json.loads(item.body or b"") for item in found]
            assert answers == [json.loads(said.answer) for said in talk], path
    assert len(find_files([tmp_path])) == 8


def test_lines_and_hosts_are_told(tmp_path: Path) -> None:
    tape = {"interactions": [interaction(SAID, "openai-chat")] * 2, "version": 1}
    text = json.dumps(tape, indent=1)
    (tmp_path / "a.json").write_text(text)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line == "  {"]
    found = read(tmp_path / "a.json")
    assert [item.line for item in found] == lines
    assert {item.host for item in found} == {"api.openai.com"}


# --- JSON Lines ------------------------------------------------------------------------------------------------------


def test_bad_lines_are_named_and_the_others_read(tmp_path: Path) -> None:
    good = json.dumps(record(SAID, "openai-chat"))
    path = tmp_path / "a.jsonl"
    path.write_text(f'{good}\n{{"id": \n[1]\n\n{{"id": 1}}\n{"[" * 100_000}\n{good}\n')
    found = list(read_file(path))
    assert [isinstance(item, RecordedExchange) for item in found] == [True, False, False, False, False, True]
    assert [line for line, _ in unread(path)] == [2, 3, 5, 6]
    assert [why.split(":")[0] for _, why in unread(path)] == [
        "not JSON", "not an object", "neither request nor response", "nested too deeply",
    ]  # fmt: skip


def test_a_line_that_is_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_RECORD", 10_000)
    path = tmp_path / "a.jsonl"
    path.write_text("x" * 35_000 + "\n" + json.dumps(record(SAID, "openai-chat")) + "\n")
    first, second = read_file(path)
    assert first == UnreadableRecord(str(path), 1, "longer than 10000 bytes")
    assert isinstance(second, RecordedExchange)
    assert second.line == 2


def test_a_cut_archive_is_named_after_what_could_be_read(tmp_path: Path) -> None:
    lines = "".join(json.dumps(record(SAID, "openai-chat", number=number)) + "\n" for number in range(200))
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(lines.encode())[:-40])
    *whole, last = read_file(path)
    assert whole
    assert isinstance(last, UnreadableRecord)
    assert "cannot be read to its end" in last.why or "not JSON" in last.why


# --- cassettes -------------------------------------------------------------------------------------------------------

TAGS = """
interactions:
- !!python/object/apply:os.system ["exit 3"]
- request: {uri: !!python/name:os.system "", method: POST}
  response: {status: {code: 200}}
- request: {uri: !!python/unicode "https://api.openai.com/v1/chat/completions", method: POST, body: !!binary "e30="}
  response: {status: {code: 200, message: OK}, headers: {}, body: {string: !!python/unicode "{}"}}
"""


def test_strangers_tags_construct_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(TAGS)
    one, two, three = read_file(path)
    assert one == UnreadableRecord(
        str(path), 3, "the tag tag:yaml.org,2002:python/object/apply:os.system is not plain data"
    )
    assert two == UnreadableRecord(str(path), 4, "the tag tag:yaml.org,2002:python/name:os.system is not plain data")
    assert isinstance(three, RecordedExchange)
    assert three.request is not None
    assert (three.request.body, three.body, three.line) == (b"{}", b"{}", 6)


def test_aliases_repeat_a_value_but_do_not_explode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_events, "MAX_RECORD", 100_000)
    bombs = "\n".join(f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))
    path = tmp_path / "a.yaml"
    path.write_text(f"interactions:\n- lol:\n  - &a0 [lol, lol]\n{bombs}\n- &loop [*loop]\n- *a0\n")
    one, two, three = read_file(path)
    assert isinstance(one, UnreadableRecord)
    assert one.why == "larger than 100000 bytes"
    assert isinstance(two, UnreadableRecord)
    assert two.why == "the alias 'loop' has no value yet"
    assert isinstance(three, UnreadableRecord)  # the shared value itself is plain, and no interaction
    assert three.why == "an interaction without request"


def test_depth_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("interactions:\n- " + "[" * 5_000 + "]" * 5_000 + "\n")
    assert unread(path) == [(2, "deeper than 200 levels")]


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        ({"base64_string": base64.b64encode(SAID.answer).decode()}, ""),
        ({"encoding": "utf-8", "string": SAID.answer.decode()}, ""),
        (SAID.answer.decode(), "gzip"),  # the recorder has unpacked it and kept the header
        ({"base64_string": base64.b64encode(gzip.compress(SAID.answer, mtime=0)).decode()}, "gzip"),
        ({"base64_string": base64.b64encode(zlib.compress(SAID.answer)).decode()}, "deflate"),
    ],
)
def test_bodies(tmp_path: Path, body: Any, coding: str) -> None:
    kept = interaction(SAID, "openai-chat")
    kept["response"] |= {"body": body, "headers": {"Content-Encoding": [coding]}}
    path = tmp_path / "a.yml"
    path.write_text(yaml.safe_dump({"interactions": [kept]}))
    assert [item.body for item in read(path)] == [SAID.answer]


def test_decoded_bodies_and_relatives_of_vcrpy(tmp_path: Path) -> None:
    kept = interaction(SAID, "openai-chat")
    parsed = {
        "request": {**kept["request"], "body": None, "parsed_body": SAID.sent},
        "response": {**kept["response"], "body": None, "parsed_body": json.loads(SAID.answer)},
    }
    url, sent = kept["request"]["uri"], kept["request"]["body"]
    go = {"request": {"url": url, "method": "POST", "body": sent}, "response": {"code": 200, "body": "{}"}}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({"interactions": [parsed, go]}))
    (tmp_path / "b.yaml").write_text(yaml.safe_dump({"http_interactions": [kept], "recorded_with": "VCR 6.0.0"}))
    one, two = read(tmp_path / "a.yaml")
    assert json.loads(one.body or b"") == json.loads(SAID.answer)
    assert one.request is not None
    assert json.loads(one.request.body) == SAID.sent
    assert (two.status, two.body) == (200, b"{}")
    assert [item.body for item in read(tmp_path / "b.yaml")] == [SAID.answer]


def test_bodies_that_cannot_be_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MAX_RECORD", 1_000)
    packed = [(b"\xff\xfe\x80", "br"), (b"\xff\xfe\x80", "gzip"), (gzip.compress(b"a" * 5_000, mtime=0), "gzip")]
    tape = []
    for body, coding in packed:
        kept = interaction(SAID, "openai-chat")
        kept["response"] |= {"body": {"string": body}, "headers": {"content-encoding": [coding]}}
        tape.append(kept)
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({"interactions": tape}))
    assert [why for _, why in unread(tmp_path / "a.yaml")] == [
        "the body cannot be unpacked", "the body cannot be unpacked",
        "the body is larger than 1000 bytes when it is unpacked",
    ]  # fmt: skip


# --- what is no recording at all -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "line", "why"),
    [
        ("a.yaml", "a: [1\nb: }", 2, "not YAML"),
        ("a.yaml", "name: CI\non: push\n", 1, "not a cassette"),
        ("a.yaml", "", 1, "not a cassette"),
        ("a.json", '{"name": "package"}', 1, "neither a cassette nor an archive nor an exchange"),
        ("a.json", '{"interactions": [\n1,\n{"request": }]}', 2, "an interaction without request"),
        ("a.har", '{"log": {"entries": [{}]}}', 1, "the request has no URL"),
        ("a.json", "[" * 100_000, 1, "nested too deeply"),
        ("a.txt", "hello", 1, "the suffix is none of"),
        ("a.json", "\xff", 1, "not"),
    ],
)
def test_other_files_are_named(tmp_path: Path, name: str, text: str, line: int, why: str) -> None:
    path = tmp_path / name
    path.write_text(text, "latin-1")
    found = unread(path)
    assert found[0][0] == line
    assert found[0][1].startswith(why)


def test_a_broken_document_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"interactions": [interaction(SAID, "openai-chat")]})[:-2] + ",\n{")
    first, second = read_file(path)
    assert isinstance(first, RecordedExchange)
    assert isinstance(second, UnreadableRecord)
    assert (second.line, second.why.split(":")[0]) == (2, "not JSON")


def test_a_document_that_is_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DOCUMENT", 100)
    (tmp_path / "a.json").write_text(" " * 101)
    assert unread(tmp_path / "a.json") == [(1, "larger than 100 bytes")]


def test_folders_are_walked_for_known_kinds_only(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    write_lines(tmp_path / "deep" / "er" / "a.jsonl", [record(SAID, "openai-chat")])
    (tmp_path / "deep" / "README.md").write_text("hello")
    assert find_files([tmp_path, tmp_path]) == [tmp_path / "deep" / "er" / "a.jsonl"]


def test_one_exchange_or_a_list_of_them_as_json(tmp_path: Path) -> None:
    one = record(SAID, "openai-chat")
    (tmp_path / "a.json").write_text(json.dumps(one))
    (tmp_path / "b.json").write_text(json.dumps([one, interaction(SAID, "openai-chat")]))
    assert len(read(tmp_path / "a.json")) == 1
    assert len(read(tmp_path / "b.json")) == 2


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstandard.compress)])
def test_packed_files_are_read(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    plain = write_lines(tmp_path / "a.jsonl", [record(SAID, "openai-chat")])
    packed = tmp_path / f"b.jsonl{suffix}"
    packed.write_bytes(pack(plain.read_bytes()) * 2)  # two frames, as tools that add to a file write them
    assert len(read(packed)) == 2
    packed.write_bytes(pack(plain.read_bytes())[:-9])
    assert unread(packed)[-1][1].startswith(("cannot be read to its end", "not JSON"))
