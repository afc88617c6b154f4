"""Clients and agents around the reference adapters, and some that misbehave. Each docstring tells the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx
import httpx2

from conformance import AdapterInfo, AssistantTurn, Conversation, Response
from conformance.adapters.contract import AgentTool
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.reference import ReferenceAdapter
from conformance.model import ResultsTurn, TextPart, Tool, ToolResult, UserTurn, compact_json
from conformance.wires import PROVIDERS, wire
from conformance.wires.unanswered import with_all_answered

CLAIMS = ReferenceAdapter().info.capabilities
"""What the reference adapters claim, by provider."""


class ByHttpx:
    """The reference adapters over an in-process transport of httpx."""

    library: Any = httpx

    def __init__(self) -> None:
        self.info = AdapterInfo(type(self).__name__, {name: CLAIMS[name] for name in PROVIDERS})

    def client(self, endpoint: Endpoint) -> tuple[Any, str]:
        """An HTTP client, and where it calls."""
        return self.library.Client(transport=endpoint.transport(self.library.__name__)), endpoint.base_url

    def complete(
        self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint
    ) -> AssistantTurn:
        """One model call."""
        speaker = wire(provider)
        request = speaker.build(with_all_answered(conversation), stream=stream)
        client, base = self.client(endpoint)
        place = urlsplit(request.url)
        url = urlsplit(base)._replace(path=place.path, query=place.query).geturl()
        with client.stream("POST", url, headers=dict(request.headers), content=request.body) as response:
            if stream and response.status_code == 200:
                return speaker.read_stream(response.iter_raw(), conversation)
            answer = Response(response.status_code, dict(response.headers), response.read())
            return speaker.read_response(answer, conversation)


class ByHttpx2(ByHttpx):
    """The same over httpx2."""

    library = httpx2


class OnLoopback(ByHttpx):
    """The same over a real socket."""

    def client(self, endpoint: Endpoint) -> tuple[Any, str]:
        """A client without a certificate store, which takes long to load and is not needed."""
        return httpx.Client(verify=False), endpoint.url


class NeverCalls(ByHttpx):
    """Answers out of its own head."""

    def complete(self, *_: Any, **__: Any) -> AssistantTurn:
        return AssistantTurn("I know that by heart.")


class CallsTwice(ByHttpx):
    """Looks at the list of models first, and then asks everything twice."""

    def complete(self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint) -> AssistantTurn:
        client, base = self.client(endpoint)
        assert client.get(f"{base}/models").status_code == 404
        super().complete(provider, conversation, stream=stream, endpoint=endpoint)
        return super().complete(provider, conversation, stream=stream, endpoint=endpoint)


class NeverStreams(ByHttpx):
    """Asks for a complete response, whatever it was told."""

    def complete(self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint) -> AssistantTurn:
        return super().complete(provider, conversation, stream=False, endpoint=endpoint)


class RaisesBefore(ByHttpx):
    """Fails before it sends anything."""

    def complete(self, *_: Any, **__: Any) -> AssistantTurn:
        raise ValueError("no such model")


class RaisesAfter(ByHttpx):
    """Fails on what it gets."""

    def complete(self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint) -> AssistantTurn:
        super().complete(provider, conversation, stream=stream, endpoint=endpoint)
        raise ValueError("cannot read this")


class HidesLoss(ByHttpx):
    """Takes a connection that was lost for a stream that is over, and every stream for a finished answer."""

    def complete(self, provider: str, conversation: Conversation, *, stream: bool, endpoint: Endpoint) -> AssistantTurn:
        try:
            turn = super().complete(provider, conversation, stream=stream, endpoint=endpoint)
        except httpx.TransportError:
            return AssistantTurn("That is all.", stop="end")
        return replace(turn, stop="end")


class HidesLossOnLoopback(HidesLoss, OnLoopback):
    """The same over a real socket."""


# --- agents ----------------------------------------------------------------------------------------------------------


class Loop:
    """A tool loop around the reference client."""

    def __init__(self) -> None:
        self.info = AdapterInfo(type(self).__name__, {name: CLAIMS[name] for name in PROVIDERS})
        self._client = ByHttpx()

    def results(self, turn: AssistantTurn, tools: Sequence[AgentTool]) -> list[ToolResult]:
        """Run all calls."""
        by_name = {tool.tool.name: tool for tool in tools}
        made = [(call, by_name[call.name](call.arguments or {})) for call in turn.calls if call.name in by_name]
        found = [ToolResult(call.id, call.name, result.content, result.is_error) for call, result in made]
        missing = (call for call in turn.calls if call.name not in by_name)
        return [*found, *(ToolResult(call.id, call.name, self.told(call.name), is_error=True) for call in missing)]

    def told(self, name: str) -> tuple[TextPart, ...]:
        """What the model is told of a tool that it made up."""
        return (TextPart(f"There is no tool {name}."),)

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
        """Do the task."""
        conversation = Conversation((UserTurn(task),), tuple(tool.tool for tool in tools), system=system)
        return self.goes_on(provider, conversation, tools, endpoint=endpoint, stream=stream)

    def goes_on(
        self, provider: str, conversation: Conversation, tools: Sequence[AgentTool], *, endpoint: Endpoint, stream: bool
    ) -> str:
        """Go on with a conversation, to its end."""
        for _ in range(10):
            turn = self._client.complete(provider, conversation, stream=stream, endpoint=endpoint)
            if not turn.calls:
                return turn.text
            conversation = conversation.then(turn, ResultsTurn(tuple(self.results(turn, tools))))
        raise RuntimeError("no end")


class RunsOnlyTheFirst(Loop):
    """Runs the first of parallel calls, and answers that one alone."""

    def results(self, turn: AssistantTurn, tools: Sequence[AgentTool]) -> list[ToolResult]:
        return super().results(AssistantTurn(calls=turn.calls[:1]), tools)


class ForgetsArguments(Loop):
    """Runs every tool without arguments."""

    def results(self, turn: AssistantTurn, tools: Sequence[AgentTool]) -> list[ToolResult]:
        return [ToolResult(call.id, call.name, tools[0].execute(call.name, {}).content) for call in turn.calls]


class SkipsWhatIsNotThere(Loop):
    """Answers the calls of tools that are there."""

    def results(self, turn: AssistantTurn, tools: Sequence[AgentTool]) -> list[ToolResult]:
        names = {tool.tool.name for tool in tools}
        return [result for result in super().results(turn, tools) if result.name in names]


class SaysNothingOfWhatIsNotThere(Loop):
    """Answers the call of a tool that is not there by nothing."""

    def told(self, name: str) -> tuple[TextPart, ...]:
        return ()


class RaisesWhereNothingIsThere(Loop):
    """Does not know what to do with a tool that is not there."""

    def told(self, name: str) -> tuple[TextPart, ...]:
        raise LookupError(name)


class SaysSomethingElse(Loop):
    """Does everything, and then reports something else."""

    def run(self, *arguments: Any, **options: Any) -> str:
        super().run(*arguments, **options)
        return "Done, I think."


class NeverBegins(Loop):
    """Does nothing."""

    def run(self, *_: Any, **__: Any) -> str:
        return "Done."


# --- two agents ------------------------------------------------------------------------------------------------------

COLLEAGUE = Tool(
    "ask_colleague", "Ask a colleague.", {"properties": {"question": {"type": "string"}}, "required": ["question"]}
)


class AsksAnother(Loop):
    """Has no tool but an agent, which has the tools."""

    def passes_on(self, question: str) -> str:
        """What the other agent is told."""
        return question

    def hands_back(self, answer: str) -> str:
        """What is made of its answer."""
        return answer

    def run(self, provider: str, task: str, tools: Sequence[AgentTool], **options: Any) -> str:
        def ask(name: str, arguments: Mapping[str, Any]) -> ToolResult:
            answer = super(AsksAnother, self).run(provider, self.passes_on(arguments["question"]), tools, **options)
            return ToolResult("", name, (TextPart(self.hands_back(answer)),))

        return super().run(provider, task, [AgentTool(COLLEAGUE, ask)], **{**options, "system": None})


class PassesOnSomethingElse(AsksAnother):
    """Tells the other agent something else."""

    def passes_on(self, question: str) -> str:
        return "Do what you can."


class QuotesTheAnswer(AsksAnother):
    """Puts the other agent's answer into quotes once more."""

    def hands_back(self, answer: str) -> str:
        return compact_json(answer)


class HandsOver(Loop):
    """Hands the conversation over to an agent that has the tools."""

    def kept(self, turns: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the other agent gets of the conversation."""
        return turns

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
        first = Conversation((UserTurn(task),), (Tool("transfer_to_colleague", "Hand over."),))
        turn = self._client.complete(provider, first, stream=stream, endpoint=endpoint)
        told = tuple(ToolResult(call.id, call.name, (TextPart("Over to you."),)) for call in turn.calls)
        turns = self.kept((UserTurn(task), turn, ResultsTurn(told)))
        conversation = Conversation(turns, tuple(tool.tool for tool in tools), system=system)
        return self.goes_on(provider, conversation, tools, endpoint=endpoint, stream=stream)


class HandsOverTheTaskAlone(HandsOver):
    """Forgets that it handed over."""

    def kept(self, turns: tuple[Any, ...]) -> tuple[Any, ...]:
        return turns[:1]
