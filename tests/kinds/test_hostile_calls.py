"""Whatever a model writes: each call is answered within its limit, and leaves no process behind."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.files.scratch import folder_for_a_while, remove_tree
from conformance.model import Json, ToolCall, ToolResult, result_text
from conformance.processes import keeper
from conformance.scenarios import load_scenarios
from conformance.session import workspace
from conformance.session.file_tools import MAX_FILE
from conformance.session.workspace import Workspace

WAYS = ("namespace", "group")
SLACK = 6.0
"""How many seconds more than its limit a call may take, on a machine that does other work too."""


def tools(root: Path, *, shell: bool = False) -> Workspace:
    """The tools of a scenario in ``root``."""
    return Workspace(root, load_scenarios()["shell.success"], shell)


def answered(root: Path, name: str, *, shell: bool = False, **arguments: Json) -> ToolResult:
    """What a call returns, which must come in time."""
    begun = time.monotonic()
    said = tools(root, shell=shell).run(ToolCall("1", name, arguments))
    limits = workspace.SHELL_LIMITS if shell else workspace.FILE_LIMITS
    assert time.monotonic() - begun < limits.seconds + SLACK
    assert len(result_text(said)) < MAX_FILE + workspace.TOLD
    return said


def prepare(root: Path) -> None:
    """A workspace in which a shell has been busy."""
    (root / "plain.txt").write_text("a" * 5000)
    os.mkfifo(root / "fifo")
    (root / "loop").symlink_to("loop")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "round").mkdir()
    (root / "round" / "again").symlink_to(root / "round")
    os.mkfifo(root / "round" / "fifo")
    (root / "sparse").touch()
    os.truncate(root / "sparse", 50_000_000_000)
    (root / "null").symlink_to("/dev/null")
    (root / "zero").symlink_to("/dev/zero")
    (root / "folder.txt").mkdir()
    (root / "closed").mkdir(mode=0)


def deep(root: Path) -> None:
    """Folders deeper than paths may be long."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(150):
        os.mkdir("d" * 100, dir_fd=here)
        inner = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("a.txt", os.O_CREAT, dir_fd=here))
    os.close(here)


def nested(depth: int) -> Json:
    value: Json = 1
    for _ in range(depth):
        value = [value]
    return value


ODD_PATHS = ["fifo", "loop", "one", "sparse", "null", "zero", "folder.txt", "/", ".", "x" * 300, "x" * 100_000]
ODD_PATHS += ["d/" * 1500, "plain.txt/x", "one/x", "\ud800", "round/again/again/again/fifo", "a/" * 200 + "b"]


