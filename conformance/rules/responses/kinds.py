"""Responses: calls of tools that the provider defined and the client runs, and what answers them."""

from __future__ import annotations

from conformance.model import DecisionsTurn, TextPart
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.common.readings import calls_read
from conformance.rules.common.sent_texts import sent_results
from conformance.rules.responses.documents import answered_items, input_items
from conformance.rules.shared.pairing import call_pairs, usable
from conformance.transcript import Exchange
from conformance.wires.facts import obj

ITEMS = {
    "local_shell": "local_shell_call", "shell": "shell_call", "apply_patch": "apply_patch_call",
    "mcp": "mcp_approval_request",
}  # fmt: skip
"""The items that are calls, by kind."""


@check("responses.parse.kinds", needs_intent=True)
def kinds(x: Exchange) -> Verdicts:
    """What came whole. What is cut off is left to the rules on cut calls."""
    for offered, read, at in calls_read(x):
        kind = x.intent.kind_of(offered.name) if x.intent is not None else None
        if kind in ITEMS and not offered.invalid:
            if read is None:
                yield Finding(at, f"a call of {offered.name}", "no such call")
            else:
                right = not read.invalid and read.arguments == offered.arguments
                yield holds(right, f"{at}/arguments", offered.arguments, read.raw or read.arguments)


@check("responses.history.kinds-kept", needs_intent=True)
def kinds_kept(x: Exchange) -> Verdicts:
    for call, replayed in call_pairs(x) if x.intent is not None else ():
        kind = x.intent.kind_of(call.name) if x.intent is not None else None
        if kind in ITEMS:
            found = {"name": replayed.name, "given": replayed.raw}
            yield holds(replayed.kind == kind, replayed.at, {"type": ITEMS[kind], "given": call.arguments}, found)


@check("responses.result.shell-limit-kept")
def shell_limit_kept(x: Exchange) -> Verdicts:
    """What the model said of lengths. Null says nothing."""
    limits = {item["call_id"]: obj(item.get("action")).get("max_output_length")
              for _, item in input_items(x, "shell_call") if usable(item.get("call_id"))}  # fmt: skip
    for at, item in input_items(x, "shell_call_output"):
        call_id = item.get("call_id")
        limit = limits.get(call_id) if isinstance(call_id, str) else None
        if limit is not None:
            found = item.get("max_output_length")
            yield holds(found == limit, f"{at}/max_output_length", limit, found)


@check("responses.result.approval-as-decided", needs_intent=True)
def approval_as_decided(x: Exchange) -> Verdicts:
    """That there is a response at all is another rule's. What the provider itself sent goes back as it came."""
    turns = x.intent.turns if x.intent is not None else ()
    decided = {one.call_id: one.accept for turn in turns if isinstance(turn, DecisionsTurn) for one in turn.decisions}
    sent = {
        call.id: decided[meant.id]
        for meant, call in call_pairs(x)
        if isinstance(call.id, str) and usable(meant.id) and meant.id in decided
    }
    asked = [item.get("id") for _, item in input_items(x, "mcp_approval_request")]
    came = [item for earlier in x.earlier for item in answered_items(earlier.answer)]
    for at, item in input_items(x, "mcp_approval_response"):
        ref = item.get("approval_request_id")
        if isinstance(ref, str) and ref in sent:
            yield holds(item.get("approve") is sent[ref], f"{at}/approve", sent[ref], item.get("approve"))
        elif ref not in asked and not x.facts.is_partial and item not in came:
            yield Finding(f"{at}/approval_request_id", "the id of a request in this request", ref)


@check("responses.result.kind-status", needs_intent=True)
def kind_status(x: Exchange) -> Verdicts:
    """Of failures the rule on errors asks. Outcomes that the tool itself told say what they say."""
    for meant, sent in sent_results(x, errors=False):
        if sent.error is not None and all(isinstance(part, TextPart) for part in meant.content):
            yield holds(not sent.error, sent.at, "a result that says that it went well", "a mark of failure")
