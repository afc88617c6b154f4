"""Chat Completions: results of calls, and the images that tools return."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping

from conformance.model import ImagePart, Json, ToolResult
from conformance.rules.chat_documents import IMAGE_PARTS, has_image, messages
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.pairing import answers, usable
from conformance.transcript import Exchange
from conformance.wires.facts import Round, SentCall, SentResult, items, obj

ERROR_FLAGS = ("is_error", "isError", "error")
"""Marks of other formats for a tool that failed."""

DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/]{16}")


@check("chat.result.tool-role-with-id")
def tool_role_with_id(x: Exchange) -> Verdicts:
    """Ids that no call of the request has are left to the rule on orphans, and old roles to theirs."""
    known = [call.id for call in x.facts.calls]
    own = {id(result): [call.id for call in turn.calls] for turn in x.facts.rounds for result in turn.results}
    for result in (item for message in x.facts.messages if message.wire_role == "tool" for item in message.results):
        if not usable(result.ref):
            yield Finding(result.ref_at, "the id of the call", result.ref)
        elif result.ref in known:
            ids = own.get(id(result), known)
            yield holds(result.ref in ids, result.ref_at, ids, result.ref)


@check("chat.result.adjacent-and-complete")
def adjacent_and_complete(x: Exchange) -> Verdicts:
    """Wrong ids are left to the rules on ids: a result is missing when there are fewer results than calls."""
    for turn in x.facts.rounds:
        message = _message_of(turn.calls[0])
        apart = next((call for call in turn.calls if _message_of(call) != message), None)
        if apart is not None:
            yield Finding(_message_of(apart), f"the tool messages for {message}", "another message with calls")
        elif turn.between:
            first = turn.between[0]
            yield Finding(first.at, "a tool message, until every call has its result", {"role": first.wire_role})
        elif len(turn.results) + len(turn.late) < len(turn.calls):
            answered = [result.ref for result in turn.results]
            missing = next((call for call in turn.calls if call.id not in answered), turn.calls[-1])
            yield Finding(missing.at, f"a tool message for {missing.id} right after the message", answered)
        else:
            yield None


def _message_of(call: SentCall) -> str:
    return "/".join(call.at.split("/")[:3])


@check("chat.result.call-order")
def call_order(x: Exchange) -> Verdicts:
    for turn in x.facts.rounds:
        ids, refs = [call.id for call in turn.calls], [result.ref for result in turn.results]
        if len(refs) > 1 and _distinct(ids) and _distinct(refs) and all(ref in ids for ref in refs):
            expected = [call_id for call_id in ids if call_id in refs]
            yield _out_of_order(turn, expected, refs)


def _distinct(ids: list[Json]) -> bool:
    return all(map(usable, ids)) and len(set(ids)) == len(ids)


def _out_of_order(turn: Round, expected: list[Json], refs: list[Json]) -> Finding | None:
    wrong = [place for place, ref in enumerate(refs) if ref != expected[place]]
    return Finding(turn.results[wrong[0]].ref_at, expected, refs) if wrong else None


@check("chat.result.content-string-or-text-parts")
def content_string_or_text_parts(x: Exchange) -> Verdicts:
    """Image parts are another rule's finding. On Mistral content may be null: ``ToolMessage`` in its SDK."""
    for result in x.facts.results:
        content = result.content
        if isinstance(content, list):
            yield _text_parts(result)
        elif content is not None or not x.card.takes.null_results:
            yield holds(isinstance(content, str), result.content_at, "text, or parts of text", content)


def _text_parts(result: SentResult) -> Finding | None:
    if not result.content:
        return Finding(result.content_at, "at least one part", [])
    for place, part in items(result.content):
        kind = obj(part).get("type")
        if kind not in IMAGE_PARTS and not (kind == "text" and isinstance(part.get("text"), str)):
            return Finding(f"{result.content_at}/{place}", {"type": "text", "text": "..."}, part)
    return None


@check("chat.result.error-as-text")
def error_as_text(x: Exchange) -> Verdicts:
    failed = {answer.sent.at for answer in answers(x) if answer.sent is not None and answer.meant.is_error}
    for at, message in messages(x):
        flags = [flag for flag in ERROR_FLAGS if flag in message]
        if message.get("role") == "tool" and (flags or at in failed):
            yield Finding(f"{at}/{flags[0]}", "no such field", message[flags[0]]) if flags else None


# --- images ----------------------------------------------------------------------------------------------------------


@check("chat.binary.no-image-in-tool-message")
def no_image_in_tool_message(x: Exchange) -> Verdicts:
    pictures = {picture for answer in answers(x) for picture in _pictures(answer.meant)}
    summaries = {answer.sent.at for answer in answers(x) if answer.sent is not None and _pictures(answer.meant)}
    for result in x.facts.results:
        text = result.text if isinstance(result.text, str) else ""
        if result.images:
            at, media_type, _ = result.images[0]
            yield Finding(at, "text that says what the image is", {"image": media_type})
        elif any(picture in text for picture in pictures) or DATA_URL.search(text):
            yield Finding(result.content_at, "text that says what the image is", text[:120])
        elif result.at in summaries:
            yield None


def _pictures(result: ToolResult) -> list[str]:
    """How the images of a result begin, in base64."""
    return [base64.b64encode(part.data).decode()[:64] for part in result.content if isinstance(part, ImagePart)]


@check("chat.binary.image-in-following-user-message")
def image_in_following_user_message(x: Exchange) -> Verdicts:
    between = {message.at for turn in x.facts.rounds for message in turn.between}
    before: Json = None
    for at, message in messages(x):
        if message.get("role") == "user" and has_image(message):
            if at in between:
                yield Finding(at, "images after all tool messages of the turn", "an image between them")
            elif before == "tool":
                yield next(_altered(x, at, message), None)
        before = message.get("role")


def _altered(x: Exchange, at: str, message: Mapping[str, Json]) -> Iterator[Finding]:
    """The images of a message that are none of those that the tools returned, as far as that is known."""
    returned = [part for answer in answers(x) for part in answer.meant.content if isinstance(part, ImagePart)]
    urls = [f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}" for part in returned]
    for place, part in items(message.get("content")):
        url = obj(obj(part).get("image_url")).get("url")
        if urls and obj(part).get("type") == "image_url" and url not in urls:
            yield Finding(f"{at}/content/{place}/image_url/url", urls[0][:60], str(url)[:60])
