"""One event loop for all calls of a library, because a library that keeps its HTTP clients keeps them for one loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Do ``work`` to its end."""
    return _loop().run_until_complete(work)


async def collected(items: Coroutine[Any, Any, AsyncIterable[T]]) -> list[T]:
    """All that the stream which ``items`` opens has to give."""
    return [item async for item in await items]


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()
