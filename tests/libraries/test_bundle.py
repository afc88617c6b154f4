"""The bundle: what of ours a library's environment sees. It needs the standard library only, and is all of it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from every import of_every

from conformance.cli import main
from conformance.environments import bundle, find
from conformance.environments.virtual import installer_of

FILES = dict(bundle.sources())
MODULES = [name for name in FILES if name.endswith(".py")]
"""The others are the hosts' files."""
SHIMS = "conformance/adapters/libraries/"
OWN = (SHIMS + "__init__.py", SHIMS + "application.py", SHIMS + "failures.py", SHIMS + "shim.py")


def module(name: str) -> str:
    """The dotted name of a file of the bundle."""
    return name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle."""
    return bundle.folder(tmp_path_factory.mktemp("bundles"))


def bare(folder: Path, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run code in a Python that has the standard library and one more folder."""
    start = f"import sys; sys.path.insert(0, {str(folder)!r})\n"
    return subprocess.run(
        [sys.executable, "-S", "-I", "-c", start + code, *words],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def test_every_module_but_the_shims_is_imported_without_anything_installed(folder: Path) -> None:
    names = [module(name) for name in MODULES if not name.startswith(SHIMS) or name in OWN]
    done = bare(folder, "import importlib\nfor name in sys.argv[1:]: importlib.import_module(name)", *names)
    assert done.returncode == 0, done.stderr
    assert len(names) > 60


def test_hosts_are_read_without_anything_installed(folder: Path) -> None:
    code = "from conformance.wires import known_ids, wire\nfor name in known_ids(): print(wire(name).card.id)"
    done = bare(folder, code)
    assert done.returncode == 0, done.stderr
    assert {"azure", "groq", "writer"} <= set(done.stdout.split())


def test_the_folder_holds_exactly_the_list(folder: Path) -> None:
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if "__pycache__" not in path.parts}
    assert found == FILES.keys()
    rooms = {name.split("/")[1].removesuffix(".py") for name in found}
    assert not rooms & {"rules", "engine", "session", "cli", "report", "server", "transcript", "scenarios", "mutants"}


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules that a file imports, and whether it does so while it is imported itself."""
    tree = ast.parse(path.read_text("utf-8"))
    early = {id(node) for top in tree.body if not isinstance(top, ast.If) for node in ast.walk(top)}
    inner = {id(node) for top in ast.walk(tree) if isinstance(top, ast.FunctionDef) for node in ast.walk(top)}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from ((name, id(node) in early - inner) for name in names)


@of_every({name: (name,) for name in MODULES})
def test_what_it_imports_of_ours_is_in_it(name: str) -> None:
    own = {module(other) for other in MODULES}
    ours = {found.removeprefix("conformance.") for found, early in imports(FILES[name]) if early}
    for found in ours:
        path = Path(bundle.__file__).parents[1] / (found.replace(".", "/") + ".py")
        if path.is_file():
            assert f"conformance.{found}" in own, f"{name} imports conformance.{found}"


def test_it_is_made_once_and_again_when_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bundle.folder(tmp_path)
    os.utime(first, (0, 0))
    assert bundle.folder(tmp_path) == first
    assert first.stat().st_mtime > 0
    os.utime(first, (0, 0))
    monkeypatch.setattr(bundle, "MODULES", bundle.MODULES[:3])
    second = bundle.folder(tmp_path)
    assert second != first
    assert [path.name for path in tmp_path.iterdir()] == [second.name]  # nobody used the first for long


def test_an_adapter_is_served_from_the_bundle_alone(folder: Path, tmp_path: Path) -> None:
    """The protocol, spoken by a Python that has nothing installed."""
    (tmp_path / "plain.py").write_text(
        "from conformance import AdapterInfo, AssistantTurn, Request\n"
        "class Plain:\n"
        "    info = AdapterInfo('plain', {'openai-chat': {'blocking'}})\n"
        "    def build_request(self, provider, conversation, *, stream):\n"
        "        return Request.post_json('https://x', {'said': [turn.text for turn in conversation.turns]})\n"
        "    def parse_response(self, provider, response):\n"
        "        return AssistantTurn(text='hi')\n"
    )
    code = (
        f"sys.path.append({str(tmp_path)!r})\n"
        "from conformance.adapters.stdio.serve import main\n"
        "sys.exit(main(['python:plain:Plain']))\n"
    )
    start = f"import sys; sys.path.insert(0, {str(folder)!r})\n"
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", start + code],
        input=json.dumps(asked) + "\n", capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout)["result"]["adapter"]["name"] == "plain", done.stderr


@pytest.mark.slow
def test_an_old_sdk_keeps_its_own_versions_and_nothing_of_ours_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """openai 1.54.0 (4 November 2024) hands ``proxies`` to httpx, which httpx 0.28 does not take any more."""
    monkeypatch.setenv("CONFORMANCE_ENVS", str(tmp_path))
    if main(["env", "openai", "--version", "1.54.0"]) != 0:
        pytest.skip(f"no package index: {capfd.readouterr().err.strip()[-200:]}")
    python = find("env:openai@1.54.0").python
    assert python is not None
    # as it was then, whatever the index knows of dates
    installer_of(python.parents[1]).install(["httpx==0.27.0"], None)
    ask = "from importlib.metadata import distributions as d; print(*sorted({x.name.lower() for x in d()}))"
    told = "from importlib.metadata import version as v; print(v('openai'), v('httpx'))"

    def seen(code: str) -> str:
        return subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True).stdout.strip()

    before = seen(ask)
    assert seen(told) == "1.54.0 0.27.0"
    capfd.readouterr()
    few = ["--scenario", "shell.success", "--provider", "openai-chat"]
    code = main(["run", "env:openai@1.54.0", *few, "--format", "json"])
    result = json.loads(capfd.readouterr().out)
    contract = next(cell for cell in result["cells"] if cell["rule"] == "common.adapter.completes")
    assert code in (0, 1)
    assert contract["outcome"] == "pass" and contract["cases"]["pass"] > 3
    assert result["adapters"][0]["version"] == "1.54.0"
    assert (seen(told), seen(ask)) == ("1.54.0 0.27.0", before)
    ours = {"toolcall-conformance", "msgspec", "pyyaml", "jsonschema-rs", "orjson", "rich", "starlette", "zstandard"}
    assert not ours & set(before.split())
