"""Replacing parts of a body: all other bytes stay as they are, and chunks keep their boundaries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Replace what is from ``start`` to ``end`` by ``text``. Counted in characters of the body's text."""

    start: int
    end: int
    text: str


def body_text(body: bytes) -> str:
    """A body as text in which every byte is kept; bytes that are no UTF-8 become lone surrogates."""
    return body.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """What `body_text` was made from."""
    return text.encode("utf-8", "surrogateescape")


def merged_splices(edits: Iterable[Splice]) -> list[Splice]:
    """The edits in order; those that overlap become one, with the first text that is not empty."""
    done: list[Splice] = []
    for edit in sorted(edits, key=lambda item: (item.start, -item.end)):
        last = done[-1] if done else None
        if last is not None and edit.start < last.end:
            done[-1] = Splice(last.start, max(last.end, edit.end), last.text or edit.text)
        elif edit != last:
            done.append(edit)
    return done


def spliced(chunks: tuple[bytes, ...], edits: Iterable[Splice]) -> tuple[bytes, ...]:
    """``chunks`` with the edits made.

    A boundary outside of all edits stays between the same bytes. One inside an edited part moves to the same place in
    the new text, as far as that reaches. Chunks that become empty are left out.
    """
    ordered = merged_splices(edits)
    if not ordered:
        return chunks
    body = b"".join(chunks)
    text = body_text(body)
    parts: list[bytes] = []
    moves: list[tuple[int, int, int, int]] = []  # an edited part in bytes, before and after
    taken = old = new = 0
    for edit in ordered:
        kept = bytes_of(text[taken : edit.start])
        cut, put = bytes_of(text[edit.start : edit.end]), bytes_of(edit.text)
        old, new = old + len(kept), new + len(kept)
        moves.append((old, old + len(cut), new, new + len(put)))
        old, new = old + len(cut), new + len(put)
        parts += [kept, put]
        taken = edit.end
    parts.append(bytes_of(text[taken:]))
    return _cut(b"".join(parts), _moved(_boundaries(chunks), moves))


def _boundaries(chunks: tuple[bytes, ...]) -> list[int]:
    places, place = [], 0
    for chunk in chunks:
        place += len(chunk)
        places.append(place)
    return places


def _moved(places: list[int], moves: list[tuple[int, int, int, int]]) -> list[int]:
    found, number, shift = [], 0, 0
    for place in places:
        while number < len(moves) and moves[number][1] <= place:
            shift = moves[number][3] - moves[number][1]
            number += 1
        inside = number < len(moves) and moves[number][0] < place
        if inside:
            start, _, new_start, new_end = moves[number]
            found.append(min(new_start + place - start, new_end))
        else:
            found.append(place + shift)
    return found


def _cut(body: bytes, places: list[int]) -> tuple[bytes, ...]:
    starts = [0, *places]
    pieces = (body[start:end] for start, end in zip(starts, places, strict=False))
    return tuple(piece for piece in pieces if piece)
