"""What a scenario tells the provider to say: turns, faults and quirks. Data only; wires render it.

A scenario is neutral, so a script names tools by the application's names and leaves ids to the wire, unless the id is
what the scenario is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conformance.model import Json, Stop, Usage

QUIRKS: Mapping[str, str] = {
    "missing_ids": "calls carry no id at all",
    "empty_ids": "calls carry the id \"\"",
    "repeated_id": "all calls of the turn carry the same id",
    "id_repeated_in_deltas": "every later fragment of a call repeats its id and name",
    "id_emptied_in_deltas": "later fragments of a call carry id \"\" and name null",
    "missing_index": "stream deltas of calls carry no index",
    "index_zero": "all calls stream under index 0",
    "interleaved": "the argument fragments of parallel calls alternate",
    "empty_choices": "a chunk with choices: [] comes first, and the usage chunk last",
    "finish_stop": "the provider says 'stop' although calls are pending",
    "no_finish": "no chunk carries a finish reason, the stream just ends with its marker",
    "arguments_empty": "a call without arguments carries the text \"\"",
    "arguments_null": "a call without arguments carries null",
    "arguments_missing": "a call without arguments has no arguments field",
    "content_missing": "a message with calls has no content field",
    "thinking_parts": "a text is a list of parts, thinking first",
    "content_empty": "a message with calls has content \"\"",
    "unknown_fields": "unknown fields, events and elements everywhere the provider may add them",
    "usage_only_at_end": "usage arrives in a chunk of its own after the finish reason",
    "no_deltas": "the stream carries only the final form of each call, without deltas; in Responses of thinking, too",
    "output_empty_at_end": "the last event's own output list is empty although items were streamed",
    "split_escapes": "argument fragments are cut inside escapes, numbers and surrogate pairs",
    "empty_deltas": "empty argument fragments come between the others",
    "fragments_together": "the first two fragments of a call come in one chunk, one after the other",
    "integral_floats": "whole numbers arrive as 5.0",
    "calls_in_many_chunks": "each call comes in a chunk of its own, before the last one",
    "calls_before_text": "the calls come before the text",
    "arguments_object": "arguments arrive as an object where the format says string, or the other way round",
    "null_id_text": "calls carry the id \"null\", as one server's default does",
    "legacy_function_call": "a call comes in the field function_call, as before tool_calls, and without an id",
    "signed_calls": "calls carry the thought signature that Gemini's compatible endpoint adds",
    "no_sequence_numbers": "stream events carry no sequence number",
    "call_with_role": "the chunk with the role begins the first call, too",
    "role_in_deltas": "every delta says the role, the first one with words beside it",
    "text_beside_calls": "the last words come in the delta that begins the first call",
    "nulls_in_deltas": "deltas hold null for the role, the text, calls, names, ids and arguments that they do not say",
    "choice_without_delta": "after the finish reason comes what a filter found, in a choice without a delta",
    "calls_at_the_end": "the calls come in the event that ends the stream",
    "changing_ids": "an item has another id in each kind of its events",
    "whole_deltas": "each text, and the arguments of each call, come in one delta: in Chat Completions with its name",
    "sparse_answers": "members that answers need not have are absent, as in older versions of the API",
    "arguments_in_pieces": "the arguments of a call come value by value, each with its path",
    "redacted_thinking": "a part of the thinking comes encrypted, for nobody but the provider",
    "error_in_array": "an HTTP error stands in an array of one",
    "wait_in_body": "an HTTP error says how long to wait in its body, and in no header",
    "hosted_items": "the provider's own tools ran code, read files and asked servers beside what the model says",
    "logprobs": "the probability of each token of a text comes with it",
    "logprobs_in_lumps": "the probabilities come with no empty list before them, and for several tokens at once",
    "counts_grow": "tokens that the provider's own tools took are counted at the end of a stream alone; so is their "
    "container named",
    "stop_sequence": "the answer ends at a text at which the application wanted it to end",
}
"""Odd things that real providers do. A wire lists those that have been seen on it."""

SAID_ALIKE = frozenset({
    "logprobs", "logprobs_in_lumps", "counts_grow", "stop_sequence", "split_escapes", "usage_only_at_end",
    "finish_stop", "call_with_role", "redacted_thinking", "empty_deltas", "calls_before_text", "interleaved",
    "text_beside_calls", "whole_deltas", "role_in_deltas", "empty_choices", "fragments_together",
})  # fmt: skip
"""The quirks under which a stream amounts to the body that comes without one."""


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A call that the model is to make.

    ``tool`` is the application's name. ``arguments`` is rendered in the wire's own way, unless ``raw`` gives the exact
    text (for wires whose arguments are text). ``id`` fixes the id on the wire; ``None`` lets the wire mint one in its
    own style. ``takes_text``: the tool takes one text, which is in ``arguments`` (`conformance.model.TEXT_INPUT`).
    """

    tool: str
    arguments: Json = None
    raw: str | None = None
    id: str | None = None
    takes_text: bool = False
    undeclared: bool = False


