"""One event loop for all calls of a library, because a library that keeps its HTTP clients keeps them for one loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
LOOP = asyncio.new_event_loop()


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Do ``work`` to its end."""
    return LOOP.run_until_complete(work)


async def collected(items: Coroutine[Any, Any, AsyncIterable[T]]) -> list[T]:
    """All that the stream which ``items`` opens has to give."""
    return [item async for item in await items]
