"""A large JSON file, of which one member is kept on disk: an object whose items are read when somebody asks for them.

The file is read through a window, so it may be a pipe. The items go, one by one, to a file without a name.
"""

from __future__ import annotations

import codecs
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

WINDOW = 1 << 20
"""How many bytes are read at once."""
_SPACE = " \t\n\r"
_AFTER = frozenset(" \t\n\r,:]}")
"""What may stand after a value: else it may go on, as ``10.`` does."""


class ItemsOnDisk(Mapping[str, Any]):
    """The items of a large object, by key, in a file that has no name and goes when this does."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, key: str, item: Any) -> None:
        """Keep an item. A key that comes again takes the place of the earlier one."""
        start = self._file.seek(0, 2)
        self._places[key] = (start, self._file.write(json.dumps(item).encode()))

    def __getitem__(self, key: str) -> Any:
        start, length = self._places[key]
        self._file.seek(start)
        return json.loads(self._file.read(length))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: object) -> bool:
        return key in self._places


def read_members(path: Path, large: str, kept: Callable[[str, Any], tuple[str, Any]]) -> dict[str, Any]:
    """The object in ``path``, whose member ``large`` is an `ItemsOnDisk`, if it is an object.

    ``kept`` turns a key and its item into what is kept of them. Raises `OSError`; `ValueError` or `RecursionError`
    where it is no JSON object.
    """
    members: dict[str, Any] = {}
    with path.open("rb") as file:
        window = _Window(file)
        for name in window.names():
            if name != large or window.peek() != "{":
                members[name] = window.value()
                continue
            items = members[name] = ItemsOnDisk()
            for key in window.names():
                items.add(*kept(key, window.value()))
        if window.peek():
            raise ValueError("something stands after its end")
    return members


class _Window:
    """The part of a file that is being read, as text."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._scan = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def names(self) -> Iterator[str]:
        """The names of an object that begins here. Who takes one reads its value before the next."""
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        while True:
            if self.peek() != '"':
                raise ValueError("a name is missing")
            key = self.value()
            self._take(":")
            yield key
            if self.peek() != ",":
                break
            self._take(",")
        self._take("}")

    def value(self) -> Any:
        """The value that begins here. One that reaches the window's end may go on behind it."""
        self.peek()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            if self._text[end : end + 1] in _AFTER or not self._more():
                self._at = end
                return value

    def _take(self, sign: str) -> None:
        if self.peek() != sign:
            raise ValueError(f"{sign} is missing")
        self._at += 1

    def _more(self) -> bool:
        """Read on: as much again as there is, so that a long value is not looked at too often."""
        if self._ended:
            return False
        data = self._file.read(max(WINDOW, len(self._text) - self._at))
        self._ended = not data
        self._text = self._text[self._at :] + self._decoder.decode(data, final=self._ended)
        self._at = 0
        return not self._ended

