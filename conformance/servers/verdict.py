"""The verdict on a server: three parts, told apart, as a document (``schemas/server_verdicts.schema.json``)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.engine.evidence import bounded
from conformance.model import Json
from conformance.servers.address import AskedServer
from conformance.servers.asking import ServerLine
from conformance.servers.listing import listed_model
from conformance.servers.model_part import MEASURES, MeasureCount, ModelPart, model_part
from conformance.servers.must_reject import RejectPart, ServerRefusal, must_reject
from conformance.servers.probes import PROBES
from conformance.servers.wire_part import WirePart, finding_documents, level_of, wire_part
from conformance.wires import card

ServerVerdict = dict[str, Any]

NO_ACCESS: Mapping[int, str] = {0: "it cannot be reached", 401: "the key is not taken", 403: "the key is not taken"}
"""Why nothing is asked of a server, by the status of its first answer."""


def verdict_on(server: AskedServer, repeats: int, seconds: float, model: str = "") -> ServerVerdict:
    """Ask a server all, and judge. ``model`` is the one that was named; else the server's list is asked."""
    started = time.monotonic()
    with ServerLine(server, seconds) as line:
        if not model:
            line.server = replace(server, model=listed_model(line) or server.model)
        first = line.ask("first", replace(PROBES[0].conversation, model=line.server.model), stream=False)
        if first.status in NO_ACCESS:
            why = " ".join(filter(None, (f"{NO_ACCESS[first.status]}:", first.why or first.body[:200])))
            return {**_head(line.server), "outcome": "not run", "reason": why}
        wires = wire_part(line)
        rejects = must_reject(line)
        models = model_part(line, wires, repeats)
        asked = line.asked
    return {
        **_head(line.server),
        "outcome": "fail" if _fails(wires, rejects) else "pass",
        "requests": asked,
        "seconds": round(time.monotonic() - started, 1),
        "wire": _wire(wires),
        "must_reject": _rejects(rejects, line.server),
        "model": _model(models),
    }


def _head(server: AskedServer) -> ServerVerdict:
    return {"url": server.url, "provider": server.provider, "model_name": server.model}


def _fails(wires: WirePart, rejects: RejectPart) -> bool:
    return bool(rejects.faults) or any(level_of(one.rule) == "must" for one in wires.findings)


# --- the parts -------------------------------------------------------------------------------------------------------


def _wire(part: WirePart) -> ServerVerdict:
    return {"checked": dict(sorted(part.checked.items())), "findings": finding_documents(part.findings)}


def _rejects(part: RejectPart, server: AskedServer) -> ServerVerdict:
    counts = dict.fromkeys(("refused", "accepted", "failed", "undecided"), 0)
    for one in part.refusals:
        counts[one.outcome] += 1
    left = [_refusal(one, server) for one in part.refusals if one.outcome == "undecided"]
    return {**counts, "faults": [_refusal(one, server) for one in part.faults], "left_open": left}


def _refusal(one: ServerRefusal, server: AskedServer) -> ServerVerdict:
    found, rule = one.request.finding, one.request.rule
    known = rule.evidence.get(card(server.provider).provider)
    return {
        "rule": rule.id, "origin": one.request.origin, "outcome": one.outcome, "status": one.status,
        "at": found.at, "expected": bounded(found.expected), "found": bounded(found.found), "said": one.said,
        "evidence": known.as_data() if known is not None else {},
    }  # fmt: skip


def _model(part: ModelPart) -> ServerVerdict:
    return {
        "repeats": part.repeats,
        "wrong_form": part.wrong_form,
        "measures": {name: _measure(part.measures[name]) for name in MEASURES if name in part.measures},
    }


def _measure(one: MeasureCount) -> Json:
    low, high = one.interval
    return {"kept": one.kept, "of": one.of, "low": round(low, 4), "high": round(high, 4)}


# --- a second server -------------------------------------------------------------------------------------------------


def compared_servers(one: ServerVerdict, other: ServerVerdict) -> ServerVerdict:
    """What is other at one server than at a second one, against which it is held."""
    ours, theirs = (_broken(verdict) for verdict in (one, other))
    return {
        "url": one["url"], "against": other["url"],
        "only_here": sorted(ours - theirs), "only_there": sorted(theirs - ours), "both": sorted(ours & theirs),
        "model": _differences(one.get("model", {}), other.get("model", {})),
    }  # fmt: skip


def _broken(verdict: ServerVerdict) -> set[str]:
    wires = {one["rule"] for one in verdict.get("wire", {}).get("findings", ())}
    return wires | {one["rule"] for one in verdict.get("must_reject", {}).get("faults", ())}


def _differences(one: ServerVerdict, other: ServerVerdict) -> ServerVerdict:
    """By measure: where the difference of the two rates lies, and whether it is more than chance makes."""
    told = {}
    for name, here in one.get("measures", {}).items():
        there = other.get("measures", {}).get(name)
        if there is not None:
            low, high = MeasureCount(here["kept"], here["of"]).less(MeasureCount(there["kept"], there["of"]))
            told[name] = {"low": round(low, 4), "high": round(high, 4), "differs": low > 0 or high < 0}
    return told


def below_threshold(verdict: ServerVerdict, threshold: float) -> list[str]:
    """The measures that are below a threshold for certain: the whole interval is."""
    measures = verdict.get("model", {}).get("measures", {})
    return [name for name, one in measures.items() if one["of"] and one["high"] < threshold]
