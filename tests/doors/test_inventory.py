"""What there is beside what was played: figures, reasons, pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.libraries import LIBRARIES
from conformance.doors.derived import DerivedDoors
from conformance.doors.inventory import DoorFigure, DoorInventory, inventory
from conformance.doors.pages import inventory_markdown, inventory_text
from conformance.doors.played import Sightings
from conformance.doors.table import FOLDER, KnownLibrary, LeftOut, known

TOOLS = {"name": "tools", "type": "list[Tool]", "options": ["Tool.strict", "Tool.custom"]}
METHODS: tuple[dict[str, Any], ...] = (
    {"name": "Client.create", "at": "acme:Client.create", "parameters": [TOOLS], "outputs": ["Answer", "Stream[…]"],
     "deprecated": None},
    {"name": "Async.create", "at": "acme:Async.create", "parameters": [TOOLS], "outputs": [], "deprecated": None},
    {"name": "Client.old", "at": "acme:Client.old", "parameters": [], "outputs": [], "deprecated": "use create"},
    {"name": "Client.count", "at": "acme:Client.count", "outputs": [], "deprecated": None,
     "parameters": [{"name": "mcp", "type": "str", "options": []}]},
)  # fmt: skip
LIBRARY = KnownLibrary(
    "openai", ("acme:Client",), "Client.create", "https://acme.example", providers="acme:NAMES",
    names={"google": "gemini"}, left_out=(LeftOut(("*.count",), "another provider"),),
)  # fmt: skip
SEEN = Sightings(
    parameters={"acme:Client.create": {"tools"}},
    options={"acme:Client.create": {"Tool.strict"}},
    outputs={"acme:Client.create": {"Answer"}},
    wrong={"acme:Client.create": {"tools[0]: 1 is not Tool"}},
    providers={"ollama"},
)


@pytest.fixture
def made() -> DoorInventory:
    return inventory(LIBRARY, DerivedDoors("1.0", METHODS, ("google", "ollama", "unheard-of")), SEEN)


def test_figures_count_what_is_played_of_what_is_not_left_out(made: DoorInventory) -> None:
    assert made.figure("method") == DoorFigure(1, 2)
    assert made.figure("parameter") == DoorFigure(1, 1), "one parameter of two methods is one"
    assert made.figure("option") == DoorFigure(1, 2)
    assert made.figure("output") == DoorFigure(1, 2)
    assert made.figure("provider") == DoorFigure(1, 2), "of those that the suite speaks and the library does"
    assert made.first_is_played
    assert made.wrong == ("Client.create: tools[0]: 1 is not Tool",)


def test_what_a_library_marks_as_deprecated_is_left_out_with_its_words(made: DoorInventory) -> None:
    [old] = [door for door in made.doors if door.name == "Client.old"]
    assert old.left_out is not None
    assert (old.left_out.why, old.left_out.note) == ("deprecated", "use create")


def test_pages_say_what_is_missing_and_why(made: DoorInventory) -> None:
    text = inventory_text(made)
    assert "methods that no scenario plays:\n  Async.create\n" in text
    assert "not counted, another provider: 1 methods, 1 parameters" in text
    assert "tools[0]: 1 is not Tool" in text
    assert "| methods | 1 / 2 |" in inventory_markdown(made)
    assert json.loads(json.dumps(made.document()))["figures"]["method"] == {"played": 1, "all": 2}


NAMES = sorted({library.distribution for library in LIBRARIES.values() if known(library.distribution)})


@pytest.mark.parametrize("distribution", NAMES)
def test_what_is_known_of_a_library_can_be_read(distribution: str) -> None:
    library = known(distribution)
    assert library is not None
    assert library.roots
    assert library.first_page.startswith("https://")


def test_every_file_is_about_a_library_of_the_table() -> None:
    assert len(NAMES) == len([*FOLDER.glob("*.toml")])


def test_a_reason_is_one_of_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.doors.table.FOLDER", tmp_path)
    head = 'roots = ["acme:Client"]\n[first]\ndoor = "x"\npage = "https://acme.example"\n[[left_out]]\ndoors = ["*"]\n'
    for why, complaint in (("too hard", "is no reason"), ("deprecated", "needs the link")):
        (tmp_path / "acme.toml").write_text(f'{head}why = "{why}"\n')
        with pytest.raises(ValueError, match=complaint):
            known("acme")
