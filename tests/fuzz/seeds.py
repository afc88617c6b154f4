"""What inputs are made from: all of it our own, and a little of each kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

from conformance.wires import PROVIDERS

ROOT = Path(__file__).resolve().parents[2]



ROOMS = tuple(name for name in PROVIDERS if (ROOT / "conformance/wires" / name.replace("-", "_")).is_dir())
"""The providers with a reader of their own."""
STAMP = 2026
"""What chance starts from where seeds are chosen."""


def some_files(paths: Iterator[Path], count: int, largest: int = 12_000) -> list[bytes]:
    """A few files, none of them large, the same each time."""
    files = [path for path in sorted(paths) if path.stat().st_size <= largest]
    return [path.read_bytes() for path in Random(STAMP).sample(files, min(count, len(files)))]


@cache
def exchanges(provider: str, count: int = 12) -> list[tuple[bytes, bytes]]:
    """Requests and answers of our own cassettes: body and body."""
    found = []
    for data in some_files((ROOT / "cassettes" / provider).glob("*.json"), count, 40_000):
        for item in json.loads(data)["interactions"]:
            asked, answered = item["request"]["body"], item["response"]["body"]["string"]
            if isinstance(asked, str) and isinstance(answered, str):
                found.append((asked.encode(), answered.encode()))
    return found


def cuts(data: bytes) -> list[bytes]:
    """The input in pieces, cut by what it holds."""
    chance = Random(len(data))
    places = sorted(chance.randrange(len(data) + 1) for _ in range(min(50, len(data))))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


def is_line(text: str) -> bool:
    """Whether a text has no line ends."""
    return "\n" not in text and "\r" not in text
