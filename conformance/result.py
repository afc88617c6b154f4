"""``result.json``: a run as stable, versioned data. Everything that is reported comes from this document."""

from __future__ import annotations

import contextlib
import datetime
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from conformance.adapters.libraries.ways import split_way, ways_of
from conformance.capabilities import Lack
from conformance.causes.ranking import ranked
from conformance.deliveries import DELIVERIES
from conformance.documents import Document, bytes_read
from conformance.engine.cases import Group, Selection, scenarios_of
from conformance.engine.pool import AdapterProbe
from conformance.environments.finding import installs_of
from conformance.files.members import read_members
from conformance.masking.door import Mask, own_mask
from conformance.matrix import Cell, Matrix
from conformance.obstacles import Obstacle
from conformance.older_results import completed
from conformance.outcomes import ORDER
from conformance.rules import Rule, catalogue
from conformance.scenarios import GENERATED, Scenario
from conformance.scenarios.outlines import Outline
from conformance.schemas import member_problems, problems, schema
from conformance.sets import PlayableRequirements, playable_set
from conformance.version import VERSION
from conformance.wording import LineError

MAX_RESULT = 512_000_000
"""How many bytes a result may have: it is in memory as a whole."""

LARGE = 8_000_000
"""From how many bytes on the evidence of a result may stay on disk: less is read faster as a whole."""


class ResultError(LineError):
    """A result file that cannot be read. The message says which, where and why."""


