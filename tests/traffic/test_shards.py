"""An audit that many do finds what one finds: by shards, by processes, and after a kill."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from talk import conversation, record, write_lines

from conformance.cli import main
from conformance.traffic import pool, stretches
from conformance.traffic.jsonl import TrafficLines
from conformance.traffic.parts import PartError, PartWriter
from conformance.traffic.shards import AuditOrder, JudgedStretch, dealt, judged_stretches, merged, order_of
from conformance.traffic.stretches import placed_records

CUT, KNOWN = 6_000, 3_000
"""Sizes of stretches for the tests: some three exchanges, and what is known of those before."""


def talk(number: int, provider: str = "openai-chat") -> list[dict[str, Any]]:
    """A conversation whose second request answers a call that was not made."""
    lines = [
        record(said, provider, number=number * 10 + place, conversation=f"c{number}", turn=place)
        for place, said in enumerate(conversation(provider))
    ]
    lines[1]["request"]["messages"][2]["tool_call_id"] = f"call_nobody{number}"
    return lines


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Three files that are cut into small stretches: with conversations beside each other, with damage, a document."""
    monkeypatch.setattr(stretches, "STRETCH", CUT)
    monkeypatch.setattr(stretches, "MEMORY", KNOWN)
    beside = [line for pair in zip(talk(1), talk(2), talk(3), strict=True) for line in pair]
    one = write_lines(tmp_path / "a.jsonl", [*beside, *talk(4), *talk(5)])
    one.write_bytes(one.read_bytes() + b"{\n\n")
    two = tmp_path / "b.jsonl.gz"
    two.write_bytes(gzip.compress(one.read_bytes()))
    three = tmp_path / "c.json"
    three.write_text(json.dumps(talk(6)), "utf-8")
    return [one, two, three]


def found(order: AuditOrder) -> list[JudgedStretch]:
    """What one run finds."""
    return list(judged_stretches(order))


def test_stretches_know_what_came_before(files: list[Path]) -> None:
    """The second turns of conversations that go on in another stretch are linked, and one too far away is not."""
    whole = found(order_of(files[:1]))
    assert len(whole) > 2
    sides = [finding["side"] for stretch in whole for finding in stretch.findings]
    assert "relation" in sides
    assert sum(stretch.exchanges for stretch in whole) == 10


@pytest.mark.parametrize("count", [2, 3, 7])
def test_shards_find_what_one_finds(files: list[Path], count: int) -> None:
    order = order_of(files)
    shards = [found(shard) for shard in order.shards(count)]
    assert list(merged(shards)) == found(order)
    assert sum(map(bool, shards)) >= 2, "one shard did all"


