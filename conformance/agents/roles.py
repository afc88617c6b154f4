"""The roles that a script's calls have, and how agents call the tools for them: names and parameters, as tables.

The names are those that coding agents declare (the tables of reports/agents have them by agent and date). A name is
compared without case and underscores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

RoleName = Literal[
    "shell", "read", "read_many", "write", "edit", "grep", "view_image", "unknown_tool", "ask_user", "finish"
]


@dataclass(frozen=True, slots=True)
class RoleForm:
    """What a call of a role says (``values``, by the script's words), and how tools of that role are called.

    ``optional`` are values that a tool need not have a parameter for.
    """

    values: tuple[str, ...]
    tools: tuple[str, ...]
    optional: tuple[str, ...] = ()


ROLES: Mapping[RoleName, RoleForm] = {
    "shell": RoleForm(("command",), (
        "run_shell_command", "bash", "shell", "shell_command", "exec_command", "execute_command", "run_command",
        "run_commands", "run_terminal_command", "run_terminal_cmd", "terminal", "execute_bash", "exec", "sh",
    )),
    "read": RoleForm(("path",), (
        "read_file", "read", "view_file", "view", "open_file", "file_read", "cat", "read_files", "file_editor",
        "read_many_files",
    )),
    "read_many": RoleForm(("paths",), ("read_many_files", "read_files")),
    "write": RoleForm(("path", "content"), (
        "write_file", "write", "create_file", "create_new_file", "write_to_file", "file_write", "save_file", "editor",
        "save",
    )),
    "edit": RoleForm(("path", "old", "new"), (
        "edit", "replace", "edit_file", "edit_existing_file", "single_find_and_replace", "multi_edit", "str_replace",
        "search_replace", "str_replace_file", "replace_in_file", "editor",
    )),
    "grep": RoleForm(("pattern", "path"), (
        "grep", "grep_search", "search_file_content", "grep_code", "search_code", "search_codebase", "ripgrep",
        "search_files", "code_search", "search",
    ), optional=("path",)),
    "view_image": RoleForm(("path",), (
        "view_image", "read_media_file", "read_image", "read_file", "read", "view_file", "view", "read_files",
        "read_many_files",
    )),
    "ask_user": RoleForm(("question",), (
        "ask_user", "ask_user_question", "ask_question", "question", "request_user_input", "ask_followup_question",
    )),
    "finish": RoleForm(("text",), (
        "attempt_completion", "finish", "complete_task", "submit", "final_answer", "submit_and_exit", "task_complete",
        "complete",
    ), optional=("text",)),
    "unknown_tool": RoleForm((), ()),
}  # fmt: skip
"""A tool of several roles stands in each; `conformance.agents.binding` asks its schema whether it takes the values."""

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "command": ("command", "cmd", "script", "commands", "code", "input"),
    "path": (
        "file_path", "absolute_path", "path", "filepath", "file_name", "filename", "file", "target_file", "dir_path",
        "directory", "uri", "files", "paths", "include",
    ),
    "paths": ("paths", "include", "files", "file_paths", "absolute_paths"),
    "content": ("content", "contents", "file_text", "text", "file_content", "new_text", "new_content"),
    "old": ("old_string", "old_text", "old_str", "old", "search", "target"),
    "new": ("new_string", "new_text", "new_str", "new", "replace", "replacement"),
    "pattern": ("pattern", "query", "regex", "search_pattern", "queries", "search_term"),
    "question": ("question", "prompt", "questions", "message"),
    "text": ("result", "summary", "message", "text", "answer", "response", "output"),
}
"""What a parameter for a value is called, the likeliest first."""


def plain_name(name: str) -> str:
    """A name without case and underscores: ``filePath`` is ``file_path``."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
