"""Hints for somebody who wrote a name that nothing has."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def nearest(name: str, known: Collection[str], see: str = "'conformance list'") -> str:
    """A hint: the known name that is most like ``name``, or where to look."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(known)}" if len(known) < 20 else f"; see {see}"
