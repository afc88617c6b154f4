"""A provider's room says everything: an entry that is forgotten is a clear error, never silence."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

import pytest
from every import every

import conformance.wires as wires
from conformance.wires import PROVIDERS, RoomError, card, cards, wire

ROOMS = Path(wires.__file__).parent
WHOLE = {"Card": "CARD", "Forms": "CARD", "Takes": "CARD", "Wire": "WIRE"}
"""The forms of which every entry must be there."""


def entries(source: str) -> list[tuple[str, str, str]]:
    """``(form, entry, source without it)`` for each entry of each form in a module."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WHOLE:
            for entry in node.keywords:
                assert entry.arg is not None
                left = ast.parse(source)
                same = next(
                    one for one in ast.walk(left)
                    if isinstance(one, ast.Call) and (one.lineno, one.col_offset) == (node.lineno, node.col_offset)
                )  # fmt: skip
                same.keywords = [one for one in same.keywords if one.arg != entry.arg]
                found.append((node.func.id, entry.arg, ast.unparse(left)))
    return found


OWN = {
    f"{path.parent.name}-{path.stem}": path for path in sorted(ROOMS.glob("*/*.py"))
    if path.name in ("card.py", "wire.py")
}  # fmt: skip


@pytest.mark.parametrize("path", OWN.values(), ids=OWN)
def test_an_entry_that_is_forgotten_is_told(path: Path, tmp_path: Path) -> None:
    """The room is read from a copy in which one entry is missing, for each entry."""
    left = entries(path.read_text("utf-8"))
    cases = {f"{form}.{entry}": (path, entry, source, tmp_path) for form, entry, source in left}
    assert len(cases) > 10
    every(cases, is_told)


def is_told(path: Path, entry: str, source: str, folder: Path) -> None:
    """A room that is read from this source is an error that names the entry."""
    provider = next(name for name in PROVIDERS if name.replace("-", "_") == path.parent.name)
    (folder / path.name).write_text(source, "utf-8")
    name = f"conformance.wires.{path.parent.name}.{path.stem}"
    room = import_module(name.rpartition(".")[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, name, raising=False)
        patch.setattr(room, "__path__", [str(folder), str(path.parent)])
        patch.setattr(sys, "dont_write_bytecode", True)  # copies of one size, written within a second, look the same
        with pytest.raises(RoomError, match=f"{name}.*{entry}"):
            wires._room(provider, path.stem)


def test_there_is_an_entry_to_forget_in_every_room_of_its_own() -> None:
    own = {one.id.replace("-", "_") for one in cards() if one.format == one.id}
    assert own <= {path.parent.name for path in OWN.values()}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wire_has_the_card_of_its_room(provider: str) -> None:
    assert wire(provider).card is card(provider)
    assert card(provider).id == provider
    assert card(provider).format in PROVIDERS


def test_an_unknown_provider() -> None:
    with pytest.raises(KeyError, match="nobody"):
        card("nobody")
