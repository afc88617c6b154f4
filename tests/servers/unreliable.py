"""A model that does what it is asked, but for a part of its answers that is set: real HTTP, in any format."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import Response
from starlette.routing import Route

from conformance.arguments import arguments_for, invalid_arguments
from conformance.http import Request, frame
from conformance.script import ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.server.running import ServerThread, open_socket
from conformance.wires import wire
from conformance.wires.base import stream_headers
from conformance.wires.facts import Facts, SentTool

WORDS = ScriptTurn(text="Hello.")


@dataclass
class UnreliableModel:
    """For each measure it does the wrong thing with a chance that is set; ``malformed`` is the chance of arguments that
    are no JSON, which is no choice but a wrong form."""

    provider: str
    rates: Mapping[str, float]
    malformed: float = 0.0
    dice: random.Random = field(default_factory=lambda: random.Random(11))
    answered: int = 0

    def fails(self, measure: str) -> bool:
        """Whether it does the wrong thing this time."""
        return self.dice.random() < self.rates.get(measure, 0.0)

    def turn(self, facts: Facts) -> ScriptTurn:
        """What it says to a request."""
        tools, mode = facts.functions, facts.choice.mode if facts.choice is not None else "auto"
        if not tools:
            return WORDS
        if facts.parallel is False:
            return self.calling(*tools[: 2 if self.fails("one-at-most") else 1])
        if mode == "tool":
            is_it = not self.fails("named-kept")
            named = [tool for tool in tools if facts.choice is not None and (tool.name == facts.choice.name) is is_it]
            return self.calling(named[0]) if named else WORDS
        if mode == "none":
            return self.calling(tools[0]) if self.fails("none-kept") else WORDS
        if mode == "auto" and "hello" in str(facts.messages[-1].texts).lower():
            return self.calling(tools[0]) if self.fails("text-when-not-asked") else WORDS
        measure = "required-kept" if mode == "required" else "calls-when-asked"
        return WORDS if self.fails(measure) else self.calling(tools[0])

    def calling(self, *tools: SentTool) -> ScriptTurn:
        """Calls of tools that there are, with arguments that are valid, but for the part that is set."""
        return ScriptTurn(calls=tuple(map(self._call, tools)))

    def _call(self, tool: SentTool) -> ScriptCall:
        name = "made_up_tool" if self.fails("names-declared") else str(tool.name)
        wrong = self.fails("arguments-valid")
        arguments = dict(invalid_arguments(tool.schema) if wrong else arguments_for(tool.schema, "minimal"))
        return ScriptCall(name, arguments, "{'path': 'a'" if self.dice.random() < self.malformed else None)

    async def answer(self, asked: Asked) -> Response:
        """Answer a request over HTTP."""
        speaker = wire(self.provider)
        request = Request("POST", str(asked.url), dict(asked.headers), await asked.body())
        facts = speaker.facts(request)
        if not isinstance(facts.document, dict) or not facts.messages:
            refused = speaker.render_error(ScriptError("invalid_request", "there is no conversation"))
            return Response(refused.body, refused.status, dict(refused.headers))
        self.answered += 1
        voice, turn = Voice("made", {}, f"unreliable-{self.answered}"), self.turn(facts)
        if facts.stream:
            framing = speaker.card.framings[0]
            body = b"".join(frame(speaker.render_stream(turn, voice), framing))
            return Response(body, 200, stream_headers(framing))
        given = speaker.respond(turn, voice)
        return Response(given.body, given.status, dict(given.headers))


@contextlib.contextmanager
def unreliable(model: UnreliableModel) -> Iterator[str]:
    """The origin of a server with such a model."""
    routes = [Route("/{path:path}", model.answer, methods=["POST"])]
    thread = ServerThread(Starlette(routes=routes), open_socket("127.0.0.1", 0), 20.0)
    try:
        yield thread.origin
    finally:
        thread.stop(5.0)
