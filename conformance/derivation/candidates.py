"""How a form may be brought about: alternatives, each a few changes, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from conformance.coverage.branches import JsonSchema
from conformance.coverage.documents import schema_of
from conformance.coverage.forms import FormSide, form_kind
from conformance.coverage.scope import matches
from conformance.derivation.trial import AnswerTrial
from conformance.derivation.values import CoveringValues, place_in, recorded_values, tables
from conformance.http import StreamEvent
from conformance.model import Json, decoded_json
from conformance.script import Change, ChangeEvidence, ChangeKind, ChangeWhere
from conformance.wires import card, wire
from conformance.wires.changes import SAME, event_kinds
from conformance.wires.places import spots, steps_of

Alternative = tuple[Change, ...]

ITEM = re.compile(r"(response\.output\[|stream\(type=response\.output_item\.done\)\.item\()type=(\w+)[\])](.+)")
"""A place inside an item of a Responses answer, in its last form."""
PLACES: Sequence[ChangeWhere] = ("everywhere", "lacking", "last", "first")
LAST_OR_FIRST: Sequence[ChangeWhere] = ("last", "first")
FEW_KINDS = 10
"""Of how many kinds of events two changes at once are tried."""
WITHOUT_VALUE: Sequence[ChangeKind] = ("leave_out", "late", "repeat", "merge")


@dataclass(frozen=True)
class WantedForm:
    """A form that is to be shown on a provider, with who sends it. ``recorded`` are all forms that were recorded."""

    provider: str
    form: str
    evidence: ChangeEvidence
    recorded: Sequence[str] = ()

    @property
    def side(self) -> FormSide:
        """The side that it is on."""
        return "stream" if self.form.startswith("stream") else "response"

    @property
    def is_about_order(self) -> bool:
        """Whether it is about which events come when, as an own host sends them."""
        whole = form_kind(self.form) == "order" or re.fullmatch(r"stream\([^)]*\)", self.form) is not None
        return (whole or (self.is_alone and self.side == "stream")) and self.evidence == "own host"

    @property
    def is_alone(self) -> bool:
        """Whether it is the one member that its object may have."""
        return form_kind(self.form) == "member" and matches(self.form.rpartition(".")[0], self._unions)

    @property
    def _unions(self) -> Sequence[str]:
        found: Sequence[str] = tables()["one_member"].get(card(self.provider).format, ())
        return found

    @cached_property
    def schema(self) -> JsonSchema:
        """The schema of the side."""
        return schema_of(self.provider, self.side) or {}

    @cached_property
    def values(self) -> list[Json]:
        """Values that show it and what is below it."""
        definitions: Mapping[str, JsonSchema] = self.schema.get("$defs", {})
        known = place_in(self.schema, definitions, self.form) if self.schema else None
        if known is not None:
            allowed = frozenset(self.recorded) if self.evidence == "own host" else None
            covering = CoveringValues(definitions, self.form, allowed)
            return covering.values(known, self.form)
        found = recorded_values(self.form, self.recorded, self._unions)
        label = re.search(r"[\[(](\w+)=([^\])]*)[\])]$", self.form)
        return [{**one, label[1]: label[2]} if label and isinstance(one, dict) else one for one in found]

    def alternatives(self, number: int, now: AnswerTrial) -> Iterator[Alternative]:
        """Ways to show it by the value with this number. ``now`` is the answer as it is."""
        kind = form_kind(self.form)
        if kind == "order":
            yield from self._orders(now)
        elif kind == "null":
            yield from self._set(self.form.removesuffix(" = null"), None)
        elif kind == "absent":
            yield from self._everywhere("remove", self.form.removesuffix(" absent"))
        elif kind == "value":
            at, _, value = self.form.partition(" = ")
            yield from self._set(at, value)
        elif kind == "member":
            yield from self._alone(self.values[number], now) if self.is_alone else self._member(self.values[number])
        else:
            yield from self._branch(self.values[number], now)

    @property
    def count(self) -> int:
        """How many values there are."""
        return len(self.values) if form_kind(self.form) in ("member", "branch") else 1

    def _change(self, do: ChangeKind, at: str, value: Json = None, where: ChangeWhere = "everywhere") -> Change:
        return Change(do, at, value, where, self.evidence)

    def _everywhere(self, do: ChangeKind, at: str, value: Json = None) -> Iterator[Alternative]:
        for where in PLACES:
            yield self._mirrored(self._change(do, at, value, where))

    def _set(self, at: str, value: Json) -> Iterator[Alternative]:
        yield from self._everywhere("set", at, value)

    def _mirrored(self, change: Change) -> Alternative:
        """With the same change where a stream repeats the whole answer."""
        whole = tables()["whole"].get(card(self.provider).format)
        if whole is None:
            return (change,)
        places = [change.at]
        item = ITEM.match(change.at)
        again = tables()["again"][card(self.provider).format]
        if change.at.startswith("response"):
            places.append(f"{whole}{change.at}")
            places += [again["event"].format(type=item[2]) + item[3]] if item else []
        elif item:
            places.append(f"{whole}{again['body'].format(type=item[2])}{item[3]}")
        return tuple(replace(change, at=place) for place in places)

    def _member(self, value: Json) -> Iterator[Alternative]:
        holder, _, name = self.form.rpartition(".")
        if self.form.endswith("[]"):
            yield from self._set(self.form.removesuffix("[]"), value if isinstance(value, list) else [value])
            return
        if any(holder.endswith(end) for end in tables()["alternatives"]):
            yield self._mirrored(self._change("add", holder, {name: value}))
        yield from self._set(self.form, value)

    def _alone(self, value: Json, now: AnswerTrial) -> Iterator[Alternative]:
        """A new item, a new event, or the one member instead of the other: nothing stands beside it."""
        holder, _, name = self.form.rpartition(".")
        words = tables()["same_words"].get(card(self.provider).format, {}).get(self.form)
        if words is not None and isinstance(value, dict):
            said = {name: {**value, **_filled(words, {"WORDS": now.turn.text})}}
            yield from ((self._change("set", holder, said, where),) for where in LAST_OR_FIRST)
        elif holder.endswith("[]"):
            yield from ((self._change("add", holder, {name: value}, where),) for where in LAST_OR_FIRST)
        else:
            yield from self._set(holder, {name: value})
        if self.side == "stream":
            yield from self._event_alone(holder, {name: value}, now)

    def _event_alone(self, holder: str, value: Json, now: AnswerTrial) -> Iterator[Alternative]:
        """An event before one that has another member there, and otherwise like it."""
        kinds = event_kinds(wire(self.provider), now.events)
        for kind in dict.fromkeys(kinds):
            places = [number for number, one in enumerate(kinds) if one == kind and number + 1 < len(kinds)]
            for number, where in zip(places[-1:] + places[:1], LAST_OR_FIRST, strict=False):
                event = decoded_json(now.events[number + 1].data)
                found = list(spots(event, steps_of(holder)))
                for spot in found:
                    spot.holder[spot.key] = value
                if found or holder == "stream":
                    event = event if found else value
                    yield (self._change("insert", f"stream: {kind}", [event], where),)

    def _branch(self, value: Json, now: AnswerTrial) -> Iterator[Alternative]:
        if self.form.endswith("]"):
            yield from self._item(value, now)
        elif self.form.count("(") == 1 and re.fullmatch(r"stream\([^)]*\)", self.form):
            yield from self._event(value, now)
        else:
            at, _, label = self.form.rpartition("(")
            yield from self._set(at, value)
            if not self.schema and "=" in label:  # what is there says what it is
                member, _, word = label.removesuffix(")").partition("=")
                yield from self._set(f"{at}.{member}", word)

    def _item(self, item: Json, now: AnswerTrial) -> Iterator[Alternative]:
        holder = self.form.rpartition("[")[0]
        known = tables()["items"].get(card(self.provider).format)
        if known is not None and known["list"] == holder:
            yield (*self._said_in_stream(known, item, now), self._change("add", f"{holder}[]", item))
        yield self._mirrored(self._change("add", f"{holder}[]", item))
        yield self._mirrored(self._change("add", f"{holder}[]", item, "first"))

    def _said_in_stream(self, known: Mapping[str, Any], item: Json, now: AnswerTrial) -> Iterator[Change]:
        """The item as the events of a stream, its own steps between its two ends."""
        kinds = event_kinds(wire(self.provider), now.events)
        number = sum(kind == known["events"][0]["type"] for kind in kinds)
        words = {"N": number, "ITEM": item, "ID": item.get("id") if isinstance(item, dict) else None}
        events = [_filled(event, words) for event in known["events"]]
        steps = list(self._steps(known, item, words))
        between = known.get("between", {}).get(item["type"], []) if isinstance(item, dict) else []
        inner = [*steps, *(_filled(event, words) for event in between)]
        yield self._change("insert", known["after"], [events[0], *inner, *events[1:]], "last")
        if "also" in known:
            yield self._change("add", known["also"], item)

    def _steps(self, known: Mapping[str, Any], item: Json, words: Mapping[str, Json]) -> Iterator[Json]:
        """The events of the SDK's types that speak of such an item."""
        schema = schema_of(self.provider, "stream")
        if "own" not in known or schema is None or not isinstance(item, dict):
            return
        begins = known["own"].format(type=item["type"])
        for case in schema.get("allOf", ()):
            kind = case.get("if", {}).get("properties", {}).get("type", {}).get("const")
            if isinstance(kind, str) and re.match(rf"{re.escape(begins)}[._]", kind):
                definitions = schema["$defs"]
                at = f"stream(type={kind})"
                branch = place_in(schema, definitions, at)
                if branch is not None:
                    values = CoveringValues(definitions, f"{self.form}/{at}").values(branch, at)
                    refers = {name: words[word] for name, word in known["refers"].items() if name in values[0]}
                    yield {**values[0], **refers}

    def _event(self, event: Json, now: AnswerTrial) -> Iterator[Alternative]:
        ends = tables()["ends"].get(card(self.provider).format, {})
        events = [event]
        if isinstance(event, dict) and event.get("type") in ends:
            events.append({"type": ends[event["type"]], "index": event.get("index")})
        for kind in dict.fromkeys(event_kinds(wire(self.provider), now.events)):
            for where in LAST_OR_FIRST:
                yield (self._change("insert", f"stream: {kind}", events, where),)

    def _orders(self, now: AnswerTrial) -> Iterator[Alternative]:
        """Each event left out, late, twice or merged; each member that an event may do without in one of its own; what
        may come anywhere; and then two of these at once."""
        kinds = list(dict.fromkeys(event_kinds(wire(self.provider), now.events)))
        single = [
            self._change(do, f"stream: {kind}", None, where)
            for do in WITHOUT_VALUE for kind in kinds for where in ("first", "last", "everywhere")
        ]  # fmt: skip
        single += [
            self._change("split", at, tables()["along"], "last")
            for at in tables()["split"].get(card(self.provider).format, ())
        ]
        extra = [*tables()["events"].get(card(self.provider).format, ()), *_silent(now.events)]
        single += [
            self._change("insert", f"stream: {kind}", events if isinstance(events, list) else [events], where)
            for events in extra for kind in kinds for where in ("first", "last", "everywhere")
        ]  # fmt: skip
        yield from ((change,) for change in single)
        if len(kinds) > FEW_KINDS:
            return
        firsts = [change for change in single if change.where == "first" or change.do == "leave_out"]
        yield from ((one, other) for one in firsts for other in firsts if "repeat" not in (one.do, other.do))


def _filled(template: Json, words: Mapping[str, Json]) -> Json:
    if isinstance(template, dict):
        return {name: _filled(value, words) for name, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, words) for value in template]
    return words[template] if isinstance(template, str) and template in words else template


def _silent(events: Sequence[StreamEvent]) -> Iterator[Json]:
    """Chunks of a chat stream's own that say nothing, in the two ways in which they come."""
    first = decoded_json(events[0].data) if events else None
    if isinstance(first, dict) and "choices" in first:
        rest = {name: SAME for name, value in first.items() if isinstance(value, str | int)}
        yield {**rest, "choices": []}
        yield {**rest, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": None}]}
