"""Chat Completions: the grammar of a chunk stream.

    stream   START ─chunk▶ OPEN ─chunk▶ OPEN … ─done▶ DONE            an error ends it at any point
    choice   START ─role▶ SPEAKING ─says▶ SPEAKING … ─finish▶ FINISHED
    call     START ─opens▶ OPEN ─adds▶ OPEN …

A chunk may speak for several choices, and a choice may hold fragments of several calls. A chunk whose ``choices`` are
empty holds usage, or filter results. OpenAI's audio models leave ``choices`` out (``bare``) and send no finish reason.
Once a choice has finished nothing is added to it. The first fragment of a call brings its id and its name, the others
add to its arguments.

What compatible hosts do differently has been seen in recorded streams: see `LIBERTIES`.

Sources: openai/openai-openapi ``CreateChatCompletionStreamResponse``; 1,744 recorded streams of 40 hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.facts import items, obj
from conformance.wires.grammar import (
    START,
    BodyGrammar,
    Grammar,
    GrammarLevel,
    GrammarLiberty,
    Look,
    Looks,
    Token,
    named,
)
from conformance.wires.openai_chat.failures import failure

STREAM = {
    START: {"chunk": "OPEN", "error": "FAILED"},
    "OPEN": {"chunk": "OPEN", "done": "DONE", "error": "FAILED"},
    "FAILED": {"done": "FAILED"},
    "DONE": {},
}
CHOICE = {
    START: {"role": "SPEAKING"},
    "SPEAKING": {"role": "SPEAKING", "says": "SPEAKING", "bare": "BARE", "finish": "FINISHED"},
    "BARE": {"role": "BARE", "says": "BARE", "bare": "BARE", "finish": "FINISHED"},
    "FINISHED": {},
}
CALL = {
    START: {"opens": "OPEN"},
    "OPEN": {"adds": "OPEN"},
}

_NO_IDS = (
    GrammarLiberty("call", ((START, "opens without id", "OPEN"), (START, "opens unnumbered without id", "OPEN"))),
)

LIBERTIES: Mapping[str, tuple[GrammarLiberty, ...]] = {
    # The stream just ends: hosts, and whatever an SDK or a fixture wrote down.
    "no_done": (GrammarLiberty("stream", ends=frozenset({"OPEN"})),),
    # No finish reason, but the marker.
    "no_finish": (GrammarLiberty("choice", ends=frozenset({"SPEAKING"})),),
    # Finish reason again with usage, or empty deltas after it.
    "finish_repeated": (
        GrammarLiberty("choice", (("FINISHED", "role", "FINISHED"), ("FINISHED", "finish", "FINISHED"))),
    ),
    # Calls after a first finish reason, which comes again.
    "calls_after_finish": (
        GrammarLiberty("choice", (("FINISHED", "says", "FINISHED"), ("FINISHED", "finish", "FINISHED"))),
    ),
    # No role on the first delta: fixtures.
    "no_role": (GrammarLiberty("choice", ((START, "says", "SPEAKING"), (START, "finish", "FINISHED"))),),
    # No index, null or -1. Such calls are numbered as they open.
    "missing_index": (
        GrammarLiberty("call", ((START, "opens unnumbered", "OPEN"), ("OPEN", "adds unnumbered", "OPEN"))),
    ),
    # Numbers that do not begin at 0.
    "any_index": (GrammarLiberty("call", any_number=True),),
    # No id, or an empty one.
    "missing_ids": _NO_IDS,
    "empty_ids": _NO_IDS,
    # Name and id again in later fragments.
    "id_repeated_in_deltas": (
        GrammarLiberty("call", (("OPEN", "opens", "OPEN"), ("OPEN", "opens without id", "OPEN"))),
    ),
    # What a filter found comes after the finish reason, in a choice without a delta.
    "choice_without_delta": (GrammarLiberty("choice", (("FINISHED", "bare", "FINISHED"),)),),
    # Every call under index 0: what opens again is another call. Gemini's endpoint gives them no ids.
    "index_zero": (GrammarLiberty("call", (("OPEN", "opens", "OPEN"), ("OPEN", "opens without id", "OPEN"))),),
}
"""What hosts do differently, by the name of the quirk. Who does is in the hosts' files (`conformance.wires.hosts`)."""


