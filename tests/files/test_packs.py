"""What is made of files is made once, and again when one has changed; without a cache it is made each time."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from conformance.files import packs
from conformance.files.packs import made_once


class Maker:
    """Reads a file as words, and counts how often."""

    def __init__(self, file: Path) -> None:
        self.file, self.times = file, 0

    def __call__(self) -> list[str]:
        self.times += 1
        return self.file.read_text().split()

    def made(self) -> object:
        return made_once("words", [self.file], self)


@pytest.fixture
def maker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Maker:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "words"
    file.write_text("one two")
    return Maker(file)


def kept() -> list[Path]:
    return sorted(packs.folder().iterdir())


def test_it_is_made_once(maker: Maker) -> None:
    assert [maker.made(), maker.made(), maker.times] == [["one", "two"], ["one", "two"], 1]


def test_it_is_made_again_when_a_file_has_changed(maker: Maker) -> None:
    maker.made()
    maker.file.write_text("three")
    assert maker.made() == ["three"]
    os.utime(maker.file, ns=(1, 1))
    assert (maker.made(), maker.times, len(kept())) == (["three"], 3, 1)


def test_it_is_made_again_by_another_version(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reproducible package gives the files of all versions one time."""
    maker.made()
    monkeypatch.setattr(packs, "VERSION", "another")
    assert (maker.made(), maker.times) == (["one", "two"], 2)


@pytest.mark.parametrize("data", [b"", b"{", b"0\n[]", b"\xff\xfe\n", None])
def test_what_is_broken_is_made_again(maker: Maker, data: bytes | None) -> None:
    maker.made()
    [file] = kept()
    sign = file.read_bytes().partition(b"\n")[0]
    file.write_bytes(sign + b"\n[" if data is None else data)
    assert (maker.made(), maker.made(), maker.times) == (["one", "two"], ["one", "two"], 2)


def test_what_somebody_else_wrote_does_not_count(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    maker.made()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert (maker.made(), maker.times) == (["one", "two"], 2)


def test_without_a_cache_it_is_made_each_time(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(maker.file))  # no folder
    assert (maker.made(), maker.made(), maker.times) == (["one", "two"], ["one", "two"], 2)


def test_what_nobody_made_for_long_is_removed(maker: Maker) -> None:
    maker.made()
    old = packs.folder() / "old.json"
    old.write_text("")
    long_ago = time.time() - packs.ABANDONED_SECONDS - 1
    os.utime(old, (long_ago, long_ago))
    maker.file.write_text("three")
    maker.made()
    assert old not in kept()
