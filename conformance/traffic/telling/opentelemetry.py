"""OTLP as JSON: traces and logs, as the collector's file exporter and the SDKs' write them.

    {"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [{"key", "value": {"stringValue"}}], "events"}]}]}]}
    {"resourceLogs":  [{"scopeLogs":  [{"logRecords": [{"eventName", "body", "attributes", "traceId", "spanId"}]}]}]}

A span of a model call tells its messages in attributes, in one of the layouts of `layouts.LAYOUTS`, or in its events.
Logs may have an event for each message; these are put together by the span that they belong to.

Sources, read on 2026-11-28: opentelemetry.io/docs/specs/otel/protocol/file-exporter, "JSON File serialization";
opentelemetry-exporter-otlp-json-file 0.66b1; what these wrote of calls to ``conformance serve``:
opentelemetry-instrumentation-openai-v2 2.4b0, -openai and -anthropic 0.40.14 and 0.62.4,
openinference-instrumentation-openai 0.1.66 and -anthropic 3.1.0.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from conformance.model import Json
from conformance.recordings.bodies import RecordError
from conformance.traffic.records import RecordedExchange, UnreadableRecord, one_record
from conformance.traffic.telling.layouts import Attributes, asks_a_model, told_by_attributes, told_by_events
from conformance.wires.facts import items, obj

Records = Iterator[RecordedExchange | UnreadableRecord]

ROOTS = {"resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics"}
"""A document with one of these is OTLP."""

CHOICE, DETAILS = "gen_ai.choice", "gen_ai.client.inference.operation.details"
EVENTS = frozenset({
    "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message", CHOICE,
})  # fmt: skip
"""The events of single messages. The last of a call is its choice."""

MAX_OPEN = 1_000
"""How many calls may be open in a log: those whose choice has not come."""
MAX_EVENTS = 5_000
"""How many events one call may have."""

FAILED = 2
"""The code of a span's status that says so, as a number or as a word."""


def is_otlp(document: Mapping[str, Json]) -> bool:
    """Whether a document is OTLP."""
    return not ROOTS.isdisjoint(document)


@dataclass(slots=True)
class _Open:
    """A model call whose messages come one by one."""

    line: int
    events: list[tuple[str, Json]] = field(default_factory=list)


@dataclass(slots=True)
class OtlpReader:
    """Reads the documents of one file. Events of a call may stand in several of them."""

    source: str
    _open: OrderedDict[tuple[str, str], _Open] = field(default_factory=OrderedDict)

    def read(self, document: Mapping[str, Json], line: int) -> Records:
        """The model calls that a document tells of, or completes."""
        for kind, record in _each(document):
            if kind == "span":
                attributes = plain_attributes(record)
                if asks_a_model(attributes):
                    yield _of_span((record, attributes), self.source, line)
            else:
                yield from self._of_log(record, line)

    def forget(self) -> None:
        """Know nothing of what was begun: what comes next does not follow."""
        self._open.clear()

    def rest(self) -> Records:
        """What was begun and never ended, at the end of the file."""
        for begun in self._open.values():
            yield UnreadableRecord(self.source, begun.line, f"messages of a model call without its {CHOICE}")
        self._open.clear()

    def _of_log(self, record: Mapping[str, Json], line: int) -> Records:
        name, attributes = event_name(record), plain_attributes(record)
        if name == DETAILS:
            yield _of_span((record, attributes), self.source, line)
        if name not in EVENTS:
            return
        span = (str(record.get("traceId")), str(record.get("spanId")))
        begun = self._open.setdefault(span, _Open(line))
        body = plain_value(record.get("body"))
        if len(begun.events) < MAX_EVENTS:
            begun.events.append((name, body if isinstance(body, dict) and body else attributes))
        if name == CHOICE:
            del self._open[span]
            yield _of_events((begun, attributes, record), self.source, begun.line)
        elif len(self._open) > MAX_OPEN:
            _, lost = self._open.popitem(last=False)
            yield UnreadableRecord(self.source, lost.line, f"messages of a model call without its {CHOICE}")


def _each(document: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The spans and log records in a document, each with what it is."""
    for kind, roots, scopes, names in (
        ("span", ("resourceSpans", "resource_spans"), ("scopeSpans", "scope_spans"), ("spans",)),
        ("log", ("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records")),
    ):
        for resource in _members(document, roots):
            for scope in _members(resource, scopes):
                for record in _members(scope, names):
                    yield kind, record


def _members(holder: Mapping[str, Json], names: tuple[str, ...]) -> Iterator[Mapping[str, Json]]:
    for name in names:
        for _, item in items(holder.get(name)):
            if isinstance(item, dict):
                yield item


def event_name(record: Mapping[str, Json]) -> str:
    """The name of an event, of a log or of a span. It was an attribute before it was a field."""
    told = record.get("eventName") or record.get("event_name") or record.get("name")
    if not told:
        told = plain_attributes(record).get("event.name")
    return told if isinstance(told, str) else ""


@one_record
def _of_span(told: tuple[Mapping[str, Json], Attributes], source: str, line: int) -> RecordedExchange:
    span, attributes = told
    when = [span.get(name) for name in ("startTimeUnixNano", "timeUnixNano", "observedTimeUnixNano")]
    events = [(event_name(one), plain_attributes(one)) for _, one in items(span.get("events")) if isinstance(one, dict)]
    spoken = [(name, body) for name, body in events if name in EVENTS]
    call = told_by_events(spoken, attributes) if spoken else told_by_attributes(attributes)
    if span.get("droppedAttributesCount") and not isinstance(attributes.get("gen_ai.input.messages"), str | list):
        raise RecordError("the span has lost attributes, and with them perhaps messages")
    status = obj(span.get("status")).get("code")
    call.id, call.when = span.get("spanId") or None, when
    call.failed = status in (FAILED, "STATUS_CODE_ERROR") or "error.type" in attributes
    if call.failed:
        call.answer = None
    return call.record(source, line)


@one_record
def _of_events(told: tuple[_Open, Attributes, Mapping[str, Json]], source: str, line: int) -> RecordedExchange:
    begun, attributes, last = told
    call = told_by_events(begun.events, attributes)
    call.id, call.when = last.get("spanId") or None, [last.get("timeUnixNano"), last.get("observedTimeUnixNano")]
    return call.record(source, line)


# --- values ----------------------------------------------------------------------------------------------------------

_WHOLE = ("intValue", "int_value")
_PLAIN = ("stringValue", "boolValue", "doubleValue", "bytesValue", "string_value", "bool_value", "double_value")


def plain_attributes(record: Mapping[str, Json]) -> Attributes:
    """The attributes of a span, an event or a log record."""
    pairs = (obj(item) for _, item in items(record.get("attributes")))
    return {str(pair.get("key")): plain_value(pair.get("value")) for pair in pairs}


def plain_value(value: Json) -> Json:
    """An ``AnyValue`` as JSON. Raises `RecursionError` where it is too deep."""
    holder = obj(value)
    for name in _PLAIN:
        if name in holder:
            return holder[name]
    for name in _WHOLE:
        if name in holder:
            number = holder[name]
            return int(number) if isinstance(number, str) and number.lstrip("-").isdecimal() else number
    for name in ("arrayValue", "array_value"):
        if name in holder:
            return [plain_value(item) for _, item in items(obj(holder[name]).get("values"))]
    for name in ("kvlistValue", "kvlist_value"):
        if name in holder:
            pairs = (obj(item) for _, item in items(obj(holder[name]).get("values")))
            return {str(pair.get("key")): plain_value(pair.get("value")) for pair in pairs}
    return None
