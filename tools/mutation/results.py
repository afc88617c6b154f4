"""What was played, kept: a file of mutants and a file of results for each source file, in ``.mutation``."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from mutation.mutants import Mutant, digest, mutants_of
from mutation.shadow import ROOT


class Mutated(Protocol):
    """A file that is mutated."""

    @property
    def path(self) -> str:
        """The file, as it is called in reports."""

    @property
    def name(self) -> str:
        """What its results are called."""

    @property
    def source(self) -> str:
        """Its text."""


FOLDER = ROOT / ".mutation"


def mutants_kept(target: Mutated) -> list[Mutant]:
    """The mutants of a file, by hash: any first part of them is a fair sample. Found once for each text of the file."""
    file = FOLDER / f"{_name(target)}.mutants.json"
    if not file.exists():
        FOLDER.mkdir(exist_ok=True)
        file.write_text(json.dumps([asdict(mutant) for mutant in mutants_of(target.source)]), "utf-8")
    return sorted(_read(file), key=lambda mutant: rank(target, mutant))


def _read(file: Path) -> list[Mutant]:
    return [Mutant(**{**item, "place": tuple(item["place"])}) for item in json.loads(file.read_text("utf-8"))]


def rank(target: Mutated, mutant: Mutant) -> str:
    """The place of a mutant among all, by hash of what it changes."""
    return hashlib.sha256(f"{target.path} {mutant.operator} {mutant.was} {mutant.becomes}".encode()).hexdigest()


class Results:
    """The results of one source file. Each is written as soon as it is known."""

    def __init__(self, target: Mutated) -> None:
        self._target = target
        self._file = FOLDER / f"{_name(target)}.results.jsonl"

    def known(self) -> dict[str, dict[str, Any]]:
        """What is known, by mutant. The last word counts."""
        if not self._file.exists():
            return {}
        entries = map(json.loads, self._file.read_text("utf-8").splitlines())
        return {entry["mutant"]: entry for entry in entries}

    def earlier_kills(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """How the same changes were killed in earlier texts of the file, by `Mutant.change`."""
        found = {}
        for file in sorted(FOLDER.glob(f"{self._target.name}-*.mutants.json")):
            results = Path(str(file).replace(".mutants.json", ".results.jsonl"))
            known = {mutant.key: mutant for mutant in _read(file)}
            for entry in map(json.loads, results.read_text("utf-8").splitlines() if results.exists() else ()):
                if entry["outcome"] in ("killed", "warned") and entry["mutant"] in known:
                    found[known[entry["mutant"]].change] = entry
        return found

    def enter(self, mutant: Mutant, answer: dict[str, Any]) -> None:
        """Write down what became of a mutant."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"mutant": mutant.key, **answer}) + "\n")


def _name(target: Mutated) -> str:
    return f"{target.name}-{digest(target.source)}"
