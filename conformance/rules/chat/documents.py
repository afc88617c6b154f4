"""What checks look at in raw Chat Completions documents: a request's messages, an answer's message, a stream's deltas.

Everything here takes what is there: documents may be hostile, and judging them is the checks' business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.model import Json
from conformance.transcript import Exchange, once
from conformance.wires.facts import Object, items, obj

IMAGE_PARTS = ("image_url", "image", "input_image")
"""The part types that carry images, in this format and in others that are mistaken for it."""


def messages(x: Exchange) -> list[tuple[str, Object]]:
    """The request's messages, with their pointers."""
    return [(f"/messages/{place}", obj(item)) for place, item in items(obj(x.facts.document).get("messages"))]


def sent_calls(x: Exchange) -> Iterator[tuple[str, Object]]:
    """The calls that the request replays, with their pointers."""
    for at, message in messages(x):
        for place, call in items(message.get("tool_calls")):
            yield f"{at}/tool_calls/{place}", obj(call)


def has_image(message: Object) -> bool:
    """Whether a message has an image part."""
    return any(obj(part).get("type") in IMAGE_PARTS for _, part in items(message.get("content")))


def answered_choice(answer: Json) -> Object:
    """The choice of a completion that counts: the one with index 0, else the first."""
    choices = [obj(choice) for _, choice in items(obj(answer).get("choices"))]
    return next((choice for choice in choices if choice.get("index") in (0, None)), choices[0] if choices else {})


def answered_message(answer: Json) -> Object:
    """The message of a completion."""
    return obj(answered_choice(answer).get("message"))


def answered_calls(answer: Json) -> list[Object]:
    """The function calls of a completion, as they came. The deprecated single ``function_call`` is not one of them."""
    calls = [obj(call) for _, call in items(answered_message(answer).get("tool_calls"))]
    return [call for call in calls if isinstance(call.get("function"), dict)]


# --- streams ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Delta:
    """One fragment of a call in a stream, as it came."""

    index: Json
    id: Json
    name: Json
    arguments: Json

    @property
    def indexed(self) -> bool:
        """Whether it says which call it belongs to."""
        return isinstance(self.index, int) and not isinstance(self.index, bool) and self.index >= 0


@once
def call_deltas(x: Exchange) -> list[Delta]:
    """Every fragment of a call in the stream, in order."""
    return [
        _delta(obj(fragment))
        for chunk in x.documents
        for _, choice in items(obj(chunk).get("choices"))
        if obj(choice).get("index") in (0, None)
        for _, fragment in items(obj(obj(choice).get("delta")).get("tool_calls"))
    ]


def _delta(fragment: Object) -> Delta:
    function = obj(fragment.get("function"))
    return Delta(fragment.get("index"), fragment.get("id"), function.get("name"), function.get("arguments"))


def lanes(deltas: list[Delta]) -> list[list[Delta]]:
    """The fragments of each call, told apart by index. Empty when the indexes do not tell them apart."""
    if not all(delta.indexed for delta in deltas):
        return []
    by_index: dict[int, list[Delta]] = {}
    for delta in deltas:
        by_index.setdefault(delta.index, []).append(delta)
    numbered = list(by_index.values())
    return [] if any(map(_several_calls, numbered)) else numbered


def _several_calls(lane: list[Delta]) -> bool:
    """Whether fragments under one index open several calls, as one host's do: each with an id and a name of its own."""
    return len({delta.id for delta in lane if isinstance(delta.id, str) and delta.id and delta.name}) > 1


def declared_tools(x: Exchange) -> list[tuple[str, Mapping[str, Json]]]:
    return [(f"/tools/{place}", obj(tool)) for place, tool in items(obj(x.facts.document).get("tools"))]


def stated_error(document: Json) -> tuple[str | None, list[str]]:
    """The message of an error, and the words that class it: type and code.

    ``document`` is a body or a stream's event: ``{error: {...}}``, xAI's ``{code, error: text}``, Mistral's flat
    ``{object: "error", ...}``, or the ``{detail: text}`` with which its framework turns a bad key away.
    """
    body = obj(document)
    if isinstance(body.get("detail"), str) and "choices" not in body:
        return body["detail"] or None, []
    error = body.get("error") or (body if body.get("object") == "error" else None)
    fields = body if isinstance(error, str) else obj(error)
    message = error if isinstance(error, str) else fields.get("message")
    kinds = [str(fields[key]) for key in ("type", "code") if fields.get(key) is not None]
    return (message, kinds) if isinstance(message, str) and message else (None, kinds)
