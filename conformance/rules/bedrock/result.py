"""Converse: results of calls."""

from __future__ import annotations

from conformance.model import Json
from conformance.rules.bedrock.documents import all_blocks, blocks_of, messages
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.pairing import answers
from conformance.transcript import Exchange


@check("bedrock.result.all-in-next-message")
def all_in_next_message(x: Exchange) -> Verdicts:
    """Calls without any result are left to the rule about these."""
    known: list[Json] = []
    for message in messages(x):
        uses, results = blocks_of(message, "toolUse"), blocks_of(message, "toolResult")
        for at, result in results:
            ref = result.get("toolUseId")
            yield holds(ref in known, f"{at}/toolUseId", known or "no result: no call is before it", ref)
        if message[1].get("role") != "system":
            known = [use.get("toolUseId") for _, use in uses]


@check("bedrock.result.failure-says-something")
def failure_says_something(x: Exchange) -> Verdicts:
    for at, result in all_blocks(x, "toolResult"):
        if result.get("status") == "error":
            content = result.get("content")
            yield holds(bool(content), f"{at}/content", "what went wrong", content)


@check("bedrock.result.status")
def status(x: Exchange) -> Verdicts:
    meant = {answer.sent.at: answer.meant.is_error for answer in answers(x) if answer.sent is not None}
    for at, result in all_blocks(x, "toolResult"):
        word = result.get("status")
        if at in meant:
            right = word == "error" if meant[at] else word in (None, "success")
            yield holds(right, f"{at}/status", "error" if meant[at] else "success, or no such field", word)
        elif word is not None:
            yield holds(word in ("success", "error"), f"{at}/status", ["success", "error"], word)
