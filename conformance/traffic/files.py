"""Files of recorded traffic: which kinds there are, finding them in folders, and opening them."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import json
import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from conformance.model import Json
from conformance.traffic import cassette, har, jsonl
from conformance.traffic.json_places import json_elements
from conformance.traffic.records import TrafficRecord, UnreadableRecord

MAX_DOCUMENT = 512_000_000
"""How many bytes a JSON document of many exchanges may have: it must be in memory as a whole."""

UNPACKED_AT_ONCE = 1 << 18
"""How many bytes of a packed file are unpacked in one step."""

PIECE = 1 << 10
"""How many packed bytes are unpacked in one step where nothing limits what comes out: a small piece does not burst."""

PACKED_RATIO = 3
"""How many times as large a packed file of traffic is at least, as a rule, when it is unpacked."""

FileReader = Callable[[BinaryIO, str], Iterator[TrafficRecord]]
OfElement = Callable[[Json, str, int, jsonl.Documents], Sequence[TrafficRecord]]


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The files to read: those that are named, and in folders all of a known kind, in a stable order."""
    found: dict[Path, None] = {}
    for path in paths:
        inside = sorted(item for item in path.rglob("*") if item.is_file() and _kind(item)) if path.is_dir() else [path]
        found.update(dict.fromkeys(inside))
    return list(found)


def read_file(path: Path) -> Iterator[TrafficRecord]:
    """The exchanges in one file."""
    source, kind = str(path), _kind(path)
    if kind is None:
        yield UnreadableRecord(source, 1, f"the suffix is none of {', '.join(KINDS)} (or one of them with .gz or .zst)")
        return
    try:
        with _opened(path) as file:
            yield from KINDS[kind](file, source)
    except (OSError, *UNPACKING_ERRORS) as problem:
        yield broken_off(path, problem)


@contextlib.contextmanager
def opened_lines(path: Path) -> Iterator[jsonl.TrafficLines | None]:
    """A file of lines, to read what is wanted of it; ``None`` for a file of another kind. Raises `OSError`, and what
    unpacking does: `UNPACKING_ERRORS`."""
    if not is_of_lines(path):
        yield None
        return
    with _opened(path) as file:
        yield jsonl.TrafficLines(file, str(path))


def broken_off(path: Path, problem: Exception) -> UnreadableRecord:
    """What is said of a file that cannot be read to its end."""
    return UnreadableRecord(str(path), 1, f"cannot be read to its end: {getattr(problem, 'strerror', None) or problem}")


def read_bytes(path: Path) -> bytes:
    """What is in one file, as far as it can be read and is not more than a document may have."""
    try:
        with _opened(path) as file:
            return file.read(MAX_DOCUMENT)
    except (OSError, *UNPACKING_ERRORS):
        return b""


def file_weight(path: Path) -> int:
    """About how many bytes a file has when it is unpacked; 0 where it cannot be looked at."""
    try:
        size = path.stat().st_size
    except OSError:
        return 0
    return size * PACKED_RATIO if path.suffix.lower() in PACKED else size


def is_of_lines(path: Path) -> bool:
    """Whether a file can be read from any line on."""
    return (_kind(path) or "") in OF_LINES


def _kind(path: Path) -> str | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes and suffixes[-1] in KINDS else None


def _opened(path: Path) -> BinaryIO:
    """The file, unpacked. Raises `OSError` for what is no file: a FIFO may never say anything, a device never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    file = cast("BinaryIO", os.fdopen(descriptor, "rb"))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no regular file")
    unpack = PACKED.get(path.suffix.lower())
    return file if unpack is None else io.BufferedReader(unpack(file), UNPACKED_AT_ONCE)


def _gzip(file: BinaryIO) -> io.RawIOBase:
    return cast("io.RawIOBase", gzip.open(file, "rb"))


class _Zstandard(io.RawIOBase):
    """A file in frames of zstandard, unpacked. Reading raises `EOFError` where the last frame is cut off: the library's
    own reader would end there as if it were whole."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame: Any = None
        self._packed = self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and self._advance():
            pass
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _advance(self) -> bool:
        """Unpack a piece; false at the end."""
        piece = self._packed or self._file.read(PIECE)
        if not piece:
            if self._frame is not None:
                raise EOFError("it is cut off")
            return False
        self._frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
        self._ready, self._packed = self._frame.decompress(piece), b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


