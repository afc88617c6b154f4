"""Printing for people: secrets are masked, and what the output cannot encode is escaped instead of raising."""

from __future__ import annotations

import sys
from typing import TextIO

from conformance.masking.door import own_mask


def say(text: str) -> None:
    """Print a line."""
    say_to(sys.stdout, text + "\n")


def say_to(stream: TextIO, text: str) -> None:
    """Write text to a stream, whatever its encoding, without secrets."""
    _write(stream, own_mask().text(text))


def say_document(text: str) -> None:
    """Print a document whose parts were masked. Only known keys are looked for, so that JSON stays JSON."""
    _write(sys.stdout, own_mask().known(text))


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
