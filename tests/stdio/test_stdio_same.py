"""The same logic gives the same matrix, in-process and through stdio, in Python and in other languages.

``inside`` is a play in this process, with nothing between the adapter and the judge.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.addresses import find_adapter
from conformance.cli import main
from conformance.engine.cases import Selection
from conformance.scenarios import written_scenarios
from conformance.wires import PROVIDERS, cards

KINDS = Path(__file__).parents[1] / "kinds"
sys.path.append(str(KINDS))

from playing import Played, play  # noqa: E402

SERVE = f"{sys.executable} -m conformance.adapters.stdio.serve"
BUILD_SECONDS = 300

pytestmark = pytest.mark.slow


EVERYTHING = Selection(generated="none")
OWN_WAYS = ("errors.*", "quirks.*", "reasoning.*")
"""The families of what providers say each in their own way."""
OF_EACH_FAMILY = 2
"""How many scenarios of every other family are played. What is carried is the same for all."""

Cells = dict[tuple[str, str], dict[str, int]]
"""The cases of each cell, provider and rule, by their outcome."""


def options(selection: Selection) -> list[str]:
    """A selection as words of the command line."""
    chosen = {"provider": selection.providers, "scenario": selection.scenarios, "delivery": selection.deliveries}
    words = [word for option, names in chosen.items() for name in names for word in (f"--{option}", name)]
    return ["--generated", selection.generated, *words]


def run(address: str, folder: Path, selection: Selection = EVERYTHING) -> dict[str, Any]:
    """The result of a run from ``folder``."""
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", address, "--format", "json", *options(selection)],
        cwd=folder, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


ONLY_OURS = ("common.adapter.leaves-what-it-is-given", "common.stream.stopping-ends-it")
"""What only our own child sees, which serves adapters in Python: the others' objects, and chunks that they could close,
are in their own processes."""


def matrix(result: dict[str, Any]) -> Cells:
    """The cells of a run in which something was examined. What the adapter does not declare is none of it."""
    cells = {(cell["provider"], cell["rule"]): Counter(cell["cases"]) for cell in result["cells"]}
    for cases in cells.values():
        del cases["unsupported"]
    return {place: dict(cases) for place, cases in cells.items() if cases and place[1] not in ONLY_OURS}


def played_matrix(played: Played) -> Cells:
    """The same of a play in this process."""
    return {place: dict(cases) for place, cases in played.cells.items() if place[1] not in ONLY_OURS}


def test_the_reference_adapter_for_all_providers() -> None:
    """What formats say in their own way, and the first scenarios of all other families; of hosts what is their own."""
    deliveries = ("blocking", "stream:random-1")
    written = Selection(deliveries=deliveries, generated="none")
    families = groupby(sorted(written_scenarios()), lambda name: name.partition(".")[0])
    first = [name for _, names in families for name in list(names)[:OF_EACH_FAMILY]]
    formats = replace(
        written, providers=tuple(one.id for one in cards() if one.format == one.id), scenarios=(*OWN_WAYS, *first)
    )
    imitators = tuple(one.id for one in cards() if one.format != one.id)
    hosts = replace(written, providers=imitators, scenarios=("shell.success", *OWN_WAYS[1:]))
    assert {*formats.providers, *hosts.providers} == set(PROVIDERS)
    for selection in (formats, hosts):
        outside = play(f"stdio:{SERVE} reference", selection)
        assert played_matrix(outside) == played_matrix(play("reference", selection))
        assert {provider for provider, _ in outside.cells} == set(selection.providers)


@pytest.mark.parametrize("name", ["ByHttpx", "Loop", "RunsOnlyTheFirst", "ForgetsArguments"])
def test_clients_and_agents_are_judged_alike_in_a_child(name: str) -> None:
    """Right and wrong ones: whole loops, with tools that the harness runs, and requests that come over loopback."""
    scenarios = ("parallel_calls.*", "shell.*", "binary_image.*")
    few = Selection(("openai-chat", "gemini"), scenarios, deliveries=("blocking", "stream:per-event"), generated="none")
    inside = play(f"python:own_kinds:{name}", few)
    outside = run(f"stdio:{SERVE} python:own_kinds:{name}", KINDS, few)
    assert matrix(outside) == played_matrix(inside)
    assert outside["adapters"][0]["kind"] == find_adapter(f"python:own_kinds:{name}").kind
    assert bool(outside["run"]["exit_code"]) is (name not in ("ByHttpx", "Loop"))


WRONG = """
from conformance import AdapterInfo
from adapter import Adapter as Good

