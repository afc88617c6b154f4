"""Whether it was our shim that failed: it takes what today's release gives, and an older one gave something else.

Of the release that a shim was written for, and of newer ones, a run blames the library for what the shim cannot take:
it returned nothing, or something wrong. Of an older one that would be unjust: it gave what it was documented to give
at the time. So what was raised in a shim's own frame is held against nobody there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.adapters.libraries.table import LIBRARIES
from conformance.adapters.libraries.ways import split_way
from conformance.environments.finding import version_order

PYTHON_FRAME = re.compile(r'^ *File "([^"]+)", line \d+', re.MULTILINE)
OURS = re.compile(r"(^|/)conformance/adapters/libraries/|/library\.mjs$|/shim\.mjs$")
"""The files of shims, as tracebacks name them."""


def raised_in_shim(traceback: str) -> bool:
    """Whether the innermost frame of a traceback is a shim's: Python tells it last, Node first."""
    if frames := PYTHON_FRAME.findall(traceback):
        return OURS.search(frames[-1]) is not None
    innermost = next(_node_frames(traceback), "")
    return OURS.search(innermost) is not None


def _node_frames(traceback: str) -> Iterator[str]:
    """The files in lines such as ``at turn (file:///x/library.mjs:3:4)``."""
    for line in traceback.splitlines():
        words = line.split()
        if words[:1] == ["at"]:
            file, *place = words[-1].strip("()").rsplit(":", 2)
            if len(place) == 2 and all(number.isdecimal() for number in place):
                yield file


def is_older(address: str, version: str) -> bool:
    """Whether the library at an address is of a release before the one that its shim was written for."""
    name = split_way(address)[0].removeprefix("env:").partition("@")[0]
    fits = LIBRARIES[name].written_for if name in LIBRARIES else ""
    return bool(fits and version) and version_order(version) < version_order(fits)
