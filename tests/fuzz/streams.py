"""Framing, and the readers of the wires."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from random import Random
from typing import get_args

from fuzz_playing import Target
from seeds import ROOMS, STAMP, cuts, exchanges

from conformance.http import FrameStyle, Framing, FramingError, Request, Response, StreamEvent, frame, unframe
from conformance.model import Conversation, UserTurn
from conformance.wires import wire


def _streams(framing: Framing) -> list[bytes]:
    """Recorded streams that have this framing, and the same events in it."""
    events = [
        event
        for provider in ROOMS
        for _, answer in exchanges(provider, 6)
        if not answer.startswith(b"{") or b"\n{" in answer
        for event in wire(provider).events([answer])
    ]
    events = [event for event in events if event.data.startswith("{") and len(event.data) < 2000]
    chance, styles = Random(STAMP), (FrameStyle(), FrameStyle(line_end="\r\n", comments=True, bom=True, space=False))
    return [
        b"".join(frame(chance.sample(events, min(12, len(events))), framing, style))
        for style in styles
        for _ in range(4)
    ]


def _read_frames(framing: Framing, data: bytes, folder: Path) -> None:
    events = list(unframe([data], framing))
    assert list(unframe(cuts(data), framing)) == events, "cut differently, there are other events"
    for style in (FrameStyle(), FrameStyle(comments=True, space=False)):
        if framing == "aws-event-stream" and not all(map(_is_aws_event, events)):
            continue  # damaged: what it is written as has another checksum
        if framing != "json-array":
            again = list(unframe(frame(events, framing, style), framing))
            assert again == events, "written and read again, there are other events"
        elif all(_is_json(event.data) and _is_flat(event.data) for event in events):
            again = list(unframe(frame(events, framing, style), framing))
            assert [json.loads(event.data) for event in again] == [json.loads(event.data) for event in events]


def _is_aws_event(event: StreamEvent) -> bool:
    return event.is_json and re.match(r'\{"\w+":', event.data) is not None


def _is_flat(text: str) -> bool:
    """Whether a text has few levels: what is laid out is indented, so it grows by each."""
    return text.count("[") + text.count("{") < 200


def _is_json(text: str) -> bool:
    try:
        return json.loads(text) == json.loads(text)  # NaN is none
    except (ValueError, RecursionError):
        return False



# --- wires -----------------------------------------------------------------------------------------------------------



def _messages(provider: str) -> list[bytes]:
    """Requests, answers, streams and errors of a provider."""
    texts = [text for pair in exchanges(provider) for text in pair if len(text) < 20_000]
    return texts or [wire("openai-chat").card.id.encode()]


def _read_wire(provider: str, data: bytes, folder: Path) -> None:
    speaker, talk = wire(provider), Conversation((UserTurn("hi"),))
    for status in (200, 400, 529):
        response = Response(status, {"content-type": "application/json", "retry-after": "x"}, data)
        assert speaker.read_response(response, talk) == speaker.read_response(response, talk)
    whole = speaker.read_stream([data])
    assert speaker.read_stream(cuts(data)) == whole, "cut differently, it says something else"
    if len(data) < 10_000:
        told = list(speaker.news([data], talk))
        assert told[-1].text == speaker.read_stream([data], talk).stop
    facts = speaker.facts(Request("POST", f"{speaker.card.base_url}/v1/x", {}, data))
    assert facts == speaker.facts(Request("POST", f"{speaker.card.base_url}/v1/x", {}, data))


TARGETS = (
    *(
        Target(f"framing-{framing}", partial(_streams, framing), partial(_read_frames, framing),
               (FramingError,) if framing in ("json-array", "aws-event-stream") else (), "a stream's bytes as events")
        for framing in get_args(Framing)
    ),
    *(
        Target(f"wire-{name}", partial(_messages, name), partial(_read_wire, name), (),
               "requests, answers, streams and errors of a provider", 40)
        for name in ROOMS
    ),
)  # fmt: skip
