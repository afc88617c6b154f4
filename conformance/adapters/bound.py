"""Calling an adapter safely: whatever it does becomes a value."""

from __future__ import annotations

import inspect
import time
import traceback
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Self, TypeVar

from conformance.adapters.beside import Near, OtherStream, awaited, read_near
from conformance.adapters.capture.doors import unobserved
from conformance.adapters.contract import Agent, AgentTool, Client, Translator
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.given import Copies, DistantAdapter, input_changes
from conformance.adapters.listening import heard_of_client
from conformance.adapters.nearby import LoopRunner, call_near
from conformance.adapters.obstructed import obstacle_of
from conformance.adapters.paths import portable
from conformance.adapters.stdio.mishaps import OperationError
from conformance.adapters.telling import Due, NewsReport, heard
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, ProviderError, ToolCall
from conformance.outcomes import InputChange, Mishap, Operation, OperationFailure

T = TypeVar("T")
V = TypeVar("V", Request, AssistantTurn)


OURS = (str(Path(__file__).parent), str(Path(__file__).parent / "stdio"))
"""The folders of what calls adapters."""

LET_THROUGH: set[type[BaseException]] = {KeyboardInterrupt}
"""What is no failure of the adapter when it is raised, but wanted by somebody: who asks it in a debugger adds to it."""


class _Bound:
    """An adapter for one provider, whose operations never raise: they return a value or an `OperationFailure`.

    ``seconds`` adds up the time spent inside the adapter. ``changes`` is what its operations changed of that which they
    were given; ``None`` where nobody can see it.
    """

    def __init__(self, adapter: object, provider: str, copies: Copies | None = None) -> None:
        self._adapter = adapter
        self._provider = provider
        self.seconds = 0.0
        self.copies = copies or Copies()
        self.changes: tuple[InputChange, ...] | None = ()

    def at(self, provider: str) -> Self:
        """The same adapter for another provider."""
        return type(self)(self._adapter, provider)

    def _run(
        self,
        operation: Operation,
        wanted: type[T],
        given: Mapping[str, object],
        *arguments: Any,
        how: Callable[..., Any] | None = None,
        **options: Any,
    ) -> T | OperationFailure:
        """Let the adapter work. ``given`` is what it could change of its arguments. ``how`` calls its operation."""
        distant = self._adapter if isinstance(self._adapter, DistantAdapter) else None
        before = self.copies.before(given) if distant is None else {}
        started = time.perf_counter()
        try:
            value = awaited((how or getattr(self._adapter, operation))(self._provider, *arguments, **options))
        except BaseException as problem:
            if isinstance(problem, tuple(LET_THROUGH)):
                raise
            return failure(operation, problem)
        finally:
            self.seconds += time.perf_counter() - started
            seen = distant.changes() if distant else input_changes(operation, before, self.copies.after(given))
            self._note(seen)
        if isinstance(value, wanted):
            return value
        message = f"{operation} must return {wanted.__name__}, returned {_described(value)}"
        return OperationFailure(operation, "error", message)

    def _note(self, changed: tuple[InputChange, ...] | None) -> None:
        if changed is None or self.changes is None:
            self.changes = None
        elif changed:
            self.changes += changed


class BoundClient(_Bound):
    """A client for one provider."""

    def __init__(self, adapter: Client, provider: str, copies: Copies | None = None) -> None:
        super().__init__(adapter, provider, copies)

    def complete(
        self, conversation: Conversation, endpoint: Endpoint, *, stream: bool
    ) -> AssistantTurn | OperationFailure:
        """The turn that the client makes of one model call."""
        given = {"conversation": conversation}
        turn = self._run("complete", AssistantTurn, given, conversation, stream=stream, endpoint=endpoint)
        return _checked("complete", turn, _wrong_types)

    def read_near(
        self, chunks: list[bytes], conversation: Conversation, other: OtherStream
    ) -> AssistantTurn | OperationFailure | None:
        """The turn that it makes of a streamed call near another one; ``None`` where it cannot be asked.

        A process that speaks the protocol alone makes one call at a time.
        """
        adapter, given = self._adapter, {"conversation": conversation}
        if isinstance(adapter, DistantAdapter) and (adapter.reads_near or other.near in adapter.ways):
            if other.near not in adapter.ways:
                return None
            turn = self._run(
                "complete", AssistantTurn, given, conversation, how=adapter.complete_near, chunks=chunks, other=other
            )
        elif other.near in ways_to_read(adapter):
            near = partial(self._near, other, chunks)
            turn = self._run("complete", AssistantTurn, given, conversation, how=near)
        else:
            return None
        return _checked("complete", turn, _wrong_types)

    def _near(self, other: OtherStream, chunks: list[bytes], provider: str, conversation: Conversation) -> Any:
        adapter: Any = self._adapter

        def call(conversation: Conversation, endpoint: Endpoint) -> Any:
            if other.near == "on-a-loop":
                return adapter.complete_on_a_loop(provider, conversation, endpoint=endpoint)
            return adapter.complete(provider, conversation, stream=True, endpoint=endpoint)

        with unobserved():
            return call_near(call, provider, conversation, chunks, other, _runner(adapter))

    def hear(
        self, chunks: Sequence[bytes], conversation: Conversation, due: Sequence[Due]
    ) -> NewsReport | OperationFailure | None:
        """What the client tells while the stream of its call is open; ``None`` when it does not."""
        adapter: Any = self._adapter
        try:
            if isinstance(adapter, DistantAdapter):
                return adapter.hear(self._provider, chunks, conversation, due)
            if not hasattr(adapter, "stream_news"):
                return None

            def tell(endpoint: Endpoint) -> Any:
                return adapter.stream_news(self._provider, conversation, endpoint=endpoint)

            with unobserved():
                return heard_of_client(tell, self._provider, chunks, due, _runner(adapter))
        except Exception as problem:
            return failure("stream_news", problem)


