"""Servers that are wrong in one thing each, and the rules that may tell it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from changing import Change, Passing


@dataclass(frozen=True)
class WrongServer:
    """A change, the format in which it is tried, and the rules of which one must tell it."""

    change: Change
    rules: frozenset[str]
    provider: str = "openai-chat"
    before: Callable[[dict[str, Any]], None] | None = None


WRONG: dict[str, WrongServer] = {}
LATER: dict[str, WrongServer] = {}
"""Those that were written after the rules were done."""


def wrong(
    *rules: str, provider: str = "openai-chat", into: dict[str, WrongServer] = WRONG, **more: Any
) -> Callable[[Change], Change]:
    """Enter a wrong server under the name of its change."""

    def enter(change: Change) -> Change:
        into[change.__name__.replace("_", " ")] = WrongServer(change, frozenset(rules), provider, **more)
        return change

    return enter


def choices(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages and deltas of a chat document."""
    return [choice.get("message") or choice.get("delta") or {} for choice in document.get("choices", [])]


def calls(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of a chat document."""
    return [call for message in choices(document) for call in message.get("tool_calls") or []]


@wrong("chat.stream.done-sentinel")
def drops_done(passing: Passing) -> None:
    passing.body = passing.body.replace(b"data: [DONE]\n\n", b"")


@wrong("server.answer.ids-once", "server.answer.call-ids")
def gives_every_call_the_same_id(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for call in calls(document):
            if call.get("id"):
                call["id"] = "call_0"

    passing.each(edit)


@wrong("chat.stream.accumulate-by-index")
def repeats_id_and_name_in_every_delta(passing: Passing) -> None:
    known: dict[int, dict[str, Any]] = {}

    def edit(document: dict[str, Any]) -> None:
        for call in calls(document) if passing.is_stream else []:
            first = known.setdefault(call["index"], call)
            call["id"] = first["id"]
            call["function"]["name"] = first["function"]["name"]

    passing.each(edit)


@wrong("server.answer.arguments-object")
def writes_arguments_that_are_no_json(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for call in calls(document):
            if "arguments" in call["function"]:
                call["function"]["arguments"] = call["function"]["arguments"].replace('"', "'")

    passing.each(edit)


@wrong("server.answer.arguments-object")
def writes_arguments_twice(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for call in calls(document):
            call["function"]["arguments"] = call["function"].get("arguments", "") * 2

    passing.each(edit)


@wrong("server.answer.finish-fits")
def says_stop_beside_calls(passing: Passing) -> None:
    passing.body = passing.body.replace(b'"tool_calls","logprobs"', b'"stop","logprobs"').replace(
        b'"finish_reason":"tool_calls"', b'"finish_reason":"stop"'
    )


@wrong("server.answer.usage", "server.answer.types")
def leaves_usage_out(passing: Passing) -> None:
    passing.each(lambda document: document.pop("usage", None) is None or bool(document.get("choices")))


@wrong("server.stream.as-it-comes")
def holds_a_stream_back(passing: Passing) -> None:
    """The proxy reads all of the answer before it sends any: that is the change."""
    if passing.is_stream and "at once" in json.dumps(passing.asked) and len(passing.asked["messages"]) == 1:
        passing.wait, passing.pieces = 1.2, [passing.body[:100], passing.body[100:]]


@wrong("server.error.status")
def answers_errors_with_200(passing: Passing) -> None:
    passing.status = 200


@wrong("server.error.form")
def says_errors_as_text(passing: Passing) -> None:
    if passing.status >= 400:
        passing.body, passing.headers = b"Bad Request", {"content-type": "text/plain"}


@wrong("chat.stream.accumulate-by-index")
def mixes_indexes(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for call in calls(document) if passing.is_stream else []:
            call["index"] = call["index"] + 1

    passing.each(edit)


@wrong("server.stream.as-asked")
def answers_a_stream_with_a_document(passing: Passing) -> None:
    if passing.is_stream:
        text = {"role": "assistant", "content": "Hello.", "refusal": None}
        passing.says({
            "id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": text, "finish_reason": "stop", "logprobs": None}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        })  # fmt: skip
        passing.headers = {"content-type": "application/json"}


@wrong("server.answer.no-call-as-text")
def leaves_calls_in_the_text(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for choice in document.get("choices", []) if not passing.is_stream else []:
            made = choice["message"].pop("tool_calls", None)
            if made:
                choice["message"]["content"] = f"<tool_call>\n{json.dumps(made[0]['function'])}\n</tool_call>"
                choice["finish_reason"] = "stop"

    passing.each(edit)


def drops_orphans(asked: dict[str, Any]) -> None:
    """Take out of a request what answers no call, as a server does that does not look."""
    known = {call.get("id") for message in asked.get("messages", []) if isinstance(message, dict)
             for call in message.get("tool_calls") or []}  # fmt: skip
    asked["messages"] = [
        message for message in asked["messages"]
        if not isinstance(message, dict) or message.get("role") != "tool" or message.get("tool_call_id") in known
    ]  # fmt: skip


@wrong("chat.result.adjacent-and-complete", "common.result.no-orphan", before=drops_orphans)
def takes_orphans(passing: Passing) -> None:
    """What is asked is changed, not what is answered."""


@wrong("anthropic.stream.event-grammar", provider="anthropic")
def leaves_a_block_open(passing: Passing) -> None:
    passing.each(lambda document: document.get("type") != "content_block_stop")


@wrong("server.answer.finish-fits", provider="anthropic")
def ends_the_turn_beside_calls(passing: Passing) -> None:
    passing.body = passing.body.replace(b'"stop_reason":"tool_use"', b'"stop_reason":"end_turn"')


@wrong("responses.stream.event-grammar", provider="openai-responses")
def leaves_the_end_of_arguments_out(passing: Passing) -> None:
    numbers = itertools.count()

    def edit(document: dict[str, Any]) -> bool:
        if document.get("type") == "response.function_call_arguments.done":
            return False
        if "sequence_number" in document:
            document["sequence_number"] = next(numbers)
        return True

    passing.each(edit)


@wrong("ollama.stream.ndjson", provider="ollama")
def never_says_done(passing: Passing) -> None:
    if b'"done":false' in passing.body:
        passing.body = passing.body.replace(b'"done":true', b'"done":false')
