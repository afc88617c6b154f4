"""Words beside checks: pairs are whole, small and in their place; what has no counterpart is an error that names it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from every import of_every

import conformance.rules
from conformance.rules import catalogue
from conformance.rules.check import Verdicts
from conformance.rules.families import families, prefixes
from conformance.rules.pairs import PairError, check_bound, read_words
from conformance.transcript import Exchange

RULES = Path(conformance.rules.__file__).parent
PAIRS = sorted(path.with_suffix("") for family in families() for path in (RULES / family).glob("*.yaml"))
BY_NAME = {f"{pair.parent.name}/{pair.name}": (pair,) for pair in PAIRS}
LONGEST = 400
"""Lines of a pair."""


def words_of(pair: Path) -> list[dict[str, object]]:
    entries: list[dict[str, object]] = yaml.load(pair.with_suffix(".yaml").read_bytes(), yaml.CSafeLoader)
    return entries


@of_every(BY_NAME)
def test_a_pair_is_small(pair: Path) -> None:
    lines = sum(len(pair.with_suffix(suffix).read_text("utf-8").splitlines()) for suffix in (".yaml", ".py"))
    assert lines <= LONGEST


@of_every(BY_NAME)
def test_a_check_stands_beside_its_words_and_is_called_as_its_rule_is(pair: Path) -> None:
    module = f"conformance.rules.{pair.parent.name}.{pair.name}"
    for words in words_of(pair):
        rule = str(words["id"])
        check = catalogue()[rule].check
        assert check is not None
        assert (check.__module__, check.__name__) == (module, rule.rpartition(".")[2].replace("-", "_"))


def test_rules_are_listed_by_family_topic_and_place() -> None:
    modules = [importlib.import_module(f"conformance.rules.{family}") for family in families()]
    listed = [RULES / module.__name__.rsplit(".", 1)[1] / topic for module in modules for topic in module.TOPICS]
    assert list(catalogue()) == [words["id"] for pair in listed for words in words_of(pair)]


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A family of one topic in a package of its own."""
    folder = tmp_path / "a_family"
    folder.mkdir()
    (folder / "__init__.py").write_text('TOPICS = ("talk",)\n')
    (folder / "talk.yaml").write_text("- id: common.declare.talk\n")
    (folder / "talk.py").write_text("")
    (folder / "documents.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    sys.modules.pop("a_family", None)


def test_a_family_is_read_pair_by_pair(family: Path) -> None:
    assert read_words(importlib.import_module("a_family")) == [{"id": "common.declare.talk"}]


@pytest.mark.parametrize(
    ("remove", "add", "told"),
    [
        ("talk.yaml", "", "a_family/talk.yaml is missing, the other file of talk.py"),
        ("talk.py", "", "a_family/talk.py is missing, the other file of talk.yaml"),
        ("", "walk.yaml", "a_family/walk.yaml is not in the TOPICS of a_family/__init__.py"),
    ],
)
def test_a_file_alone_is_an_error(family: Path, remove: str, add: str, told: str) -> None:
    if remove:
        (family / remove).unlink()
    if add:
        (family / add).write_text("[]\n")
    with pytest.raises(PairError, match=told):
        read_words(importlib.import_module("a_family"))


def test_a_family_that_a_card_names_and_nobody_made_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance.rules, "families", lambda: ("common", "acme"))
    with pytest.raises(PairError, match=r"^conformance/rules/acme/__init__.py is missing"):
        conformance.rules.load_checks.__wrapped__()


@of_every(BY_NAME)
def test_a_rule_stands_where_a_new_one_of_its_name_would_be_put(pair: Path) -> None:
    firsts = {str(words["id"]).partition(".")[0] for words in words_of(pair)}
    assert {prefixes()[first].family for first in firsts - {"compat"}} <= {pair.parent.name}


def a_check(x: Exchange) -> Verdicts:
    yield None


@pytest.mark.parametrize(
    ("rules", "checks", "told"),
    [
        (["a.b.c", "a.b.d"], ["a.b.c"], "a.b.d has words and no check"),
        (["a.b.c"], ["a.b.c", "a.b.d"], f"a.b.d has a check in {__name__} and no words"),
        (["a.b.c", "a.b.c"], ["a.b.c"], "a.b.c has words twice"),
    ],
)
def test_words_and_checks_belong_together(rules: list[str], checks: list[str], told: str) -> None:
    with pytest.raises(PairError, match=told):
        check_bound(rules, dict.fromkeys(checks, a_check))
    check_bound(["a.b.c"], {"a.b.c": a_check})
