"""A client's model call near another one: after one whose connection was lost, or beside one that goes on.

Both are made with the same adapter at the same endpoint, so that a library that keeps a client keeps it for both. Who
is answered with what goes by what a request says.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from conformance.adapters.beside import (
    BrokenChunks,
    Gate,
    GatedChunks,
    OtherStream,
    awaited,
    in_threads,
    on_a_loop,
)
from conformance.adapters.endpoint import NOT_FOUND, Endpoint, is_a_model_call
from conformance.adapters.served import HttpAnswer, PacedChunks
from conformance.http import Request
from conformance.model import Conversation, UserTurn
from conformance.wires import wire
from conformance.wires.base import stream_headers

T = TypeVar("T")

Call = Callable[[Conversation, Endpoint], Any]
"""Makes a model call, streamed. What it returns may have to be awaited."""

LoopRunner = Callable[[Any], Any]
"""Runs a coroutine to its end, on an event loop."""


def streamed_answer(provider: str, chunks: Sequence[bytes], paced: PacedChunks | None = None) -> HttpAnswer:
    """A stream as HTTP."""
    _, framing = wire(provider).framed(chunks)
    return HttpAnswer(200, stream_headers(framing), tuple(chunks), paced)


def call_near(
    call: Call,
    provider: str,
    conversation: Conversation,
    chunks: Sequence[bytes],
    other: OtherStream,
    run: LoopRunner = awaited,
) -> Any:
    """What ``call`` makes of ``chunks``, with the other stream before or beside it."""
    endpoint, gate = _shared(provider, chunks, other)
    if other.near == "before":
        with suppress(Exception):
            awaited(call(other.conversation, endpoint))
        return awaited(call(conversation, endpoint))
    both = (lambda: call(conversation, endpoint), lambda: call(other.conversation, endpoint), gate)
    return run(on_a_loop(*both)) if other.near == "on-a-loop" else in_threads(*both)


def both_at_once(
    call: Callable[[Endpoint], T], provider: str, chunks: Sequence[bytes], other: OtherStream
) -> T:
    """What comes of ``chunks`` where ``call`` makes both calls by itself, at one endpoint."""
    return call(_shared(provider, chunks, other)[0])


def _shared(provider: str, chunks: Sequence[bytes], other: OtherStream) -> tuple[Endpoint, Gate]:
    """The endpoint of both conversations, and the gate where their chunks are given in turn."""
    gate, before = Gate(), other.near == "before"
    own = None if before else GatedChunks(gate, 0, chunks)
    others = BrokenChunks(other.chunks) if before else GatedChunks(gate, 1, other.chunks)
    answers = streamed_answer(provider, chunks, own), streamed_answer(provider, other.chunks, others)
    return SharedEndpoint(provider, answers, _last_words(other.conversation)), gate


def _last_words(conversation: Conversation) -> str:
    """What the user said last, by which a request of the conversation is known."""
    return next(turn.text for turn in reversed(conversation.turns) if isinstance(turn, UserTurn))


class SharedEndpoint(Endpoint):
    """An endpoint for two conversations: requests with ``words`` are the second one's.

    Who tries again gets all chunks at once.
    """

    def __init__(self, provider: str, answers: tuple[HttpAnswer, HttpAnswer], words: str) -> None:
        super().__init__(provider, lambda request: answers[0])
        self._answers, self._words = answers, words.encode()
        self._given: set[bool] = set()
        self._lock = threading.Lock()

    def answer(self, request: Request) -> HttpAnswer:
        if not is_a_model_call(request):
            return NOT_FOUND
        second = self._words in request.body
        served = self._answers[second]
        with self._lock:
            again = second in self._given
            self._given.add(second)
            self.requests.append(self.as_sent_to_the_provider(request))
        return replace(served, paced=None) if again else served
