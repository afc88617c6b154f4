"""Chat Completions: what a request says of its own accord, beside calls and results."""

from __future__ import annotations

from conformance.http import Request
from conformance.model import UserTurn
from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj

INSTEAD = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant message may have instead of content."""


@check("chat.http.usage-asked-for")
def usage_asked_for(x: Exchange) -> Verdicts:
    if x.twin is not None and x.twin.usage is not None and x.facts.stream:
        asked = x.facts.settings.usage
        yield holds(asked, "/stream_options", {"include_usage": True}, obj(x.facts.document).get("stream_options"))


@check("chat.http.stream-options-in-streams")
def stream_options_in_streams(x: Exchange) -> Verdicts:
    options = obj(x.facts.document).get("stream_options")
    if options is not None:
        yield holds(x.facts.stream, "/stream_options", "nothing, where no stream is asked for", options)


@check("chat.history.nothing-empty-said", needs_intent=True)
def nothing_empty_said(x: Exchange) -> Verdicts:
    turns = [turn for turn in x.intent.turns if isinstance(turn, UserTurn)] if x.intent is not None else []
    if not all(turn.text.strip() for turn in turns):
        return
    for place, message in items(obj(x.facts.document).get("messages")):
        if turns and obj(message).get("role") == "user":
            content = obj(message).get("content")
            yield holds(content not in (None, "", []), f"/messages/{place}/content", "something said", content)


@check("chat.history.content-unless-calls", needs_intent=True)
def content_unless_calls(x: Exchange) -> Verdicts:
    for place, item in items(obj(x.facts.document).get("messages")) if x.intent is not None else ():
        message = obj(item)
        if message.get("role") == "assistant" and not any(message.get(name) for name in INSTEAD):
            content = message.get("content")
            yield holds(content is not None, f"/messages/{place}/content", "a text, be it empty", content)


@check("chat.http.model-named", needs_intent=True)
def model_named(x: Exchange) -> Verdicts:
    if x.intent is not None and isinstance(x.request, Request):
        yield holds(x.asked_model != "", "/model", "the name of a model", None)


@check("chat.history.no-empty-call-list")
def no_empty_call_list(x: Exchange) -> Verdicts:
    for place, item in items(obj(x.facts.document).get("messages")):
        message = obj(item)
        if message.get("role") == "assistant" and "tool_calls" in message:
            calls = message["tool_calls"]
            yield holds(calls != [], f"/messages/{place}/tool_calls", "calls, or no such key", calls)
