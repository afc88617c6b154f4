"""Sending results, on every wire: values, texts, empty results and failures reach the model as they are."""

from __future__ import annotations

from conformance.model import JsonPart, TextPart, ToolResult
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.common.sent_texts import LARGE, is_cut, quotes_any, says_all, sent_results, sent_texts
from conformance.rules.shared.pairing import answers
from conformance.rules.shared.texts import carries, carries_value, container, own_text
from conformance.transcript import Exchange
from conformance.wires.facts import obj


@check("common.result.structured-output-serialised-as-json", needs_intent=True)
def structured_output_serialised_as_json(x: Exchange) -> Verdicts:
    for meant, sent in sent_results(x, errors=False):
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


@check("common.result.string-not-double-encoded", needs_intent=True)
def string_not_double_encoded(x: Exchange) -> Verdicts:
    for meant, sent in sent_results(x, errors=False):
        texts = sent_texts(meant)
        if not texts or sent.text is None or (len(texts[0]) >= LARGE and is_cut(sent.text, texts[0])):
            continue
        if len(meant.content) == 1:
            right = sent.text == texts[0] or _same_container(sent.text, texts[0])
        else:
            right = says_all(sent.text, texts) and not quotes_any(sent.text, texts)
        yield holds(right, sent.content_at, "\n".join(texts), sent.text)


def _same_container(sent: str, text: str) -> bool:
    """Whether both are the same JSON: a wire of objects may take a text that is one as an object."""
    return container(text) is not None and same_json(container(text), container(sent))


@check("common.result.empty-result-sent", needs_intent=True)
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


@check("common.result.error-visible-to-model", needs_intent=True)
def error_visible_to_model(x: Exchange) -> Verdicts:
    for meant, sent in sent_results(x, errors=True):
        if text := own_text(meant).strip():
            visible = sent.text is not None and all(carries(sent.text, part) for part in _error_texts(meant))
            yield holds(visible, sent.content_at, text, sent.text)
        if sent.error is not None:
            yield holds(sent.error, sent.at, "a result that is marked as an error", "no mark")


def _error_texts(result: ToolResult) -> list[str]:
    return [own_text(ToolResult("", "", (part,))).strip() for part in result.content]
