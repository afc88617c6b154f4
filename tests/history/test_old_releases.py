"""What a run says where our shim cannot take what a release gives: nobody is blamed for an old one, today's is."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from made_releases import SILENT, index, make_wheel

from conformance.adapters.libraries import LIBRARIES
from conformance.cli import main
from conformance.engine.obstruction import obstruction
from conformance.engine.shims import is_older
from conformance.environments.finding import version_order
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange

JUDGED = Path(__file__).parents[2] / "judgements" / "libraries"
OLD, NEW = "0.5.9", "1.4.0"


# --- which release is old ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, library in LIBRARIES.items() if library.written_for])
def test_a_shim_is_written_for_a_release_that_was_judged(name: str) -> None:
    assert name in LIBRARIES
    judged = yaml.safe_load((JUDGED / f"{name}.yaml").read_text("utf-8"))["version"]
    assert version_order(LIBRARIES[name].written_for) <= version_order(judged)


@pytest.mark.parametrize(
    ("address", "version", "told"),
    [
        ("google-genai", "2.14.0", True),
        ("env:google-genai@2.14.0", "2.14.0", True),
        ("env:google-genai@3.3.9:async", "3.3.9", True),
        ("env:google-genai", "3.4.0", False),
        ("env:google-genai", "3.10.0", False),
        ("env:google-genai", "", False),
        ("acme", "0.1", False),
        ("my_module:Adapter", "0.1", False),
    ],
)
def test_an_older_release_is_told_by_its_version(address: str, version: str, told: bool) -> None:
    assert is_older(address, version) is told


# --- what its failures mean -------------------------------------------------------------------------------------------

SHIM = '  File "conformance/adapters/libraries/ollama.py", line 1, in ask\n'
LIBRARY = f'{SHIM}  File "x/ollama/_client.py", line 1, in chat\n'


@pytest.mark.parametrize(
    ("detail", "older", "kind"),
    [(SHIM, True, "misfit"), (SHIM, False, None), (LIBRARY, True, None), (LIBRARY, False, None), ("", True, None)],
)
def test_only_what_an_old_release_makes_our_shim_raise_is_nobodys(detail: str, older: bool, kind: str | None) -> None:
    failed = OperationFailure("complete", "error", "AttributeError: no", detail)
    exchange = object.__new__(Exchange)
    for name, value in (("request", failed), ("understood", None), ("variants", {})):
        object.__setattr__(exchange, name, value)
    lack = obstruction([exchange], older=older)
    assert (lack and lack.kind) == kind
    assert lack is None or lack.words == "this shim does not fit this release: AttributeError: no"


# --- whole ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An index with two releases that answer nothing: one of before the shim, and one of after."""
    wheels = {make_wheel(tmp_path, version, SILENT): f"2026-0{day}-10" for day, version in enumerate((OLD, NEW), 1)}
    with index(wheels) as address:
        monkeypatch.setenv("UV_DEFAULT_INDEX", address)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
        monkeypatch.setenv("CONFORMANCE_ENVS", str(tmp_path / "environments"))
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("offered")
@pytest.mark.skipif(find_spec("ollama") is None, reason="the releases are made of the ollama SDK")
@pytest.mark.skipif(
    not (shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))),
    reason="pip would fetch a newer pip: without uv there is no environment from loopback alone",
)
@pytest.mark.parametrize(("version", "code", "outcome"), [(OLD, 5, "unsupported"), (NEW, 1, "error")])
def test_a_run_blames_todays_release_and_no_older_one(
    version: str, code: int, outcome: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["env", "ollama", "--version", version]) == 0
    asked = ["run", f"env:ollama@{version}", "--provider", "ollama", "--scenario", "shell.success", "-j", "1"]
    result = tmp_path / "result.json"
    assert main([*asked, "--delivery", "blocking", "--out", str(result)]) == code
    said = capsys.readouterr()
    assert ("this shim does not fit this release" in said.out + said.err) is (version == OLD)
    cells = json.loads(result.read_text("utf-8"))["cells"]
    assert outcome in {one["outcome"] for one in cells}
    assert version == NEW or not [one for one in cells if one["outcome"] in ("fail", "warn", "error")]
