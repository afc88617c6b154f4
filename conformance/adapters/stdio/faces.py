"""A child as an adapter: the same operations as in-process, each a request to the child."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Self, TypeVar

from conformance.adapters.beside import Near, OtherStream
from conformance.adapters.contract import AdapterError, AdapterInfo, AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.given import DistantAdapter
from conformance.adapters.listening import heard_of_client
from conformance.adapters.nearby import both_at_once
from conformance.adapters.stdio import reading, writing
from conformance.adapters.stdio.asked import answers
from conformance.adapters.stdio.caller import Caller, RequestHandler
from conformance.adapters.stdio.child import ChildProcess
from conformance.adapters.stdio.messages import wrong_result
from conformance.adapters.stdio.mishaps import OperationError, RefusalError, UnusableError, WrongFormError
from conformance.adapters.stdio.reading import MessageForm, RequestForm, TurnForm, formed
from conformance.adapters.stdio.streaming import FedStreams, told_by
from conformance.adapters.stdio.text import encode
from conformance.adapters.stdio.writing import FLAGS, ConversationWriter
from conformance.adapters.telling import Due, HeardNews, NewsReport
from conformance.http import Request, Response
from conformance.model import AssistantTurn, Conversation, Json, News, NewsKind
from conformance.outcomes import InputChange, Operation

if TYPE_CHECKING:
    from conformance.adapters.functions import Functions

F = TypeVar("F")


def open_adapter(address: str) -> Face:
    """The adapter at ``stdio:COMMAND``. The command is split as a shell would, and run without one.

    Raises `AdapterError` with one line that says what is wrong.
    """
    if os.name != "posix":
        raise AdapterError("stdio: adapters need a POSIX system")
    try:
        command = shlex.split(address.removeprefix("stdio:"))
    except ValueError as problem:
        raise AdapterError(f"{address}: {problem}") from None
    if not command:
        raise AdapterError(f"{address}: write stdio:COMMAND, such as 'stdio:node dist/main.js'")
    return introduced(address, command)


def introduced(name: str, command: Sequence[str], **patience: Any) -> Face:
    """The adapter that ``command`` introduces itself as. ``patience`` goes to `Caller`. Raises `AdapterError`."""
    try:
        caller = Caller(command, **patience)
    except UnusableError as problem:
        raise AdapterError(str(problem), problem.obstacle) from None
    except OperationError as problem:
        said = line_of_error(problem.output)
        raise AdapterError(f"{name}: {problem}{f'; it printed: {said}' if said else ''}") from None
    except AdapterError as problem:
        raise AdapterError(f"{name}: {problem}") from None
    try:
        return _face(caller)
    except (AdapterError, WrongFormError) as problem:
        caller.close()
        raise AdapterError(f"{name}: what it answers to initialize is wrong: {problem}") from None


_ERROR = re.compile(r"\s*(Uncaught |Unhandled )?[\w.]*(Error|Exception|exception)\b")


def line_of_error(output: str) -> str:
    """The line that says most of what a program printed before it ended: the last one that names an error. A runtime
    may print its stack and its version after it."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.match(line)]
    return (errors or lines or [""])[-1]


MAX_INFO = 500
"""How long what an adapter says of itself may be: it stands in each result many times."""


class _Info(MessageForm):
    name: str
    language: str
    kind: str
    providers: dict[str, Any]
    version: str | None = None
    homepage: str | None = None
    issues: str | None = None
    ours: bool | None = None
    streams: bool | None = None
    tells: bool | None = None
    ways: list[Near] | None = None
    lacks: dict[str, str] | None = None
    functions: dict[str, list[str]] | None = None


class _Hello(MessageForm):
    protocol: int
    adapter: _Info


