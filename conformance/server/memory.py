"""A mapping of bounded size: what was not used for longest goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedMemory(Generic[K, V]):
    """Keeps ``entries`` values at most, of ``size`` bytes together; the caller says how many bytes each takes."""

    def __init__(self, *, entries: int, size: int) -> None:
        self._entries, self._limit, self._size = entries, size, 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        """The value, which counts as used now; ``None`` when it is not, or no more, there."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Keep a value. One that alone is larger than everything may be is not kept."""
        _, before = self._kept.pop(key, (None, 0))
        self._size -= before
        if size > self._limit:
            return
        self._kept[key] = value, size
        self._size += size
        while len(self._kept) > self._entries or self._size > self._limit:
            _, (_, freed) = self._kept.popitem(last=False)
            self._size -= freed
