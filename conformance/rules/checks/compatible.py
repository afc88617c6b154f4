"""What only some providers of the chat format do: Azure, xAI, DeepSeek, Mistral, and one endpoint of Gemini."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from conformance.http import Request
from conformance.model import Json
from conformance.rules.chat_documents import (
    Object,
    answered_calls,
    answered_message,
    call_deltas,
    lanes,
    messages,
    sent_calls,
)
from conformance.rules.check import Verdicts, check, equal, has_key, holds
from conformance.rules.checks.chat_request import has_bearer
from conformance.rules.checks.chat_stream import any_calls, differs, same_arguments, same_calls, understood_stream
from conformance.rules.checks.common_http import posts_to
from conformance.rules.models import model_changed
from conformance.rules.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj, object_of

AZURE_PATHS = re.compile(r"/(openai/deployments/[^/]+|openai/v1|models)/chat/completions")
"""A deployment's own path, and the two where the body names the model: OpenAI's, and that of all makers' models."""
BEFORE_V4 = ("deepseek-chat", "deepseek-coder", "deepseek-reasoner")
"""DeepSeek's models that do not think unless they are told to, or not with tools."""
NINE = re.compile(r"[a-zA-Z0-9]{9}")


# --- Azure -----------------------------------------------------------------------------------------------------------


@check("azure.http.endpoint-and-auth")
def azure_endpoint_and_auth(x: Exchange) -> Verdicts:
    """Recorders drop keys and queries, so these are looked at only where the adapter's own request is at hand."""
    request = x.request
    if not isinstance(request, Request):
        return
    path = AZURE_PATHS.search(request.path)
    known = path is not None and posts_to(x, request, path.group())
    expected = "POST /openai/deployments/{deployment}/chat/completions, or below /openai/v1 or /models"
    yield holds(known, "", expected, f"{request.method} {request.path}")
    if x.intent is not None:
        if path is not None and path.group(1).startswith("openai/deployments/"):
            yield holds("api-version=" in request.query, "", "the query api-version=...", request.query)
        yield has_key(bool(request.header("api-key")) or has_bearer(request), "api-key, or a bearer token", None)


@check("azure.stream.prompt-filter-chunk")
def prompt_filter_chunk(x: Exchange) -> Verdicts:
    if understood_stream(x) is None:
        return
    chunks = [obj(chunk) for chunk in x.documents]
    if any(not chunk.get("choices") and "prompt_filter_results" in chunk for chunk in chunks):
        yield differs(x, "/text", lambda turn: turn.text)
        yield any_calls(x)


# --- xAI -------------------------------------------------------------------------------------------------------------


@check("xai.stream.whole-call-in-one-chunk")
def whole_call_in_one_chunk(x: Exchange) -> Verdicts:
    by_index = lanes(call_deltas(x)) if understood_stream(x) is not None else []
    whole = [len(lane) == 1 and object_of(lane[0].arguments) is not None and bool(lane[0].name) for lane in by_index]
    if whole and all(whole):
        yield same_calls(x)
        yield from same_arguments(x)


# --- DeepSeek --------------------------------------------------------------------------------------------------------


