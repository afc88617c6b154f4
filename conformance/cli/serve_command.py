"""Be the provider: a server on this machine that answers as ten providers do, and judges what it is sent.

Give a client the base URL of its provider, and let it talk:

  openai     http://HOST:PORT/p/openai-chat/v1       (p/azure, p/xai, p/deepseek, p/mistral alike)
  responses  http://HOST:PORT/p/openai-responses/v1
  anthropic  http://HOST:PORT/p/anthropic
  gemini     http://HOST:PORT/p/gemini
  ollama     http://HOST:PORT/p/ollama

It calls the tools that the client declares, in a fixed order of shapes, and then ends with a text. Wrong calls and
errors come only with --provoke, or to the model conformance/any-provoke.

/s/SCENARIO after the provider plays a scenario instead. One can also be chosen by the header x-conformance-scenario, or
as the model's name: conformance/SCENARIO. Which answer comes next is read off the conversation in the request, so any
number of clients can talk at once. /id/SESSION in the path (or x-conformance-session) keeps clients apart whose
conversations are the same.

A request that breaks a rule gets the provider's own error, with the rule in its message, wherever the real provider
rejects it; --lenient only reports it. Any key will do, but there must be one. The findings are at /conformance/ as a
page and at /conformance/findings as JSON.

--record DIR --upstream openai-chat asks the real provider instead, and writes cassettes, without secrets, as it
answers; --replay DIR plays them. Clients in any language use the same base URLs as above.

SIGINT, SIGTERM or SIGHUP ends the server; it then writes what --out asks for. See docs/serving.md.
"""

from __future__ import annotations

import argparse
import os
import shlex
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli import UsageError
from conformance.cli.ending import until_a_signal
from conformance.cli.outputs import check_writable
from conformance.cli.relaying import relay, relay_settings, relaying_arguments

if TYPE_CHECKING:
    from conformance.server.running import Running
    from conformance.server.settings import Settings

FAULTS = """faults (--fault, the header x-conformance-fault, or /fault/FAULT in the path), several with commas:
  status=429  retry-after=2  latency=1.5  trickle=0.1  cut=400  error=overloaded  delivery=stream:per-byte  times=1

exit codes:
  0 every rule held   1 a rule was broken   2 wrong usage   4 nobody asked for anything
"""