@dataclass(frozen=True, slots=True)
class ServerSearch:
    """A web search that the provider ran by itself: nothing for the client to execute or answer."""

    query: str
    title: str
    url: str


USAGE = Usage(11, 7)
"""What every scripted turn costs, unless it says otherwise."""


ChangeKind = Literal["set", "remove", "add", "insert", "leave_out", "repeat", "late", "split", "merge"]
ChangeWhere = Literal["everywhere", "lacking", "first", "last"]
ChangeEvidence = Literal["own host", "typed", "deviating hosts"]
"""Who sends it: the provider's own host was recorded to; its SDK's types say so; only hosts that deviate from it do."""

CHANGES: Mapping[ChangeKind, str] = {
    "set": "the member at the place has the value, null included",
    "remove": "the member, or the items, at the place are absent",
    "add": "the list at the place has the value as one more item: its last, or (`where: first`) its first",
    "insert": "the events in the value come after the event",
    "leave_out": "the event does not come",
    "repeat": "the event comes twice",
    "late": "the event comes after the one that follows it",
    "split": "the member at the place comes in an event of its own, after it; members that the value names go along",
    "merge": "the event and the one that follows it come as one",
}
"""What may be changed in an answer that the wire has rendered."""


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of the body, or of the stream's events, that a wire rendered for a turn.

    ``at`` is a place as `conformance.wires.places` reads it: ``response.usage.iterations`` in the blocking body,
    ``stream(type=message_delta).usage`` in every event of this type. For what happens to whole events it is
    ``stream: ping``: every event of this kind. A change of the body leaves streams alone, and the other way round.
    """

    do: ChangeKind
    at: str
    value: Json = None
    where: ChangeWhere = "everywhere"
    evidence: ChangeEvidence = "own host"

    @property
    def streams(self) -> bool:
        """Whether it is about streams."""
        return self.at.startswith("stream")


CutPlace = Literal["text", "call", "arguments", "end", "terminal"]
"""Where a stream may break off: in the middle of a text that stands alone; after the last call was opened, before its
first argument; in the middle of its arguments; after them, before its end; before the terminal marker. Where calls have
no end of their own, ``end`` is like ``terminal``."""


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """One assistant turn that the provider is to send.

    ``stop`` overrides what follows from the content; ``finish`` overrides the provider's own word for it (to try
    unknown ones). ``cut`` ends the stream early (`CutPlace`). A turn with a ``cut`` or with ``fails_with`` exists only
    as a stream.
    """

    text: str = ""
    calls: tuple[ScriptCall, ...] = ()
    reasoning: str | None = None
    refusal: str | None = None
    search: ServerSearch | None = None
    stop: Stop | None = None
    finish: str | None = None
    usage: Usage = USAGE
    quirks: frozenset[str] = frozenset()
    cut: CutPlace | None = None
    fails_with: ScriptError | None = None
    """The error that the stream ends with, after what came before."""
    changes: tuple[Change, ...] = ()
    """What is edited in the rendered answer, one after the other."""
    damaged: bool = False
    """Whether one event of the stream arrives broken: half of its JSON is missing. Exists only as a stream, too."""

    @property
    def only_streams(self) -> bool:
        """Whether there is no such blocking answer."""
        return self.cut is not None or self.fails_with is not None or self.damaged

    @property
    def stops_with(self) -> Stop:
        """How the turn ends, in neutral words."""
        if self.stop is not None:
            return self.stop
        if self.refusal is not None:
            return "refusal"
        return "tool_calls" if self.calls else "end"


ErrorKind = Literal["invalid_request", "authentication", "rate_limit", "server", "overloaded"]

STATUS: Mapping[ErrorKind, int] = {
    "invalid_request": 400,
    "authentication": 401,
    "rate_limit": 429,
    "server": 500,
    "overloaded": 503,
}
"""The HTTP status of each kind of error. Anthropic answers 529 instead of 503."""


@dataclass(frozen=True, slots=True)
class ScriptError:
    """A failure that the provider is to report, as an HTTP error or (see `ScriptTurn.fails_with`) inside a stream."""

    kind: ErrorKind
    message: str
    retry_after: int | None = None
    quirks: frozenset[str] = frozenset()

    @property
    def retryable(self) -> bool:
        """Whether trying again may help."""
        return self.kind in ("rate_limit", "server", "overloaded")


@dataclass(frozen=True, slots=True)
class Voice:
    """How the provider speaks in one exchange: under which model name, with which wire names for the tools.

    ``names`` maps the application's tool names to the names under which the request declared them. ``seed`` makes
    minted ids and signatures repeatable and different from turn to turn.
    """

    model: str
    names: Mapping[str, str]
    seed: str
    kinds: Mapping[str, str] = field(default_factory=dict)
    """The kinds of the tools that the provider defined, by the application's names."""

    def name(self, tool: str) -> str:
        """The name that the model uses for ``tool``."""
        return self.names.get(tool, tool)
