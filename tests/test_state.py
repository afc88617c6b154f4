"""Two conversations of one adapter: how their streams are given, and that nobody is charged for being careful."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

import pytest

from conformance.adapters.beside import OtherStream, read_near
from conformance.adapters.bound import BoundTranslator
from conformance.adapters.contract import Translator
from conformance.adapters.reference import ReferenceAdapter
from conformance.model import AssistantTurn, Conversation
from conformance.mutants.lies.state import KeepsWhatBrokeOff, SharesItsBuffer
from conformance.session.readings import READINGS, other_chunks
from conformance.session.variants import ANOTHER
from conformance.wires import PROVIDERS

CHUNKS = (b"a", b"b", b"c")
OTHERS = (b"1", b"2", b"3")


def test_chunks_are_given_in_turn() -> None:
    seen: list[bytes] = []

    def read(chunks: Iterable[bytes], options: Mapping[str, object]) -> int:
        for chunk in chunks:
            seen.append(chunk)
        return len(seen)

    read_near(read, CHUNKS, {}, OtherStream("beside", OTHERS, ANOTHER), {})
    assert sorted(seen) == sorted(CHUNKS + OTHERS)
    assert seen.index(b"1") < seen.index(b"c") and seen.index(b"b") < seen.index(b"3")


def test_the_one_before_breaks_off_half_way() -> None:
    seen: list[bytes] = []

    def read(chunks: Iterable[bytes], options: Mapping[str, object]) -> list[bytes]:
        seen.extend(chunks)
        return seen

    assert read_near(read, CHUNKS, {}, OtherStream("before", OTHERS, ANOTHER), {}) == [b"1", *CHUNKS]


class Locks(ReferenceAdapter):
    """Reads one stream at a time."""

    lock = threading.Lock()

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        with self.lock:
            return super().parse_stream(provider, chunks, conversation=conversation)


class Awaits(ReferenceAdapter):
    """Its operations are coroutines."""

    async def parse_stream(  # type: ignore[override]
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        return super().parse_stream(provider, chunks, conversation=conversation)


def told(adapter: Translator, name: str) -> bool:
    """Whether it makes something else of a stream near the other conversation."""
    bound, chunks = BoundTranslator(adapter, "openai-chat"), list(other_chunks("openai-chat"))
    own = [chunk.replace(b"North", b"South") for chunk in chunks]
    near = bound.read_near(own, ANOTHER, OtherStream(READINGS[name], chunks, ANOTHER))  # type: ignore[index]
    return near != bound.parse_stream(own, ANOTHER)


@pytest.mark.parametrize("name", ["after-one-that-broke-off", "beside-another"])
@pytest.mark.parametrize("adapter", [ReferenceAdapter, Locks, Awaits])
def test_who_is_careful_is_not_charged(adapter: type[ReferenceAdapter], name: str) -> None:
    assert not told(adapter(), name)


def test_who_keeps_something_shows_it() -> None:
    assert told(KeepsWhatBrokeOff(), "after-one-that-broke-off")
    assert told(SharesItsBuffer(), "beside-another")
    assert not told(SharesItsBuffer(), "after-one-that-broke-off")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_other_conversation_can_be_cut_in_half(provider: str) -> None:
    assert len(other_chunks(provider)) > 2
