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
        yield from differences(without_marks(one), without_marks(two))


def without_marks(value: Json) -> Json:
    """A value without marks for a cache. A list with one text is that text; null says as much as nothing."""
    if isinstance(value, list):
        return [without_marks(item) for item in value]
    if not isinstance(value, dict):
        return value
    bare = {name: without_marks(item) for name, item in value.items() if name != CACHE_MARK}
    match bare.get("content"):
        case [{"type": "text", "text": str(text), **more}] if all(said is None for said in more.values()):
            bare["content"] = text
    return bare
