"""What other processes say to us: children over JSON-RPC, and workers over their pipe."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from fuzz_playing import Target
from seeds import exchanges, is_line

from conformance.adapters.addresses import find_adapter
from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.adapters.stdio import caller, faces, serve
from conformance.adapters.stdio.mishaps import OperationError, WrongFormError
from conformance.adapters.stdio.pipes import OutputEndedError, Pipes
from conformance.capabilities import Lack
from conformance.engine.messages import FORMS, GarbledError, message_of
from conformance.engine.report import CaseReport, Failure, RuleReport
from conformance.http import Request, Response
from conformance.model import Conversation, UserTurn
from conformance.obstacles import Obstacle


class Parrot:
    """A child that says the lines of an input, one for each request, through real pipes."""

    prints_stacks = False
    said = ""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines

    def ask(self, operation: str, line: bytes, until: float, seconds: float) -> bytes:
        said = os.memfd_create("line")
        ends = os.open(os.devnull, os.O_WRONLY), said, os.open(os.devnull, os.O_RDONLY)
        try:
            os.write(said, next(self._lines, b""))
            os.lseek(said, 0, os.SEEK_SET)
            return Pipes(*ends, lambda: True).ask(line, until)
        except OutputEndedError:
            raise OperationError("it ended") from None
        finally:
            for end in ends:
                os.close(end)

    def kill(self) -> None:
        """It is no process."""

    def shut_down(self, goodbye: bytes) -> None:
        """It is no process."""


TURN = {
    "type": "assistant", "text": "a", "stop": "tool_calls", "refusal": None, "opaque": {"x": 1},
    "calls": [{"id": "1", "name": "f", "arguments": {"a": 1}}, {"id": "2", "name": "g", "arguments_json": '{"a":1e3}'}],
    "usage": {"input_tokens": 1, "output_tokens": 2}, "error": {"message": "m", "status": 429, "retry_after": 1.5},
}  # fmt: skip
REQUEST = {"method": "POST", "url": "https://x/v1", "headers": {"a": "b"}, "body": {"base64": "e30="}}


def _hello(kind: str, **more: Any) -> Any:
    told = {"name": "n", "language": "l", "kind": kind, "version": "1", "providers": {"openai-chat": ["blocking"]}}
    return {"protocol": 1, "adapter": {**told, **more}}


def _conversations() -> list[bytes]:
    """What children answer: to initialize, to build_request, parse_response and parse_stream, or to run."""
    ours = _hello("translator", ours=True, tells=True)
    held = {**TURN, "opaque": {"held": 1, "shown": "x"}}
    news = {"told": [{"given": 1, "kind": "text", "text": "a", "call": 0}], "closed": True, "failure": ""}
    talks: list[list[Any]] = [
        [_hello("translator"), REQUEST, TURN, TURN, None], [ours, REQUEST, held, held, news],
        [_hello("client"), TURN], [_hello("agent"), {"text": "done"}],
    ]  # fmt: skip
    texts = [
        b"".join(
            json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n"
            for number, result in enumerate(talk, 1)
        )
        for talk in talks
    ]
    error = {"code": -32001, "message": "no", "data": {"detail": "d", "obstacle": {"kind": "unusable", "error": "e"}}}
    failed = json.dumps({"jsonrpc": "2.0", "id": 2, "error": error, "changes": [{"at": "/a", "before": 1}]}).encode()
    asks = json.dumps({"jsonrpc": "2.0", "id": "1", "method": "call_tool", "params": {"id": "1", "name": "f"}}).encode()
    first = texts[3].splitlines(keepends=True)
    return [*texts, texts[0].splitlines(keepends=True)[0] + failed + b"\n", first[0] + asks + b"\n" + first[1]]


class Nowhere:
    """An endpoint that nobody asks."""

    url, api_key = "http://127.0.0.1:1", "k"
    requests: Sequence[Any] = ()
    answered = False

    def answer(self, request: Request) -> Any:
        raise OSError("nobody is there")


def _read_conversation(data: bytes, folder: Path) -> None:
    parrot = Parrot(iter(data.splitlines(keepends=True)))
    with (
        mock.patch.object(caller, "ChildProcess", lambda *a, **k: parrot),
        mock.patch.object(caller, "Guard", mock.Mock),
    ):
        face = faces.introduced("stdio:x", ["x"], answer_seconds=5.0, start_seconds=5.0)
        talk, endpoint = Conversation((UserTurn("hi"),)), Nowhere()
        refused: list[Exception] = []
        operations: Mapping[type[Any], Sequence[Callable[[Any], Any]]] = {
            faces.StdioTranslator: (
                lambda it: it.build_request("openai-chat", talk, stream=False),
                lambda it: it.parse_response("openai-chat", Response(200, {}, b"{}"), conversation=talk),
                lambda it: it.parse_stream("openai-chat", [b"data: {}"], conversation=talk),
                lambda it: it.hear("openai-chat", [b"data: {}"], talk, []),
            ),
            faces.StdioClient: (lambda it: it.complete("openai-chat", talk, stream=False, endpoint=endpoint),),
            faces.StdioAgent: (
                lambda it: it.run("openai-chat", "t", [], endpoint=endpoint, system=None, stream=False),
            ),
        }  # fmt: skip
        for operation in operations[type(face)]:
            try:
                operation(face)
            except (OperationError, WrongFormError) as problem:
                refused.append(problem)
        face.close()
        assert all(is_line(str(problem)) for problem in refused), "a refusal is no line"


def _requests() -> list[bytes]:
    """What the harness asks our own child, line by line, as it does when it plays."""
    lines: list[bytes] = []

    class Listening(Parrot):
        def ask(self, operation: str, line: bytes, until: float, seconds: float) -> bytes:
            lines.append(line)
            return super().ask(operation, line, until, seconds)

    texts = _conversations()[1].splitlines(keepends=True)
    with (
        mock.patch.object(caller, "ChildProcess", lambda *a, **k: Listening(iter(texts))),
        mock.patch.object(caller, "Guard", mock.Mock),
    ):
        face: Any = faces.introduced("stdio:x", ["x"])
        talk = Conversation((UserTurn("hi"),), system="s")
        face.build_request("anthropic", talk, stream=True)
        face.parse_response("anthropic", Response(200, {"a": "b"}, exchanges("anthropic")[0][1]), conversation=talk)
        face.parse_stream("anthropic", [b"event: x\n", b"data: {}\n\n"], conversation=talk)
        face.close()
    return [b"".join(lines), *lines]


class Listener:
    """The child's end of the pipes, in memory."""

    answering = False

    def __init__(self, data: bytes) -> None:
        self._lines = iter(data.split(b"\n"))
        self.said: list[bytes] = []

    def read(self) -> bytes:
        """The next line that is not empty; empty at the end."""
        return next((line for line in self._lines if line), b"")

    def answer(self, line: bytes) -> None:
        """Keep an answer."""
        self.said.append(line)


