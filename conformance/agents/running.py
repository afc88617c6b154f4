"""Running agents: one process for each run, with its folder and its limits."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.agents import playing
from conformance.agents.installing import agent_at
from conformance.agents.interrupting import NO_WAY
from conformance.agents.job import VERDICT, RunJob
from conformance.agents.playing import recipe_of
from conformance.agents.script import load_script
from conformance.agents.verdict import AgentVerdict
from conformance.masking.environment import without_keys
from conformance.model import Json
from conformance.processes.confined import Limits, run_confined
from conformance.processes.running import MODULE, Sizes
from conformance.recipes.installing import NotInstalledError

BESIDE = 150.0
"""How many seconds a run may take beside the agent's own."""
SAID = 1_000_000


class RunFailedError(Exception):
    """The harness itself failed."""


def verdict_of_run(job: RunJob, version: str = "", *, keep: bool = False) -> dict[str, Json]:
    """The verdict of a run, as a document. The folder of the run is removed unless it is to be kept.

    ``version`` is the agent's, where not the newest that is installed is meant. Raises `RunFailedError` and
    `DocumentError`.
    """
    job = replace(job, recipe=_whole(job.recipe), script=_whole(job.script), command=tuple(map(_whole, job.command)))
    recipe, script = recipe_of(job), load_script(job.script)
    try:
        agent = agent_at(recipe, version)
    except NotInstalledError as problem:
        return AgentVerdict(recipe.id, recipe.title, version, script.id, job.provider, str(problem)).document()
    if script.interruption is not None and not recipe.resume:
        return AgentVerdict(recipe.id, recipe.title, agent.version, script.id, job.provider, NO_WAY).document()
    root = Path(tempfile.mkdtemp(prefix=f"conformance-{recipe.id}-"))
    job = replace(job, root=str(root), version=agent.version, programs=tuple(map(str, agent.programs)))
    try:
        return {**_run(job, job.seconds or recipe.seconds), **({"folder": str(root)} if keep else {})}
    finally:
        if not keep:
            shutil.rmtree(root, ignore_errors=True)


def _whole(word: str) -> str:
    """A word that names a file here, as its whole path: the run has another folder."""
    named = "/" in word or word.endswith((".yaml", ".yml", ".json"))
    return str(Path(word).absolute()) if named and Path(word).is_file() else word


def _run(job: RunJob, seconds: float) -> Mapping[str, Any]:
    asked = json.dumps(job.document()).encode()
    limits = Limits(seconds + BESIDE, SAID, Sizes())
    ended = run_confined((MODULE, playing.__name__), job.folder, without_keys(), limits, asked)
    try:
        verdict: dict[str, Any] = json.loads((job.folder / VERDICT).read_text("utf-8"))
    except OSError:
        said = ended.output.decode("utf-8", "replace")[-2_000:]
        raise RunFailedError(f"the run of {job.recipe or job.command[0]} came to nothing: {said}") from None
    return verdict
