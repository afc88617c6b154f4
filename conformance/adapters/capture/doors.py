"""Doors: the functions through which a shim calls its library, and what goes through them.

Nothing is kept unless the environment variable `VARIABLE` names a file. Then each model call adds a line to it: a JSON
object with what a program needs (`conformance.adapters.capture.program`).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from conformance.adapters import inventory
from conformance.adapters.capture.calls import DoorCall

if TYPE_CHECKING:
    from conformance.adapters.capture.values import ValueWriter
    from conformance.adapters.endpoint import Endpoint

VARIABLE = "CONFORMANCE_CAPTURE"
"""Names the file for what is captured. Nothing is captured without it."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Capture:
    """All that goes through doors in this process."""

    path: str
    calls: list[DoorCall] = field(default_factory=list)
    hidden: list[object] = field(default_factory=list)
    writer: ValueWriter | None = None
    endpoint: Endpoint | None = None
    model_call: int = 0
    inside: bool = False

    def through(self, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call a door and keep it. What a library changes of its arguments while it is called is not kept."""
        if self.inside:
            return function(*arguments, **options)
        writer = self._known()
        made = DoorCall(
            function,
            [writer.expression(value) for value in arguments if not writer.is_hidden(value)],
            {name: writer.expression(value) for name, value in options.items() if not writer.is_hidden(value)},
            model_call=self.model_call,
        )
        self.calls.append(made)
        before, self.inside = self._asked(), True
        try:
            made.result = function(*arguments, **options)
        except BaseException:
            made.raised = True
            raise
        finally:
            self.inside = False
            made.asked = self._asked() > before
        writer.enter(made)
        return made.result

    def _known(self) -> ValueWriter:
        from conformance.adapters.capture.values import ValueWriter

        self.writer = self.writer or ValueWriter(self.hidden)
        self.writer.endpoint = self.endpoint
        return self.writer

    def _asked(self) -> int:
        return len(self.endpoint.requests) if self.endpoint is not None else 0


_capture = Capture(os.environ[VARIABLE]) if VARIABLE in os.environ else None


def door(function: F) -> F:
    """Make a function a door. It holds calls of the library and nothing of ours, because programs print its source."""
    capture = _capture
    if capture is None:
        return _remembering(function) if inventory.VARIABLE in os.environ else function

    @functools.wraps(function)
    def through(*arguments: Any, **options: Any) -> Any:
        return capture.through(function, arguments, options)

    return through  # type: ignore[return-value]


def _remembering(function: F) -> F:
    """A door whose results are known to be the library's own, while doors are counted."""
    from conformance.adapters.inventory.handed import remember

    @functools.wraps(function)
    def through(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        remember(result)
        return result

    return through  # type: ignore[return-value]


T = TypeVar("T")


def left_out(value: T) -> T:
    """``value``, which a program does without: an HTTP client that ends in the harness."""
    if _capture is not None:
        _capture.hidden.append(value)
    return value


@contextmanager
def unobserved() -> Iterator[None]:
    """Around calls that no program is to show."""
    if _capture is None:
        yield
        return
    before, _capture.inside = _capture.inside, True
    try:
        yield
    finally:
        _capture.inside = before


@contextmanager
def model_call(endpoint: Endpoint, *, begins: bool = False) -> Iterator[None]:
    """Around a model call: what goes through doors belongs to it, and is written down at its end.

    ``begins`` says that the library has said nothing yet in this conversation.
    """
    if _capture is None or _capture.inside:
        yield
        return
    from conformance.adapters.capture.program import write

    _capture.endpoint = endpoint
    _capture.model_call += 1
    if begins and _capture.writer is not None:
        _capture.writer.forget_texts()
    try:
        yield
    finally:
        imports = _capture.writer.imports if _capture.writer is not None else ()
        write(_capture.path, _capture.calls, imports, _capture.model_call)
