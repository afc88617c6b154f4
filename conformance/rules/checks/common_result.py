"""Sending results, on every wire: each call has one, and the model reads what the tool said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from conformance.model import AssistantTurn, Json, JsonPart, ResultsTurn, TextPart, ToolResult
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.pairing import answers, call_pairs, correlate, usable
from conformance.rules.texts import carries, carries_value, container, misplaced, text_of
from conformance.transcript import Exchange
from conformance.wires.facts import Round, SentResult, items, obj

LARGE = 256
"""From this many characters on, a text that was cut is the finding of the rule on large results alone."""

MARKER = re.compile(r"truncat|omitt|shorten|elided|abridged|…|\[\.\.\.|more (characters|bytes|lines)", re.IGNORECASE)
"""Words by which a client tells the model that something is missing."""

SEPARATOR = re.compile(r"^--- (.+) ---[ \t\r]*$", re.MULTILINE)


@check("common.result.exactly-one-per-call")
def exactly_one_per_call(x: Exchange) -> Verdicts:
    found = correlate(x.facts)
    ids = [call.id for call in x.facts.calls]
    for turn in x.facts.rounds:
        for call in () if _passed_over(x, turn) else turn.calls:
            yield holds(call.at in found.answers, call.at, "one result for this call", "no result")
    for result in found.spare:
        if ids and (not usable(result.ref) or result.ref in ids):
            yield Finding(result.at, "one result for each call", "one result more")


def _passed_over(x: Exchange, turn: Round) -> bool:
    """Whether the user went on without any result where that is taken, and nobody knows of a result."""
    unanswered = turn.closed and not turn.results and not turn.late
    return x.intent is None and x.card.takes.calls_passed_over and unanswered


@check("common.result.no-orphan")
def no_orphan(x: Exchange) -> Verdicts:
    known = [*(call.id for call in x.facts.calls), *_other_calls(x)]
    elsewhere = x.facts.is_partial or "conversation" in obj(x.facts.document)
    with_provider = [call.id for earlier in x.earlier if earlier.offered for call in earlier.offered.calls]
    for result in x.facts.results:
        if not usable(result.ref):
            if not elsewhere:
                yield holds(bool(known), result.at, "a call that this result answers", "no call")
        elif result.ref in known or (elsewhere and result.ref in with_provider):
            yield None
        elif all(map(usable, known)) and not (elsewhere and x.previous is None):
            yield Finding(result.ref_at, "the id of a call in this request", result.ref)


def _other_calls(x: Exchange) -> list[Json]:
    """The ids of calls that are not function calls, such as ``tool_search_call`` in Responses."""
    input_items = [obj(item) for _, item in items(obj(x.facts.document).get("input"))]
    return [item.get("call_id") for item in input_items if str(item.get("type")).endswith("_call")]


# --- what the model reads --------------------------------------------------------------------------------------------


def _sent(x: Exchange, *, errors: bool) -> Iterator[tuple[ToolResult, SentResult]]:
    """The results, or the failures, that were sent, those aside that went to another call."""
    everything = answers(x)
    for answer in everything:
        if answer.sent is not None and answer.meant.is_error == errors:
            siblings = [other.meant for other in everything if other.turn == answer.turn and other is not answer]
            if not siblings or not misplaced(answer.sent.text or "", answer.meant, siblings):
                yield answer.meant, answer.sent


def _texts(result: ToolResult) -> list[str]:
    return [part.text for part in result.content if isinstance(part, TextPart) and part.text.strip()]


@check("common.result.structured-output-serialised-as-json")
def structured_output_serialised_as_json(x: Exchange) -> Verdicts:
    for meant, sent in _sent(x, errors=False):
        for part in meant.content:
            if isinstance(part, JsonPart):
                right = _says(sent.text, part) or same_json(part.value, sent.content)
                yield holds(right, sent.content_at, part.value, sent.content)


def _says(text: str | None, part: JsonPart) -> bool:
    """Whether ``text`` says the value. A string may stand without quotes, and null may be empty text."""
    if text is None:
        return False
    plain = part.value == text or (part.value is None and not text)
    return plain or carries_value(text, part.value)


@check("common.result.string-not-double-encoded")
def string_not_double_encoded(x: Exchange) -> Verdicts:
    for meant, sent in _sent(x, errors=False):
        texts = _texts(meant)
        if not texts or sent.text is None or (len(texts[0]) >= LARGE and _is_cut(sent.text, texts[0])):
            continue
        if len(meant.content) == 1:
            right = sent.text == texts[0] or _same_container(sent.text, texts[0])
        else:
            right = all(text in sent.text and not _quoted(text, sent.text) for text in texts)
        yield holds(right, sent.content_at, "\n".join(texts), sent.text)


def _quoted(text: str, sent: str) -> bool:
    """Whether a part that was plain text stands between quotes, as JSON, on a line of its own."""
    return json.dumps(text, ensure_ascii=False) in sent.splitlines()


def _same_container(sent: str, text: str) -> bool:
    """Whether both are the same JSON: a wire of objects may take a text that is one as an object."""
    return container(text) is not None and same_json(container(text), container(sent))


@check("common.result.large-result-not-silently-cut")
def large_result_not_silently_cut(x: Exchange) -> Verdicts:
    for meant, sent in _sent(x, errors=False):
        for text in _texts(meant):
            if len(text) < LARGE or sent.text is None:
                continue
            if carries(sent.text, text):
                yield None
            elif _is_cut(sent.text, text):
                said = bool(MARKER.search(sent.text)) and "\ufffd" not in sent.text
                found = f"{len(sent.text)} characters, the last ones {sent.text[-20:]!r}"
                yield holds(said, sent.content_at, f"all {len(text)} characters", found)


def _is_cut(sent: str, text: str) -> bool:
    """Whether ``sent`` is the beginning, or the end, of ``text``, with at most a short notice beside it."""
    if not 0 < len(sent) < len(text) and not sent.endswith("\ufffd"):
        return False
    half = -(-len(sent) // 2)
    return text.startswith(sent[:half]) or text.endswith(sent[-half:])


@check("common.result.empty-result-sent")
def empty_result_sent(x: Exchange) -> Verdicts:
    for answer in answers(x):
        if any(not isinstance(part, TextPart) or part.text for part in answer.meant.content):
            continue
        if answer.sent is not None:
            null = answer.sent.content is None and _is_there(x, answer.sent.content_at)
            yield holds(not null, answer.sent.content_at, "an empty result", None)
        elif answer.call is not None:
            yield Finding(answer.call.at, "an empty result for this call", "no result")


def _is_there(x: Exchange, at: str) -> bool:
    """Whether the request has a value, null included, at a pointer."""
    value = x.facts.document
    *path, last = at.split("/")[1:]
    for part in path:
        inner = value[int(part)] if isinstance(value, list) and part.isdigit() else obj(value).get(part)
        value = inner
    return last in obj(value)


@check("common.result.error-visible-to-model")
def error_visible_to_model(x: Exchange) -> Verdicts:
    for meant, sent in _sent(x, errors=True):
        if text := text_of(meant).strip():
            visible = sent.text is not None and all(carries(sent.text, part) for part in _error_texts(meant))
            yield holds(visible, sent.content_at, text, sent.text)
        if sent.error is not None:
            yield holds(sent.error, sent.at, "a result that is marked as an error", "no mark")


def _error_texts(result: ToolResult) -> list[str]:
    return [text_of(ToolResult("", "", (part,))).strip() for part in result.content]


# --- where results must not be ---------------------------------------------------------------------------------------


@check("common.result.never-as-assistant-text")
def never_as_assistant_text(x: Exchange) -> Verdicts:
    for message in x.facts.messages:
        if message.role == "assistant":
            yield from (Finding(item.at, "results beside the model's turns", item.text) for item in message.results)
    for text, places in _spoken_results(x) if x.intent is None else _intended_results(x):
        leak = next((at for at, said in places if text == said.strip() or (x.intent and text in said)), None)
        yield None if leak is None else Finding(leak, "no tool output in the model's words", text)


def _intended_results(x: Exchange) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each result's text, and the assistant texts in which the model's own words do not account for it."""
    turns = x.intent.turns if x.intent is not None else ()
    own = [turn.text for turn in turns if isinstance(turn, AssistantTurn)]
    for turn in turns:
        for result in turn.results if isinstance(turn, ResultsTurn) else ():
            text = text_of(result).strip()
            if len(text) > 3 and not any(text in said for said in own):
                yield text, _assistant_texts(x)


