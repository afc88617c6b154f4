"""Streams as they happen, with a child that speaks the protocol alone.

A translator is fed: it opens a stream, gets chunk by chunk, and answers each with the news that it has. So news are out
before the next chunk is given, and two streams can be open at once. A client makes its own call, and asks ``tell``
while it does.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from conformance.adapters.beside import OtherStream
from conformance.adapters.stdio import writing
from conformance.adapters.stdio.caller import RequestHandler
from conformance.adapters.stdio.lines import INVALID_PARAMS, METHOD_NOT_FOUND, Method, answer_line, error_line
from conformance.adapters.stdio.mishaps import RefusalError, WrongFormError
from conformance.adapters.stdio.reading import MessageForm, TurnForm, formed
from conformance.adapters.telling import HeardNews, NewsReport
from conformance.model import Json, News, NewsKind

F = TypeVar("F")

ChildCall = Callable[[Method, str, type[F]], F]
"""Asks the child: a method, its params without the braces, and the form of the result."""

OWN, OTHER = 0, 1
"""The numbers of two streams."""


class NewsForm(MessageForm):
    """A piece of news."""

    kind: NewsKind
    text: str | None = None
    call: int | None = None


class FedForm(MessageForm):
    """What a chunk tells."""

    news: list[NewsForm] | None = None


class EndedForm(MessageForm):
    """What the end of a stream tells, and the turn that came of it."""

    turn: TurnForm
    news: list[NewsForm] | None = None


class FedStreams:
    """The streams that a translator reads piece by piece. Conversations are JSON text. Raises `OperationError`."""

    def __init__(self, ask: ChildCall[Any], provider: str) -> None:
        self._ask, self._provider = ask, provider

    def open(self, number: int, conversation: str) -> None:
        """Open a stream."""
        self._ask("open_stream", f'"stream":{number},"provider":"{self._provider}","conversation":{conversation}', Any)

    def feed(self, number: int, chunk: bytes) -> list[News]:
        """Give a chunk."""
        fed: FedForm = self._ask("feed", f'"stream":{number},"chunk":{writing.base64_text(chunk)}', FedForm)
        return _news(fed.news)

    def end(self, number: int, *, lost: bool = False) -> EndedForm:
        """Say that no more comes, or that the connection is lost."""
        ended: EndedForm = self._ask("end_stream", f'"stream":{number},"lost":{writing.FLAGS[lost]}', EndedForm)
        return ended

    def heard(self, chunks: Sequence[bytes], conversation: str) -> NewsReport:
        """What is told of a stream. Nobody stops listening: whoever is fed has nothing to close."""
        self.open(OWN, conversation)
        told = [
            HeardNews(given, news) for given, chunk in enumerate(chunks, 1) for news in self.feed(OWN, chunk)
        ]
        told += [HeardNews(len(chunks), news) for news in _news(self.end(OWN).news)]
        return NewsReport(tuple(told))

    def read_near(
        self, chunks: Sequence[bytes], conversation: str, other: OtherStream, others: str
    ) -> TurnForm:
        """What is understood of a stream after another one that broke off, or beside one, chunk by chunk in turn."""
        self.open(OTHER, others)
        if other.near == "before":
            self._leave(other.chunks[: max(1, len(other.chunks) // 2)])
        self.open(OWN, conversation)
        beside = other.chunks if other.near == "beside" else ()
        for place in range(max(len(chunks), len(beside))):
            for number, stream in ((OWN, chunks), (OTHER, beside)):
                if place < len(stream):
                    self.feed(number, stream[place])
        if beside:
            self._leave(())
        return self.end(OWN).turn

    def _leave(self, chunks: Sequence[bytes]) -> None:
        """End the other stream after ``chunks``. What becomes of it, nobody asks."""
        try:
            for chunk in chunks:
                self.feed(OTHER, chunk)
            self.end(OTHER, lost=True)
        except RefusalError:
            pass


def _news(forms: Sequence[NewsForm] | None) -> list[News]:
    return [News(form.kind, form.text or "", form.call or 0) for form in forms or ()]


def told_by(call: Callable[[RequestHandler], object]) -> Iterator[News]:
    """The news that a client asks to ``tell`` while ``call`` runs. It is answered whether more are wanted.

    Raises what ``call`` raises. Whoever closes this generator wants no more; the call goes on until the child sees it.
    """
    said: queue.Queue[News | Exception | None] = queue.Queue()
    wanted: queue.Queue[bool] = queue.Queue()

    def told(message: dict[str, Json]) -> bytes:
        number = message.get("id")
        if message.get("method") != "tell":
            return error_line(number, METHOD_NOT_FOUND, "while it streams, a client may ask to tell only")
        try:
            [news] = _news([formed(message.get("params"), NewsForm, "/params")])
        except WrongFormError as problem:
            return error_line(number, INVALID_PARAMS, str(problem))
        said.put(news)
        more = wanted.get()
        if not more:
            wanted.put(False)  # for whatever it tells all the same
        return answer_line(number, f'{{"more":{writing.FLAGS[more]}}}')

    def work() -> None:
        try:
            call(told)
            said.put(None)
        except Exception as problem:
            said.put(problem)

    threading.Thread(target=work, daemon=True).start()
    try:
        while (news := said.get()) is not None:
            if isinstance(news, Exception):
                raise news
            yield news
            wanted.put(True)
    finally:
        wanted.put(False)
