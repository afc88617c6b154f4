"""Lies about Chat Completions, and about the providers that speak it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.http import Request, StreamEvent
from conformance.model import Json, compact_json
from conformance.mutants.liar import Liar
from conformance.wires.facts import items, obj, object_of


def messages_of(body: Json, role: str) -> list[dict[str, Json]]:
    """The messages with a role."""
    return [message for message in body["messages"] if message["role"] == role]


class CallsAnotherEndpoint(Liar):
    """All of OpenAI's models are behind /responses."""

    aims = ("chat.http.endpoint-and-auth", "azure.http.endpoint-and-auth")

    def posts(self, request: Request) -> Request:
        return replace(request, url=request.url.replace("/chat/completions", "/responses"))


class SaysThePathTwice(Liar):
    """The base URL may or may not end with the version, so the version is always put behind it."""

    aims = (
        "chat.http.endpoint-and-auth", "azure.http.endpoint-and-auth", "responses.http.endpoint-and-error",
        "anthropic.http.headers", "gemini.http.endpoint-and-auth", "ollama.http.endpoint",
    )  # fmt: skip

    def posts(self, request: Request) -> Request:
        first = request.path.split("/")[1]
        return replace(request, url=request.url.replace(f"/{first}/", f"/{first}/{first}/", 1))


class ForgetsTheKey(Liar):
    """Keys are somebody else's business."""

    aims = (
        "chat.http.endpoint-and-auth", "azure.http.endpoint-and-auth", "responses.http.endpoint-and-error",
        "anthropic.http.headers", "gemini.http.endpoint-and-auth",
    )  # fmt: skip

    def posts(self, request: Request) -> Request:
        return replace(request, headers={"content-type": "application/json"})


class CallsSchemasArguments(Liar):
    """What a function takes are its arguments, so that is where its schema goes."""

    aims = ("chat.declare.schema-under-parameters",)

    def sends(self, body: Json) -> Json:
        for tool in body.get("tools", []):
            if "parameters" in obj(tool.get("function")):
                tool["function"]["arguments"] = tool["function"].pop("parameters")
        return body


class AlwaysAsksForUsage(Liar):
    """What an answer costs is always wanted, so it is always asked for."""

    aims = ("chat.http.stream-options-in-streams",)
    providers = ("openai-chat", "azure")

    def sends(self, body: Json) -> Json:
        return {**body, "stream_options": {"include_usage": True}}


class KnowsOneNameForTheLimit(Liar):
    """The limit has a newer name now, so that is what everybody is told."""

    aims = ("compat.shape.taken-by-its-host",)
    providers = ("mistral",)

    def sends(self, body: Json) -> Json:
        if "max_tokens" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body


class LetsTheUserFollowResults(Liar):
    """After the results it is the user's turn: nobody has to speak in between."""

    aims = ("mistral.history.assistant-before-user",)

    def sends(self, body: Json) -> Json:
        sent = body["messages"]
        roles = [None, *(message["role"] for message in sent), None]
        around = zip(roles, sent, roles[2:], strict=False)
        body["messages"] = [
            message for before, message, after in around
            if (before, message["role"], after) != ("tool", "assistant", "user") or "tool_calls" in message
        ]  # fmt: skip
        return body


class ReplaysThinkingAsAField(Liar):
    """Every host knows reasoning_content, so that is how thinking goes back."""

    aims = ("mistral.history.no-reasoning-content",)

    def sends(self, body: Json) -> Json:
        for message in messages_of(body, "assistant"):
            message["reasoning_content"] = "Let me think."
        return body


class ForcesWhoThinks(Liar):
    """The switch for thinking is left as the provider has it, whatever is chosen."""

    aims = ("deepseek.choose.thinking-forbids-forcing",)

    def sends(self, body: Json) -> Json:
        body.pop("thinking", None)
        return body


class AnswersAsFunctions(Liar):
    """What a tool returns comes from a function, so that is its role."""

    aims = ("chat.history.no-legacy-function-role",)

    def sends(self, body: Json) -> Json:
        for message in messages_of(body, "tool"):
            message |= {"role": "function", "name": message.pop("tool_call_id")}
        return body


class LengthensIds(Liar):
    """Ids are made clearer by saying what they are ids of."""

    aims = ("chat.ids.max-length", "mistral.ids.nine-alphanumerics")

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            for call in message.get("tool_calls", []):
                call["id"] = call["id"].ljust(70, "_")
            if "tool_call_id" in message:
                message["tool_call_id"] = message["tool_call_id"].ljust(70, "_")
        return body


class FlagsErrors(Liar):
    """A failed tool is marked, as elsewhere."""

    aims = ("chat.result.error-as-text",)

    def sends(self, body: Json) -> Json:
        for message in messages_of(body, "tool"):
            if '"error"' in message["content"]:
                message["is_error"] = True
        return body


class SendsImagesBetweenResults(Liar):
    """The image of a result comes right after it, before the other results."""

    aims = ("chat.binary.image-in-following-user-message",)

    def sends(self, body: Json) -> Json:
        messages = body["messages"]
        for place in range(1, len(messages)):
            if isinstance(messages[place]["content"], list) and messages[place - 1]["role"] == "tool":
                messages[place - 1], messages[place] = messages[place], messages[place - 1]
        return body


