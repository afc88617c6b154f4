"""Tools that really run, for real models: files in a temporary folder that cannot be left, the rest from the script.

The folder stands for the root of the file system: ``/srv/app/a.txt`` is a file in it, and results name it so. What the
script reads is there when the play begins. A shell runs only where the user allows it, without the environment's
secrets; otherwise it answers what the script has it answer.

Whatever a model writes gets an answer within a limit: each call runs in a process of its own
(`conformance.processes.confined`), and nothing that it started is there after it.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.model import ImagePart, Json, Part, TextPart, ToolCall, ToolResult
from conformance.processes.confined import Limits, run_confined
from conformance.processes.running import MODULE, Sizes
from conformance.scenarios import AnswerStep, ResultsStep, Scenario, ScriptResult
from conformance.script import ScriptTurn
from conformance.session import file_tools
from conformance.session.file_tools import (
    MAX_FILE,
    TOOLS,
    ToolArguments,
    ToolError,
    located,
    make_folders,
    number,
    text,
)

MEGABYTE = 1_000_000
FILE_LIMITS = Limits(5, 8 * MEGABYTE, Sizes(memory=1_000 * MEGABYTE, file=10 * MEGABYTE))
SHELL_LIMITS = Limits(10, MAX_FILE, Sizes(memory=4_000 * MEGABYTE, file=100 * MEGABYTE))
MAX_ARGUMENTS = 8 * MEGABYTE
"""How many bytes the arguments of a call may have."""
TOLD = 10_000
"""How many characters of what a killed command said are told."""
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


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
        """What a call of a model returns."""
        if call.arguments is None:
            return _error(call, "the arguments are not JSON")
        if call.name == "run_shell_command" and self.allow_shell:
            said = file_tools.outcome(lambda: self._shell(call.arguments or {}))
        elif call.name in TOOLS:
            said = file_tools.outcome(lambda: self._file_tool(call.name, call.arguments or {}))
        else:
            return self._from_script(call)
        if "error" in said:
            return _error(call, f"Error: {said['error']}")
        return ToolResult(call.id, call.name, _parts(said))

    def _from_script(self, call: ToolCall) -> ToolResult:
        left = self._scripted.get(call.name)
        if not left:
            return _error(call, "Error: nothing to answer with")
        result = left.pop(0) if len(left) > 1 else left[0]
        return ToolResult(call.id, call.name, result.content, result.is_error)

    def _file_tool(self, name: str, arguments: ToolArguments) -> dict[str, Json]:
        asked = json.dumps({"tool": name, "arguments": arguments}).encode()
        if len(asked) > MAX_ARGUMENTS:
            raise ToolError("the arguments are too large")
        ended = run_confined((MODULE, file_tools.__name__), self.root, ENVIRONMENT, FILE_LIMITS, asked)
        if ended.late:
            raise ToolError(f"it took more than {FILE_LIMITS.seconds:g} s")
        if ended.code or ended.cut:
            raise ToolError("that is too large, or too deep")
        said: dict[str, Json] = json.loads(ended.output)
        return said

    def _shell(self, arguments: ToolArguments) -> dict[str, Json]:
        command = text(arguments, "command")
        if "\0" in command:
            raise ToolError("not a command")
        os.fsencode(command)
        folder = located(self.root, arguments.get("directory") or "/")
        environment = {**ENVIRONMENT, "HOME": str(self.root)}
        ended = run_confined(("/bin/sh", "-c", command), folder, environment, SHELL_LIMITS)
        said = ended.output.decode("utf-8", "replace")
        if ended.late or ended.cut:
            why = f"took more than {SHELL_LIMITS.seconds:g} s" if ended.late else f"said more than {MAX_FILE} bytes"
            raise ToolError(f"it {why} and was killed", said[:TOLD])
        return {"text": f"{said}\nexit code {ended.code}" if ended.code else said}

    # --- what the script expects to find -----------------------------------------------------------------------------

    def _seed(self, tool: str, arguments: ToolArguments, result: ScriptResult) -> None:
        words = "".join(part.text for part in result.content if isinstance(part, TextPart))
        images = [part.data for part in result.content if isinstance(part, ImagePart)]
        match tool:
            case "read_file":
                self._put(arguments.get("absolute_path"), images[0] if images else words.encode("utf-8", "replace"))
            case "read_many_files":
                for name, content in re.findall(r"^--- (\S+) ---\n(.*?)(?=^--- |\Z)", words, re.DOTALL | re.MULTILINE):
                    self._put(name, content.encode("utf-8", "replace"))
            case "replace":
                times = number(arguments, "expected_replacements", 1)
                self._put(arguments.get("file_path"), text(arguments, "old_string").encode() * times)
            case "search_file_content":
                for name, line in re.findall(r"^(\S+?):\d+:\s?(.*)$", words, re.MULTILINE):
                    self._put(name, f"{line}\n".encode(), more=True)

    def _put(self, name: Json, data: bytes, *, more: bool = False) -> None:
        path = located(self.root, name)
        make_folders(self.root, path.parent)
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


def _parts(said: Mapping[str, Json]) -> tuple[Part, ...]:
    """What a tool said, as the model gets it."""
    if "image" in said:
        return (ImagePart(str(said["image"]), base64.b64decode(str(said["data"]))),)
    return (TextPart(str(said["text"])),)


def _error(call: ToolCall, words: str) -> ToolResult:
    return ToolResult(call.id, call.name, (TextPart(words),), is_error=True)
