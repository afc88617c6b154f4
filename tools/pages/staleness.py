"""Signs that something published was made of something else than what there is now. Nothing is run for them.

Each function gives a line for each sign, and nothing where it sees none. That it sees none does not prove that the page
would be made the same again.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import coding_agents as agents_page
import doors as doors_page
import evidence as evidence_page
import fields as fields_pages
import gateways as gateways_page
import hosts as hosts_page
import parsers as parsers_page
import servers as servers_page
import yaml

from conformance.adapters.libraries import LIBRARIES
from conformance.coverage.measure import packaged
from conformance.coverage.pages import coverage_markdown
from conformance.coverage.scope import is_counted
from conformance.rules import catalogue
from conformance.scenarios import generated_names, load_scenarios, written_scenarios
from conformance.version import VERSION
from conformance.wires import PROVIDERS

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "reports"


LIBRARIES_FOLDERS = ("libraries", "libraries/portable")


def _read(folder: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((REPORTS / folder / "result.json").read_text("utf-8"))
    return document


def reference(folder: str) -> list[str]:
    """A run of the reference adapters: each provider's rules and the scenarios are those of today."""
    document = _read(folder)
    made_by = document["suite"]["version"]
    lines = [] if made_by == VERSION else [f"made by {made_by}, today's version is {VERSION}"]
    lines += _other("scenarios", str(document["suite"]["scenarios"]), str(len(load_scenarios())))
    lines += _other("generated", str(document["suite"].get("generated", 0)), str(len(generated_names())))
    lines += _weights(document)
    for (adapter, provider), judged in _judged(document).items():
        lines += _differ(f"{adapter} on {provider}", judged, _asked(document, provider))
    return lines + _differ("providers", {provider for _, provider in _judged(document)}, set(PROVIDERS))


def agents() -> list[str]:
    """What was found of coding agents is judged, and nothing else is."""
    return agents_page.unread()


def gateways() -> list[str]:
    """The same of gateways."""
    return gateways_page.unread()


def parsers() -> list[str]:
    """The same of parsers."""
    return parsers_page.unread()


def servers() -> list[str]:
    """The same of servers."""
    return servers_page.unread()


def doors() -> list[str]:
    """Inventories are of libraries of the table, their pages are there, and the index shows their figures."""
    figures: dict[str, Any] = json.loads((REPORTS / "doors" / "figures.json").read_text("utf-8"))
    unknown = figures.keys() - {library.distribution for library in LIBRARIES.values()}
    lines = [f"{name} is no library of the table" for name in sorted(unknown)]
    lines += [f"{one['page']} is missing" for one in figures.values() if not (REPORTS / "doors" / one["page"]).exists()]
    shown = (REPORTS / "doors" / "README.md").read_text("utf-8")
    return lines + ([] if shown == doors_page.index(figures) else ["its index shows other figures"])


def libraries() -> list[str]:
    """The runs of libraries accuse nobody of what no rule of today says.

    A run of all libraries takes an hour, so it is held against the rules and libraries of its own day: what came later
    waits for the next run (`newer`). But who is accused is accused by a rule that still stands, in its words of today.
    """
    lines = []
    for folder in LIBRARIES_FOLDERS:
        document = _read(folder)
        lines += _weights(document) + _accusations(document)
        for (adapter, provider), judged in _judged(document).items():
            gone = judged - _asked(document, provider)
            lines += [f"{adapter} on {provider}: {name} is there no more" for name in sorted(gone)]
        unknown = {item["id"] for item in document["adapters"]} - set(LIBRARIES)
        lines += [f"{name} is no library of the table" for name in sorted(unknown)]
    return lines


