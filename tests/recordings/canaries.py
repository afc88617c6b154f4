"""Canaries: secrets made for the tests, and the search for them in whatever was written."""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote


def canary(name: str, prefix: str = "") -> str:
    """A secret that is always the same for a name."""
    letters = random.Random(name)
    return prefix + "".join(letters.choices(string.ascii_letters + string.digits, k=40))


def spellings(secret: str) -> set[bytes]:
    """The ways in which it may be written."""
    data = secret.encode()
    shifted = [base64.b64encode(b"x" * before + data)[2 + before :][:-4] for before in range(3)]
    return {data, quote(secret, safe="").encode(), data.hex().encode(), *shifted}


def survivors(folder: Path, secrets: Iterable[str]) -> list[tuple[str, str]]:
    """Which secrets are in any file below a folder, a third of one included."""
    found = []
    for path in folder.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        # As it is in the file, and without what may stand between two halves of a secret in a stream.
        for secret in secrets:
            third = secret[len(secret) // 3 : 2 * len(secret) // 3].encode()
            if third in data or any(spelling in data for spelling in spellings(secret)):
                found.append((path.name, secret))
    return found
