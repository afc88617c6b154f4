"""Tools that really run stay in their folder, and do what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.model import ImagePart, Json, ToolCall, ToolResult, result_text
from conformance.scenarios import load_scenarios
from conformance.session.workspace import Workspace


def workspace(root: Path, scenario: str = "shell.success", *, shell: bool = False) -> Workspace:
    """The tools of a scenario in ``root``."""
    return Workspace(root, load_scenarios()[scenario], shell)


def run(tools: Workspace, name: str, **arguments: Json) -> ToolResult:
    """Call a tool."""
    return tools.run(ToolCall("1", name, arguments))


OUTSIDE = ["../secret.txt", "/../secret.txt", "a/../../secret.txt", "/srv/../../secret.txt", "link/secret.txt", "file"]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("tool", ["read_file", "read_many_files", "write_file", "replace"])
def test_nothing_outside_is_read_or_written(tmp_path: Path, tool: str, name: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    (root / "file").symlink_to(secret)
    said = run(
        workspace(root), tool, absolute_path=name, paths=[name], file_path=name, content="x", old_string="hidden",
        new_string="x",
    )  # fmt: skip
    assert "hidden" not in result_text(said)
    assert secret.read_text() == "hidden"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["root", "secret.txt"]


def test_search_does_not_follow_links(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hidden")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    assert result_text(run(workspace(root), "search_file_content", pattern="hid")) == "No matches"


def test_files_are_written_changed_found_and_read(tmp_path: Path) -> None:
    tools = workspace(tmp_path)
    run(tools, "write_file", file_path="/srv/a.txt", content="one\ntwo\n")
    assert run(tools, "replace", file_path="/srv/a.txt", old_string="two", new_string="zwei").is_error is False
    assert result_text(run(tools, "read_file", absolute_path="/srv/a.txt", offset=1)) == "zwei\n"
    assert result_text(run(tools, "search_file_content", pattern="^z", path="/srv")) == "/srv/a.txt:2:zwei"
    assert run(tools, "replace", file_path="/srv/a.txt", old_string="three", new_string="").is_error
    many = run(tools, "read_many_files", paths=[], include=["*.txt"])
    assert result_text(many) == "--- /srv/a.txt ---\none\nzwei\n"


def test_what_the_script_reads_is_there(tmp_path: Path) -> None:
    tools = workspace(tmp_path, "read_many_files.two_files")
    said = run(tools, "read_many_files", paths=["/srv/app/a.txt", "/srv/app/b.txt"])
    assert "first file" in result_text(said)
    assert "second file" in result_text(said)


def test_a_picture_is_read_as_a_picture(tmp_path: Path) -> None:
    tools = workspace(tmp_path)
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    assert run(tools, "read_file", absolute_path="/a.png").content == (ImagePart("image/png", b"\x89PNG"),)


def test_a_shell_runs_only_when_it_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    command = "touch made; echo $OPENAI_API_KEY; pwd"
    run(workspace(tmp_path), "run_shell_command", command=command)
    assert list(tmp_path.iterdir()) == []
    said = result_text(run(workspace(tmp_path, shell=True), "run_shell_command", command=command))
    assert said.strip() == str(tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "made"]


@pytest.mark.parametrize("tool", ["read_file", "replace", "search_file_content", "x"])
@pytest.mark.parametrize("arguments", [None, {}, {"absolute_path": 1, "paths": "x", "pattern": "(", "file_path": "\0"}])
def test_whatever_a_model_sends_gets_an_answer(tmp_path: Path, tool: str, arguments: Json) -> None:
    assert isinstance(workspace(tmp_path).run(ToolCall("1", tool, arguments)), ToolResult)
