"""The scenarios that come with the package, read once for all runs: their outlines, and their YAML as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import conformance
from conformance.files.packs import packed
from conformance.scenarios import Shelf, load_scenario, packaged_files, read_ours, read_shared, scenario_root
from conformance.scenarios.outlines import ScenarioOutline, outline_from, outline_of

READERS = ("scenarios/*.py", "documents.py", "model.py", "script.py")
"""The modules that say what a scenario file means."""


@cache
def packaged_outlines() -> Mapping[str, ScenarioOutline]:
    """The outlines of all scenarios that come with the package, by id. Raises `ScenarioError`."""
    return {outline.id: outline for outline in map(outline_from, _pack()["outlines"])}


def packaged_document(name: str) -> Any:
    """What the file of a scenario says. Files in JSON are read as fast as what is kept. Raises `ScenarioError`."""
    path = packaged_files()[name]
    return read_ours(path) if path.suffix == ".json" else json.loads(_pack()["documents"][name])


def packaged_shelf() -> tuple[Any, Any]:
    """What the files of the package's shelf say: the tools, and the images. Raises `ScenarioError`."""
    return _pack()["tools"], _pack()["images"]


@cache
def _pack() -> Mapping[str, Any]:
    pack: Mapping[str, Any] = packed("scenarios", _files(), _made)
    return pack


def _files() -> Iterator[Path]:
    package = Path(conformance.__file__).parent
    for pattern in READERS:
        yield from sorted(package.glob(pattern))
    yield from (scenario_root() / name for name in ("tools.yaml", "images.yaml"))
    yield from packaged_files().values()


def _made() -> dict[str, Any]:
    documents = {name: read_ours(path) for name, path in packaged_files().items()}
    tools, images = (read_shared(scenario_root(), name) for name in ("tools", "images"))
    shelf = Shelf.in_documents(tools, images)
    scenarios = (load_scenario(path, shelf, documents[name]) for name, path in packaged_files().items())
    return {
        "tools": tools,
        "images": images,
        "outlines": [outline_of(scenario).data() for scenario in scenarios],
        "documents": {
            name: json.dumps(document)
            for name, document in documents.items() if packaged_files()[name].suffix != ".json"
        },
    }  # fmt: skip
