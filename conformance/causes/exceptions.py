"""Where an exception was raised, read from the traceback that the adapter's process sent: Python's or JavaScript's."""

from __future__ import annotations

import re

PYTHON = re.compile(r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<name>.+)$', re.MULTILINE)
JAVASCRIPT = re.compile(
    r"^\s*at (?:(?P<name>[^\n(]+?) \()?(?:file://)?(?P<file>[^\s():]+):(?P<line>\d+):\d+\)?$", re.MULTILINE
)
RAISED = re.compile(r"raised (?P<kind>[\w.]+)")
NUMBER = re.compile(r"\d+")


def raised_at(traceback: str) -> str:
    """The innermost place in a traceback, as ``file.py:12 in name``; empty where there is none."""
    python = list(PYTHON.finditer(traceback))
    found = python[-1] if python else JAVASCRIPT.search(traceback)
    if found is None:
        return ""
    name = f" in {found['name']}" if found["name"] else ""
    return f"{found['file']}:{found['line']}{name}"


def sort_of(message: str) -> str:
    """What tells exceptions at one place apart: their class, or else what is said, without its numbers."""
    found = RAISED.search(message)
    return found["kind"] if found else NUMBER.sub("0", message)