class SendsOtherImages(Liar):
    """An image is made smaller before it is sent."""

    aims = ("chat.binary.image-in-following-user-message",)

    def sends(self, body: Json) -> Json:
        for message in messages_of(body, "user"):
            for _, part in items(message["content"]):
                if "image_url" in part:
                    part["image_url"]["url"] = part["image_url"]["url"][:-8]
        return body


def deltas(event: StreamEvent) -> tuple[Json, list[dict[str, Json]]]:
    """A chunk as a document, and the fragments of calls in it. What is no JSON object is left as it is."""
    document = object_of(event.data)
    if document is None:
        return None, []
    choices = [obj(choice) for _, choice in items(document.get("choices"))]
    return document, [part for choice in choices for _, part in items(obj(choice.get("delta")).get("tool_calls"))]


def rewritten(event: StreamEvent, document: Json) -> StreamEvent:
    """The event with another document in it."""
    return StreamEvent(compact_json(document), event.event)


class KeysDeltasByPosition(Liar):
    """The first fragment of a chunk belongs to the first call."""

    aims = ("chat.stream.accumulate-by-index",)
    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return [self._renumbered(event) for event in events]

    @staticmethod
    def _renumbered(event: StreamEvent) -> StreamEvent:
        document, fragments = deltas(event)
        for position, fragment in enumerate(fragments):
            fragment["index"] = position
            if not position:
                fragment.pop("id", None)
        return rewritten(event, document) if fragments else event


class NeedsAnIndex(Liar):
    """A fragment without an index belongs to the first call."""

    aims = ("chat.stream.missing-index-tolerated",)
    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return [self._numbered(event) for event in events]

    @staticmethod
    def _numbered(event: StreamEvent) -> StreamEvent:
        document, fragments = deltas(event)
        missing = [fragment for fragment in fragments if "index" not in fragment]
        for fragment in missing:
            fragment["index"] = 0
            fragment.pop("id", None)
        return rewritten(event, document) if missing else event


class StartsACallForEachId(Liar):
    """Whenever a fragment has an id, a new call begins."""

    aims = ("chat.stream.id-only-on-first-chunk",)
    providers = ("openai-chat",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return list(self._split(events))

    @staticmethod
    def _split(events: list[StreamEvent]) -> Iterator[StreamEvent]:
        started: dict[Json, int] = {}
        for event in events:
            document, fragments = deltas(event)
            for fragment in fragments:
                index = fragment.get("index")
                started[index] = started.get(index, -1) + bool(fragment.get("id"))
                fragment["index"] = (index or 0) + 100 * max(0, started[index])
            yield rewritten(event, document) if fragments else event


class SpeaksForTheUser(Liar):
    """The user is given the word once more, and has nothing to say."""

    aims = ("chat.history.nothing-empty-said",)

    def sends(self, body: Json) -> Json:
        body["messages"].insert(1, {"role": "user", "content": []})
        return body


class SaysNothingAsNull(Liar):
    """What is empty is null."""

    aims = ("chat.history.content-unless-calls",)

    def sends(self, body: Json) -> Json:
        for message in messages_of(body, "assistant"):
            message["content"] = message["content"] or None
        return body


class ForgetsTheModel(Liar):
    """The key knows which model is meant."""

    aims = ("chat.http.model-named",)
    providers = ("openai-chat", "xai", "deepseek", "mistral")
    """Where it stands in the body alone."""

    def sends(self, body: Json) -> Json:
        return {name: value for name, value in body.items() if name != "model"}


class ListsNoCalls(Liar):
    """A message always says what was called, even if that was nothing."""

    aims = ("chat.history.no-empty-call-list",)

    def sends(self, body: Json) -> Json:
        for message in messages_of(body, "assistant"):
            message.setdefault("tool_calls", [])
        return body


class LimitsStrictFunctions(Liar):
    """A strict schema says all that there is to say of a text, also that it is an address."""

    aims = ("chat.declare.strict-words",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            function = obj(obj(tool).get("function"))
            properties = obj(obj(function.get("parameters")).get("properties"))
            for one in properties.values() if function.get("strict") is True else ():
                one["format"] = "uri"
        return body


class HearsTheRoleAlone(Liar):
    """The chunk that says whose turn it is says nothing else."""

    aims = ("common.stream.equivalent-to-non-stream",)
    providers = ("openai-chat", "xai")
    deliveries = ("stream:per-event",)
    scenarios = ("quirks.role_in_deltas",)

    def collects(self, events: list[StreamEvent]) -> list[StreamEvent]:
        return [self._heard(event) for event in events]

    def _heard(self, event: StreamEvent) -> StreamEvent:
        document = deltas(event)[0]
        for _, choice in items(obj(document).get("choices")):
            if obj(choice.get("delta")).get("role"):
                choice["delta"].pop("content", None)
        return event if document is None else rewritten(event, document)
