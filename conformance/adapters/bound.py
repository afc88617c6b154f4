"""Calling an adapter safely: whatever it does becomes a value."""

from __future__ import annotations

import asyncio
import inspect
import time
import traceback
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

from conformance.adapters.contract import Agent, AgentTool, Client, Translator
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.paths import portable
from conformance.adapters.stdio.mishaps import OperationError
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, ProviderError, ToolCall
from conformance.transcript import Failed, Operation

T = TypeVar("T")


class _Bound:
    """An adapter for one provider, whose operations never raise: they return a value of the right type or `Failed`.

    ``seconds`` adds up the time spent inside the adapter.
    """

    def __init__(self, adapter: object, provider: str) -> None:
        self._adapter = adapter
        self._provider = provider
        self.seconds = 0.0

    def _run(self, operation: Operation, wanted: type[T], *arguments: Any, **options: Any) -> T | Failed:
        started = time.perf_counter()
        try:
            value = awaited(getattr(self._adapter, operation)(self._provider, *arguments, **options))
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            return _failure(operation, problem)
        finally:
            self.seconds += time.perf_counter() - started
        if isinstance(value, wanted):
            return value
        message = f"{operation} must return {wanted.__name__}, returned {_described(value)}"
        return Failed(operation, "error", message)


class BoundClient(_Bound):
    """A client for one provider."""

    def __init__(self, adapter: Client, provider: str) -> None:
        super().__init__(adapter, provider)

    def complete(self, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn | Failed:
        """The turn that the client makes of one model call."""
        turn = self._run("complete", AssistantTurn, conversation, stream=stream, endpoint=endpoint)
        return _checked("complete", turn)


class BoundAgent(_Bound):
    """An agent on one provider."""

    def __init__(self, adapter: Agent, provider: str) -> None:
        super().__init__(adapter, provider)

    def run(
        self, task: str, tools: Sequence[AgentTool], endpoint: Endpoint, *, system: str | None, stream: bool
    ) -> str | Failed:
        """What the agent says at the end of its task."""
        return self._run("run", str, task, tools, endpoint=endpoint, system=system, stream=stream)


class BoundTranslator(_Bound):
    """A translator for one provider."""

    def __init__(self, adapter: Translator, provider: str) -> None:
        super().__init__(adapter, provider)

    def build_request(self, conversation: Conversation, *, stream: bool) -> Request | Failed:
        """The request for ``conversation``."""
        return self._run("build_request", Request, conversation, stream=stream)

    def parse_response(self, response: Response, conversation: Conversation) -> AssistantTurn | Failed:
        """The turn in ``response``."""
        turn = self._run("parse_response", AssistantTurn, response, **self._context("parse_response", conversation))
        return _checked("parse_response", turn)

    def parse_stream(self, chunks: list[bytes], conversation: Conversation) -> AssistantTurn | Failed:
        """The turn in a stream of ``chunks``."""
        context = self._context("parse_stream", conversation)
        return _checked("parse_stream", self._run("parse_stream", AssistantTurn, iter(chunks), **context))

    def _context(self, operation: Operation, conversation: Conversation) -> dict[str, Conversation]:
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


def awaited(value: Any) -> Any:
    """``value``, or what it comes to when it is awaited."""
    if not inspect.isawaitable(value):
        return value

    async def wait() -> Any:
        return await value

    return asyncio.run(wait())


def _failure(operation: Operation, problem: BaseException) -> Failed:
    if isinstance(problem, OperationError):
        return Failed(operation, problem.kind, portable(str(problem)), portable(problem.detail))
    detail = portable("".join(traceback.format_exception(problem, limit=-8)))[-4000:]
    if isinstance(problem, SystemExit):
        return Failed(operation, "crash", f"{operation} exited the interpreter ({problem.code})", detail)
    text = " ".join(portable(str(problem)).split())[:500]
    return Failed(operation, "error", f"{operation} raised {type(problem).__name__}: {text}", detail)


def _described(value: object) -> str:
    kind = type(value).__name__
    return "None" if value is None else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


# --- a turn of the right type may still hold values of the wrong one -------------------------------------------------


def _checked(operation: Operation, turn: AssistantTurn | Failed) -> AssistantTurn | Failed:
    if isinstance(turn, Failed):
        return turn
    problem = next(_wrong_types(turn), None)
    return Failed(operation, "error", f"{operation} returned a turn whose {problem}") if problem else turn


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


