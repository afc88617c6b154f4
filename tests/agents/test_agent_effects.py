"""What tells the model of a failure, a cut or a picture, and what does not: agents' own words (2026-11-26)."""

from __future__ import annotations

from every import every

from conformance.agents.effects import problem_of
from conformance.agents.script import Effect
from conformance.http import Request
from conformance.wires.facts import SentResult

EXIT = Effect(fails="exit code", exit_code=3)
KILLED = Effect(fails="exit code", exit_code=137)
MISSING = Effect(fails="missing file")
UNKNOWN = Effect(fails="unknown tool")
LONG = Effect(long="juliet-4413")
PICTURE = Effect(picture=True)
DONE = Effect(succeeds=True)

FINE: dict[str, tuple[Effect, str]] = {
    "gemini-cli, exit 3": (EXIT, "Output: (empty)\nExit Code: 3\nProcess Group PGID: 38"),
    "gemini-cli, killed": (KILLED, "<untrusted_context>\nOutput: (empty)\nSignal: 9\nProcess Group PGID: 38"),
    "qwen-code": (EXIT, "Command: exit 3\nOutput: (empty)\nError: (none)\nExit Code: 3\nSignal: (none)"),
    "opencode, no program": (EXIT, "/usr/bin/bash: line 1: no-such-program-8841: command not found"),
    "gptme": (EXIT, "Ran command: `exit 3`\n\nReturn code: 3"),
    "continue, a missing file": (MISSING, "Error executing tool Read: File does not exist: /w/notes/missing.txt"),
    "codex, a missing file": (MISSING, "cat: /w/missing.txt: No such file or directory"),
    "gemini-cli, an unknown tool": (UNKNOWN, 'Tool "launch_rocket" not found. Did you mean one of: "read_file"?'),
    "opencode, cut": (LONG, "789: line\n\n(Output capped at 50 KB. Showing lines 1-789. Use offset=790 to continue.)"),
    "claude-code, cut": (LONG, "<persisted-output>\nOutput too large (73.1KB). Full output saved to: /h/x.txt"),
    "whole": (LONG, "entry 2000\njuliet-4413"),
    "gptme, a picture": (PICTURE, "Cannot read binary file: /w/picture.png"),
    "written": (DONE, "Successfully created file: /w/report.txt"),
}
WRONG: dict[str, tuple[Effect, str, str]] = {
    "continue, exit 3": (EXIT, "", "agent.result.failure-visible"),
    "opencode, exit 3": (EXIT, "(no output)", "agent.result.failure-visible"),
    "pi, killed": (KILLED, "(no output)", "agent.result.failure-visible"),
    "a hidden exit code": (EXIT, "Output: (empty)\nError: (none)\nSignal: (none)", "agent.result.failure-visible"),
    "a lie": (MISSING, "the file is empty", "agent.result.failure-visible"),
    "cut without a word": (LONG, "entry 1\nentry 2", "agent.result.cut-is-told"),
    "continue, a picture": (PICTURE, "Content of picture.png:\n\ufffdPNG\r\n\x1a\n\0", "agent.result.picture-shown"),
    "mistral-vibe, a picture": (PICTURE, '{"content":"\x89PNG\\r\\n\\u0000"}', "agent.result.picture-shown"),
    "cline, a picture": (
        PICTURE, '[{"type":"image","data":"iVBORw0KGgo' + "A" * 80 + '"}]', "agent.result.picture-shown",
    ),
    "continue, not read before": (DONE, "You cannot edit it: use Read first.", "agent.tool.works"),
    "lost": (Effect(shows=("alpha-7731",)), "Output: (empty)\nExit Code: 0", "agent.result.says-what-the-tool-said"),
    "refused": (Effect(shows=("alpha-7731",)), "Error: the path is refused", "agent.tool.works"),
    "lost beside a failure": (
        Effect(shows=("out-3341",), fails="exit code", exit_code=7), "Error (exit code 7): err-7782",
        "agent.result.says-what-the-tool-said",
    ),
}  # fmt: skip


def _told(effect: Effect, text: str, *, error: bool | None = None) -> str:
    result = SentResult("/messages/1", "id", text, text, error=error)
    problem = problem_of(effect, result, Request("POST", "http://h/", {}, b"{}"))
    return "" if problem is None else problem.rule


def test_words_that_tell_are_enough() -> None:
    def fine(effect: Effect, text: str) -> None:
        assert _told(effect, text) == ""

    every(FINE, fine)


def test_what_is_hidden_is_told() -> None:
    def wrong(effect: Effect, text: str, rule: str) -> None:
        assert _told(effect, text) == rule

    every(WRONG, wrong)


def test_a_mark_of_the_format_tells_of_a_failure_too() -> None:
    assert _told(EXIT, "", error=True) == ""
    assert _told(EXIT, "", error=False) == "agent.result.failure-visible"


def test_what_a_result_repeats_of_its_call_tells_nothing() -> None:
    result = SentResult("/messages/1", "id", "ran: exit 3", "ran: exit 3")
    request = Request("POST", "http://h/", {}, b"{}")
    assert problem_of(EXIT, result, request) is None
    assert problem_of(EXIT, result, request, ["exit 3"]) is not None