def newer() -> list[str]:
    """Rules, libraries and scenarios that came after the runs of libraries. They make nothing wrong."""
    lines = []
    for folder in LIBRARIES_FOLDERS:
        document = _read(folder)
        known = {name for judged in _judged(document).values() for name in judged}
        asked = {name for _, provider in _judged(document) for name in _asked(document, provider)}
        missing = set(LIBRARIES) - {item["id"] for item in document["adapters"]}
        lines += [f"{folder}: {name} came later" for name in sorted((asked - known) | missing)]
        scenarios = _other("scenarios", str(document["suite"]["scenarios"]), str(len(written_scenarios())))
        lines += [f"{folder}: {line}" for line in scenarios]
    return lines


def _asked(document: dict[str, Any], provider: str) -> set[str]:
    """The rules of today that a run in the document's profile asks at a provider."""
    profile = document["run"]["profile"]
    return {rule.id for rule in catalogue().values() if rule.is_played_in(provider, profile)}


def _accusations(document: dict[str, Any]) -> list[str]:
    """Rules that failed in the document and say something else today."""
    failed = {cell["rule"] for cell in document["cells"] if cell["failures"]}
    said = {rule["id"]: (rule["level"], rule["statement"]) for rule in document["rules"] if rule["id"] in failed}
    today = {rule.id: (rule.level, rule.statement) for rule in catalogue().values()}
    return [f"{name} says something else now" for name in sorted(said) if name in today and said[name] != today[name]]


def evidence() -> list[str]:
    """The page of evidence is what would be made now."""
    made = evidence_page.page() == evidence_page.PAGE.read_text("utf-8")
    return [] if made else ["a rule rests on something else now"]


def coverage() -> list[str]:
    """Coverage: the scenarios, rules and recorded forms are those of today, and the page is of its data."""
    document = json.loads((REPORTS / "coverage.json").read_text("utf-8"))
    lines = _other("scenarios", str(document["suite"]["scenarios"]), str(len(load_scenarios())))
    lines += _other("rules", str(document["suite"]["rules"]), str(len(catalogue())))
    lines += _differ("providers", document["providers"], PROVIDERS)
    today = [form for provider, known in packaged().items() for form in known if is_counted(provider, form)]
    forms = sum(side["recorded"]["forms"] for one in document["providers"].values() for side in one.values())
    lines += _other("recorded forms", str(forms), str(len(today)))
    made = coverage_markdown(document) == (REPORTS / "coverage.md").read_text("utf-8")
    return lines if made else [*lines, "the page is not of its data"]


def _weights(document: dict[str, Any]) -> list[str]:
    """What breaking a rule does is told by the evidence of today."""
    today = {rule.id: rule for rule in catalogue().values()}
    return [
        f"{cell['rule']} on {cell['provider']} is {cell.get('consequence')}, and not {expected}"
        for cell in document["cells"]
        if cell["rule"] in today
        and cell.get("consequence") != (expected := today[cell["rule"]].shown_consequence(cell["provider"]))
    ]


