"""Real clients at a server: which of them get on with it, and what of its answers stands against it.

A client goes through a relay (`conformance.servers.watching`), so that what it met is known: each answer is judged as
those to our own questions are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.agents import PREFIX
from conformance.documents import DocumentError
from conformance.outcomes import FAILURES
from conformance.runner.entry import run
from conformance.runner.errors import UsageError
from conformance.servers.address import AskedServer
from conformance.servers.agent_client import NotRunError, agent_at_server
from conformance.servers.watching import WatchedServer, watched_server
from conformance.servers.wire_part import WirePart, finding_documents
from conformance.wires import card

SCENARIOS = ("multi_turn.hello", "shell.success", "parallel_calls.two_reads")
"""What shims play: a text, a call with its result, and two calls at once."""

ClientDocument = dict[str, Any]


def client_verdict(client: str, server: AskedServer, seconds: float) -> ClientDocument:
    """What a client met at a server: a coding agent, or one of our shims."""
    if client.startswith(PREFIX):
        return _of_agent(client, server, seconds)
    return _of_shim(client, server, seconds)


def _of_agent(client: str, server: AskedServer, seconds: float) -> ClientDocument:
    try:
        with agent_at_server(client.removeprefix(PREFIX), server, seconds) as (watching, ended):
            pass
    except (NotRunError, DocumentError) as problem:
        return {"client": client, "outcome": "not run", "reason": str(problem)}
    wire, asked = _wire(watching), len(watching.answers)
    ill = "it took too long" if ended["late"] else f"it ended with {ended['code']}: {ended['said']}"
    is_ill = ended["late"] or ended["code"] != 0
    broken = any(one["level"] == "must" for one in wire)
    return {
        "client": client,
        "outcome": "not run" if not asked else "fail" if broken or is_ill else "pass",
        "reason": "; ".join([*([ill] if is_ill else ()), *([] if ended["contained"] else ["network not contained"])]),
        "requests": asked,
        "findings": wire,
    }


def _of_shim(client: str, server: AskedServer, seconds: float) -> ClientDocument:
    with watched_server(server) as watching:
        try:
            result = run(
                client, providers=card(server.provider).format, scenarios=SCENARIOS,
                generated="none", responder="live", base_urls=watching.origin, models=server.model, jobs=1,
                timeout=seconds, command="",
            ).finish()  # fmt: skip
        except UsageError as problem:
            return {"client": client, "outcome": "not run", "reason": str(problem)}
    wire = _wire(watching)
    cells = {str(outcome): count for outcome, count in result.cells.items() if outcome != "not_applicable" and count}
    return {
        "client": client,
        "outcome": _outcome(cells, wire, asked=len(watching.answers)),
        "reason": "; ".join(_rules(result.document)),
        "cells": cells,
        "requests": len(watching.answers),
        "findings": wire,
    }


def _outcome(cells: Mapping[str, int], wire: Iterable[Mapping[str, Any]], asked: int) -> str:
    if any(one["level"] == "must" for one in wire) or FAILURES & cells.keys():
        return "fail"
    if not asked:
        return "not run"
    return "pass" if "pass" in cells else "model choice"


def _rules(document: Mapping[str, Any]) -> list[str]:
    """The rules that the client itself broke or could not keep, each with its worst outcome."""
    told: dict[str, str] = {}
    for cell in document.get("cells", ()):
        if cell.get("outcome") in FAILURES and "rule" in cell:
            told.setdefault(cell["rule"], f"{cell['rule']}: {cell['outcome']}")
    return list(told.values())


def _wire(watching: WatchedServer) -> list[dict[str, Any]]:
    """What of the answers stands against the server. Whether it rightly refuses what a client asks (4xx) is not known:
    a prompt may be too long for its model."""
    part = WirePart()
    for answer in watching.answers:
        if not 400 <= answer.status < 500:
            part.judge(answer)
    return finding_documents(part.findings)
