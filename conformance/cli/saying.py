"""What the command line says of itself: usage, mistakes, and what it cannot hide everywhere."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from conformance.masking.environment import weak_variables
from conformance.report.printing import say_to


class MaskedParser(argparse.ArgumentParser):
    """Repeats no secret of what it was given."""

    def _print_message(self, message: str, file: Any = None) -> None:
        say_to(file or sys.stderr, message)


def say_what_is_weak() -> None:
    """Say, in one line, which keys are removed only where they stand as credentials."""
    names = weak_variables()
    if names:
        what = "a short value or a word of ours" if len(names) == 1 else "short values or words of ours"
        holds = "holds" if len(names) == 1 else "hold"
        words = f"{', '.join(sorted(names))} {holds} {what}: removed only where it stands as a credential"
        say_to(sys.stderr, f"conformance: {words}\n")
