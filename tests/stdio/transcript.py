"""A conversation with a real child, as docs/stdio.md shows it. ``python tests/stdio/transcript.py`` writes it there."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.adapters.stdio import writing
from conformance.adapters.stdio.caller import HELLO
from conformance.adapters.stdio.lines import request_line
from conformance.adapters.stdio.text import encode
from conformance.http import Response
from conformance.model import Conversation, Tool, UserTurn

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "stdio.md"
BEGIN, END = "<!-- transcript: begin -->\n```\n", "```\n<!-- transcript: end -->"

TALK = Conversation(
    (UserTurn("What is 2^53 + 1?"),), (Tool("power", "Raises 2 to n.", {"type": "object", "properties": {"n": {}}}),)
)
CALL = {"id": "call_1", "type": "function", "function": {"name": "power", "arguments": '{"n": 9007199254740993}'}}
ANSWER = {"choices": [{"index": 0, "message": {"content": None, "tool_calls": [CALL]}, "finish_reason": "tool_calls"}]}
CHUNKS = [b'data: {"choices":[{"index":0,"delta":{"content":"caf\xc3', b'\xa9"}}]}\n\ndata: [DONE]\n\n']


def questions() -> Iterator[tuple[str, str]]:
    """What the harness asks: method and params."""
    conversation = writing.ConversationWriter().conversation(TALK)
    provider = '"provider":"openai-chat"'
    response = writing.response_text(Response.of_json(200, ANSWER))
    yield "initialize", HELLO
    yield "build_request", f'{{{provider},"conversation":{conversation},"stream":false}}'
    yield "parse_response", f'{{{provider},"response":{response},"conversation":{conversation}}}'
    yield "parse_stream", f'{{{provider},"chunks":{writing.chunks_text(CHUNKS)},"conversation":{conversation}}}'
    endpoint = encode({"url": "http://127.0.0.1:40001/v1", "api_key": "test-key"})
    yield "complete", f'{{{provider},"conversation":{conversation},"stream":false,"endpoint":{endpoint}}}'
    yield "shutdown", "{}"


def lines(folder: str) -> Iterator[tuple[str, str]]:
    """Every line that goes to a child, with the line that comes back."""
    from conformance.cli.scaffolding import adapter_files

    for path, text in adapter_files("python", "example"):
        (Path(folder) / path).write_text(text)
    command = [sys.executable, "-m", "conformance.adapters.stdio.serve", "python:adapter:Adapter"]
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None and child.stdout is not None
    for number, (method, params) in enumerate(questions(), 1):
        line = request_line(number, method, params)
        child.stdin.write(line)
        child.stdin.flush()
        yield line.decode(), child.stdout.readline().decode()
    child.stdin.close()
    child.stdout.close()
    assert child.wait(10) == 0


def shortened(line: str) -> str:
    """A line without the end of its base64, and without the conversation where that was shown before."""
    line = re.sub(r'("base64":"[^"]{24})[^"]{16,}"', r'\1…"', line)
    if '"method":"build_request"' not in line:
        line = re.sub(r'"conversation":\{"turns":.*?"profile":"portable"\}', '"conversation":{…}', line)
    return line


def transcript() -> str:
    """The conversation: → to the child, ← back."""
    with tempfile.TemporaryDirectory() as folder:
        return "".join(f"→ {shortened(asked)}← {shortened(answered)}" for asked, answered in lines(folder))


def documented() -> str:
    """The conversation in the document."""
    text = DOCUMENT.read_text("utf-8")
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)]


def main() -> None:
    text = DOCUMENT.read_text("utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    DOCUMENT.write_text(before + transcript() + after, "utf-8")


if __name__ == "__main__":
    main()
