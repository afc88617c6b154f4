"""Play a script to coding agents, and say how far they came and what was wrong.

An AGENT is agent:NAME (see 'conformance list agents'), agent:./mine.yaml for a recipe of your own, or, after --, a
command of your own. In its words ${url} is the base URL, ${task} what is asked, ${workspace} the folder:

  conformance run agent:codex
  conformance run agent:./mine.yaml --script parallel_reads
  conformance run --provider anthropic -- my-agent --base-url '${url}' '${task}'
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

from conformance.cli import UsageError
from conformance.cli.outputs import check_writable
from conformance.cli.verdict_output import exit_code, output_options, put_out

if TYPE_CHECKING:
    from conformance.agents.job import RunJob
    from conformance.agents.recipe import AgentRecipe

EPILOG = """exit codes:
  0 the script was played to its end, and no rule that must hold was broken   1 one was, or the end was not reached
  2 wrong usage   3 the harness failed   4 nothing ran
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    from conformance.agents.directing import AfterEnd
    from conformance.agents.script import DEFAULT

    parser.epilog = EPILOG
    parser.add_argument("agent", nargs="*", metavar="AGENT")
    parser.add_argument(
        "--script", action="append", default=[], metavar="S",
        help=f"a script (see 'conformance list scripts') or a file, all: every one (default: {DEFAULT})",
    )  # fmt: skip
    parser.add_argument(
        "--provider", action="append", default=[], metavar="P",
        help="a provider that the recipe has, all: every one (default: its first)",
    )  # fmt: skip
    parser.add_argument("--version", default="", metavar="V", help="the agent's version (default: the newest here)")
    how = parser.add_argument_group("how")
    how.add_argument(
        "--after-end", choices=get_args(AfterEnd), default="text", help="what comes to a request after the end (text)"
    )
    how.add_argument("--strict", action="store_true", help="refuse what the provider refuses (default: only tell it)")
    how.add_argument("--network", action="store_true", help="let the agent reach others, too")
    how.add_argument("--timeout", type=float, default=0.0, metavar="S", help="seconds for a run (the recipe's)")
    how.add_argument("--keep", action="store_true", help="keep the folder of each run, and what was asked in it")
    output_options(parser.add_argument_group("output"))


def main(options: argparse.Namespace) -> int:
    """Run, and say what came of it. Returns the exit code."""
    from conformance.agents.running import RunFailedError, verdict_of_run
    from conformance.documents import DocumentError
    from conformance.report.printing import say_to

    check_writable(options.out)
    verdicts: list[dict[str, Any]] = []
    try:
        for job in list(_jobs(options)):
            say_to(sys.stderr, f"conformance: {_name(job)}\n")
            verdicts.append(verdict_of_run(job, options.version, keep=options.keep))
            if options.format == "table":
                _say(verdicts[-1])
    except DocumentError as problem:
        raise UsageError(str(problem)) from None
    except RunFailedError as problem:
        say_to(sys.stderr, f"conformance: {problem}\n")
        return 3
    put_out(options, "agent_verdicts", verdicts)
    return exit_code([verdict["outcome"] for verdict in verdicts])


# --- what is run -----------------------------------------------------------------------------------------------------


def _jobs(options: argparse.Namespace) -> Iterator[RunJob]:
    from conformance.agents.job import RunJob
    from conformance.agents.named_files import known_files
    from conformance.agents.script import DEFAULT, load_script

    scripts = list(known_files("script")) if options.script == ["all"] else options.script or [DEFAULT]
    for script in scripts:
        load_script(script)
    for recipe, name, command in _subjects(options):
        for provider in _providers(recipe, options.provider):
            for script in scripts:
                yield RunJob(
                    name, script, provider, "", command, after_end=options.after_end, strict=options.strict,
                    network=options.network, seconds=options.timeout,
                )  # fmt: skip


def _subjects(options: argparse.Namespace) -> Iterator[tuple[AgentRecipe, str, tuple[str, ...]]]:
    from conformance.agents import PREFIX
    from conformance.agents.recipe import load_recipe, recipe_of_command

    own = [word for word in options.agent if word.startswith(PREFIX)]
    command = tuple(word for word in options.agent if not word.startswith(PREFIX))
    if own and command:
        raise UsageError(f"{command[0]!r} is no agent: write {PREFIX}NAME, or a command after --, alone")
    for word in own:
        name = word.removeprefix(PREFIX)
        yield load_recipe(name), name, ()
    if command:
        yield recipe_of_command(command, options.provider or ["openai-chat"]), "", command


def _providers(recipe: AgentRecipe, asked: list[str]) -> list[str]:
    from conformance.hints import nearest
    from conformance.wires import known_ids

    if asked == ["all"]:
        return list(recipe.providers)
    for provider in asked:
        if provider not in recipe.providers or provider not in known_ids():
            hint = nearest(provider, recipe.providers)
            raise UsageError(f"--provider {provider}: {recipe.id} has none of that name{hint}")
    return asked or [next(iter(recipe.providers))]


def _name(job: RunJob) -> str:
    return f"{job.recipe or job.command[0]} {job.script} on {job.provider}"


# --- what is said ----------------------------------------------------------------------------------------------------


def _say(verdict: dict[str, Any]) -> None:
    from conformance.report.printing import say

    title = " ".join(filter(None, (verdict["title"], verdict["version"])))
    head = f"{verdict['outcome'].upper():<8} {title}, {verdict['script']} on {verdict['provider']}"
    if verdict["outcome"] == "not run":
        say(f"{head}: {verdict['reason']}")
        return
    played, length = verdict["answers"]["played"], verdict["answers"]["of"]
    say(f"{head}: {played} of {length} answers, {verdict['requests']} requests, {verdict['seconds']} s")
    for role, tools in verdict["not_played"].items():
        say(f"  no tool for {role} ({tools})")
    if not verdict["contained"]:
        say("  network not contained")
    for one in verdict["outsiders"]:
        port = "" if one["port"] is None else f" at port {one['port']}"
        say(f"  asked for {one['host']}{port} ({one['times']} times)")
    for finding in verdict["findings"]:
        _say_finding(finding)
    if "folder" in verdict:
        say(f"  kept in {verdict['folder']}")


def _say_finding(finding: dict[str, Any]) -> None:
    from conformance.report.printing import say
    from conformance.wording import on_one_line

    times = "" if finding["times"] == 1 else f" ({finding['times']} times)"
    where = "" if finding["answer"] is None else f" for answer {finding['answer']}"
    say(f"  {finding['level']:<6} {finding['rule']}{times}{where}{' at ' + finding['at'] if finding['at'] else ''}")
    for word in ("expected", "found"):
        say(f"         {word} {on_one_line(str(finding[word]), 300)}")
