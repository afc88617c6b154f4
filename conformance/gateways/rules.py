"""What is asked of a gateway beyond both formats: that what one side said, the other side hears.

These compare two formats' words of the same thing, so they are no rules of the catalogue, and a table of their own.
Each follows from one principle: whoever talks to a gateway must not be told something else than what was said. The
formats' own rules judge each side besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class GatewayRule:
    """One of them. ``must`` fails a run, ``should`` is only told."""

    level: Literal["must", "should"]
    statement: str


def _must(statement: str) -> GatewayRule:
    return GatewayRule("must", statement)


GATEWAY_RULES: Mapping[str, GatewayRule] = {
    "gateway.request.goes-out": _must("A request that both formats allow reaches the provider."),
    "gateway.request.tools-kept": _must("Each declared tool reaches the provider, with its name and its description."),
    "gateway.request.schemas-kept": _must("A tool's parameters reach the provider: names, types, choices, required."),
    "gateway.request.choice-kept": _must("The tool choice reaches the provider."),
    "gateway.request.one-at-a-time-kept": _must("That calls come one at a time reaches the provider."),
    "gateway.request.limit-kept": _must("How many tokens may be answered at most reaches the provider."),
    "gateway.request.text-kept": _must("What the user, the model and the guidance said reaches the provider."),
    "gateway.request.nothing-made-up": _must("The provider gets no words, and no wishes, that nobody has."),
    "gateway.request.calls-kept": _must("Each call of the history reaches the provider, with its name, in its order."),
    "gateway.request.arguments-kept": _must("The arguments of a call reach the provider as they are."),
    "gateway.request.not-flattened": _must("Calls, results and pictures go on as such, and not as words."),
    "gateway.request.results-kept": _must("Each result reaches the provider, with its text."),
    "gateway.request.result-of-its-call": _must("A result goes on as that of its own call."),
    "gateway.request.error-kept": _must("That a tool failed reaches the provider, where its format has a field."),
    "gateway.request.picture-kept": _must("A picture in a result reaches the provider, where its format has a place."),
    "gateway.request.ids-stable": _must("A call has one id of its own, in all requests of a conversation."),
    "gateway.request.asks-once": GatewayRule("should", "A request that was answered is not asked again."),
    "gateway.request.loss-is-told": _must(
        "What the provider's format cannot say is refused, or told in words, and not dropped in silence."
    ),
    "gateway.answer.comes": _must("What the provider answered reaches the client, as an answer."),
    "gateway.answer.text-kept": _must("What the model said reaches the client, no more and no less."),
    "gateway.answer.calls-kept": _must("Each call of the model reaches the client, with its name, in its order."),
    "gateway.answer.arguments-kept": _must("The arguments of a call reach the client as they are."),
    "gateway.answer.ids": _must("Each call that the client gets has an id of its own."),
    "gateway.answer.stop-kept": _must("Why the model stopped reaches the client."),
    "gateway.answer.stop-word": _must("The word for why a turn ended says that calls are pending where they are."),
    "gateway.answer.usage-kept": _must("What the answer cost reaches the client."),
    "gateway.answer.thinking-kept": GatewayRule("should", "What the model thought reaches the client."),
    "gateway.answer.content-type": GatewayRule("should", "The header of an answer says what its body is."),
    "gateway.answer.fits-its-types": GatewayRule("should", "An answer has the fields and types that its format has."),
    "gateway.error.status-kept": _must("A failure has the status of its kind: 4xx what the client did, 429 a limit."),
    "gateway.error.in-its-format": _must("A failure is told as the client's format tells failures."),
    "gateway.error.wait-kept": GatewayRule("should", "How long to wait reaches the client."),
    "gateway.stream.is-one": _must("Who asks for a stream gets a stream, and who does not gets none."),
    "gateway.stream.incremental": _must("The client has words before the provider has said all of them."),
    "gateway.stream.begins-at-once": GatewayRule(
        "should", "The client has a first byte before the provider's second event."
    ),
    "gateway.stream.hang-up": _must("When the client hangs up, so does the gateway, within a second."),
    "gateway.stream.cut-is-told": _must("A stream that broke off is not told as a whole one."),
    "gateway.stream.failure-is-told": _must("A failure inside a stream is not told as an end."),
    "gateway.stream.not-tried-again": _must("A stream that breaks is not tried again once something was passed on."),
}