def _judged(document: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
    """The rules of each adapter's cells, by provider, under the names of today."""
    today, found = _todays_names(), dict[tuple[str, str], set[str]]()
    for cell in document["cells"]:
        found.setdefault((cell["adapter"], cell["provider"]), set()).add(today.get(cell["rule"], cell["rule"]))
    return found


def _todays_names() -> dict[str, str]:
    """The id of each rule by its former ids."""
    return {former: rule.id for rule in catalogue().values() for former in rule.aliases}


def selftest() -> list[str]:
    """The self-test's page: its rules, scenarios and providers."""
    text = (REPORTS / "selftest.md").read_text("utf-8")
    scenarios = re.search(r"(\d+) scenarios", text)
    today = _todays_names()
    named = {today.get(name, name) for name in re.findall(r"^\| `([a-z0-9.-]+)` \|", text, re.MULTILINE)}
    lines = _other("scenarios", scenarios[1] if scenarios else "none", str(len(written_scenarios())))
    lines += _differ("rules", named, set(catalogue()))
    return lines + [f"{provider} is not in it" for provider in PROVIDERS if f"\n| {provider} |" not in text]


def real_traffic() -> list[str]:
    """The page about recorded traffic names no rule that is gone."""
    text = (REPORTS / "real-traffic.md").read_text("utf-8")
    known = catalogue().keys() | _todays_names().keys()
    families = {name.partition(".")[0] for name in known}
    named = {name for name in re.findall(r"`([a-z]+\.[a-z]+\.[a-z0-9-]+)`", text) if name.partition(".")[0] in families}
    return [f"{name} is no rule" for name in sorted(named - known)]


def hosts() -> list[str]:
    """The table of hosts is of today's files, and each was counted in recorded traffic."""
    return hosts_page.stale()


def known_bugs() -> list[str]:
    """Every bug of the list was tried, with a rule that there is, and the page was made of what came of it."""
    entries = yaml.safe_load((ROOT / "judgements" / "known-bugs.yaml").read_text("utf-8"))
    tried = json.loads((REPORTS / "known-bugs.json").read_text("utf-8"))
    text = (REPORTS / "known-bugs.md").read_text("utf-8")
    lines = _differ("bugs", set(tried), {entry["id"] for entry in entries})
    known = catalogue().keys() | _todays_names().keys()
    lines += [f"{entry['rule']} is no rule" for entry in entries if entry["rule"] not in known]
    return lines + [f"{entry['id']} is not on the page" for entry in entries if entry["url"] not in text]


def broken_adapters() -> list[str]:
    """Every adapter was played, and is told by rules that there are."""
    tried = json.loads((REPORTS / "broken-adapters.json").read_text("utf-8"))
    source = "".join(path.read_text("utf-8") for path in sorted((ROOT / "tests").glob("unlisted_a*.py")))
    written = set(re.findall(r"^class (\w+)\((?:Unlisted|Again)\)", source, re.MULTILINE)) - {"Again"}
    lines = _differ("broken adapters", set(tried), written)
    named = {rule for told in tried.values() if told for rule in told["rules"]}
    return lines + [f"{rule} is no rule" for rule in sorted(named - catalogue().keys())]


def faults() -> list[str]:
    """The tests that are counted are there."""
    text = (REPORTS / "faults.md").read_text("utf-8")
    return [f"{path} is gone" for path in re.findall(r"`(tests/\S+\.py)`", text) if not (ROOT / path).exists()]


def performance() -> list[str]:
    """The benchmarks that are shown are there."""
    text = (REPORTS / "performance.md").read_text("utf-8")
    return [f"{path} is gone" for path in re.findall(r"`python (\S+\.py)", text) if not (ROOT / path).exists()]


def cassettes() -> list[str]:
    """There is a folder for every provider."""
    there = {path.name for path in (ROOT / "cassettes").iterdir() if path.is_dir()}
    return _differ("providers", there, set(PROVIDERS))


def schemas() -> list[str]:
    """What the installed SDKs give is what stands there."""
    return _check("tools/generate_schemas.py")


def api() -> list[str]:
    """The page of public names is of today's names."""
    return _check("tools/generate_api.py")


def fields() -> list[str]:
    """The tables of fields are what the wires and rules of today make."""
    return [f"{name} is not of today" for name in fields_pages.stale()]


def pictures() -> list[str]:
    """The pictures show the published result."""
    return _check("tools/pages/pictures.py")


def readme() -> list[str]:
    """The README shows the published results."""
    return _check("tools/pages/readme_matrix.py")


def _check(script: str) -> list[str]:
    """What a script's own ``--check`` says."""
    done = subprocess.run(
        [sys.executable, script, "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return []
    return [(done.stdout or done.stderr).strip() or f"{script} would make something else"]


def _other(what: str, published: str, today: str) -> list[str]:
    return [] if published == today else [f"{published} {what}, today there are {today}"]


def _differ(what: str, published: Iterable[str], today: Iterable[str]) -> list[str]:
    """What is missing in a published set, and what is too much."""
    have, want = set(published), set(today)
    missing = [f"{what}: {name} is missing" for name in sorted(want - have)]
    return missing + [f"{what}: {name} is there no more" for name in sorted(have - want)]
