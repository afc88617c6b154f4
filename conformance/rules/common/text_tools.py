"""Tools that take one text instead of arguments: declared, called and called again as what they are.

Nobody decodes such a text. It may look like JSON, and is none.
"""

from __future__ import annotations

from conformance.http import Request
from conformance.model import TEXT_INPUT, Conversation, Json, TextInput
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.common.readings import calls_read
from conformance.rules.shared.pairing import call_pairs, tool_pairs
from conformance.transcript import Exchange
from conformance.wires.facts import SentTool, obj


@check("common.declare.text-tools", needs_intent=True)
def text_tools(x: Exchange) -> Verdicts:
    for tool, sent in tool_pairs(x) if isinstance(x.request, Request) else ():
        if tool.text is not None:
            expected = {"type": "custom", "grammar": _grammar(tool.text)}
            right = sent.takes_text and sent.grammar == _grammar(tool.text)
            yield holds(right, sent.at, expected, _declared(sent))
        else:
            yield holds(not sent.takes_text, sent.at, "a function, which takes arguments", sent.kind)


def _grammar(text: TextInput) -> tuple[Json, Json] | None:
    return None if text.syntax is None else (text.syntax, text.definition)


def _declared(sent: SentTool) -> Json:
    return {"type": sent.kind, "grammar": sent.grammar}


@check("common.choose.forced-kind")
def forced_kind(x: Exchange) -> Verdicts:
    """Whether a tool of that name was declared at all is for other rules."""
    raw = obj(x.facts.choice.raw) if x.facts.choice is not None else {}
    kind = raw.get("type")
    if kind in ("function", "custom"):
        name = raw.get("name", obj(raw.get(str(kind))).get("name"))
        kinds = {"custom" if tool.takes_text else "function" for tool in x.facts.client_tools if tool.name == name}
        if kinds:
            yield holds(kind in kinds, "/tool_choice", sorted(kinds), kind)


@check("common.history.text-calls", needs_intent=True)
def text_calls(x: Exchange) -> Verdicts:
    for call, replayed in call_pairs(x) if x.intent is not None else ():
        if _takes_text(x.intent, call.name):
            if not replayed.takes_text:
                yield Finding(replayed.at, "a call of a custom tool, with its input", "a call of a function")
            elif not call.invalid:
                yield holds(replayed.raw == call.text_input, replayed.arguments_at, call.text_input, replayed.raw)


@check("common.parse.text-input", needs_intent=True)
def text_input(x: Exchange) -> Verdicts:
    """What is cut off is left to the rules on cut calls. A call under another name is none."""
    for offered, read, at in calls_read(x):
        if not _takes_text(x.intent, offered.name) or offered.invalid:
            continue
        if read is None:
            yield Finding(at, f"a call of {offered.name}", "no such call")
        else:
            wanted, found = {TEXT_INPUT: offered.text_input}, read.arguments
            yield holds(not read.invalid and found == wanted, f"{at}/arguments", wanted, read.raw or found)


def _takes_text(intent: Conversation | None, name: str) -> bool:
    return intent is not None and intent.takes_text(name)