def _face(caller: Caller) -> Face:
    said = formed(caller.hello, _Hello).adapter
    for provider, names in said.providers.items():
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise WrongFormError(f"/adapter/providers/{provider}", "must be a list of capabilities")
    for name in ("name", "version", "language", "homepage", "issues"):
        if len(getattr(said, name) or "") > MAX_INFO:
            raise WrongFormError(f"/adapter/{name}", f"is longer than {MAX_INFO} characters")
    if said.kind not in _FACES:
        raise WrongFormError("/adapter/kind", f"must be {', '.join(_FACES)}, found {said.kind!r}")
    info = AdapterInfo(
        said.name, said.providers, said.version or "0", said.language, said.homepage, said.issues, said.lacks or {}
    )
    if said.ours:
        caller.expect_stacks()
    ways = tuple(way for way in said.ways or () if said.ours or way == "beside")
    line = _Line(caller, bool(said.ours), bool(said.streams), bool(said.tells), ways, said.functions or {})
    return _FACES[said.kind](info, line)


class _Said(MessageForm):
    text: str


class _News(MessageForm):
    given: int
    kind: NewsKind
    text: str
    call: int


class _Told(MessageForm):
    told: list[_News]
    closed: bool | None
    failure: str


@dataclass
class _Line:
    """The line to a child, shared by all instances of its adapter."""

    caller: Caller
    ours: bool
    """Whether the child is our own (`conformance.adapters.stdio.serve`), which can do more than the protocol asks."""
    streams: bool = False
    """Whether another child can be fed a stream chunk by chunk."""
    tells: bool = False
    """Whether the adapter tells news while a stream is open."""
    ways: tuple[Near, ...] = ()
    """In which ways a client makes two calls near each other."""
    functions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By provider the functions that there are, where the child has nothing else."""
    writer: ConversationWriter = field(default_factory=ConversationWriter)
    instances: Iterator[int] = field(default_factory=count)
    sent: tuple[ChildProcess | None, Conversation | None] = (None, None)
    """The conversation that went last, and to whom."""


class Face(DistantAdapter):
    """What all kinds share. ``info`` is what the child said about itself."""

    def __init__(self, info: AdapterInfo, line: _Line) -> None:
        self.info = info
        self.caller = line.caller
        self._line = line
        self._more = f',"instance":{next(line.instances)}' if line.ours else ""
        self._operation: Operation = "run"

    def instance(self) -> Self:
        """The adapter for another case: where it is given by a class, our own child makes a new object of that."""
        return type(self)(self.info, self._line) if self._line.ours else self

    def close(self) -> None:
        """End the child."""
        self.caller.close()

    def rest(self) -> None:
        """Let our own child collect its garbage: nothing is being played. Raises `OperationError`."""
        if self._line.ours and self.caller.child is not None:
            self.caller.call("rest", "{}", Any)

    def changes(self) -> tuple[InputChange, ...] | None:
        """What the last operation changed of that which it was given. Only our own child says it."""
        if not self._line.ours:
            return None
        return tuple([InputChange(self._operation, item.at, item.before, item.after) for item in self.caller.changes])

    def _conversation(self, conversation: Conversation | None) -> str:
        """A conversation as JSON text. It mostly comes twice: to build the request, and to read the answer."""
        if conversation is None:
            return "null"
        line, child = self._line, self.caller.child
        said_before = child is not None and line.sent[0] is child and line.sent[1] is conversation
        if line.ours and said_before and not self.caller.taped:
            return '"again"'
        line.sent = child, conversation
        return line.writer.conversation(conversation)

    @property
    def reads_near(self) -> bool:  # type: ignore[override]
        return self._line.ours

    def hear(
        self, provider: str, chunks: Sequence[bytes], conversation: Conversation, due: Sequence[Due]
    ) -> NewsReport | None:
        if not self._line.tells or not self._line.ours:
            return None
        said, talk = writing.cut_text(chunks), self._conversation(conversation)
        params = f'"provider":"{provider}","chunks":{said},"conversation":{talk},"due":{encode(due)}'
        form = self._call("stream_news", params, _Told)
        told = tuple(HeardNews(one.given, News(one.kind, one.text, one.call)) for one in form.told)
        return NewsReport(told, form.closed, form.failure)

    def _other(self, other: OtherStream) -> str:
        said, talk = writing.cut_text(other.chunks), self._line.writer.conversation(other.conversation)
        return f'{{"near":"{other.near}","chunks":{said},"conversation":{talk}}}'

    def _call(self, method: Operation, params: str, form: type[F], answer: RequestHandler | None = None) -> F:
        self._operation = method
        try:
            return self.caller.call(method, f"{{{params}{self._more}}}", form, answer)
        except OperationError:
            self._line.sent = None, None  # who knows whether it was taken
            raise

    def _turn(self, operation: Operation, params: str, answer: RequestHandler | None = None) -> AssistantTurn:
        return self._read(operation, self._call(operation, params, TurnForm, answer))

    def _read(self, operation: Operation, form: TurnForm) -> AssistantTurn:
        try:
            turn = reading.assistant(form)
            return reading.held(turn) if self._line.ours else turn
        except WrongFormError as problem:
            raise wrong_result(operation, problem) from None


class StdioTranslator(Face):
    """A translator in a child."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        params = f'"provider":"{provider}","conversation":{self._conversation(conversation)},"stream":{FLAGS[stream]}'
        return reading.request(self._call("build_request", params, RequestForm))

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        said, talk = writing.response_text(response), self._conversation(conversation)
        return self._turn("parse_response", f'"provider":"{provider}","response":{said},"conversation":{talk}')

    def parse_stream(
        self,
        provider: str,
        chunks: Iterable[bytes],
        *,
        conversation: Conversation | None = None,
        other: OtherStream | None = None,
    ) -> AssistantTurn:
        talk = self._conversation(conversation)
        if other is not None and not self._line.ours:
            others = self._line.writer.conversation(other.conversation)
            return self._read("parse_stream", self._fed(provider).read_near(list(chunks), talk, other, others))
        said = writing.cut_text(list(chunks)) if self._line.ours else writing.chunks_text(chunks)
        more = "" if other is None else f',"other":{self._other(other)}'
        return self._turn("parse_stream", f'"provider":"{provider}","chunks":{said},"conversation":{talk}{more}')


    @property
    def reads_near(self) -> bool:  # type: ignore[override]
        return self._line.ours or self._line.streams

    def hear(
        self, provider: str, chunks: Sequence[bytes], conversation: Conversation, due: Sequence[Due]
    ) -> NewsReport | None:
        line = self._line
        if line.ours or not (line.streams and line.tells):
            return super().hear(provider, chunks, conversation, due)
        return self._fed(provider).heard(chunks, self._conversation(conversation))

    def _fed(self, provider: str) -> FedStreams:
        return FedStreams(lambda method, params, form: self.caller.call(method, f"{{{params}}}", form), provider)


