"""Adapters named by their file: what is found, and what is said where nothing is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import AdapterError
from conformance.adapters.addresses import find_adapter, is_file_address

ONE = "from conformance.adapters.reference import ReferenceAdapter\n\nclass Mine(ReferenceAdapter):\n    pass\n"
TWO = f"{ONE}\nclass Other(Mine):\n    pass\n"
MADE = "from conformance.adapters.reference import ReferenceAdapter\n\nmine = ReferenceAdapter()\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to be in. What was imported from it is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize(("text", "address"), [
    (ONE, "./alone.py"), (ONE, "alone.py:Mine"), (TWO, "alone.py:Other"), (MADE, "alone.py"), (MADE, "alone.py:mine"),
])  # fmt: skip
def test_a_file_is_an_address(folder: Path, text: str, address: str) -> None:
    (folder / "alone.py").write_text(text)
    assert find_adapter(address).kind == "translator"


def test_a_file_elsewhere_finds_what_lies_beside_it(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "beside_it.py").write_text(ONE)
    (folder / "mine" / "wrapped.py").write_text("from beside_it import Mine\n\nclass Wrapped(Mine):\n    pass\n")
    assert find_adapter("mine/wrapped.py").address == "mine/wrapped.py"


@pytest.mark.parametrize(("text", "address", "said"), [
    ("", "alone.py", "alone.py: defines no adapter: a class with an info and the operations of its kind"),
    (TWO, "alone.py", "alone.py: defines Mine, Other: name one, as alone.py:Mine"),
    (ONE, "alone.py:Mime", "alone.py:Mime: alone has no 'Mime'; did you mean 'Mine'?"),
    ("1/0", "alone.py", "alone.py: importing alone raised ZeroDivisionError: division by zero"),
    (ONE, "other.py", "other.py: there is no file other.py; did you mean 'alone.py'?"),
    ("import no_such_thing", "alone.py", "alone.py: importing alone needs 'no_such_thing': install it"),
])  # fmt: skip
def test_what_is_wrong_is_one_line(folder: Path, text: str, address: str, said: str) -> None:
    (folder / "alone.py").write_text(text)
    with pytest.raises(AdapterError) as raised:
        find_adapter(address)
    assert str(raised.value) == said


@pytest.mark.parametrize("name", ["json", "no-module"])
def test_a_name_that_cannot_be_a_module_is_told(folder: Path, name: str) -> None:
    (folder / f"{name}.py").write_text(ONE)
    with pytest.raises(AdapterError, match=r"another module is called|cannot be imported"):
        find_adapter(f"{name}.py")


def test_other_addresses_are_none_of_files() -> None:
    assert not any(map(is_file_address, ("reference", "python:a.py:B", "stdio:python a.py", "env:litellm@1.2.3")))
