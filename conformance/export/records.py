"""A record: what an adapter was given, what it sent and what it understood, as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import parse_qsl

from conformance.adapters.stdio.writing import ConversationWriter, assistant_text
from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange


def record_of(exchange: Exchange) -> dict[str, Json]:
    """The record of an exchange, request and turn."""
    return {**request_record(exchange), **turn_record(exchange)}


def request_record(exchange: Exchange) -> dict[str, Json]:
    """What the adapter was given and what it sent."""
    assert exchange.intent is not None
    request = exchange.request
    return {
        "conversation": conversation_data(exchange.intent),
        "request": request_data(request) if isinstance(request, Request) else None,
    }


def turn_record(exchange: Exchange) -> dict[str, Json]:
    """What the adapter understood, of this delivery and of the blocking one."""
    return {
        "turn": turn_data(exchange.turn),
        "twin": turn_data(exchange.twin),
        "failed": any(isinstance(one, OperationFailure) for one in (exchange.request, exchange.understood)),
    }


def conversation_data(conversation: Conversation) -> Json:
    """A conversation as the stdio protocol writes it."""
    return json.loads(ConversationWriter().conversation(conversation))


def turn_data(turn: AssistantTurn | None) -> Json:
    """A turn as the stdio protocol writes it, without what is the adapter's own."""
    if turn is None:
        return None
    data = json.loads(assistant_text(turn, lambda _: "null"))
    del data["opaque"]
    for name in ("message", "message_json"):
        data.pop(name, None)
    for call in data["calls"]:
        exact = call.pop("arguments_json", None)
        call["arguments"] = json.loads(exact) if exact is not None else None
    return data


def request_data(request: Request) -> dict[str, Json]:
    """A request with its address taken apart, and with its body as a document if it is one."""
    return {
        "method": request.method,
        "path": request.path,
        "query": dict(parse_qsl(request.query, keep_blank_values=True)),
        "headers": lowered(request.headers),
        "body": request.document,
    }


def lowered(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers under lower-case names."""
    return {name.lower(): value for name, value in headers.items()}
