"""Findings as a table in a Parquet file, for those who ask questions of many: a row each, the columns of
``audit.schema.json``. What a rule expected and found is JSON, as text. The file's metadata has the summary."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.documents import Document
from conformance.files.leftovers import unfinished
from conformance.masking.door import own_mask
from conformance.traffic.gathered import GatheredAudit
from conformance.traffic.shards import JudgedStretch

TEXTS = ("source", "exchange", "provider", "side", "rule", "level", "consequence", "evidence", "at", "switched",
         "told_by")  # fmt: skip
AS_JSON = ("expected", "found")

ROWS = 20_000
"""How many findings are in memory before they are written, and so in a group of rows."""


class ParquetFindings:
    """Writes findings, group by group. The file is there when all is written."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._waiting: list[Document] = []

    def add(self, stretch: JudgedStretch) -> None:
        """Write what was found in a stretch."""
        self._waiting += stretch.findings
        if len(self._waiting) >= ROWS:
            self._write()

    def end(self, gathered: GatheredAudit) -> None:
        """Write the rest, and the summary."""
        self._write()
        summary = {"exchanges": gathered.exchanges, "judged": gathered.judged, "rules": gathered.rules}
        self._writer.add_key_value_metadata({"conformance.audit": json.dumps(summary)})

    def _write(self) -> None:
        import pyarrow as pa

        self._writer.write_table(pa.Table.from_pylist([_row(one) for one in self._waiting], _schema()))
        self._waiting = []


@contextlib.contextmanager
def parquet_findings(path: Path) -> Iterator[ParquetFindings]:
    """A file of findings. Raises `ImportError` where pyarrow is not installed, and `OSError`; then none is left."""
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    beside = unfinished(path)
    try:
        with pq.ParquetWriter(beside, _schema()) as writer:
            yield ParquetFindings(writer)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _schema() -> Any:
    import pyarrow as pa

    names = {"source": pa.string(), "line": pa.int64(), **dict.fromkeys((*TEXTS[1:], *AS_JSON), pa.string())}
    return pa.schema([*names.items(), ("predicted", pa.bool_())])


def _row(finding: Document) -> dict[str, Any]:
    row = {name: own_mask().known(_text(finding.get(name))) if finding.get(name) else None for name in TEXTS}
    told = {name: own_mask().known(json.dumps(finding[name])) for name in AS_JSON}
    return {**row, **told, "line": finding["line"], "predicted": finding.get("predicted", False)}


def _text(value: Any) -> str:
    """A text that UTF-8 has a form for: lone surrogates are escaped."""
    return str(value).encode("utf-8", "backslashreplace").decode()
