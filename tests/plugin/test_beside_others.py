"""The plugin in an environment with others: as a wheel, beside those that people use, its tests pass.

xdist and anyio, and all that the plugins need, come from the environment of these tests: to install that anew takes
half a minute of processor time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from every import every
from wheels import PIP, install, wheel

SUITE = """
import pytest
from conformance.pytest import ConformanceSuite

class TestReference(ConformanceSuite):
    adapter = "reference"
    providers = ["anthropic"]
    scenarios = ["parallel_calls.two_reads"]

def test_server(conformance_server):
    assert conformance_server.origin

def test_cassette(conformance_cassette):
    assert conformance_cassette.mode == "once"
"""
ASYNCHRONOUS = """
@pytest.fixture
def anyio_backend():
    return "asyncio"

async def test_of_asyncio(conformance_server, conformance_cassette):
    assert conformance_server.origin

@pytest.mark.anyio
async def test_of_anyio(conformance_cassette):
    pass
"""
RECORDED = """
@pytest.mark.vcr
def test_of_another_recorder(conformance_cassette):
    pass
"""


RECORDERS = ("pytest-recording", "pytest-vcr")
"""Both have a marker ``vcr``, so each is in a folder of its own."""


@pytest.mark.slow
def test_beside_others(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    home, tests = tmp_path / "venv", tmp_path / "tests"
    venv.create(home)
    python = install(home, "--no-deps", wheel(tmp_path_factory), "pytest-asyncio") / "python"
    [packages] = home.glob("[Ll]ib/**/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]  # several, where environments are layered
    (packages / "others.pth").write_text("\n".join(ours), "utf-8")
    tests.mkdir()
    (tests / "test_mine.py").write_text(SUITE + ASYNCHRONOUS + RECORDED, "utf-8")
    every({name: (tests, python, name) for name in RECORDERS}, passes_beside)


def passes_beside(tests: Path, python: Path, recorder: str) -> None:
    """The plugin's tests pass beside those of a recorder, and all plugins are there."""
    into = tests.parent / recorder
    subprocess.run([*PIP, "install", "--no-deps", "--no-compile", "--target", into, recorder], check=True)
    options = ["-v", "-n", "1", "-W", "error::pytest.PytestWarning", "-o", "asyncio_mode=auto"]
    options += ["-o", "asyncio_default_fixture_loop_scope=function"]
    beside = {**os.environ, "PYTHONPATH": str(into)}
    done = subprocess.run(
        [python, "-m", "pytest", *options], cwd=tests, env=beside, capture_output=True, text=True, check=False
    )
    assert "6 passed" in done.stdout, done.stdout + done.stderr
    [plugins] = [line for line in done.stdout.splitlines() if line.startswith("plugins: ")]
    assert all(f"{name}-" in plugins for name in ("toolcall-conformance", "asyncio", "anyio", "xdist", recorder[7:]))
