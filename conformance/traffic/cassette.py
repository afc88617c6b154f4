"""Cassettes: recorded interactions as vcrpy keeps them, in YAML or JSON, and as its relatives for Ruby and Go do.

    interactions:
    - request: {method, uri, headers, body}
      response: {status: {code, message}, headers, body: {string}}

What the parts look like is known to `conformance.recordings.messages`. Bodies may still be compressed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import yaml

from conformance.model import Json
from conformance.recordings import yaml_events
from conformance.recordings.bodies import unpacked
from conformance.recordings.messages import KEYS, body_of, flat_headers, part, request_in, status_of
from conformance.traffic.moments import moment
from conformance.traffic.records import RecordedExchange, UnreadableRecord, one_record


def read_yaml_cassette(file: BinaryIO, source: str) -> Iterator[RecordedExchange | UnreadableRecord]:
    """The interactions in a YAML cassette, one at a time."""
    found = False
    try:
        for element in yaml_events.yaml_elements(file, KEYS):
            found = True
            if element.problem is not None:
                yield UnreadableRecord(source, element.line, element.problem)
            else:
                yield interaction(element.value, source, element.line)
    except yaml.YAMLError as problem:
        yield UnreadableRecord(source, yaml_events.line_of(problem), yaml_events.why_not(problem))
        return
    if not found:
        yield UnreadableRecord(source, 1, "not a cassette: it has no list of interactions")


@one_record
def interaction(document: Json, source: str, line: int) -> RecordedExchange:
    """The exchange that an interaction holds."""
    asked, answered = (part(document, name) for name in ("request", "response"))
    request, headers, body = request_in(asked), flat_headers(answered.get("headers")), body_of(answered)
    return RecordedExchange(
        source=source,
        line=line,
        id=_text(document.get("id")),
        request=request,
        status=status_of(answered),
        headers=headers,
        body=None if body is None else unpacked(body, headers.get("content-encoding", "")),
        moment=moment(document.get("recorded_at")),
    )


def _text(value: Json) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None
