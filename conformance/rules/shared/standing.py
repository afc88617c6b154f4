"""Texts that stand by themselves in a message: what is around them is on another line, or in another part."""

from __future__ import annotations

from conformance.wires.facts import SentMessage


def end_of(said: str, text: str, start: int, edges: set[int]) -> int | None:
    """Where ``text`` ends in ``said``, standing by itself: what is around it, if anything, is on another line or in
    another part. Parts begin and end at the ``edges``."""
    begin = said.find(text, start)
    while begin >= 0:
        end = begin + len(text)
        opens = begin in edges or not said[:begin].rpartition("\n")[2].strip()
        closes = end in edges or not said[end:].partition("\n")[0].strip()
        if opens and closes:
            return end
        begin = said.find(text, begin + 1)
    return None


def edges_of(message: SentMessage) -> set[int]:
    """Where the parts of a message's text begin and end, blank space around them left out."""
    edges, size = set(), 0
    for text in (text for _, text in message.texts if isinstance(text, str)):
        edges |= {size + len(text) - len(text.lstrip()), size + len(text.rstrip())}
        size += len(text)
    return edges


def text_of(message: SentMessage) -> str:
    return "".join(text for _, text in message.texts if isinstance(text, str))


def times(said: str, text: str, edges: set[int]) -> int:
    """How often ``text`` stands by itself in ``said``."""
    count, end = 0, end_of(said, text, 0, edges)
    while end is not None:
        count, end = count + 1, end_of(said, text, end, edges)
    return count
