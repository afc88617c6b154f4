"""Words beside checks: the pairs of files that a family of rules is made of.

``<family>/<topic>.yaml`` has the words of some rules, ``<family>/<topic>.py`` their checks. The family's ``TOPICS`` say
which pairs there are and in which order. What has no counterpart is an error that names it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

from conformance.files.packs import made_once
from conformance.rules.check import CHECKS, Check
from conformance.transcript import SWITCHES, Switch

Words = dict[str, Any]
"""What a file says of one rule, by field."""

PAIR = (".yaml", ".py")
"""How the two files of a topic end."""

AfterSwitch = Literal["asks", "excused"]
"""What a rule does with history from before a switch of the model, its family or the host: it asks for it as if nothing
had changed, or it forgets all that came up to the switch."""


class PairError(ValueError):
    """Words without a check, a check without words, or a file without the other of its pair."""


def import_family(name: str) -> ModuleType:
    """The package of a family. Raises `PairError` if there is none."""
    if importlib.util.find_spec(name) is None:
        raise PairError(f"{name.replace('.', '/')}/__init__.py is missing: make it, with the family's TOPICS")
    return importlib.import_module(name)


def import_checks(family: ModuleType) -> None:
    """Bind the checks of a family's pairs."""
    for topic in family.TOPICS:
        importlib.import_module(f"{family.__name__}.{topic}")


def bound_words(families: Sequence[ModuleType]) -> list[Words]:
    """The words of all families' rules, in order, each with its check. They are read again when a pair has changed.

    Raises `PairError` for what has no counterpart.
    """
    return list(made_once("rules", _files_of(families), lambda: _bound(families)))


def _bound(families: Sequence[ModuleType]) -> list[Words]:
    words = [one for family in families for one in read_words(family)]
    for family in families:
        import_checks(family)
    check_bound([one["id"] for one in words], CHECKS)
    return words


def _files_of(families: Iterable[ModuleType]) -> Iterator[Path]:
    """What the words of families depend on: their pairs, and this module."""
    yield Path(__file__)
    for family in families:
        yield from sorted(path for path in Path(str(family.__file__)).parent.iterdir() if path.suffix in PAIR)


def read_words(family: ModuleType) -> list[Words]:
    """The words of a family's rules, in order. Raises `PairError` for a file that has no other, or is not a topic."""
    check_files(family)
    folder = resources.files(family)
    return [words for topic in family.TOPICS for words in _load((folder / f"{topic}.yaml").read_bytes())]


def check_files(family: ModuleType) -> None:
    """Raises `PairError` unless the folder holds both files of each topic, and words for nothing else."""
    there = {entry.name for entry in resources.files(family).iterdir()}
    name = family.__name__.replace(".", "/")
    for topic in family.TOPICS:
        for own, other in ((f"{topic}.yaml", f"{topic}.py"), (f"{topic}.py", f"{topic}.yaml")):
            if own not in there:
                raise PairError(f"{name}/{own} is missing, the other file of {other}")
    for file in sorted(there):
        if file.endswith(".yaml") and file.removesuffix(".yaml") not in family.TOPICS:
            raise PairError(f"{name}/{file} is not in the TOPICS of {name}/__init__.py")


def switch_words(words: Words) -> dict[Switch, AfterSwitch]:
    """What a rule does after each switch. It asks, unless its words say otherwise: a rule about what the model said in
    the open, about calls and about results, holds whoever goes on. Raises `PairError` for words that mean nothing.
    """
    said = words.get("after_switch", {})
    known, meant = set(SWITCHES), set(get_args(AfterSwitch))
    if not isinstance(said, dict) or not known.issuperset(said) or not meant.issuperset(map(str, said.values())):
        raise PairError(f"{words['id']}: after_switch says of {', '.join(SWITCHES)} that the rule asks, or is excused")
    return {switch: said.get(switch, "asks") for switch in SWITCHES}


def check_bound(rules: Iterable[str], checks: Mapping[str, Check]) -> None:
    """Raises `PairError` unless ``checks`` has one check for each of ``rules``, and no other."""
    rules = list(rules)
    for rule in rules:
        if rules.count(rule) > 1:
            raise PairError(f"{rule} has words twice")
        if rule not in checks:
            raise PairError(f"{rule} has words and no check")
    for rule, check in checks.items():
        if rule not in rules:
            raise PairError(f"{rule} has a check in {check.__module__} and no words")


def _load(text: bytes) -> list[Words]:
    import yaml  # workers are given the words, and read none

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    entries: list[Words] = yaml.load(text, Loader=loader)
    return entries
