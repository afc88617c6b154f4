"""A coding agent in a hundred lines: OpenAI's chat format over HTTP, five tools, and faults by name.

    python tiny_agent.py BASE_URL TASK [FAULT]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

Message = dict[str, Any]
Post = Callable[[dict[str, Any]], dict[str, Any]]

PARAMETERS = {
    "run_command": ("command",),
    "read_file": ("path",),
    "write_file": ("path", "content"),
    "edit_file": ("path", "old_text", "new_text"),
    "search_files": ("pattern", "path"),
}
FAULTS = (
    "drops_second_call", "hides_exit_code", "flattens", "swaps_results", "rewrites_call", "loses_output",
    "forgets", "pretends_to_write", "breaks_text", "picture_as_text", "stops_early", "goes_on", "asks_twice",
    "hides_missing_file", "hides_unknown_tool", "repeats_ids", "cuts_silently",
    "mangles_bytes", "loses_stderr",
)  # fmt: skip


def tools() -> list[dict[str, Any]]:
    """The declarations."""
    return [
        {"type": "function", "function": {"name": name, "description": name, "parameters": {
            "type": "object", "properties": {one: {"type": "string"} for one in names}, "required": list(names),
            "additionalProperties": False,
        }}}
        for name, names in PARAMETERS.items()
    ]  # fmt: skip


class TinyAgent:
    """The loop. ``post`` sends a request and gives the answer."""

    def __init__(self, post: Post, folder: Path, fault: str = "") -> None:
        self.post, self.folder, self.fault = post, folder, fault
        self.messages: list[Message] = []

    def run(self, task: str) -> str:
        """Do the task; what the model says at the end."""
        self.messages = [{"role": "system", "content": "You are an agent."}, {"role": "user", "content": task}]
        for turn in range(60):
            said = self._asked()
            if not said.get("tool_calls"):
                if self.fault == "goes_on":
                    self.messages.append({"role": "assistant", "content": said.get("content")})
                    self.messages.append({"role": "user", "content": "Are you sure?"})
                    self._asked()
                return str(said.get("content"))
            if self.fault == "stops_early" and turn == 2:
                return "I stop."
            self._goes_on(said)
        return "I am lost."

    def _asked(self) -> Message:
        request = {"model": "tiny", "messages": self.messages, "tools": tools()}
        if self.fault == "asks_twice":
            self.post(request)
        message: Message = self.post(request)["choices"][0]["message"]
        return message

    def _goes_on(self, said: Message) -> None:
        calls = said["tool_calls"]
        if self.fault == "forgets":
            self.messages.append({"role": "user", "content": "What else?"})
            return
        if self.fault == "drops_second_call":
            calls = calls[:1]
        results = [self._result(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
        if self.fault == "swaps_results" and len(results) > 1:
            results.reverse()
        if self.fault == "rewrites_call":
            calls = [{**call, "function": {**call["function"], "arguments": '{"made": "up"}'}} for call in calls]
        if self.fault == "flattens":
            told = [f"Called {one['function']['arguments']}: {text}" for one, text in zip(calls, results, strict=True)]
            self.messages += [{"role": "assistant", "content": "\n".join(told)}, {"role": "user", "content": "Go on."}]
            return
        self.messages.append({"role": "assistant", "content": said.get("content"), "tool_calls": calls})
        for call, text in zip(calls, results, strict=True):
            number = calls[0]["id"] if self.fault == "repeats_ids" else call["id"]
            self.messages.append({"role": "tool", "tool_call_id": number, "content": text})

    def _result(self, name: str, arguments: dict[str, str]) -> str:
        try:
            text = self._done(name, arguments)
        except OSError as problem:
            text = "" if self.fault == "hides_missing_file" else f"Error: {problem}"
        if self.fault == "loses_output":
            return ""
        return text[:5000] if self.fault == "cuts_silently" else text

    def _done(self, name: str, arguments: dict[str, str]) -> str:
        if name == "run_command":
            done = subprocess.run(
                ["/bin/sh", "-c", arguments["command"]], cwd=self.folder, capture_output=True, check=False
            )
            told = "" if self.fault == "hides_exit_code" else f"\n[exit code {done.returncode}]"
            said = done.stdout if self.fault == "loses_stderr" else done.stdout + done.stderr
            return said.decode("utf-8", "replace") + told
        if name == "search_files":
            found = [one for one in sorted(self.folder.rglob("*")) if one.is_file() and ".git" not in one.parts]
            pattern = re.compile(arguments["pattern"].encode())
            return "\n".join(str(one) for one in found if pattern.search(one.read_bytes())) or "nothing"
        if name not in PARAMETERS:
            return "done" if self.fault == "hides_unknown_tool" else f"Error: there is no tool {name}"
        return self._file(name, self.folder / arguments["path"], arguments)

    def _file(self, name: str, path: Path, arguments: dict[str, str]) -> str:
        if name == "read_file":
            if path.suffix != ".png":
                return self._text(path.read_bytes())
            if self.fault == "picture_as_text":
                return path.read_bytes().decode("utf-8", "replace")
            return f"(a picture of {len(path.read_bytes())} bytes, which cannot be shown)"
        if self.fault != "pretends_to_write":
            text = arguments["content"] if name == "write_file" else path.read_bytes().decode()
            if arguments.get("old_text", "") not in text:
                raise OSError("the text is not in the file")
            if self.fault == "breaks_text":
                text = text.encode("ascii", "replace").decode()
            path.parent.mkdir(parents=True, exist_ok=True)
            text = text.replace(arguments.get("old_text", "\0"), arguments.get("new_text", ""))
            path.write_bytes(text.encode())
        return "written"

    def _text(self, content: bytes) -> str:
        if b"\0" in content and self.fault != "mangles_bytes":
            return f"(a binary file of {len(content)} bytes)"
        return content.decode("utf-8", "replace")


def over_http(base_url: str) -> Post:
    """Requests over HTTP."""

    def post(document: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{base_url}/chat/completions", json.dumps(document).encode(),
            {"content-type": "application/json", "authorization": "Bearer any"},
        )  # fmt: skip
        with urllib.request.urlopen(request) as answer:
            told: dict[str, Any] = json.load(answer)
            return told

    return post


if __name__ == "__main__":
    print(TinyAgent(over_http(sys.argv[1]), Path.cwd(), "".join(sys.argv[3:4])).run(sys.argv[2]))
