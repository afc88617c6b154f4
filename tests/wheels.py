"""The package as users get it, a wheel: made once for all tests that install it, whichever worker they are in."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PIP = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check")


def wheel(factory: pytest.TempPathFactory) -> Path:
    """The wheel. The first who asks makes it, and the others wait."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wheels"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("*.whl")):
            subprocess.run([*PIP, "wheel", "--no-deps", "-w", folder, ROOT], check=True, capture_output=True)
    [made] = folder.glob("*.whl")
    return made


def install(home: Path, *wanted: str | Path) -> Path:
    """Install into a virtual environment that has no pip of its own. Gives the folder of its programs."""
    programs = home / ("Scripts" if sys.platform == "win32" else "bin")
    into = ["--python", programs / "python", "install", "--no-compile"]
    subprocess.run([*PIP, *into, *wanted], check=True, capture_output=True)
    return programs
