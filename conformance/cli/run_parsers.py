"""Judge parsers: what a model writes goes in, text and calls come out.

A PARSER is parser:NAME (see 'conformance list parsers'), parser:python:package.module:Class, parser:./mine.py:Class or
parser:stdio:COMMAND. A grammar says how the family of models writes (see 'conformance list grammars'):

  conformance run parser:./mine.py:Parser --grammar hermes
  conformance run parser:sglang-kimi-k2 --python ./venv/bin/python
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable

if TYPE_CHECKING:
    from conformance.parsers.verdict import ParserVerdict

NOTHING_RAN = 4
EPILOG = """exit codes:
  0 no rule that must hold was broken   1 one was   2 wrong usage   3 the harness failed   4 nothing ran
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.epilog = EPILOG
    parser.add_argument("parser", nargs="+", metavar="PARSER")
    parser.add_argument(
        "--grammar", action="append", default=[], metavar="G",
        help="a grammar, or a file that holds one (default: that of a known parser)",
    )  # fmt: skip
    parser.add_argument("--case", action="append", default=[], metavar="C", help="only cases that begin with this")
    parser.add_argument("--python", default="", metavar="FILE", help="the interpreter that the parser is in (ours)")
    parser.add_argument("--format", choices=("table", "json"), default="table", help="what to print (default: table)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the verdicts too, as JSON")


def main(options: argparse.Namespace) -> int:
    """Run, and say what came of it. Returns the exit code."""
    from conformance.documents import DocumentError
    from conformance.report.printing import say_document

    check_writable(options.out)
    verdicts: list[dict[str, Any]] = []
    try:
        for name in options.parser:
            for verdict in _verdicts(name, options):
                verdicts.append(verdict.document())
                if options.format == "table":
                    _say(verdicts[-1])
    except DocumentError as problem:
        raise UsageError(str(problem)) from None
    text = _encodable(json.dumps(_document(verdicts), ensure_ascii=False, indent=1) + "\n")
    if options.format == "json":
        say_document(text)
    if options.out is not None:
        _write(options.out, text)
    outcomes = {verdict["outcome"] for verdict in verdicts}
    return 1 if "fail" in outcomes else NOTHING_RAN if outcomes <= {"not run"} else 0


def _verdicts(name: str, options: argparse.Namespace) -> list[ParserVerdict]:
    from conformance.parsers.grammar import load_grammar
    from conformance.parsers.known import parser_address
    from conformance.report.printing import say_to

    address, known = parser_address(name)
    grammars = options.grammar or ([known.grammar] if known is not None else [])
    if not grammars:
        raise UsageError(f"--grammar: which one does {name} read? See 'conformance list grammars'")
    loaded = [load_grammar(grammar) for grammar in grammars]
    if known is None:
        name = address
    verdicts = []
    for grammar in loaded:
        say_to(sys.stderr, f"conformance: {name} reads {grammar.id}\n")
        verdicts.append(_judged(address, name, grammar, options))
    return verdicts


def _judged(address: str, name: str, grammar: Any, options: argparse.Namespace) -> ParserVerdict:
    from conformance.parsers.subject import Subject, SubjectError
    from conformance.parsers.verdict import ParserVerdict, parser_verdict

    try:
        subject = Subject(address, grammar.id, options.python)
    except SubjectError as problem:
        return ParserVerdict(name, grammar.id, reason=str(problem))
    try:
        return parser_verdict(subject, name, grammar, options.case)
    except SubjectError as problem:
        return ParserVerdict(name, grammar.id, subject.info.name, subject.info.version, str(problem))
    finally:
        subject.close()


def _document(verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    from conformance.schemas import schema
    from conformance.version import VERSION

    return {"schema": schema("parser_verdicts")["$id"], "version": VERSION, "verdicts": verdicts}


def _encodable(text: str) -> str:
    """Lone surrogates, which a parser may tell, as JSON's escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _write(path: Path, text: str) -> None:
    from conformance.files.whole import write_text
    from conformance.masking.door import own_mask

    try:
        write_text(path, own_mask().text(text))
    except OSError as problem:
        raise UsageError(f"--out {path}: {problem.strerror}") from None


def _say(verdict: dict[str, Any]) -> None:
    from conformance.report.printing import say
    from conformance.wording import on_one_line

    title = " ".join(filter(None, (verdict["name"] or verdict["parser"], verdict["version"])))
    head = f"{verdict['outcome'].upper():<8} {title}, {verdict['grammar']}"
    if verdict["outcome"] == "not run":
        say(f"{head}: {verdict['reason'] or 'no case'}")
        return
    kept = sum(not rule["broken"] for rule in verdict["rules"].values())
    say(f"{head}: {kept} of {len(verdict['rules'])} rules kept, {verdict['cases']} cases, {verdict['plays']} plays")
    for finding in verdict["findings"]:
        more = len(finding["cases"]) - 1
        others = f" and {more} more" if more else ""
        say(f"  {finding['level']:<6} {finding['rule']} in {finding['case']}{others}: {finding['how']}")
        for word, value in (("wrote", finding["text"]), ("expected", finding["expected"]), ("found", finding["found"])):
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            say(f"         {word} {on_one_line(shown, 300)}")
