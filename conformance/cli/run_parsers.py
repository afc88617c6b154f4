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
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable
from conformance.cli.verdict_output import EXIT_CODES, exit_code, output_options, put_out

if TYPE_CHECKING:
    from conformance.parsers.verdict import ParserVerdict



def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.epilog = EXIT_CODES
    parser.add_argument("parser", nargs="+", metavar="PARSER")
    parser.add_argument(
        "--grammar", action="append", default=[], metavar="G",
        help="a grammar, or a file that holds one (default: that of a known parser)",
    )  # fmt: skip
    parser.add_argument("--case", action="append", default=[], metavar="C", help="only cases that begin with this")
    parser.add_argument("--python", default="", metavar="FILE", help="the interpreter that the parser is in (ours)")
    output_options(parser)


def main(options: argparse.Namespace) -> int:
    """Run, and say what came of it. Returns the exit code."""
    from conformance.documents import DocumentError

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
    put_out(options, "parser_verdicts", verdicts)
    return exit_code([verdict["outcome"] for verdict in verdicts])


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