@check("deepseek.choose.thinking-forbids-forcing")
def thinking_forbids_forcing(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    choice = document.get("tool_choice")
    forced = choice == "required" or isinstance(choice, dict)
    switch = obj(document.get("thinking")).get("type")
    thinks = switch != "disabled" if switch is not None else document.get("model") not in BEFORE_V4
    if x.facts.tools and (forced or switch == "enabled"):
        yield holds(not (forced and thinks), "/tool_choice", ["auto", "none"], choice)


@check("deepseek.history.reasoning-content")
def reasoning_content(x: Exchange) -> Verdicts:
    came = _reasoning_that_came(x)
    replayed = [(at, message) for at, message in messages(x) if message.get("role") == "assistant"]
    if not _thinks(x, came, replayed):
        return
    for at, message in replayed:
        if not items(message.get("tool_calls")):
            continue
        expected, found = came.get(_ids(message)), message.get("reasoning_content")
        if expected:
            yield equal(f"{at}/reasoning_content", expected, found)
        else:
            yield holds(isinstance(found, str), f"{at}/reasoning_content", "the thinking, or empty text", found)


def _thinks(x: Exchange, came: Mapping[Json, str], replayed: list[tuple[str, Object]]) -> bool:
    """Whether the conversation is in thinking mode. The request may switch it off."""
    if obj(obj(x.facts.document).get("thinking")).get("type") == "disabled":
        return False
    return any(came.values()) or any(message.get("reasoning_content") for _, message in replayed)


def _reasoning_that_came(x: Exchange) -> dict[Json, str]:
    """The thinking of each earlier answer with calls, by the ids of the calls."""
    answers = [answered_message(earlier.answer) for earlier in x.earlier]
    return {_ids(message): str(message.get("reasoning_content") or "") for message in answers if _ids(message)}


def _ids(message: Object) -> tuple[str, ...]:
    return tuple(str(obj(call).get("id")) for _, call in items(message.get("tool_calls")))


# --- Mistral ---------------------------------------------------------------------------------------------------------


@check("mistral.ids.nine-alphanumerics")
def nine_alphanumerics(x: Exchange) -> Verdicts:
    ids = [(call.id_at, call.id) for call in x.facts.calls] + [(item.ref_at, item.ref) for item in x.facts.results]
    for at, value in ids:
        if isinstance(value, str):
            yield holds(NINE.fullmatch(value) is not None, at, "nine letters or digits", value)


@check("mistral.history.assistant-before-user")
def assistant_before_user(x: Exchange) -> Verdicts:
    sent = messages(x)
    for (_, before), (at, message) in pairwise(sent):
        if before.get("role") == "tool":
            yield holds(message.get("role") != "user", f"{at}/role", "a message of the assistant before", "user")


@check("mistral.history.no-reasoning-content")
def no_reasoning_content(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        if message.get("role") == "assistant":
            sent = "reasoning_content" in message
            yield holds(not sent, f"{at}/reasoning_content", "no such field", message.get("reasoning_content"))


@check("mistral.parse.arguments-string-or-object")
def arguments_string_or_object(x: Exchange) -> Verdicts:
    """Arguments that are text, under a type and an id, are what every chat provider sends: nothing to examine."""
    offered, read = x.offered, x.parsed
    if offered is None or read is None or not _has_liberties(x):
        return
    names = [call.name for call in offered.calls], [call.name for call in read.calls]
    yield holds(len(names[0]) == len(names[1]), "/calls", *names)
    for place, (call, other) in enumerate(zip(offered.calls, read.calls, strict=False)):
        if not call.invalid:
            yield holds(call.arguments == other.arguments, f"/calls/{place}/arguments", call.arguments, other.arguments)
        if call.id in ("", "null"):
            own = usable(other.id) and other.id != "null"
            yield holds(own, f"/calls/{place}/id", "an id made up by the reader", other.id)


def _has_liberties(x: Exchange) -> bool:
    """Whether a call came in a way that only Mistral's types allow."""
    if x.streamed:
        deltas = call_deltas(x)
        return any(isinstance(delta.arguments, dict) or delta.id == "null" for delta in deltas)
    calls = answered_calls(x.answer)
    return any(
        isinstance(obj(call.get("function")).get("arguments"), dict)
        or "type" not in call
        or call.get("id") in (None, "null")
        for call in calls
    )


# --- Gemini's chat endpoint ------------------------------------------------------------------------------------------


@check("compat.history.gemini-openai-thought-signature")
def thought_signature(x: Exchange) -> Verdicts:
    came = {
        call["id"]: signature
        for earlier in x.earlier
        if not model_changed(x, earlier)
        for call in answered_calls(earlier.answer)
        if usable(call.get("id")) and (signature := _signature(call)) is not None
    }
    for at, call in sent_calls(x):
        expected = came.get(call["id"]) if usable(call.get("id")) else None
        if expected is not None:
            yield equal(f"{at}/extra_content/google/thought_signature", expected, _signature(call))


def _signature(call: Object) -> Json:
    return obj(obj(call.get("extra_content")).get("google")).get("thought_signature")
