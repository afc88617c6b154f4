"""Responses: outputs of calls, the images in them, their ids, and what is left with the provider."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.chat.images_and_ids import no_image_in_tool_message
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.responses.documents import answered_items, input_items, is_replay, is_stored
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

LONGEST_OUTPUT = 10 * 1024 * 1024
"""OpenAPI ``FunctionCallOutputItemParam.output``, ``maxLength``."""

NESTED = ("function_call", "function_call_output", "tool_use", "tool_result", "tool_call")
"""Calls and results as parts of a message, here or in other formats."""

PARTS = {
    "input_text": ("text",),
    "input_image": ("image_url", "file_id"),
    "input_file": ("file_data", "file_id", "file_url"),
}
"""The parts of an output, with the fields of which each has one: OpenAPI ``FunctionCallOutputItemParam.output``."""


@check("responses.result.function-call-output-item")
def function_call_output_item(x: Exchange) -> Verdicts:
    """An id that no call has is left to the rule on orphans."""
    for at, item in input_items(x):
        if item.get("type") == "function_call_output":
            yield holds(usable(item.get("call_id")), f"{at}/call_id", "the id of the call", item.get("call_id"))
        elif item.get("type") in NESTED[2:]:
            yield Finding(f"{at}/type", "function_call_output, or function_call", item["type"])
        for place, part in items(item.get("content")):
            if obj(part).get("type") in NESTED:
                yield Finding(f"{at}/content/{place}", "an item of its own, beside the messages", part["type"])


@check("responses.result.output-string")
def output_string(x: Exchange) -> Verdicts:
    for result in x.facts.results:
        if result.kind is not None:
            continue  # an output of another form
        output = result.content
        if isinstance(output, str):
            fits = len(output) <= LONGEST_OUTPUT
            yield holds(fits, result.content_at, f"at most {LONGEST_OUTPUT} characters", f"{len(output)} characters")
        else:
            yield holds(isinstance(output, list), result.content_at, "text, or a list of parts", output)


@check("responses.binary.portable-text-summary")
def portable_text_summary(x: Exchange) -> Verdicts:
    yield from no_image_in_tool_message(x)


@check("responses.binary.native-output-array")
def native_output_array(x: Exchange) -> Verdicts:
    for result in x.facts.results:
        for place, part in items(result.content) if result.kind is None else ():
            yield _part(f"{result.content_at}/{place}", obj(part))


def _part(at: str, part: Object) -> Finding | None:
    kind = part.get("type")
    fields = PARTS.get(kind) if isinstance(kind, str) else None
    if fields is None:
        return Finding(at, {"type": list(PARTS)}, {"type": kind})
    named = any(isinstance(part.get(name), str) for name in fields)
    return holds(named, at, {"type": kind, "with one of": list(fields)}, sorted(part))


LONGEST_ID = 64


@check("responses.ids.call-id-length-64")
def call_id_length_64(x: Exchange) -> Verdicts:
    ids = [(call.id_at, call.id) for call in x.facts.calls] + [(item.ref_at, item.ref) for item in x.facts.results]
    for at, value in ids:
        if usable(value):
            fits = len(value) <= LONGEST_ID
            yield holds(fits, at, f"at most {LONGEST_ID} characters", f"{value} ({len(value)} characters)")


@check("responses.continuation.previous-response-id")
def previous_response_id(x: Exchange) -> Verdicts:
    before = next((item for item in x.earlier if usable(x.facts.previous) and _id_of(item) == x.facts.previous), None)
    if before is None:
        known = [_id_of(item) for item in x.earlier if usable(_id_of(item))]
        if x.facts.previous is not None and known and x.intent is not None:
            yield Finding("/previous_response_id", known[-1], x.facts.previous)
        return
    yield holds(is_stored(before), "/previous_response_id", "the id of a response that is stored", x.facts.previous)
    calls = answered_items(before.answer, "function_call")
    for at, item in input_items(x, "function_call"):
        if any(is_replay(item, call) for call in calls):
            yield Finding(at, "only new items", item.get("call_id"))
    answered = [result.ref for result in x.facts.results]
    for call in calls:
        yield holds(call.get("call_id") in answered, "/input", f"an output for {call.get('call_id')}", answered)


def _id_of(x: Exchange) -> Json:
    return obj(x.answer).get("id")
