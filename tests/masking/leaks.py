"""Values for the tests, and the search for them in whatever was written."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

LETTERS = string.ascii_letters + string.digits


def value(name: str, size: int, letters: str = LETTERS) -> str:
    """A secret that is always the same for a name."""
    return "".join(random.Random(name).choices(letters, k=size))


def survivors(folder: Path, secrets: Iterable[str]) -> list[tuple[str, str]]:
    """Which secrets are in any file below a folder: in any spelling, or the larger part of one."""
    found = []
    for path in folder.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        for secret in secrets:
            coded = [base64.b64encode(b"x" * shift + secret.encode())[4:-4] for shift in range(3)]
            pieces = [secret[start : start + 12].encode() for start in range(0, len(secret) - 12, 4)]
            if any(piece in data for piece in (*coded, *pieces, quote(secret).encode())):
                found.append((path.name, secret))
    return found
