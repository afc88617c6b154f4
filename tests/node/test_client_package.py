"""The npm package `clients/node`: its own tests, which need Node alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "clients" / "node"


def _node() -> str:
    """Node 20 or newer. Skips the test where there is none."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.strip().lstrip("v").partition(".")[0]) < 20:
        pytest.skip(f"node {version.strip()} is older than 20")
    return node


@pytest.mark.slow
def test_the_package_serves_records_and_plays() -> None:
    words = [_node(), "--test", *map(str, (PACKAGE / "test").glob("*.test.js"))]
    variables = {**os.environ, "CONFORMANCE_PYTHON": sys.executable}
    done = subprocess.run(words, capture_output=True, text=True, env=variables, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-4000:]


def test_what_it_offers_is_there() -> None:
    """Every file that the package names is in it, types included."""
    exported = json.loads((PACKAGE / "package.json").read_text("utf-8"))["exports"]
    named = [path for entry in exported.values() for path in entry.values()]
    assert named
    assert all((PACKAGE / path).is_file() for path in named)
