"""One run, in a process of its own: the server and the agent, in a network that has nobody else where that can be made.

It is told its job as JSON on standard input (`conformance.agents.job`), and writes the verdict into the job's folder.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conformance.agents.directing import ScriptDirector
from conformance.agents.interrupting import interruption_of
from conformance.agents.job import CHANGED, EXCHANGES, VERDICT, RunJob, job_of
from conformance.agents.recipe import AgentRecipe, load_recipe, recipe_of_command
from conformance.agents.script import load_script
from conformance.agents.surroundings import AgentSurroundings, workspace_in
from conformance.agents.verdict import TAIL, AgentVerdict, concluded_findings
from conformance.files.whole import write_text
from conformance.http import Request
from conformance.masking.door import own_mask
from conformance.mutants.between.requests import REQUEST_MUTANTS
from conformance.processes.confined import ConfinedResult, Interruption, Limits, run_confined
from conformance.processes.running import Sizes
from conformance.recipes.placeholders import filled_in
from conformance.sealed.contained import contain
from conformance.sealed.outside import Outsiders, watched
from conformance.server.app import Application
from conformance.server.between import changing_proxy
from conformance.server.running import END_SECONDS, Running, open_socket
from conformance.server.settings import Settings

OUTPUT = 20_000_000
FILE = 1_000_000_000
"""How many bytes an agent may say, and a file of its may have."""
SETUP_SECONDS = 60.0
KEPT = 5_000
"""How many exchanges of a run are kept."""


def main() -> None:
    """Run the job on standard input."""
    job = job_of(json.load(sys.stdin))
    contained = False if job.network else contain()
    verdict = play(job, contained)
    text = json.dumps(own_mask().json(verdict.document()), ensure_ascii=False, indent=1) + "\n"
    write_text(job.folder / VERDICT, text)


def recipe_of(job: RunJob) -> AgentRecipe:
    """The recipe of a job."""
    return recipe_of_command(job.command, [job.provider]) if job.command else load_recipe(job.recipe)


def play(job: RunJob, contained: bool) -> AgentVerdict:
    """Run the agent to its end, and say what came of it."""
    recipe, script = recipe_of(job), load_script(job.script)
    workspace = workspace_in(job.folder)
    task = filled_in(script.task, {"workspace": str(workspace)})
    director = ScriptDirector(script, task, workspace, recipe.tools, job.after_end)
    interruption = interruption_of(director)
    seconds = job.seconds or recipe.seconds
    watching = watched(job.folder) if contained else contextlib.nullcontext(Outsiders())
    with watching as outsiders, _serving(director, strict=job.strict) as running, _asked(running, job) as origin:
        around = AgentSurroundings(
            recipe, job.folder, job.provider, origin, running.url(job.provider).replace(running.origin, origin), task,
            script.resumes, script.thinks, tuple(map(Path, job.programs)), away=not contained and not job.network,
        )  # fmt: skip
        around.made(script.files)
        began = time.monotonic()
        ended = _run(around, seconds, interruption)
        if interruption is not None and interruption.happened and director.ended:
            ended = replace(ended, code=0, late=False)  # it went on by itself, and was ended after its last word
        elif interruption is not None and interruption.happened:
            director.interrupted()
            ended = run_confined(around.resume_command, around.workspace, around.environment, _limits(seconds))
        took = time.monotonic() - began
    if running.application.crashes:  # it is not for the agent to pay for
        raise RuntimeError(running.application.crashes[0])
    log = running.log
    write_text(job.folder / EXCHANGES, json.dumps(log.document(limit=KEPT), ensure_ascii=False, indent=1) + "\n")
    found = concluded_findings(director, log, ended, workspace, seconds)
    return AgentVerdict(
        recipe.id, recipe.title, job.version, script.id, job.provider, played=director.played, length=director.length,
        requests=log.total, aside=director.aside, streaming=any(entry.served.streaming for entry in log.entries),
        contained=contained, exit_code=ended.code, seconds=took, not_played=director.chooser.not_played,
        findings=list(found), outsiders=outsiders.documents(), said=ended.output.decode("utf-8", "replace")[-TAIL:],
    )  # fmt: skip


def _run(around: AgentSurroundings, seconds: float, interruption: Interruption | None) -> ConfinedResult:
    """The agent's own preparations, and the agent."""
    limits = Limits(SETUP_SECONDS, OUTPUT, Sizes(file=FILE))
    for words in around.recipe.setup:
        ended = run_confined(around.filled_words(words), around.workspace, around.environment, limits)
        if ended.code or ended.late:
            return ended
    return run_confined(
        around.command, around.workspace, around.environment, _limits(seconds), interruption=interruption
    )


def _limits(seconds: float) -> Limits:
    return Limits(seconds, OUTPUT, Sizes(file=FILE))


def _asked(running: Running, job: RunJob) -> contextlib.AbstractContextManager[str]:
    """The origin that the agent is told: the server's, or that of a proxy before it."""
    if not job.mutant:
        return contextlib.nullcontext(running.origin)

    def changed(provider: str, request: Request) -> Request:
        made = REQUEST_MUTANTS[job.mutant](provider, request)
        if made.document != request.document:
            (job.folder / CHANGED).touch()
        return made

    return changing_proxy(running.origin, changed)


@contextlib.contextmanager
def _serving(director: ScriptDirector, *, strict: bool) -> Iterator[Running]:
    settings = Settings(lenient=not strict, keep=KEPT)
    running = Running(Application(settings, director=director), open_socket("127.0.0.1", 0))
    try:
        yield running
    finally:
        running.stop(END_SECONDS)