def test_a_stretch_is_judged_alike_by_who_read_the_one_before_and_who_did_not(files: list[Path]) -> None:
    order = order_of(files[:1])
    for stretch in found(order):
        before = (0, stretch.number - 1)
        assert next(judged_stretches(order, before)) == stretch


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
def test_every_line_is_in_one_stretch(tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: Any) -> None:
    """Whatever the stretches that are wanted, and whether lines are passed over or read: with the same number."""
    monkeypatch.setattr(stretches, "STRETCH", 50)
    monkeypatch.setattr(stretches, "MEMORY", 20)
    lines = b"".join(b'{"request":{"n":%d}}%s\n' % (n, b" " * (n * 7 % 90)) for n in range(40)) + b"{}"
    path = tmp_path / f"a.jsonl{ {bytes: '', gzip.compress: '.gz'}.get(pack, '.zst')}"  # type: ignore[call-overload]
    path.write_bytes(pack(lines))
    whole = [(item.stretch, item.record.line) for item in placed_records(path, stretches.every_stretch)]
    assert [line for _, line in whole] == list(range(1, 42))
    for of in (2, 3, 5):
        parts = [
            (item.stretch, item.record.line)
            for residue in range(of)
            for item in placed_records(path, lambda number, of=of, residue=residue: number % of == residue)
            if item.judged
        ]
        assert sorted(parts) == whole


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=12), st.integers(0, 90))
def test_passing_over_lines_counts_like_reading_them(lines: list[bytes], to: int) -> None:
    data = b"\n".join(lines)
    skipping, reading = TrafficLines(io.BytesIO(data), "a"), TrafficLines(io.BytesIO(data), "a")
    skipping.skip(to)
    while reading.at < to and not reading.ended:
        reading.read()
    assert skipping.at == reading.at
    assert skipping.line == reading.line or reading.at == len(data), "after the last line nothing has a number"


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=40), st.integers(1, 12))
def test_every_file_is_dealt(sizes: list[int], of: int) -> None:
    """Each file to a shard, a large one to many, and no shard has far more than its share."""
    order = AuditOrder(tuple((f"{n}.jsonl", size) for n, size in enumerate(sizes)), of=of)
    shares = dict.fromkeys(range(1, of + 1), 0.0)
    for (_, size), shards in zip(order.files, dealt(order), strict=True):
        assert shards
        for shard in shards:
            shares[shard] += size / len(shards)
    fair = sum(sizes) / of  # a part has at most half of it, but for one file that is larger than all others: the whole
    assert max(shares.values()) <= fair / 2 * (-(-len(sizes) // of) + 3) + 1


# --- commands ---------------------------------------------------------------------------------------------------------


def out_of(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    """The exit code of a command, and what it prints."""
    code = main([str(word) for word in words])
    return code, capsys.readouterr().out


@pytest.mark.parametrize("form", ["json", "jsonl", "table"])
def test_merging_tells_what_one_audit_tells(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    whole = out_of(capsys, "audit", *files, "--format", form)
    parts = [tmp_path / f"part{number}" for number in (2, 1, 3)]
    for part in parts:
        assert main(["audit", *map(str, files), "--shard", f"{part.name[-1]}/3", "--out", str(part)]) == 0
    capsys.readouterr()
    assert out_of(capsys, "merge", *parts, "--format", form) == whole
    assert whole[0] == 1


def test_parts_that_do_not_belong_together(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, other = tmp_path / "a", tmp_path / "b", tmp_path / "other"
    for path, shard, chosen in ((a, "1/2", files), (b, "2/2", files), (other, "2/2", files[:1])):
        assert main(["audit", *map(str, chosen), "--shard", shard, "--out", str(path)]) == 0

    def complaint(*parts: Path) -> str:
        capsys.readouterr()
        assert main(["merge", *map(str, parts)]) == 2
        return capsys.readouterr().err

    assert "no part of shard 2/2" in complaint(a)
    assert "is of another audit than" in complaint(a, other)
    assert "is of shard 1/2 too" in complaint(a, b, tmp_path / "." / ".." / tmp_path.name / "a")
    b.write_bytes(b.read_bytes().rpartition(b'{"kind":"end"')[0])
    assert "its shard has not ended" in complaint(a, b)
    b.write_bytes(b"{}\n")
    assert "no part of an audit" in complaint(a, b)


def test_what_is_no_shard(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--shard", "1/2"], ["--shard", "1/2", "--out", "x", "--jobs", "2"], ["--out", "a.csv"]):
        assert main(["audit", str(files[0]), *words]) == 2
    with pytest.raises(SystemExit):
        main(["audit", str(files[0]), "--shard", "3/2"])
    assert "is not I/N" in capsys.readouterr().err


# --- kills ------------------------------------------------------------------------------------------------------------


def test_a_checkpoint_is_gone_on_with(
    files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off at any byte, it loses nothing, and what is in it is not judged again."""
    whole = out_of(capsys, "audit", *files, "--format", "json")
    kept = tmp_path / "kept"
    assert out_of(capsys, "audit", *files, "--format", "json", "--checkpoint", kept) == whole
    data = kept.read_bytes()
    done: list[object] = []

    def counted(order: AuditOrder, after: Any = None) -> Iterator[JudgedStretch]:
        for stretch in judged_stretches(order, after):
            done.append(stretch)
            yield stretch

    monkeypatch.setattr(pool, "judged_stretches", counted)

    def stretches_in(part: bytes) -> int:
        return sum(line.startswith(b'{"kind":"stretch"') and line.endswith(b"\n") for line in part.splitlines(True))

    for end in range(0, len(data) + 1, len(data) // 7):
        kept.write_bytes(data[:end])
        done.clear()
        assert out_of(capsys, "audit", *files, "--format", "json", "--checkpoint", kept) == whole
        assert kept.read_bytes() == data
        assert len(done) == stretches_in(data) - stretches_in(data[:end])


def test_a_checkpoint_of_other_work(files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept"
    main(["audit", str(files[0]), "--checkpoint", str(kept)])
    capsys.readouterr()
    assert main(["audit", str(files[2]), "--checkpoint", str(kept)]) == 2
    assert "it was made of other files, rules or shards" in capsys.readouterr().err
    notes = tmp_path / "notes.txt"
    notes.write_text("mine\n")
    assert main(["audit", str(files[0]), "--checkpoint", str(notes)]) == 2
    assert notes.read_text() == "mine\n"


@pytest.mark.slow
def test_processes_find_what_one_finds_and_a_killed_one_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write_lines(tmp_path / f"{number}.jsonl", talk(number)) for number in range(6)]
    order = order_of(paths)
    heard = pool.part_stretches
    killed: list[int] = []

    def killing(lines: Iterator[bytes], name: object) -> Iterator[JudgedStretch]:
        for stretch in heard(lines, name):
            yield stretch
            if name == "shard 1/2" and not killed:
                killed.append(shards[0]._process.pid)
                os.killpg(killed[0], signal.SIGKILL)

    shards: list[Any] = []
    started = pool._Shard.start
    monkeypatch.setattr(pool._Shard, "start", lambda self: (shards.append(self), started(self))[1])
    monkeypatch.setattr(pool, "part_stretches", killing)
    assert list(pool.pooled_stretches(order, 2)) == found(order)
    assert killed


def test_a_part_keeps_what_traffic_may_hold(tmp_path: Path) -> None:
    odd = JudgedStretch(0, 0, 1, 1, {}, [{"found": "\ud800", "expected": float("inf"), "at": 2**70}])
    order = AuditOrder((("a.jsonl", 1),))
    part = PartWriter(tmp_path / "part", order)
    assert list(part.adding([odd])) == [odd]
    again = PartWriter(tmp_path / "part", order)
    assert (list(again.earlier()), again.after) == ([odd], (0, 0))
    with pytest.raises(PartError):
        PartWriter(tmp_path / "part", AuditOrder((("b.jsonl", 1),)))


def test_findings_as_a_table(files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parquet, JSON Lines and the document hold the same findings."""
    parquet = pytest.importorskip("pyarrow.parquet")
    outs = {suffix: tmp_path / f"out.{suffix}" for suffix in ("parquet", "jsonl", "json")}
    for out in outs.values():
        assert out_of(capsys, "audit", *files, "--out", out)[0] == 1
    document = json.loads(outs["json"].read_text())
    *lines, _ = [json.loads(line) for line in outs["jsonl"].read_text().splitlines()]
    told = [line for line in lines if line.pop("kind") == "finding"]
    assert document["findings"] == told
    table = parquet.read_table(outs["parquet"])
    rows = [{name: row[name] for name in ("source", "line", "rule", "at")} for row in table.to_pylist()]
    assert rows == [{name: one[name] for name in ("source", "line", "rule", "at")} for one in told]
    assert [json.loads(row["found"]) for row in table.to_pylist()] == [one["found"] for one in told]
    summary = parquet.read_metadata(outs["parquet"]).metadata[b"conformance.audit"]
    assert json.loads(summary)["exchanges"] == document["exchanges"]
