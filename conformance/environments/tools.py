"""Running installers. What goes wrong becomes one line that says which of the usual things it was."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Sequence
from contextvars import ContextVar

from conformance.adapters.contract import AdapterError
from conformance.masking.environment import without_keys
from conformance.processes.running import run_kept

UNREACHABLE = re.compile(
    r"error sending request|dns error|failed to lookup|name resolution|connection (refused|reset)|timed out"
    r"|network is unreachable|NewConnectionError|Could not connect|Failed to fetch"
    r"|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT",
    re.IGNORECASE,
)
UNKNOWN = re.compile(
    r"no version of|No matching distribution|not found in the package registry|code (E404|ETARGET)", re.IGNORECASE
)

_OF_INSTALLER = re.compile(r"(?:UV|PIP|NPM|NODE_AUTH)_|npm_config_", re.IGNORECASE)

deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
"""Until when installers may run (`time.monotonic`), where that is limited."""


def run_tool(command: Sequence[str]) -> None:
    """Run an installer. What it started ends with it, and with us. Raises `AdapterError` with its complaint."""
    until = deadline.get()
    seconds = None if until is None else max(until - time.monotonic(), 0.1)
    try:
        done = run_kept(command, environment=surroundings(), seconds=seconds)
    except OSError as problem:
        raise AdapterError(f"cannot run {command[0]}: {problem.strerror}") from None
    except subprocess.TimeoutExpired:
        raise AdapterError("the installer was not ready in time") from None
    if done.returncode:
        raise AdapterError(complaint(done.stderr or done.stdout))


def complaint(output: str) -> str:
    """The sense of an installer's output, on one line."""
    words = " ".join(_words(output))
    short = words if len(words) <= 400 else f"{words[:400]} …"
    if UNREACHABLE.search(output):
        return f"the package index cannot be reached: {short}"
    if UNKNOWN.search(output):
        return f"the package index does not have it: {short}"
    return f"it cannot be installed: {short or 'the installer said nothing'}"


def _words(output: str) -> list[str]:
    """What is said, without drawings, and without pip's remarks."""
    lines = (re.sub(r"^[\s×╰─▶│├]+", "", line).strip() for line in output.splitlines())
    return [line for line in lines if line and not line.startswith(("[notice]", "WARNING:"))]


def surroundings() -> dict[str, str]:
    """The environment variables, without those that point at the environment that we run in, and without keys.

    Packages may run programs while they are installed. What the installers themselves log in with stays.
    """
    ours = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")
    own = [name for name in os.environ if _OF_INSTALLER.match(name)]
    return {name: value for name, value in without_keys(keep=own).items() if name not in ours}
