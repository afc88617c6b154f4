"""Work on a cluster: the same shards and groups, and a worker that is killed loses nothing."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent / "traffic"))

from talk import records, write_lines

from conformance import run
from conformance.cli import main
from conformance.clusters import ClusterError, check_engine, cluster, worked
from conformance.documents import Document
from conformance.engine.cases import Group
from conformance.engine.distributed import LEAST, pieces
from conformance.runner.errors import UsageError
from conformance.traffic.distributed import part_of
from conformance.traffic.parts import part_stretches
from conformance.traffic.shards import judged_stretches, merged, order_of


@pytest.mark.parametrize("engine", ["dask:", "ray", "", "pool:2"])
def test_what_is_no_engine(engine: str) -> None:
    with pytest.raises(ClusterError, match="is no engine"):
        check_engine(engine)
    with pytest.raises(UsageError, match="is no engine"):
        run("reference", engine=engine)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'toolcall-conformance\[dask\]'"), cluster("dask", 1):
        pass


def test_what_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write_lines(tmp_path / "a.jsonl", records("ollama")))
    for more in (["--checkpoint", str(tmp_path / "c")], ["--shard", "1/2", "--out", str(tmp_path / "p")]):
        assert main(["audit", path, "--engine", "dask", *more]) == 2
    assert "does not fit" in capsys.readouterr().err
    with pytest.raises(UsageError, match="does not fit here"):
        run("reference", engine="dask", responder="cassette", cassettes=tmp_path)


def test_pieces_are_all_groups_each_of_one_adapter() -> None:
    groups = [Group(address, "ollama", f"a.{n}", ("blocking",)) for address in ("one", "two") for n in range(70)]
    found = pieces(groups, 6)
    assert [group for piece in found for group in piece] == groups
    assert all(len({group.address for group in piece}) == 1 for piece in found)
    assert len(found) == 6
    assert len(pieces(groups, 1000)) == 2 * -(-70 // LEAST)


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    """In the middle of an audit, and of a run of two adapters, on one cluster of two workers."""
    pytest.importorskip("distributed")
    with cluster("dask", 2) as client:
        paths = [write_lines(tmp_path / f"{number}.jsonl", records("openai-chat")) for number in range(8)]
        shards = order_of(paths).shards(8)
        done = worked(client, part_of, shards)
        told = [next(done)]
        kill_one(client)
        told += done
        parts = [part_stretches(iter(part.splitlines(keepends=True)), place) for place, part in told]
        assert list(merged(parts)) == list(judged_stretches(order_of(paths)))

        asked: dict[str, Any] = {"providers": "ollama", "scenarios": "p*", "generated": "none", "deliveries": "*e*"}
        going = run("reference", **asked, engine=f"dask:{client.scheduler.address}")
        events = iter(going)
        next(events), next(events)
        kill_one(client)
        rest: Iterator[object] = events
        assert list(rest)
        assert untimed(going.result.document) == untimed(run("reference", **asked, jobs=1).finish().document)


def untimed(document: Document) -> list[Document]:
    """The cells, without the time that they took."""
    return [{key: value for key, value in cell.items() if key != "seconds"} for cell in document["cells"]]


def kill_one(client: Any) -> None:
    """Kill one of the cluster's workers."""
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
