"""Lies about Responses."""

from __future__ import annotations

from dataclasses import replace

from conformance.http import Request, StreamEvent
from conformance.model import Json, compact_json
from conformance.mutants.liar import Liar
from conformance.wires.facts import items, obj, object_of


class CallsTheChatEndpoint(Liar):
    """A host is a host: requests go to /chat/completions."""

    aims = ("responses.http.endpoint-and-error",)

    def posts(self, request: Request) -> Request:
        return replace(request, url=request.url.replace("/responses", "/chat/completions"))


class NestsWhatFunctionsTake(Liar):
    """A function tool has a name, and a function."""

    aims = ("responses.declare.schema-at-top",)

    def sends(self, body: Json) -> Json:
        for tool in body.get("tools", []):
            if "parameters" in tool:
                tool["function"] = {"name": tool["name"], "parameters": tool.pop("parameters")}
        return body


class ExecutesHostedItems(Liar):
    """A call is a call, whoever runs the tool."""

    aims = ("responses.parse.server-tool-items-not-executed",)

    def reads(self, body: Json) -> Json:
        for place, item in items(obj(body).get("output")):
            if obj(item).get("type") in ("web_search_call", "file_search_call", "code_interpreter_call", "mcp_call"):
                call = {"type": "function_call", "name": "search", "arguments": "{}", "call_id": item.get("id")}
                body["output"][place] = {**call, "status": "completed"}
        return body


class NamesThinkingByItsId(Liar):
    """The provider knows its own items, so their ids are enough."""

    aims = ("responses.history.item-still-known",)

    def sends(self, body: Json) -> Json:
        for item in body["input"]:
            if obj(item).get("type") == "reasoning":
                item.pop("encrypted_content", None)
        return body


class AnswersAsTheToolRole(Liar):
    """Results are messages of the role tool, as in chat."""

    aims = ("responses.history.no-chat-tool-role",)

    def sends(self, body: Json) -> Json:
        body["input"] = [self._message(item) for item in body["input"]]
        return body

    @staticmethod
    def _message(item: Json) -> Json:
        if obj(item).get("type") != "function_call_output":
            return item
        return {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}


class LengthensCallIds(Liar):
    """Ids are made clearer by saying what they are ids of."""

    aims = ("responses.ids.call-id-length-64",)

    def sends(self, body: Json) -> Json:
        for item in body["input"]:
            if "call_id" in item:
                item["call_id"] = item["call_id"].ljust(70, "_")
        return body


class BelievesOnlyDeltas(Liar):
    """Arguments are what the fragments add up to. The final ones are only a summary."""

    aims = ("responses.stream.done-is-authoritative",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        documents = [(object_of(event.data) or {}) for event in events]
        heard: dict[Json, str] = {}
        for document in documents:
            if document.get("type") == "response.function_call_arguments.delta":
                heard[document.get("item_id")] = heard.get(document.get("item_id"), "") + document["delta"]
        return [
            StreamEvent(compact_json(self._corrected(document, heard)), event.event)
            for event, document in zip(events, documents, strict=True)
        ]

    @staticmethod
    def _corrected(document: Json, heard: dict[Json, str]) -> Json:
        if document.get("type") == "response.function_call_arguments.done":
            document["arguments"] = heard.get(document.get("item_id"), "")
        done = [item for _, item in items(obj(document.get("response")).get("output"))]
        done += [document["item"]] if document.get("type") == "response.output_item.done" else []
        for item in done:
            if obj(item).get("type") == "function_call":
                item["arguments"] = heard.get(item.get("id"), "")
        return document


class CountsEvents(Liar):
    """Where an event is missing in the count, the stream is broken."""

    aims = ("responses.stream.sequence-number",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        numbers = [(object_of(event.data) or {}).get("sequence_number") for event in events]
        return [event for place, event in enumerate(events) if numbers[place] == place]


class ContinuesByGuess(Liar):
    """The provider keeps every response, and what it keeps needs no id that it knows."""

    aims = ("responses.continuation.previous-response-id",)

    def sends(self, body: Json) -> Json:
        known = any(obj(item).get("type") == "function_call" for item in body["input"])
        return {**body, "previous_response_id": "resp_latest"} if known else body


class GivesAllItemsOneId(Liar):
    """An id tells where an item came from, and all of these came from the model."""

    aims = ("responses.ids.items-unique",)

    def sends(self, body: Json) -> Json:
        for item in body["input"]:
            if obj(item).get("type") == "function_call":
                item["id"] = "fc_model"
        return body


class LengthensItemIds(Liar):
    """The id of an item says in full what it is the id of."""

    aims = ("responses.ids.item-length-64",)

    def sends(self, body: Json) -> Json:
        for item in body["input"]:
            if isinstance(obj(item).get("id"), str):
                item["id"] = item["id"].ljust(70, "_")
        return body


class ForgetsPhases(Liar):
    """What the model says is what it says, whether it has come to the point or not."""

    aims = ("responses.history.marks-kept",)

    def sends(self, body: Json) -> Json:
        for item in body["input"]:
            if isinstance(item, dict):
                item.pop("phase", None)
        return body


class LeavesShellsOpen(Liar):
    """What was run in a shell is over, whatever came of it."""

    aims = ("responses.result.client-items-answered",)

    def sends(self, body: Json) -> Json:
        call = {"type": "shell_call", "call_id": "call_shell", "action": {"commands": ["ls"]}, "status": "completed"}
        return {**body, "input": [*body["input"], call]}


class LeavesQuestionsOpen(Liar):
    """Who is asked for approval and says no says nothing."""

    aims = ("responses.result.approval-answered",)

    def sends(self, body: Json) -> Json:
        asked = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"}
        return {**body, "input": [*body["input"], asked]}


class LimitsStrictTexts(Liar):
    """A strict schema says all that there is to say of a text, also that it is an address."""

    aims = ("responses.declare.strict-words",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            for one in obj(obj(tool.get("parameters")).get("properties")).values() if tool.get("strict") else ():
                one["format"] = "uri"
        return body


class NamesHostedTools(Liar):
    """Each tool has a name."""

    aims = ("responses.declare.builtin-tools-passthrough",)

    def sends(self, body: Json) -> Json:
        for tool in body.get("tools") or ():
            if str(tool.get("type")).startswith("web_search"):
                tool["name"] = "web_search"
        return body
