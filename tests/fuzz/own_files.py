"""Files that people write for us, and results."""

from __future__ import annotations

import io
import json
import re
from functools import cache
from pathlib import Path
from random import Random

import yaml
from fuzz_playing import Target
from rich.console import Console
from seeds import ROOMS, ROOT, is_line, some_files

from conformance.adapters.contract import AdapterInfo
from conformance.baseline import BaselineError, apply_baseline, read_baseline
from conformance.coverage.document import CoverageError, read_coverage, worse
from conformance.coverage.measure import Measurement
from conformance.documents import Document
from conformance.engine.cases import Selection
from conformance.engine.pool import AdapterProbe
from conformance.judgements import JudgementError, read_judgements
from conformance.judgements.checks import with_judgements
from conformance.matrix import Matrix
from conformance.report.badge import badges
from conformance.report.coverage import coverage
from conformance.report.diff import diff_lines, difference
from conformance.report.findings import findings
from conformance.report.html import page
from conformance.report.junit import junit
from conformance.report.markdown import markdown
from conformance.report.merge import MergeError, merged_results
from conformance.report.terminal import render
from conformance.result import ResultError, as_text, read_result
from conformance.scenario_files import write_scenario
from conformance.scenarios import ScenarioError, Shelf, load_scenario
from conformance.wires import wire
from conformance.wires.host import read_host
from conformance.wires.host_file import HostError


def _scenario_files() -> list[bytes]:
    families = [path for path in (ROOT / "scenarios").iterdir() if path.is_dir() and path.name != "generated"]
    texts = [text for family in sorted(families) for text in some_files(family.glob("*.yaml"), 2)]
    return [*texts, *(json.dumps(yaml.safe_load(text)).encode() for text in texts[::2])]


def _read_scenario(data: bytes, folder: Path) -> None:
    (folder / "family").mkdir()
    shelf = Shelf.packaged()
    for suffix in (".yaml", ".json"):
        path = folder / "family" / f"name{suffix}"
        path.write_bytes(data)
        if suffix == ".json" and not data.startswith(b"{"):
            continue
        scenario = load_scenario(path, shelf)
        write_scenario(scenario, folder / "family" / f"again{suffix}")


def _shelf_files() -> list[bytes]:
    """Tools and pictures of a folder of scenarios, as one document."""
    both = {name: yaml.safe_load((ROOT / "scenarios" / f"{name}.yaml").read_bytes()) for name in ("tools", "images")}
    return [json.dumps(both).encode(), json.dumps(both | {"images": {}}).encode()]


def _read_shelf(data: bytes, folder: Path) -> None:
    try:
        document = json.loads(data)
        files = {name: json.dumps(document[name]).encode() for name in ("tools", "images")}
    except (ValueError, LookupError, TypeError, RecursionError):
        files = {"tools": data, "images": data}
    for name, text in files.items():
        (folder / f"{name}.yaml").write_bytes(text)
    Shelf.of(folder)


@cache
def some_results() -> list[bytes]:
    """Results of runs, with a few of their cells."""
    made = []
    for name in ("reference", "libraries"):
        document = json.loads((ROOT / "reports" / name / "result.json").read_bytes())
        for seed in range(3):
            cells = Random(seed).sample(document["cells"], 4)
            cells += Random(seed).sample([cell for cell in document["cells"] if cell["failures"]] or cells, 1)
            cells = [{**cell, "failures": cell["failures"][:1]} for cell in cells]
            kept = {failure["evidence"] for cell in cells for failure in cell["failures"]}
            ids = [{cell[key] for cell in cells} for key in ("adapter", "rule")]
            made.append({
                **document, "cells": cells,
                "adapters": [{**one, "capabilities": {}} for one in document["adapters"] if one["id"] in ids[0]],
                "rules": [one for one in document["rules"] if one["id"] in ids[1]],
                "evidence": {key: value for key, value in document["evidence"].items() if key in kept},
                "causes": [one for one in document["causes"] if one["such_as"]["evidence"] in kept],
            })  # fmt: skip
    return [json.dumps(document).encode() for document in made]


