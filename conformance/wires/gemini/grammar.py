"""Gemini: the grammar of a stream of chunks, as server-sent events or as one JSON array.

    stream      START ─chunk▶ OPEN ─chunk▶ OPEN …                    an error ends it at any point
    candidate   START ─says▶ SPEAKING … ─finish▶ FINISHED
                START ─finish▶ FINISHING ─finish▶ FINISHING …

Every chunk is a response of its own with the parts that are new. There is no terminal marker: a candidate is over when
a chunk carries its finish reason, and the stream when all are. After it only tokens are counted. The models of 2024 put
a finish reason on every chunk (BerriAI/litellm#2195, songquanpeng/one-api#1477); so it is on every one, or on the last.
A prompt that was blocked has no candidate at all.

Sources: ``google.genai.models`` (``streamGenerateContent``); 288 recorded streams.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.http import StreamEvent
from conformance.model import Json
from conformance.wires.facts import items, obj
from conformance.wires.gemini.client import unwrap
from conformance.wires.gemini.keys import get
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

RULE = "gemini.stream.sse-and-json-array"

STREAM = {
    START: {"chunk": "OPEN", "blocked": "BLOCKED", "counts": START, "error": "FAILED"},
    "OPEN": {"chunk": "OPEN", "blocked": "BLOCKED", "counts": "OPEN", "error": "FAILED"},
    "BLOCKED": {"chunk": "BLOCKED", "counts": "BLOCKED"},
    "FAILED": {},
}
CANDIDATE = {
    START: {"says": "SPEAKING", "silent": "SPEAKING", "finish": "FINISHING"},
    "SPEAKING": {"says": "SPEAKING", "silent": "SPEAKING", "finish": "FINISHED"},
    "FINISHING": {"finish": "FINISHING", "silent": "FINISHED"},
    "FINISHED": {"silent": "FINISHED"},
}

LIBERTIES: Mapping[str, tuple[GrammarLiberty, ...]] = {
    # The role is left out: what an SDK wrote down.
    "no_role": (
        GrammarLiberty("candidate", tuple(
            (state, f"{kind} without role", edges[kind])
            for state, edges in CANDIDATE.items() for kind in ("says", "finish") if kind in edges
        )),
    ),
    # Several answers one after the other in one fixture.
    "joined": (
        GrammarLiberty("candidate", tuple(
            (state, kind, after) for state in ("FINISHED", "FINISHING") for kind, after in CANDIDATE["SPEAKING"].items()
        )),
    ),
}  # fmt: skip
"""What recorders do differently."""

GRAMMAR = Grammar(
    (
        GrammarLevel(
            "stream", RULE, STREAM, frozenset({"OPEN", "BLOCKED", "FAILED"}), broken=frozenset({"FAILED", "BLOCKED"})
        ),
        GrammarLevel("candidate", RULE, CANDIDATE, frozenset({"FINISHED", "FINISHING"})),
    ),
    lambda: speak,
    LIBERTIES,
)


def speak(event: StreamEvent, data: Json) -> Iterator[Token]:
    """What an event means."""
    chunk = obj(unwrap(data))
    candidates = items(get(chunk, "candidates"))
    if event.event is not None:
        yield Token("stream", (), f"the event name {event.event}")
    elif get(chunk, "error"):
        yield Token("stream", (), "error", "/error")
    elif get(get(chunk, "promptFeedback"), "blockReason"):
        yield Token("stream", (), "blocked", "/promptFeedback")
    elif not chunk:
        yield Token("stream", (), "no chunk")
    else:
        yield Token("stream", (), "chunk" if candidates else "counts")
        for place, candidate in candidates:
            yield from _candidate(obj(candidate), f"/candidates/{place}")


def _candidate(candidate: Mapping[str, Json], at: str) -> Iterator[Token]:
    index, content = candidate.get("index"), obj(candidate.get("content"))
    own = index if isinstance(index, int) else 0
    says = any(part != {"text": ""} for _, part in items(content.get("parts")))
    role = content.get("role")
    suffix = "" if role == "model" or not says else f" with role {role}" if role else " without role"
    finished = bool(get(candidate, "finishReason"))
    kind = "finish" if finished else "says" if says else "silent"
    yield Token("candidate", (own,), kind + suffix, at)


# --- blocking answers ------------------------------------------------------------------------------------------------


def looks(document: Json) -> Looks:
    """A response of generateContent. A prompt that was blocked has no candidates."""
    body = obj(unwrap(document))
    candidates = get(body, "candidates")
    if get(body, "error") or get(get(body, "promptFeedback"), "blockReason"):
        return
    yield Look(isinstance(candidates, list), "/candidates", "a list of candidates", candidates)
    for place, candidate in items(candidates):
        for number, part in items(get(get(candidate, "content"), "parts")):
            call, at = get(part, "functionCall"), f"/candidates/{place}/content/parts/{number}/functionCall"
            if call is not None:
                yield from named(obj(call), at, "name")
                arguments = obj(call).get("args", {})
                yield Look(isinstance(arguments, dict | None), f"{at}/args", "an object", arguments)


BODY_GRAMMAR = BodyGrammar("gemini.parse.function-call-parts", looks)
