"""Hints for somebody who wrote a name that nothing has."""

from __future__ import annotations

from collections.abc import Collection


def meant(name: str, known: Collection[str]) -> str:
    """A hint: the known name that is most like ``name``, if one is."""
    import difflib  # only a name that is wrong needs it

    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def nearest(name: str, known: Collection[str], see: str = "'conformance list'") -> str:
    """A hint: the known name that is most like ``name``, or where to look."""
    others = f"; known: {', '.join(known)}" if len(known) < 20 else f"; see {see}"
    return meant(name, known) or others
