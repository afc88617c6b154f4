"""A file that cannot be used is one line and exit code 2, whatever it is; nothing is waited for that never comes."""

from __future__ import annotations

import gzip
import json
import os
import threading
from pathlib import Path

import pytest
import zstandard
from every import each

from conformance.cli import main
from conformance.documents import DocumentError, bytes_read, read_document
from conformance.schemas import problems
from conformance.wording import LineError, on_one_line

COMMANDS = {
    "run": ("run", "--scenario", "shell.success", "--baseline"),
    "report": ("report", "--out", "{folder}/out"),
    "diff": ("diff", "{folder}/other.json"),
    "judgements": ("report", "{folder}/other.json", "--out", "{folder}/out", "--judgements"),
    "coverage": ("coverage", "ollama", "--against"),
    "explain": ("explain", "reference/ollama/common.result.no-orphan", "--result"),
}
BAD = {
    "empty": b"", "bool": b"!!bool abc", "int": b"!!int ''", "date": b"!!timestamp x", "digits": b"9" * 5000,
    "deep": b"[" * 100_000, "utf8": b"\xff\xfe\x00", "lines": b'{"a\\nb\\u001b[31m": 1}',
    "surrogate": b'{"\\ud800": "\\ud800"}', "null": b"null", "nan": b'{"a": NaN}', "infinity": b"a: .inf",
    "twice": b'{"a": 1, "a": 2}', "mark": b"\xef\xbb\xbf", "utf16": '{"a": 1}'.encode("utf-16"), "nul": b"\0" * 100,
    "itself": b"&a [*a]", "program": b"!!python/object/apply:os.system [id]", "no key": b"? [a]\n: b\n",
    "version": b"%YAML 9.9\n---\na: 1\n", "sexagesimal": b"a: " + b"1:" * 3000 + b"1", "hex": b"a: 0x" + b"f" * 50_000,
    "documents": b"a: 1\n---\nb: 2\n", "flow": b"{a: " * 50_000, "sequence": b"- " * 50_000, "merge": b"<<: 1",
    "binary": b"a: !!binary '!!'", "aliases": b"a: &a [x, x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (letter, letter, b",".join([b"*%c" % (letter - 1)] * 9)) for letter in range(98, 110)
    ),
}  # fmt: skip


def said(command: str, path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a command says of a file that it refuses."""
    (folder / "other.json").write_text("{}")
    words = [word.format(folder=folder) for word in COMMANDS[command]]
    assert main([*words, str(path)]) == 2
    return capsys.readouterr().err.splitlines()


@each("kind", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_file_is_one_line(command: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.yaml"
    path.write_bytes(BAD[kind])
    [line] = said(command, path, tmp_path, capsys)
    assert line.startswith("conformance: ")
    assert line.isprintable()


@each("kind", [*BAD, "folder", "loop", "device"])
@pytest.mark.parametrize("command", ["audit", "secrets"])
def test_a_bad_file_of_traffic_is_a_line(
    command: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever its suffix says it is. It is no reason to read nothing more."""
    options = ["--secrets"] if command == "secrets" else ["--format", "json"]
    for suffix in (".yaml", ".json", ".jsonl"):
        path = tmp_path / f"in{suffix}"
        match kind:
            case "folder":
                path.mkdir()
            case "loop":
                path.symlink_to(path)
            case "device":
                path.symlink_to("/dev/zero")
            case _:
                path.write_bytes(BAD[kind])
        assert main(["audit", str(path), *options]) != 3
        assert len(capsys.readouterr().err.splitlines()) <= 1


@pytest.mark.slow
def test_what_bombs_unpack_to_is_bounded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line of 2 MB, and as many lines of nothing, in some kilobytes."""
    for suffix, packed in (("gz", gzip.compress(b" " * 2_000_000)), ("zst", zstandard.compress(b"\n" * 2_000_000))):
        path = tmp_path / f"bomb.jsonl.{suffix}"
        path.write_bytes(packed)
        assert main(["audit", str(path), "--format", "json"]) != 3
        assert json.loads(capsys.readouterr().out)["exchanges"] == 0


def test_traffic_that_counts_nothing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text("no json\n")
    assert main(["coverage", "ollama", "--traffic", str(path)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "in.jsonl:1: not JSON" in first
    assert "no exchange to count" in second


@pytest.mark.parametrize("command", COMMANDS)
def test_a_fifo_is_not_waited_for(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "fifo")
    [line] = said(command, tmp_path / "fifo", tmp_path, capsys)
    assert "fifo" in line or command == "diff"


def test_a_pipe_that_somebody_writes_to_is_read(tmp_path: Path) -> None:
    """As shells make them of ``<(...)``."""
    ours, theirs = os.pipe()
    writer = threading.Timer(0.1, lambda: (os.write(theirs, b'{"a": 1}'), os.close(theirs)))
    writer.start()
    assert bytes_read(Path(f"/dev/fd/{ours}"), 100) == b'{"a": 1}'
    writer.join()
    os.close(ours)


def test_a_device_without_end_is_read_to_the_bound() -> None:
    assert len(bytes_read(Path("/dev/zero"), 1000)) == 1001
    with pytest.raises(DocumentError, match="larger than"):
        read_document(Path("/dev/zero"))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="directory"):
        read_document(tmp_path)


def test_messages_are_lines() -> None:
    assert on_one_line("a \r\n b\x1b[1m\ud800é") == "a b\\x1b[1m\\ud800é"
    assert len(on_one_line("x" * 100_000)) < 1500
    assert on_one_line("begins" + "x" * 9000 + "ends").endswith("ends")
    assert str(LineError("a\nb")) == "a b"


def test_documents_with_lone_surrogates_are_checked() -> None:
    """JSON may hold them, also in names; what checks documents cannot."""
    assert [at for at, _ in problems("baseline", {"expected_failures": [], "\ud800": 1})] == [""]
    steps = '[{"user": "\\ud800"}, {"model": {"text": "\\ud800"}}]'
    document = json.loads(f'{{"title": "t", "rules": ["r"], "steps": {steps}}}')
    assert list(problems("scenario", document)) == []
