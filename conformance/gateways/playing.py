"""One run, in a process of its own: the providers, the gateway and the client, in a network that has nobody else.

It is told its job as JSON on standard input (`conformance.gateways.job`), and writes the verdict into the job's folder.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from conformance.files.whole import write_text
from conformance.gateways.crossing import CrossedCall
from conformance.gateways.job import EXCHANGES, SAID, VERDICT, GatewayJob, job_of
from conformance.gateways.plan import GatewayCase, all_cases
from conformance.gateways.play import Doorway, judged_case
from conformance.gateways.recipe import GatewayRecipe, load_gateway
from conformance.gateways.surroundings import KEY, GatewaySurroundings, free_port
from conformance.gateways.upstream import ScriptedUpstream
from conformance.gateways.verdict import GatewayCell, verdict_document
from conformance.masking.door import own_mask
from conformance.model import Json
from conformance.processes.confined import Limits, run_confined
from conformance.processes.running import Sizes, kept_process
from conformance.recipes.placeholders import filled_in
from conformance.sealed.contained import contain
from conformance.sealed.outside import Outsiders, watched

FILE = 1_000_000_000
SETUP_SECONDS, LOOK_SECONDS, ASK_SECONDS = 60.0, 0.1, 2.0
TAIL = 3_000
"""How many characters of what the gateway said last are told."""


class NotReadyError(Exception):
    """The gateway did not start."""


def main() -> None:
    """Run the job on standard input."""
    job = job_of(json.load(sys.stdin))
    contained = False if job.network else contain()
    write_text(job.folder / VERDICT, json.dumps(own_mask().json(play(job, contained)), ensure_ascii=False, indent=1))


def play(job: GatewayJob, contained: bool) -> dict[str, Json]:
    """Start the gateway, play all that is wanted through it, and say what came of it."""
    recipe = load_gateway(job.recipe)
    upstream = ScriptedUpstream()
    away = not contained and not job.network
    port, programs = free_port(), tuple(map(Path, job.programs))
    around = GatewaySurroundings(recipe, job.folder, upstream.origin, port, programs, away)
    around.made()
    began = time.monotonic()
    kept_exchanges: list[Json] = []
    watching = watched(job.folder) if contained else contextlib.nullcontext(Outsiders())
    with watching as outsiders:
        try:
            with running_gateway(around):
                cells = [_cell(one, job, around, upstream, kept_exchanges) for one in _pairs(recipe, job)]
        except (NotReadyError, OSError) as problem:
            said = _said(around)
            return verdict_document(
                recipe.id, recipe.title, job.version, reason=f"it did not start: {problem}", said=said,
                contained=contained, outsiders=outsiders.documents(),
            )  # fmt: skip
        finally:
            upstream.stop()
    if upstream.problems:
        raise RuntimeError(f"the harness failed: {upstream.problems[0]}")
    if job.keep:
        write_text(job.folder / EXCHANGES, json.dumps(own_mask().json(kept_exchanges), ensure_ascii=False, indent=1))
    return verdict_document(
        recipe.id, recipe.title, job.version, cells=cells, contained=contained, said="",
        seconds=time.monotonic() - began, outsiders=outsiders.documents(),
    )  # fmt: skip


def _pairs(recipe: GatewayRecipe, job: GatewayJob) -> Iterator[GatewayCell]:
    for inbound, way in recipe.inbound.items():
        for outbound in recipe.outbound:
            if inbound in (job.inbound or (inbound,)) and outbound in (job.outbound or (outbound,)):
                yield GatewayCell(inbound, outbound, way.lacks.get(outbound, ""))


def _cell(
    cell: GatewayCell, job: GatewayJob, around: GatewaySurroundings, upstream: ScriptedUpstream, exchanges: list[Json]
) -> GatewayCell:
    if cell.reason:
        return cell
    inbound, outbound = around.recipe.inbound[cell.inbound], around.recipe.outbound[cell.outbound]
    headers = {name: filled_in(text, around.values) for name, text in {**inbound.headers, **outbound.headers}.items()}
    door = Doorway(cell.inbound, cell.outbound, filled_in(inbound.url, around.values), KEY, outbound.model, headers)
    for case in _wanted(job, cell):
        crossings, found = judged_case(case, door, upstream)
        cell.enter(case.name, crossings, found)
        if job.keep:
            exchanges += [_document(cell, case, crossing) for crossing in crossings]
    return cell


def _wanted(job: GatewayJob, cell: GatewayCell) -> Iterator[GatewayCase]:
    for case in all_cases():
        if case.suits(cell.inbound, cell.outbound) and case.scenario in (job.scenarios or (case.scenario,)):
            yield case


def _document(cell: GatewayCell, case: GatewayCase, crossing: CrossedCall) -> Json:
    """One model call as it went over the wires, for people who read it."""
    upstream = [
        {
            "provider": call.provider, "url": call.request.url, "headers": dict(call.request.headers),
            "body": call.request.document if call.request.is_json else call.request.body.decode("utf-8", "replace"),
            "answer": call.answer.body if call.answer is not None else None,
        }
        for call in crossing.upstream
    ]  # fmt: skip
    return {
        "inbound": cell.inbound, "outbound": cell.outbound, "case": case.name, "asked": crossing.request.document,
        "upstream": upstream, "status": crossing.status, "headers": crossing.headers, "broken": crossing.broken,
        "got": crossing.body.decode("utf-8", "replace"),
    }  # fmt: skip


# --- the gateway's process -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def running_gateway(around: GatewaySurroundings) -> Iterator[None]:
    """The gateway, from when it can be used until the block ends. Raises `NotReadyError` and `OSError`."""
    for words in around.recipe.setup:
        limits = Limits(SETUP_SECONDS, FILE, Sizes(file=FILE))
        ended = run_confined(around.words(words), around.home, around.environment, limits)
        if ended.code or ended.late:
            raise NotReadyError(f"{words[0]} ended with {ended.code}")
    with (
        (around.root / SAID).open("wb") as said,
        kept_process(
            around.words(around.recipe.command), folder=around.home, environment=around.environment,
            sizes=Sizes(file=FILE), stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
        ) as process,
    ):  # fmt: skip
        _wait(around, process)
        yield


def _wait(around: GatewaySurroundings, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + around.recipe.seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            raise NotReadyError(f"it ended with exit code {process.returncode}")
        if _is_ready(around.origin + around.recipe.ready):
            return
        time.sleep(LOOK_SECONDS)
    raise NotReadyError(f"{around.recipe.ready} was not answered within {around.recipe.seconds:g} s")


def _is_ready(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=ASK_SECONDS):
            return True
    except urllib.error.HTTPError as problem:
        return problem.code < 500
    except (OSError, ValueError):
        return False


def _said(around: GatewaySurroundings) -> str:
    try:
        return (around.root / SAID).read_bytes().decode("utf-8", "replace")[-TAIL:]
    except OSError:
        return ""
