"""``conformance run parser:...``: a parser in a child, by the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.parsers.grammar import known_grammars
from conformance.parsers.known import known_parsers
from conformance.schemas import problems

TEN_LINES = '''
import json, re

class Parser:
    """Reads <tool_call> tags, all at once."""
    def __init__(self, tools):
        self.names = {tool["function"]["name"] for tool in tools}
    def parse(self, text):
        found = [json.loads(call) for call in re.findall(r"<tool_call>(.*?)</tool_call>", text, re.DOTALL)]
        yield {"text": re.sub(r"<tool_call>.*?</tool_call>", "", text, flags=re.DOTALL)}
        for number, call in enumerate(found):
            yield {"call": number, "name": call["name"], "arguments": json.dumps(call["arguments"])}
'''


def test_ten_lines_are_a_parser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(TEN_LINES)
    cases = ["--case", "shell.", "--case", "no_arg"]
    assert main(["run", f"parser:{path}:Parser", "--grammar", "hermes", *cases, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(problems("parser_verdicts", document)) == []
    assert document["verdicts"][0]["outcome"] == "pass"
    assert document["verdicts"][0]["rules"]["parser.call.kept"] == {"kept": 4, "broken": 0}


def test_a_fault_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(TEN_LINES.replace('call["arguments"])', '{})'))
    assert main(["run", f"parser:{path}:Parser", "--grammar", "hermes", "--case", "shell.success"]) == 1
    said = capsys.readouterr().out
    assert "parser.arguments.kept in shell.success: all at once" in said
    assert '"command": "ls -la"' in said


def test_a_parser_that_dies_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(TEN_LINES.replace("        found =", "        import os; os._exit(3)\n        found ="))
    assert main(["run", f"parser:{path}:Parser", "--grammar", "hermes", "--case", "multi_turn.no_tools"]) == 1
    assert "parser.lives" in capsys.readouterr().out


def test_what_a_parser_says_may_be_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text('''
class Parser:
    info = {"name": "mine\\ud800"}
    def __init__(self, tools): pass
    def parse(self, text):
        yield {"text": "\\ud800" + text, "call": True}
        yield {"call": 10 ** 30, "name": {"a": 1}, "arguments": "[" * 100000}
        yield 5
''')
    words = ["run", f"parser:{path}:Parser", "--grammar", "hermes", "--case", "shell.success"]
    assert main([*words, "--format", "json", "--out", str(tmp_path / "out.json")]) == 1
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == json.loads(capsys.readouterr().out)


def test_any_program_can_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "program.py"
    path.write_text('''
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    params = asked.get("params") or {}
    text = "".join(text for text, _ in params.get("pieces", ()))
    answer = {
        "initialize": {"protocol": 1, "name": "program", "can": ["whole"]},
        "play": {"plays": [{"news": [[{"text": text[:play["upto"]]}]]} for play in params.get("plays", ())]},
    }.get(asked["method"])
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
    if asked["method"] == "shutdown":
        break
''')
    command = f"parser:stdio:{sys.executable} {path}"
    assert main(["run", command, "--grammar", "kimi-k2", "--case", "multi_turn."]) == 0
    assert main(["run", command, "--grammar", "kimi-k2", "--case", "shell.success"]) == 1
    assert "parser.text.no-markup" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["parser:nobody"], 2, "there is no parser 'nobody'"),
        (["parser:python:json:loads"], 2, "--grammar"),
        (["parser:python:json:loads", "--grammar", "herms"], 2, "hermes"),
        (["parser:python:json:nothing", "--grammar", "hermes"], 4, ""),
        (["parser:python:json:loads", "--grammar", "hermes"], 4, ""),
    ],
)
def test_what_cannot_be_run(words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *words]) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert code == 2 or "NOT RUN" in captured.out


def test_known_parsers_have_a_grammar_and_a_caller() -> None:
    for parser in known_parsers().values():
        assert parser.grammar in known_grammars()
        name, _, attribute = parser.address.rpartition(":")
        assert f"class {attribute}" in Path(name).read_text("utf-8")
