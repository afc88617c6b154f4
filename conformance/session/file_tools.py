"""The file tools of a real model, run in a process of their own with limits (`conformance.processes.confined`).

A model may ask for anything: a pattern that searches for ever, a link that leads to itself, a FIFO. What cannot be
answered is an error for the model, told in a line. What takes too long is ended from outside.

Standard library only: this process starts for each call.
"""

from __future__ import annotations

import base64
import fnmatch
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

MAX_FILE = 1_000_000
"""How many bytes of a file, and characters of an answer, there may be."""
MAX_PATTERN = 1_000
MAX_PATH = 4_000
MAX_DEPTH = 100
"""How many folders a file may be in."""
MAX_LINE = 10_000
"""How many characters of a line are searched."""
MAX_WORDS = 300
"""How long an error may be."""
IMAGES: Mapping[str, str] = {".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}

ToolArguments = Mapping[str, Any]


class ToolError(Exception):
    """What a tool says when it cannot do what it is asked. ``said`` is what it said until then."""

    def __init__(self, words: str, said: str = "") -> None:
        super().__init__(words)
        self.said = said


def main() -> None:
    """Run the call on standard input in the current folder, and print what came of it."""
    call = json.load(sys.stdin)
    json.dump(outcome(lambda: TOOLS[call["tool"]](Path(os.path.realpath(".")), call["arguments"])), sys.stdout)
    sys.stdout.flush()


def outcome(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What ``work`` returns, or its error in words."""
    said = ""
    try:
        return work()
    except ToolError as problem:
        words, said = str(problem), problem.said
    except ValueError as problem:
        words = str(problem)
    except OSError as problem:
        words = problem.strerror or str(problem)
    except re.error as problem:
        words = f"not a pattern: {problem}"
    except (RecursionError, OverflowError, MemoryError):
        words = "that is too large, or too deep"
    words = words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}…"
    return {"error": f"{words}; it said:\n{said}" if said else words}


# --- where files are -------------------------------------------------------------------------------------------------


def located(root: Path, name: Any) -> Path:
    """Where a file of the model's is. Raises `ToolError` for one outside of the folder, links included."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise ToolError("that is not a path")
    if len(name) > MAX_PATH:
        raise ToolError("the path is too long")
    inside = PurePosixPath("/", name).relative_to("/")
    path = Path(os.path.realpath(root / inside))
    if not path.is_relative_to(root):
        raise ToolError(f"{name[:MAX_WORDS]} is outside of the workspace")
    if len(path.relative_to(root).parts) > MAX_DEPTH:
        raise ToolError("the path is too deep")
    return path


def make_folders(root: Path, path: Path) -> None:
    """The folders that a file is in."""
    for folder in reversed([path, *path.parents]):
        if folder.is_relative_to(root):
            folder.mkdir(exist_ok=True)


def _opened(path: Path, flags: int) -> int:
    """Open a regular file. Nothing else is waited for, and no link is followed: the path has none left."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ToolError("that is not a file")
    return descriptor


def _read(path: Path, most: int = MAX_FILE) -> bytes:
    """The first bytes of a file: one more than ``most`` when it has more."""
    with os.fdopen(_opened(path, os.O_RDONLY), "rb") as file:
        return file.read(most + 1)


def _whole(path: Path) -> bytes:
    data = _read(path)
    if len(data) > MAX_FILE:
        raise ToolError(f"the file is too large: more than {MAX_FILE} bytes")
    return data


def _write(path: Path, data: bytes) -> None:
    if len(data) > MAX_FILE:
        raise ToolError(f"that is too much for a file: more than {MAX_FILE} bytes")
    with os.fdopen(_opened(path, os.O_WRONLY | os.O_CREAT), "wb") as file:
        file.truncate()
        file.write(data)


def _files(root: Path) -> Iterator[Path]:
    """All files of the workspace, in order. Links are left out: they may lead anywhere."""
    waiting = [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        if depth > MAX_DEPTH or len(str(folder)) > MAX_PATH:
            raise ToolError("the folders are too deep")
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:  # not ours to read
            continue
        yield from (Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False))
        waiting += [(Path(entry.path), depth + 1) for entry in reversed(entries) if entry.is_dir(follow_symlinks=False)]


def _shown(root: Path, path: Path) -> str:
    return "/" + path.relative_to(root).as_posix()


# --- the tools -------------------------------------------------------------------------------------------------------


def read_file(root: Path, arguments: ToolArguments) -> dict[str, Any]:
    """A file, or some of its lines, or a picture."""
    path = located(root, arguments.get("absolute_path"))
    if path.suffix in IMAGES:
        return {"image": IMAGES[path.suffix], "data": base64.b64encode(_whole(path)).decode("ascii")}
    lines = _whole(path).decode("utf-8", "replace").splitlines(keepends=True)
    first = number(arguments, "offset", 0)
    return {"text": "".join(lines[first : first + number(arguments, "limit", len(lines))])}


def read_many_files(root: Path, arguments: ToolArguments) -> dict[str, Any]:
    """Several files, by name and by pattern."""
    wanted = [located(root, name) for name in _names(arguments, "paths")]
    for pattern in _patterns(arguments, "include"):
        wanted += [path for path in _files(root) if fnmatch.fnmatch(_shown(root, path), f"*{pattern}")]
    for pattern in _patterns(arguments, "exclude"):
        wanted = [path for path in wanted if not fnmatch.fnmatch(_shown(root, path), f"*{pattern}")]
    contents = ((_shown(root, path), _whole(path).decode("utf-8", "replace")) for path in wanted)
    return {"text": _joined(f"--- {name} ---\n{content}" for name, content in contents)}


def write_file(root: Path, arguments: ToolArguments) -> dict[str, Any]:
    """Write a file, and the folders that it is in."""
    path, content = located(root, arguments.get("file_path")), text(arguments, "content").encode()
    make_folders(root, path.parent)
    _write(path, content)
    return {"text": f"Wrote {len(content)} bytes to {_shown(root, path)}"}


def replace(root: Path, arguments: ToolArguments) -> dict[str, Any]:
    """Put one text in the place of another."""
    path, old, new = (
        located(root, arguments.get("file_path")), text(arguments, "old_string"), text(arguments, "new_string"),
    )  # fmt: skip
    content = _whole(path).decode("utf-8")
    found, expected = content.count(old) if old else 0, number(arguments, "expected_replacements", 1)
    if found != expected:
        raise ToolError(f"found the text {found} times, expected {expected}")
    if len(content) + found * (len(new) - len(old)) > MAX_FILE:
        raise ToolError(f"that is too much for a file: more than {MAX_FILE} characters")
    _write(path, content.replace(old, new).encode())
    return {"text": f"Replaced {found} in {_shown(root, path)}"}


def search_file_content(root: Path, arguments: ToolArguments) -> dict[str, Any]:
    """The lines in which a pattern is found."""
    words, below = text(arguments, "pattern"), located(root, arguments.get("path") or "/")
    if len(words) > MAX_PATTERN:
        raise ToolError(f"the pattern is too long: more than {MAX_PATTERN} characters")
    pattern, include = re.compile(words), arguments.get("include")
    if isinstance(include, str) and len(include) > MAX_PATTERN:
        raise ToolError(f"the pattern is too long: more than {MAX_PATTERN} characters")
    matches = _matches(root, below, pattern, include if isinstance(include, str) else None)
    most = number(arguments, "max_matches", 1000)
    return {"text": _joined(line for line, _ in zip(matches, range(most), strict=False)) or "No matches"}


def _matches(root: Path, below: Path, pattern: re.Pattern[str], include: str | None) -> Iterator[str]:
    for path in _files(root):
        if not path.is_relative_to(below) or (include is not None and not path.match(include)):
            continue
        try:
            data = _read(path)
        except (OSError, ToolError):
            continue
        for place, line in enumerate(data[:MAX_FILE].decode("utf-8", "replace").splitlines(), 1):
            if pattern.search(line[:MAX_LINE]):
                yield f"{_shown(root, path)}:{place}:{line}"
        if len(data) > MAX_FILE:
            yield f"{_shown(root, path)}: only its first {MAX_FILE} bytes were searched"


def _joined(pieces: Iterator[str]) -> str:
    """The pieces, line by line. Raises `ToolError` when they are too much."""
    kept, size = [], 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size > MAX_FILE:
            raise ToolError(f"that is too much to tell: more than {MAX_FILE} characters")
    return "\n".join(kept)


TOOLS: Mapping[str, Callable[[Path, ToolArguments], dict[str, Any]]] = {
    tool.__name__: tool for tool in (read_file, read_many_files, write_file, replace, search_file_content)
}


# --- arguments -------------------------------------------------------------------------------------------------------


def text(arguments: ToolArguments, name: str) -> str:
    """An argument that must be text."""
    value = arguments.get(name)
    if not isinstance(value, str):
        raise ToolError(f"{name} must be text")
    return value


def number(arguments: ToolArguments, name: str, otherwise: int) -> int:
    """An argument that may be a whole number."""
    value = arguments.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < sys.maxsize else otherwise


def _names(arguments: ToolArguments, name: str) -> list[str]:
    value = arguments.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _patterns(arguments: ToolArguments, name: str) -> list[str]:
    patterns = _names(arguments, name)
    if any(len(pattern) > MAX_PATTERN for pattern in patterns):
        raise ToolError(f"the pattern is too long: more than {MAX_PATTERN} characters")
    return patterns
