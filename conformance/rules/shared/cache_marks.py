"""What differs between two messages or declarations, but for marks for a cache."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json
from conformance.recordings.differences import Difference, differences

CACHE_MARK = "cache_control"
"""Which prefix is to be kept. Its place moves on with the conversation, and changes nothing that the model reads."""


def differences_but_for_marks(one: Json, two: Json) -> Iterator[Difference]:
    """What differs, but for marks for a cache and the blocks that texts became to carry them."""
    if any(True for _ in differences(one, two)):
        yield from differences(_unmarked(one), _unmarked(two))


def _unmarked(value: Json) -> Json:
    if isinstance(value, list):
        return [_unmarked(item) for item in value]
    if not isinstance(value, dict):
        return value
    bare = {name: _unmarked(item) for name, item in value.items() if name != CACHE_MARK}
    match bare.get("content"):
        case [{"type": "text", "text": str(text), **more}] if not more:
            bare["content"] = text
    return bare
