"""Wrong servers that were written after the rules were done."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from changing import Passing
from wrong_servers import LATER, calls, wrong


@wrong("server.answer.content-type", into=LATER)
def says_that_json_is_text(passing: Passing) -> None:
    if not passing.is_stream:
        passing.headers = {"content-type": "text/plain"}


@wrong("server.answer.types", "chat.parse.tool-calls-from-message", into=LATER)
def gives_arguments_as_an_object(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for call in calls(document) if not passing.is_stream else []:
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])

    passing.each(edit)


@wrong("chat.stream.done-sentinel", into=LATER)
def never_says_why_a_stream_ends(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for choice in document.get("choices", []) if passing.is_stream else []:
            choice["finish_reason"] = None

    passing.each(edit)


@wrong("server.error.status", into=LATER)
def says_errors_in_a_stream_of_200(passing: Passing) -> None:
    if passing.status >= 400 and passing.asked.get("stream"):
        passing.status, passing.headers = 200, {"content-type": "text/event-stream"}
        passing.body = b"data: " + passing.body + b"\n\ndata: [DONE]\n\n"


@wrong("chat.stream.accumulate-by-index", "server.answer.call-ids", into=LATER)
def leaves_ids_out_of_streams(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for call in calls(document) if passing.is_stream else []:
            call.pop("id", None)

    passing.each(edit)


@wrong("server.request.taken", into=LATER)
def refuses_to_be_told_none(passing: Passing) -> None:
    if passing.asked.get("tool_choice") == "none":
        passing.status, passing.headers = 400, {"content-type": "application/json"}
        passing.says({"error": {"message": "only auto is supported", "type": "invalid_request_error"}})


@wrong("server.answer.readable", "chat.stream.done-sentinel", into=LATER)
def breaks_streams_off(passing: Passing) -> None:
    if passing.is_stream:
        passing.body = passing.body[: len(passing.body) * 2 // 3]


@wrong("server.answer.usage", into=LATER)
def counts_wrongly(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        if document.get("usage"):
            document["usage"]["total_tokens"] = 1

    passing.each(edit)


@wrong("chat.naming.pattern-64", "chat.declare.parameters-is-object-schema", into=LATER, before=lambda it: mend(it))
def takes_any_tool(passing: Passing) -> None:
    """What is asked is changed: names and schemas are made right."""


def mend(asked: dict[str, Any]) -> None:
    """Make the tools of a request right, as a server does that does not look at them."""
    for number, tool in enumerate(asked.get("tools") or []):
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict):
            tool["function"]["name"] = f"tool_{number}"
            tool["function"]["parameters"] = {"type": "object", "properties": {}}
            tool["function"].pop("strict", None)
    asked.pop("tool_choice", None)


@wrong("anthropic.stream.event-grammar", provider="anthropic", into=LATER)
def drops_the_names_of_events(passing: Passing) -> None:
    if passing.is_stream:
        lines = passing.body.split(b"\n")
        passing.body = b"\n".join(line for line in lines if not line.startswith(b"event: "))


@wrong("server.answer.call-ids", "server.answer.ids-once", provider="anthropic", into=LATER)
def gives_calls_one_id(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for block in [*document.get("content", []), document.get("content_block", {})]:
            if block.get("type") == "tool_use":
                block["id"] = "toolu_1"

    passing.each(edit)


@wrong("responses.stream.event-grammar", provider="openai-responses", into=LATER)
def changes_the_ids_of_items(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        if document.get("type") == "response.output_item.done":
            document["item"]["id"] += "x"

    passing.each(edit)


@wrong("gemini.stream.sse-and-json-array", provider="gemini", into=LATER)
def never_finishes(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for candidate in document.get("candidates", []) if passing.is_stream else []:
            candidate.pop("finishReason", None)

    passing.each(edit)


@wrong("server.answer.finish-fits", provider="unified", into=LATER)
def says_that_the_turn_ended_beside_calls(passing: Passing) -> None:
    passing.body = passing.body.replace(b'"stop_reason":"tool_calls"', b'"stop_reason":"end"')


@wrong("unified.parse.tool-call-args-object", provider="unified", into=LATER)
def writes_calls_in_the_form_of_openai(passing: Passing) -> None:
    def edit(document: dict[str, Any]) -> None:
        for message in document.get("output", []):
            for call in message.get("tool_calls", []):
                written = json.dumps(call.pop("args", {}))
                call.update(type="function", function={"name": call.pop("name", ""), "arguments": written})

    passing.each(edit)


@wrong("server.request.taken", provider="unified", into=LATER)
def refuses_results_that_are_text(passing: Passing) -> None:
    _refuses(passing, lambda message: isinstance(message.get("content"), str))


@wrong("server.request.taken", provider="unified", into=LATER)
def refuses_results_without_ids(passing: Passing) -> None:
    _refuses(passing, lambda message: "tool_call_id" not in message)


def _refuses(passing: Passing, which: Callable[[dict[str, Any]], bool]) -> None:
    sent = passing.asked.get("input")
    if any(which(message) for message in (sent if isinstance(sent, list) else ()) if message.get("role") == "tool"):
        error = {"type": "invalid_request_error", "message": "No.", "status": 400}
        passing.status, passing.headers = 400, {"content-type": "application/json"}
        passing.says({"error": error})
