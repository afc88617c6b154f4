"""Tools that really run, for real models: files in a temporary folder that cannot be left, the rest from the script.

The folder stands for the root of the file system: ``/srv/app/a.txt`` is a file in it, and results name it so. What the
script reads is there when the play begins. A shell runs only where the user allows it, without the environment's
secrets; otherwise it answers what the script has it answer.
"""

from __future__ import annotations

import fnmatch
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from conformance.model import ImagePart, Json, Part, TextPart, ToolCall, ToolResult
from conformance.scenarios import AnswerStep, ResultsStep, Scenario, ScriptResult
from conformance.script import ScriptTurn

MAX_FILE = 1_000_000
"""How many bytes a tool reads of one file, and how many characters a command may answer."""
SHELL_SECONDS = 20
IMAGES: Mapping[str, str] = {".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}

ToolOutput = tuple[Part, ...]
ToolArguments = Mapping[str, Json]


class ToolError(Exception):
    """What a tool says when it cannot do what it is asked."""


@dataclass
class Workspace:
    """The tools of one play. ``root`` is an empty folder that is theirs."""

    root: Path
    scenario: Scenario
    allow_shell: bool = False
    _scripted: dict[str, list[ScriptResult]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self.root.resolve()
        for tool, arguments, result in _scripted(self.scenario):
            self._scripted.setdefault(tool, []).append(result)
            if not result.is_error:
                self._seed(tool, arguments, result)

    def run(self, call: ToolCall) -> ToolResult:
        tools: Mapping[str, Callable[[ToolArguments], ToolOutput]] = {
            "read_file": self._read_file,
            "read_many_files": self._read_many_files,
            "write_file": self._write_file,
            "replace": self._replace,
            "search_file_content": self._search,
        }
        tool = self._shell if call.name == "run_shell_command" and self.allow_shell else tools.get(call.name)
        if call.arguments is None:
            return ToolResult(call.id, call.name, (TextPart("the arguments are not JSON"),), is_error=True)
        if tool is None:
            return self._from_script(call)
        try:
            return ToolResult(call.id, call.name, tool(call.arguments))
        except (ToolError, OSError, ValueError, re.error) as problem:
            words = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
            return ToolResult(call.id, call.name, (TextPart(f"Error: {words}"),), is_error=True)

    def _from_script(self, call: ToolCall) -> ToolResult:
        left = self._scripted.get(call.name)
        if not left:
            return ToolResult(call.id, call.name, (TextPart("Error: nothing to answer with"),), is_error=True)
        result = left.pop(0) if len(left) > 1 else left[0]
        return ToolResult(call.id, call.name, result.content, result.is_error)

    # --- files -------------------------------------------------------------------------------------------------------

    def path(self, name: Json) -> Path:
        """Where a file of the model's is. Raises `ToolError` for one outside of the folder, links included."""
        if not isinstance(name, str) or not name or "\0" in name:
            raise ToolError(f"not a path: {name!r}")
        inside = PurePosixPath("/", name).relative_to("/")
        path = (self.root / inside).resolve()
        if not path.is_relative_to(self.root):
            raise ToolError(f"{name} is outside of the workspace")
        return path

    def _shown(self, path: Path) -> str:
        return "/" + path.relative_to(self.root).as_posix()

    def _read_file(self, arguments: ToolArguments) -> ToolOutput:
        path = self.path(arguments.get("absolute_path"))
        with path.open("rb") as file:
            data = file.read(MAX_FILE)
        if path.suffix in IMAGES:
            return (ImagePart(IMAGES[path.suffix], data),)
        lines = data.decode("utf-8", "replace").splitlines(keepends=True)
        first = _number(arguments, "offset", 0)
        return (TextPart("".join(lines[first : first + _number(arguments, "limit", len(lines))])),)

    def _read_many_files(self, arguments: ToolArguments) -> ToolOutput:
        wanted = [self.path(name) for name in _names(arguments, "paths")]
        for pattern in _names(arguments, "include"):
            wanted += [path for path in self._files() if fnmatch.fnmatch(self._shown(path), f"*{pattern}")]
        for pattern in _names(arguments, "exclude"):
            wanted = [path for path in wanted if not fnmatch.fnmatch(self._shown(path), f"*{pattern}")]
        return (TextPart("\n".join(f"--- {self._shown(path)} ---\n{_content(path)}" for path in wanted)),)

    def _write_file(self, arguments: ToolArguments) -> ToolOutput:
        path, content = self.path(arguments.get("file_path")), _text(arguments, "content")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8", newline="")
        return (TextPart(f"Wrote {len(content.encode())} bytes to {self._shown(path)}"),)

    def _replace(self, arguments: ToolArguments) -> ToolOutput:
        path, old = self.path(arguments.get("file_path")), _text(arguments, "old_string")
        text = path.read_bytes().decode("utf-8")
        found, expected = text.count(old) if old else 0, _number(arguments, "expected_replacements", 1)
        if found != expected:
            raise ToolError(f"found the text {found} times, expected {expected}")
        path.write_text(text.replace(old, _text(arguments, "new_string")), "utf-8", newline="")
        return (TextPart(f"Replaced {found} in {self._shown(path)}"),)

    def _search(self, arguments: ToolArguments) -> ToolOutput:
        pattern, below = re.compile(_text(arguments, "pattern")), self.path(arguments.get("path") or "/")
        include = arguments.get("include")
        found: list[str] = []
        for path in self._files():
            if not path.is_relative_to(below) or (isinstance(include, str) and not path.match(include)):
                continue
            for number, line in enumerate(_content(path).splitlines(), 1):
                if pattern.search(line[:10_000]):
                    found.append(f"{self._shown(path)}:{number}:{line}")
        return (TextPart("\n".join(found[: _number(arguments, "max_matches", 1000)]) or "No matches"),)

    def _files(self) -> Iterator[Path]:
        """All files of the workspace. Links are left out: they may lead anywhere."""
        for path in sorted(self.root.rglob("*")):
            if path.is_file() and path.resolve() == path:
                yield path

    def _shell(self, arguments: ToolArguments) -> ToolOutput:
        done = subprocess.run(
            ["/bin/sh", "-c", _text(arguments, "command")],
            cwd=self.path(arguments.get("directory") or "/"), env={"PATH": "/usr/bin:/bin", "HOME": str(self.root)},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=SHELL_SECONDS, check=False, start_new_session=True,
        )  # fmt: skip
        said = (done.stdout + done.stderr)[:MAX_FILE].decode("utf-8", "replace")
        return (TextPart(f"{said}\nexit code {done.returncode}" if done.returncode else said),)

    # --- what the script expects to find -----------------------------------------------------------------------------

    def _seed(self, tool: str, arguments: ToolArguments, result: ScriptResult) -> None:
        text = "".join(part.text for part in result.content if isinstance(part, TextPart))
        images = [part.data for part in result.content if isinstance(part, ImagePart)]
        match tool:
            case "read_file":
                self._put(arguments.get("absolute_path"), images[0] if images else text.encode("utf-8", "replace"))
            case "read_many_files":
                for name, content in re.findall(r"^--- (\S+) ---\n(.*?)(?=^--- |\Z)", text, re.DOTALL | re.MULTILINE):
                    self._put(name, content.encode("utf-8", "replace"))
            case "replace":
                times = _number(arguments, "expected_replacements", 1)
                self._put(arguments.get("file_path"), _text(arguments, "old_string").encode() * times)
            case "search_file_content":
                for name, line in re.findall(r"^(\S+?):\d+:\s?(.*)$", text, re.MULTILINE):
                    self._put(name, f"{line}\n".encode(), more=True)

    def _put(self, name: Json, data: bytes, *, more: bool = False) -> None:
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if more else "wb") as file:
            file.write(data)


def _scripted(scenario: Scenario) -> Iterator[tuple[str, ToolArguments, ScriptResult]]:
    """The calls of a script that get a result: tool, arguments, result."""
    calls: dict[str, tuple[str, ToolArguments]] = {}
    for step in scenario.steps:
        match step:
            case AnswerStep(ScriptTurn() as turn, labels):
                calls = {
                    label: (call.tool, call.arguments or {}) for label, call in zip(labels, turn.calls, strict=False)
                }
            case ResultsStep(results):
                yield from ((*calls[result.label], result) for result in results if result.label in calls)


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MAX_FILE).decode("utf-8", "replace")


def _text(arguments: ToolArguments, name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise ToolError(f"{name} must be text")
    return value


def _number(arguments: ToolArguments, name: str, otherwise: int) -> int:
    value = arguments.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def _names(arguments: ToolArguments, name: str) -> list[str]:
    value = arguments.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
