"""What docs name is there: rules, scenarios, and files of this repository."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

from conformance.report.summary import GLYPHS
from conformance.rules import catalogue
from conformance.scenarios import load_scenarios

ROOT = Path(__file__).parents[2]
RULE = re.compile(r"`([a-z]+\.[a-z]+\.[a-z0-9-]+)`")
SCENARIO = re.compile(r"`([a-z_]+\.[a-z0-9_*]+)`")
OTHER_NAMES = frozenset({
    "anthropic.messages", "anthropic.toml", "arguments.done", "errors.py", "ollama.chat", "reasoning.delta",
    "reasoning.end",
})  # fmt: skip
"""Modules, files and events that are spelled as scenarios are."""
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)")
SITE = ROOT / "docs" / "site"
DOCS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def test_docs_name_rules_that_are_there() -> None:
    topics = {rule_id.rpartition(".")[0] for rule_id in catalogue()}
    named = {(path.name, name) for path in DOCS for name in RULE.findall(path.read_text("utf-8"))}
    rules = {(path, name) for path, name in named if name.rpartition(".")[0] in topics}
    assert rules
    assert {(path, name) for path, name in rules if name not in catalogue()} == set()


def test_docs_name_scenarios_that_are_there() -> None:
    known = [*load_scenarios()]
    families = {name.partition(".")[0] for name in known}
    named = {(path.name, name) for path in DOCS for name in SCENARIO.findall(path.read_text("utf-8"))}
    asked = {(path, name) for path, name in named if name.partition(".")[0] in families and name not in OTHER_NAMES}
    assert asked
    assert {(path, name) for path, name in asked if not fnmatch.filter(known, name)} == set()


def test_links_lead_to_files_that_are_there() -> None:
    links = {(path, target) for path in DOCS for target in LINK.findall(path.read_text("utf-8"))}
    assert links
    assert {(path.name, target) for path, target in links if not _is_there(path, target)} == set()


def test_the_site_leads_to_every_page_of_docs() -> None:
    """By a list of contents: what stands in none is only found by chance."""
    listed = {line for page in SITE.glob("*.md") for line in page.read_text("utf-8").splitlines()}
    assert {f"docs/{page.stem}" for page in ROOT.glob("docs/*.md")} - listed == set()


def test_every_sign_of_the_matrix_is_explained() -> None:
    """A newcomer's first matrix has more signs than passes and failures."""
    rows = [line for line in (SITE / "matrix.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    signs = {sign for row in rows for sign in re.findall(r"`(.)`", row.split("|")[1])}
    assert signs == set(GLYPHS.values())


def _is_there(path: Path, target: str) -> bool:
    """Whether a link leads somewhere. Pages of the site stand at its root, beside the folder of rules that is made."""
    if path.parent != SITE:
        return (path.parent / target).exists()
    rule = target.removeprefix("rules/").removesuffix(".md")
    return (ROOT / target).exists() or (SITE / target).exists() or rule == "index" or rule in catalogue()
