"""Hearing what a client tells while the stream of its own call is open.

A client may read its stream in another thread or task than the one that tells the news. So chunks come through a gate:
each is given when what the earlier ones say was told. Only who does not come to the gate is waited for by the clock.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator, Sequence

from conformance.adapters.beside import awaited
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.nearby import LoopRunner, streamed_answer
from conformance.adapters.obstructed import obstacle_of
from conformance.adapters.telling import Due, HeardNews, NewsReport
from conformance.model import News

ClientTeller = Callable[[Endpoint], Iterable[News] | AsyncIterable[News]]
"""Tells the news of a model call that it makes at the endpoint."""

PATIENCE = 2.0
"""How many seconds the gate waits for news that do not come, once in a stream; then it is opened."""
LEISURE = 2.0
"""How many seconds a client has to hang up when nobody listens any more."""


class NewsGate:
    """The chunks of a client's stream: each is given when what the earlier ones say was told.

    Who takes a chunk where he also tells the news has nothing to wait for: he cannot tell it any more before he takes
    the chunk. ``due`` is what is to be told after so many chunks. For whoever does not come it is opened after a while;
    who tells no thinking is waited for once, and from then on for his text and his calls alone.
    """

    def __init__(self, chunks: Sequence[bytes], due: Sequence[Due], wants: int | None = None) -> None:
        self._chunks, self._due, self._wants = chunks, due, wants
        self._told, self._news = Due(), 0
        self._open = self._gone = False
        self._waits_for_thinking = True
        self._last: int | None = None
        """After how many chunks nothing more is given."""
        self._hung_up: Callable[[], bool] = bool
        self._thread = 0
        self._task: object = None
        self.given = 0
        self.closed = False

    def is_listened_to(self) -> None:
        """Here is where the news are told: remember the thread and the task."""
        self._thread, self._task = threading.get_ident(), _current_task()

    def told(self, news: News) -> HeardNews:
        """Take a piece of news."""
        self._news += 1
        if self._news == self._wants:
            self._last = self.given
        text, calls, thinking = self._told
        match news.kind:
            case "text":
                self._told = Due(text + len(news.text), calls, thinking)
            case "call":
                self._told = Due(text, calls + 1, thinking)
            case "thinking":
                self._told = Due(text, calls, thinking + len(news.text))
        return HeardNews(self.given, news)

    def open(self) -> None:
        """Hold nothing back from now on."""
        self._open, self._last = True, None

    def one_more(self) -> None:
        """Give one more chunk: who waits for it where nobody can wake him sees then that nobody listens."""
        self._last = self.given + 1

    def watch(self, hung_up: Callable[[], bool]) -> None:
        """Ask ``hung_up`` whether the client is still there, for as long as a chunk is held back."""
        self._hung_up = hung_up

    def close(self) -> None:
        """Nobody takes any more."""
        self._open = self.closed = self._gone = True

    @property
    def is_left(self) -> bool:
        """Whether whoever took the chunks went away before all of them were taken."""
        return self._gone or (self.closed and self.given < len(self._chunks))

    @property
    def is_over(self) -> bool:
        """Whether all chunks were taken."""
        return self.given == len(self._chunks)

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._chunks:
                until = time.monotonic() + PATIENCE
                while self._holds(threading.get_ident() == self._thread, until):
                    time.sleep(0.0005)
                    if self._hung_up():
                        self.close()
                        return
                self.given += 1
                yield chunk
        finally:
            self.closed = True

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        import asyncio

        try:
            for chunk in self._chunks:
                until, own = time.monotonic() + PATIENCE, _current_task() is self._task is not None
                while self._holds(own, until):
                    await asyncio.sleep(0.0005)
                self.given += 1
                yield chunk
        finally:
            self.closed = True

    def _holds(self, own: bool, until: float) -> bool:
        """Whether the next chunk is held back. ``own`` says that it is taken where the news is told."""
        if self._last is not None and not own:
            return self.given >= self._last
        due, told = self._due[self.given], self._told
        owes = told.text < due.text or told.calls < due.calls
        thinks = self._waits_for_thinking and told.thinking < due.thinking
        if self._open or own or not (owes or thinks):
            return False
        late = time.monotonic() > until
        self._open, self._waits_for_thinking = late and owes, not late
        return not late


def _current_task() -> object:
    """The task that runs, if a loop does."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio.current_task() if asyncio is not None else None
    except RuntimeError:
        return None


