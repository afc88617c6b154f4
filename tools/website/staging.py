"""The pages of the site in one folder: those that are written by hand as they are, and those that are made."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from pathlib import Path
from shutil import copyfile

from conformance.report.explain import explanation_of
from conformance.report.rule_page import rule_page, rules_index
from conformance.rules import catalogue

ROOT = Path(__file__).resolve().parents[2]
OWN = "docs/site"
"""The pages that are written for the site alone. They stand at its root."""
PAGES = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/fields/*.md", "docs/notes/*.md",
    "reports/*.md", "reports/*/*.md", "judgements/*.md", "scenarios/README.md", "cassettes/README.md",
    "tools/README.md", "conformance/rules/CORRECTIONS.md", "conformance/export/INTERPRETING.md",
)  # fmt: skip
TABLES = ("reports/*/matrix.md", "reports/*/coverage.md", "reports/coverage.md")
"""Large tables, which are no pages."""
LARGEST = 2_000_000
"""How many bytes a file may have that pages link to, to be in the site."""
LINK = re.compile(r"\[(?P<words>[^\[\]]*)\]\((?!https?:|#|mailto:)(?P<target>[^)\s#]+)(?:#[^)\s]*)?\)")
ANCHOR = re.compile(r'^<a id="([^"]+)"></a>$', re.MULTILINE)
"""A place to link to, as Markdown has it. MyST has a mark of its own."""
NAMELESS = re.compile(r"^\| *\|(?=.*\n\|[-:| ]+\n)", re.MULTILINE)
"""The head of a table whose first column has no name. A reader by ear needs one."""


def stage(folder: Path) -> list[str]:
    """Put everything into ``folder``. Returns the names of the pages, without their suffix."""
    pages = sorted(_found(PAGES) - _found(TABLES))
    texts = {page: page.read_text("utf-8") for page in pages}
    linked = {place for page, text in texts.items() for _, place in _links(page, text)}
    files = {place for place in linked - texts.keys() if place.is_file() and place.stat().st_size <= LARGEST}
    for page, text in texts.items():
        _write(folder / page.relative_to(ROOT), _as_myst(page, text, texts.keys() | files))
    for file in files:
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copyfile(file, copy)
    for page in sorted((ROOT / OWN).glob("*.md")):
        _write(folder / page.name, page.read_text("utf-8"))
    _write_rules(folder / "rules")
    return [str(path.relative_to(folder).with_suffix("")) for path in folder.rglob("*.md")]


def _found(patterns: tuple[str, ...]) -> set[Path]:
    return {path for pattern in patterns for path in ROOT.glob(pattern)}


def _links(page: Path, text: str) -> Iterator[tuple[re.Match[str], Path]]:
    """Each link of a page to something in the repository, and what that is."""
    for found in LINK.finditer(text):
        yield found, (page.parent / found["target"]).resolve()


def _as_myst(page: Path, text: str, there: Set[Path]) -> str:
    """The page as MyST reads it. A link to what is not in the site, such as a folder, becomes its words."""
    lost = {found[0] for found, place in _links(page, text) if place not in there}
    text = LINK.sub(lambda found: found["words"] if found[0] in lost else found[0], text)
    return NAMELESS.sub("| name |", ANCHOR.sub(r"(\1)=", text))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _write_rules(folder: Path) -> None:
    """A page for each rule, one that lists them, and one at each name that a rule had once."""
    rules = list(catalogue().values())
    texts = {"index": rules_index(rules)} | {rule.id: rule_page(explanation_of(rule)) for rule in rules}
    for old, new in ((alias, rule.id) for rule in rules for alias in rule.aliases):
        texts[old] = f"---\norphan: true\n---\n\n# {old}\n\nThis rule is called [{new}]({new}.md) now.\n"
    for name, text in texts.items():
        _write(folder / f"{name}.md", text)
