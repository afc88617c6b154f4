"""What docs name is there: rules, and files of this repository."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.report.summary import GLYPHS
from conformance.rules import catalogue

ROOT = Path(__file__).parents[2]
RULE = re.compile(r"`([a-z]+\.[a-z]+\.[a-z0-9-]+)`")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)")
SITE = ROOT / "docs" / "site"
DOCS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


def test_docs_name_rules_that_are_there() -> None:
    topics = {rule_id.rpartition(".")[0] for rule_id in catalogue()}
    named = {(path.name, name) for path in DOCS for name in RULE.findall(path.read_text("utf-8"))}
    rules = {(path, name) for path, name in named if name.rpartition(".")[0] in topics}
    assert rules
    assert {(path, name) for path, name in rules if name not in catalogue()} == set()


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
