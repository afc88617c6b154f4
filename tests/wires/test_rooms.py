"""A provider's room says everything: an entry that is forgotten is a clear error, never silence."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

import pytest

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


OWN = [path for path in sorted(ROOMS.glob("*/*.py")) if path.name in ("card.py", "wire.py")]
CASES = [
    pytest.param(path, source, entry, id=f"{path.parent.name}-{path.stem}-{form}.{entry}")
    for path in OWN
    for form, entry, source in entries(path.read_text("utf-8"))
]


@pytest.mark.parametrize(("path", "source", "entry"), CASES)
def test_an_entry_that_is_forgotten_is_told(
    path: Path, source: str, entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room is read from a copy in which one entry is missing."""
    provider = next(name for name in PROVIDERS if name.replace("-", "_") == path.parent.name)
    copy = tmp_path / path.name
    copy.write_text(source, "utf-8")
    name = f"conformance.wires.{path.parent.name}.{path.stem}"
    room = import_module(name.rpartition(".")[0])
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(room, "__path__", [str(tmp_path), str(path.parent)])
    with pytest.raises(RoomError, match=f"{name}.*{entry}"):
        wires._room(provider, path.stem)


def test_there_is_an_entry_to_forget_in_every_room_of_its_own() -> None:
    own = {one.id.replace("-", "_") for one in cards() if one.format == one.id}
    assert own <= {path.parent.name for path in OWN}
    assert len(CASES) > 300


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wire_has_the_card_of_its_room(provider: str) -> None:
    assert wire(provider).card is card(provider)
    assert card(provider).id == provider
    assert card(provider).format in PROVIDERS


def test_an_unknown_provider() -> None:
    with pytest.raises(KeyError, match="nobody"):
        card("nobody")
