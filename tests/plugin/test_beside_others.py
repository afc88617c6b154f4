"""The plugin in an environment with others: as a wheel, beside those that people use, its tests pass.

xdist and anyio, and all that the plugins need, come from the environment of these tests: to install that anew takes
half a minute of processor time.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as users get it."""
    folder = tmp_path_factory.mktemp("dist")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", folder, ROOT], check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.mark.slow
@pytest.mark.parametrize("recorder", ["pytest-recording", "pytest-vcr"])
def test_beside_others(wheel: Path, recorder: str, tmp_path: Path) -> None:
    home, tests = tmp_path / "venv", tmp_path / "tests"
    venv.create(home)
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "--python", python]
    own = ["--no-deps", "--no-compile", wheel, "pytest-asyncio", recorder]
    subprocess.run([*pip, "install", *own], check=True, capture_output=True)
    [packages] = home.glob("[Ll]ib/**/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    tests.mkdir()
    (tests / "test_mine.py").write_text(SUITE + ASYNCHRONOUS + RECORDED, "utf-8")
    options = ["-v", "-n", "1", "-W", "error::pytest.PytestWarning", "-o", "asyncio_mode=auto"]
    options += ["-o", "asyncio_default_fixture_loop_scope=function"]
    done = subprocess.run([python, "-m", "pytest", *options], cwd=tests, capture_output=True, text=True)
    assert "6 passed" in done.stdout, done.stdout + done.stderr
    [plugins] = [line for line in done.stdout.splitlines() if line.startswith("plugins: ")]
    assert all(f"{name}-" in plugins for name in ("toolcall-conformance", "asyncio", "anyio", "xdist", recorder[7:]))