@cache
def _served() -> Any:
    return find_adapter("reference")


def _read_requests(data: bytes, folder: Path) -> None:
    channel = Listener(data)
    server = serve.Server(_served(), lambda method, params: None)
    serve.serve(server.answer, channel, lambda: server.done)  # type: ignore[arg-type]
    asked = sum(bool(line) for line in data.split(b"\n"))
    assert server.done or len(channel.said) == asked, "a request without an answer"
    for line in channel.said:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        assert ("result" in message) != ("error" in message)



# --- the pipe between supervisor and worker ---------------------------------------------------------------------------



def _worker_messages() -> list[bytes]:
    """What workers say: each message as it goes through the pipe."""
    info = AdapterInfo("mine", {"openai-chat": {"blocking", "streaming"}}, "1", lacks={"strict": "x"})
    report = CaseReport("mine", "openai-chat", "shell.success", "blocking", evidence={"e": {"a": [1, None, "x"]}})
    report.rules = {"common.result.no-orphan": RuleReport("fail", 1, [Failure("/a", "x", None, "request", "e")], {"w"})}
    unplayed = CaseReport("mine", "gemini", "shell.success", "blocking", unsupported=Lack("responder", "words"))
    messages: Sequence[tuple[Any, ...]] = (
        ("loaded", info, "translator"), ("refused", "no", Obstacle("installation", "e")), ("refused", "no", None),
        ("loads",), ("begins", "blocking"), ("reports", report), ("reports", unplayed), ("broke", "blocking", "x"),
        ("finished",),
    )  # fmt: skip
    return [pickle.dumps(message) for message in messages]


def _read_message(data: bytes, folder: Path) -> None:
    message = message_of(data)
    assert message[0] in FORMS
    assert message_of(pickle.dumps(message))[0] == message[0]


TARGETS = (
    Target("stdio-harness", _conversations, _read_conversation, (AdapterError, OperationError),
           "what a child answers", 80),
    Target("stdio-child", _requests, _read_requests, (), "what our own child is asked", 40),
    Target("pipe", _worker_messages, _read_message, (GarbledError,), "what a worker says to its supervisor", 120),
)  # fmt: skip
