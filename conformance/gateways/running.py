"""Running gateways: one process for each run, with its folder and its limits."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.gateways import PREFIX, playing
from conformance.gateways.job import VERDICT, GatewayJob
from conformance.gateways.recipe import load_gateway
from conformance.gateways.verdict import verdict_document
from conformance.masking.environment import without_keys
from conformance.model import Json
from conformance.processes.confined import Limits, run_confined
from conformance.processes.running import MODULE, Sizes
from conformance.recipes.installing import NotInstalledError, program_at

SECONDS = 3_000.0
"""How long a run may take."""
OUTPUT = 1_000_000


class GatewayRunError(Exception):
    """The harness itself failed."""


def verdict_of_gateway(job: GatewayJob, version: str = "") -> dict[str, Json]:
    """The verdict of a run, whose folder may be kept. Raises `GatewayRunError`, `DocumentError`."""
    named = Path(job.recipe)
    job = replace(job, recipe=str(named.absolute()) if named.suffix and named.is_file() else job.recipe)
    recipe = load_gateway(job.recipe)
    try:
        program = program_at(recipe.install, f"{PREFIX}{recipe.id}", version)
    except NotInstalledError as problem:
        return verdict_document(recipe.id, recipe.title, version, reason=str(problem))
    root = Path(tempfile.mkdtemp(prefix=f"conformance-{recipe.id}-"))
    job = replace(job, root=str(root), version=program.version, programs=tuple(map(str, program.programs)))
    try:
        return {**_run(job), **({"folder": str(root)} if job.keep else {})}
    finally:
        if not job.keep:
            shutil.rmtree(root, ignore_errors=True)


def _run(job: GatewayJob) -> dict[str, Json]:
    asked = json.dumps(job.document()).encode()
    ended = run_confined(
        (MODULE, playing.__name__), job.folder, without_keys(), Limits(SECONDS, OUTPUT, Sizes()), asked
    )
    try:
        verdict: dict[str, Any] = json.loads((job.folder / VERDICT).read_text("utf-8"))
    except OSError:
        said = ended.output.decode("utf-8", "replace")[-2_000:]
        raise GatewayRunError(f"the run of {job.recipe} came to nothing: {said}") from None
    return verdict