class Adapter(Good):
    def parse_response(self, provider, response, *, conversation=None):
        turn = super().parse_response(provider, response, conversation=conversation)
        if len(turn.calls) == 2:
            raise ValueError("two are too many")
        return turn

    def parse_stream(self, provider, chunks, *, conversation=None):
        chunks = list(chunks)
        if any(chunk.startswith(b"\\n") for chunk in chunks):
            chunks = chunks[:-1]
        return super().parse_stream(provider, chunks, conversation=conversation)
"""


def scaffold(folder: Path, language: str, name: str = "scaffold") -> Path:
    """A new adapter's folder."""
    assert main(["new", "adapter", str(folder), "--language", language, "--name", name]) == 0
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a new adapter in Python, whose modules this process finds for as long as the test takes."""
    folder = scaffold(tmp_path / "python", "python")
    monkeypatch.syspath_prepend(folder)
    yield folder
    for path in folder.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_an_adapter_that_is_wrong_is_wrong_in_the_same_cells(home: Path) -> None:
    (home / "wrong.py").write_text(WRONG)
    few = Selection(scenarios=("parallel_calls.*", "quirks.*"), deliveries=("blocking", "stream:random-1"))
    inside = play("python:wrong:Adapter", few)
    outside = run(f"stdio:{SERVE} python:wrong:Adapter", home, few)
    assert matrix(outside) == played_matrix(inside)
    assert {"pass", "error", "fail"} <= {outcome for cases in matrix(outside).values() for outcome in cases}
    [completes] = [cell for cell in outside["cells"] if cell["rule"] == "common.adapter.completes"]
    told = [failure["found"] for failure in completes["failures"]]
    assert {*told} == {str(failure.found) for failure in inside.failures["common.adapter.completes"]}
    assert {*told} == {"parse_response raised ValueError: two are too many"}


def built(folder: Path, *commands: list[str]) -> None:
    """Run the commands that build an adapter; skip when the machine cannot."""
    for command in commands:
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as problem:
            pytest.skip(f"{command[0]}: {problem}")
        if done.returncode and command[:2] == ["npm", "install"]:
            pytest.skip(f"npm cannot install here: {done.stderr.strip()[-300:]}")
        assert done.returncode == 0, done.stdout + done.stderr


def same_as_python(result: dict[str, Any], language: str) -> None:
    """A run of the new adapter in another language came to what the one in Python comes to."""
    [adapter] = result["adapters"]
    assert adapter["language"] == language
    declared = find_adapter("python:adapter:Adapter").info.capabilities
    assert adapter["capabilities"] == {provider: sorted(names) for provider, names in declared.items()}
    assert matrix(result) == played_matrix(play("python:adapter:Adapter"))


def test_typescript_gives_the_same_matrix_as_python(tmp_path: Path, home: Path) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    other = scaffold(tmp_path / "ts", "typescript")
    built(other, ["npm", "install", "--no-audit", "--no-fund"], ["npm", "run", "build"])
    same_as_python(run("stdio:node dist/main.js", other), "typescript")


def test_go_gives_the_same_matrix_as_python(tmp_path: Path, home: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    other = scaffold(tmp_path / "go", "go")
    built(other, ["go", "vet", "."], ["go", "build"])
    same_as_python(run("stdio:./scaffold", other), "go")
