"""Let an adapter that is written in Python speak the protocol: ``python -m conformance.adapters.stdio.serve ADDRESS``.

This is the child that the harness starts for every adapter in Python, in whichever environment it lives. It needs
nothing but the standard library and the modules of the bundle (`conformance.environments.bundle`).
"""

from __future__ import annotations

import faulthandler
import gc
import io
import os
import signal
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from conformance.adapters import network
from conformance.adapters.addresses import LocatedAdapter, find_adapter
from conformance.adapters.beside import OtherStream
from conformance.adapters.bound import BoundAgent, BoundClient, BoundTranslator, failure, ways_to_read
from conformance.adapters.contract import AdapterError, AgentTool
from conformance.adapters.given import Copies
from conformance.adapters.stdio import conversations, writing
from conformance.adapters.stdio.channel import Channel
from conformance.adapters.stdio.lines import (
    ADAPTER_EXITED,
    ADAPTER_FAILED,
    ADAPTER_UNUSABLE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    PROTOCOL_VERSION,
    answer_line,
    error_line,
)
from conformance.adapters.stdio.mishaps import WrongFormError
from conformance.adapters.stdio.opaque import Opaques
from conformance.adapters.stdio.remote import Ask, RemoteEndpoint, RemoteTools
from conformance.adapters.stdio.text import decode_line, encode
from conformance.adapters.telling import Due, NewsReport
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json
from conformance.outcomes import InputChange, Operation, OperationFailure

Params = Mapping[str, Json]
ResultText = str | OperationFailure
"""The JSON text of a result, or why there is none."""

STACKS = signal.SIGUSR2
"""Makes the child print where its threads are, to standard error: the evidence of a timeout."""

INSTANCES = 4
"""How many instances of an adapter's class are kept: a case has one, and its blocking twin another."""

AGAIN = "again"
"""Stands for the conversation of the request before."""

_exit = os._exit