def heard_of_client(
    tell: ClientTeller, provider: str, chunks: Sequence[bytes], due: Sequence[Due], run: LoopRunner = awaited
) -> NewsReport:
    """What a client tells of a call that is answered with ``chunks``, and whether it hangs up when nobody listens."""
    listener = _Listener(tell, provider, chunks, due, run)
    try:
        listener.listen()
    except Exception as problem:
        if obstacle_of(problem):
            raise
        listener.failure = f"{type(problem).__name__}: {problem}"[:300]
    left = _is_left(tell, provider, chunks, due, run)
    if left is False:  # once may be by chance, where finalizers and other threads have to have their turn
        left = _is_left(tell, provider, chunks, due, run)
    return NewsReport(tuple(listener.told), left, listener.failure)


def _is_left(
    tell: ClientTeller, provider: str, chunks: Sequence[bytes], due: Sequence[Due], run: LoopRunner
) -> bool | None:
    """Whether the client hangs up when the first news was all that was wanted; ``None`` where that cannot be seen."""
    listener = _Listener(tell, provider, chunks, due, run, wants=1)
    try:
        listener.listen()
    except Exception:
        return None
    finally:
        listener.gate.open()  # nobody may wait there for ever
    return listener.is_left


class _Listener:
    """Somebody who listens to a client, to the end or to the first piece of news."""

    def __init__(
        self,
        tell: ClientTeller,
        provider: str,
        chunks: Sequence[bytes],
        due: Sequence[Due],
        run: LoopRunner,
        wants: int | None = None,
    ) -> None:
        self.gate = NewsGate(chunks, due, wants)
        self._endpoint = Endpoint(provider, lambda request: streamed_answer(provider, chunks, self.gate))
        self._tell, self._run, self._wants = tell, run, wants
        self.told: list[HeardNews] = []
        self.failure = ""
        self.is_left: bool | None = None
        """Whether the client hung up; ``None`` where there was nothing more to come."""

    def listen(self) -> None:
        """Listen."""
        news = self._tell(self._endpoint)
        if isinstance(news, AsyncIterable):
            self._run(self._listen_on_a_loop(news))
            return
        self.gate.is_listened_to()
        own = iter(news)
        for one in own:
            if self._has_enough(one):
                break
        if self._wants is None or self.gate.is_over or not hasattr(own, "close"):
            return
        own.close()
        del own, news
        for _ in self._waits():
            time.sleep(0.001)

    async def _listen_on_a_loop(self, news: AsyncIterable[News]) -> None:
        import asyncio

        self.gate.is_listened_to()
        own = aiter(news)
        async for one in own:
            if self._has_enough(one):
                break
        if self._wants is None or self.gate.is_over or not hasattr(own, "aclose"):
            return
        await own.aclose()
        del own, news
        for _ in self._waits():
            await asyncio.sleep(0.001)

    def _has_enough(self, one: News) -> bool:
        """Take a piece of news. Whether no more are wanted."""
        if not isinstance(one, News):
            raise TypeError(f"news must be News, found {type(one).__name__}")
        self.told.append(self.gate.told(one))
        return len(self.told) == self._wants

    def _waits(self) -> Iterator[None]:
        """Wait until the client has hung up, or does not. Garbage is collected: what is forgotten is let go, too."""
        began = time.monotonic()
        for part in (0.1, 0.5, 1.0):
            while not self.gate.closed and time.monotonic() < began + part * LEISURE:
                yield
            if not self.gate.closed:
                gc.collect()
                self.gate.one_more()
        self.is_left = None if self.gate.is_over else self.gate.is_left