def _read_result(data: bytes, folder: Path) -> None:
    path = folder / "result.json"
    path.write_bytes(data)
    document = merged_results([read_result(path)])
    path.write_text(as_text(document), "utf-8")
    assert merged_results([read_result(path)]) == document, "written, it says something else"
    for show in (markdown, coverage, page, junit):
        show(document).encode("utf-8", "surrogatepass")
    list(badges(document))
    list(diff_lines(difference(document, document)))
    render(document, Console(file=io.StringIO(), width=100), verbose=True)


JUDGEMENTS = ROOT / "judgements" / "libraries"

BASELINE = """
expected_failures:
  - rule: common.result.no-orphan
    adapter: "*"
    provider: openai-*
    case: shell.success/*
    reason: known
    link: https://example.org/issues/1
    expires: 2027-01-31
  - {rule: chat.*, reason: "known too", link: "https://example.org/2", expires: "2026-12-01"}
"""


def _baselines() -> list[bytes]:
    return [BASELINE.encode(), json.dumps(yaml.safe_load(BASELINE), default=str).encode()]


def _read_baseline(data: bytes, folder: Path) -> None:
    import datetime

    path = folder / "baseline.yaml"
    path.write_bytes(data)
    entries = read_baseline(path)
    found = apply_baseline(entries, _matrix(), datetime.date(2026, 11, 23))
    assert all(map(is_line, found)), "a complaint is no line"


def _matrix() -> Matrix:
    info = AdapterInfo("mine", {"openai-chat": {"blocking"}})
    return Matrix([AdapterProbe("mine", info, "translator")], {}, Selection(rules=("chat.*",)))


def _judgement_files() -> list[bytes]:
    """Judgements, with their causes after a line of their own."""
    causes = (JUDGEMENTS / "causes.yaml").read_bytes()
    texts = some_files((path for path in JUDGEMENTS.glob("*.yaml") if path.name != "causes.yaml"), 4, 8_000)
    small = yaml.safe_dump({"causes": yaml.safe_load(causes)["causes"]}, sort_keys=False).encode()
    wholes = [text + BETWEEN + small for text in texts]
    return [*wholes, *(json.dumps(yaml.safe_load(text)).encode() + BETWEEN + small for text in texts)]


BETWEEN = b"\n# causes\n"


def _read_judgements(data: bytes, folder: Path) -> None:
    own, between, causes = data.partition(BETWEEN)
    (folder / "mine.yaml").write_bytes(own)
    if between:
        (folder / "causes.yaml").write_bytes(causes)
    found = read_judgements(folder)
    document: Document = json.loads(some_results()[-1])
    findings(with_judgements(document, found), found, {})


def _host_files() -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / "conformance/wires/hosts").glob("*.toml"))]


def _read_host(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    named = re.search(r'^id = "(.*?)"', text, re.MULTILINE)
    host = read_host(text, f"{named[1] if named else 'x'}.toml")
    if host.wire in ROOMS:
        base = wire(host.wire)
        base.at(host.card(base.card, host.wire), host.section("deviations"))


@cache
def _coverage_documents() -> list[bytes]:
    document = json.loads((ROOT / "reports" / "coverage.json").read_bytes())
    return [json.dumps({**document, "providers": {name: document["providers"][name]}}).encode() for name in ROOMS[:4]]


def _read_coverage(data: bytes, folder: Path) -> None:
    path = folder / "coverage.json"
    path.write_bytes(data)
    before = read_coverage(path)
    forms = frozenset({"request.model", "request.tools[]"})
    now = [Measurement(name, forms, {}, frozenset(), {}, forms) for name in ROOMS[:4]]
    assert all(map(is_line, worse(before, now)))


TARGETS = (
    Target("scenario", _scenario_files, _read_scenario, (ScenarioError,), "a scenario", 40),
    Target("shelf", _shelf_files, _read_shelf, (ScenarioError,), "tools and pictures of scenarios"),
    Target("result", some_results, _read_result, (ResultError, MergeError), "a result, and all that is made of it", 30),
    Target("baseline", _baselines, _read_baseline, (BaselineError,), "a baseline"),
    Target("judgements", _judgement_files, _read_judgements, (JudgementError,), "judgements and causes", 40),
    Target("coverage", _coverage_documents, _read_coverage, (CoverageError,), "a document of coverage"),
    Target("host", _host_files, _read_host, (HostError,), "a host's card"),
)
