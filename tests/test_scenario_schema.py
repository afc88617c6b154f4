"""The schema of scenarios says the same in jsonschema-rs, which we use, and in jsonschema, which is the oracle."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from every import of_every

from conformance.documents import read_yaml
from conformance.scenarios import scenario_root
from conformance.schemas import problems, schema

FILES = sorted(scenario_root().glob("*/*.yaml"))
BY_NAME = {f"{path.parent.name}.{path.stem}": (path,) for path in FILES}
MUTANTS_EACH = 12
SPARE: tuple[Any, ...] = (None, True, 0, -1, 1.5, 2**70, "", "auto", "text", "image", [], ["a", "a"], {}, {"x": 1})


def oracle(name: str) -> Any:
    """The reference validator for one of our schemas."""
    document = schema(name)
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


ORACLE = oracle("scenario")


@pytest.mark.parametrize("name", ["scenario", "tools", "images"])
def test_the_schema_is_a_schema(name: str) -> None:
    oracle(name)


@of_every(BY_NAME)
def test_shipped_files_conform(path: Path) -> None:
    document = read_yaml(path)
    assert list(problems("scenario", document)) == []
    assert ORACLE.is_valid(document)


@pytest.mark.parametrize(("name", "file"), [("tools", "tools.yaml"), ("images", "images.yaml")])
def test_the_shelf_conforms(name: str, file: str) -> None:
    document = read_yaml(scenario_root() / file)
    assert list(problems(name, document)) == []
    assert oracle(name).is_valid(document)


@pytest.mark.slow
@of_every(BY_NAME)
def test_both_say_the_same_of_mutated_files(path: Path) -> None:
    document, chance = read_yaml(path), random.Random(str(path.relative_to(scenario_root())))
    for _ in range(MUTANTS_EACH):
        mutant = mutated(document, chance)
        found = list(problems("scenario", mutant))
        assert (not found) == ORACLE.is_valid(mutant), mutant
        assert {at for at, _ in found} <= {pointer(error) for error in errors(ORACLE.iter_errors(mutant))}


def test_mutation_makes_good_and_bad_files() -> None:
    chance = random.Random(1)
    verdicts = [ORACLE.is_valid(mutated(read_yaml(path), chance)) for path in FILES]
    assert 0.05 < sum(verdicts) / len(verdicts) < 0.95


def mutated(document: Any, chance: random.Random) -> Any:
    """``document`` with one thing removed, renamed, doubled or replaced, somewhere."""
    mutant = copy.deepcopy(document)
    holder, key = chance.choice(list(spots(mutant)))
    how = chance.choice(("remove", "rename", "replace", "replace", "double"))
    if how == "remove":
        del holder[key]
    elif how == "rename" and isinstance(holder, dict):
        holder[chance.choice(("text", "call", "as", "x_unknown"))] = holder.pop(key)
    elif how == "double" and isinstance(holder, list):
        holder.append(holder[key])
    else:
        holder[key] = copy.deepcopy(chance.choice(SPARE))
    return mutant


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: what holds it, and its key there."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from spots(value[key])


def errors(found: Any) -> Iterator[Any]:
    """Errors, and those that they consist of."""
    for error in found:
        yield error
        yield from errors(error.context)


def pointer(error: Any) -> str:
    """Where an error is."""
    return "".join(f"/{part}" for part in error.absolute_path)
