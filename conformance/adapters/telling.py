"""Hearing what an adapter tells while a stream is open, and how many chunks it had been given by then.

No clock is needed: the adapter is asked for its next piece of news, and takes chunks itself. What it tells is written
down with the number of chunks that were out of our hands. A client makes its own
calls: see `conformance.adapters.listening`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conformance.model import News, NewsKind


@dataclass(frozen=True, slots=True)
class HeardNews:
    """A piece of news, and how many chunks had been given when it was told."""

    given: int
    news: News


@dataclass(frozen=True, slots=True)
class NewsReport:
    """All that was told of one stream. ``failure`` says why it ended early.

    ``closed`` is whether the chunks were closed when nobody wanted more news; ``None`` where nobody could say so.
    ``owed`` is what an adapter may leave out, and this one declares that it tells.
    """

    told: tuple[HeardNews, ...]
    closed: bool | None = None
    failure: str = ""
    owed: frozenset[NewsKind] = frozenset()


Teller = Callable[[Iterator[bytes]], Iterable[News]]


class Due(NamedTuple):
    """What is to be told by a place of a stream: so many characters of text, so many calls, so much thinking."""

    text: int = 0
    calls: int = 0
    thinking: int = 0
    """So many characters. Who tells no thinking owes none."""


class ChunkSource:
    """The chunks of a stream: counted, and closed by whoever takes no more."""

    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._chunks = iter(chunks)
        self.given = 0
        self.closed = False

    def __iter__(self) -> ChunkSource:
        return self

    def __next__(self) -> bytes:
        if self.closed:
            raise StopIteration
        try:
            chunk = next(self._chunks)
        except StopIteration:
            self.closed = True
            raise
        self.given += 1
        return chunk

    def close(self) -> None:
        """Take no more."""
        self.closed = True


def heard(tell: Teller, chunks: Sequence[bytes]) -> NewsReport:
    """What ``tell`` tells of a stream, and whether it closes the stream when nobody listens any more."""
    source, told, failure = ChunkSource(chunks), [], ""
    try:
        for news in tell(source):
            if not isinstance(news, News):
                raise TypeError(f"news must be News, found {type(news).__name__}")
            told.append(HeardNews(source.given, news))
    except Exception as problem:
        failure = f"{type(problem).__name__}: {problem}"[:300]
    return NewsReport(tuple(told), _closes(tell, chunks), failure)


def _closes(tell: Teller, chunks: Sequence[bytes]) -> bool | None:
    """Whether the chunks are closed when the first news was all that was wanted."""
    source = ChunkSource(chunks)
    try:
        news = iter(tell(source))
        next(news)
        close = getattr(news, "close", None)
        if close is None or source.closed:
            return None
        close()
    except Exception:
        return None
    return source.closed