class Server:
    """Answers requests with one adapter. ``ask`` sends a request of our own and returns its result."""

    def __init__(self, found: LocatedAdapter, ask: Ask) -> None:
        self._found = found
        self._ask = ask
        self._opaques = Opaques()
        self._copies = Copies()
        self._instances: OrderedDict[Json, Any] = OrderedDict()
        self._conversation: Conversation | None = None
        self._given: Json = None
        self._changes: tuple[InputChange, ...] = ()
        self.done = False
        operations: Mapping[str, Callable[[Params], ResultText]] = {
            "build_request": self._build_request,
            "parse_response": self._parse_response,
            "parse_stream": self._parse_stream,
            "stream_news": self._stream_news,
            "complete": self._complete,
            "run": self._run,
        }
        self._example = adapter = found.make()
        self._methods: Mapping[str, Callable[[Params], ResultText]] = {
            "initialize": self._initialize,
            **{name: operation for name, operation in operations.items() if hasattr(adapter, name)},
            "rest": self._rest,
            "shutdown": self._shutdown,
        }

    def answer(self, message: Mapping[str, Json]) -> bytes:
        """The line that answers a request."""
        number, method = message.get("id"), str(message.get("method"))
        operation = self._methods.get(method)
        if operation is None:
            return error_line(number, METHOD_NOT_FOUND, f"there is no method {method!r}")
        self._changes = ()
        network.watch.begin()
        try:
            result = operation(message.get("params") or {})
        except WrongFormError as problem:
            return error_line(number, INVALID_PARAMS, str(problem))
        except BaseException as problem:  # what an adapter makes of its own class, or of a value that must be written
                result = failure(method, problem)
        if self._changes:
            self._conversation = None
            conversations.forget()
        if isinstance(result, str):
            return answer_line(number, result, self._changes)
        code = ADAPTER_EXITED if result.kind == "crash" else ADAPTER_FAILED
        return error_line(number, code, result.message, result.detail, self._changes, result.obstacle)

    # --- what the adapter is -----------------------------------------------------------------------------------------

    def _initialize(self, params: Params) -> str:
        info = self._found.info
        adapter: dict[str, Json] = {
            "name": info.name,
            "version": info.version,
            "language": info.language,
            "kind": self._found.kind,
            "homepage": info.homepage,
            "issues": info.issues,
            "providers": {name: sorted(claimed) for name, claimed in {**info.capabilities, **info.hosts}.items()},
            **({"lacks": dict(info.lacks)} if info.lacks else {}),
            "ours": True,
            **({"tells": True} if "stream_news" in self._methods else {}),
            **({"ways": [*ways_to_read(self._example)]} if self._found.kind == "client" else {}),
        }
        return encode({"protocol": PROTOCOL_VERSION, "adapter": adapter})

    def _instance(self, params: Params) -> Any:
        """The adapter's object for a case: the harness numbers them."""
        number = params.get("instance")
        if number not in self._instances:
            self._instances[number] = self._found.make()
            if len(self._instances) > INSTANCES:
                self._instances.popitem(last=False)
        return self._instances[number]

    # --- operations --------------------------------------------------------------------------------------------------

    def _build_request(self, params: Params) -> ResultText:
        translator = self._translator(params)
        built = translator.build_request(self._talk(params), stream=bool(params.get("stream")))
        self._note(translator)
        return writing.request_text(built) if isinstance(built, Request) else built

    def _parse_response(self, params: Params) -> ResultText:
        translator = self._translator(params)
        turn = translator.parse_response(conversations.response(params.get("response")), self._talk(params))
        self._note(translator)
        return self._turn("parse_response", turn)

    def _parse_stream(self, params: Params) -> ResultText:
        translator = self._translator(params)
        chunks, other = conversations.chunks(params.get("chunks")), params.get("other")
        if other is None:
            turn = translator.parse_stream(chunks, self._talk(params))
        else:
            turn = translator.read_near(chunks, self._talk(params), self._other(other)) or _cannot("parse_stream")
        self._note(translator)
        return self._turn("parse_stream", turn)

    def _stream_news(self, params: Params) -> ResultText:
        bound = self._client(params) if self._found.kind == "client" else self._translator(params)
        due = [Due(*numbers) for numbers in params["due"]]
        heard = bound.hear(conversations.chunks(params.get("chunks")), self._talk(params), due)
        if not isinstance(heard, NewsReport):
            return heard or _cannot("stream_news")
        pairs = [(one.given, one.news) for one in heard.told]
        told: list[Json] = [
            {"given": given, "kind": news.kind, "text": news.text, "call": news.call} for given, news in pairs
        ]
        return encode({"told": told, "closed": heard.closed, "failure": heard.failure})

    def _complete(self, params: Params) -> ResultText:
        client = self._client(params)
        talk, other = self._talk(params), params.get("other")
        if other is None:
            turn = client.complete(talk, self._endpoint(params), stream=bool(params.get("stream")))
        else:
            chunks = conversations.chunks(params.get("chunks"))
            turn = client.read_near(chunks, talk, self._other(other)) or _cannot("complete")
        self._note(client)
        return self._turn("complete", turn)

    def _run(self, params: Params) -> ResultText:
        agent = BoundAgent(self._instance(params), _provider(params), self._copies)
        execute = RemoteTools(self._ask)
        tools = tuple(AgentTool(tool, execute) for tool in conversations.tools(params.get("tools")))
        text = agent.run(
            str(params.get("task")),
            tools,
            self._endpoint(params),
            system=params.get("system"),
            stream=bool(params.get("stream")),
        )
        self._note(agent)
        return encode({"text": text}) if isinstance(text, str) else text

    def _other(self, other: Params) -> OtherStream:
        talk = conversations.conversation(other["conversation"], self._opaques.release)
        return OtherStream(other["near"], conversations.chunks(other["chunks"]), talk)

    def _client(self, params: Params) -> BoundClient:
        return BoundClient(self._instance(params), _provider(params), self._copies)

    def _translator(self, params: Params) -> BoundTranslator:
        return BoundTranslator(self._instance(params), _provider(params), self._copies)

    def _endpoint(self, params: Params) -> RemoteEndpoint:
        endpoint = params.get("endpoint")
        if not isinstance(endpoint, dict) or not isinstance(endpoint.get("url"), str):
            raise WrongFormError("/endpoint", "must be an object with a url")
        return RemoteEndpoint(_provider(params), endpoint["url"], self._ask)

    def _talk(self, params: Params) -> Any:
        """The conversation, made anew where the adapter changed the last one."""
        given = params.get("conversation")
        if given == AGAIN:
            given = self._given
        elif given is not None:
            self._given, self._conversation = given, None
        if given is not None and self._conversation is None:
            self._conversation = conversations.conversation(given, self._opaques.release)
        return None if given is None else self._conversation

    def _turn(self, operation: Operation, turn: AssistantTurn | OperationFailure) -> ResultText:
        if isinstance(turn, OperationFailure):
            return turn
        try:
            return writing.assistant_text(turn, self._opaques.keep)
        except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as problem:
            return OperationFailure(operation, "error", f"{operation} returned a turn that is no plain data: {problem}")

    def _note(self, bound: BoundTranslator | BoundClient | BoundAgent) -> None:
        self._changes = bound.changes or ()

    # --- between operations ------------------------------------------------------------------------------------------

    def _rest(self, params: Params) -> str:
        """Collect garbage, now that nothing is being played.

        Never meanwhile: what finalizers do to streams that a library left open may raise, or wait for a lock that the
        next model call holds (httpcore's pool: https://github.com/encode/httpcore/pull/1108), and a case would be
        blamed for what another left.
        """
        gc.collect()
        return "null"

    def _shutdown(self, params: Params) -> str:
        self.done = True
        return "null"


