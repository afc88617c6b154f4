"""Chat Completions: results of calls."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.chat.documents import IMAGE_PARTS, messages
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import answers, usable
from conformance.transcript import Exchange
from conformance.wires.facts import Round, SentCall, SentResult, items, obj

ERROR_FLAGS = ("is_error", "isError", "error")
"""Marks of other formats for a tool that failed."""


@check("chat.result.tool-role-with-id")
def tool_role_with_id(x: Exchange) -> Verdicts:
    """Ids that no call of the request has are left to the rule on orphans, and old roles to theirs."""
    known = {call.id for call in x.facts.calls if isinstance(call.id, str)}
    own = {id(result): turn for turn in x.facts.rounds for result in turn.results}
    ids_of = {id(turn): {call.id: None for call in turn.calls if isinstance(call.id, str)} for turn in x.facts.rounds}
    for result in (item for message in x.facts.messages if message.wire_role == "tool" for item in message.results):
        if not usable(result.ref):
            yield Finding(result.ref_at, "the id of the call", result.ref)
        elif result.ref in known:
            turn = own.get(id(result))
            if turn is None or result.ref in ids_of[id(turn)]:
                yield None
            else:
                yield Finding(result.ref_at, [call.id for call in turn.calls], result.ref)


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
