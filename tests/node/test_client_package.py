"""The npm package `clients/node`: its own tests, which need Node alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.outcomes import FAILURES

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


EXAMPLE = re.compile(r"```js\n// my-functions\.mjs\n(.*?)```", re.DOTALL)


@pytest.mark.slow
def test_the_functions_of_the_docs_are_judged(tmp_path: Path) -> None:
    """As they are pasted: they conform at one provider, and of the other the run says what is lost."""
    [text] = EXAMPLE.findall((PACKAGE.parents[1] / "docs" / "node.md").read_text("utf-8"))
    (tmp_path / "my-functions.mjs").write_text(text, "utf-8")
    home = tmp_path / "node_modules" / "@toolcall-conformance"
    home.mkdir(parents=True)
    (home / "client").symlink_to(PACKAGE, target_is_directory=True)
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", f"stdio:{_node()} my-functions.mjs", "--generated", "none", "-j",
         "1", "--scenario", "arguments.*", "--scenario", "parallel_calls.*", "--scenario", "shell.*",
         "--delivery", "blocking", "--delivery", "stream:per-event", "--out", "result.json"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert "my-functions 0 on openai-chat: conforms" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1
    cells = json.loads((tmp_path / "result.json").read_text("utf-8"))["cells"]
    failing = {(cell["provider"], cell["rule"]) for cell in cells if cell["outcome"] in FAILURES}
    assert failing == {("anthropic", "common.parse.integers-above-2-53")}


def test_what_it_offers_is_there() -> None:
    """Every file that the package names is in it, types included."""
    exported = json.loads((PACKAGE / "package.json").read_text("utf-8"))["exports"]
    named = [path for entry in exported.values() for path in entry.values()]
    assert named
    assert all((PACKAGE / path).is_file() for path in named)
