"""Chat Completions: what a request repeats of the conversation so far."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.http import Request
from conformance.model import Json
from conformance.rules.chat.documents import answered_calls, messages
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import call_pairs, usable
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj

RESPONSES_FIELDS = ("input", "instructions", "previous_response_id")
"""Top-level fields of the Responses API that have no meaning here."""


@check("chat.history.arguments-json-string")
def arguments_json_string(x: Exchange) -> Verdicts:
    objects = {call.at for meant, call in call_pairs(x) if meant.arguments is not None}
    answered = [call["function"].get("arguments") for earlier in x.earlier for call in answered_calls(earlier.answer)]
    for call in x.facts.calls:
        if call.raw is None:
            continue  # absent: another rule's finding
        if not isinstance(call.raw, str):
            taken = isinstance(call.raw, dict) and x.card.takes.object_arguments
            yield holds(taken, call.arguments_at, "JSON text", call.raw)
        else:
            # Text that came from the model may be replayed word for word: only what was an object must stay one.
            right = call.arguments is not None or call.at not in objects or call.raw in answered
            yield holds(right, call.arguments_at, "the JSON text of an object", call.raw)


@check("chat.history.assistant-call-fields")
def assistant_call_fields(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        calls = items(message.get("tool_calls"))
        if message.get("role") == "assistant" and calls:
            content = message.get("content")
            right = content is None or isinstance(content, str) or _is_text(content)
            yield holds(right, f"{at}/content", "null, text, or parts of text", content)
            for place, call in calls:
                if obj(call).get("type") != "custom":
                    yield _incomplete(f"{at}/tool_calls/{place}", obj(call), x.card.takes.untyped)


def _is_text(content: Json) -> bool:
    """Whether the content is parts that an assistant message may have; calls of other formats are not among them."""
    kinds = [obj(part).get("type") for _, part in items(content)]
    return isinstance(content, list) and not {"tool_use", "tool_call", "function_call"}.intersection(map(str, kinds))


def _incomplete(at: str, call: Mapping[str, Json], untyped: bool) -> Finding | None:
    function, kind = call.get("function"), call.get("type")
    if not isinstance(function, dict):
        return Finding(at, ["id", "type", "function"], sorted(call))
    if kind != "function" and not (kind is None and untyped):
        return Finding(f"{at}/type", "function", kind)
    if not usable(call.get("id")):
        return Finding(f"{at}/id", "the id of the call", call.get("id"))
    if not isinstance(function.get("name"), str):
        return Finding(f"{at}/function/name", "the name of the function", function.get("name"))
    return holds(function.get("arguments") is not None, f"{at}/function/arguments", "the arguments", None)


@check("chat.history.system-message-first")
def system_message_first(x: Exchange) -> Verdicts:
    document, wanted = obj(x.facts.document), x.intent.system if x.intent is not None else None
    if document.get("system") is not None:
        yield Finding("/system", "a message with the role system", document["system"])
        return
    texts: list[str] = []
    for message in x.facts.messages:
        if message.role != "system":
            break
        texts += [str(text) for _, text in message.texts]
    if wanted is not None and x.facts.messages:
        yield holds(wanted in "\n".join(texts), "/messages/0", {"role": "system", "content": wanted}, texts)
    elif texts:
        yield None


@check("chat.history.no-legacy-function-role")
def no_legacy_function_role(x: Exchange) -> Verdicts:
    """A request that is legacy throughout is a deprecated API used rightly: only mixing is wrong, or choosing it."""
    document = obj(x.facts.document)
    modern = document.get("tools") or any(message.get("tool_calls") for _, message in messages(x))
    if not modern and x.intent is None:
        return
    for name in ("functions", "function_call"):
        if document.get(name) is not None:
            yield Finding(f"/{name}", "tools and tool_choice", document[name])
    for at, message in messages(x):
        if message.get("role") == "function":
            yield Finding(f"{at}/role", "tool", "function")
        elif message.get("function_call") is not None:
            yield Finding(f"{at}/function_call", "tool_calls", message["function_call"])
        elif message.get("role") == "tool" or message.get("tool_calls"):
            yield None


@check("chat.history.messages-container-only")
def messages_container_only(x: Exchange) -> Verdicts:
    if not isinstance(x.request, Request):
        return
    document = obj(x.facts.document)
    yield holds(bool(items(document.get("messages"))), "/messages", "a list of messages", document.get("messages"))
    for name in RESPONSES_FIELDS:
        if document.get(name) is not None:
            yield Finding(f"/{name}", "nothing: it belongs to the Responses API", document[name])
    for at, message in messages(x):
        kind = message.get("type")
        if message.get("role") is None and isinstance(kind, str) and kind != "tool_decision":
            yield Finding(at, "a message with a role", {"type": kind})