def _runner(client: Any) -> LoopRunner:
    """What runs a client's coroutines: its own event loop, or a new one."""
    run: LoopRunner = getattr(client, "run_to_end", awaited)
    return run


def ways_to_read(client: object) -> Sequence[Near]:
    """In which ways two streams can be read near each other with a client."""
    if isinstance(client, DistantAdapter):
        return ("before",)
    threads: tuple[Near, ...] = ("beside",) if getattr(client, "in_threads", True) else ()
    return ("before", *threads, *(("on-a-loop",) if hasattr(client, "complete_on_a_loop") else ()))


class BoundAgent(_Bound):
    """An agent on one provider."""

    def __init__(self, adapter: Agent, provider: str, copies: Copies | None = None) -> None:
        super().__init__(adapter, provider, copies)

    def run(
        self, task: str, tools: Sequence[AgentTool], endpoint: Endpoint, *, system: str | None, stream: bool
    ) -> str | OperationFailure:
        """What the agent says at the end of its task."""
        given = {"tools": tuple(tool.tool for tool in tools)}
        return self._run("run", str, given, task, tools, endpoint=endpoint, system=system, stream=stream)


class BoundTranslator(_Bound):
    """A translator for one provider."""

    def __init__(self, adapter: Translator, provider: str, copies: Copies | None = None) -> None:
        super().__init__(adapter, provider, copies)

    def build_request(self, conversation: Conversation, *, stream: bool) -> Request | OperationFailure:
        request = self._run("build_request", Request, {"conversation": conversation}, conversation, stream=stream)
        return _checked("build_request", request, _wrong_parts)

    def parse_response(self, response: Response, conversation: Conversation) -> AssistantTurn | OperationFailure:
        context = self._context("parse_response", conversation)
        given = {**context, "headers": response.headers}
        turn = self._run("parse_response", AssistantTurn, given, response, **context)
        return _checked("parse_response", turn, _wrong_types)

    def parse_stream(self, chunks: list[bytes], conversation: Conversation) -> AssistantTurn | OperationFailure:
        context = self._context("parse_stream", conversation)
        turn = self._run("parse_stream", AssistantTurn, context, iter(chunks), **context)
        return _checked("parse_stream", turn, _wrong_types)

    def read_near(
        self, chunks: list[bytes], conversation: Conversation, other: OtherStream
    ) -> AssistantTurn | OperationFailure | None:
        """The same, near another conversation of the same adapter. ``None`` where its process cannot do that.

        A process that cannot be told of a lost connection gets the half of a stream that just ends.
        """
        if other.near == "on-a-loop":
            return None  # its chunks come without a loop
        context = self._context("parse_stream", conversation)
        if isinstance(self._adapter, DistantAdapter):
            if not self._adapter.reads_near and other.near == "beside":
                return None
            if not self._adapter.reads_near:
                half = other.chunks[: len(other.chunks) // 2]
                self.parse_stream([*half], other.conversation)
                return self.parse_stream(chunks, conversation)
            turn = self._run("parse_stream", AssistantTurn, context, iter(chunks), **context, other=other)
        else:
            near = partial(self._near, other, chunks)
            turn = self._run("parse_stream", AssistantTurn, context, how=near, **context)
        return _checked("parse_stream", turn, _wrong_types)

    def hear(
        self, chunks: Sequence[bytes], conversation: Conversation, due: Sequence[Due]
    ) -> NewsReport | OperationFailure | None:
        """What the adapter tells while a stream is open; ``None`` when it does not."""
        adapter: Any = self._adapter
        try:
            if isinstance(adapter, DistantAdapter):
                return adapter.hear(self._provider, chunks, conversation, due)
            if not hasattr(adapter, "stream_news"):
                return None
            context = self._context("stream_news", conversation)
            return heard(lambda given: adapter.stream_news(self._provider, given, **context), chunks)
        except Exception as problem:
            return failure("stream_news", problem)

    def _near(self, other: OtherStream, chunks: list[bytes], provider: str, **context: Conversation) -> Any:
        def read(given: Iterator[bytes], options: Mapping[str, Any]) -> Any:
            return self._adapter.parse_stream(provider, given, **options)  # type: ignore[attr-defined]

        return read_near(read, chunks, context, other, self._context("parse_stream", other.conversation))

    def _context(self, operation: Operation, conversation: Conversation) -> dict[str, Any]:
        """The conversation, for operations that take it."""
        takes = takes_conversation(getattr(self._adapter, operation, None))
        return {"conversation": conversation} if takes else {}


def takes_conversation(function: Any) -> bool:
    """Whether an operation takes the keyword ``conversation``."""
    function = getattr(function, "__func__", function)
    return isinstance(function, Hashable) and _has_conversation(function)


@cache
def _has_conversation(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return "conversation" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def failure(operation: str, problem: BaseException) -> OperationFailure:
    """What an operation raised. An exception of the adapter's may do anything when it is shown."""
    if isinstance(problem, OperationError):
        evidence = portable(problem.detail), portable(problem.output)
        return OperationFailure(operation, problem.kind, portable(str(problem)), *evidence, problem.obstacle)
    kind: Mishap = "crash" if isinstance(problem, SystemExit) else "error"
    try:
        words, trace = _raised(operation, problem), _traceback(problem)
        return OperationFailure(operation, kind, words, trace, obstacle=obstacle_of(problem), raised=problem)
    except BaseException:
        words = f"{operation} raised {_name(problem)}, which cannot be shown"
        return OperationFailure(operation, kind, words, raised=problem)


MAX_SHOWN = 20_000
"""How many characters of what an exception says are looked at."""


def _raised(operation: str, problem: BaseException) -> str:
    if isinstance(problem, SystemExit):
        return f"{operation} exited the interpreter ({problem.code})"
    text = " ".join(portable(str(problem)[:MAX_SHOWN]).split())[:500]
    return f"{operation} raised {_name(problem)}: {text}"


def _name(problem: BaseException) -> str:
    return str(type.__dict__["__name__"].__get__(type(problem)))


def _traceback(problem: BaseException) -> str:
    """The end of the traceback, from the adapter's own first line on: what of ours called it is cut off."""
    frames = problem.__traceback__
    while frames is not None and _calls_adapters(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    lines = "".join(traceback.format_exception(type(problem), problem, frames, limit=-8))
    return portable(lines[-MAX_SHOWN:])[-4000:]


def _calls_adapters(file: str) -> bool:
    """Whether a file is one of ours that stands between the harness and an adapter."""
    folder, _, name = file.rpartition("/")
    return folder in OURS and name != "reference.py"


def _described(value: object) -> str:
    kind = type(value).__name__
    return "None" if value is None else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


# --- a value of the right type may still hold values of the wrong one ------------------------------------------------


def _checked(
    operation: Operation, value: V | OperationFailure, wrong: Callable[[V], Iterator[str]]
) -> V | OperationFailure:
    if isinstance(value, OperationFailure):
        return value
    problem = next(wrong(value), None)
    what = "turn" if isinstance(value, AssistantTurn) else "request"
    return OperationFailure(operation, "error", f"{operation} returned a {what} whose {problem}") if problem else value


def _wrong_parts(request: Request) -> Iterator[str]:
    for name, kind in (("method", str), ("url", str), ("headers", Mapping), ("body", bytes)):
        part = getattr(request, name)
        if not isinstance(part, kind):
            yield f"{name} must be {kind.__name__}, found {_described(part)}"
    for name, value in request.headers.items():
        if not isinstance(name, str) or not isinstance(value, str):
            yield f"headers must be texts, found {_described(name)} and {_described(value)}"
    if request.excess:
        yield request.excess


def _wrong_types(turn: AssistantTurn) -> Iterator[str]:
    if not isinstance(turn.text, str):
        yield f"text must be str, found {_described(turn.text)}"
    if turn.error is not None and not isinstance(turn.error, ProviderError):
        yield f"error must be ProviderError, found {_described(turn.error)}"
    elif turn.error is not None and not isinstance(turn.error.message, str):
        yield f"error must have a message of type str, found {_described(turn.error.message)}"
    if not isinstance(turn.calls, tuple | list):
        yield f"calls must be a tuple, found {_described(turn.calls)}"
        return
    for place, call in enumerate(turn.calls):
        if not isinstance(call, ToolCall):
            yield f"calls[{place}] must be ToolCall, found {_described(call)}"
        elif not isinstance(call.id, str) or not isinstance(call.name, str):
            yield f"calls[{place}] must have id and name of type str"
