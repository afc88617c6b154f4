"""Playing one input: what a reader must hold whatever it is given, and how it is held to that.

An input is survived when it is read, or refused by an exception that is documented, with a message of one line; in
bounded time and memory; and when nothing outside of the folder that was given has been touched.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import FrameType
from typing import Any

from mutate import Mutator

FINDINGS = Path(__file__).parent / "findings"
"""Inputs that once were not survived, by target: each is always played."""

SECONDS = 1.5
SECONDS_PER_MEGABYTE = 15.0
"""How much processor time an input may take, and how much more for each megabyte of it."""
HANGS = 30.0
"""After how many seconds of time it is broken off."""
MEMORY = 1_500_000_000
"""How many more bytes of memory than before it may take."""
MAX_MESSAGE = 2000
"""How many characters a refusal may have."""


class FaultError(AssertionError):
    """An input that was not survived. The message says why; ``where`` tells faults from each other."""

    def __init__(self, why: str, where: str) -> None:
        super().__init__(f"{where}: {why}")
        self.why, self.where = why, where


class HangError(BaseException):
    """It took too long. No reader catches it by accident."""


@dataclass(frozen=True)
class Target:
    """One reader. ``read`` is given an input and an empty folder, and raises `AssertionError` where what it read does
    not hold. ``refusals`` are the exceptions that it documents; none for a reader that takes everything."""

    name: str
    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes, Path], object]
    refusals: tuple[type[Exception], ...] = ()
    about: str = ""
    """What is read, for the report."""
    times: int = 40
    """How many made inputs the short run plays."""

    @cached_property
    def mutator(self) -> Mutator:
        """What makes its inputs."""
        return Mutator(self.seeds())

    def play(self, data: bytes) -> str:
        """Read one input. Says how it was survived: ``read`` or ``refused``. Raises `FaultError`."""
        _ = self.mutator  # what seeds need is started
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            before = time.process_time()
            try:
                with _watched(folder) as touched, _bounded():
                    outcome = self._outcome(data, Path(folder))
            except HangError:
                raise FaultError(f"it took more than {HANGS:g} s", "hangs") from None
            took = time.process_time() - before
        if touched:
            raise FaultError(f"it touched {touched[0]}", f"touches {touched[0].split()[0]}")
        if took > SECONDS + SECONDS_PER_MEGABYTE * len(data) / 1e6:
            raise FaultError(f"it took {took:.1f} s of processor time for {len(data)} bytes", "slow")
        return outcome

    def _outcome(self, data: bytes, folder: Path) -> str:
        try:
            self.read(data, folder)
        except self.refusals as refusal:
            words = str(refusal)
            if "\n" in words or len(words) > MAX_MESSAGE or not words.isprintable():
                raise FaultError(f"the refusal is no line: {words[:500]!r}", f"words of {_place(refusal)}") from None
            return "refused"
        except Exception as problem:
            raise FaultError(f"{type(problem).__name__}: {str(problem)[:500]}", _place(problem)) from problem
        return "read"


def _place(problem: BaseException) -> str:
    """The exception and the innermost function of ours that it went through."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if "conformance/" in frame.filename]
    inner = frames[-1] if frames else None
    where = f"{Path(inner.filename).stem}.{inner.name}" if inner else "the target"
    return f"{type(problem).__name__} in {where}"


# --- time and memory -------------------------------------------------------------------------------------------------


@contextmanager
def _bounded() -> Iterator[None]:
    """Break off what takes too long, and refuse memory beyond a bound."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most if limits[1] < 0 else min(most, limits[1]), limits[1]))
    alarmed = threading.current_thread() is threading.main_thread()
    if alarmed:
        before = signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, HANGS)
    try:
        yield
    finally:
        if alarmed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def _ring(number: int, frame: FrameType | None) -> None:
    raise HangError


# --- what is touched -------------------------------------------------------------------------------------------------

_TOUCHING = frozenset({
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.kill", "os.killpg", "subprocess.Popen", "shutil.rmtree",
    "socket.bind", "ctypes.dlopen", "pty.spawn",
})  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass
class _Watch:
    folder: str | None = None
    touched: list[str] | None = None


_WATCH = _Watch()


@cache
def _watching() -> None:
    """Listen, once and for good, to what the interpreter tells of files and processes."""
    sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if _WATCH.folder is None or _WATCH.touched is None:
        return
    if event == "open":
        path, mode, flags = arguments
        writes = bool(flags & _WRITING) if isinstance(flags, int) else any(c in str(mode) for c in "wax+")
        inside = isinstance(path, int) or str(path).startswith((_WATCH.folder, "/dev/null", "/proc/self"))
        if writes and not inside and not str(path).endswith(".pyc") and "__pycache__" not in str(path):
            _WATCH.touched.append(f"open {path!r}")
    elif event in _TOUCHING:
        first = str(arguments[0]) if arguments else ""
        if not first.startswith(_WATCH.folder) and "__pycache__" not in first:
            _WATCH.touched.append(f"{event} {first!r}")


@contextmanager
def _watched(folder: str) -> Iterator[list[str]]:
    _watching()
    touched: list[str] = []
    _WATCH.folder, _WATCH.touched = folder, touched
    try:
        yield touched
    finally:
        _WATCH.folder = None


# --- findings --------------------------------------------------------------------------------------------------------


def findings(target: str) -> list[Path]:
    """The kept inputs of a target."""
    folder = FINDINGS / target
    return sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def smallest(target: Target, data: bytes, fault: FaultError, seconds: float = 20.0) -> bytes:
    """A smaller input with the same fault, found by leaving out pieces."""
    until = time.monotonic() + seconds
    size = len(data) // 2
    while size and time.monotonic() < until:
        start = 0
        while start < len(data) and time.monotonic() < until:
            shorter = data[:start] + data[start + size :]
            if _faults_alike(target, shorter, fault):
                data = shorter
            else:
                start += size
        size //= 2
    return data


def _faults_alike(target: Target, data: bytes, fault: FaultError) -> bool:
    try:
        target.play(data)
    except FaultError as other:
        return other.where == fault.where
    return False
