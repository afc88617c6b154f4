"""What is asked of a server beyond the grammars of its format: the rules by name, each with its source.

The grammars (`conformance.wires`) judge each answer first, under their own rules' names. What stands here needs more
than one answer's structure: a word beside calls, an id that another answer gave out, how an error looks, a second
request after a hang-up. Each check is run over the recorded answers of the providers' own hosts (tests/servers): one
that accuses them is wrong, and goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ServerRule:
    """One of them. ``must`` fails a server, ``should`` is only told."""

    level: Literal["must", "should"]
    statement: str
    source: str


TYPES = "the official SDK's types: conformance/schemas/wires"
RECORDED = "recorded answers of the providers' own hosts: docs/servers.md"

SERVER_RULES: Mapping[str, ServerRule] = {
    "server.answer.readable": ServerRule(
        "must", "A request that is right gets an answer that can be read, and that is whole.", TYPES
    ),
    "server.answer.content-type": ServerRule(
        "must", "The header content-type says what the body is: JSON, or the stream's own type.", RECORDED
    ),
    "server.answer.types": ServerRule("must", "Each field of an answer has its official type.", TYPES),
    "server.answer.finish-fits": ServerRule(
        "must", "The word for the end fits: that for calls where there are calls, and only there.", RECORDED
    ),
    "server.answer.usage": ServerRule(
        "must", "The tokens are counted where the format has them: whole numbers, and a sum that is one.", RECORDED
    ),
    "server.answer.arguments-object": ServerRule(
        "must", "The arguments of each call are one JSON object, unless the token limit cut them.", RECORDED
    ),
    "server.answer.call-ids": ServerRule(
        "must", "Each call has an id of its own, where the format has ids.", RECORDED
    ),
    "server.answer.ids-once": ServerRule("must", "No id of a call is given out twice, in whatever answer.", RECORDED),
    "server.answer.no-call-as-text": ServerRule(
        "must", "A call is a call: its markup is not part of the text, where tools are declared.", RECORDED
    ),
    "server.stream.as-asked": ServerRule(
        "must", "A stream comes where one is asked for, and only there.", TYPES
    ),
    "server.stream.agrees": ServerRule(
        "must", "A stream and a blocking answer of the same kind have the same form: ids, words, usage.", RECORDED
    ),
    "server.stream.usage": ServerRule(
        "should", "A stream of chat completions ends with the counted tokens, where include_usage asks for them.",
        "openai-openapi ChatCompletionStreamOptions; OpenAI's own host was recorded without them twice",
    ),
    "server.stream.as-it-comes": ServerRule(
        "should", "A stream comes piece by piece, and not all at once at its end.", RECORDED
    ),
    "server.request.taken": ServerRule(
        "must", "A request that the format's own provider takes is answered.", RECORDED
    ),
    "server.error.status": ServerRule(
        "must", "What cannot be answered gets a status of 4xx, and not a failure of the server, or 200.",
        "the error pages of the providers: docs/servers.md",
    ),
    "server.error.form": ServerRule(
        "must", "An error has the form of the format's errors, so that an SDK can read it.",
        "the official SDKs' own reading of errors: docs/servers.md",
    ),
    "server.cut.goes-on": ServerRule(
        "must", "After a client has hung up in the middle of a stream, the next request is answered.", RECORDED
    ),
}  # fmt: skip