RULE, CALLS_RULE = "chat.stream.done-sentinel", "chat.stream.accumulate-by-index"
"""The second is broken by the fragments of calls, the first by all else."""

GRAMMAR = Grammar(
    (
        GrammarLevel("stream", RULE, STREAM, frozenset({"DONE", "FAILED"}), broken=frozenset({"FAILED"})),
        GrammarLevel("choice", RULE, CHOICE, frozenset({"FINISHED", "BARE"}), numbered=False),
        GrammarLevel("call", CALLS_RULE, CALL, frozenset({"OPEN"})),
    ),
    lambda: _Speaker(),
    LIBERTIES,
)


class _Speaker:
    """Says what the chunks of one stream mean. Fragments without a number belong to the call opened last."""

    def __init__(self) -> None:
        self._opened: dict[int, int] = {}

    def __call__(self, event: StreamEvent, data: Json) -> Iterator[Token]:
        chunk = obj(data)
        if event.data.strip() == "[DONE]":
            yield Token("stream", (), "done")
        elif failure(data) is not None:
            yield Token("stream", (), "error")
        elif not chunk or not isinstance(chunk.get("choices", []), list | None):
            yield Token("stream", (), "no chunk")
        else:
            yield Token("stream", (), "chunk")
            if "choices" not in chunk:
                yield Token("choice", (0,), "bare")
            for place, choice in items(chunk.get("choices")):
                yield from self._choice(obj(choice), f"/choices/{place}")

    def _choice(self, choice: Mapping[str, Json], at: str) -> Iterator[Token]:
        index = choice.get("index")
        own = index if isinstance(index, int) else 0
        delta, finish = obj(choice.get("delta")), choice.get("finish_reason")
        said = [name for name, value in delta.items() if name != "role" and value not in (None, "", [])]
        if delta.get("role"):
            yield Token("choice", (own,), "role", f"{at}/delta/role")
        if said:
            yield Token("choice", (own,), "says", f"{at}/delta/{said[0]}")
        for place, fragment in items(delta.get("tool_calls")):
            yield self._fragment(own, obj(fragment), f"{at}/delta/tool_calls/{place}")
        if finish:
            yield Token("choice", (own,), "finish", f"{at}/finish_reason")

    def _fragment(self, choice: int, fragment: Mapping[str, Json], at: str) -> Token:
        index, said = fragment.get("index"), obj(fragment.get("function")) or obj(fragment.get("custom"))
        opens = bool(said.get("name"))
        kind = "opens" if opens else "adds"
        if not isinstance(index, int) or index < 0:
            kind = f"{kind} unnumbered"
            index = self._opened.get(choice, 0) if opens else max(self._opened.get(choice, 0) - 1, 0)
            self._opened[choice] = index + 1 if opens else self._opened.get(choice, 0)
        if opens and not fragment.get("id"):
            kind = f"{kind} without id"
        return Token("call", (choice, index), kind, at)


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """A chat completion."""
    choices = items(obj(document).get("choices"))
    if failure(document) is not None:
        return
    yield Look(bool(choices), "/choices", "at least one choice", obj(document).get("choices"))
    for place, choice in choices:
        at, message = f"/choices/{place}/message", obj(choice).get("message")
        yield Look(isinstance(message, dict), at, "an object", message)
        for number, call in items(obj(message).get("tool_calls")):
            function = obj(call).get("function")
            if isinstance(function, dict):
                own = f"{at}/tool_calls/{number}"
                yield from named(obj(call), own, "id")
                yield from named(function, f"{own}/function", "name")
                arguments = function.get("arguments")
                yield Look(isinstance(arguments, str), f"{own}/function/arguments", "JSON text", arguments, True)


BODY_GRAMMAR = BodyGrammar("chat.parse.tool-calls-from-message", looks)
