"""What the command line says of itself: usage, mistakes, and what it cannot hide everywhere."""

from __future__ import annotations

import argparse
import sys
from typing import Any, TextIO

from conformance.masking.door import own_mask
from conformance.masking.environment import weak_variables
from conformance.report.printing import say_to


class MaskedParser(argparse.ArgumentParser):
    """Repeats no secret of what it was given."""

    def _print_message(self, message: str, file: Any = None) -> None:
        say_to(file or sys.stderr, message)


class MaskedStream:
    """Standard error without secrets: warnings, logs and what threads raise come there by themselves."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write it, masked."""
        return self._stream.write(own_mask().text(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def say_what_is_weak() -> None:
    """Say, in one line, which keys are removed only where they stand as credentials."""
    names = weak_variables()
    if names:
        what = "a short value or a word of ours" if len(names) == 1 else "short values or words of ours"
        holds = "holds" if len(names) == 1 else "hold"
        words = f"{', '.join(sorted(names))} {holds} {what}: removed only where it stands as a credential"
        say_to(sys.stderr, f"conformance: {words}\n")