def _spoken_results(x: Exchange) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Where nothing says what was meant: each result with the texts of the message that carries its call."""
    found = correlate(x.facts)
    for message in x.facts.messages:
        said = [(at, text) for at, text in message.texts if isinstance(text, str)]
        for call in message.calls:
            result = found.answers.get(call.at)
            text = (result.text or "").strip() if result is not None else ""
            if len(text) > 3:
                yield text, said


def _assistant_texts(x: Exchange) -> list[tuple[str, str]]:
    messages = [message for message in x.facts.messages if message.role == "assistant"]
    return [(at, text) for message in messages for at, text in message.texts if isinstance(text, str)]


@check("common.result.read-many-files-separators")
def read_many_files_separators(x: Exchange) -> Verdicts:
    found = correlate(x.facts)
    turns = x.intent.turns if x.intent is not None else ()
    meant = {result.call_id: result for turn in turns if isinstance(turn, ResultsTurn) for result in turn.results}
    for call, replayed in call_pairs(x):
        sent, result = found.answers.get(replayed.at), meant.get(call.id)
        if call.name != "read_many_files" or sent is None or sent.text is None or replayed.at in found.guessed:
            continue
        wanted = SEPARATOR.findall(text_of(result)) if result is not None else obj(call.arguments).get("paths")
        if wanted and not (result is not None and result.is_error):
            separators = SEPARATOR.findall(sent.text)
            yield holds(separators == wanted, sent.content_at, wanted, separators)