PACKED: Mapping[str, Callable[[BinaryIO], io.RawIOBase]] = {".gz": _gzip, ".zst": _Zstandard}
"""What unpacks a file, by its last suffix."""

UNPACKING_ERRORS = (EOFError, zlib.error, zstandard.ZstdError)


# --- JSON: a cassette, an archive, or exchanges as in JSON Lines ------------------------------------------------------


def _read_json(file: BinaryIO, source: str) -> Iterator[TrafficRecord]:
    data = file.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        yield UnreadableRecord(source, 1, f"larger than {MAX_DOCUMENT} bytes")
        return
    try:
        yield from _of_text(data.decode("utf-8-sig"), source)
    except UnicodeDecodeError:
        yield UnreadableRecord(source, 1, "not UTF-8")
    except json.JSONDecodeError as problem:
        yield UnreadableRecord(source, problem.lineno, f"not JSON: {problem.msg}")
    except ValueError as problem:
        yield UnreadableRecord(source, 1, f"not JSON: {problem}")
    except RecursionError:
        yield UnreadableRecord(source, 1, "nested too deeply")


def _of_text(text: str, source: str) -> Iterator[TrafficRecord]:
    if _is_of_lines(text):  # the collector's exporter writes lines, whatever the suffix
        yield from jsonl.read_lines(io.BytesIO(text.encode("utf-8", "surrogatepass")), source)
        return
    documents = jsonl.Documents(source)
    for path, of_element in SHAPES.items():
        places = json_elements(text, path)
        if places is not None:
            for place in places:
                yield from of_element(place.value, source, place.line, documents)
            yield from documents.rest()
            return
    document = json.loads(text)
    if isinstance(document, dict) and (_is_exchange(document) or documents.knows(document)):
        yield from _either(document, source, 1, documents)
        yield from documents.rest()
    else:
        yield UnreadableRecord(source, 1, "neither a cassette nor an archive nor an exchange")


def _is_of_lines(text: str) -> bool:
    """Whether a text is lines of JSON: its first line is an object, and more follows."""
    first, _, rest = text.lstrip().partition("\n")
    if not (first.startswith("{") and first.rstrip().endswith("}") and rest.strip()):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _is_exchange(document: dict[str, Json]) -> bool:
    return bool(document.keys() & {"request", "response", "response_raw"})


def _either(document: Json, source: str, line: int, documents: jsonl.Documents) -> Sequence[TrafficRecord]:
    """An interaction as in a cassette, which has the address in its request, or what a line of JSON Lines may be."""
    asked = document.get("request") if isinstance(document, dict) else None
    if isinstance(asked, dict) and ("uri" in asked or "url" in asked):
        return [cassette.interaction(document, source, line)]
    return documents.of_document(document, line)


def _alone(read: Callable[[Json, str, int], TrafficRecord]) -> OfElement:
    """A reader of elements that are one exchange each."""
    return lambda element, source, line, documents: [read(element, source, line)]


SHAPES: Mapping[tuple[str, ...], OfElement] = {
    ("interactions",): _alone(cassette.interaction),
    ("http_interactions",): _alone(cassette.interaction),
    ("log", "entries"): _alone(har.entry),
    (): _either,
}
"""Where in a JSON document the exchanges are, and what reads one."""

KINDS: Mapping[str, FileReader] = {
    ".jsonl": jsonl.read_lines,
    ".ndjson": jsonl.read_lines,
    ".yaml": cassette.read_yaml_cassette,
    ".yml": cassette.read_yaml_cassette,
    ".json": _read_json,
    ".har": _read_json,
}
"""What reads a file, by its suffix. Each may be followed by one of `PACKED`."""

OF_LINES = frozenset(suffix for suffix, reader in KINDS.items() if reader is jsonl.read_lines)
"""The suffixes of files that can be read from any line on."""
