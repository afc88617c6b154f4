"""Ask a server that speaks a provider's API, and say whether it conforms, and what its model chose.

A SERVER is server:URL, where URL is the base URL that a user would give to the provider's own SDK, or server:NAME for
one that is known (see 'conformance list servers'), at its usual address:

  conformance run server:http://127.0.0.1:8000/v1 --model Qwen/Qwen3-0.6B
  conformance run server:http://127.0.0.1:8484/p/anthropic --provider anthropic
  conformance run server:llamacpp --against server:vllm --repeat 20
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable
from conformance.cli.verdict_output import exit_code, output_options, put_out

if TYPE_CHECKING:
    from conformance.servers.address import AskedServer

EPILOG = """exit codes:
  0 each server conforms: wire and must reject   1 one does not, or its model is below --model-threshold
  2 wrong usage   3 the harness failed   4 nothing ran
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.epilog = EPILOG
    parser.add_argument("server", nargs="+", metavar="SERVER")
    parser.add_argument(
        "--provider", default="", metavar="P",
        help="whose format it speaks: a provider, or a host whose deviations are known "
        "(default: the provider whose usual address it is, else openai-chat)",
    )  # fmt: skip
    parser.add_argument("--model", default="", metavar="M", help="the model to ask for (default: the first it lists)")
    parser.add_argument(
        "--key-env", default="", metavar="NAME", help="the variable that holds its key (default: the provider's)"
    )
    parser.add_argument("--against", default="", metavar="SERVER", help="a second server to compare with")
    parser.add_argument(
        "--with", dest="clients", default="", metavar="CLIENTS",
        help="real clients to run at it, with commas: shims by name (openai,ai-sdk-openai), agents (agent:codex)",
    )  # fmt: skip
    how = parser.add_argument_group("how")
    how.add_argument("--repeat", type=int, default=5, metavar="N", help="how often each choice is asked for (5)")
    how.add_argument(
        "--model-threshold", type=float, metavar="R",
        help="fail where a rate of the model is below R for certain: its whole interval is (default: never)",
    )  # fmt: skip
    how.add_argument("--timeout", type=float, default=120.0, metavar="S", help="seconds to wait for an answer (120)")
    output_options(parser.add_argument_group("output"))


def main(options: argparse.Namespace) -> int:
    """Run, and say what came of it. Returns the exit code."""
    from conformance.documents import DocumentError

    check_writable(options.out)
    try:
        if options.repeat < 0 or not options.timeout > 0:
            raise UsageError("--repeat and --timeout: give numbers that are not negative")
        servers = [_server(word, options) for word in options.server]
        other = _server(options.against, options) if options.against else None
        verdicts = [_verdict(one, options) for one in servers]
        compared = _compared(verdicts, other, options) if other is not None else {}
    except DocumentError as problem:
        raise UsageError(str(problem)) from None
    put_out(options, "server_verdicts", verdicts, **compared)
    if options.format == "table":
        _say({"verdicts": verdicts, **compared})
    return _code(verdicts, options.model_threshold)


def _server(word: str, options: argparse.Namespace) -> AskedServer:
    from conformance.servers import PREFIX
    from conformance.servers.address import server_at

    if not word.startswith(PREFIX) and word in options.server:
        raise UsageError(f"{word!r} is no server: write {PREFIX}URL or {PREFIX}NAME")
    return server_at(word.removeprefix(PREFIX), options.provider, options.model, options.key_env)


def _verdict(server: AskedServer, options: argparse.Namespace) -> dict[str, Any]:
    from conformance.report.printing import say_to
    from conformance.servers.verdict import verdict_on

    say_to(sys.stderr, f"conformance: {server.url} as {server.provider}\n")
    verdict = verdict_on(server, options.repeat, options.timeout, options.model)
    if options.clients and verdict["outcome"] != "not run":
        from dataclasses import replace

        from conformance.servers.clients import client_verdict

        asked = replace(server, model=verdict["model_name"])
        verdict["clients"] = [client_verdict(one, asked, options.timeout) for one in options.clients.split(",") if one]
        met = [finding for one in verdict["clients"] for finding in one.get("findings", ())]
        if any(finding["level"] == "must" for finding in met):
            verdict["outcome"] = "fail"
    return verdict


