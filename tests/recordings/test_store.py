"""Cassette files: what is written is read again, what others wrote too, and nothing is ever half there."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from every import each
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import JSON, PROVENANCE, SSE, said, sse

from conformance.http import Request
from conformance.recordings import store
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.store import CassetteError, cassette_path, find_cassette, read_cassette, write_cassette

STREAM = sse({"a": "é"}, {"b": 2})
SAMPLES = {
    "plain": said(),
    "chunks": said(headers=SSE, chunks=(STREAM[:9], STREAM[9:10], STREAM[10:])),
    "inside a character": said(headers=SSE, chunks=("é".encode()[:1], "é".encode()[1:])),
    "cut": said(headers=SSE, chunks=(STREAM[:5],), ended="cut"),
    "no body": Interaction(Request("GET", "https://example.com/", {}), 204),
    "several of a header": said(headers=(*JSON, ("x-ratelimit", "1"), ("x-ratelimit", "2"))),
    "binary": said(answer=b"\x00\xff\xfe"),
    "binary request": said(b"\x80\x81"),
    "words of YAML": said(b"yes: no\n- &a *a\n\xe2\x80\xa8\x7f", b"---\n%YAML\ttab  \n\r\n \xef\xbb\xbf!!binary |"),
}


def again(path: Path, *interactions: Interaction) -> tuple[Interaction, ...]:
    """What is read of what was written."""
    return read_cassette(write_cassette(path, Cassette(interactions))).interactions


def lowered(interaction: Interaction) -> Interaction:
    """The interaction with its header names as they are read: in lower case."""
    headers = {name.lower(): value for name, value in interaction.request.headers.items()}
    return replace(interaction, request=replace(interaction.request, headers=headers))


@each("suffix", store.SUFFIXES)
@each("interaction", SAMPLES.values(), ids=SAMPLES)
def test_what_is_written_is_read(tmp_path: Path, interaction: Interaction, suffix: str) -> None:
    assert again(tmp_path / f"a{suffix}", interaction, interaction) == (lowered(interaction),) * 2


@given(
    body=st.binary() | st.text().map(str.encode), lengths=st.lists(st.integers(0, 20)),
    suffix=st.sampled_from(store.SUFFIXES), url=st.text(st.characters(exclude_categories=["Cs"])),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_any_bytes_in_any_chunks(tmp_path_factory: Any, body: bytes, lengths: list[int], suffix: str, url: str) -> None:
    chunks, rest = [], body
    for length in lengths:
        chunks.append(rest[:length])
        rest = rest[length:]
    chunks.append(rest)
    request = Request("POST", f"https://a/{url}", {"x": "y"}, body)
    interaction = Interaction(request, 200, JSON, tuple(chunks), "whole", "")
    assert again(tmp_path_factory.getbasetemp() / f"any{suffix}", interaction) == (interaction,)


def test_provenance_is_kept(tmp_path: Path) -> None:
    cassette = Cassette((said(),), PROVENANCE)
    for name in ("a.json", "a.yaml"):
        assert read_cassette(write_cassette(tmp_path / name, cassette)).provenance == PROVENANCE


def test_provenance_of_a_later_version_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    path = write_cassette(tmp_path / "a.json", Cassette((said(),), PROVENANCE))
    document = json.loads(path.read_text())
    document["conformance"]["provenance"]["weather"] = "fine"
    path.write_text(json.dumps(document))
    assert read_cassette(path).provenance == PROVENANCE


def test_binary_bodies_make_a_file_yaml(tmp_path: Path) -> None:
    path = cassette_path(tmp_path, "openai-chat", "shell/two", streaming=True)
    assert path == tmp_path / "openai-chat" / "shell" / "two.stream.json"
    assert write_cassette(path, Cassette((SAMPLES["plain"],))) == path
    assert write_cassette(path, Cassette((SAMPLES["plain"], SAMPLES["binary"]))) == path.with_suffix(".yaml")
    assert [item.name for item in path.parent.iterdir()] == ["two.stream.yaml"]
    assert find_cassette(path) == path.with_suffix(".yaml")
    assert find_cassette(path.with_name("other.json")) is None


def test_text_is_readable_in_the_file(tmp_path: Path) -> None:
    interaction = said({"q": "x"}, "{\"a\": \"日本\"}".encode(), headers=SSE)
    for name in ("a.json", "a.yaml"):
        assert "日本" in write_cassette(tmp_path / name, Cassette((interaction,))).read_text("utf-8")


# --- others' files ---------------------------------------------------------------------------------------------------


def others(**answered: Any) -> dict[str, Any]:
    """A cassette as other recorders write them."""
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "{}"}} | answered
    asked = {"method": "POST", "uri": "https://a/b", "headers": {"Accept": ["x", "y"]}, "body": "{}"}
    return {"version": 1, "interactions": [{"request": asked, "response": response}]}


@pytest.mark.parametrize("write", [json.dumps, yaml.safe_dump], ids=["json", "yaml"])
@pytest.mark.parametrize(
    ("answered", "chunks", "headers"),
    [
        ({}, (b"{}",), ()),
        ({"body": {"string": ""}}, (), ()),
        ({"body": {"string": None}}, (), ()),
        ({"body": {"base64_string": "e30="}}, (b"{}",), ()),
        ({"headers": {"Content-Encoding": ["gzip"], "Content-Length": "2", "X-A": ["1", "2"]}}, (b"{}",),
         (("x-a", "1"), ("x-a", "2"))),
        ({"status_code": 200, "status": None, "content": "{}", "body": None}, (b"{}",), ()),
    ],
)  # fmt: skip
def test_files_of_others(tmp_path: Path, write: Any, answered: Any, chunks: Any, headers: Any) -> None:
    path = tmp_path / ("a.json" if write is json.dumps else "a.yaml")
    path.write_text(write(others(**answered)))
    (interaction,) = read_cassette(path).interactions
    assert (interaction.chunks, interaction.headers, interaction.ended) == (chunks, headers, "whole")
    assert interaction.request.headers == {"accept": "x, y"}


def test_compressed_bodies_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    tape = others(headers={"Content-Encoding": ["gzip"]}, body={"string": gzip.compress(b"{}")})
    path.write_text(yaml.safe_dump(tape))
    assert read_cassette(path).interactions[0].chunks == (b"{}",)


BROKEN = {
    "not JSON": ("a.json", '{"interactions": [\n}', "line 2, column 1: not JSON"),
    "deep": ("a.json", '{"interactions": [' + "[" * 100_000, "not JSON"),
    "no list": ("a.json", '{"name": 1}', "not a cassette"),
    "not even an object": ("a.json", "[]", "not a cassette"),
    "no request": ("a.json", '{"interactions": [{}]}', "interaction 1: an interaction without request"),
    "no response": ("a.json", json.dumps({"interactions": [{"request": {"uri": "x"}}]}), "without response"),
    "no status": ("a.json", json.dumps(others(status=None)), "interaction 1: the response has no status"),
    "not UTF-8": ("a.json", '{"interactions": "\udcff"}', "not JSON"),
    "not YAML": ("a.yaml", "interactions:\n- [", "not YAML"),
    "a tag": ("a.yaml", "interactions:\n- !!python/object/apply:os.system [exit 3]", "interaction 1, line 2: the tag"),
    "a plain YAML file": ("a.yml", "name: CI\non: push\n", "not a cassette"),
    "another suffix": ("a.txt", "", "the suffix is none of"),
    "wrong chunks": ("a.json", json.dumps(others()).replace('"response"', '"conformance": {"chunks": [9]}, "response"'),
                     "interaction 1: the chunks have 9 bytes together, and the body 2"),
    "chunks of another kind": ("a.json", json.dumps(others()).replace(
        '"response"', '"conformance": {"chunks": [true, 1]}, "response"'), "no list of lengths"),
    "another ending": ("a.json", json.dumps(others()).replace(
        '"response"', '"conformance": {"chunks": [2], "ended": "so so"}, "response"'), "neither 'whole' nor 'cut'"),
    "a later format": ("a.json", json.dumps({**others(), "conformance": {"format": 2}}), "its format is 2"),
    "wrong provenance": ("a.json", json.dumps({**others(), "conformance": {"format": 1, "provenance": {"model": 1}}}),
                         "the provenance has no"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text", "why"), BROKEN.values(), ids=BROKEN)
def test_what_cannot_be_read_is_told_in_one_line(tmp_path: Path, name: str, text: str, why: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CassetteError) as caught:
        read_cassette(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert why in message
    assert "\n" not in message


def test_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_FILE", 100)
    path = tmp_path / "a.json"
    path.write_text(" " * 101)
    with pytest.raises(CassetteError, match="larger than 100 bytes"):
        read_cassette(path)
    with pytest.raises(CassetteError, match="No such file"):
        read_cassette(tmp_path / "b.json")


# --- nothing half-written --------------------------------------------------------------------------------------------


def untouched(folder: Path, before: bytes) -> None:
    """The earlier file is there as it was, and nothing else is."""
    assert [item.name for item in folder.iterdir()] == ["a.json"]
    assert (folder / "a.json").read_bytes() == before


@pytest.mark.parametrize(("where", "broken"), [(os, "fsync"), (Path, "replace"), (Path, "open")])
def test_a_failed_write_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any, broken: str
) -> None:
    path = write_cassette(tmp_path / "a.json", Cassette((said(),)))
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr(where, broken, fail)
        with pytest.raises(CassetteError, match=r"a\.json: cannot be written: No space left on device"):
            write_cassette(path, Cassette((said(), said())))
    untouched(tmp_path, before)


def test_an_interruption_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_cassette(tmp_path / "a.json", Cassette((said(),)))
    before = path.read_bytes()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_cassette(path, Cassette((said(), said())))
    untouched(tmp_path, before)


def test_a_full_disk_leaves_the_earlier_file(tmp_path: Path) -> None:
    path = write_cassette(tmp_path / "a.json", Cassette((said(),)))
    before = path.read_bytes()
    program = f"""
        import resource, signal, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from pathlib import Path
        from recorded import said
        from conformance.recordings.interaction import Cassette
        from conformance.recordings.store import CassetteError, write_cassette
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        try:
            write_cassette(Path({str(path)!r}), Cassette((said(answer=b"x" * 50_000),)))
        except CassetteError as problem:
            print(problem)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout == f"{path}: cannot be written: File too large\n"
    untouched(tmp_path, before)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20_000


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_is_told(tmp_path: Path) -> None:
    path = write_cassette(tmp_path / "a.json", Cassette((said(),)))
    before = path.read_bytes()
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(CassetteError, match="cannot be written: Permission denied"):
            write_cassette(path, Cassette((said(), said())))
    finally:
        tmp_path.chmod(0o700)
    untouched(tmp_path, before)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CassetteError, match="cannot be written"):
        write_cassette(tmp_path / "file" / "a.json", Cassette((said(),)))


def test_what_is_checked_and_refused_is_not_written(tmp_path: Path) -> None:
    def refuse(data: bytes) -> None:
        assert b"test-model" in data
        raise CassetteError(tmp_path, "no")

    with pytest.raises(CassetteError, match="no"):
        write_cassette(tmp_path / "a.json", Cassette((replace(said(), ended="cut"),)), refuse)
    assert list(tmp_path.iterdir()) == []
