"""The documents of an exchange with their forms: the request, the answer's body, the events of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from conformance.coverage.branches import JsonSchema
from conformance.coverage.forms import FormSide, forms_of
from conformance.coverage.walk import FormWalker, Occurrence
from conformance.http import Request, Response, StreamEvent
from conformance.model import Json, decoded_json
from conformance.schemas import schema
from conformance.transcript import Exchange
from conformance.wires import card, wire
from conformance.wires.changes import event_kinds


@dataclass(frozen=True, slots=True)
class FormDocument:
    """One document of an exchange. ``number`` is that of the event, in a stream."""

    side: FormSide
    value: Json
    number: int | None = None


@cache
def schema_of(provider: str, side: FormSide) -> JsonSchema | None:
    """The schema of an SDK's type for one side of a provider's exchanges; ``None`` where no SDK has one."""
    own = card(provider)
    if not own.schemas:
        return None
    kind = "response" if side == "stream" and own.chunks_are_responses else side
    return schema(f"wires/{own.format}.{kind}")


@cache
def forms_in_types(provider: str, side: FormSide) -> frozenset[str]:
    """The forms of an SDK's type; none for a provider whose format is another's: there they are counted."""
    known = schema_of(provider, side)
    return forms_of(known, side) if known is not None and card(provider).format == provider else frozenset()


def documents_of(exchange: Exchange) -> Iterator[FormDocument]:
    """The documents of an exchange. Of errors there is only the request."""
    if isinstance(exchange.request, Request) and (body := decoded_json(exchange.request.body)) is not None:
        yield FormDocument("request", body)
    if exchange.events is not None:
        for number, event in enumerate(exchange.events):
            if (told := decoded_json(event.data)) is not None:
                yield FormDocument("stream", told, number)
    elif (
        exchange.response is not None
        and is_answered(exchange)
        and (body := decoded_json(exchange.response.body)) is not None
    ):
        yield FormDocument("response", body)


def is_answered(exchange: Exchange) -> bool:
    """Whether the provider answered with success."""
    return isinstance(exchange.response, Response) and exchange.response.status < 400


def forms_in(document: FormDocument, provider: str) -> list[Occurrence]:
    """The forms of one document."""
    return list(_walker(provider, document.side).occurrences(document.value, document.side))


@cache
def _walker(provider: str, side: FormSide) -> FormWalker:
    return FormWalker(schema_of(provider, side))


def orders(events: Sequence[StreamEvent], provider: str) -> Iterator[tuple[str, int]]:
    """The pairs of events that follow each other, each with the number of its first event."""
    kinds = event_kinds(wire(provider), events)
    for number, (one, other) in enumerate(pairwise(kinds)):
        yield f"stream: {one} → {other}", number
