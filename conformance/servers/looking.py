"""What is looked at in one answer, live or recorded, beyond the grammar of its format.

Each check is a pure function from an exchange to verdicts, as those of rules are: ``None`` where something was looked
at and is right. None of them knows whether a server is asked now or was recorded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.http import CONTENT_TYPES
from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, holds
from conformance.rules.shared.shape import event_findings, response_findings
from conformance.traffic.exchanges import look_at_answer
from conformance.traffic.recognise import TrafficSource
from conformance.traffic.records import RecordedExchange
from conformance.transcript import Exchange
from conformance.wires import card
from conformance.wires.answer_layout import AnswerLayout
from conformance.wires.facts import obj, value_at

MARKUP = re.compile(
    r"<tool_call>|<function=[\w.-]+>|<\|python_tag\|>|\[TOOL_CALLS\]|<｜tool▁calls?▁begin｜>|<\|tool_calls_section_begin\|>"
    r"|<\|tool_call_begin\|>|<\|channel\|>commentary to=|<function_calls>|<invoke name=|<\|tool_call\|>"
    r"|<start_function_call>|<minimax:tool_call>|<\|START_ACTION\|>"
)
"""How model families write a call: what a server's parser must take out of the text."""

MOST = 5
"""How many verdicts on types are told of one answer."""


def form_of(x: Exchange) -> AnswerLayout | None:
    """What answers of this format have."""
    return card(x.provider).answer


def at(document: Json, place: str) -> Json:
    """What is at a place of a document; ``None`` where nothing is."""
    try:
        return value_at(document, place)
    except (LookupError, TypeError, ValueError):
        return None


def is_answer(x: Exchange) -> bool:
    """Whether it is a whole answer, and no failure."""
    whole = x.offered is not None and x.complete and x.offered.error is None
    return whole and isinstance(x.answer, dict) and x.answer.get("status") not in ("queued", "in_progress")


def _is_legacy(x: Exchange) -> bool:
    """Whether the request asks in the words of 2023: functions, whose calls have no ids and a word of their own."""
    return "functions" in obj(x.facts.document)


def _speaks(x: Exchange) -> bool:
    """Whether the model was asked to speak aloud: such streams of chat completions end without a word for it."""
    return "audio" in obj(x.facts.document)


def types(x: Exchange) -> Verdicts:
    """Whether each field has its official type."""
    if not is_answer(x):
        return
    found: Iterator[Finding]
    if x.events is None:
        found = response_findings(x.speaker, x.answer)
    else:
        numbered = ((number, event.document) for number, event in enumerate(x.events))
        found = (
            Finding(f"/{number}{one.at}", one.expected, one.found)
            for number, event in numbered for one in event_findings(x.speaker, event)
        )  # fmt: skip
    wrong = [one for _, one in zip(range(MOST), found, strict=False)]
    yield from wrong
    if not wrong:
        yield None


def finish(x: Exchange) -> Verdicts:
    """Whether the word for the end fits what was said."""
    form = form_of(x)
    if form is None or x.offered is None or not is_answer(x) or _is_legacy(x) or _speaks(x):
        return
    word = at(x.answer, form.finish)
    if x.offered.calls:
        choice = x.facts.choice
        forced = form.forced if choice is not None and choice.mode in ("tool", "required") else frozenset()
        right = form.calls | form.cut | forced
        yield holds(word in right, form.finish, sorted(form.calls | forced), word)
    elif card(x.provider).format not in ("openai-responses", "gemini", "ollama"):
        fits = isinstance(word, str) and word not in form.calls
        yield holds(fits, form.finish, f"not {min(form.calls)}: there are no calls", word)


def usage(x: Exchange) -> Verdicts:
    """Whether tokens are counted."""
    if not _is_chat_stream(x):
        yield from _usage(x)