LOOK_SECONDS = 0.1
"""How often to look whether the end is wanted."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.epilog = FAULTS
    where = parser.add_argument_group("where")
    where.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    where.add_argument("--port", type=_port, default=8484, help="0: any that is free (default: %(default)s)")
    where.add_argument("--allow-remote", action="store_true", help="take a --host that other machines can reach")
    how = parser.add_argument_group("how")
    how.add_argument("--lenient", action="store_true", help="answer requests that break rules, and only report them")
    usual = how.add_mutually_exclusive_group()
    usual.add_argument("--scenario", metavar="ID", help="what is played where a request chooses nothing")
    usual.add_argument("--provoke", action="store_true", help="where a request chooses nothing: wrong calls, errors")
    how.add_argument("--scenarios", type=Path, metavar="DIR", help="your own scenarios instead of ours")
    how.add_argument("--fault", default="", metavar="FAULT", help="what goes wrong where a request asks for no fault")
    how.add_argument(
        "--profile", choices=("portable", "native"), default="native",
        help="native: what each provider can do; portable: also what all providers share (default: %(default)s)",
    )  # fmt: skip
    how.add_argument("--max-body", type=_size, default=32 * 1024 * 1024, metavar="BYTES", help="default: 32 MiB")
    relaying_arguments(parser)
    out = parser.add_argument_group("output")
    out.add_argument("--out", type=Path, metavar="FILE", help="write the result at the end, as 'run' does (.json)")
    out.add_argument("--name", help="what the client is called in the result, instead of its User-Agent")
    out.add_argument("--keep", type=_size, default=500, metavar="N", help="exchanges to show (default: %(default)s)")


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 65_536:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return port


def _size(text: str) -> int:
    size = int(text)
    if size < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return size


def main(options: argparse.Namespace) -> int:
    """Serve until a signal comes. Returns the exit code."""
    with until_a_signal() as wanted:
        return _main(options, wanted)


def _main(options: argparse.Namespace, wanted: Callable[[], bool]) -> int:
    _check_installed()
    from conformance.server.running import is_loopback, open_socket

    remote = not is_loopback(options.host)
    if remote and not options.allow_remote:
        raise UsageError(f"--host {options.host}: other machines could reach it; say --allow-remote if they may")
    relayed = relay_settings(options)
    settings = _settings(options)
    check_writable(options.out)
    if options.out is not None and not options.out.parent.is_dir():
        raise UsageError(f"--out {options.out}: there is no such folder: cannot write there")
    try:
        opened = open_socket(options.host, options.port)
    except OSError as problem:
        raise UsageError(f"cannot listen on {options.host} port {options.port}: {problem.strerror}") from None
    with opened:
        if relayed is not None:
            return relay(relayed, opened, wanted)
        return _served(settings, opened, wanted, options.out, only_local=not remote)


def _served(
    settings: Settings, opened: socket.socket, wanted: Callable[[], bool], out: Path | None, *, only_local: bool
) -> int:
    """Serve until the end is wanted, and report. Returns the exit code."""
    from conformance.server.app import Application
    from conformance.server.running import END_SECONDS, Running

    running = Running(Application(settings, only_local=only_local), opened)
    _ready(running)
    told = (0, 0)
    while not wanted() and running.thread.is_alive():
        running.thread.join(LOOK_SECONDS)
        told = _tell(running, told)
    ended = running.stop(END_SECONDS)
    _tell(running, told)
    code = _report(running, out)
    if not ended:  # nobody can end what it does, and Python would wait for it
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def _check_installed() -> None:
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise UsageError(f"serve needs {' and '.join(missing)}: pip install 'toolcall-conformance[serve]'")


def _settings(options: argparse.Namespace) -> Settings:
    from conformance.hints import nearest
    from conformance.runner.selection import scenario_ids
    from conformance.server.faults import FaultError, fault_of
    from conformance.server.settings import Settings
    from conformance.server.shapes import ORDERS

    try:
        fault_of(options.fault)
    except FaultError as problem:
        raise UsageError(f"--fault: {problem}") from None
    root = options.scenarios and options.scenarios.resolve()
    known = scenario_ids(root)
    if options.scenario is not None and options.scenario not in (*known, *ORDERS):
        raise UsageError(f"--scenario: no scenario {options.scenario!r}{nearest(options.scenario, known)}")
    return Settings(
        lenient=options.lenient,
        profile=options.profile,
        scenario=options.scenario,
        provoke=options.provoke,
        fault=options.fault,
        name=options.name,
        root=root,
        keep=options.keep,
        max_body=options.max_body,
    )


def _ready(running: Running) -> None:
    from conformance.report.printing import say, say_to

    say(running.origin)
    say_to(sys.stderr, f"what clients send: {running.origin}/conformance/ (Ctrl-C ends it)\n")


def _tell(running: Running, told: tuple[int, int]) -> tuple[int, int]:
    """Say what is new: each warning, and the first finding of each rule. Returns how many of both there are."""
    from conformance.report.printing import say_to

    warnings, found = list(running.log.warnings), list(running.log.found.values())
    for text in warnings[told[0]:]:
        say_to(sys.stderr, f"warning: {text}\n")
    for text in found[told[1]:]:
        say_to(sys.stderr, f"found: {text}\n")
    return len(warnings), len(found)


def _report(running: Running, out: Path | None) -> int:
    from conformance.masking.door import SecretRemainsError
    from conformance.report.printing import say
    from conformance.server.results import served_result

    log = running.log
    command = shlex.join(["conformance", *sys.argv[1:]])
    result = served_result(log, running.application.service.scenarios, command=command)
    if out is not None:
        try:
            result.write(out)
        except OSError as problem:
            raise UsageError(f"--out {out}: {problem.strerror}") from None
        except SecretRemainsError as problem:
            raise UsageError(f"--out {out}: {problem}") from None
    say(f"{log.total} exchanges, {log.counts['with_findings']} with findings, {log.counts['refused']} refused")
    return result.exit_code