@pytest.mark.parametrize("tool", ["read_file", "read_many_files", "write_file", "replace"])
def test_odd_files_are_errors_for_the_model(tmp_path: Path, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All in one process of the tools, which would take long to start for each."""
    prepare(tmp_path)
    monkeypatch.setattr(workspace, "run_confined", _here)
    for name in ODD_PATHS:
        where: dict[str, Json] = {"absolute_path": name, "file_path": name, "paths": [name]}
        said = answered(tmp_path, tool, content="x", old_string="x", new_string="y", **where)
        assert said.is_error or (tool, name) == ("write_file", "sparse"), name
        assert len(result_text(said)) < 400
    assert not (tmp_path / "a").exists()


def _here(command: Any, folder: Path, environment: Any, limits: Any, said: bytes) -> Any:
    """Run a call of a file tool in this process."""
    import io
    import json
    import sys

    from conformance.processes.confined import ConfinedResult
    from conformance.session import file_tools

    before, out = Path.cwd(), io.StringIO()
    os.chdir(folder)
    streams = sys.stdin, sys.stdout
    sys.stdin, sys.stdout = io.StringIO(said.decode()), out
    try:
        file_tools.main()
    finally:
        sys.stdin, sys.stdout = streams
        os.chdir(before)
    json.loads(out.getvalue())
    return ConfinedResult(out.getvalue().encode(), 0)


HUGE = "b" * 2_000_000
ODD_CALLS: list[tuple[str, dict[str, Json]]] = [
    ("read_file", {"absolute_path": nested(50_000)}),
    ("read_file", {"absolute_path": "/plain.txt", "offset": 10**4500}),
    ("read_many_files", {"paths": ["/plain.txt"] * 1000}),
    ("read_many_files", {"paths": [], "include": ["*" * 5000]}),
    ("read_many_files", {"paths": [], "include": ["["  * 2000]}),
    ("read_many_files", {"paths": [], "exclude": ["a*" * 2000]}),
    ("write_file", {"file_path": "/big.txt", "content": HUGE}),
    ("write_file", {"file_path": "/big.txt", "content": HUGE * 10}),
    ("write_file", {"file_path": "/odd.txt", "content": "\ud800"}),
    ("replace", {"file_path": "/plain.txt", "old_string": "a", "new_string": HUGE, "expected_replacements": 5000}),
    ("replace", {"file_path": "/plain.txt", "old_string": "a", "new_string": "", "expected_replacements": -1}),
    ("search_file_content", {"pattern": "(" * 900 + ")" * 900}),
    ("search_file_content", {"pattern": "a" * 100_000}),
    ("search_file_content", {"pattern": "a{1,99999999999999999999}"}),
    ("search_file_content", {"pattern": "(?P<a>"}),
    ("search_file_content", {"pattern": "a", "include": ""}),
    ("search_file_content", {"pattern": "a", "include": "[a" * 2000}),
]


@pytest.mark.parametrize("number", range(len(ODD_CALLS)))
def test_odd_calls_are_errors_for_the_model(tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain.txt").write_text("a" * 5000)
    monkeypatch.setattr(workspace, "run_confined", _here)
    name, arguments = ODD_CALLS[number]
    said = answered(tmp_path, name, **arguments)
    assert said.is_error or "offset" in arguments
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain.txt"]
    assert (tmp_path / "plain.txt").read_text() == "a" * 5000


SLOW: list[tuple[str, dict[str, Json]]] = [
    ("search_file_content", {"pattern": "(a|a)*$b"}),
    ("search_file_content", {"pattern": "(a*)*b"}),
    ("read_many_files", {"paths": [], "include": ["*a*a*a*a*a*a*a*a*a*a*b" * 20]}),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", range(len(SLOW)))
def test_a_slow_pattern_is_ended(tmp_path: Path, number: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(keeper.WAY_VARIABLE, way)
    monkeypatch.setattr(workspace, "FILE_LIMITS", replace(workspace.FILE_LIMITS, seconds=0.7))
    (tmp_path / "plain.txt").write_text("a" * 5000)
    (tmp_path / ("a" * 200)).touch()
    name, arguments = SLOW[number]
    said = answered(tmp_path, name, **arguments)
    assert said.is_error or name == "read_many_files"


def test_folders_that_are_too_deep_are_told_and_removed(tmp_path: Path) -> None:
    deep(tmp_path)
    assert "too deep" in result_text(answered(tmp_path, "search_file_content", pattern="x"))
    remove_tree(tmp_path)
    assert not tmp_path.exists()


def test_whatever_is_in_a_folder_it_can_be_removed(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("kept")
    with folder_for_a_while() as folder:
        prepare(folder)
        (folder / "out").symlink_to(tmp_path)
        (folder / "closed" / "inner").mkdir(parents=True)
        (folder / "closed").chmod(0)
    assert not folder.exists()
    assert (tmp_path / "kept.txt").read_text() == "kept"


# --- shells ----------------------------------------------------------------------------------------------------------

STAYS = "trap '' TERM HUP INT; echo $$ > {0}; sleep 1000"
BACKGROUND: list[str] = [
    f"sh -c \"{STAYS}\" & ",
    f"nohup sh -c \"{STAYS}\" > /dev/null 2>&1 &",
    f"setsid sh -c \"{STAYS}\" > /dev/null 2>&1 < /dev/null &",
    f"(setsid sh -c \"{STAYS}\" &) > /dev/null 2>&1",
]


def _ended(mark: str) -> bool:
    """Whether no process has ``mark`` in its command line."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                return False
        except OSError:
            continue
    return True


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("number", range(len(BACKGROUND)))
def test_background_children_end_with_the_command(
    tmp_path: Path, number: int, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(keeper.WAY_VARIABLE, way)
    mark = tmp_path / "stayed"
    command = f"{BACKGROUND[number].format(mark)}\nwhile [ ! -s {mark} ]; do sleep 0.02; done; echo done"
    said = answered(tmp_path, "run_shell_command", shell=True, command=command)
    assert (result_text(said), said.is_error) == ("done\n", False)
    assert _ended(str(mark))


KILLED: dict[str, tuple[str, str]] = {
    "hangs": ("echo before; sleep 1000", "before"),
    "hangs without output": ("exec >&- 2>&-; sleep 1000", ""),
    "ignores signals": ("trap '' TERM INT HUP; while :; do sleep 1; done", ""),
    "says too much": ("yes", "y"),
    "says too much at once": ("head -c 50000000 /dev/zero | tr '\\0' x", "x"),
    "starts more and more": ("f() { sleep 0.05; f & sleep 1000; }; f", ""),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", KILLED)
def test_a_command_that_does_not_end_is_killed(
    tmp_path: Path, name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(keeper.WAY_VARIABLE, way)
    monkeypatch.setattr(workspace, "SHELL_LIMITS", replace(workspace.SHELL_LIMITS, seconds=0.7))
    command, before = KILLED[name]
    said = answered(tmp_path, "run_shell_command", shell=True, command=f": {tmp_path}; {command}")
    assert said.is_error
    assert "was killed" in result_text(said)
    assert before in result_text(said)
    until = time.monotonic() + SLACK
    while not _ended(f": {tmp_path};"):
        assert time.monotonic() < until


ODD_COMMANDS: list[Json] = ["", "\0", "\ud800", "x" * 3_000_000, "exit 3", "kill -9 $$", "(", nested(10), None, "cat"]


@pytest.mark.parametrize("number", range(len(ODD_COMMANDS)))
def test_odd_commands_are_answered(tmp_path: Path, number: int) -> None:
    assert isinstance(
        answered(tmp_path, "run_shell_command", shell=True, command=ODD_COMMANDS[number]), ToolResult
    )


@pytest.mark.parametrize("folder", ["/nowhere", "/plain", "/..", "/loop", 5, "x" * 5000])
def test_odd_folders_of_commands_are_errors(tmp_path: Path, folder: Json) -> None:
    (tmp_path / "plain").touch()
    (tmp_path / "loop").symlink_to("loop")
    said = answered(tmp_path, "run_shell_command", shell=True, command="pwd", directory=folder)
    assert said.is_error or result_text(said).strip() == str(tmp_path)


def test_a_command_sees_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in its parents' either."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-value")
    command = "cat /proc/$PPID/environ /proc/self/environ; env"
    assert "sk-secret" not in result_text(answered(tmp_path, "run_shell_command", shell=True, command=command))
