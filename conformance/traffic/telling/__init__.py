"""Model calls that somebody tells of in words of his own: traces of OpenTelemetry, logs of gateways.

    span, event, log line ──▶ `ToldCall` ──▶ a record in the chat format ──▶ the rules that a retelling can break

Who tells has read the request and the answer, and written down what he found important. So the bytes are gone, and most
rules have nothing to say: they would judge the teller. What is left is the conversation: which calls were made, which
results came back, and whether they belong together (`RULES`).
"""

from __future__ import annotations

RULES = frozenset({
    "common.history.call-replayed-before-result",
    "common.ids.verbatim-round-trip",
    "common.result.exactly-one-per-call",
    "common.result.no-orphan",
})  # fmt: skip
"""The rules that look at nothing but calls, results and their ids. All that tell of a model call tell of these."""
