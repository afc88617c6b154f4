"""Runs against releases that our shim does not fit, or that do not run as installed: small libraries in the path."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance.cli import main
from conformance.documents import Document
from conformance.report import summary
from conformance.report.markdown import markdown
from conformance.result import problems

ROOT = """
    class ResponseError(Exception): ...
    class Message: ...
    class ChatResponse: ...
    class AsyncClient:
        def __init__(self, **options): ...
"""
DOOR = """
    if "Client" in globals():
        chat = Client().chat
"""
NO_TOOLS = """
    class Client:
        def __init__(self, **options): ...
        def chat(self, model, messages): ...
"""
BROKEN = """
    class Client:
        def __init__(self, **options): ...
        def chat(self, **options): return self._sent(**options)
        def _sent(self, model): ...
"""
NO_CLIENT = ""
ANSWERS_NOTHING = """
    class Client:
        def __init__(self, **options): ...
        def chat(self, **options): ...
"""
INCOMPLETE = "    import acme_extra"
ASKS_THE_NETWORK = """
    import socket
    class Client:
        def __init__(self, **options): ...
        def chat(self, **options): socket.create_connection(("prices.invalid", 443), timeout=5)
"""

OLD, NEW = "0.0.1", "99.0.0"
"""Before and after the release that the shim was written for."""

Played = Callable[..., Any]


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """A run of a few cases with a library of that source in the place of Ollama's."""

    def play(source: str, version: str = OLD) -> Any:
        for folder in ("ollama", f"ollama-{version}.dist-info"):
            (tmp_path / folder).mkdir()
        text = textwrap.dedent(ROOT) + textwrap.dedent(source) + textwrap.dedent(DOOR)
        (tmp_path / "ollama/__init__.py").write_text(text, "utf-8")
        about = f"Metadata-Version: 2.1\nName: ollama\nVersion: {version}\nRequires-Dist: httpx\n"
        (tmp_path / f"ollama-{version}.dist-info/METADATA").write_text(about, "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        asked: dict[str, Any] = {"scenarios": "shell.success", "generated": "none", "jobs": 1}
        return conformance.run("ollama", deliveries=("blocking", "stream:whole"), **asked).finish()

    return play


def obstacles(document: Document) -> list[tuple[str, bool]]:
    """The kinds that were met, and whether in a case or when the adapter was loaded."""
    assert not list(problems("result", document))
    return sorted({(met["kind"], bool(met["cases"])) for met in document["adapters"][0].get("obstacles", [])})


@pytest.mark.parametrize(
    ("source", "met", "code"),
    [
        (NO_TOOLS, [("misfit", True)], 5),
        (NO_CLIENT, [("misfit", False)], 5),
        (INCOMPLETE, [("installation", False)], 1),
        (ASKS_THE_NETWORK, [("network", True)], 4),
    ],
    ids=["no tools", "no client", "incomplete", "network"],
)
def test_what_is_no_fault_of_conversations_blames_no_cell(
    played: Played, source: str, met: list[tuple[str, bool]], code: int
) -> None:
    result = played(source)
    assert (obstacles(result.document), result.exit_code) == (met, code)
    assert {cell["outcome"] for cell in result.document["cells"]} <= {"unsupported", "not_applicable"}
    assert {cell["lack"] for cell in result.document["cells"] if "lack" in cell} <= {kind for kind, _ in met}


def test_a_library_that_is_broken_inside_is_blamed(played: Played) -> None:
    result = played(BROKEN)
    assert (obstacles(result.document), result.exit_code) == ([], 1)
    assert "error" in {cell["outcome"] for cell in result.document["cells"]}


def test_what_our_shim_cannot_take_of_an_old_release_is_nobodys(played: Played) -> None:
    result = played(ANSWERS_NOTHING, OLD)
    assert (obstacles(result.document), result.exit_code) == ([("misfit", True)], 5)
    assert {cell["outcome"] for cell in result.document["cells"]} <= {"unsupported", "not_applicable"}


def test_what_our_shim_cannot_take_of_a_new_release_is_the_librarys(played: Played) -> None:
    result = played(ANSWERS_NOTHING, NEW)
    assert (obstacles(result.document), result.exit_code) == ([], 1)
    assert "error" in {cell["outcome"] for cell in result.document["cells"]}


def test_a_misfit_says_what_to_do(played: Played) -> None:
    document = played(NO_TOOLS).document
    [line, *_] = summary.obstacles(document)
    assert line.startswith("ollama 0.0.1: this shim does not fit this release: TypeError: ")
    assert "the library is not blamed" in line
    assert "got an unexpected keyword argument" in markdown(document)
    assert summary.conclusion(document) == "a shim does not fit"


def test_the_command_line_has_a_code_of_its_own(
    played: Played, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    played(NO_CLIENT)
    assert main(["run", "ollama", "--out", str(tmp_path / "result.json")]) == 5
    assert "this shim does not fit this release: AttributeError" in capsys.readouterr().out
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["run"]["exit_code"] == 5
