"""Roles become calls of the tools that agents really declare: names and schemas of 2026-11-26."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from every import every

from conformance.agents.binding import Binder, RecipeTool
from conformance.agents.roles import RoleName
from conformance.agents.script import Effect, RoleCall
from conformance.model import TEXT_INPUT
from conformance.wires.facts import Facts, SentTool

WORK = Path("/w")
TEXT = {"type": "string"}
CALLS: dict[RoleName, dict[str, Any]] = {
    "shell": {"command": "ls"},
    "read": {"path": "a.txt"},
    "read_many": {"paths": ["a.txt", "b.txt"]},
    "write": {"path": "a.txt", "content": "x"},
    "edit": {"path": "a.txt", "old": "x", "new": "y"},
    "grep": {"pattern": "x", "path": "."},
}


def declared(name: str, required: tuple[str, ...] | None = None, **properties: Any) -> SentTool:
    """A declared tool."""
    names = list(properties) if required is None else list(required)
    schema = {"type": "object", "properties": properties, "required": names}
    return SentTool("/tools/0", "function", name, schema=schema)


CASES: dict[str, tuple[RoleName, SentTool, Any]] = {
    "gemini-cli shell": ("shell", declared("run_shell_command", command=TEXT, is_background={"type": "boolean"}),
                         {"command": "ls", "is_background": False}),
    "codex shell": ("shell", declared("exec_command", cmd=TEXT), {"cmd": "ls"}),
    "words of a command": ("shell", declared("shell", command={"type": "array", "items": TEXT}),
                           {"command": ["bash", "-lc", "ls"]}),
    "opencode read": ("read", declared("read", filePath=TEXT), {"filePath": "/w/a.txt"}),
    "a list of files": ("read", declared("read_files", files={"type": "array", "items": {
        "type": "object", "properties": {"path": TEXT}, "required": ["path"]}}), {"files": [{"path": "/w/a.txt"}]}),
    "several files": ("read_many", declared("read_many_files", include={"type": "array", "items": TEXT}),
                      {"include": ["/w/a.txt", "/w/b.txt"]}),
    "claude-code edit": ("edit", declared("Edit", file_path=TEXT, old_string=TEXT, new_string=TEXT),
                         {"file_path": "/w/a.txt", "old_string": "x", "new_string": "y"}),
    "pi edit": ("edit", declared("edit", path=TEXT, edits={"type": "array", "items": {
        "type": "object", "properties": {"oldText": TEXT, "newText": TEXT}, "required": ["oldText", "newText"]}}),
        {"path": "/w/a.txt", "edits": [{"oldText": "x", "newText": "y"}]}),
    "a folder is optional": ("grep", declared("grep", pattern=TEXT), {"pattern": "x"}),
    "gemini's types": ("write", declared("write_file", file_path={"type": "STRING"}, content={"type": "STRING"}),
                       {"file_path": "/w/a.txt", "content": "x"}),
    "what lacks a parameter is not called": ("write", declared("write", path=TEXT), None),
    "what is not declared is not called": ("edit", declared("read", path=TEXT), None),
}  # fmt: skip


def _call(role: RoleName, **values: Any) -> RoleCall:
    return RoleCall(role, values or CALLS[role], Effect())


def test_a_role_is_bound_by_name_and_schema() -> None:
    def bound(role: RoleName, tool: SentTool, arguments: Any) -> None:
        call = Binder({}, WORK).bound(_call(role), Facts(tools=[tool]))
        assert (None if call is None else call.arguments) == arguments

    every(CASES, bound)


def test_a_recipe_says_which_tool_which_arguments_and_which_command() -> None:
    facts = Facts(tools=[declared("go", cmd=TEXT), declared("bash", command=TEXT),
                         SentTool("/tools/2", "custom", "apply_patch", takes_text=True)])  # fmt: skip
    recipe = {
        "read": RecipeTool("go", {"cmd": "cat ${path}"}),
        "grep": RecipeTool(command="grep ${pattern_quoted} ${path_quoted}"),
        "edit": RecipeTool("apply_patch", text="*** ${path}\n${old_removed}\n${new_added}"),
    }
    binder = Binder(recipe, WORK)
    read, grep = (binder.bound(_call(role), facts) for role in ("read", "grep"))
    edit = binder.bound(_call("edit", path="a", old="1\n2", new="3"), facts)
    assert read is not None and (read.tool, read.arguments) == ("go", {"cmd": "cat /w/a.txt"})
    assert grep is not None and (grep.tool, grep.arguments) == ("bash", {"command": "grep x /w"})
    assert edit is not None and edit.takes_text and edit.arguments == {TEXT_INPUT: "*** /w/a\n-1\n-2\n+3"}


def test_an_unknown_tool_is_never_one_that_is_declared() -> None:
    facts = Facts(tools=[declared("launch")])
    call = Binder({}, WORK).bound(_call("unknown_tool", tool="launch", arguments={"at": "${workspace}/x"}), facts)
    assert call is not None and (call.tool, call.arguments) == ("launch_x", {"at": "/w/x"})
