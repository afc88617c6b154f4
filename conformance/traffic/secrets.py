"""Secrets in recorded traffic, found in files of any maker."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.http import Request
from conformance.masking.environment import keys_of_environment
from conformance.masking.known import KnownSecrets
from conformance.recordings.interaction import Interaction
from conformance.recordings.scan import SecretFinding, scan_bytes, scan_interaction
from conformance.recordings.splice import body_text
from conformance.traffic.files import read_bytes, read_file
from conformance.traffic.records import RecordedExchange, UnreadableRecord


@dataclass(frozen=True, slots=True)
class FileSecret:
    """A secret in a file: where, and what it looks like. The secret itself is not in here."""

    source: str
    line: int
    find: SecretFinding


@dataclass
class SecretAudit:
    """What was found in files. Keys that the environment holds are known, and found in any spelling."""

    known: KnownSecrets = field(default_factory=lambda: KnownSecrets(keys_of_environment()))
    exchanges: int = 0
    found: list[FileSecret] = field(default_factory=list)
    unreadable: list[UnreadableRecord] = field(default_factory=list)

    def read(self, path: Path) -> Iterator[RecordedExchange]:
        """Search a file, exchange by exchange, and then all its bytes for what stands outside of the exchanges."""
        before = len(self.found)
        for number, record in enumerate(read_file(path), 1):
            if isinstance(record, UnreadableRecord):
                self.unreadable.append(record)
                continue
            self.exchanges += 1
            for find in scan_interaction(_interaction(record), number, self.known):
                self.found.append(FileSecret(record.source, record.line, find))
            yield record
        if len(self.found) == before:
            self.found += self._outside(path)

    def _outside(self, path: Path) -> Iterator[FileSecret]:
        data = read_bytes(path)
        text = body_text(data)
        ends = [found.start() for found in re.finditer("\n", text)]
        for at, what in scan_bytes(data, self.known):
            line = bisect_left(ends, at) + 1
            yield FileSecret(str(path), line, SecretFinding(0, "file", f"character {at}", what))

    def document(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return {
            "exchanges": self.exchanges,
            "unreadable": [{"source": item.source, "line": item.line, "why": item.why} for item in self.unreadable],
            "secrets": [
                {
                    "source": item.source, "line": item.line, "interaction": item.find.interaction,
                    "side": item.find.side, "place": item.find.place, "looks_like": item.find.looks_like,
                }
                for item in self.found
            ],
        }  # fmt: skip


def _interaction(record: RecordedExchange) -> Interaction:
    request = record.request or Request("POST", "")
    body = record.body or b""
    return Interaction(request, record.status, tuple(record.headers.items()), (body,) if body else ())
