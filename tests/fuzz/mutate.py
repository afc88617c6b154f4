"""Inputs with something wrong in them, made from right ones: by bytes, by lines, and by the values of a JSON document.

All chance comes from the `Random` that is given, so a seed says all that was tried.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

BytesEdit = Callable[[Random, bytes, Sequence[bytes]], bytes]
ValueEdit = Callable[[Random, Any, Sequence[Any]], Any]
Place = tuple[Any, Any]
"""A container and the key, or index, of a value in it."""

LARGEST = 150_000
"""To how many bytes an input may grow."""

TOKENS = (
    b"", b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\r\n", b"\r", b"\n\n", b"\t", b" ", b",",
    b":", b"{", b"}", b"[", b"]", b'"', b"\\", b"'", b"\\ud800", b"\\u0000", b"null", b"true", b"NaN", b"Infinity",
    b"1e999", b"-0", b"9" * 5000, b"1e-400", b"[" * 3000, b'{"a":' * 3000, b"- " * 300, b"data: ", b"event: ",
    b"data: [DONE]\n\n",
    b"event: error\ndata: {}\n\n", b"!!bool abc", b"!!int x", b"!!binary '*'", b"!!timestamp x", b"&a", b"*a", b"<<: ",
    b"? ", b"---\n", b"%YAML 9.9\n", b"!!python/object:os.system", b"Host: [\r\n", b"http://[", b"%zz", b"../../",
    b"Transfer-Encoding: chunked\r\n", b"Content-Length: -1\r\n", b"0" * 100, b"\xf0\x9f\x98\x80", b"{}\n", b"[]\n",
    b"\x1f\x8b\x08", b"0x", b"1" + b":59" * 2000, b"\x85", b"\xe2\x80\xa8", b"1979-99-99", b"''", b"\x1b[31m",
)  # fmt: skip
"""Pieces at which readers were seen to break."""

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**400, -0.0, 0.5, 1e308, "", " ", "x", "\0", "\ud800", "a\nb",
    "\u2028", "null", "[", "{}", "http://[", "https://x:99999/", "9" * 5000, "*", "*" * 40, "..", "/", "~", "\x1b[31m",
    "x" * 5000, "1e999", "é", "2026-99-99", "data:image/png;base64,*", [], {}, [[]], [None], [{}], {"": None},
    {"type": None}, {"type": []}, {"type": "text"}, {"text": 5}, {"$ref": "#"}, ["x"] * 50, {"\ud800": 1}, {"a\nb": 1},
)  # fmt: skip
"""Values that stand where others are expected. Infinite and other numbers that JSON does not have come as tokens."""


# --- bytes -----------------------------------------------------------------------------------------------------------


def _span(chance: Random, data: bytes, longest: int = 200) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((0, 1, 2, 8, chance.randint(0, longest))))


def _flipped(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(chance.choice((1, 1, 3, 20))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _removed(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _span(chance, data)
    return data[:start] + data[end:]


def _doubled(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _span(chance, data)
    return data[:end] + data[start:end] * chance.choice((1, 2, 50)) + data[end:]


def _token(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _span(chance, data, 20)
    return data[:start] + chance.choice(TOKENS) + data[chance.choice((start, end)) :]


def _cut(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _crossed(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The beginning of one input and the end of another."""
    other = chance.choice(others)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _grown(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A piece many times: what is not linear takes its time."""
    start, end = _span(chance, data)
    piece = data[start:end] or b"["
    return data[:start] + piece * (LARGEST // len(piece) // chance.choice((1, 4, 20))) + data[end:]


def _lines(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Lines in another order, twice, or away."""
    lines = data.splitlines(keepends=True) or [b"\n"]
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(3):
        case 0:
            lines[one], lines[two] = lines[two], lines[one]
        case 1:
            lines.insert(one, lines[two])
        case _:
            del lines[one]
    return b"".join(lines)


BYTE_EDITS: Sequence[BytesEdit] = (
    _flipped, _flipped, _removed, _removed, _doubled, _token, _token, _token, _cut, _crossed, _lines, _lines,
)  # fmt: skip
"""The edits of bytes, the usual ones more than once."""


def mutated_bytes(chance: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """``data`` after a few edits. ``others`` are inputs of the same kind, to take pieces from."""
    if chance.random() < 0.03:
        return _grown(chance, data, others)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(BYTE_EDITS)(chance, data, others)
    return data[: 2 * LARGEST]


# --- values of a document --------------------------------------------------------------------------------------------


def places(value: Any) -> Iterator[Place]:
    """Every place in a document at which there is a value."""
    inner: Sequence[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    for key, item in inner:
        yield value, key
        yield from places(item)


def _other(chance: Random, value: Any, pool: Sequence[Any]) -> Any:
    return deepcopy(chance.choice(VALUES))


def _from_elsewhere(chance: Random, value: Any, pool: Sequence[Any]) -> Any:
    return deepcopy(chance.choice(pool))


def _wrapped(chance: Random, value: Any, pool: Sequence[Any]) -> Any:
    return chance.choice(([value], {"value": value}, [value, value], json.dumps(value)))


def _deeper(chance: Random, value: Any, pool: Sequence[Any]) -> Any:
    for _ in range(chance.choice((30, 90, 110))):
        value = [value] if chance.random() < 0.5 else {"a": value}
    return value


def _rewritten(chance: Random, value: Any, pool: Sequence[Any]) -> Any:
    """A text, number or list that differs a little."""
    if isinstance(value, str) and value:
        return mutated_bytes(chance, value.encode("utf-8", "surrogatepass"), [b"x"]).decode("utf-8", "replace")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return chance.choice((value, [], {}, None))
    return chance.choice((-value, value + 1, value * 10**20, float(value % 1000), str(value)[:1000]))


VALUE_EDITS: Sequence[ValueEdit] = (
    _other, _other, _other, _from_elsewhere, _from_elsewhere, _wrapped, _rewritten, _deeper,
)  # fmt: skip
"""What may stand at a place instead of a value."""


def mutated_document(chance: Random, document: Any, pool: Sequence[Any]) -> Any:
    """A copy of a document with values changed, gone, doubled, renamed or from elsewhere."""
    holder = [deepcopy(document)]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        container, key = chance.choice(list(places(holder))[:3000])
        match chance.randrange(6):
            case 0 if container is not holder:
                del container[key]
            case 1 if isinstance(container, dict):
                container[chance.choice(("", "type", "id", "\ud800", "a\nb", str(key) + "s"))] = container[key]
            case 2 if isinstance(container, list) and container is not holder:
                container.insert(key, deepcopy(container[key]))
            case _:
                container[key] = chance.choice(VALUE_EDITS)(chance, container[key], pool)
    return holder[0]


def pool_of(documents: Sequence[Any]) -> list[Any]:
    """Values that stand somewhere in documents, to be put elsewhere. Small ones: they are copied often."""
    found = [container[key] for document in documents for container, key in places([document])]
    return [value for value in found if len(repr(value)) < 2000] or [None]


def _json_bytes(document: Any) -> bytes:
    """A document as JSON text on one line; lone surrogates stay escaped."""
    return json.dumps(document).encode()


# --- both ------------------------------------------------------------------------------------------------------------


def _parsed(text: bytes) -> Any:
    """The object or list in a text; ``None`` where there is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def documents_in(data: bytes) -> list[tuple[bytes, Any, bytes]]:
    """The JSON documents of an input, each with what stands before it and after it: the whole, or some of its lines,
    such as those of a stream's events, of JSON Lines, or the body of a request."""
    if (whole := _parsed(data)) is not None:
        return [(b"", whole, b"")]
    found, start = [], 0
    for line in data.splitlines(keepends=True):
        begin = min((place for place in (line.find(b"{"), line.find(b"[")) if place >= 0), default=-1)
        if 0 <= begin < 60 and (document := _parsed(line[begin:])) is not None:
            end = start + len(line.rstrip(b"\r\n"))
            found.append((data[: start + begin], document, data[end:]))
        start += len(line)
    return found


class Mutator:
    """Makes inputs from seeds, and remembers what values stand in them."""

    def __init__(self, seeds: Sequence[bytes]) -> None:
        self.seeds = seeds
        self._documents = [documents_in(seed) for seed in seeds]
        self._pool = pool_of([document for found in self._documents for _, document, _ in found][:400])

    def made(self, chance: Random) -> bytes:
        """An input: a seed with something wrong in its bytes, in its values, or in both."""
        number = chance.randrange(len(self.seeds))
        data, documents = self.seeds[number], self._documents[number]
        if documents and chance.random() < 0.6:
            before, document, after = chance.choice(documents)
            with suppress(RecursionError):
                data = before + _json_bytes(mutated_document(chance, document, self._pool)) + after
            if chance.random() < 0.9:
                return data
        return mutated_bytes(chance, data, self.seeds)