def _compared(verdicts: list[dict[str, Any]], other: AskedServer, options: argparse.Namespace) -> dict[str, Any]:
    from conformance.servers.verdict import compared_servers

    second = _verdict(other, options)
    return {"second": second, "comparisons": [compared_servers(one, second) for one in verdicts]}


def _code(verdicts: list[dict[str, Any]], threshold: float | None) -> int:
    from conformance.servers.verdict import below_threshold

    if threshold is not None and any(below_threshold(one, threshold) for one in verdicts):
        return 1
    return exit_code([verdict["outcome"] for verdict in verdicts])


# --- what is said ----------------------------------------------------------------------------------------------------


def _say(document: dict[str, Any]) -> None:
    for verdict in document["verdicts"]:
        _say_verdict(verdict)
    if "second" in document:
        _say_verdict(document["second"])
    for comparison in document.get("comparisons", ()):
        _say_comparison(comparison)


def _say_verdict(verdict: dict[str, Any]) -> None:
    from conformance.report.printing import say

    head = f"{verdict['outcome'].upper():<8} {verdict['url']} as {verdict['provider']}, {verdict['model_name']}"
    if verdict["outcome"] == "not run":
        say(f"{head}: {verdict['reason']}")
        return
    say(f"{head}: {verdict['requests']} requests, {verdict['seconds']} s")
    wires, rejects = verdict["wire"], verdict["must_reject"]
    say(f"wire: {sum(wires['checked'].values())} looked at, {len(wires['findings'])} rules broken")
    for finding in wires["findings"]:
        _say_finding(finding)
    say(f"must reject: {rejects['refused']} refused, {len(rejects['faults'])} not, {rejects['undecided']} undecided")
    for fault in rejects["faults"]:
        _say_fault(fault)
    _say_model(verdict["model"])
    for client in verdict.get("clients", ()):
        _say_client(client)


def _say_client(client: dict[str, Any]) -> None:
    from conformance.report.printing import say

    cells = ", ".join(f"{count} {outcome}" for outcome, count in client.get("cells", {}).items())
    asked = f"{client.get('requests', 0)} requests"
    say(f"with {client['client']}: {client['outcome']} ({', '.join(filter(None, (asked, cells, client['reason'])))})")
    for finding in client.get("findings", ()):
        _say_finding(finding)


def _say_finding(finding: dict[str, Any]) -> None:
    from conformance.report.printing import say
    from conformance.wording import on_one_line

    times = "" if finding["times"] == 1 else f" ({finding['times']} times)"
    at = f" at {finding['at']}" if finding["at"] else ""
    say(f"  {finding['level']:<6} {finding['rule']}{times} in {finding['probes'][0]}{at}")
    for word in ("expected", "found"):
        say(f"         {word} {on_one_line(str(finding[word]), 300)}")


def _say_fault(fault: dict[str, Any]) -> None:
    from conformance.report.printing import say
    from conformance.wording import on_one_line

    say(f"  must   {fault['rule']}: {fault['outcome']} ({fault['origin']}) at {fault['at']}")
    say(f"         expected {on_one_line(str(fault['expected']), 200)}")
    say(f"         sent     {on_one_line(str(fault['found']), 200)}")
    say(f"         said     {on_one_line(fault['said'], 200)}")


def _say_model(model: dict[str, Any]) -> None:
    from conformance.report.printing import say
    from conformance.servers.model_part import MEASURES

    wrong = f", {model['wrong_form']} answers in a wrong form" if model["wrong_form"] else ""
    say(f"model (no part of the verdict): {model['repeats']} repeats{wrong}")
    for name, one in model["measures"].items():
        rate = f"{one['kept']} of {one['of']}, {100 * one['low']:.0f} to {100 * one['high']:.0f} %"
        say(f"  {name:<20} {rate:<26} {MEASURES[name]}")


def _say_comparison(comparison: dict[str, Any]) -> None:
    from conformance.report.printing import say

    say(f"{comparison['url']} against {comparison['against']}:")
    for word, title in (("only_here", "broken here alone"), ("only_there", "broken there alone"), ("both", "by both")):
        say(f"  {title}: {', '.join(comparison[word]) or 'nothing'}")
    for name, one in comparison["model"].items():
        differs = "differs" if one["differs"] else "no difference that chance would not make"
        say(f"  {name:<20} {100 * one['low']:+.0f} to {100 * one['high']:+.0f} %: {differs}")
