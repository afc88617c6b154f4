"""An answer on its way to whoever asked, to be changed: in place, or said anew by the format's own wire."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from conformance.answers import Answer, answer_of_response, answer_of_stream, script_of, thinking_in
from conformance.http import CONTENT_TYPES, Framing, FramingError, Request, Response, StreamEvent, frame
from conformance.model import AssistantTurn, Json, compact_json, decoded_json
from conformance.script import ScriptError, ScriptTurn, Voice
from conformance.wires import card, wire
from conformance.wires.answer_layout import AnswerLayout
from conformance.wires.base import stream_headers
from conformance.wires.facts import Facts, obj


@dataclass(frozen=True, slots=True)
class PacedAnswer:
    """An answer whose body goes out in pieces, each some seconds after the one before."""

    response: Response
    pieces: tuple[tuple[float, bytes], ...]


@dataclass
class SaidAnswer:
    """One answer. ``response`` is what goes out; ``pieces`` say when, where that matters."""

    provider: str
    request: Request
    response: Response
    pieces: list[tuple[float, bytes]] = field(default_factory=list)

    @cached_property
    def facts(self) -> Facts:
        """What was asked."""
        return wire(self.provider).facts(self.request)

    @property
    def framing(self) -> Framing:
        """How a stream that was asked for so is framed."""
        return card(self.provider).framing(self.request.query)

    @property
    def form(self) -> AnswerLayout | None:
        """What answers of the format have."""
        return card(self.provider).answer

    @property
    def failed(self) -> bool:
        """Whether it is an error by its status."""
        return self.response.status >= 400

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream that goes well."""
        kind = (self.response.header("content-type") or "").partition(";")[0].strip()
        return not self.failed and self.facts.stream and kind == CONTENT_TYPES[self.framing].partition(";")[0]

    @property
    def answer(self) -> Answer:
        """The answer, read by its wire."""
        speaker = wire(self.provider)
        if self.is_stream:
            return answer_of_stream(speaker, [self.response.body])
        return answer_of_response(speaker, self.response)

    def events(self) -> list[StreamEvent]:
        """The events of the stream; none where its framing is broken."""
        try:
            return list(wire(self.provider).events([self.response.body]))
        except FramingError:
            return []

    def stream(self, events: list[StreamEvent]) -> None:
        """Send these events instead."""
        self.body(b"".join(frame(events, self.framing)))

    def body(self, body: bytes, status: int | None = None, kind: str | None = None) -> None:
        """Send these bytes instead; with another status or content type where they are given."""
        headers = {name.lower(): value for name, value in self.response.headers.items()}
        if kind is not None:
            headers["content-type"] = kind
        self.response = Response(status or self.response.status, headers, body)

    def each(self, edit: Callable[[Any], Any]) -> None:
        """Edit the body, or each event that is JSON. An edit that returns ``False`` drops the event."""
        if self.failed:
            return
        if not self.is_stream:
            document = decoded_json(self.response.body)
            if isinstance(document, dict) and edit(document) is not False:
                self.body(_bytes(document))
            return
        kept = []
        for event in self.events():
            document = json.loads(event.data) if event.is_json else None
            if isinstance(document, dict):
                if edit(document) is False:
                    continue
                event = StreamEvent(compact_json(document), event.event) if document != event.document else event
            kept.append(event)
        self.stream(kept)

    def turn(self, change: Callable[[AssistantTurn], AssistantTurn]) -> None:
        """Change what the model said, and say all of it anew. Failures stay as they are."""
        if self.failed:
            return
        answer = self.answer
        if answer.offered.error is not None:
            return
        changed = change(answer.offered)
        if changed != answer.offered:
            self.say(script_of(changed, thinking_in(answer.body)))

    @property
    def script(self) -> ScriptTurn:
        """What it says, as a turn to say."""
        answer = self.answer
        return script_of(answer.offered, thinking_in(answer.body))

    def say(self, says: ScriptTurn, *, stream: bool | None = None) -> None:
        """Say this instead, as the format's own wire says it."""
        speaker, voice = wire(self.provider), self.voice
        if self.is_stream if stream is None else stream:
            events = speaker.render_stream(says, voice)
            self.body(b"".join(frame(events, self.framing)), 200, stream_headers(self.framing)["content-type"])
        else:
            self.body(speaker.respond(says, voice).body, 200, "application/json")

    def fail(self, error: ScriptError) -> None:
        """Fail, as the format's provider does."""
        self.response = wire(self.provider).render_error(error)

    @property
    def voice(self) -> Voice:
        """The model's name, and what new ids are made of."""
        model = self.facts.document.get("model") if isinstance(self.facts.document, dict) else None
        return Voice(str(model or "model"), {}, sha256(self.response.body).hexdigest())

    def word(self, says: ScriptTurn) -> Json:
        """The word with which the format ends such a turn, where it has one."""
        found: Json = wire(self.provider).render(says, self.voice)
        for part in self.form.finish.split("/")[1:] if self.form is not None else ():
            found = found[int(part)] if isinstance(found, list) else obj(found).get(part)
        return found

    def done(self) -> Response | PacedAnswer:
        """What goes out."""
        return PacedAnswer(self.response, tuple(self.pieces)) if self.pieces else self.response


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a value, the outermost first."""
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(one)


def _bytes(document: Json) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
