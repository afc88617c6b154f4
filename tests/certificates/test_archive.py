"""The archives of certificates come from strangers: whatever is wrong with one is one line, and nothing is written."""

from __future__ import annotations

import io
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.certificates.archive import (
    ABOUT,
    LOCK,
    MAX_FILE,
    NAMES,
    RESULT,
    TRANSCRIPT,
    ArchiveError,
    opened,
    read_archive,
    write_archive,
)
from conformance.cli import main

CONTENTS = {ABOUT: b"{}", RESULT: b"{}", TRANSCRIPT: b"", LOCK: b""}


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(made, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that stand twice
        for name, data in entries:
            archive.writestr(name, data)
    return made.getvalue()


def entry(name: str, mode: int) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    return made


ALL = tuple(CONTENTS.items())
GOOD = write_archive(CONTENTS)


def lying_about_its_size() -> bytes:
    """Its table of contents says that a file has no bytes."""
    data = bytearray(zipped((RESULT, b"0" * 1000), *[one for one in ALL if one[0] != RESULT]))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 1)
    return bytes(data)


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "it is no zip file"),
    "no zip": (lambda: b"GIF89a" * 100, "it is no zip file"),
    "cut": (lambda: GOOD[:-30], "it is no zip file"),
    "something behind it": (lambda: GOOD + b"#", "or something follows it"),
    "a path out of the folder": (lambda: zipped(*ALL, ("../../etc/cron.d/x", b"x")), "this holds"),
    "an absolute path": (lambda: zipped(*ALL[1:], ("/certificate.json", b"{}")), "this holds"),
    "a path of Windows": (lambda: zipped(*ALL[1:], ("..\\certificate.json", b"{}")), "this holds"),
    "a name twice": (lambda: zipped(*ALL, (RESULT, b"[]")), "this holds"),
    "a name is missing": (lambda: zipped(*ALL[1:]), "this holds"),
    "a folder": (lambda: zipped(*ALL, ("more/", b"")), "this holds"),
    "a link": (lambda: zipped((entry(ABOUT, stat.S_IFLNK | 0o777), b"/etc/passwd"), *ALL[1:]), "is no regular file"),
    "a device": (lambda: zipped((entry(ABOUT, stat.S_IFCHR | 0o666), b""), *ALL[1:]), "is no regular file"),
    "another method": (lambda: zipped(*ALL, method=zipfile.ZIP_BZIP2), "packed in a way"),
    "a bomb": (lambda: zipped((ABOUT, b"0" * (MAX_FILE[ABOUT] + 1)), *ALL[1:]), "has more than 1000000 bytes"),
    "a wrong size": (lying_about_its_size, "damaged"),
    "many names": (lambda: zipped(*((f"{number}", b"") for number in range(400))), "table of contents is larger"),
    "other bytes": (lambda: zipped(*ALL, method=zipfile.ZIP_STORED).replace(b"{}", b"[]", 1), "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_one_line_and_writes_nothing(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, words = HOSTILE[name]
    file = tmp_path / "a" / "b" / "hostile.zip"
    file.parent.mkdir(parents=True)
    file.write_bytes(made())
    monkeypatch.chdir(file.parent)
    assert main(["verify", "hostile.zip"]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [file]


@pytest.mark.parametrize(
    ("about", "words"),
    [
        (b"{", "certificate.json is no JSON"),
        (b"[" * 100_000, "certificate.json is no JSON"),
        (b"{}", "certificate.json: at /"),
        (b"\xff", "certificate.json is no JSON"),
        (b"null", "certificate.json: at /"),
        (b'{"schema": 1' + b"0" * 5000 + b"}", "certificate.json is no JSON"),
    ],
)
def test_what_is_no_certificate(about: bytes, words: str) -> None:
    with pytest.raises(ArchiveError, match=words) as raised:
        opened({**CONTENTS, ABOUT: about})
    assert "\n" not in str(raised.value)


def test_the_same_contents_are_the_same_bytes(tmp_path: Path) -> None:
    assert write_archive(CONTENTS) == write_archive(dict(reversed(CONTENTS.items())))
    (tmp_path / "good.zip").write_bytes(GOOD)
    assert read_archive(tmp_path / "good.zip") == CONTENTS
    assert tuple(read_archive(tmp_path / "good.zip")) == NAMES


def test_what_nobody_could_read_again_is_not_written() -> None:
    with pytest.raises(ArchiveError, match="choose fewer scenarios"):
        write_archive({**CONTENTS, LOCK: b"0" * (MAX_FILE[LOCK] + 1)})
