"""The archive of a certificate: a zip with four files of fixed names. Archives come from strangers.

Nothing is ever extracted by a name that an archive gives. What is read is bounded: the archive, its directory, each
file and all together, by what comes out and not by what it says. The same contents give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from conformance.documents import Document, bytes_read
from conformance.schemas import problems
from conformance.wording import LineError

ABOUT, RESULT, TRANSCRIPT, LOCK = "certificate.json", "result.json", "transcript.jsonl", "lock.txt"
NAMES = (ABOUT, RESULT, TRANSCRIPT, LOCK)
"""The files, in their order."""

MAX_ARCHIVE = 64_000_000
MAX_DIRECTORY = 10_000
"""How many bytes the table of contents may have. Four entries have some 250."""
MAX_FILE: Mapping[str, int] = {ABOUT: 1_000_000, RESULT: 64_000_000, TRANSCRIPT: 256_000_000, LOCK: 1_000_000}
"""How many bytes may come out of each file."""
CHUNK = 1_000_000
MAX_PEEK = 200
END = b"PK\x05\x06"
END_SIZE = 22
"""The record at the end of a zip without a comment (APPNOTE 4.3.16)."""
WHEN = (1980, 1, 1, 0, 0, 0)
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
"""What reading a zip raises that is damaged, or made to do harm."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ArchiveError(LineError):
    """An archive that is no certificate, or could do harm. The message is one line."""


def write_archive(contents: Mapping[str, bytes]) -> bytes:
    """The archive of these files. Raises `ArchiveError` for what nobody could read again."""
    for name in NAMES:
        if len(contents[name]) > MAX_FILE[name]:
            raise ArchiveError(f"{name} has more than {MAX_FILE[name]} bytes: choose fewer scenarios or deliveries")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in NAMES:
            entry = zipfile.ZipInfo(name, WHEN)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, contents[name], compresslevel=9)
    data = made.getvalue()
    if len(data) > MAX_ARCHIVE:
        raise ArchiveError(f"the archive has more than {MAX_ARCHIVE} bytes: choose fewer scenarios or deliveries")
    return data


def read_archive(path: Path) -> dict[str, bytes]:
    """The files of an archive, by their names, which are `NAMES`. Raises `ArchiveError`."""
    try:
        data = bytes_read(path, MAX_ARCHIVE)
    except OSError as problem:
        raise ArchiveError(f"{path}: {problem.strerror}") from None
    try:
        return _contents(data)
    except ArchiveError as problem:
        raise ArchiveError(f"{path}: {problem}") from None
    except DAMAGE as problem:
        words = " ".join(str(problem).split())[:MAX_PEEK]
        raise ArchiveError(f"{path}: the archive is damaged: {words or type(problem).__name__}") from None


def _contents(data: bytes) -> dict[str, bytes]:
    if len(data) > MAX_ARCHIVE:
        raise ArchiveError(f"larger than {MAX_ARCHIVE} bytes")
    end = data[-END_SIZE:]
    if len(end) < END_SIZE or not end.startswith(END):
        raise ArchiveError("no certificate: it is no zip file, or something follows it")
    if int.from_bytes(end[12:16], "little") > MAX_DIRECTORY:
        raise ArchiveError("its table of contents is larger than that of a certificate")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        names = [entry.filename for entry in entries]
        if sorted(names) != sorted(NAMES):
            raise ArchiveError(f"a certificate holds {', '.join(NAMES)}, each once; this holds {_shown(names)}")
        return {entry.filename: _read(archive, entry) for entry in entries}


def _shown(names: list[str]) -> str:
    text = ", ".join(ascii(name)[:60] for name in names[:6])
    return f"{text} and {len(names) - 6} more" if len(names) > 6 else text or "nothing"


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """What comes out of a file. Its own words about its size are not believed."""
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ArchiveError(f"{entry.filename} is no regular file")
    if entry.compress_type not in METHODS or entry.flag_bits & 1:
        raise ArchiveError(f"{entry.filename} is packed in a way that certificates are not, or encrypted")
    most, found = MAX_FILE[entry.filename], bytearray()
    with archive.open(entry) as file:
        while chunk := file.read(CHUNK):
            found += chunk
            if len(found) > most:
                raise ArchiveError(f"{entry.filename} has more than {most} bytes")
    return bytes(found)


def opened(contents: Mapping[str, bytes]) -> tuple[Document, Document]:
    """What an archive says of itself, and its result: both as their schemas want them, and with the right hashes.

    Raises `ArchiveError`.
    """
    about = _document(contents, ABOUT, "certificate")
    for name, told in about["files"].items():
        if hashlib.sha256(contents[name]).hexdigest() != told:
            raise ArchiveError(f"{name} is not what {ABOUT} says: its hash is another")
    return about, _document(contents, RESULT, "result")


def _document(contents: Mapping[str, bytes], name: str, schema: str) -> Document:
    try:
        document: Document = json.loads(contents[name])
        wrong = next(problems(schema, document), None)
    except (ValueError, RecursionError) as problem:
        raise ArchiveError(f"{name} is no JSON: {' '.join(str(problem).split())[:MAX_PEEK]}") from None
    if wrong is not None:
        at, complaint = wrong
        raise ArchiveError(f"{name}: at {at[:MAX_PEEK] or '/'}: {' '.join(complaint.split())[:MAX_PEEK]}")
    return document
