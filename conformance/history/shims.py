"""Whether it was our shim that failed: it takes what today's release gives, and an older one gave something else.

A run blames a library for what its shim cannot take. Of an old release that would be unjust: it gave what it was
documented to give at the time. So what was raised in a shim's own frame is held against nobody here.
"""

from __future__ import annotations

import re

from conformance.engine.report import CaseReport
from conformance.obstacles import HEADS

PYTHON_FRAME = re.compile(r'^ *File "([^"]+)", line \d+', re.MULTILINE)
NODE_FRAME = re.compile(r"\(?([^ (]+):\d+:\d+\)?")
"""The place in the last word of a frame of Node."""
OURS = re.compile(r"(^|/)conformance/adapters/libraries/|/library\.mjs$|/shim\.mjs$")
"""The files of shims, as tracebacks name them."""


def shim_trouble(report: CaseReport) -> str:
    """Why a case says nothing of its library, in words; empty where it does."""
    for shown in report.evidence.values():
        failure = shown.get("failure") or {}
        if raised_in_shim(failure.get("traceback") or ""):
            return f"{HEADS['misfit']}: {failure.get('message', '')}"
    return ""


def raised_in_shim(traceback: str) -> bool:
    """Whether the innermost frame of a traceback is a shim's: Python tells it last, Node first."""
    if frames := PYTHON_FRAME.findall(traceback):
        return OURS.search(frames[-1]) is not None
    lasts = (line.split()[-1] for line in traceback.splitlines() if line.lstrip().startswith("at "))
    places = (found[1] for last in lasts if (found := NODE_FRAME.fullmatch(last)))
    return OURS.search(next(places, "")) is not None