class StdioClient(Face):
    """A client in a child. It makes its model call over HTTP, on loopback; our own child asks for it by message too."""

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        """The turn that the client makes of one model call at ``endpoint``."""
        params = (
            f'"provider":"{provider}","conversation":{self._conversation(conversation)},'
            f'"stream":{FLAGS[stream]},"endpoint":{_endpoint(endpoint)}'
        )
        return self._turn("complete", params, answers(endpoint) if self._line.ours else None)

    @property
    def ways(self) -> Sequence[Near]:  # type: ignore[override]
        return self._line.ways

    def complete_near(
        self, provider: str, conversation: Conversation, *, chunks: Sequence[bytes], other: OtherStream
    ) -> AssistantTurn:
        talk = f'"provider":"{provider}","conversation":{self._conversation(conversation)}'
        if self._line.ours:
            params = f'{talk},"chunks":{writing.cut_text(chunks)},"other":{self._other(other)}'
            return self._turn("complete", params)

        def both(endpoint: Endpoint) -> AssistantTurn:
            others = self._line.writer.conversation(other.conversation)
            params = f'{talk},"stream":true,"endpoint":{_endpoint(endpoint)},"other":{{"conversation":{others}}}'
            return self._turn("complete", params)

        return both_at_once(both, provider, chunks, other)

    def hear(
        self, provider: str, chunks: Sequence[bytes], conversation: Conversation, due: Sequence[Due]
    ) -> NewsReport | None:
        if self._line.ours or not self._line.tells:
            return super().hear(provider, chunks, conversation, due)
        talk = self._conversation(conversation)

        def tell(endpoint: Endpoint) -> Iterator[News]:
            params = f'"provider":"{provider}","conversation":{talk},"endpoint":{_endpoint(endpoint)}'
            return told_by(lambda answer: self._call("stream_news", params, Any, answer))

        return heard_of_client(tell, provider, chunks, due)


