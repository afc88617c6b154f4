"""Calling an adapter in a child: one request at a time, with a child that is alive, or started again.

A child is kept over all calls. One that went wrong (see `conformance.adapters.stdio.mishaps`) is dead, and the next
call starts another: at most `IN_A_ROW` times without an answer in between, and `IN_ALL` times altogether.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from conformance.adapters.problems import AdapterError
from conformance.adapters.stdio.child import ChildProcess
from conformance.adapters.stdio.guard import Guard
from conformance.adapters.stdio.lines import PROTOCOL_VERSION, Method, request_line
from conformance.adapters.stdio.messages import changes_of, message_of, plain_answer_of, result_of
from conformance.adapters.stdio.mishaps import CrashError, OperationError, RefusalError
from conformance.adapters.stdio.pipes import MAX_LINE
from conformance.adapters.stdio.reading import InputChangeForm, described
from conformance.adapters.stdio.tape import tape_here
from conformance.adapters.stdio.text import encode
from conformance.model import Json
from conformance.version import VERSION

START_SECONDS = 45.0
"""How long a child may take to start and to answer ``initialize``."""

ANSWER_SECONDS = 600.0
"""How long it may take for any other answer, where `Caller.allow` does not say."""

IN_A_ROW = 5
IN_ALL = 500

HELLO = encode({"protocol": PROTOCOL_VERSION, "harness": {"name": "toolcall-conformance", "version": VERSION}})
"""The params of ``initialize``."""

F = TypeVar("F")

RequestHandler = Callable[[dict[str, Json]], bytes]
"""Answers a request that the child makes while it works on one of ours, with a line."""


class Caller:
    """An adapter behind a command. ``hello`` is what the first child answered to ``initialize``.

    Raises `AdapterError` when the program cannot be started, and `OperationError` when it does not introduce itself.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        answer_seconds: float = ANSWER_SECONDS,
        start_seconds: float = START_SECONDS,
        in_a_row: int = IN_A_ROW,
        in_all: int = IN_ALL,
        max_line: int = MAX_LINE,
    ) -> None:
        self._command = command
        self._seconds, self._start_seconds = answer_seconds, start_seconds
        self._in_a_row, self._in_all = in_a_row, in_all
        self._max_line = max_line
        self._lock = threading.Lock()
        self._number = self._lost = self._lost_in_a_row = 0
        self._deadline: float | None = None
        self._stacks = False
        self._tape = tape_here()
        self.changes: list[InputChangeForm] = []
        """What the last answer says that the adapter changed."""
        self.starts: Callable[[], None] = _nothing
        """Called before a child is started again."""
        self._running = _Running(Guard())
        self._closing = weakref.finalize(self, self._running.end)
        try:
            self.hello = self._start()
        except BaseException:
            self.close()
            raise

    @property
    def taped(self) -> bool:
        """Whether all that is said is written down: then each request says all that it is about."""
        return self._tape.file is not None

    @property
    def child(self) -> ChildProcess | None:
        """The child that is alive, if there is one."""
        return self._running.child

    def allow(self, seconds: float) -> None:
        """How long all answers from now on may take together, until this is called again."""
        self._seconds, self._deadline = seconds, time.monotonic() + seconds

    def expect_stacks(self) -> None:
        """From now on, a child that hangs is asked where: it is our own, which prints that."""
        self._stacks = True
        if self.child is not None:
            self.child.prints_stacks = True

    def revive(self) -> None:
        """Start another child if there is none, as long as that is any use."""
        with self._lock, contextlib.suppress(OperationError, AdapterError):
            if self._closing.alive and self._running.child is None:
                self._start_again()

    def call(self, method: Method, params: str, form: type[F], answer: RequestHandler | None = None) -> F:
        """The result of a request, in its form. ``params`` is JSON text.

        ``answer`` answers what the child asks meanwhile. Raises `OperationError`.
        """
        with self._lock:
            if not self._closing.alive:
                raise CrashError("the adapter was closed")
            if self._running.child is None:
                self._start_again()
            try:
                result: F = self._ask(method, params, form, self._seconds, answer, self._deadline)
            except RefusalError:
                self._lost_in_a_row = 0
                raise
            self._lost_in_a_row = 0
            return result

    def close(self) -> None:
        """Say goodbye and end the child."""
        with self._lock:
            self._closing()

    def _start_again(self) -> None:
        if self._lost_in_a_row > self._in_a_row or self._lost > self._in_all:
            raise CrashError(f"the child was lost {self._lost} times and is not started again")
        self.starts()
        started = time.monotonic()
        try:
            self._start()
        except AdapterError as problem:
            raise CrashError(f"the child cannot be started again: {problem}") from None
        if self._deadline is not None:
            self._deadline += time.monotonic() - started

    def _start(self) -> dict[str, Json]:
        self._running.child = ChildProcess(self._command, self._running.guard, max_line=self._max_line)
        try:
            hello = _introduced(self._ask("initialize", HELLO, Any, self._start_seconds, None))
            self._running.child.prints_stacks = self._stacks
            return hello
        except RefusalError:
            self._lose()
            raise

    def _ask(
        self,
        method: Method,
        params: str,
        form: Any,
        seconds: float,
        answer: RequestHandler | None,
        deadline: float | None = None,
    ) -> Any:
        child = self._running.child
        assert child is not None
        self._number += 1
        line = request_line(self._number, method, params)
        until = deadline if deadline is not None else time.monotonic() + seconds
        self.changes = []
        try:
            while True:
                said = child.ask(method, line, until, seconds)
                self._tape.hear(said)
                plain = plain_answer_of(said, self._number, form)
                if plain is not None:
                    self._tape.keep(method, params)
                    self.changes = plain.changes or []
                    return plain.result
                message = message_of(said)
                if answer is None or "method" not in message:
                    self.changes = changes_of(message)
                    result = result_of(message, self._number, method, form)
                    self._tape.keep(method, params)
                    return result
                line = answer(message)
                self._tape.hear(line)
        except RefusalError as problem:
            self._tape.keep(method, params)
            problem.output = "" if problem.detail else child.said
            raise
        except BaseException as problem:
            self._lose()
            self._tape.keep(method, params, type(problem).__name__)
            if isinstance(problem, OperationError):
                problem.output = child.said
            raise

    def _lose(self) -> None:
        self._lost += 1
        self._lost_in_a_row += 1
        if self.child is not None:
            self.child.kill()
            self._running.child = None


def _nothing() -> None:
    """Nobody wants to know."""


def _introduced(hello: Json) -> dict[str, Json]:
    """What a child says about itself, if it speaks our version of the protocol."""
    if not isinstance(hello, dict):
        raise RefusalError(f"initialize must answer with an object, found {described(hello)}")
    version = hello.get("protocol")
    if type(version) is not int or version != PROTOCOL_VERSION:
        raise RefusalError(f"it speaks protocol version {encode(version)}, and this harness speaks {PROTOCOL_VERSION}")
    return hello


@dataclass
class _Running:
    """What must be ended when a `Caller` is gone."""

    guard: Guard
    child: ChildProcess | None = None

    def end(self) -> None:
        """End the child, politely if it is not busy."""
        if self.child is not None:
            self.child.shut_down(request_line(0, "shutdown", "{}"))
            self.child = None
        self.guard.close()