def result_document(
    matrix: Matrix,
    *,
    started: datetime.datetime,
    duration: float,
    command: str,
    planned: Sequence[Group],
    left_out: int,
    interrupted: bool,
    exit_code: int,
    baseline: Iterable[str] = (),
) -> Document:
    """The run as a document that conforms to ``result.schema.json``."""
    rules = {cell.rule.id: cell.rule for cell in matrix.cells.values()}
    run: Document = {
        "started": started.astimezone(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "duration_s": round(duration, 3),
        "profile": matrix.selection.profile,
        "command": command,
        "selection": "chosen" if left_out else "all",
        "interrupted": interrupted,
        "exit_code": exit_code,
        "responder": matrix.selection.answering.kind,
        "cases": {
            "planned": _count(planned, matrix.selection),
            "finished": matrix.finished,
            "unsupported": matrix.unsupported,
        },
    }
    if matrix.selection.tolerance:
        run["tolerance"] = True
    if matrix.selection.requirement_set:
        run["set"] = _set(playable_set(matrix.selection.requirement_set))
    if left_out:
        run["cases"]["left_out"] = left_out
    if complaints := list(baseline):
        run["baseline"] = complaints
    if matrix.selection.answering.cassettes is not None:
        run["recordings"] = list(
            _recordings(planned, matrix.selection.answering.cassettes, scenarios_of(matrix.selection), started)
        )
    if matrix.selection.answering.repeat > 1:
        run["repeat"] = matrix.selection.answering.repeat
    cells = [
        _cell(cell, matrix.exercised.get(key, set()), rated=matrix.selection.answering.repeat > 1)
        for key, cell in matrix.cells.items()
    ]
    names = {split_way(probed.address)[0]: probed.info.name for probed in matrix.adapters}
    played = {(names[address], provider): count for (address, provider), count in matrix.played.items()}
    return {
        "schema": schema("result")["$id"],
        "suite": {"version": VERSION, "rules": len(catalogue()), **_counts(matrix.scenarios)},
        "run": run,
        "adapters": list(_adapters(matrix)),
        "rules": [_rule(rule) for rule in rules.values()],
        "causes": ranked(matrix.book.causes.values(), cells, played),
        "cells": cells,
        "evidence": matrix.evidence,
    }


def _set(played: PlayableRequirements) -> Document:
    return {
        "name": played.name, "frozen": played.frozen, "suite": played.suite,
        "changed": list(played.changed), "errata": list(played.errata),
    }  # fmt: skip


def _adapters(matrix: Matrix) -> Iterator[Document]:
    """The adapters, each with the ways into its library that were played, unless that was the usual one alone."""
    ways: dict[str, dict[str, AdapterProbe]] = {}
    for probed in matrix.adapters:
        address, way = split_way(probed.address)
        ways.setdefault(address, {})[way] = probed
    for address, by in ways.items():
        order = [one.name for one in ways_of(address) if one.name in by or (one is ways_of(address)[0] and "" in by)]
        told = {"ways": order} if by.keys() != {""} else {}
        probed = by.get("") or next(iter(by.values()))
        yield {**_adapter(probed, matrix.obstacles.get(address, Counter())), **told}


def _adapter(probed: AdapterProbe, met: Counter[Lack]) -> Document:
    info = probed.info
    found = installs_of(probed.address)
    more: Document = {
        "obstacles": list(_obstacles(probed.obstacle, met)),
        "lacks": dict(info.lacks),
        "installs": None if found is None else [asdict(one) for one in found],
    }
    return {
        "id": info.name,
        "name": info.name,
        "version": info.version,
        "kind": probed.kind,
        "language": info.language,
        "homepage": info.homepage,
        "issues": info.issues,
        "providers": list(info.capabilities),
        "capabilities": {provider: sorted(names) for provider, names in info.capabilities.items()},
        **{name: value for name, value in more.items() if value or (name == "installs" and value is not None)},
    }


def _obstacles(loading: Obstacle | None, met: Counter[Lack]) -> Iterator[Document]:
    """What an adapter met that is no fault of its conversations: when it was loaded, and in how many cases."""
    if loading is not None:
        yield {"kind": loading.kind, "error": loading.error, "cases": 0}
    for lack, count in met.most_common():
        yield {"kind": lack.kind, "error": lack.error, "cases": count}


def _rule(rule: Rule) -> Document:
    names = ("id", "level", "consequence", "profile", "stage", "side", "providers", "statement", "source", "since")
    values = {name: getattr(rule, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _count(planned: Sequence[Group], selection: Selection) -> int:
    return sum(len(group.deliveries) for group in planned) * selection.answering.repeat


def _recordings(
    planned: Sequence[Group], root: Path, scenarios: Mapping[str, Scenario], now: datetime.datetime
) -> Iterator[Document]:
    """Where each recording that was played comes from, how old it is, and whether its scenario has changed since."""
    from conformance.responders.recorded import provenances

    wanted = {
        (group.provider, group.scenario, DELIVERIES[name].streaming)
        for group in planned
        if not group.unsupported
        for name in group.deliveries
    }
    named = [(provider, scenarios[scenario], streaming) for provider, scenario, streaming in sorted(wanted)]
    for path, origin in provenances(root, named):
        yield {"file": path, **origin, **_age(origin.get("recorded", ""), now)}


def _age(recorded: str, now: datetime.datetime) -> Document:
    try:
        return {"age_days": max(0, (now - datetime.datetime.fromisoformat(recorded)).days)}
    except (ValueError, TypeError):  # none, or one without a time zone: then nobody knows
        return {}


def _rate(cell: Cell) -> Document:
    """How often a rule passed, of the times that it was seen."""
    seen = cell.cases.total() - cell.cases["model_choice"] - cell.cases["unsupported"]
    return {"seen": seen, "passed": cell.cases["pass"], "model_choice": cell.cases["model_choice"]}


def _exercising(names: set[str]) -> Document:
    """The scenarios that exercised a cell: written ones by name, of generated ones the number."""
    written = sorted(name for name in names if not name.startswith(f"{GENERATED}."))
    return {"scenarios": written, **({"generated": len(names) - len(written)} if len(written) < len(names) else {})}


def _counts(scenarios: Mapping[str, Outline]) -> Document:
    """How many scenarios there are, and how many of them are derived."""
    derived = sum(one.family == GENERATED for one in scenarios.values())
    return {"scenarios": len(scenarios) - derived, **({"generated": derived} if derived else {})}


def _cell(cell: Cell, scenarios: set[str], *, rated: bool) -> Document:
    document: Document = {
        "adapter": cell.adapter,
        "provider": cell.provider,
        "rule": cell.rule.id,
        "outcome": cell.outcome,
        **({"seconds": round(cell.seconds, 3)} if cell.cases else {}),
        "consequence": cell.rule.shown_consequence(cell.provider),
        "cases": {outcome: cell.cases[outcome] for outcome in ORDER if cell.cases[outcome]},
        **_exercising(scenarios),
        "failures": [
            {
                "case": item.case,
                "at": item.failure.at,
                "in": item.failure.document,
                "expected": item.failure.expected,
                "found": item.failure.found,
                "evidence": item.failure.evidence,
                "cause": item.cause,
                **({"way": item.way} if item.way else {}),
            }
            for item in cell.failures
        ],
    }
    if evidence := cell.rule.evidence_class(cell.provider):
        document["evidence"] = evidence
    if rated:
        document["rate"] = _rate(cell)
    judged = cell.outcome not in ("model_choice", "unsupported", "not_applicable")
    why = cell.lack.words if cell.lack else cell.why
    optional = {
        "flag": cell.flag,
        "word": cell.word,
        "why": None if judged else why,
        "lack": None if judged or cell.lack is None else cell.lack.kind,
        "failed_cases": cell.failed,
        "lightened_cases": cell.lightened,
        "ways": cell.ways,
    }
    return document | {name: value for name, value in optional.items() if value}


def masked_result(document: Document, mask: Mask) -> Document:
    """The document without secrets in what others said: adapters, commands, findings and evidence.

    The rest is ours: names of rules, cases and outcomes, by which its parts are told from each other. Evidence
    that is kept on disk was masked before.
    """
    parts = {"run": [document["run"]], "adapters": document["adapters"], "cells": document["cells"]}
    parts |= {"causes": document["causes"]} if "causes" in document else {}
    theirs = mask.json({
        **({"evidence": document["evidence"]} if isinstance(document["evidence"], dict) else {}),
        **{name: [_without(part, _OURS[name]) for part in all_] for name, all_ in parts.items()},
    })  # fmt: skip
    shown = {name: [part | told for part, told in zip(all_, theirs[name], strict=True)] for name, all_ in parts.items()}
    evidence = {"evidence": theirs["evidence"]} if "evidence" in theirs else {}
    return document | shown | {"run": shown["run"][0], **evidence}


def _without(part: Document, names: frozenset[str]) -> Document:
    return {name: value for name, value in part.items() if name not in names}


_OURS: Mapping[str, frozenset[str]] = {
    "run": frozenset({
        "started", "duration_s", "profile", "interrupted", "exit_code", "responder", "cases", "repeat", "tolerance",
        "set",
    }),
    "causes": frozenset({
        "id", "standing", "consequence", "cases", "of", "weight", "providers", "rules", "kind",
    }),
    "adapters": frozenset({"kind", "providers", "capabilities", "ways"}),
    "cells": frozenset({
        "provider", "rule", "outcome", "seconds", "consequence", "cases", "scenarios", "generated", "evidence", "rate",
        "flag", "word", "lack", "failed_cases", "lightened_cases", "ways",
    }),
}  # fmt: skip
"""What of each part nobody else said. All other members are masked, those that are not known yet too."""


def as_text(document: Any) -> str:
    """JSON text. Lone surrogates, which UTF-8 cannot carry, stay escaped."""
    text = json.dumps(document, ensure_ascii=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(document, ensure_ascii=True, indent=1)
    return text + "\n"


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Tell what is wrong with a result file in one line, as a `ResultError`."""
    try:
        yield
    except OSError as problem:
        raise ResultError(f"{path}: {problem.strerror}") from None
    except ResultError:
        raise
    except (ValueError, RecursionError) as problem:
        raise ResultError(f"{path}: not JSON, or cut short ({problem}): run again with --out {path}") from None


def read_result(path: Path) -> Document:
    """A result file, checked against its schema. Raises `ResultError` with one line."""
    with _reading(path):
        data = bytes_read(path, MAX_RESULT)
        if len(data) > MAX_RESULT:
            raise ResultError(f"{path}: larger than {MAX_RESULT} bytes")
        document = json.loads(data)
    for at, complaint in problems("result", document):
        raise ResultError(f"{path}: not a result of this tool: at {at or '/'}: {complaint}")
    return masked_result(completed(document), own_mask())


def open_result(path: Path) -> Document:
    """`read_result`, but the evidence, which is nearly all of a large result, is kept on disk until it is asked for.

    A small result is read as a whole, and so is one of before there were causes.
    """
    mask = own_mask()

    def kept(name: str, item: Any) -> tuple[str, Any]:
        for at, complaint in member_problems("result", "evidence", {name: item}):
            raise ResultError(f"{path}: not a result of this tool: at /evidence{at}: {complaint}")
        ((key, value),) = mask.json({"evidence": {name: item}})["evidence"].items()
        return key, value

    if not path.is_file() or not LARGE <= path.stat().st_size <= MAX_RESULT:
        return read_result(path)
    with _reading(path):
        document = read_members(path, "evidence", kept)
    if "causes" not in document or "evidence" not in document:
        return read_result(path)
    for at, complaint in problems("result", document | {"evidence": {}}):
        raise ResultError(f"{path}: not a result of this tool: at {at or '/'}: {complaint}")
    return masked_result(completed(document), mask)


def text_pieces(document: Document) -> Iterator[str]:
    """`as_text` of a result, piece by piece: what its members hold comes item by item, and is never there as a whole.
    """
    yield "{"
    for number, (name, value) in enumerate(document.items()):
        yield ("," if number else "") + f"\n {_inner(name, 1)}: "
        if isinstance(value, Mapping) and value:
            items = (f"{_inner(key, 2)}: {_inner(item, 2)}" for key, item in value.items())
            yield from _between("{", items, "}")
        elif isinstance(value, list) and value:
            yield from _between("[", (_inner(item, 2) for item in value), "]")
        else:
            yield _inner(dict(value) if isinstance(value, Mapping) else value, 1)
    yield "\n}\n"


def _between(opening: str, items: Iterator[str], closing: str) -> Iterator[str]:
    yield opening
    for number, item in enumerate(items):
        yield ("," if number else "") + f"\n  {item}"
    yield f"\n {closing}"


def _inner(value: Any, depth: int) -> str:
    """The text of a value that stands so deep in another."""
    return as_text(value).removesuffix("\n").replace("\n", "\n" + " " * depth)
