"""OpenAI Responses, provider half: say a scripted turn as the events of a stream.

Sources: openai/openai-openapi ``ResponseStreamEvent``; openai SDK type ``openai.types.responses.ResponseStreamEvent``;
recorded streams of api.openai.com, from which the order of events is taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.http import StreamEvent
from conformance.model import compact_json
from conformance.script import ErrorKind, ScriptError, ScriptTurn, Voice
from conformance.wires.base import fragments, interleave, mint, signature
from conformance.wires.openai_responses.approvals import is_request
from conformance.wires.openai_responses.hosted import hosted_steps
from conformance.wires.openai_responses.kind_events import EventData, begun, kind_steps
from conformance.wires.openai_responses.kinds import client_kind
from conformance.wires.openai_responses.provider import response, with_unknown

PLAIN: frozenset[str] = frozenset()

INPUTS = {
    "function_call": ("arguments", "function_call_arguments"),
    "custom_tool_call": ("input", "custom_tool_call_input"),
}
"""What a call is given, by the type of its item: the member, and how the events are called that bring it."""


def render_stream(turn: ScriptTurn, voice: Voice) -> list[StreamEvent]:
    """The events, as far as the script lets them come."""
    events = []
    for number, said in enumerate(_events(turn, voice)):
        counted = {} if "no_sequence_numbers" in turn.quirks else {"sequence_number": number}
        whole = {"type": said["type"], **counted, **said}
        whole = with_unknown(whole) if "unknown_fields" in turn.quirks else whole
        events.append(StreamEvent(compact_json(whole), said["type"]))
    return events


def _events(turn: ScriptTurn, voice: Voice) -> Iterator[EventData]:
    body = response(turn, voice)
    opening = {
        **body, "status": "in_progress", "completed_at": None, "incomplete_details": None, "output": [], "usage": None
    }  # fmt: skip
    yield {"type": "response.created", "response": opening}
    yield {"type": "response.in_progress", "response": opening}
    if "unknown_fields" in turn.quirks:
        yield {"type": "keepalive"}  # recorded on api.openai.com, in no specification
        yield {"type": "response.x_unknown.delta", "item_id": "xu_0", "output_index": 0, "delta": "{"}
    lanes = []
    for index, item in enumerate(body["output"]):
        if is_request(item):
            lanes.append([_added(index, item), _done(index, item)])
        elif client_kind(item) is not None:
            lanes.append(list(_kind_call(turn, index, item)))
        elif item["type"] in INPUTS:
            lanes.append(list(_call(turn, index, item)))
        else:
            yield from _item(turn, voice, index, item)
    yield from _calls(turn, lanes)
    if turn.fails_with is not None:
        yield _failure(turn.fails_with, opening)
    elif turn.cut is None:
        yield _ending(turn, body)


def _calls(turn: ScriptTurn, lanes: list[list[EventData]]) -> Iterator[EventData]:
    """The events of the calls, one call after the other or mixed. A stream that breaks breaks inside the last one."""
    if lanes and (turn.cut not in (None, "terminal") or turn.fails_with is not None):
        deltas = max(len(lanes[-1]) - 3, 0)  # all but the opening and the two closing events
        lanes[-1] = lanes[-1][: 1 + {"call": 0, "end": deltas}.get(turn.cut or "", deltas // 2)]
    yield from interleave(lanes) if "interleaved" in turn.quirks else (said for lane in lanes for said in lane)


def _ending(turn: ScriptTurn, body: EventData) -> EventData:
    ends = body["status"] if body["status"] in ("incomplete", "failed") else "completed"
    last = {**body, "output": []} if "output_empty_at_end" in turn.quirks else body
    return {"type": f"response.{ends}", "response": last}


CODES: dict[ErrorKind, str] = {
    "invalid_request": "invalid_prompt",
    "authentication": "invalid_api_key",
    "rate_limit": "rate_limit_exceeded",
    "server": "server_error",
    "overloaded": "server_error",
}
"""OpenAPI ``ResponseErrorCode``, and for keys the code of the HTTP error."""


def _failure(error: ScriptError, opening: EventData) -> EventData:
    """The API reports failures in two ways. What the gateway finds out comes as an ``error`` event."""
    code = CODES[error.kind]
    if error.kind in ("rate_limit", "authentication"):
        return {"type": "error", "code": code, "message": error.message, "param": None}
    return {
        "type": "response.failed",
        "response": {**opening, "status": "failed", "error": {"code": code, "message": error.message}},
    }


# --- items -----------------------------------------------------------------------------------------------------------


def _item(turn: ScriptTurn, voice: Voice, index: int, item: EventData) -> Iterator[EventData]:
    here = {"item_id": item["id"], "output_index": index}
    match item["type"]:
        case "reasoning":
            # The thinking is encrypted again at each step; only the last form is whole.
            yield _added(index, {**item, "encrypted_content": signature(f"{voice.seed}/partial"), "summary": []})
            if "no_deltas" not in turn.quirks:
                yield from _summary(item, here)
        case "web_search_call":
            yield _added(index, {**item, "status": "in_progress", "action": {"type": "search"}})
            yield from hosted_steps(item, here)
        case "message":
            yield _added(index, {**item, "status": "in_progress", "content": []})
            for place, part in enumerate(item["content"]):
                yield from _content(part, {**here, "content_index": place})
        case _:
            yield _added(index, {**item, "status": "in_progress"} if "status" in item else item)
            yield from hosted_steps(item, here)
    yield _done(index, item)


def _padding(piece: str) -> EventData:
    """Letters that hide how long a delta is."""
    return {"obfuscation": mint(piece, max(16 - len(piece), 1))}


def _added(index: int, item: EventData) -> EventData:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def _done(index: int, item: EventData) -> EventData:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def _summary(item: EventData, here: EventData) -> Iterator[EventData]:
    for place, part in enumerate(item["summary"]):
        at = {**here, "summary_index": place}
        yield {"type": "response.reasoning_summary_part.added", **at, "part": {**part, "text": ""}}
        for piece in fragments(part["text"], PLAIN):
            yield {"type": "response.reasoning_summary_text.delta", **at, "delta": piece, **_padding(piece)}
        yield {"type": "response.reasoning_summary_text.done", **at, "text": part["text"]}
        yield {"type": "response.reasoning_summary_part.done", **at, "part": part}


def _content(part: EventData, at: EventData) -> Iterator[EventData]:
    """The events of a text or a refusal. Texts have log probabilities, empty unless asked for, and annotations."""
    kind = part["type"]
    key = "refusal" if kind == "refusal" else "text"
    extra: EventData = {} if kind == "refusal" else {"logprobs": []}
    bare: EventData = {} if kind == "refusal" else {"annotations": []}
    yield {"type": "response.content_part.added", **at, "part": {**part, key: "", **bare}}
    for piece in fragments(part[key], PLAIN):
        yield {"type": f"response.{kind}.delta", **at, "delta": piece, **extra, **_padding(piece)}
    for place, annotation in enumerate(part.get("annotations", [])):
        numbered = {"annotation_index": place, "annotation": annotation}
        yield {"type": "response.output_text.annotation.added", **at, **numbered}
    yield {"type": f"response.{kind}.done", **at, key: part[key], **extra}
    yield {"type": "response.content_part.done", **at, "part": part}


def _kind_call(turn: ScriptTurn, index: int, item: EventData) -> Iterator[EventData]:
    opened, told = _ids(turn, item)
    yield _added(index, {**begun(item), "id": opened})
    yield from kind_steps(item, index, told, turn.quirks)
    yield _done(index, item)


def _ids(turn: ScriptTurn, item: EventData) -> tuple[str, ...]:
    """The ids under which an item opens, and goes on."""
    changing = "changing_ids" in turn.quirks
    return tuple(mint(f"{item['id']}/{kind}", 24, "fc_") if changing else item["id"] for kind in ("added", "delta"))


def _call(turn: ScriptTurn, index: int, item: EventData) -> Iterator[EventData]:
    opened, told = _ids(turn, item)
    here = {"item_id": told, "output_index": index}
    member, events = INPUTS[item["type"]]
    text = item[member]
    yield _added(index, {**item, "id": opened, "status": "in_progress", member: ""})
    if text and "no_deltas" not in turn.quirks:
        for piece in fragments(text, turn.quirks):
            yield {"type": f"response.{events}.delta", **here, "delta": piece, **_padding(piece)}
    yield {"type": f"response.{events}.done", **here, member: text}
    yield _done(index, item)