class StdioAgent(Face):
    """An agent in a child. It makes its model calls as a client does, and asks us to run its tools."""

    def run(
        self,
        provider: str,
        task: str,
        tools: Sequence[AgentTool],
        *,
        endpoint: Endpoint,
        system: str | None,
        stream: bool,
    ) -> str:
        """What the agent says at the end."""
        declared = self._line.writer.tools(tuple(tool.tool for tool in tools))
        params = (
            f'"provider":"{provider}","task":{encode(task)},"tools":{declared},"system":{encode(system)},'
            f'"stream":{FLAGS[stream]},"endpoint":{_endpoint(endpoint)}'
        )
        answer = answers(endpoint if self._line.ours else None, {tool.tool.name: tool for tool in tools})
        return self._call("run", params, _Said, answer).text


class StdioFunctions(StdioTranslator):
    """Functions in a child: what they do not do is done here, as `conformance.from_functions` does it."""

    def __init__(self, info: AdapterInfo, line: _Line) -> None:
        from conformance.adapters.functions import FunctionsAdapter

        super().__init__(info, line)
        made = {provider: self._functions(provider, names) for provider, names in line.functions.items()}
        if missing := sorted(info.capabilities.keys() - made.keys()):
            raise WrongFormError("/adapter/functions", f"has none for {', '.join(missing)}")
        self._made = FunctionsAdapter(info, made)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        with _returned("build_tool_results"):
            return self._made.build_request(provider, conversation, stream=stream)

    def parse_response(
        self, provider: str, response: Response, *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        with _returned("parse_tool_calls"):
            return self._made.parse_response(provider, response, conversation=conversation)

    def parse_stream(
        self,
        provider: str,
        chunks: Iterable[bytes],
        *,
        conversation: Conversation | None = None,
        other: OtherStream | None = None,
    ) -> AssistantTurn:
        with _returned("read_stream"):
            return self._made.parse_stream(provider, chunks, conversation=conversation)

    def _functions(self, provider: str, names: Sequence[str]) -> Functions:
        from conformance.adapters.functions import Functions

        if unknown := sorted({*names} - FUNCTIONS.keys()):
            raise WrongFormError(f"/adapter/functions/{provider}", f"{unknown[0]} is none of {', '.join(FUNCTIONS)}")
        if missing := sorted(name for name, needed in FUNCTIONS.items() if needed and name not in names):
            raise WrongFormError(f"/adapter/functions/{provider}", f"needs {missing[0]}")
        return Functions(**{name: self._function(provider, name) for name in names})

    def _function(self, provider: str, name: str) -> Any:
        def apply(*arguments: Json) -> Json:
            given = f'"provider":"{provider}","function":"{name}","arguments_json":{encode(encode(list(arguments)))}'
            return self.caller.call("apply", f"{{{given}}}", _Applied).value

        return apply


FUNCTIONS = {"parse_tool_calls": True, "build_tool_results": True, "convert_tools": False, "read_stream": False}
"""The functions that a child may have, and whether it must."""


class _Applied(MessageForm):
    value: Any


@contextlib.contextmanager
def _returned(function: str) -> Iterator[None]:
    """What a function returns may have a wrong form. Raises `OperationError`."""
    try:
        yield
    except (TypeError, KeyError, AttributeError, ValueError) as problem:
        what = f"{problem} is missing" if isinstance(problem, KeyError) else str(problem)
        raise RefusalError(f"{function} returned a wrong value: {what}") from None


_FACES: Mapping[str, type[Face]] = {
    "translator": StdioTranslator,
    "functions": StdioFunctions,
    "client": StdioClient,
    "agent": StdioAgent,
}


def _endpoint(endpoint: Endpoint) -> str:
    return encode({"url": endpoint.url, "api_key": endpoint.api_key})