def usage_in_stream(x: Exchange) -> Verdicts:
    """Whether a stream of chat completions counts tokens where the request asks for it."""
    if _is_chat_stream(x) and obj(obj(x.facts.document).get("stream_options")).get("include_usage") is True:
        yield from _usage(x)


def _is_chat_stream(x: Exchange) -> bool:
    return card(x.provider).format == "openai-chat" and x.events is not None


def _usage(x: Exchange) -> Verdicts:
    form = form_of(x)
    if form is None or not is_answer(x):
        return
    numbers = [at(x.answer, place) for place in form.usage]
    for place, number in zip(form.usage, numbers, strict=True):
        yield holds(_is_count(number), place, "a whole number", number)
    if form.summed and all(map(_is_count, numbers)):
        *parts, total = numbers
        yield holds(sum(parts) <= total, form.usage[-1], f"at least {sum(parts)}", total)


def _is_count(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == int(value)


def arguments(x: Exchange) -> Verdicts:
    """Whether each call's arguments are one object."""
    form = form_of(x)
    if form is None or x.offered is None or not is_answer(x) or at(x.answer, form.finish) in form.cut:
        return
    for number, call in enumerate(x.offered.calls):
        yield holds(not call.invalid, f"call {number}", "one JSON object", call.raw)


def call_ids(x: Exchange) -> Verdicts:
    """Whether each call has an id of its own."""
    form = form_of(x)
    if form is None or x.offered is None or not is_answer(x) or not x.offered.calls or _is_legacy(x):
        return
    ids = [call.id for call in x.offered.calls]
    if form.ids:
        for number, one in enumerate(ids):
            yield holds(bool(one), f"call {number}", "an id", one)
    given = [one for one in ids if one]
    yield holds(len(set(given)) == len(given), "", "ids of their own", given)


def no_call_as_text(x: Exchange) -> Verdicts:
    """Whether the text is free of the markup of calls. Where the request forbids calls, it is the model that wrote one,
    and no server has to read it."""
    if x.offered is None or not is_answer(x) or not x.facts.functions:
        return
    if x.facts.choice is not None and x.facts.choice.mode == "none":
        return
    found = MARKUP.search(x.offered.text)
    start = max(found.start() - 20, 0) if found else 0
    yield holds(found is None, "text", "text, and calls as calls", x.offered.text[start : start + 200])


CHECKS: Mapping[str, Callable[[Exchange], Verdicts]] = {
    "server.answer.types": types,
    "server.answer.finish-fits": finish,
    "server.answer.usage": usage,
    "server.stream.usage": usage_in_stream,
    "server.answer.arguments-object": arguments,
    "server.answer.call-ids": call_ids,
    "server.answer.no-call-as-text": no_call_as_text,
}
"""The checks of one answer by itself, by their rule."""


def verdicts(record: RecordedExchange, who: TrafficSource, x: Exchange) -> Iterator[tuple[str, Finding | None]]:
    """All that is said about one answer of status 2xx: by the grammars, and by the checks of this module."""
    broken = False
    for rule, look in look_at_answer(record, who, x):
        broken = broken or (not look.right and look.at != f"/{len(x.events or ())}")
        yield rule, None if look.right else Finding(look.at, look.expected, look.found)
    if broken and x.events is not None:
        return  # what comes after an event that should not be there means nothing; a missing end leaves all as it is
    for rule, check in CHECKS.items():
        for verdict in check(x):
            yield rule, verdict


def content_type(record: RecordedExchange, x: Exchange) -> Verdicts:
    """Whether the header says what the body is."""
    given = next((value for name, value in record.headers.items() if name.lower() == "content-type"), "")
    kind = given.partition(";")[0].strip().lower()
    own: Any = card(x.provider)
    streams = {CONTENT_TYPES[framing].partition(";")[0] for framing in own.framings}
    right = streams if x.events is not None else {"application/json"}
    yield holds(kind in right, "content-type", " or ".join(sorted(right)), given)