def _cannot(operation: Operation) -> OperationFailure:
    return OperationFailure(operation, "error", f"{operation} cannot be asked near another")


def _provider(params: Params) -> str:
    return str(params.get("provider"))


def serve(answer: Callable[[Mapping[str, Json]], bytes], channel: Channel, done: Callable[[], bool]) -> None:
    """Answer the requests that come, until ``done`` or the end of the input."""
    while not done() and (line := channel.read()):
        channel.answering = True
        channel.answer(_answer_of(answer, line))


def _answer_of(answer: Callable[[Mapping[str, Json]], bytes], line: bytes) -> bytes:
    """The line that answers a line, whatever stands in it. The harness writes only requests; others may try by hand."""
    try:
        message = decode_line(line)
    except ValueError as problem:
        return error_line(None, PARSE_ERROR, f"the line is not JSON: {problem}")
    if not isinstance(message, dict):
        return error_line(None, INVALID_REQUEST, "a request is an object")
    params = message.get("params")
    if params is not None and not isinstance(params, dict):
        return error_line(message.get("id"), INVALID_PARAMS, "params must be an object")
    return answer(message)


def _hear_adapter() -> None:
    """Have what the adapter prints heard with the case that it belongs to, and ``breakpoint()`` say where it works.

    A child has no terminal: a debugger would read the end of its input, and stop with an error that says nothing.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    if not os.environ.get("PYTHONBREAKPOINT"):
        sys.breakpointhook = _no_terminal


def _no_terminal(*given: object, **options: object) -> None:
    frame = sys._getframe(1)
    where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    words = "an adapter has no terminal here; pytest --pdb has one (docs/pytest.md)"
    sys.stderr.write(f"breakpoint() at {where}: {words}\n")


def main(arguments: list[str]) -> int:
    """Serve the adapter at the one address in ``arguments``. Does not return when there was one."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m conformance.adapters.stdio.serve ADDRESS\n")
        return 2
    faulthandler.register(STACKS, file=os.dup(2))
    gc.disable()  # see Server._rest; and what is being loaded is no garbage
    channel = Channel()
    _hear_adapter()
    network.watch.start()
    try:
        server = Server(find_adapter(arguments[0]), channel.ask)
    except Exception as problem:
        words = str(problem) if isinstance(problem, AdapterError) else failure("initialize", problem).message
        obstacle = problem.obstacle if isinstance(problem, AdapterError) else None
        sys.stderr.write(f"{words}\n")
        line = partial(error_line, code=ADAPTER_UNUSABLE, message=words, obstacle=obstacle)
        serve(lambda message: line(message.get("id")), channel, lambda: False)
        return 2
    gc.collect()
    gc.freeze()
    serve(server.answer, channel, lambda: server.done)
    return _exit(0)  # what the adapter left behind has had its time


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
