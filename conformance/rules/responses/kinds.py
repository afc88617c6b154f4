"""Responses: calls of tools that the provider defined and the client runs, and what answers them."""

from __future__ import annotations

from conformance.model import TextPart
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.common.readings import calls_read
from conformance.rules.common.sent_texts import sent_results
from conformance.rules.responses.documents import input_items
from conformance.rules.shared.pairing import call_pairs, usable
from conformance.transcript import Exchange
from conformance.wires.facts import obj

MEMBERS = {"local_shell": "action", "shell": "action", "apply_patch": "operation"}
"""The member of a call that holds what it is given, by kind."""


@check("responses.parse.kinds", needs_intent=True)
def kinds(x: Exchange) -> Verdicts:
    """What came whole. What is cut off is left to the rules on cut calls."""
    for offered, read, at in calls_read(x):
        kind = x.intent.kind_of(offered.name) if x.intent is not None else None
        if kind in MEMBERS and not offered.invalid:
            if read is None:
                yield Finding(at, f"a call of {offered.name}", "no such call")
            else:
                right = not read.invalid and read.arguments == offered.arguments
                yield holds(right, f"{at}/arguments", offered.arguments, read.raw or read.arguments)


@check("responses.history.kinds-kept", needs_intent=True)
def kinds_kept(x: Exchange) -> Verdicts:
    for call, replayed in call_pairs(x) if x.intent is not None else ():
        kind = x.intent.kind_of(call.name) if x.intent is not None else None
        if kind in MEMBERS:
            expected = {"type": f"{kind}_call", MEMBERS[kind]: call.arguments}
            yield holds(replayed.kind == kind, replayed.at, expected, {"name": replayed.name, "given": replayed.raw})


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


@check("responses.result.kind-status", needs_intent=True)
def kind_status(x: Exchange) -> Verdicts:
    """Of failures the rule on errors asks. Outcomes that the tool itself told say what they say."""
    for meant, sent in sent_results(x, errors=False):
        if sent.error is not None and all(isinstance(part, TextPart) for part in meant.content):
            yield holds(not sent.error, sent.at, "a result that says that it went well", "a mark of failure")
