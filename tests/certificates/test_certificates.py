"""Certificates: issued, verified by playing the subject again, or by judging what it said."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from conformance.certificates.archive import ABOUT, LOCK, NAMES, RESULT, TRANSCRIPT, opened, read_archive, write_archive
from conformance.certificates.playback import key_of
from conformance.certificates.subjects import CannotPlayError, lock_text, packages_of, played_again
from conformance.cli import main

CASES = ("--provider", "ollama", "--scenario", "shell.success", "--scenario", "parallel_calls.two_reads", "-j", "1")
MINE = """
from conformance.adapters.reference import ReferenceAdapter

class Mine(ReferenceAdapter):
    pass
"""


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of the reference adapters."""
    file = tmp_path_factory.mktemp("certificates") / "reference.zip"
    assert main(["certificate", "reference", *CASES, "--out", str(file)]) == 0
    return file


def changed(file: Path, to: Path, **contents: bytes) -> Path:
    """The archive with other contents, and the hashes of those."""
    whole = read_archive(file) | contents
    about = json.loads(whole[ABOUT])
    about["files"] = {name: hashlib.sha256(whole[name]).hexdigest() for name in NAMES if name != ABOUT}
    to.write_bytes(write_archive({**whole, ABOUT: json.dumps(about).encode()}))
    return to


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    """What ``verify`` says."""
    capsys.readouterr()
    code = main(["verify", *words, "-j", "1"])
    return code, capsys.readouterr().out.splitlines()


@pytest.mark.slow
def test_a_certificate_holds_what_was_played_and_is_verified_both_ways(
    issued: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about, result = opened(read_archive(issued))
    assert (about["subject"]["address"], about["selection"]["providers"]) == ("reference", ["ollama"])
    assert about["exit_code"] == result["run"]["exit_code"] == 0
    assert b"pytest==" in read_archive(issued)[LOCK]
    judged = sum(cell["outcome"] in ("pass", "warn", "fail") for cell in result["cells"])
    code, lines = said(capsys, str(issued))
    assert (code, lines[0], lines[-1]) == (
        0, f"reference {about['subject']['version']} was played again", f"reproduced {judged} of {judged} cells",
    )  # fmt: skip
    code, lines = said(capsys, str(issued), "--transcript-only")
    assert (code, lines[0]) == (0, "transcript only: as it was asked for")
    assert lines[-1] == f"reproduced {judged} of {judged} cells"


@pytest.mark.slow
def test_a_result_that_says_something_else_is_found_out(
    issued: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = json.loads(read_archive(issued)[RESULT])
    cell = next(cell for cell in result["cells"] if cell["outcome"] == "pass")
    cell["outcome"] = "warn"
    forged = changed(issued, tmp_path / "forged.zip", **{RESULT: json.dumps(result).encode()})
    code, lines = said(capsys, str(forged))
    assert code == 1
    assert f"  ollama {cell['rule']}: warn then, pass now" in lines


@pytest.mark.slow
def test_a_subject_of_ones_own_is_played_where_its_user_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("certified_mine.py").write_text(MINE)
    assert main(["certificate", "certified_mine.py:Mine", *CASES, "--out", "mine.zip"]) == 0
    code, lines = said(capsys, "mine.zip")
    assert code == 0
    assert lines[0].startswith("transcript only: reference is no library of ours: say with --adapter where it is")
    code, lines = said(capsys, "mine.zip", "--adapter", "certified_mine.py:Mine")
    assert (code, lines[0].endswith("was played again")) == (0, True)


@pytest.mark.slow
def test_a_transcript_that_holds_nothing_compares_nothing(
    issued: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hello = next(line for line in read_archive(issued)[TRANSCRIPT].splitlines() if b'"initialize"' in line)
    empty = changed(issued, tmp_path / "empty.zip", **{TRANSCRIPT: hello + b"\n"})
    code, lines = said(capsys, str(empty), "--transcript-only")
    assert (code, lines[-1].startswith("reproduced 0 of")) == (4, True)


@pytest.mark.slow
@pytest.mark.parametrize("transcript", [b"", b"{", b"[]\n", b'{"method": "initialize", "said": [1], "params": {}}\n'])
def test_a_transcript_that_is_none_is_one_line(
    transcript: bytes, issued: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = changed(issued, tmp_path / "bad.zip", **{TRANSCRIPT: transcript})
    assert main(["verify", str(file), "--transcript-only"]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err


def subject(**more: str) -> dict[str, Any]:
    return {"address": "env:ollama@0.6.3", "name": "ollama", "version": "0.6.3", **more}


@pytest.mark.parametrize(
    ("about", "lock", "why"),
    [
        (subject(address="stdio:touch /tmp/x", name="x"), b"", "say with --adapter where it is"),
        (subject(address="python:os:system", name="x"), b"", "say with --adapter where it is"),
        (subject(address="../../mine.py", name="x"), b"", "say with --adapter where it is"),
        (subject(), b"--index-url=https://example.com\n", "a line of its lock file is none"),
        (subject(), b"ollama @ https://example.com/x.whl\n", "a line of its lock file is none"),
        (subject(), b"-r /etc/passwd\n", "a line of its lock file is none"),
        (subject(version="0.6.3 --pre"), b"", "the version of the subject is none"),
        (subject(address="env:ai-sdk-openai@1", name="x"), b"", "environments of kind node"),
    ],
)
def test_an_archive_chooses_neither_what_is_run_nor_what_is_installed(
    about: dict[str, Any], lock: bytes, why: str
) -> None:
    with pytest.raises(CannotPlayError, match=why), played_again(about, lock, None):
        pytest.fail("it was played")


def test_what_counts_for_nothing_when_something_is_asked_again() -> None:
    one = {"conversation": {"opaque": {"held": 3}}, "instance": 1, "endpoint": {"url": "a"}}
    other = {"conversation": {"opaque": {"held": 4}}, "instance": 2, "endpoint": {"url": "b"}}
    assert key_of("complete", one) == key_of("complete", other)
    assert key_of("complete", one) != key_of("run", one)


def test_a_lock_file_is_that_of_pip() -> None:
    assert "jsonschema-rs" in packages_of("reference")
    assert lock_text({"a": "1", "b-c": "2.0"}) == "a==1\nb-c==2.0\n"


def test_wrong_usage_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, why in (
        (["verify", str(tmp_path / "no.zip")], "No such file"),
        (["certificate", "reference", "--scenarios", ".", "--out", str(tmp_path / "x.zip")], "has our scenarios"),
        (["certificate", "reference", "--set", "1999-01", "--out", str(tmp_path / "x.zip")], "there is no set"),
        (["certificate", "no-such-one", "--out", str(tmp_path / "x.zip")], "no-such-one"),
    ):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert why in error
        assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
