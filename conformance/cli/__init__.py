"""The command line. Each command is a module with ``arguments(parser)`` and ``main(options) -> int``.

A command's module, and argparse, are imported when they are needed, so that ``conformance --help`` stays quick.
"""

from __future__ import annotations

import sys
from importlib import import_module

from conformance.runner.errors import UsageError
from conformance.version import VERSION

TYPE_CHECKING = False  # not from typing, see conformance/__init__.py

if TYPE_CHECKING:
    from types import ModuleType, TracebackType

    from conformance.cli.saying import MaskedParser

__all__ = ["COMMANDS", "INTERRUPTED", "USAGE_ERROR", "UsageError", "main"]

COMMANDS = {
    "run": "play scenarios against adapters and show the matrix",
    "watch": "play again whenever an adapter's files change, first what failed",
    "list": "list providers, scenarios, rules, adapters, agents and more",
    "explain": "what a rule says and what breaks it; why a cell is red, as a script",
    "audit": "judge recorded traffic: cassettes, JSON Lines, HTTP archives",
    "merge": "put the parts of an audit in shards together",
    "selftest": "show that every rule bites: mutants × rules",
    "coverage": "show which forms of the formats are covered, and which a rule looks at",
    "record": "record real traffic as cassettes, and see whether it has changed",
    "serve": "be the provider: answer real clients, and judge what they send",
    "new": "begin an adapter, a scenario or a rule",
    "report": "make the page, Markdown and badges of a result",
    "diff": "compare two results: regressions, fixes, new rules",
    "history": "play releases of a library over time: since when each rule passes or fails",
    "bisect": "find the release of a library that broke a rule, or mended it",
    "certificate": "write one archive with which others can make a result again",
    "verify": "play the subject of a certificate again, and say what came to the same",
    "env": "make an environment of its own for a library",
    "export": "write the suite, or what is known of hosts, as plain files",
    "doors": "show what a library offers that is about tools, and what of it is played",
}

USAGE_ERROR = 2
INTERRUPTED = 130

HELP = """usage: conformance COMMAND [options]

Check that tool-calling adapters speak their providers' formats as the providers do.

commands:
{commands}

'conformance COMMAND --help' tells the options of a command.

examples:
  conformance new adapter --provider anthropic,openai-chat    begin with one that conforms
  conformance run ./mine.py                          certify your own
  conformance serve                                  be the provider of an application, and judge what it sends
  conformance run agent:codex                        play a script to a coding agent
  conformance run gateway:litellm                    play scenarios through a gateway
  conformance run server:http://127.0.0.1:8000/v1    ask a server that speaks a provider's API
  conformance run mylib --provider gemini --scenario 'parallel_calls.*'
  conformance explain common.result.no-orphan        what a red cell means

exit codes:
  0 conforms   1 a rule failed, or the baseline is stale   2 wrong usage   3 the harness failed   4 nothing ran
  5 a shim does not fit the installed release of its library

options:
  -h, --help   show this and exit
  --version    show the version and exit
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    if not words or words[0] in ("-h", "--help"):
        _say(HELP.format(commands="\n".join(f"  {name:<11} {summary}" for name, summary in COMMANDS.items())))
        return 0 if words else USAGE_ERROR
    if words[0] == "--version":
        _say(f"toolcall-conformance {VERSION}\n")
        return 0
    if arguments is None:
        _mask_python()
    name = words[0]
    if name not in COMMANDS:
        return _complain(f"unknown command {name!r}{_nearest(name)}; commands: {', '.join(COMMANDS)}")
    from conformance.cli.ending import ends_by_signals

    try:
        with ends_by_signals():
            return _run(name, words[1:])
    except UsageError as problem:
        from conformance.cli.spelling import option_spelling

        return _complain(problem.words(option_spelling(name)))
    except ValueError as problem:
        from conformance.masking.door import SecretRemainsError
        from conformance.wires.host_file import HostError

        if isinstance(problem, SecretRemainsError):
            return _complain(str(problem))
        if not isinstance(problem, HostError):
            raise
        return _complain(f"hosts: {problem}")
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # whoever reads our output has seen enough
        return 0


WRITING = frozenset({
    "run", "watch", "record", "serve", "audit", "merge", "report", "explain", "diff", "history", "bisect",
    "certificate", "verify",
})  # fmt: skip
"""The commands that write or show what others said."""


def _run(name: str, words: list[str]) -> int:
    from conformance.cli.saying import say_what_is_weak

    module, parser = parser_of(name, words)
    if name in WRITING:
        say_what_is_weak()
    code: int = module.main(parser.parse_args(words))
    return code


def parser_of(name: str, words: list[str]) -> tuple[ModuleType, MaskedParser]:
    """The module of a command, one of `COMMANDS`, and the parser that these words need. Nothing is run.

    Raises `UsageError` where the words ask for options of another kind of run.
    """
    import argparse

    from conformance.cli.saying import MaskedParser

    module = import_module(_module(name, words))
    parser = MaskedParser(
        prog=f"conformance {name}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.arguments(parser)
    if module.__name__.endswith("run_command"):
        from conformance.cli.suiting import suit

        suit(parser, words)
    return module, parser


RUNS = {
    "agent": "run_agents", "--": "run_agents", "server": "run_servers", "gateway": "run_gateways",
    "parser": "run_parsers",
}  # fmt: skip
"""Subjects that are run with options of their own: the kind in their address, and the module of their command."""


def _module(name: str, words: list[str]) -> str:
    """The module of a command. What is run may be a subject with options of its own."""
    kinds = (word if word == "--" else word.partition(":")[0] for word in words if word == "--" or ":" in word)
    own = next((RUNS[kind] for kind in kinds if kind in RUNS), None) if name == "run" else None
    return f"conformance.cli.{own or f'{name}_command'}"


def _say(text: str) -> None:
    sys.stdout.write(text)


def _mask_python() -> None:
    """Mask what Python itself says."""
    from conformance.cli.saying import MaskedStream

    sys.excepthook = _told
    sys.stderr = MaskedStream(sys.stderr)


def _told(kind: type[BaseException], problem: BaseException, traceback: TracebackType | None) -> None:
    """Print a traceback as Python does, without secrets: it may repeat what an adapter said."""
    from traceback import format_exception

    from conformance.report.printing import say_to

    say_to(sys.stderr, "".join(format_exception(kind, problem, traceback)))


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _complain(text: str) -> int:
    from conformance.report.printing import say_to

    say_to(sys.stderr, f"conformance: {text}\n")
    return USAGE_ERROR
