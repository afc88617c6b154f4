"""What checks look at in raw Responses documents: a request's items, an answer's items, a stream's calls.

Everything here takes what is there: documents may be hostile, and judging them is the checks' business.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from conformance.model import Json
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

ENDINGS = ("response.completed", "response.incomplete", "response.failed", "error")
"""The events that end a stream: OpenAPI ``ResponseStreamEvent``."""


def input_items(x: Exchange, kind: str | None = None) -> list[tuple[str, Object]]:
    """The request's items, with their pointers: all of them, or those of one type."""
    document = obj(x.facts.document)
    found = [(f"/input/{place}", obj(item)) for place, item in items(document.get("input"))]
    return found if kind is None else [(at, item) for at, item in found if item.get("type") == kind]


def answered_items(answer: Json, kind: str | None = None) -> list[Object]:
    """The output items of a response: all of them, or those of one type."""
    output: list[Object] = [item for _, item in items(obj(answer).get("output")) if isinstance(item, dict)]
    return output if kind is None else [item for item in output if item.get("type") == kind]


def is_stored(x: Exchange) -> bool:
    """Whether the provider keeps this exchange's response, as it does unless the request says no."""
    return obj(x.facts.document).get("store") is not False


# --- streams ---------------------------------------------------------------------------------------------------------


def events_of_kinds(x: Exchange, *kinds: str) -> Iterator[Object]:
    """The stream's events of these types, in order."""
    return (event for event in map(obj, x.documents) if event.get("type") in kinds)


def ending(x: Exchange) -> Object | None:
    """The event that ends the stream, or ``None`` where it just stops."""
    return next(events_of_kinds(x, *ENDINGS), None)


def final_items(x: Exchange, kind: str) -> list[Object]:
    """Every final form of the answer's items of one type.

    A stream sends two: one as the item ends, one as the response ends. They may differ in what is encrypted.
    """
    ended = [obj(event.get("item")) for event in events_of_kinds(x, "response.output_item.done")]
    whole = [item for event in events_of_kinds(x, *ENDINGS) for item in answered_items(event.get("response"))]
    return [item for item in (*answered_items(x.answer), *ended, *whole) if item.get("type") == kind]


@dataclass(slots=True)
class StreamedCall:
    """A call in a stream: its item as it began, the fragments of its arguments, and their final forms."""

    begun: Object
    index: Json
    deltas: list[str] = field(default_factory=list)
    finals: list[str] = field(default_factory=list)

    @property
    def final_only(self) -> bool:
        """Whether only the final form says all: there are no fragments, or other ones."""
        return bool(self.finals) and (not self.deltas or "".join(self.deltas) != self.finals[-1])


def streamed_calls(x: Exchange) -> list[StreamedCall]:
    """The calls whose items a stream opens, in the order of the output."""
    calls: list[StreamedCall] = []
    for event in map(obj, x.documents):
        match event.get("type"):
            case "response.output_item.added" if obj(event.get("item")).get("type") == "function_call":
                calls.append(StreamedCall(event["item"], event.get("output_index")))
            case "response.function_call_arguments.delta":
                _add(calls, event.get("item_id"), event, "deltas", event.get("delta"))
            case "response.function_call_arguments.done":
                _add(calls, event.get("item_id"), event, "finals", event.get("arguments"))
            case "response.output_item.done":
                item = obj(event.get("item"))
                _add(calls, item.get("id"), event, "finals", item.get("arguments"))
    return sorted(calls, key=lambda call: call.index) if all(isinstance(call.index, int) for call in calls) else calls


def _add(calls: Iterable[StreamedCall], item_id: Json, event: Object, kind: str, text: Json) -> None:
    """Give a piece of text to its call: by the item's id, or by place where the host changes ids on the way."""
    if isinstance(text, str):
        own = [call for call in calls if item_id is not None and call.begun.get("id") == item_id]
        own = own or [call for call in calls if call.index == event.get("output_index")]
        for call in own[:1]:
            getattr(call, kind).append(text)


def is_replay(item: Object, call: Object) -> bool:
    return item.get("type") == "function_call" and any(
        usable(call.get(key)) and item.get(key) == call.get(key) for key in ("call_id", "id")
    )


def is_kind(kind: Json, name: str) -> bool:
    return isinstance(kind, str) and (kind == name or kind.startswith(f"{name}_"))
